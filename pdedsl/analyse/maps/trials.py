"""Weights and states with which a network is run in search of a counterexample to an axiom.

K is k times the identity on one channel, or on two if a normalisation couples them, and zero on the others; k ranges
from the largest value that the network attains under the bound of its type to smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor, inf, log10, sqrt

from sympy import Symbol

from pdedsl.analyse.maps.reading import Vector, Weights
from pdedsl.analyse.maps.system import System
from pdedsl.ir.boxes import box_of
from pdedsl.ir.motions import Pair
from pdedsl.ir.spec import Learned
from pdedsl.ir.types import Operator
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.symbols import Field

HALVINGS = 8  # how often the size of K is halved
UNBOUNDED = (1.0, 2.0, 4.0, 8.0, 0.5, 0.25, 0.125)  # sizes of K to try when its type gives no bound
NORMS = ((1.0, 0.0), (-1.0, 0.0), (1.0, 1.0), (1.0, -1.0))  # scale and bias of a normalisation
_PAIRS = (  # pairs of values of K Y: near zero, rising, falling, saturated, and where sin decreases
    *((0.01, -0.01), (1.0, 0.9), (-0.1, -0.2), (-1.0, -1.1), (-1.5, -1.6), (-2.0, -2.1), (-4.0, -4.1)),
    *((3.0, 2.9), (3.2, 3.1), (2.0, 1.5), (0.1, 0.05), (0.02, 0.52), (2.0, 2.5)),
)
VALUES: tuple[tuple[Vector, Vector], ...] = tuple(((a,), (b,)) for a, b in _PAIRS)
CHANNELS: tuple[tuple[Vector, Vector], ...] = (  # the same on two channels, in units of √ε
    *(((3.0, 0.0), (6.0, -30.0)), ((3.0, 0.0), (6.0, -3.0)), ((30.0, 0.0), (60.0, -30.0))),
    *(((300.0, 0.0), (600.0, -300.0)), ((0.1, 0.0), (-0.1, 0.0)), ((3.0, 0.0), (2.0, 0.0))),
)
# A network enforces ‖K‖ ≤ c through a bound β(W) ≥ ‖K‖. For k times the identity on one channel it is k/cos²(π/8) =
# 1.1716 k, on two 1.0109 times that; both are rounded up here.
SLACK = (1.173, 1.186)


@dataclass(frozen=True)
class Start:
    """Two states: a value for each channel, one half after the other."""

    one: Vector
    other: Vector


def channels_of(system: System) -> int:
    """How many channels of a state are nonzero."""
    return 2 if system.epsilons and _width(system) > 1 else 1


def _width(system: System) -> int:
    """The number of channels of a state in the widest stage."""
    frame = system.spec.network
    widest = max(frame.stages) if frame else 2 * 2
    return widest // 2 if isinstance(system.motion, Pair) else widest


# ---- weights


def weights_of(system: System) -> Iterator[Weights]:
    """Each operator alone, all together, all with the sign of one changed, and none."""
    ranges = {head: sizes(head, system) for head in operators_of(system)}
    norms = NORMS if system.epsilons else NORMS[:1]
    for chosen in _chosen(ranges):
        for scale, bias in norms:
            yield Weights(tuple(chosen.items()), scale, bias)


def _chosen(ranges: dict[Symbol, tuple[float, ...]]) -> Iterator[dict[Symbol, float]]:
    none = dict.fromkeys(ranges, 0.0)
    if len(ranges) != 1 and all(ranges.values()):
        yield none
    for place in range(max(map(len, ranges.values()), default=0)):
        level = {head: found[min(place, len(found) - 1)] for head, found in ranges.items() if found}
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


def sizes(head: Symbol, system: System) -> tuple[float, ...]:
    """Multiples of the identity that an operator can be; none if its box does not contain zero."""
    learned = next(w for w in system.spec.learned if w.head == head)
    bound = _reached(learned, channels_of(system))
    box = box_of(learned.name, system.spec)
    low, high = (-inf, inf) if box is None else (float(box[0]), float(box[1]))
    if low > 0 or high < 0:
        return ()
    largest, sign = (high, 1.0) if high > 0 else (-low, -1.0)
    most = min(bound, largest)
    if most == inf:
        return UNBOUNDED
    return tuple(sign * _below(most / 2**j) for j in range(HALVINGS)) if most > 0 else (0.0,)


def _reached(learned: Learned, channels: int) -> float:
    """The largest multiple of the identity that respects the bound on the norm."""
    if not isinstance(learned.type, Operator) or learned.type.bound is None:
        return inf
    return float(learned.type.bound) / SLACK[channels - 1]


def operators_of(system: System) -> list[Symbol]:
    """Every operator in the equations, once."""
    own = [w.head for w in system.spec.learned if isinstance(w.type, Operator)]
    found = {f.head for e in system.equations for f in atoms(e.right[0], Field)}
    return [head for head in own if head in found]


# ---- states


def starts_of(system: System, weights: Weights) -> list[Start]:
    """States for which K Y takes the values to be tried, rounded as they are printed."""
    k = max((abs(k) for _, k in weights.operators), default=0.0) or 1.0
    if channels_of(system) == 1:
        unit, pairs = 1 / k, VALUES
    else:
        unit, pairs = sqrt(max(system.epsilons)) / k, CHANNELS
    rounded = [(_scaled(one, unit), _scaled(other, unit)) for one, other in pairs]
    if not isinstance(system.motion, Pair):
        return [Start(one, other) for one, other in rounded]
    return [start for one, other in rounded for start in _halves(one, other)]


def _halves(one: Vector, other: Vector) -> Iterator[Start]:
    """Two states that differ in the first half, in the second, and in both."""
    zero = (0.0,) * len(one)
    for kept in (zero, one):
        yield Start((*one, *kept), (*other, *kept))
        yield Start((*kept, *one), (*kept, *other))
    yield Start((*one, *other), (*other, *one))


def _scaled(values: Vector, by: float) -> Vector:
    return tuple(_rounded(by * a) for a in values)


def _rounded(x: float) -> float:
    return float(f"{x:.3g}")


def _below(x: float) -> float:
    """The number rounded down to three digits."""
    digits = 2 - floor(log10(x))
    return float(f"{floor(x * 10**digits) / 10**digits:.3g}")
