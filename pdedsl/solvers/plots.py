"""Plots of a solution: the solution, its absolute error w.r.t. a reference, its PDE residual, the training loss, and an
animation of time-dependent solutions. Domains of more than two dimensions are shown on two-dimensional slices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.config.methods import MonteCarlo
from pdedsl.diagnostics.escaping import caption
from pdedsl.io import RunInterrupted, write_atomically
from pdedsl.ir.problem import Domain
from pdedsl.runs.figure_style import INK, PALETTE, ColourScale, colour_scale, new_figure, save_figure
from pdedsl.runs.folder import METRICS
from pdedsl.runs.metrics import read_metrics
from pdedsl.runs.plots import plot_curves
from pdedsl.runtime.basis.obstacle_solution import ContactExpansion, ContactPolynomials
from pdedsl.solvers.collocation_points import fix_gauge, visible_domain
from pdedsl.solvers.dispatch import has_derivatives, has_expensive_values
from pdedsl.solvers.error_estimate import ErrorEstimate, Reference, pde_residual_norm, residual_audit
from pdedsl.solvers.solution import Solution
from pdedsl.solvers.solver_method import SolveOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from PIL.Image import Image

    from pdedsl.solvers.coordinates import Values
    from pdedsl.solvers.field import Selection


# ---- Slices of the domain


SHOWN_TIMES = 3  # times shown of a time-dependent problem in more than one space dimension


@dataclass(frozen=True)
class Resolution:
    """Number of points of a line plot, and per dimension of a surface plot."""

    line: int
    surface: int


FULL_RESOLUTION = Resolution(400, 120)
# each point costs thousands of paths
MONTE_CARLO_1D = Resolution(25, 15)
MONTE_CARLO_2D = Resolution(25, 9)


@dataclass(frozen=True)
class Slice:
    """Points (n, k) of a 1D or 2D slice; `axes` are the coordinates that vary, the others are fixed as in `at`."""

    points: Tensor
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    at: str
    inside: Tensor  # (n,), which points belong to the domain

    def values(self, values: Tensor) -> Tensor:
        """One number at each point, in the shape of the view; NaN outside the domain."""
        return torch.where(self.inside, values, torch.nan).reshape(self.shape)


def slices(
    domain: Domain, detail: Resolution = FULL_RESOLUTION, at: Mapping[int, Sequence[float]] = MappingProxyType({})
) -> tuple[Slice, ...]:
    """The domain in one or two dimensions; otherwise 2D slices through its center, at several times. `at` has values of
    coordinates that are fixed; there is a slice for every combination."""
    low, high = bounds(domain)
    fixed = {k: list(values) for k, values in at.items()}
    free = [k for k in range(len(low)) if k not in fixed]
    if len(free) > 2 and domain.has_time and free[-1] == len(low) - 1:
        fixed[free.pop()] = torch.linspace(float(low[-1]), float(high[-1]), SHOWN_TIMES, dtype=torch.float64).tolist()
    fixed |= {k: [float((low[k] + high[k]) / 2)] for k in free[2:]}
    if not free:
        raise ValueError("every coordinate is fixed: a plot needs one or two that vary")
    order = sorted(fixed)
    combinations = product(*(fixed[k] for k in order))
    return tuple(_slice(domain, tuple(free[:2]), dict(zip(order, c, strict=True)), detail) for c in combinations)


def time_slices(domain: Domain, count: int, detail: Resolution = FULL_RESOLUTION) -> tuple[Slice, ...]:
    """Space at a sequence of times, for a time-dependent problem."""
    low, high = bounds(domain)
    axes, last = ((0, 1) if len(domain.space) > 1 else (0,)), len(low) - 1
    center = {k: float((low[k] + high[k]) / 2) for k in range(len(axes), last)}
    times = torch.linspace(float(low[last]), float(high[last]), count, dtype=torch.float64).tolist()
    return tuple(_slice(domain, axes, {**center, last: t}, detail) for t in times)


def bounds(domain: Domain) -> tuple[Tensor, Tensor]:
    """The ends of the intervals, truncated if they are infinite."""
    domain = visible_domain(domain)
    lower = torch.tensor([float(interval.start) for interval in domain.intervals], dtype=torch.float64)
    return lower, torch.tensor([float(interval.end) for interval in domain.intervals], dtype=torch.float64)


def _slice(domain: Domain, axes: tuple[int, ...], at: dict[int, float], detail: Resolution) -> Slice:
    low, high = bounds(domain)
    sizes = (detail.line,) if len(axes) == 1 else (detail.surface,) * len(axes)
    ends = [(float(low[k]), float(high[k])) for k in axes]
    lines = [torch.linspace(*e, n, dtype=torch.float64) for e, n in zip(ends, sizes, strict=True)]
    mesh = torch.meshgrid(*lines, indexing="ij")
    points = torch.zeros(mesh[0].numel(), len(low), dtype=torch.float64)
    for k, values in zip(axes, mesh, strict=True):
        points[:, k] = values.reshape(-1)
    for k, value in at.items():
        points[:, k] = value
    return Slice(points, axes, sizes, _slice_text(domain, at), _inside(domain, points))


def _slice_text(domain: Domain, at: dict[int, float]) -> str:
    if len(at) <= SHOWN_TIMES:
        return ", ".join(f"{domain.coordinates[k]} = {value:.3g}" for k, value in sorted(at.items()))
    moment = f" at {domain.coordinates[-1]} = {at[len(domain.coordinates) - 1]:.3g}" if domain.has_time else ""
    return f"slice through the center{moment}"


def _inside(domain: Domain, points: Tensor) -> Tensor:
    return _level(domain, points) >= 0 if domain.inequalities else torch.ones(len(points), dtype=torch.bool)


def _level(domain: Domain, points: Tensor) -> Tensor:
    """The smallest left-hand side of the inequalities g ≥ 0: zero on the boundary that they describe."""
    levels = compile_pointwise(domain.inequalities, domain.coordinates)(*points.unbind(-1))
    return torch.stack([torch.as_tensor(g).expand(len(points)) for g in levels]).amin(0)


# ---- Figures


MAX_COMPONENTS = 4  # components
MAX_EQUAL_ASPECT = 3.0  # ratio of length to width from which a box counts as a strip
FRAMES, FPS = 32, 10  # an animation of about three seconds
CONTACT_LEVEL = 0.5  # of the indicator of the contact set, at the free boundary
Function = Callable[[Tensor], Tensor]
"""Points (n, k) to values (n, c)."""


@dataclass(frozen=True)
class Scene:
    """Domain, component names, title and resolution of a plot; for inequalities the indicator of the contact set."""

    domain: Domain
    names: tuple[str, ...]
    title: str
    detail: Resolution = FULL_RESOLUTION
    contact: Function | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        return self.names[:MAX_COMPONENTS]


def plot_solution(path: Path, f: Function, scene: Scene) -> None:
    save_figure(make_figure(f, scene, slices(scene.domain, scene.detail)), path)


def plot_magnitude(path: Path, f: Function, scene: Scene) -> None:
    """For non-negative quantities: an error, a residual."""
    save_figure(make_figure(f, scene, slices(scene.domain, scene.detail), from_zero=True), path)


def make_figure(
    f: Function,
    scene: Scene,
    sections: Sequence[Slice],
    *,
    from_zero: bool = False,
    cmap: str | None = None,
    ax: Axes | None = None,
) -> Figure:
    """A row for each component, a column for each slice; a single panel in `ax`, if given."""
    results = [f(section.points) for section in sections]
    if ax is None:
        figure = new_figure(1.2 + 4.2 * len(sections), 0.6 + 3.2 * len(scene.shown))
        axes = figure.subplots(len(scene.shown), len(sections), squeeze=False).tolist()
        figure.suptitle(caption(scene.title))
    else:
        axes = [[ax]]
    for row, name in enumerate(scene.shown):
        tables = [section.values(values[:, row]) for section, values in zip(sections, results, strict=True)]
        colours = _colours(tables, from_zero, cmap)
        for column, (section, values) in enumerate(zip(sections, tables, strict=True)):
            _plot_slice(axes[row][column], section, values, scene.domain, name, colours)
            if scene.contact is not None:
                _draw_free_boundary(axes[row][column], section, values, scene.contact(section.points), scene.domain)
    drawn = axes[0][0].get_figure(root=True)
    assert drawn is not None
    return drawn  # type: ignore[no-any-return]


def _colours(shown: Sequence[Tensor], from_zero: bool = False, cmap: str | None = None) -> ColourScale:
    """The same for all slices of a component."""
    values = torch.cat([v[v.isfinite()].reshape(-1) for v in shown])
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    return colour_scale(0.0 if from_zero else low, high, cmap)


def _plot_slice(
    ax: Axes,
    section: Slice,
    values: Tensor,
    domain: Domain,
    name: str,
    colours: ColourScale,
) -> None:
    """A curve or an image; the unknown labels the vertical axis or the colour bar, fixed coordinates are the title."""
    first = section.axes[0]
    ax.set_title(caption(section.at))
    if len(section.axes) == 1:
        ax.plot(section.points[:, first].numpy(), values.numpy(), color=PALETTE[0])
        ax.set_xlabel(caption(domain.coordinates[first].name))
        ax.set_ylabel(caption(name))
        ax.grid(True, alpha=0.5)
        return
    # Time runs to the right, as in the papers.
    across, up = (section.axes[1], first) if section.axes[1] == len(domain.space) else (first, section.axes[1])
    table = values if across == section.axes[1] else values.T
    image = _show_image(ax, table, domain, (across, up), colours)
    _outline(ax, section, domain, (across, up))
    ax.figure.colorbar(image, ax=ax, shrink=0.9, label=caption(name))


def _draw_free_boundary(ax: Axes, section: Slice, values: Tensor, contact: Tensor, domain: Domain) -> None:
    """The contact set of an inequality: a part of the curve, or the free boundary as a line in an image."""
    indicator = section.values(contact.reshape(-1))
    if len(section.axes) == 1:
        x, active = section.points[:, section.axes[0]].numpy(), indicator.numpy() > CONTACT_LEVEL
        if active.any():
            own = np.where(active, values.numpy(), np.nan)
            ax.plot(x, own, color=PALETTE[1], linewidth=3.0, label="contact set")
            ax.legend(fontsize=8)
        return
    first = section.axes[0]
    across, up = (section.axes[1], first) if section.axes[1] == len(domain.space) else (first, section.axes[1])
    coordinates = [section.points[:, axis].reshape(section.shape).numpy() for axis in (across, up)]
    level = indicator.nan_to_num().numpy()
    if level.min() < CONTACT_LEVEL < level.max():
        ax.contour(*coordinates, level, [CONTACT_LEVEL], colors=PALETTE[1], linewidths=1.5)


def contact_function(module: nn.Module) -> Function | None:
    """The indicator of the contact set of a solution of an inequality."""
    return module.contact if isinstance(module, ContactExpansion | ContactPolynomials) else None


def _outline(ax: Axes, section: Slice, domain: Domain, axes: tuple[int, int]) -> None:
    """The curves that bound the domain, over the steps of the image."""
    if domain.inequalities:
        coordinates = [section.points[:, axis].reshape(section.shape).numpy() for axis in axes]
        level = _level(domain, section.points).reshape(section.shape).numpy()
        if level.min() < 0 < level.max():
            ax.contour(*coordinates, level, [0.0], colors=INK, linewidths=1.5)


def _show_image(ax: Axes, table: Tensor, domain: Domain, axes: tuple[int, int], colours: ColourScale) -> AxesImage:
    """A table (up, across) of values over two axes (across, up) of the domain."""
    (low, high), (across, up) = bounds(domain), axes
    extent = (float(low[across]), float(high[across]), float(low[up]), float(high[up]))
    aspect = _aspect(domain, across, up)
    ax.set_xlabel(caption(domain.coordinates[across].name))
    ax.set_ylabel(caption(domain.coordinates[up].name))
    return ax.imshow(
        table.numpy(),
        origin="lower",
        aspect=aspect,
        extent=extent,
        cmap=colours.cmap,
        vmin=colours.low,
        vmax=colours.high,
    )


def _aspect(domain: Domain, across: int, up: int) -> Literal["equal", "auto"]:
    """Equal scaling, unless one of the axes is time, or a box is elongated."""
    low, high = bounds(domain)
    if domain.has_time and len(low) - 1 in (across, up):
        return "auto"
    ratio = float((high - low)[up] / (high - low)[across])
    return "equal" if domain.inequalities or 1 / MAX_EQUAL_ASPECT <= ratio <= MAX_EQUAL_ASPECT else "auto"


def plot_fields(own: Selection, cmap: str | None, n: int | None, ax: Axes | None, at: Mapping[str, Values]) -> Figure:
    """`SolutionFunctions.plot`."""
    evaluation, system = own.evaluation, own.evaluation.coordinates
    domain = visible_domain(system.domain)
    fixed = {system.axis(x): torch.as_tensor(v, dtype=torch.float64).reshape(-1).tolist() for x, v in at.items()}
    low, high = bounds(domain)
    for k, values in fixed.items():
        if not all(float(low[k]) <= v <= float(high[k]) for v in values):
            raise ValueError(f"{system.names[k]} must lie in [{float(low[k]):g}, {float(high[k]):g}], got {values}")
    coarse = MONTE_CARLO_1D if system.dimension == 1 else MONTE_CARLO_2D
    is_expensive = evaluation.is_monte_carlo or has_expensive_values(evaluation.module)
    detail = Resolution(n, n) if n else coarse if is_expensive else FULL_RESOLUTION
    sections = slices(domain, detail, fixed)
    names, contact = tuple(evaluation.names[c] for c in own.components), contact_function(evaluation.module)
    scene = Scene(domain, names, evaluation.title, detail, contact)
    if ax is not None and len(sections) * len(scene.shown) > 1:
        raise ValueError(f"'ax' is for a single panel, there are {len(sections) * len(scene.shown)}: fix a coordinate")

    def values_at(points: Tensor) -> Tensor:
        with torch.no_grad():
            parts = [evaluation.values(part) for part in torch.split(points, BATCH_SIZE)]
        return torch.cat(parts)[:, list(own.components)].cpu()

    return make_figure(values_at, scene, sections, cmap=cmap, ax=ax)


# ---- Modes of an eigenproblem


MODE_COLUMNS = 3  # panels next to each other
MAX_MODES_SHOWN = 12  # four rows of panels


def plot_modes(
    modes: Sequence[tuple[Selection, str]], cmap: str | None, n: int | None, ax: Axes | None, at: Mapping[str, Values]
) -> Figure:
    """`EigenSolution.plot`: a panel for each scalar of each mode, with its title; of complex numbers the real part, on
    an interval also the imaginary part, dashed."""
    evaluation = modes[0][0].evaluation
    system = evaluation.coordinates
    fixed = {system.axis(x): torch.as_tensor(v, dtype=torch.float64).reshape(-1).tolist() for x, v in at.items()}
    detail = Resolution(n, n) if n else FULL_RESOLUTION
    (section, *others) = slices(system.domain, detail, fixed)
    if others:
        raise ValueError("fix each coordinate at one value: there is a panel for each mode")
    panels = [(own, title, k) for own, title in modes for k in range(len(own.scalar_names))][:MAX_MODES_SHOWN]
    if ax is not None and len(panels) > 1:
        raise ValueError(f"'ax' is for a single panel, there are {len(panels)}: plot solution.mode(k)")
    columns = min(MODE_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(0.6 + 4.2 * columns, 0.6 + 3.2 * rows)
    axes = [ax] if ax is not None else figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    if ax is None:
        figure.suptitle(caption(evaluation.title), fontsize=12, fontweight="bold", color=INK)
    with torch.no_grad():
        values = torch.cat([evaluation.values(part) for part in torch.split(section.points, BATCH_SIZE)]).cpu()
    for panel, (own, title, k) in zip(axes, panels, strict=False):
        scalar = own.joined(values[:, list(own.components)])[:, k]
        table = section.values(scalar.real if scalar.is_complex() else scalar)
        name = f"Re {own.scalar_names[k]}" if scalar.is_complex() else own.scalar_names[k]
        _plot_slice(panel, section, table, system.domain, name, _colours([table], cmap=cmap))
        panel.set_title(caption(title))
        if scalar.is_complex() and len(section.axes) == 1:
            panel.plot(section.points[:, section.axes[0]].numpy(), scalar.imag.numpy(), "--", color="#D55E00")
    for panel in axes[len(panels) :]:
        panel.set_axis_off()
    drawn = axes[0].get_figure(root=True)
    assert drawn is not None
    return drawn


# ---- Animation


def animate(path: Path, f: Function, scene: Scene, frames: int = FRAMES) -> None:
    """An animated GIF of a time-dependent solution: curves in 1D, images otherwise."""
    sections = time_slices(scene.domain, frames, scene.detail)
    values = [f(section.points) for section in sections]
    tables = [[v.values(x[:, k]) for v, x in zip(sections, values, strict=True)] for k in range(len(scene.shown))]
    figure = new_figure(1.2 + 4.2 * len(scene.shown), 3.8)
    figure.set_dpi(80)
    axes = figure.subplots(1, len(scene.shown), squeeze=False)[0]
    changes = [
        _first_frame(ax, sections[0], table, scene.domain, name)
        for ax, table, name in zip(axes, tables, scene.shown, strict=True)
    ]
    heading = figure.suptitle(" ")
    figure.canvas.draw()
    figure.set_layout_engine("none")  # the same layout for every frame
    images = []
    for k, section in enumerate(sections):
        for change, table in zip(changes, tables, strict=True):
            change(table[k])
        moment = f"{scene.domain.coordinates[-1]} = {float(section.points[0, -1]):.2f}"
        heading.set_text(caption(f"{scene.title}, {moment}"))
        images.append(_render(figure))
    write_atomically(path, lambda part: _save_gif(part, images))


def _first_frame(
    ax: Axes, section: Slice, tables: Sequence[Tensor], domain: Domain, name: str
) -> Callable[[Tensor], None]:
    """Draws the first frame; returns a function that updates it."""
    colours = _colours(tables)
    ax.set_title(caption(name))
    if len(section.axes) == 1:
        ax.set_xlabel(caption(domain.coordinates[0].name))
        margin = 0.05 * (colours.high - colours.low)
        (curve,) = ax.plot(section.points[:, 0].numpy(), tables[0].numpy(), color=PALETTE[0])
        ax.set_ylim(colours.low - margin, colours.high + margin)
        return lambda values: curve.set_ydata(values.numpy())
    image = _show_image(ax, tables[0].T, domain, (0, 1), colours)
    return lambda values: image.set_data(values.T.numpy())


def _render(figure: Figure) -> Image:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
    image = Image.frombuffer("RGBA", canvas.get_width_height(), pixels)
    return image.convert("RGB").convert("P", palette=Image.Palette.ADAPTIVE)


def _save_gif(path: Path, images: Sequence[Image]) -> None:
    first, *others = images
    first.save(path, "GIF", save_all=True, append_images=others, duration=1000 // FPS, loop=0)


# ---- Plots of a run


BATCH_SIZE = 4096  # points at a time
# each point costs thousands of paths; three of the frames are shared with the plot of the solution
MONTE_CARLO_FRAMES = 5
DOMINANT_RATIO = 2.0  # of a difference to the error of the reference, from which it is mostly that of the solution


def accurate_reference(references: Sequence[Reference], estimate: ErrorEstimate) -> Reference | None:
    """The exact solution, or a reference that is more accurate than the solution: the difference is the error of the
    solution, and not of the reference."""
    distances = {c.reference: c.distance for c in estimate.comparisons}
    accurate = (r for r in references if DOMINANT_RATIO * r.error <= distances.get(r.text, 0.0) or r.error == 0)
    return next(accurate, None)


def plot_run(folder: Path, solution: Solution, options: SolveOptions, reference: Reference | None) -> None:
    """Plots of solution, residual, animation and training loss, as applicable, and of the error w.r.t. a reference."""
    statement, title = solution.problem, solution.compilation.spec.name
    is_expensive = isinstance(solution.result.method, MonteCarlo) or has_expensive_values(solution.module)
    coarse = MONTE_CARLO_1D if len(statement.domain.space) == 1 else MONTE_CARLO_2D
    scene = Scene(
        statement.domain,
        tuple(c.text for c in statement.components),
        title,
        coarse if is_expensive else FULL_RESOLUTION,
        contact_function(solution.result.module),
    )
    values = _evaluate_in_batches(lambda x: fix_gauge(solution.result, statement, x), options)
    plot_solution(folder / "solution.png", values, scene)
    if reference is not None:
        expected = _evaluate_in_batches(lambda x: fix_gauge(reference.values, statement, x), options)
        names = tuple(f"|{name} - reference|" for name in scene.names)
        plot_magnitude(
            folder / "error.png",
            lambda x: (values(x) - expected(x)).abs(),
            Scene(statement.domain, names, f"{title}: absolute error w.r.t. {reference.text}", scene.detail),
        )
    if has_derivatives(solution.result):
        audit = residual_audit(solution.result, statement, options)
        residual = _evaluate_in_batches(lambda x: pde_residual_norm(audit, x).unsqueeze(-1), options)
        plot_magnitude(
            folder / "residual.png",
            residual,
            Scene(statement.domain, ("‖PDE residual‖",), f"{title}: residual", scene.detail),
        )
    if statement.domain.has_time:
        animate(folder / "animation.gif", values, scene, MONTE_CARLO_FRAMES if is_expensive else FRAMES)
    if metrics := read_metrics(folder / METRICS):
        plot_curves(metrics, folder / "curves.png", f"{title}: training loss")


def _evaluate_in_batches(f: Function, options: SolveOptions) -> Function:
    """Evaluates in batches, between which Ctrl-C takes effect; `resume` makes the plots of the saved solution."""

    def evaluate(batch: Tensor) -> Tensor:
        if options.watch.interrupted():
            raise RunInterrupted
        return f(batch.to(options.device)).detach()

    return lambda points: torch.cat([evaluate(batch) for batch in torch.split(points, BATCH_SIZE)]).cpu()
