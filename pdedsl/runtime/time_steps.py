"""Steps of lengths T / 2ᵏ, each as long as its error allows: one step against two of half the length.

The difference is an estimate of the error of two half steps, and is taken off where the method is smooth in its step:
what is left is of one order more (Richardson), so that the estimate is a bound in practice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log2

import torch
from torch import Tensor

Step = Callable[[Tensor, float, int], Tensor]
"""The state after a step of length T / 2^level from a time in [0, T]."""
DEEPEST = 30
NOISE = 1e-9  # relative; rounding may be as large in an ill-conditioned problem
STENCIL = 8  # states for the interpolation in time
SHARE = 2.0**STENCIL  # how much nearer states are than those that its error is measured with
BETWEEN = 1e-11  # relative error of the interpolation
SHORTEST = 10  # the longest step is at least T / 2^10 for the sake of interpolation


class Unstable(Exception):
    """No step is short enough."""


@dataclass(frozen=True)
class Control:
    """The order of a step, what the estimates may add up to relative to the state, and whether they are taken off.

    `counted` are weights of the entries of the state in the estimates, if not all are ones.
    """

    order: int
    tolerance: float
    extrapolated: bool
    counted: Tensor | None = None
    least: float = 0.0  # an estimate that a single step may have, however short it is
    between: float = BETWEEN

    def size(self, w: Tensor) -> Tensor:
        found: Tensor = torch.linalg.vector_norm(w.detach() if self.counted is None else w.detach() * self.counted)
        return found


@dataclass(frozen=True)
class March:
    """States at times; `levels` are those of the pairs of half steps between every second of them."""

    times: tuple[float, ...]
    states: tuple[Tensor, ...]
    levels: tuple[int, ...]
    error: float  # the sum of the estimates


def solved_in_time(step: Step, start: Tensor, length: float, control: Control) -> March:
    """Steps as long as error and interpolation in time allow."""
    march = marched(step, start, length, control, 4)
    for _ in range(3):
        size = max(float(control.size(s)) for s in march.states)
        excess = between(march, control) / max(SHARE * max(control.between, control.least) * size, 1e-300)
        if excess <= 1 or min(march.levels) >= SHORTEST:
            break
        more = ceil(log2(excess) / STENCIL) if excess < 1e30 else 2
        march = marched(step, start, length, control, min(SHORTEST, min(march.levels) + max(1, more)))
    return march


def marched(step: Step, start: Tensor, length: float, control: Control, first: int) -> March:
    """No step longer than T / 2^first; estimates in proportion to the length of their step."""
    position, level, state, total = 0, first + 2, start, 0.0  # position counts steps of the deepest level
    times, states, levels = [0.0], [start], []
    whole, before = 1 << DEEPEST, float("inf")
    while position < whole:
        begin = length * position / whole
        half, end, error = _tried(step, state, begin, length, level, control)
        allowed = max(control.tolerance * 2.0**-level, control.least)
        stalled = before * 0.5 < error < NOISE  # rounding is not mended by shorter steps
        if not (error <= max(allowed, control.tolerance * 1e-4) or stalled):
            level, before = level + 1, error
            if level >= DEEPEST:
                raise Unstable(f"no step is short enough at time {begin:g}")
            continue
        size = 1 << (DEEPEST - level)
        position, state, total, before = position + size, end, total + error, float("inf")
        times += [begin + length / 2 ** (level + 1), length * position / whole]
        states += [half, end]
        levels.append(level)
        if error * 2.0 ** (control.order + 2) <= allowed and level > first and position % (2 * size) == 0:
            level -= 1
    return March(tuple(times), tuple(states), tuple(levels), total)


def _tried(
    step: Step, state: Tensor, begin: float, length: float, level: int, control: Control
) -> tuple[Tensor, Tensor, float]:
    half = step(state, begin, level + 1)
    end = step(half, begin + length / 2 ** (level + 1), level + 1)
    gap = (end - step(state, begin, level)) / (2**control.order - 1)
    error = float(control.size(gap) / control.size(end).clamp_min(1e-300))
    return half, end + gap if control.extrapolated else end, error


def retraced(step: Step, start: Tensor, length: float, march: March, control: Control) -> March:
    """The same steps again, now with gradients."""
    states = [start]
    for time, level in zip(march.times[::2], march.levels, strict=False):
        half, end, _ = _tried(step, states[-1], time, length, level, control)
        states += [half, end]
    return March(march.times, tuple(states), march.levels, march.error)


def between(march: March, control: Control) -> float:
    """The error of interpolation in time if only every second state were known."""
    times = torch.tensor(march.times, dtype=torch.float64)
    kept = torch.stack([s.detach() for s in march.states[::2]])
    worst = 0.0
    for k in range(len(march.levels)):
        first = min(max(k - STENCIL // 2 + 1, 0), len(kept) - STENCIL)
        weights = lagrange(times[2 * k + 1], times[::2][first : first + STENCIL]).to(kept.device)
        found = torch.tensordot(weights.to(kept.dtype), kept[first : first + STENCIL], dims=1)
        worst = max(worst, float(control.size(found - march.states[2 * k + 1].detach())))
    return worst


def lagrange(t: Tensor, nodes: Tensor) -> Tensor:
    """The weights of values at nodes (..., m) in the polynomial through them, at t (...)."""
    gaps = nodes.unsqueeze(-1) - nodes.unsqueeze(-2)
    own = torch.eye(nodes.shape[-1], dtype=torch.bool, device=nodes.device)
    steps = (t.unsqueeze(-1) - nodes).unsqueeze(-2).expand(gaps.shape)
    return torch.where(own, torch.ones_like(gaps), steps / torch.where(own, torch.ones_like(gaps), gaps)).prod(-1)
