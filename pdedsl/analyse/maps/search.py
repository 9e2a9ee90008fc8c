"""Counterexamples to the axioms of a network on pixels, found by running the steps of the spec."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pdedsl.analyse.maps.reading import NoValue, Vector, Weights
from pdedsl.analyse.maps.running import Run, run_of
from pdedsl.analyse.maps.system import System
from pdedsl.analyse.maps.trials import Start, channels_of, starts_of, weights_of
from pdedsl.ir.examples import MapExample

MAX_RUN = 1000  # evaluations of the right-hand side in one run, at most
MAX_WORK = 20_000  # the same in all runs for one axiom
USUAL = 12  # steps that an adaptive method is assumed to take
APART = 1e-9  # smaller changes are attributed to rounding

Measure = Callable[[Run, Start], float]
"""By how much an axiom is broken, relative to the start; nothing, or less, where it is not."""


@dataclass(frozen=True)
class Found:
    """A start that violates an axiom, and the ratio of the norm or distance at the end to that at the start."""

    weights: Weights
    states: tuple[Vector, ...]
    growth: float


def two_apart(system: System) -> MapExample | None:
    """Two states that end further apart than they began."""
    return _example(system, _search(system, lambda run, start: _parting(run, start) - 1, 2))


def one_grown(system: System) -> MapExample | None:
    """A state that ends larger than it began."""
    return _example(system, _search(system, lambda run, start: _growth(run, start) - 1, 1))


def one_changed(system: System) -> MapExample | None:
    """A state that ends larger or smaller than it began."""
    return _example(system, _search(system, lambda run, start: abs(_growth(run, start) - 1), 1))


def _search(system: System, measure: Measure, states: int) -> Found | None:
    """The worst start for the first weights that violate the axiom."""
    cost, left = _cost(system) * states, MAX_WORK
    if not 0 < cost <= MAX_RUN * states:
        return None
    for weights in weights_of(system):
        starts = list(_within(_starts(system, weights, states), left // cost))
        left -= cost * len(starts)
        try:
            run = run_of(system, weights, channels_of(system))
        except NoValue:
            return None
        broken = [(measure(run, start), start) for start in starts]
        worst, start = max(broken, key=lambda pair: pair[0], default=(0.0, Start((), ())))
        if worst > _least(system):
            chosen = (start.one, start.other)[:states]
            growth = _parting(run, start) if states == 2 else _growth(run, start)
            return Found(weights, chosen, growth)
    return None


def _cost(system: System) -> int:
    """Evaluations in a run; 0 if it cannot be run. Adaptive methods are assumed to take a dozen steps."""
    stepping = system.stepping
    return (stepping.evaluations or 0) * (USUAL if stepping.tolerances else stepping.steps or 0)


def _least(system: System) -> float:
    """The smallest change that counts: beyond rounding, and well beyond the tolerance of an adaptive method."""
    return 100 * system.stepping.tolerances.rtol if system.stepping.tolerances else APART


def _starts(system: System, weights: Weights, states: int) -> Iterator[Start]:
    starts = starts_of(system, weights)
    if states == 2:
        yield from starts
        return
    zero = tuple(0.0 for _ in starts[0].one)
    yield Start(zero, zero)
    for one in dict.fromkeys(state for start in starts for state in (start.one, start.other)):
        yield Start(one, zero)


def _within(starts: Iterator[Start], most: int) -> Iterator[Start]:
    return (start for _, start in zip(range(most), starts, strict=False))


# ---- measures


def _parting(run: Run, start: Start) -> float:
    """The distance at the end divided by that at the start; 0 if a run overflows."""
    one, other = run(start.one), run(start.other)
    if one is None or other is None:
        return 0.0
    return math.dist(one, other) / math.dist(start.one, start.other)


def _growth(run: Run, start: Start) -> float:
    """The norm at the end divided by that at the start; 1 if the run overflows."""
    end, before = run(start.one), math.hypot(*start.one)
    if end is None:
        return 1.0
    after = math.hypot(*end)
    if before == 0:
        return math.inf if after > APART else 1.0
    return after / before


def _example(system: System, found: Found | None) -> MapExample | None:
    if found is None:
        return None
    n, weights = channels_of(system), found.weights
    states = tuple(tuple(s[j : j + n] for j in range(0, len(s), n)) for s in found.states)
    return MapExample(weights.operators, weights.scale, weights.bias, states, float(f"{found.growth:.9g}"))
