"""Bound on the empirical Rademacher complexity of linear classifiers composed with transport and diffusion (Wang, Tao,
Bao, Shi, Theorem 3.4)."""

from __future__ import annotations

from math import exp, log, sqrt

BISECTIONS = 200  # to rounding accuracy
ASSUMES = (
    "two classes; the same velocity field for all classifiers, so that only the last layer varies; and ‖x‖∞ ≤ R along "
    "the whole characteristics, not only at the samples as in the theorem"
)
"""Assumptions of the bound. The last one is not in the paper, whose covering numbers are those of the values at the
samples: the solution at a sample is a mean of values at the end points of stochastic characteristics."""


def rademacher_bound(weight: float, radius: float, dimension: int, samples: int) -> float:
    """inf over ε > 0 of √(2d log(3WR/ε)/N) + ε, for ‖w‖₁ ≤ W and ‖x‖∞ ≤ R; at most 1, a trivial bound for
    values in [0, 1].

    With ε = 3WR e^{−s}, s > 0, it is √(2ds/N) + 3WR e^{−s}; its derivative √(d/(2Ns)) − 3WR e^{−s} changes sign at most
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

    # s·(derivative)² is smallest compared with √s e^{−s} at s = ½: beyond it the derivative changes sign once.
    low, high = 0.5, 0.5 + max(1.0, log(scale * samples + 2.0) * 2.0)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if rises(middle) else (middle, high)
    return min(1.0, scale, value(high))
