"""Decision boundaries against curves whose length and curvature are known in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib.image import imread
from scipy.special import ellipe
from torch import Tensor, nn

from pdedsl.runs.decision_boundary import (
    Classifier,
    Panel,
    boundaries_figure,
    boundary_lines,
    boundary_measures,
    plot_boundaries,
)
from pdedsl.runs.figure_style import DPI
from pdedsl.training.report import finest_grid

BOX = (-1.0, 1.0, -1.0, 1.0)
RADIUS, LONG, SHORT = 0.7, 0.9, 0.3


def classes(margin: Callable[[Tensor], Tensor], steep: float = 1.0) -> Classifier:
    """Two classes with the given log-odds."""
    return lambda x: torch.sigmoid(steep * margin(x.double())[:, None] * torch.tensor([-1.0, 1.0]))


def circle(x: Tensor) -> Tensor:
    return x.square().sum(-1) - RADIUS**2


def line(x: Tensor) -> Tensor:
    return torch.sinh(3 * (x[:, 0] + 0.4 * x[:, 1] - 0.1))


def ellipse(x: Tensor) -> Tensor:
    return (x[:, 0] / LONG) ** 2 + (x[:, 1] / SHORT) ** 2 - 1


def wave(x: Tensor) -> Tensor:
    """Four quarter waves on each side of the middle: each turns by arctan of the largest derivative."""
    return x[:, 1] - 0.3 * torch.sin(2 * math.pi * x[:, 0])


def arc(slope: Callable[[np.ndarray], np.ndarray]) -> float:
    """Length of the graph over [-1, 1] by the trapezoidal rule, exact to rounding for periodic functions."""
    x = np.linspace(-1, 1, 4096, endpoint=False)
    return float(2 * np.mean(np.sqrt(1 + slope(x) ** 2)))


CURVES = {
    "circle": (circle, 2 * math.pi * RADIUS, 2 * math.pi),
    "line": (line, 2 * math.sqrt(1 + 0.4**2), 0.0),
    "ellipse": (ellipse, 4 * LONG * ellipe(1 - (SHORT / LONG) ** 2), 2 * math.pi),
    "wave": (wave, arc(lambda x: 0.6 * math.pi * np.cos(2 * math.pi * x)), 8 * math.atan(0.6 * math.pi)),
}


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("steep", [1.0, 1e3])
def test_closed_forms(name: str, steep: float) -> None:
    margin, length, curvature = CURVES[name]
    found = boundary_measures(classes(margin, steep), BOX)
    assert found.length == pytest.approx(length, rel=1e-4)
    assert found.total_curvature == pytest.approx(curvature, rel=3e-4, abs=2e-3)


@pytest.mark.parametrize("name", ["circle", "ellipse", "wave"])
def test_the_length_converges_with_order_two(name: str) -> None:
    margin, length, _ = CURVES[name]
    errors = [abs(boundary_measures(classes(margin), BOX, n).length - length) for n in (33, 65, 129)]
    orders = [math.log2(a / b) for a, b in pairwise(errors)]
    assert min(orders) > 1.6, (errors, orders)


def test_the_curvature_converges_with_order_two() -> None:
    errors = [abs(boundary_measures(classes(wave), BOX, n).total_curvature - CURVES["wave"][2]) for n in (33, 65, 129)]
    assert math.log2(errors[0] / errors[2]) / 2 > 1.6, errors


@pytest.mark.parametrize("n", [16, 33, 100])
def test_a_convex_boundary_turns_once_on_any_grid(n: int) -> None:
    for margin in (circle, ellipse):
        assert boundary_measures(classes(margin), BOX, n).total_curvature == pytest.approx(2 * math.pi, abs=1e-6)


def test_measures_scale_with_the_box() -> None:
    found = boundary_measures(classes(lambda x: circle(x / 10)), (-20.0, 10.0, -10.0, 8.0))
    assert found.length < 20 * math.pi * RADIUS * (1 + 1e-4)
    assert found.length == pytest.approx(20 * math.pi * RADIUS, rel=1e-3)


def test_corners_are_on_the_boundary() -> None:
    (found,) = boundary_lines(classes(circle, 1e3), BOX, 33)
    assert np.abs(np.hypot(*found.T) - RADIUS).max() < 1e-5
    np.testing.assert_array_equal(found[0], found[-1])


def test_no_boundary_has_no_length() -> None:
    found = boundary_measures(lambda x: torch.tensor([0.25, 0.75]).expand(len(x), 2), BOX)
    assert (found.length, found.total_curvature) == (0, 0)


def sectors(x: Tensor) -> Tensor:
    """Three classes that meet in the middle, with straight boundaries 120° apart."""
    angles = torch.tensor([0.0, 2.0, 4.0]) * math.pi / 3 + 0.1
    return torch.softmax(5 * x @ torch.stack([angles.cos(), angles.sin()]), dim=-1)


def test_boundaries_of_three_classes_are_counted_once() -> None:
    away = [math.pi / 3 + 0.1 + 2 * math.pi * k / 3 for k in range(3)]
    rays = sum(1 / max(abs(math.cos(a)), abs(math.sin(a))) for a in away)
    assert boundary_measures(sectors, BOX).length == pytest.approx(rays, rel=5e-3)
    # Each class turns by 60° where the three meet, and each line is half of two of them.
    assert boundary_measures(sectors, BOX).total_curvature == pytest.approx(math.pi / 2, abs=0.02)


# ---- models are left as they were


class Noisy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shift = nn.Parameter(torch.zeros((), dtype=torch.float64))
        self.drop = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        noise = 0.05 * torch.randn(len(x), dtype=x.dtype)
        return classes(lambda y: self.drop(circle(y)) + noise + self.shift)(x)


def test_the_same_result_each_time_and_nothing_is_changed() -> None:
    model = Noisy()
    model.drop.eval()
    torch.manual_seed(3)
    state = torch.get_rng_state()
    first = boundary_measures(model, BOX, 32)
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(4)
    assert boundary_measures(model, BOX, 32) == first
    assert (model.training, model.drop.training) == (True, False)
    assert model.shift.grad is None


# ---- pictures


def panels(model: Classifier, count: int = 2, labels: int = 2) -> list[Panel]:
    points = torch.rand(200, 2, generator=torch.Generator().manual_seed(0)) * 2 - 1
    return [Panel(f"Panel {k}", model, points, model(points).argmax(-1) % labels) for k in range(count)]


def test_panels_have_the_same_axes() -> None:
    figure = boundaries_figure(panels(classes(circle)), 64)
    first, second, bar = figure.axes
    assert [first.get_title(), second.get_title()] == ["Panel 0", "Panel 1"]
    assert (first.get_xlim(), first.get_ylim()) == (second.get_xlim(), second.get_ylim())
    assert bar.get_ylabel() == "Probability of class 1"
    assert first.texts[0].get_text() == "decision boundary: length 4.40, total curvature 6.28"
    assert sum(len(points.get_offsets()) for points in first.collections[1:]) == 200


def test_more_than_two_classes_need_no_bar() -> None:
    (ax,) = boundaries_figure(panels(sectors, 1, 3), 64).axes
    assert len(ax.images) == 1
    assert len(ax.collections) == 3


def test_picture_is_written_atomically_and_is_reproducible(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        plot_boundaries(panels(classes(circle)), tmp_path / name, 64)
    image = imread(tmp_path / "a.png")
    assert image.shape[1] == round(DPI * (4.2 * 2 + 0.9))
    assert image[..., :3].std() > 0.1
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "b.png"]


@pytest.mark.parametrize(("each", "points"), [(0.0, 128), (1e-4, 96), (2e-4, 64), (1e-3, 32), (1.0, 32)])
def test_slow_networks_are_drawn_on_coarse_grids(each: float, points: int) -> None:
    assert finest_grid(each) == points
