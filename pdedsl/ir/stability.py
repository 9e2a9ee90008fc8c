"""How long a step may be: |R(hλ)| ≤ 1 for a step y ↦ R(hλ) y of y' = λy (Hairer, Wanner, chapter IV.2).

On the negative real axis, where states decay, Euler and Heun are stable up to 2, RK4 up to 2.785…, the series of
backward Euler up to 1 if it ends in an even power. On the imaginary axis, where states swing, Euler and Heun never are,
RK4 is up to 2√2, and leapfrog and Verlet up to 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from pdedsl.ir.spec import Setting
from pdedsl.ir.vocabulary import ADAPTIVE, REVERSIBLE, STABILITY

GRID = 64  # points in each unit
LONGEST = 8.0  # no interval of a method here is longer
ROUNDING = 1e-12
MAX_TERMS = 200  # of a series that is looked at; the bound of longer ones is within 0.006 of 1


def coefficients(method: Setting) -> tuple[float, ...] | None:
    """R of a method, in powers of hλ; None for those that choose their steps or split the state."""
    if method.name in (*ADAPTIVE, *REVERSIBLE):
        return None
    if method.name == "backward_euler":
        terms = int(str(method.get("terms")))
        return (1.0,) * (min(terms, MAX_TERMS + terms % 2) + 1)
    return STABILITY[method.name]


def amplification(r: tuple[float, ...], z: complex) -> float:
    """|R(z)|, by Horner's rule."""
    value: complex = 0
    for c in reversed(r):
        value = value * z + c
    return abs(value)


@lru_cache
def decaying(r: tuple[float, ...]) -> float:
    """The largest s with |R(-s')| ≤ 1 for all s' up to s."""
    return _reach(lambda s: amplification(r, -s))


@lru_cache
def swinging(r: tuple[float, ...]) -> float:
    """The largest s with |R(is')| ≤ 1 for all s' up to s."""
    return _reach(lambda s: amplification(r, 1j * s))


def _reach(size: Callable[[float], float]) -> float:
    """Where a size first exceeds one: the first such point of a grid, and then by bisection."""
    above = next((k / GRID for k in range(1, int(LONGEST * GRID)) if size(k / GRID) > 1 + ROUNDING), LONGEST)
    below = above - 1 / GRID
    if below == 0:
        return 0.0
    while above - below > ROUNDING:
        middle = (above + below) / 2
        below, above = (below, middle) if size(middle) > 1 + ROUNDING else (middle, above)
    return below
