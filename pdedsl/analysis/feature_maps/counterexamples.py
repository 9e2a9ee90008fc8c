"""Search for counterexamples to the axioms of feature maps, by running the discretised equation.

K is k times the identity on one channel, or on two if a normalization couples them, and zero on the others; k ranges
from the largest value that the norm bound of its type allows to smaller ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from math import floor, inf, log10, sqrt

from sympy import Symbol

from pdedsl.analysis.feature_maps.simulate import NotEvaluable, OperatorWeights, Run, Vector, build_run
from pdedsl.analysis.feature_maps.system import FeatureMapSystem
from pdedsl.ir.plan import weight_box
from pdedsl.ir.semidiscrete_systems import SeparableOde
from pdedsl.ir.spec import Learned
from pdedsl.ir.types import Operator
from pdedsl.ir.verdicts import FeatureMapCounterexample
from pdedsl.record import Record
from pdedsl.symbolic.symbols import Field, atoms

# ---- Trial weights and states


MAX_HALVINGS = 8  # of the multiple k
TRIAL_MULTIPLES = (1.0, 2.0, 4.0, 8.0, 0.5, 0.25, 0.125)  # multiples k if the type has no norm bound
NORMALIZATION_WEIGHTS = ((1.0, 0.0), (-1.0, 0.0), (1.0, 1.0), (1.0, -1.0))  # scale and bias of a normalization
_TRIAL_PAIRS = (  # pairs of values of K Y: near zero, rising, falling, saturated, and where sin decreases
    *((0.01, -0.01), (1.0, 0.9), (-0.1, -0.2), (-1.0, -1.1), (-1.5, -1.6), (-2.0, -2.1), (-4.0, -4.1)),
    *((3.0, 2.9), (3.2, 3.1), (2.0, 1.5), (0.1, 0.05), (0.02, 0.52), (2.0, 2.5)),
)
SCALAR_TRIALS: tuple[tuple[Vector, Vector], ...] = tuple(((a,), (b,)) for a, b in _TRIAL_PAIRS)
TWO_CHANNEL_TRIALS: tuple[tuple[Vector, Vector], ...] = (  # the same on two channels, in units of √ε
    *(((3.0, 0.0), (6.0, -30.0)), ((3.0, 0.0), (6.0, -3.0)), ((30.0, 0.0), (60.0, -30.0))),
    *(((300.0, 0.0), (600.0, -300.0)), ((0.1, 0.0), (-0.1, 0.0)), ((3.0, 0.0), (2.0, 0.0))),
)
# A network enforces ‖K‖ ≤ c through a bound β(W) ≥ ‖K‖. For k times the identity on one channel it is k/cos²(π/8) =
# 1.1716 k, on two 1.0109 times that; both are rounded up here.
NORM_BOUND_RATIO = (1.173, 1.186)


class InitialStates(Record):
    """Two initial states: a value for each channel, the components of a pair one after the other."""

    one: Vector
    other: Vector


def channels_of(system: FeatureMapSystem) -> int:
    """The number of nonzero channels of a state."""
    return 2 if system.epsilons and _width(system) > 1 else 1


def _width(system: FeatureMapSystem) -> int:
    """The number of channels of a state in the widest stage."""
    frame = system.spec.network
    widest = max(frame.stages) if frame else 2 * 2
    return widest // 2 if isinstance(system.ode, SeparableOde) else widest


# ---- Weights


def trial_weights(system: FeatureMapSystem) -> Iterator[OperatorWeights]:
    """Each operator alone, all together, all with one sign reversed, and none."""
    ranges = {head: identity_multiples(head, system) for head in operators_of(system)}
    norms = NORMALIZATION_WEIGHTS if system.epsilons else NORMALIZATION_WEIGHTS[:1]
    for chosen in _multiples_of_operators(ranges):
        for scale, bias in norms:
            yield OperatorWeights(tuple(chosen.items()), scale, bias)


def _multiples_of_operators(ranges: dict[Symbol, tuple[float, ...]]) -> Iterator[dict[Symbol, float]]:
    none = dict.fromkeys(ranges, 0.0)
    if len(ranges) != 1 and all(ranges.values()):
        yield none
    for place in range(max(map(len, ranges.values()), default=0)):
        level = {head: multiples[min(place, len(multiples) - 1)] for head, multiples in ranges.items() if multiples}
        if len(level) < len(ranges):
            return
        if len(level) > 1:
            yield from (none | {head: k} for head, k in level.items())
            yield level
            yield level | {next(iter(level)): -level[next(iter(level))]}
        else:
            yield level
    if len(ranges) == 1 and all(ranges.values()):
        yield none


def identity_multiples(head: Symbol, system: FeatureMapSystem) -> tuple[float, ...]:
    """Admissible multiples of the identity for an operator; none if its box constraint excludes zero."""
    learned = next(w for w in system.spec.learned if w.head == head)
    bound = _largest_multiple(learned, channels_of(system))
    box = weight_box(learned.name, system.spec)
    low, high = (-inf, inf) if box is None else (float(box[0]), float(box[1]))
    if low > 0 or high < 0:
        return ()
    largest, sign = (high, 1.0) if high > 0 else (-low, -1.0)
    largest_k = min(bound, largest)
    if largest_k == inf:
        return TRIAL_MULTIPLES
    return tuple(sign * _round_down(largest_k / 2**j) for j in range(MAX_HALVINGS)) if largest_k > 0 else (0.0,)


def _largest_multiple(learned: Learned, channels: int) -> float:
    """The largest multiple of the identity that satisfies the norm bound."""
    if not isinstance(learned.type, Operator) or learned.type.bound is None:
        return inf
    return float(learned.type.bound) / NORM_BOUND_RATIO[channels - 1]


def operators_of(system: FeatureMapSystem) -> list[Symbol]:
    """Every operator in the equations, once."""
    own = [w.head for w in system.spec.learned if isinstance(w.type, Operator)]
    heads = {f.head for e in system.equations for f in atoms(e.rhs[0], Field)}
    return [head for head in own if head in heads]


# ---- States


def initial_states(system: FeatureMapSystem, weights: OperatorWeights) -> list[InitialStates]:
    """States for which K Y takes the trial values, rounded as printed."""
    k = max((abs(k) for _, k in weights.operators), default=0.0) or 1.0
    if channels_of(system) == 1:
        unit, pairs = 1 / k, SCALAR_TRIALS
    else:
        unit, pairs = sqrt(max(system.epsilons)) / k, TWO_CHANNEL_TRIALS
    rounded = [(_scale(one, unit), _scale(other, unit)) for one, other in pairs]
    if not isinstance(system.ode, SeparableOde):
        return [InitialStates(one, other) for one, other in rounded]
    return [initial for one, other in rounded for initial in _pair_states(one, other)]


def _pair_states(one: Vector, other: Vector) -> Iterator[InitialStates]:
    """Two states that differ in the first component, in the second, and in both."""
    zero = (0.0,) * len(one)
    for fixed in (zero, one):
        yield InitialStates((*one, *fixed), (*other, *fixed))
        yield InitialStates((*fixed, *one), (*fixed, *other))
    yield InitialStates((*one, *other), (*other, *one))


def _scale(values: Vector, by: float) -> Vector:
    return tuple(_round(by * a) for a in values)


def _round(x: float) -> float:
    return float(f"{x:.3g}")


def _round_down(x: float) -> float:
    """The number rounded down to three digits."""
    digits = 2 - floor(log10(x))
    return float(f"{floor(x * 10**digits) / 10**digits:.3g}")


# ---- Search


MAX_EVALUATIONS_PER_RUN = 1000  # of the right-hand side
MAX_EVALUATIONS = 20_000  # in all runs for one axiom
CHANGE_RTOL = 1e-9  # smaller changes are attributed to rounding

Measure = Callable[[Run, InitialStates], float]
"""The relative violation of an axiom; at most zero if it is not violated."""


class Violation(Record):
    """Initial states that violate an axiom, and the ratio of the final to the initial norm or distance."""

    weights: OperatorWeights
    states: tuple[Vector, ...]
    growth: float


def find_expanding_pair(system: FeatureMapSystem) -> FeatureMapCounterexample | None:
    """Two states whose distance grows."""
    return _example(system, _search(system, lambda run, initial: _expansion_factor(run, initial) - 1, 2))


def find_growing_state(system: FeatureMapSystem) -> FeatureMapCounterexample | None:
    """A state whose norm grows."""
    return _example(system, _search(system, lambda run, initial: _growth_factor(run, initial) - 1, 1))


def find_changing_state(system: FeatureMapSystem) -> FeatureMapCounterexample | None:
    """A state whose norm changes."""
    return _example(system, _search(system, lambda run, initial: abs(_growth_factor(run, initial) - 1), 1))


def _search(system: FeatureMapSystem, measure: Measure, states: int) -> Violation | None:
    """The worst initial states for the first weights that violate the axiom."""
    cost, left = _cost(system) * states, MAX_EVALUATIONS
    if not 0 < cost <= MAX_EVALUATIONS_PER_RUN * states:
        return None
    for weights in trial_weights(system):
        trials = list(_first(_trial_states(system, weights, states), left // cost))
        left -= cost * len(trials)
        try:
            run = build_run(system, weights, channels_of(system))
        except NotEvaluable:
            return None
        violations = [(measure(run, initial), initial) for initial in trials]
        worst, initial = max(violations, key=lambda pair: pair[0], default=(0.0, InitialStates((), ())))
        if worst > CHANGE_RTOL:
            chosen = (initial.one, initial.other)[:states]
            growth = _expansion_factor(run, initial) if states == 2 else _growth_factor(run, initial)
            return Violation(weights, chosen, growth)
    return None


def _cost(system: FeatureMapSystem) -> int:
    """Evaluations in a run; 0 if it cannot be run."""
    return (system.stepping.evaluations or 0) * (system.stepping.steps or 0)


def _trial_states(system: FeatureMapSystem, weights: OperatorWeights, states: int) -> Iterator[InitialStates]:
    trials = initial_states(system, weights)
    if states == 2:
        yield from trials
        return
    zero = tuple(0.0 for _ in trials[0].one)
    yield InitialStates(zero, zero)
    for one in dict.fromkeys(state for initial in trials for state in (initial.one, initial.other)):
        yield InitialStates(one, zero)


def _first(trials: Iterator[InitialStates], largest_k: int) -> Iterator[InitialStates]:
    return (initial for _, initial in zip(range(largest_k), trials, strict=False))


# ---- Growth factors


def _expansion_factor(run: Run, initial: InitialStates) -> float:
    """The ratio of the final to the initial distance; 0 if a run overflows."""
    one, other = run(initial.one), run(initial.other)
    if one is None or other is None:
        return 0.0
    return math.dist(one, other) / math.dist(initial.one, initial.other)


def _growth_factor(run: Run, initial: InitialStates) -> float:
    """The ratio of the final to the initial norm; 1 if the run overflows."""
    end, before = run(initial.one), math.hypot(*initial.one)
    if end is None:
        return 1.0
    after = math.hypot(*end)
    if before == 0:
        return math.inf if after > CHANGE_RTOL else 1.0
    return after / before


def _example(system: FeatureMapSystem, violation: Violation | None) -> FeatureMapCounterexample | None:
    if violation is None:
        return None
    n, weights = channels_of(system), violation.weights
    states = tuple(tuple(s[j : j + n] for j in range(0, len(s), n)) for s in violation.states)
    return FeatureMapCounterexample(
        weights.operators, weights.scale, weights.bias, states, float(f"{violation.growth:.9g}")
    )
