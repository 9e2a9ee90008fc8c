"""Training curves: loss and its terms, accuracy, learning rate vs. step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdedsl.diagnostics.escaping import caption
from pdedsl.runs.figure_style import GREY, INK, PALETTE, new_figure, save_figure
from pdedsl.runs.metrics import MetricKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = dict(zip(("train", "validation", "test"), PALETTE, strict=False))  # in every panel
TERM_COLOURS = PALETTE[len(COLOURS) :]
NAMES = {"train": "training", "validation": "validation", "test": "test"}
ADVERSARIAL_NAMES = {"train": "training, adversarial", "validation": "validation, clean", "test": "test, clean"}
MIN_SMOOTHED_POINTS = 30  # from this many points on, a curve is drawn faintly with its moving mean on top
LOG_SCALE_RATIO = 30.0  # above this ratio of the largest to the smallest value, the scale is logarithmic

Metrics = list[dict[str, Any]]
Points = list[tuple[int, float]]  # (step, value)


@dataclass(frozen=True)
class LabelledCurve:
    """One line of a panel; the terms of a loss are dashed."""

    label: str
    colour: str
    points: Points
    dashed: bool = False


@dataclass(frozen=True)
class CurvePanel:
    """Curves of one quantity. With a unit, the scale is linear; a panel of reduced height has no legend."""

    name: str
    curves: list[LabelledCurve]
    unit: str = ""  # how a value is written
    height: float = 1.0

    @property
    def is_small(self) -> bool:
        return self.height < 1.0

    @property
    def values(self) -> list[float]:
        return [value for curve in self.curves for _, value in curve.points]

    @property
    def is_logarithmic(self) -> bool:
        values = self.values
        return bool(values) and not self.unit and min(values) > 0 and max(values) > LOG_SCALE_RATIO * min(values)


def plot_curves(metrics: Metrics, path: Path, title: str = "", adversarial: bool = False) -> None:
    """Write the training curves of the rows of a metrics.jsonl as PNG, atomically.

    `adversarial`: the training metrics are on adversarial examples."""
    save_figure(curves_figure(metrics, title, adversarial), path)


def curves_figure(metrics: Metrics, title: str = "", adversarial: bool = False) -> Figure:
    """One panel per quantity, with a common axis of steps."""
    from matplotlib.ticker import MaxNLocator

    metrics = [{"split": "train", "phase": "", "accuracy": None, "terms": {}, "lr": None} | row for row in metrics]
    panels = [panel for panel in _panels(metrics, adversarial) if panel.curves] or [CurvePanel("Loss", [])]
    heights = [panel.height for panel in panels]
    figure = new_figure(8.5, 1.1 + 2.5 * sum(heights))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for ax, panel in zip(axes, panels, strict=True):
        _plot_panel(ax, panel)
        _mark_phases(ax, _phases(metrics), named=ax is axes[0])
    axes[-1].set_xlabel("Step")
    axes[-1].set_xlim(left=0)
    axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes[-1].xaxis.set_major_formatter("{x:,.0f}")
    if title:
        figure.suptitle(caption(title))
    return figure


def _panels(metrics: Metrics, adversarial: bool) -> list[CurvePanel]:
    steps = [row for row in metrics if MetricKind(row["kind"]) is MetricKind.STEP]
    names = list(dict.fromkeys(name for row in steps for name in row["terms"]))
    terms = [
        LabelledCurve(
            name,
            TERM_COLOURS[k % len(TERM_COLOURS)],
            _points((row["step"], row["terms"].get(name)) for row in steps),
            True,
        )
        for k, name in enumerate(names)
    ]
    rate = _points((row["step"], row["lr"]) for row in steps)
    return [
        CurvePanel("Loss", _splits(metrics, "loss", adversarial) + (terms if len(terms) > 1 else [])),
        CurvePanel("Accuracy", [_in_percent(curve) for curve in _splits(metrics, "accuracy", adversarial)], "{x:g} %"),
        CurvePanel("Learning rate", [LabelledCurve("learning rate", INK, rate)] if rate else [], height=0.55),
    ]


def _splits(metrics: Metrics, key: str, adversarial: bool) -> list[LabelledCurve]:
    names = ADVERSARIAL_NAMES if adversarial else NAMES
    curves = (
        LabelledCurve(
            names[split], colour, _points((row["step"], row[key]) for row in metrics if row["split"] == split)
        )
        for split, colour in COLOURS.items()
    )
    return [curve for curve in curves if curve.points]


def _in_percent(curve: LabelledCurve) -> LabelledCurve:
    return replace(curve, points=[(step, 100 * value) for step, value in curve.points])


def _points(pairs: Iterable[tuple[int, float | None]]) -> Points:
    return [(step, value) for step, value in pairs if value is not None]


def _phases(metrics: Metrics) -> list[tuple[str, int, int]]:
    """The phases in order, with their first and last steps."""
    ends: dict[str, int] = {}
    for row in metrics:
        ends[row["phase"]] = max(row["step"], ends.get(row["phase"], 0))
    starts = [0, *ends.values()]
    return [(name, start, end) for (name, end), start in zip(ends.items(), starts, strict=False)]


def _plot_panel(ax: Axes, panel: CurvePanel) -> None:
    for curve in panel.curves:
        _plot_curve(ax, curve)
    if panel.is_logarithmic:
        ax.set_yscale("log")
    else:
        ax.yaxis.set_major_formatter(panel.unit or "{x:.4g}")
    if not panel.curves:
        ax.set_axis_off()
        ax.text(0.5, 0.5, "no metrics recorded yet", ha="center", va="center", transform=ax.transAxes, color=INK)
    ax.set_title(panel.name, loc="left", fontsize=11, fontweight="bold", color=INK)
    ax.grid(True)
    ax.margins(x=0.02)
    if panel.is_small:
        if not panel.is_logarithmic:
            ax.set_ylim(0, 1.1 * max(panel.values) or 1)
    elif panel.curves:  # beside the panel, where it covers no curve
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9, labelcolor=INK)


def _plot_curve(ax: Axes, curve: LabelledCurve) -> None:
    label, colour, style = caption(curve.label), curve.colour, "--" if curve.dashed else "-"
    steps, values = zip(*curve.points, strict=True)
    if len(steps) < MIN_SMOOTHED_POINTS:
        ax.plot(steps, values, style, color=colour, linewidth=1.6, marker="o", markersize=3.5, label=label)
        return
    ax.plot(steps, values, color=colour, linewidth=0.7, alpha=0.3)
    ax.plot(steps, _moving_mean(values, max(2, len(values) // 30)), style, color=colour, linewidth=1.7, label=label)


def _moving_mean(values: tuple[float, ...], half_width: int) -> list[float]:
    """Centred moving average over 2·half_width + 1 values; near the ends the window shrinks symmetrically."""
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    widths = [min(half_width, k, len(values) - 1 - k) for k in range(len(values))]
    return [(sums[k + r + 1] - sums[k - r]) / (2 * r + 1) for k, r in enumerate(widths)]


def _mark_phases(ax: Axes, phases: list[tuple[str, int, int]], named: bool) -> None:
    """A line at the start of each phase, and above the first panel the names that fit."""
    last = phases[-1][2] if phases else 0
    if len(phases) < 2 or last == 0:
        return
    for name, start, end in phases:
        if start:
            ax.axvline(start, color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        if named and len(name) < 90 * (end - start) / last:
            place = ax.get_xaxis_transform()
            ax.text((start + end) / 2, 1.02, caption(name), ha="center", fontsize=8, color="#666666", transform=place)
    if named:
        ax.set_title(ax.get_title("left"), loc="left", pad=18, fontsize=11, fontweight="bold", color=INK)
