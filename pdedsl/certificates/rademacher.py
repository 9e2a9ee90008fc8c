"""A bound on the empirical Rademacher complexity of evolved linear classifiers (Wang, Tao, Bao, Shi, Theorem 3.4)."""

from __future__ import annotations

from math import exp, log, sqrt

HALVINGS = 200
ASSUMES = (
    "two classes; one velocity for all classifiers of the class, so that only the last layer is counted; and points "
    "that stay within R on their way, which the theorem asks of the samples alone"
)
"""What the bound rests on. The last is not in the paper: its cover is one of the values at the samples, and the
solution at a sample is a mean of values elsewhere, at the points that transport and noise lead to."""


def rademacher_bound(weight: float, radius: float, dimension: int, samples: int) -> float:
    """inf over ε > 0 of √(2d log(3WR/ε)/N) + ε, for ‖w‖₁ ≤ W and ‖x‖∞ ≤ R; at most 1, which always holds for values in
    [0, 1].

    With ε = 3WR e^{−s}, s > 0, it is √(2ds/N) + 3WR e^{−s}, whose slope √(d/(2Ns)) − 3WR e^{−s} changes sign at most
    twice: from positive, for small s, to negative and back. So the infimum is at the last zero, found by bisection, or
    at s = 0.
    """
    scale = 3.0 * weight * radius
    if scale <= 0.0:
        return 0.0

    def value(s: float) -> float:
        return sqrt(2.0 * dimension * s / samples) + scale * exp(-s)

    def rises(s: float) -> bool:
        return sqrt(dimension / (2.0 * samples * s)) > scale * exp(-s)

    # s·slope² is smallest compared with √s e^{−s} at s = ½: beyond it the slope changes sign once.
    low, high = 0.5, 0.5 + max(1.0, log(scale * samples + 2.0) * 2.0)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if rises(middle) else (middle, high)
    return min(1.0, scale, value(high))
