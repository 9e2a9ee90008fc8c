"""The decision boundary of a classifier of points in the plane: where it is, how long, how curved, and a picture."""

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
from pdedsl.io import replace_with
from pdedsl.runs.assessment import evaluating
from pdedsl.runtime.rng import frozen_noise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import ContourSet
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Box = tuple[float, float, float, float]  # left, right, bottom, top
Classifier = Callable[[Tensor], Tensor]  # points (m, 2) → probabilities u of the classes (m, k)

ROWS = 8192  # points evaluated at once
SHOWN = 1000  # points of data in a panel, at most
HALVINGS = 16
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8C8C8C")
INK = "#222222"
SHADE = 0.55  # strength of a class's colour where that class is certain


@dataclass(frozen=True)
class Measures:
    """Total length of the boundary inside a box, and its total curvature ∫|κ| ds, corners included."""

    length: float
    total_curvature: float


@dataclass(frozen=True)
class Panel:
    """A classifier with points (m, 2) and their labels (m,), drawn under a title."""

    title: str
    model: Classifier
    points: Tensor
    labels: Tensor


# ---- where it is


def boundary_lines(model: Classifier, box: Box, n: int = 256) -> list[Array]:
    """Polylines (m, 2) with vertices on the boundary; closed ones repeat their first point.

    Marching squares on an n × n grid for the zeros of each margin log u_c - max log u_others, c = 0, 1, …; then each
    vertex, which is on an edge of the grid, is moved to the zero on that edge by bisection. Two classes share one
    margin; with more, each line is found from both of its sides.
    """
    return _lines(model, _probabilities(model, _grid(box, n)), box, n)


def _lines(model: Classifier, u: Array, box: Box, n: int) -> list[Array]:
    """The same, from the probabilities on the grid."""
    from contourpy import LineType, contour_generator

    lines: list[Array] = []
    for c in range(1 if u.shape[1] == 2 else u.shape[1]):
        marching = contour_generator(z=_margin(u, c).reshape(n, n), line_type=LineType.Separate)
        found = [np.asarray(line) for line in marching.lines(0.0)]
        if found:
            corners = _on_boundary(model, c, box, n, np.concatenate(found))
            lines += np.split(corners, np.cumsum([len(line) for line in found])[:-1])
    return lines


def _on_boundary(model: Classifier, c: int, box: Box, n: int, corners: Array) -> Array:
    """Vertices from marching squares, in grid steps, moved along their edges to where the margin is zero."""
    off = np.abs(corners - np.rint(corners))
    edge = np.where(off == off.min(axis=1, keepdims=True), np.rint(corners), corners)  # corrects a rounding error
    low, high = _placed(np.floor(edge), box, n), _placed(np.ceil(edge), box, n)
    below = _margin(_probabilities(model, low), c) <= 0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        same = ((_margin(_probabilities(model, middle), c) <= 0) == below)[:, None]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return (low + high) / 2


def _margin(u: Array, c: int) -> Array:
    """Of logarithms, because probabilities are steep at the boundary and flat elsewhere."""
    logs = np.log(np.maximum(u, np.finfo(np.float32).tiny))
    margin: Array = logs[:, c] - np.delete(logs, c, axis=1).max(axis=1)
    return margin


def _grid(box: Box, n: int) -> Array:
    columns, rows = np.meshgrid(np.arange(n), np.arange(n))
    return _placed(np.stack([columns.ravel(), rows.ravel()], axis=1), box, n)


def _placed(steps: Array, box: Box, n: int) -> Array:
    """The points of a box at given numbers of grid steps from its lower left corner."""
    left, right, bottom, top = box
    return np.array([left, bottom]) + steps * (np.array([right - left, top - bottom]) / (n - 1))


@torch.no_grad()
def _probabilities(model: Classifier, points: Array) -> Array:
    """The model in evaluation mode, with the same random numbers each time; both states are restored."""
    module = model if isinstance(model, nn.Module) else nn.Identity()
    x = torch.from_numpy(points).to(next(module.parameters(), torch.empty(0)))
    with evaluating(module), frozen_noise(module), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        u = torch.cat([model(part) for part in torch.split(x, ROWS)])
    found: Array = u.double().cpu().numpy()
    return found


# ---- how long, how curved


def boundary_measures(model: Classifier, box: Box, n: int = 256) -> Measures:
    """Length and total curvature of the decision boundary in a box, from an n × n grid."""
    return measures(boundary_lines(model, box, n), _spacing(box, n), shared=_classes(model, box) > 2)


def measures(lines: Sequence[Array], spacing: float, shared: bool = False) -> Measures:
    """Σ|Δx| along the lines, and Σ|turning angle| at points `spacing` apart; `shared` lines are present twice.

    Points in order on a convex line form a convex line, so the turning of a convex boundary is exact.
    """
    share = 0.5 if shared else 1.0
    return Measures(share * sum(map(_length, lines)), share * sum(_turning(line, spacing) for line in lines))


def _classes(model: Classifier, box: Box) -> int:
    return int(_probabilities(model, np.array([[box[0], box[2]]])).shape[1])


def _spacing(box: Box, n: int) -> float:
    """Two steps of the grid."""
    return 2 * max(box[1] - box[0], box[3] - box[2]) / (n - 1)


def _length(line: Array) -> float:
    return float(np.hypot(*np.diff(line, axis=0).T).sum())


def _turning(line: Array, spacing: float) -> float:
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


# ---- a picture


def plot_boundaries(panels: Sequence[Panel], path: Path, n: int = 256, box: Box | None = None) -> None:
    """Write the panels side by side as PNG, completely or not at all."""
    figure = boundaries_figure(panels, n, box)
    replace_with(path, lambda part: figure.savefig(part, format="png", dpi=120))


def boundaries_figure(panels: Sequence[Panel], n: int = 256, box: Box | None = None) -> Figure:
    """Probabilities as colour, the boundary with its measures, and the data, on the same axes for all panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    box = box or _around([panel.points for panel in panels])
    shape = (box[3] - box[2]) / (box[1] - box[0])
    figure = Figure(figsize=(4.2 * len(panels) + 0.9, 4.2 * min(max(shape, 0.5), 1.5) + 0.9), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    filled = [_draw(ax, panel, box, n) for ax, panel in zip(axes, panels, strict=True)]
    axes[0].set_ylabel("x₂", color=INK)
    if filled[0] is not None:
        bar = figure.colorbar(filled[0], ax=axes, shrink=0.85, pad=0.02, ticks=[0, 0.25, 0.5, 0.75, 1], aspect=30)
        bar.set_label("probability of class 1", color=INK, fontsize=9)
        bar.ax.tick_params(colors=INK, labelsize=8)
        bar.outline.set_visible(False)
    return figure


def _around(clouds: Sequence[Tensor]) -> Box:
    """The points with a margin of 15 % on every side."""
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
    every = -(-len(panel.labels) // SHOWN)
    labels, points = panel.labels[::every].cpu(), panel.points[::every].detach().cpu()
    for c in range(u.shape[1]):
        colour = COLOURS[c % len(COLOURS)]
        x, y = points[labels == c].T.numpy()
        ax.scatter(x, y, s=16, color=colour, edgecolors="white", linewidths=0.6, zorder=2)
    found = measures(lines, _spacing(box, n), shared=u.shape[1] > 2)
    ax.set_title(caption(panel.title), fontsize=12, fontweight="bold", color=INK, pad=20)
    words = f"boundary: length {found.length:.2f}, total curvature {found.total_curvature:.2f}"
    ax.text(0.5, 1.02, words, ha="center", fontsize=8.5, color="#555555", transform=ax.transAxes)
    ax.set(xlim=box[:2], ylim=box[2:], aspect="equal")
    ax.set_xlabel("x₁", color=INK)
    ax.tick_params(colors=INK, labelsize=8)
    ax.spines[:].set_visible(False)
    return filled


def _fill(ax: Axes, u: Array, box: Box) -> ContourSet | None:
    """Two classes: filled contours of u₁; more: the colour of the likeliest class, paler where it is less certain."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    n, _, k = u.shape
    if k == 2:
        first, second = (1 - SHADE * (1 - np.array(to_rgb(colour))) for colour in COLOURS[:2])
        colours = LinearSegmentedColormap.from_list("classes", np.stack([first, np.ones(3), second]))
        x, y = np.linspace(*box[:2], n), np.linspace(*box[2:], n)
        return ax.contourf(x, y, np.clip(u[..., 1], 0, 1), np.linspace(0, 1, 21), cmap=colours)
    palette = np.array([to_rgb(COLOURS[c % len(COLOURS)]) for c in range(k)])
    sure = SHADE * (u.max(axis=2, keepdims=True) - 1 / k) / (1 - 1 / k)
    ax.imshow(1 - sure * (1 - palette[u.argmax(axis=2)]), origin="lower", extent=box, interpolation="bilinear")
    return None
