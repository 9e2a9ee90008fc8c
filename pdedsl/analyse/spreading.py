"""Two states of ∂Y/∂t = -c Kᵀσ(N(K Y)) that a method takes apart, for K a number k times the identity.

With g = σ∘N they part at first where ⟨g(a) - g(b), a - b⟩ < 0, at the rate c k²: relu after N(z) = z/√(|z|² + ε) falls
with the size of another channel, and sin, gelu, … fall by themselves. Whether the states are still apart at the end
depends on c k² and on the steps, so the very recursion is run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from pdedsl.analyse.oscillator import REACHED
from pdedsl.analyse.steps import Stepping
from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.words.integrators import Adaptive, BackwardEuler, Fixed, Leapfrog, Verlet

State = tuple[float, ...]
CHANNELS = (  # values of K Y, in units of √ε
    ((3.0, 0.0), (6.0, -30.0)),
    ((3.0, 0.0), (6.0, -3.0)),
    ((30.0, 0.0), (60.0, -30.0)),
    ((300.0, 0.0), (600.0, -300.0)),
)
NUMBERS = (-0.1, -1.0, -1.5, -2.0, -4.0, 3.0, 3.2)  # values of K Y: sin falls about π, the others left of zero
GAP = 0.1
HALVINGS = 8  # of the size of K
MAX_WORK = 1000  # evaluations of the right-hand side in one run
APART = 1e-9  # by which a distance has grown, beyond rounding


@dataclass(frozen=True)
class Spreading:
    """Y' = -c k σ(N(k Y)) by the steps of a method; N is z/√(|z|² + ε) where there is an ε."""

    scale: float
    activation: str
    eps: float | None
    stepping: Stepping

    @property
    def work(self) -> float:
        """Evaluations of the right-hand side; without end where the method chooses its steps."""
        return math.inf if self.stepping.steps is None else self.stepping.steps * self._stages

    @property
    def _stages(self) -> int:
        match self.stepping.method:
            case Fixed(method=record):
                return record.stages
            case BackwardEuler(terms=terms):
                return terms
            case Verlet() | Leapfrog() | Adaptive():
                return 1
            case _:
                assert_never(self.stepping.method)

    def after(self, y: State, k: float) -> State:
        """The state at the end."""
        assert self.stepping.step is not None
        assert self.stepping.steps is not None
        h = float(self.stepping.step)
        for _ in range(self.stepping.steps):
            y = self._step(y, h, k)
        return y

    def _step(self, y: State, h: float, k: float) -> State:
        if not isinstance(self.stepping.method, Fixed):
            return self._series(y, h, k)
        explicit = self.stepping.method.method
        slopes: list[State] = []
        for row in ((), *explicit.rows):
            slopes.append(self._push(_moved(y, *_weighted(h, row, slopes)), k))
        return _moved(y, *_weighted(h, explicit.weights, slopes))

    def _series(self, y: State, h: float, k: float) -> State:
        """y + F(y) + F(F(y)) + …, F = h times the right-hand side: backward Euler."""
        total = power = y
        for _ in range(self._stages):
            power = _moved((0.0,) * len(y), (h, self._push(power, k)))
            total = _moved(total, (1.0, power))
        return total

    def _push(self, y: State, k: float) -> State:
        z = tuple(k * a for a in y)
        size = 1.0 if self.eps is None else math.sqrt(sum(a * a for a in z) + self.eps)
        return tuple(-self.scale * k * ACTIVATIONS[self.activation](a / size) for a in z)


def _weighted(h: float, row: Sequence[float], slopes: Sequence[State]) -> list[tuple[float, State]]:
    return [(h * a, k) for a, k in zip(row, slopes, strict=True)]


def _moved(y: State, *terms: tuple[float, State]) -> State:
    return tuple(a + sum(c * d[i] for c, d in terms) for i, a in enumerate(y))


def spread(of: Spreading, largest: float | None) -> str:
    """Two states that end further apart than they began, in words; where they are not run, for a small enough K."""
    stepping = of.stepping
    if of.work > MAX_WORK:
        return "K a small multiple of the identity, " + _parting_first(of)
    for k, pairs in _trials(of.eps, 1.0 if largest is None else REACHED * largest):
        growth, a, b = max((_growth(of, k, a, b), a, b) for a, b in pairs)
        if growth > APART:
            where = f"K = {k:g} times the identity{' on two channels' * (len(a) > 1)}"
            digits = max(4, 2 - math.floor(math.log10(growth)))
            times = f"{1 + growth:.{digits}g} times as far apart"
            end = f"at the end, by {stepping.name} with δt = {stepping.step}, they are {times}"
            return f"{where}, Y = {_shown(a)} and Y' = {_shown(b)}: {end}"
    return ""


def _parting_first(of: Spreading) -> str:
    """Where states part at once; with c k² small, they have not come together again by the end."""
    if of.eps is None:
        return f"at points K Y where {of.activation} decreases"
    a, b = (_scaled(state, math.sqrt(of.eps)) for state in CHANNELS[1])
    return f"K Y = {_shown(a)} and K Y' = {_shown(b)} on two channels"


def _growth(of: Spreading, k: float, a: State, b: State) -> float:
    """By how much the distance has grown, relative to the first; nothing where the states have no end."""
    try:
        growth = math.dist(of.after(a, k), of.after(b, k)) / math.dist(a, b) - 1
    except OverflowError:
        return 0.0
    return growth if math.isfinite(growth) else 0.0


def _trials(eps: float | None, largest: float) -> Iterator[tuple[float, list[tuple[State, State]]]]:
    """Sizes of K from the largest on, each with pairs of states, as they are printed."""
    unit = 1.0 if eps is None else math.sqrt(eps)
    pairs = CHANNELS if eps is not None else tuple(((z,), (z - GAP,)) for z in NUMBERS)
    for j in range(HALVINGS if largest else 0):
        k = _below(largest / 2**j)
        yield k, [(_scaled(a, unit / k), _scaled(b, unit / k)) for a, b in pairs]


def _scaled(y: State, by: float) -> State:
    return tuple(_rounded(by * a) for a in y)


def _rounded(x: float) -> float:
    return float(f"{x:.3g}")


def _below(x: float) -> float:
    """A short number that is not larger."""
    return _rounded(x) if _rounded(x) <= x else _rounded(0.99 * x)


def _shown(y: State) -> str:
    return f"({', '.join(f'{a:g}' for a in y)})" if len(y) > 1 else f"{y[0]:g}"
