"""The curves of a run as a picture: loss and its terms, accuracy, learning rate, over steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdedsl.files import replace_with
from pdedsl.quoting import caption
from pdedsl.training.log import Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008): distinguishable by colour-blind readers. Each split has the same colour in every panel.
COLOURS = {"train": "#0072B2", "validation": "#D55E00", "test": "#009E73"}
OTHERS = ("#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C", "#000000")
NAMES = {"train": "training", "validation": "validation", "test": "test"}
ATTACKED = {"train": "training, attacked", "validation": "validation, clean", "test": "test, clean"}
INK = "#333333"
DENSE = 30  # from this many points on, a curve is drawn faintly with its moving mean on top
RATIO = 30.0  # above this ratio of the largest to the smallest value, the scale is logarithmic

Metrics = list[dict[str, Any]]
Points = list[tuple[int, float]]  # (step, value)


@dataclass(frozen=True)
class Curve:
    """One line of a panel; the terms of a loss are dashed."""

    label: str
    colour: str
    points: Points
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """Curves of one quantity. With a unit, the scale is linear; a panel of reduced height has one curve, no legend."""

    name: str
    curves: list[Curve]
    unit: str = ""  # how a value is written
    height: float = 1.0

    @property
    def alone(self) -> bool:
        return self.height < 1.0

    @property
    def values(self) -> list[float]:
        return [value for curve in self.curves for _, value in curve.points]

    @property
    def logarithmic(self) -> bool:
        values = self.values
        return bool(values) and not self.unit and min(values) > 0 and max(values) > RATIO * min(values)


def plot_curves(metrics: Metrics, path: Path, title: str = "", attacked: bool = False) -> None:
    """Write the curves of the rows of a metrics.jsonl as PNG, completely or not at all; `attacked` if the training
    figures were measured under an adversary."""
    figure = curves_figure(metrics, title, attacked)
    replace_with(path, lambda part: figure.savefig(part, format="png", dpi=120))


def curves_figure(metrics: Metrics, title: str = "", attacked: bool = False) -> Figure:
    """A panel for each recorded quantity, one below the other over the same steps."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    panels = [panel for panel in _panels(metrics, attacked) if panel.curves] or [Panel("Loss", [])]
    heights = [panel.height for panel in panels]
    figure = Figure(figsize=(8.5, 1.1 + 2.5 * sum(heights)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for ax, panel in zip(axes, panels, strict=True):
        _draw(ax, panel)
        _mark_phases(ax, _phases(metrics), named=ax is axes[0])
    axes[-1].set_xlabel("step", color=INK)
    axes[-1].set_xlim(left=0)
    axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes[-1].xaxis.set_major_formatter("{x:,.0f}")
    if title:
        figure.suptitle(caption(title), fontsize=13, fontweight="bold", color=INK)
    return figure


def _panels(metrics: Metrics, attacked: bool) -> list[Panel]:
    steps = [row for row in metrics if Kind(row["kind"]) is Kind.STEP]
    names = list(dict.fromkeys(name for row in steps for name in row["terms"]))
    terms = [
        Curve(name, OTHERS[k % len(OTHERS)], _points((row["step"], row["terms"].get(name)) for row in steps), True)
        for k, name in enumerate(names)
    ]
    rate = _points((row["step"], row["lr"]) for row in steps)
    return [
        Panel("Loss", _splits(metrics, "loss", attacked) + (terms if len(terms) > 1 else [])),
        Panel("Accuracy", [_in_percent(curve) for curve in _splits(metrics, "accuracy", attacked)], "{x:g} %"),
        Panel("Learning rate", [Curve("learning rate", INK, rate)] if rate else [], height=0.55),
    ]


def _splits(metrics: Metrics, key: str, attacked: bool) -> list[Curve]:
    names = ATTACKED if attacked else NAMES
    curves = (
        Curve(names[split], colour, _points((row["step"], row[key]) for row in metrics if row["split"] == split))
        for split, colour in COLOURS.items()
    )
    return [curve for curve in curves if curve.points]


def _in_percent(curve: Curve) -> Curve:
    return replace(curve, points=[(step, 100 * value) for step, value in curve.points])


def _points(pairs: Iterable[tuple[int, float | None]]) -> Points:
    return [(step, value) for step, value in pairs if value is not None]


def _phases(metrics: Metrics) -> list[tuple[str, int, int]]:
    """The phases in order, with the steps at which they begin and end."""
    ends: dict[str, int] = {}
    for row in metrics:
        ends[row["phase"]] = max(row["step"], ends.get(row["phase"], 0))
    starts = [0, *ends.values()]
    return [(name, start, end) for (name, end), start in zip(ends.items(), starts, strict=False)]


def _draw(ax: Axes, panel: Panel) -> None:
    for curve in panel.curves:
        _curve(ax, curve)
    if panel.logarithmic:
        ax.set_yscale("log")
    else:
        ax.yaxis.set_major_formatter(panel.unit or "{x:.4g}")
    if not panel.curves:
        ax.set_axis_off()
        ax.text(0.5, 0.5, "nothing has been recorded yet", ha="center", va="center", transform=ax.transAxes, color=INK)
    ax.set_title(panel.name, loc="left", fontsize=11, fontweight="bold", color=INK)
    ax.grid(True, color="#E5E5E5", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#999999")
    ax.tick_params(colors=INK, labelsize=9)
    ax.margins(x=0.02)
    if panel.alone:
        if not panel.logarithmic:
            ax.set_ylim(0, 1.1 * max(panel.values) or 1)
    elif panel.curves:  # beside the panel, where it covers no curve
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9, labelcolor=INK)


def _curve(ax: Axes, curve: Curve) -> None:
    label, colour, style = caption(curve.label), curve.colour, "--" if curve.dashed else "-"
    steps, values = zip(*curve.points, strict=True)
    if len(steps) < DENSE:
        ax.plot(steps, values, style, color=colour, linewidth=1.6, marker="o", markersize=3.5, label=label)
        return
    ax.plot(steps, values, color=colour, linewidth=0.7, alpha=0.3)
    ax.plot(steps, _moving_mean(values, max(2, len(values) // 30)), style, color=colour, linewidth=1.7, label=label)


def _moving_mean(values: tuple[float, ...], reach: int) -> list[float]:
    """Mean of the values at most `reach` places away; near the ends the window shrinks, equally on both sides."""
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    reaches = [min(reach, k, len(values) - 1 - k) for k in range(len(values))]
    return [(sums[k + r + 1] - sums[k - r]) / (2 * r + 1) for k, r in enumerate(reaches)]


def _mark_phases(ax: Axes, phases: list[tuple[str, int, int]], named: bool) -> None:
    """A line where each phase begins, and above the first panel the names of the phases that are wide enough."""
    last = phases[-1][2] if phases else 0
    if len(phases) < 2 or last == 0:
        return
    for name, start, end in phases:
        if start:
            ax.axvline(start, color="#999999", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        if named and len(name) < 90 * (end - start) / last:
            place = ax.get_xaxis_transform()
            ax.text((start + end) / 2, 1.02, caption(name), ha="center", fontsize=8, color="#666666", transform=place)
    if named:
        ax.set_title(ax.get_title("left"), loc="left", pad=18, fontsize=11, fontweight="bold", color=INK)
