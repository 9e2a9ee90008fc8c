"""Decision boundary of a classifier on R²: polylines by marching squares, length, total curvature, plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pdedsl.diagnostics.escaping import caption
from pdedsl.frozen_model import module_modes
from pdedsl.runs.figure_style import INK, new_figure, save_figure
from pdedsl.runtime.rng import frozen_noise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import ContourSet
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Box = tuple[float, float, float, float]  # left, right, bottom, top
Classifier = Callable[[Tensor], Tensor]  # points (m, 2) → probabilities u of the classes (m, k)

BATCH_SIZE = 8192  # points per forward pass
MAX_SAMPLES = 1000  # data points in a panel
BISECTIONS = 16  # of a grid edge that the boundary crosses: 2⁻¹⁶ of a cell
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8C8C8C")
MAX_OPACITY = 0.55  # of the colour of a class with probability 1


@dataclass(frozen=True)
class BoundaryGeometry:
    """Total length of the boundary inside a box, and its total curvature ∫|κ| ds, corners included."""

    length: float
    total_curvature: float


@dataclass(frozen=True)
class Panel:
    """A classifier with samples (m, 2) and labels (m,), and the title of its panel."""

    title: str
    model: Classifier
    points: Tensor
    labels: Tensor


# ---- Polylines


def boundary_lines(model: Classifier, box: Box, n: int = 256) -> list[Array]:
    """Polylines (m, 2) with vertices on the boundary; closed ones repeat their first point.

    Marching squares on an n × n grid for the zeros of each margin log u_c - max log u_others, c = 0, 1, …; then each
    vertex, which is on an edge of the grid, is moved to the zero on that edge by bisection. Two classes share one
    margin; with more, each line is found for both of its classes.
    """
    return _lines(model, _probabilities(model, _grid(box, n)), box, n)


def _lines(model: Classifier, u: Array, box: Box, n: int) -> list[Array]:
    """The same, from the probabilities on the grid."""
    from contourpy import LineType, contour_generator

    lines: list[Array] = []
    for c in range(1 if u.shape[1] == 2 else u.shape[1]):
        marching = contour_generator(z=_margin(u, c).reshape(n, n), line_type=LineType.Separate)
        polylines = [np.asarray(line) for line in marching.lines(0.0)]
        if polylines:
            vertices = _bisect(model, c, box, n, np.concatenate(polylines))
            lines += np.split(vertices, np.cumsum([len(line) for line in polylines])[:-1])
    return lines


def _bisect(model: Classifier, c: int, box: Box, n: int, vertices: Array) -> Array:
    """Vertices from marching squares, in grid steps, moved along their edges to where the margin is zero."""
    off = np.abs(vertices - np.rint(vertices))
    edge = np.where(off == off.min(axis=1, keepdims=True), np.rint(vertices), vertices)  # corrects a rounding error
    low, high = _grid_points(np.floor(edge), box, n), _grid_points(np.ceil(edge), box, n)
    below = _margin(_probabilities(model, low), c) <= 0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        same = ((_margin(_probabilities(model, middle), c) <= 0) == below)[:, None]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return (low + high) / 2


def _margin(u: Array, c: int) -> Array:
    """Margin of the log-probabilities, which are smoother at the boundary than the probabilities."""
    logs = np.log(np.maximum(u, np.finfo(np.float32).tiny))
    margin: Array = logs[:, c] - np.delete(logs, c, axis=1).max(axis=1)
    return margin


def _grid(box: Box, n: int) -> Array:
    columns, rows = np.meshgrid(np.arange(n), np.arange(n))
    return _grid_points(np.stack([columns.ravel(), rows.ravel()], axis=1), box, n)


def _grid_points(steps: Array, box: Box, n: int) -> Array:
    """Points of the box from grid indices, counted from the lower left corner."""
    left, right, bottom, top = box
    return np.array([left, bottom]) + steps * (np.array([right - left, top - bottom]) / (n - 1))


@torch.no_grad()
def _probabilities(model: Classifier, points: Array) -> Array:
    """The model in evaluation mode, with the same random numbers each time; both states are restored."""
    module = model if isinstance(model, nn.Module) else nn.Identity()
    x = torch.from_numpy(points).to(next(module.parameters(), torch.empty(0)))
    with module_modes(module.modules(), training=False), frozen_noise(module), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        u = torch.cat([model(part) for part in torch.split(x, BATCH_SIZE)])
    probabilities: Array = u.double().cpu().numpy()
    return probabilities


# ---- Length and curvature


def boundary_measures(model: Classifier, box: Box, n: int = 256) -> BoundaryGeometry:
    """Length and total curvature of the decision boundary in a box, from an n × n grid."""
    return polyline_geometry(boundary_lines(model, box, n), _spacing(box, n), shared=_classes(model, box) > 2)


def polyline_geometry(lines: Sequence[Array], spacing: float, shared: bool = False) -> BoundaryGeometry:
    """Σ|Δx| along the lines, and Σ|turning angle| at points `spacing` apart; `shared`: every line occurs twice.

    Points in order on a convex line form a convex line, so the turning of a convex boundary is exact.
    """
    factor = 0.5 if shared else 1.0
    return BoundaryGeometry(
        factor * sum(map(_length, lines)), factor * sum(_total_curvature(line, spacing) for line in lines)
    )


def _classes(model: Classifier, box: Box) -> int:
    return int(_probabilities(model, np.array([[box[0], box[2]]])).shape[1])


def _spacing(box: Box, n: int) -> float:
    """Two steps of the grid."""
    return 2 * max(box[1] - box[0], box[3] - box[2]) / (n - 1)


def _length(line: Array) -> float:
    return float(np.hypot(*np.diff(line, axis=0).T).sum())


def _total_curvature(line: Array, spacing: float) -> float:
    """∫|κ| ds = Σ|∠(dₖ, dₖ₊₁)| over the chords d between points evenly spaced along the line."""
    arc = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    if arc[-1] == 0:
        return 0.0
    places = np.linspace(0, arc[-1], max(4, round(arc[-1] / spacing) + 1))
    chords = np.diff(np.stack([np.interp(places, arc, line[:, k]) for k in (0, 1)], axis=1), axis=0)
    if np.array_equal(line[0], line[-1]):
        chords = np.concatenate([chords, chords[:1]])
    cross = chords[:-1, 0] * chords[1:, 1] - chords[:-1, 1] * chords[1:, 0]
    return float(np.abs(np.arctan2(cross, (chords[:-1] * chords[1:]).sum(axis=1))).sum())


# ---- Plot


def plot_boundaries(panels: Sequence[Panel], path: Path, n: int = 256, box: Box | None = None) -> None:
    """Write the panels side by side as PNG, atomically."""
    save_figure(boundaries_figure(panels, n, box), path)


def boundaries_figure(panels: Sequence[Panel], n: int = 256, box: Box | None = None) -> Figure:
    """Class probabilities, decision boundary with length and total curvature, and samples, on common axes."""
    box = box or _bounding_box([panel.points for panel in panels])
    shape = (box[3] - box[2]) / (box[1] - box[0])
    figure = new_figure(4.2 * len(panels) + 0.9, 4.2 * min(max(shape, 0.5), 1.5) + 0.9)
    axes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    filled = [_draw(ax, panel, box, n) for ax, panel in zip(axes, panels, strict=True)]
    axes[0].set_ylabel("x₂")
    if filled[0] is not None:
        bar = figure.colorbar(filled[0], ax=axes, shrink=0.85, pad=0.02, ticks=[0, 0.25, 0.5, 0.75, 1], aspect=30)
        bar.set_label("Probability of class 1")
    return figure


def _bounding_box(clouds: Sequence[Tensor]) -> Box:
    """Bounding box of the points with a margin of 15 %."""
    points = torch.cat([cloud.detach().double().cpu() for cloud in clouds])
    low, high = points.amin(0), points.amax(0)
    margin = 0.15 * (high - low).clamp_min(1e-6)
    (left, bottom), (right, top) = (low - margin).tolist(), (high + margin).tolist()
    return left, right, bottom, top


def _draw(ax: Axes, panel: Panel, box: Box, n: int) -> ContourSet | None:
    u = _probabilities(panel.model, _grid(box, n))
    lines = _lines(panel.model, u, box, n)
    filled = _fill(ax, u.reshape(n, n, -1), box)
    for line in lines:
        ax.plot(*line.T, color=INK, linewidth=1.8, solid_capstyle="round", zorder=3)
    every = -(-len(panel.labels) // MAX_SAMPLES)
    labels, points = panel.labels[::every].cpu(), panel.points[::every].detach().cpu()
    for c in range(u.shape[1]):
        colour = COLOURS[c % len(COLOURS)]
        x, y = points[labels == c].T.numpy()
        ax.scatter(x, y, s=16, color=colour, edgecolors="white", linewidths=0.6, zorder=2)
    geometry = polyline_geometry(lines, _spacing(box, n), shared=u.shape[1] > 2)
    ax.set_title(caption(panel.title), fontsize=12, fontweight="bold", pad=20)
    text = f"decision boundary: length {geometry.length:.2f}, total curvature {geometry.total_curvature:.2f}"
    ax.text(0.5, 1.02, text, ha="center", fontsize=8.5, color="#555555", transform=ax.transAxes)
    ax.set(xlim=box[:2], ylim=box[2:], aspect="equal")
    ax.set_xlabel("x₁")
    ax.spines[:].set_visible(False)
    return filled


def _fill(ax: Axes, u: Array, box: Box) -> ContourSet | None:
    """Two classes: filled contours of u₁; more: the colour of the most likely class, paler for lower probability."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    n, _, k = u.shape
    if k == 2:
        first, second = (1 - MAX_OPACITY * (1 - np.array(to_rgb(colour))) for colour in COLOURS[:2])
        colours = LinearSegmentedColormap.from_list("classes", np.stack([first, np.ones(3), second]))
        x, y = np.linspace(*box[:2], n), np.linspace(*box[2:], n)
        return ax.contourf(x, y, np.clip(u[..., 1], 0, 1), np.linspace(0, 1, 21), cmap=colours)
    palette = np.array([to_rgb(COLOURS[c % len(COLOURS)]) for c in range(k)])
    opacity = MAX_OPACITY * (u.max(axis=2, keepdims=True) - 1 / k) / (1 - 1 / k)
    ax.imshow(1 - opacity * (1 - palette[u.argmax(axis=2)]), origin="lower", extent=box, interpolation="bilinear")
    return None
