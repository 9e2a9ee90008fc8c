"""Training curves: content of the figure, and the PNG file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.image import imread
from matplotlib.transforms import Bbox

from pdedsl.runs.figure_style import DPI
from pdedsl.runs.plots import curves_figure, plot_curves

PHASES = ("training", "diffusion 1 of 2", "diffusion 2 of 2")


def rows(count: int, accuracy: bool = True, terms: int = 2, decay: float = 6.0) -> list[dict[str, Any]]:
    """A run of `count` steps, assessed at each third of them."""
    found: list[dict[str, Any]] = []
    for k in range(1, count + 1):
        loss = 2 * math.exp(-decay * k / count)
        row = {"step": 10 * k, "epoch": k / 10, "phase": PHASES[3 * (k - 1) // count], "loss": loss}
        row["accuracy"] = 1 - loss / 2 if accuracy else None
        parts = {f"term {j}": loss / (j + 1) for j in range(terms)}
        found.append(row | {"kind": "step", "split": "train", "terms": parts, "lr": 0.1 / k, "seconds": 1.0})
        if k % (count // 3) == 0:
            found += [row | {"kind": "assessed", "split": split} for split in ("validation", "test")]
    return found


@pytest.mark.parametrize(("count", "accuracy", "titles"), [
    (3, True, ["Loss", "Accuracy", "Learning rate"]),
    (99, True, ["Loss", "Accuracy", "Learning rate"]),
    (99, False, ["Loss", "Learning rate"]),
])  # fmt: skip
def test_a_panel_for_each_quantity(count: int, accuracy: bool, titles: list[str]) -> None:
    figure = curves_figure(rows(count, accuracy))
    assert [ax.get_title("left") for ax in figure.axes] == titles


def test_curves_hold_the_figures() -> None:
    loss, accuracy, rate = curves_figure(rows(3)).axes
    legend = [text.get_text() for text in loss.get_legend().get_texts()]
    assert legend == ["training", "validation", "test", "term 0", "term 1"]
    lines = {line.get_label(): line for line in loss.lines}
    np.testing.assert_array_equal(lines["training"].get_xdata(), [10, 20, 30])
    np.testing.assert_allclose(lines["term 1"].get_ydata(), [math.exp(-2 * k) for k in (1, 2, 3)])
    np.testing.assert_allclose(accuracy.lines[0].get_ydata(), [100 * (1 - math.exp(-2 * k)) for k in (1, 2, 3)])
    np.testing.assert_allclose(rate.lines[0].get_ydata(), [0.1, 0.05, 0.1 / 3])


def test_labels_of_adversarial_training() -> None:
    loss, *_ = curves_figure(rows(3, terms=0), adversarial=True).axes
    legend = [text.get_text() for text in loss.get_legend().get_texts()]
    assert legend == ["training, adversarial", "validation, clean", "test, clean"]


def test_splits_have_one_colour_and_terms_others() -> None:
    loss, accuracy, _ = curves_figure(rows(9)).axes
    colours = {line.get_label(): to_hex(line.get_color()) for line in loss.lines}
    for line in accuracy.lines:
        if not str(line.get_label()).startswith("_"):
            assert to_hex(line.get_color()) == colours[line.get_label()]
    named = [colour for name, colour in colours.items() if not str(name).startswith("_")]
    assert len(set(named)) == len(named) == 5


def test_one_term_is_the_loss_and_is_not_drawn_twice() -> None:
    assert [line.get_label() for line in curves_figure(rows(3, terms=1)).axes[0].lines[:3]] == [
        "training",
        "validation",
        "test",
    ]


def test_the_scale_is_logarithmic_where_it_helps() -> None:
    assert curves_figure(rows(99)).axes[0].get_yscale() == "log"
    assert curves_figure(rows(99, decay=0.5)).axes[0].get_yscale() == "linear"
    zero = rows(99)
    zero[-1]["loss"] = 0.0
    assert curves_figure(zero).axes[0].get_yscale() == "linear"


def test_a_constant_learning_rate_is_seen_inside_its_panel() -> None:
    ax = curves_figure([row | {"lr": 0.01} for row in rows(9)]).axes[-1]
    assert ax.get_ylim() == pytest.approx((0, 0.011))


def test_phases_are_marked_in_every_panel() -> None:
    figure = curves_figure(rows(9))
    for ax in figure.axes:
        upright = sorted({line.get_xdata()[0] for line in ax.lines if len(set(line.get_xdata())) == 1})
        assert upright == [30, 60]
    assert [text.get_text() for text in figure.axes[0].texts] == list(PHASES)


def test_no_words_overlap() -> None:
    early = [row | {"phase": PHASES[0] if row["step"] <= 10 else PHASES[1]} for row in rows(9)]
    figure = curves_figure(early, "Heat: diffusion of scores")
    figure.canvas.draw()
    ax = figure.axes[0]
    texts = [figure._suptitle, ax._left_title, ax.get_legend(), *ax.texts]  # type: ignore[attr-defined]
    assert [text.get_text() for text in ax.texts] == list(PHASES[:2])
    boxes = [text.get_window_extent() for text in texts]
    for k, box in enumerate(boxes):
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1
        assert all(Bbox.intersection(box, other) is None for other in boxes[k + 1 :])
    assert Bbox.intersection(ax.get_legend().get_window_extent(), ax.bbox) is None


def test_a_dense_curve_is_smoothed_without_moving_it() -> None:
    ramp = rows(99)
    for row in ramp:
        row["loss"] = float(row["step"])
    drawn = next(line for line in curves_figure(ramp).axes[0].lines if line.get_label() == "training")
    np.testing.assert_allclose(drawn.get_ydata(), drawn.get_xdata())


@pytest.mark.parametrize("count", [0, 3, 99])
def test_picture_is_written_atomically(tmp_path: Path, count: int) -> None:
    path = tmp_path / "curves.png"
    path.write_bytes(b"old")
    plot_curves(rows(count) if count else [], path)
    image = imread(path)
    assert image.shape[1] == round(8.5 * DPI)
    assert image.shape[0] >= 400
    assert image[..., :3].std() > 0.02
    assert [p.name for p in tmp_path.iterdir()] == ["curves.png"]


def test_the_picture_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        plot_curves(rows(9), tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_non_finite_values_leave_a_gap(tmp_path: Path) -> None:
    broken = rows(9)
    for row in broken[-4:]:
        row["loss"] = None
    plot_curves(broken, tmp_path / "curves.png")
    lost = curves_figure([row | {"loss": None, "accuracy": None} for row in broken])
    assert [ax.get_title("left") for ax in lost.axes] == ["Loss", "Learning rate"]
