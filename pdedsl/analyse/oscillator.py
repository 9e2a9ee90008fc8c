"""Two states of ∂²Y/∂t² = -c Kᵀσ(N(K Y)) - λY that leapfrog takes apart, for K a number k on one channel.

With relu a state falls freely once it is below zero, x'' = -relu(x), and two starts part like (T - π/2)|A - A'|; with a
saturating σ the period grows with the amplitude. Whether this shows by the time T depends on
c k² T² and on the steps, so the recursion itself is run: D += h²F(Y), Y += D, with `first` of the first push.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from pdedsl.numerics.activations import ACTIVATIONS

STARTS = (-2.0, -0.5, -0.02, 0.02, 0.1, 0.5, 1.0, 2.0, 4.0)
GAPS = (0.05, 0.5)
UNBOUNDED = (0.5, 1.0, 2.0, 4.0)  # sizes of K to try when its type gives no bound
REACHED = 0.75  # of a bound on ‖K‖: networks keep it by an upper bound of the norm, which is less than 4/3 of it
MAX_STEPS = 1000  # that are run
APART = 1.001


@dataclass(frozen=True)
class Oscillator:
    """x'' = -c k σ(N(k x)) - λx from rest, `steps` steps of length h; N is x/√(x² + ε) where there is an ε."""

    scale: float
    activation: str
    eps: float | None
    step: float
    steps: int
    first: float = 0.5  # one half is consistent with rest
    reaction: float = 0.0  # λ

    def after(self, x: float, k: float) -> float:
        """The state at the end."""
        push, difference = ACTIVATIONS[self.activation], 0.0
        for j in range(self.steps):
            inner = k * x if self.eps is None else k * x / math.sqrt((k * x) ** 2 + self.eps)
            pull = self.scale * k * push(inner) + self.reaction * x
            difference -= (self.first if j == 0 else 1.0) * self.step**2 * pull
            x += difference
        return x


def parting(oscillator: Oscillator, largest: float | None) -> str:
    """Two starts that end further apart than they began, in words; nothing if none was found."""
    if oscillator.activation not in ACTIVATIONS or oscillator.steps > MAX_STEPS:
        return ""
    for k, a, b in _trials(largest):
        growth = abs(oscillator.after(a, k) - oscillator.after(b, k)) / abs(a - b)
        if math.isfinite(growth) and growth > APART:
            return f"K = {k:g}, Y = {a:g} and Y' = {b:g} at rest: at the end they are {growth:.4g} times as far apart"
    return ""


def _trials(largest: float | None) -> Iterator[tuple[float, float, float]]:
    sizes = UNBOUNDED if largest is None else (REACHED * largest, largest / 2, largest)
    return ((k, a, a + gap) for k in sizes for a in STARTS for gap in GAPS)
