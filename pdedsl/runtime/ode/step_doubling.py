"""Adaptive step size by step doubling: one step of length T / 2ᵏ against two of half the length.

Their difference estimates the error of the two half steps, and is subtracted if the error has an expansion in the step
size: Richardson extrapolation raises the order by one, so that the estimate is a bound in practice (Hairer, Nørsett,
Wanner 1993, II.4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import ceil, log2
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

Step = Callable[[Tensor, float, int], Tensor]
"""The state after a step of length T / 2^level from a time in [0, T]."""


@runtime_checkable
class PairedStep(Protocol):
    """A step that computes two lengths from one state at once, for less than twice the work."""

    def __call__(self, w: Tensor, time: float, level: int) -> Tensor: ...

    def both(self, w: Tensor, time: float, level: int) -> tuple[Tensor, Tensor]:
        """The states after a step of this level, and after one of the next."""
        ...


MAX_LEVEL = 30  # steps of T / 2³⁰ are far below any accuracy limit
TICKS = 1 << MAX_LEVEL  # unit of time: the shortest step
MIN_ACCUMULATION = 0.03  # of the error of a damped entry, which changes others before it has decayed
EXTRAPOLATION_FACTOR = 10.0  # on hλ from the error estimate: the constants of the two orders differ
MIN_LEVEL = 4  # no step is longer than T / 2^4
ROUNDING_RTOL = 1e-9  # relative; rounding errors may be this large in an ill-conditioned problem
INTERPOLATION_NODES = 8  # states per interpolation in time
COARSENING_RATIO = 2.0 ** -(
    INTERPOLATION_NODES + 2
)  # fraction of the allowed interpolation error below which steps may be twice as long
MIN_INTERPOLATION_RTOL = 1e-11  # smallest allowed interpolation error
INTERPOLATION_FRACTION = 1e-5  # allowed interpolation error as a fraction of the tolerance, if that is larger
FINE_FRACTION = 0.1  # the same for steps shorter than T / 2^10
COARSE_LEVEL = 10  # interpolation makes steps shorter than T / 2^10 only if its error matters for the tolerance
MAX_INTERPOLATION_LEVEL = 13  # interpolation alone does not make a step shorter than T / 2^13
MAX_STORED_ENTRIES = 20_000_000  # of all states: interpolation makes no more steps than fit; 160 to 320 MB


class StepSizeUnderflow(Exception):
    """No step size satisfies the tolerance."""


class MaxStepsExceeded(StepSizeUnderflow):
    """The maximum number of steps was attempted."""


class CpuTimeExceeded(StepSizeUnderflow):
    """The CPU time is used up."""


@dataclass(frozen=True)
class StepBudget:
    """The tolerance for the sum of all error estimates, the maximum number of attempted steps, if limited, and whether
    the CPU time is used up."""

    tolerance: float
    max_steps: int | None = None
    is_exhausted: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class StepControl:
    """The order of the method, the tolerance for the sum of the error estimates relative to the state, and whether to
    extrapolate. `error_weights` are weights of the state's entries in the error norm, 1 by default. With `batched`,
    the first axis of a state is a batch of solutions, each of which satisfies the tolerance. `damping` are the rates at
    which the linear part damps the entries of a state, over the whole time: errors of damped entries do not accumulate.
    """

    order: int
    tolerance: float
    extrapolated: bool
    error_weights: Tensor | None = None
    min_error: float = 0.0  # error estimate that is accepted in any step
    max_steps: int | None = None  # maximum number of attempted steps
    is_exhausted: Callable[[], bool] = lambda: False  # whether the CPU time is used up
    batched: bool = False
    damping: Tensor | None = None

    def interpolation_tolerance(self, level: int) -> float:
        """The tolerance of interpolation in time, relative to the state, for steps of a level."""
        fraction = INTERPOLATION_FRACTION if level < COARSE_LEVEL else FINE_FRACTION
        return max(MIN_INTERPOLATION_RTOL, fraction * self.tolerance, self.min_error)

    def reported_error(self, error: float) -> float:
        """The error of a step after extrapolation, from the estimate ε before it: ε hλ, where ε is about (hλ)^(p+1)."""
        if not self.extrapolated:
            return error
        return error * min(1.0, EXTRAPOLATION_FACTOR * float(error ** (1 / (self.order + 1))))

    def error_size(self, error: Tensor, level: int) -> Tensor:
        """The norm of the error of a step of length 2^-level. Equal errors of all steps add up to 2^level of them, but
        to 1 / (1 - e^(-λ 2^-level)) of them in an entry damped at the rate λ."""
        if self.damping is None:
            return self.size(error)
        decayed = -torch.expm1(-self.damping * 2.0**-level)
        return self.size(error * (2.0**-level / decayed.clamp_min(2.0**-level)).clamp_min(MIN_ACCUMULATION))

    def size(self, w: Tensor) -> Tensor:
        weighted = w.detach() if self.error_weights is None else w.detach() * self.error_weights
        weighted = torch.view_as_real(weighted) if weighted.is_complex() else weighted  # several times as fast
        norm: Tensor = torch.linalg.vector_norm(weighted, dim=tuple(range(1, weighted.ndim)) if self.batched else None)
        return norm


@dataclass(frozen=True)
class TimeHistory:
    """States at times; `levels` are those of the pairs of half steps, each with a state at its midpoint."""

    times: tuple[float, ...]
    states: tuple[Tensor, ...]
    levels: tuple[int, ...]
    error: float  # the sum of the error estimates of the steps, and the largest error of interpolation


def integrate_adaptively(step: Step, start: Tensor, length: float, control: StepControl) -> TimeHistory:
    """Integrate with the longest steps that satisfy the error and interpolation tolerances; the allowed error is
    proportional to the step length."""
    path, longest = StepHistory([0], [start]), MIN_LEVEL
    level, before, tried = longest + 2, float("inf"), 0
    while path.ends[-1] < TICKS:
        begin, tried = length * path.ends[-1] / TICKS, tried + 1
        if control.max_steps is not None and tried > control.max_steps:
            raise MaxStepsExceeded(f"{control.max_steps} steps reach only time {begin:g}")
        if control.is_exhausted():
            raise CpuTimeExceeded(f"the CPU time ends at time {begin:g} of the solution")
        half, end, error = _double_step(step, path.states[-1], begin, length, level, control)
        allowed = max(control.tolerance * 2.0**-level, control.min_error)
        stalled = before * 0.5 < error < ROUNDING_RTOL  # shorter steps do not reduce rounding errors
        if not (error <= max(allowed, control.tolerance * 1e-4) or stalled):
            level, before = level + 1, error
            if level >= MAX_LEVEL:
                raise StepSizeUnderflow(f"step size underflow at time {begin:g}")
            continue
        path.add(half, end, level, error, control.size(end))
        before, excess = float("inf"), path.excess(control, longest)
        missed = [k for k, e in excess.items() if e > 1 and path.levels[k] < path.finest]
        if missed:
            level = longest = min(path.finest, path.levels[missed[0]] + _extra_levels(excess[missed[0]]))
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
    error = sum(map(control.reported_error, path.errors)) + max(path.interpolation_errors.values(), default=0.0)
    return TimeHistory(tuple(every), tuple(path.states), tuple(path.levels), error)


def _extra_levels(excess: float) -> int:
    """The number of levels by which steps must be shortened."""
    return max(1, ceil(log2(excess) / INTERPOLATION_NODES) if excess < 1e30 else 2)


def _step_ticks(level: int) -> int:
    """The length of a step in ticks."""
    return 1 << (MAX_LEVEL - level)


@dataclass
class StepHistory:
    """Accepted pairs of half steps; `ends` are in ticks."""

    ends: list[int]
    states: list[Tensor]  # at the ends, and at the midpoints between them
    levels: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    size: Tensor = field(default_factory=lambda: torch.zeros(()))  # norm of the largest state
    interpolation_errors: dict[int, float] = field(default_factory=dict)  # of pairs

    @cached_property
    def finest(self) -> int:
        """The level of the shortest steps for interpolation: two states for each must fit."""
        fitting = int(log2(max(MAX_STORED_ENTRIES / (2 * self.states[0].numel()), 1)))
        return min(MAX_INTERPOLATION_LEVEL, max(COARSE_LEVEL, fitting))

    def add(self, half: Tensor, end: Tensor, level: int, error: float, size: Tensor) -> None:
        self.ends.append(self.ends[-1] + _step_ticks(level))
        self.states += [half, end]
        self.levels.append(level)
        self.errors.append(error)
        self.size = torch.maximum(self.size.to(size), size)

    def cut(self, first: int) -> None:
        """Discard all pairs from number `first` on."""
        del self.ends[first + 1 :], self.states[2 * first + 1 :], self.levels[first:], self.errors[first:]
        self.interpolation_errors = {k: e for k, e in self.interpolation_errors.items() if k < first}

    def excess(self, control: StepControl, longest: int) -> dict[int, float]:
        """The interpolation error in the middle of the newest pair with enough ends around it (of several pairs at the
        start and at the end of time), by these ends, relative to the tolerance; only where the step length matters.

        States are half as far apart as these ends, so that their interpolation is better by a factor given by its
        order.
        """
        count, half = len(self.levels), INTERPOLATION_NODES // 2
        if count < INTERPOLATION_NODES - 1:
            return {}
        last = count if self.ends[-1] == TICKS else count - half + 1
        newest = range(0 if count == INTERPOLATION_NODES - 1 else count - half, last)
        scale = (2.0**INTERPOLATION_NODES * self.size).clamp_min(1e-300)
        excesses = {}
        for k in (k for k in newest if self.levels[k] <= max(longest, self.finest)):
            error, allowed = (
                float((control.size(self._interpolation_error(k)) / scale).max()),
                control.interpolation_tolerance(self.levels[k]),
            )
            excesses[k] = error / allowed
            self.interpolation_errors[k] = error
        return excesses

    def _interpolation_error(self, k: int) -> Tensor:
        """The interpolation error in the middle of pair k, by the polynomial through the ends around it."""
        first = min(max(k - INTERPOLATION_NODES // 2 + 1, 0), len(self.ends) - INTERPOLATION_NODES)
        ends, middle = self.ends[first : first + INTERPOLATION_NODES], self.ends[k] + _step_ticks(self.levels[k] + 1)
        around = torch.stack([s.detach() for s in self.states[2 * first : 2 * (first + INTERPOLATION_NODES) : 2]])
        weights = _interpolation_weights(middle - ends[0], *(e - ends[0] for e in ends)).to(around.device, around.dtype)
        deviation: Tensor = torch.tensordot(weights, around, dims=1) - self.states[2 * k + 1].detach()
        return deviation


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
    error = float((control.error_size(gap, level) / control.size(end).clamp_min(1e-300)).max())
    return (half + gap / 2, end + gap, error) if control.extrapolated else (half, end, error)


def replay_steps(step: Step, start: Tensor, length: float, history: TimeHistory, control: StepControl) -> TimeHistory:
    """Repeat the accepted steps, with gradients."""
    states = [start]
    for time, level in zip(history.times[::2], history.levels, strict=False):
        half, end, _ = _double_step(step, states[-1], time, length, level, control)
        states += [half, end]
    return TimeHistory(history.times, tuple(states), history.levels, history.error)


def lagrange_weights(t: Tensor, nodes: Tensor) -> Tensor:
    """The Lagrange weights of values at nodes (..., m), at t (...)."""
    gaps = nodes.unsqueeze(-1) - nodes.unsqueeze(-2)
    diagonal = torch.eye(nodes.shape[-1], dtype=torch.bool, device=nodes.device)
    steps = (t.unsqueeze(-1) - nodes).unsqueeze(-2).expand(gaps.shape)
    return torch.where(
        diagonal, torch.ones_like(gaps), steps / torch.where(diagonal, torch.ones_like(gaps), gaps)
    ).prod(-1)
