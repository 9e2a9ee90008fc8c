"""Steps of lengths T / 2ᵏ, each as long as its error allows: one step against two of half the length.

The difference gives an estimate of the error of the two half steps, and is subtracted if the method is smooth in its
step: the remaining error is one order higher (Richardson), so that the estimate is a bound in practice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil, log2
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

Step = Callable[[Tensor, float, int], Tensor]
"""The state after a step of length T / 2^level from a time in [0, T]."""


@runtime_checkable
class PairedStep(Protocol):
    """A step that does two lengths from one state at once, for less than twice the work."""

    def __call__(self, w: Tensor, time: float, level: int) -> Tensor: ...

    def both(self, w: Tensor, time: float, level: int) -> tuple[Tensor, Tensor]:
        """The states after a step of this level, and after one of the next."""
        ...


MAX_LEVEL = 30
TICKS = 1 << MAX_LEVEL
MIN_LEVEL = 4  # no step is longer than T / 2^4
ROUNDING_RTOL = 1e-9  # relative; rounding errors may be this large in an ill-conditioned problem
INTERPOLATION_NODES = 8  # number of states in an interpolation in time
COARSENING_RATIO = 2.0 ** -(
    INTERPOLATION_NODES + 2
)  # share of the allowed interpolation error at which steps of twice the length would do
MIN_INTERPOLATION_RTOL, INTERPOLATION_FRACTION = (
    1e-11,
    1e-5,
)  # allowed interpolation error: the larger of this and this share of the tolerance
MAX_INTERPOLATION_LEVEL = 10  # interpolation alone does not make a step shorter than T / 2^10


class StepSizeUnderflow(Exception):
    """No step is short enough."""


class MaxStepsExceeded(StepSizeUnderflow):
    """As many steps as are allowed were tried."""


@dataclass(frozen=True)
class StepBudget:
    """The tolerance for the errors of all steps together, and how many steps may be tried, if there is a limit."""

    tolerance: float
    most: int | None = None


@dataclass(frozen=True)
class StepControl:
    """The order of a step, the tolerance for the sum of the estimates relative to the state, and whether these are
    subtracted. `counted` are weights of the entries of the state in the estimates, if not all are one. With `batched`,
    the first axis of a state is one of several solutions, each of which keeps the tolerance.
    """

    order: int
    tolerance: float
    extrapolated: bool
    counted: Tensor | None = None
    least: float = 0.0  # an estimate that is accepted in a single step, however short it is
    most: int | None = None  # steps to try
    batched: bool = False

    @property
    def between(self) -> float:
        """The error that interpolation in time may have, relative to the state: middles of pairs have errors too."""
        return max(MIN_INTERPOLATION_RTOL, INTERPOLATION_FRACTION * self.tolerance, self.least)

    def size(self, w: Tensor) -> Tensor:
        counted = w.detach() if self.counted is None else w.detach() * self.counted
        counted = torch.view_as_real(counted) if counted.is_complex() else counted  # several times as fast
        found: Tensor = torch.linalg.vector_norm(counted, dim=tuple(range(1, counted.ndim)) if self.batched else None)
        return found


@dataclass(frozen=True)
class TimeHistory:
    """States at times; `levels` are those of the pairs of half steps, each of which has a state in its middle."""

    times: tuple[float, ...]
    states: tuple[Tensor, ...]
    levels: tuple[int, ...]
    error: float  # the sum of the estimates


def integrate_adaptively(step: Step, start: Tensor, length: float, control: StepControl) -> TimeHistory:
    """Steps as long as error and interpolation in time allow; the allowed error is proportional to the step length."""
    path, longest = StepHistory([0], [start]), MIN_LEVEL
    level, before, tried = longest + 2, float("inf"), 0
    while path.ends[-1] < TICKS:
        begin, tried = length * path.ends[-1] / TICKS, tried + 1
        if control.most is not None and tried > control.most:
            raise MaxStepsExceeded(f"{control.most} steps end at time {begin:g}")
        half, end, error = _double_step(step, path.states[-1], begin, length, level, control)
        allowed = max(control.tolerance * 2.0**-level, control.least)
        stalled = before * 0.5 < error < ROUNDING_RTOL  # shorter steps do not reduce rounding errors
        if not (error <= max(allowed, control.tolerance * 1e-4) or stalled):
            level, before = level + 1, error
            if level >= MAX_LEVEL:
                raise StepSizeUnderflow(f"no step is short enough at time {begin:g}")
            continue
        path.add(half, end, level, error, control.size(end))
        before, excess = float("inf"), path.excess(control, longest)
        missed = [k for k, e in excess.items() if e > 1 and path.levels[k] < MAX_INTERPOLATION_LEVEL]
        if missed:
            level = longest = min(MAX_INTERPOLATION_LEVEL, path.levels[missed[0]] + _extra_levels(excess[missed[0]]))
            path.cut(missed[0])
            continue
        if longest > MIN_LEVEL and any(e < COARSENING_RATIO and path.levels[k] == longest for k, e in excess.items()):
            longest -= 1
        if (
            error * 2.0 ** (control.order + 2) <= allowed
            and level > longest
            and path.ends[-1] % _step_ticks(level - 1) == 0
        ):
            level -= 1
    times = [length * e / TICKS for e in path.ends]
    halves = [t + length / 2 ** (level + 1) for t, level in zip(times, path.levels, strict=False)]
    every = [times[0], *(t for pair in zip(halves, times[1:], strict=True) for t in pair)]
    return TimeHistory(tuple(every), tuple(path.states), tuple(path.levels), sum(path.errors))


def _extra_levels(excess: float) -> int:
    """The number of levels by which steps must be shortened."""
    return max(1, ceil(log2(excess) / INTERPOLATION_NODES) if excess < 1e30 else 2)


def _step_ticks(level: int) -> int:
    """The length of a step in steps of the deepest level."""
    return 1 << (MAX_LEVEL - level)


@dataclass
class StepHistory:
    """Pairs of half steps so far; `ends` are in units of a step of the deepest level."""

    ends: list[int]
    states: list[Tensor]  # at the ends, and in the middles between them
    levels: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    size: Tensor = field(default_factory=lambda: torch.zeros(()))  # of the largest state

    def add(self, half: Tensor, end: Tensor, level: int, error: float, size: Tensor) -> None:
        self.ends.append(self.ends[-1] + _step_ticks(level))
        self.states += [half, end]
        self.levels.append(level)
        self.errors.append(error)
        self.size = torch.maximum(self.size.to(size), size)

    def cut(self, first: int) -> None:
        """Discard all pairs from number `first` on."""
        del self.ends[first + 1 :], self.states[2 * first + 1 :], self.levels[first:], self.errors[first:]

    def excess(self, control: StepControl, longest: int) -> dict[int, float]:
        """The interpolation error in the middle of the newest pair with enough ends around it (of several pairs at the
        start and at the end of time), by these ends, relative to what is allowed; only where the step length matters.

        States are half as far apart as these ends, so that their interpolation is better by a factor given by its
        order.
        """
        count, behind = len(self.levels), INTERPOLATION_NODES // 2
        if count < INTERPOLATION_NODES - 1:
            return {}
        last = count if self.ends[-1] == TICKS else count - behind + 1
        newest = range(0 if count == INTERPOLATION_NODES - 1 else count - behind, last)
        allowed = (2.0**INTERPOLATION_NODES * control.between * self.size).clamp_min(1e-300)
        asked = (k for k in newest if self.levels[k] <= max(longest, MAX_INTERPOLATION_LEVEL - 1))
        return {k: float((control.size(self._missed(k)) / allowed).max()) for k in asked}

    def _missed(self, k: int) -> Tensor:
        """The interpolation error in the middle of pair k, by the polynomial through the ends around it."""
        first = min(max(k - INTERPOLATION_NODES // 2 + 1, 0), len(self.ends) - INTERPOLATION_NODES)
        ends, middle = self.ends[first : first + INTERPOLATION_NODES], self.ends[k] + _step_ticks(self.levels[k] + 1)
        around = torch.stack([s.detach() for s in self.states[2 * first : 2 * (first + INTERPOLATION_NODES) : 2]])
        weights = _interpolation_weights(middle - ends[0], *(e - ends[0] for e in ends)).to(around.device, around.dtype)
        found: Tensor = torch.tensordot(weights, around, dims=1) - self.states[2 * k + 1].detach()
        return found


@lru_cache(maxsize=100)
def _interpolation_weights(t: int, *nodes: int) -> Tensor:
    """Lagrange weights at t; mostly those of equal steps."""
    return lagrange_weights(torch.tensor(t, dtype=torch.float64), torch.tensor(nodes, dtype=torch.float64))


def _double_step(
    step: Step, state: Tensor, begin: float, length: float, level: int, control: StepControl
) -> tuple[Tensor, Tensor, float]:
    match step:
        case PairedStep():
            whole, half = step.both(state, begin, level)
        case _:
            whole, half = step(state, begin, level), step(state, begin, level + 1)
    end = step(half, begin + length / 2 ** (level + 1), level + 1)
    gap = (end - whole) / (2**control.order - 1)
    error = float((control.size(gap) / control.size(end).clamp_min(1e-300)).max())
    return (half + gap / 2, end + gap, error) if control.extrapolated else (half, end, error)


def replay_steps(step: Step, start: Tensor, length: float, march: TimeHistory, control: StepControl) -> TimeHistory:
    """The same steps again, now with gradients."""
    states = [start]
    for time, level in zip(march.times[::2], march.levels, strict=False):
        half, end, _ = _double_step(step, states[-1], time, length, level, control)
        states += [half, end]
    return TimeHistory(march.times, tuple(states), march.levels, march.error)


def lagrange_weights(t: Tensor, nodes: Tensor) -> Tensor:
    """The Lagrange weights of values at nodes (..., m), at t (...)."""
    gaps = nodes.unsqueeze(-1) - nodes.unsqueeze(-2)
    own = torch.eye(nodes.shape[-1], dtype=torch.bool, device=nodes.device)
    steps = (t.unsqueeze(-1) - nodes).unsqueeze(-2).expand(gaps.shape)
    return torch.where(own, torch.ones_like(gaps), steps / torch.where(own, torch.ones_like(gaps), gaps)).prod(-1)
