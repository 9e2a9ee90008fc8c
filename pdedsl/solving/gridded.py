"""What every solver on a grid returns, and the two ends of time."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from pdedsl.files import RunError
from pdedsl.plan.evolution import Evolution
from pdedsl.runtime.expansions import Axis, Expansion
from pdedsl.runtime.time_steps import STENCIL, March

SURPLUS = "what flows in more than out"  # a figure, relative to the largest flow velocity


class Failed(RunError):
    """No solution was found on the grid; the message says why."""


@dataclass(frozen=True)
class Gridded:
    """A solution on a grid, and how it was found."""

    module: nn.Module
    figures: dict[str, float]
    notes: tuple[str, ...]
    doubt: float = 0.0  # an error of the steps that half the grid shares, so that comparing them misses it


def ends(evolution: Evolution) -> tuple[float, float]:
    interval = evolution.statement.domain.intervals[-1]
    return float(interval.start), float(interval.end)


def moments(evolution: Evolution, march: March) -> list[float]:
    """The times of the states: backward from the end if the data are given there."""
    start, end = ends(evolution)
    return [end - s if evolution.backward else start + s for s in march.times]


def in_order(
    evolution: Evolution, axes: tuple[Axis, ...], values: Tensor, times: list[float], stencil: int = STENCIL
) -> Expansion:
    moving = values.new_tensor(times)
    if evolution.backward:
        values, moving = values.flip(0), moving.flip(0)
    return Expansion(axes, values, moving, stencil)


def figures_of(march: March) -> dict[str, float]:
    gaps = [b - a for a, b in zip(march.times[:-1], march.times[1:], strict=True)]
    return {
        "steps": float(len(gaps)),
        "shortest step": min(gaps),
        "longest step": max(gaps),
        "error of the steps": march.error,
    }


def steps_in_words(march: March) -> str:
    found = figures_of(march)
    return f"{found['steps']:.0f} steps between {found['shortest step']:.2g} and {found['longest step']:.2g}"
