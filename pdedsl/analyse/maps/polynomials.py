"""|p(x)| ≤ 1 on an interval, by exact arithmetic: p scales an eigenvector in a linear step or network.

A step of Y' = -SY with symmetric S is R(-hS), so no two states move apart if |R(-x)| ≤ 1 for every x that is h times an
eigenvalue of S (Hairer, Wanner, chapter IV.2). Y″ = -SY from rest is a polynomial in h²S for leapfrog, and
Re R(ihω)ᴺ with S = ω² for a one-step method.
"""

from __future__ import annotations

from fractions import Fraction
from math import log

from sympy import Expr, Poly, Rational, Symbol, ceiling, floor

from pdedsl.numerics.contractivity import exactly
from pdedsl.numerics.integrators import RungeKutta

X = Symbol("x")
GRID = 10**12  # ends that are not fractions are rounded outwards to multiples of 1/GRID
EXPONENT = 200  # powers up to this are computed exactly
MARGIN = 1e-9  # for rounding errors of logarithms
DEGREE = 24  # largest degree of the polynomial of a whole network


def rational(method: RungeKutta) -> list[Rational]:
    """The coefficients of R as fractions: 1, bᵀ1, bᵀA1, …"""
    b = [exactly(x) for x in method.weights]
    rows = [[exactly(x) for x in row] for row in ((), *method.rows)]
    vector, found = [Fraction(1)] * len(b), [Fraction(1)]
    for _ in b:
        found.append(sum((p * q for p, q in zip(b, vector, strict=True)), Fraction(0)))
        vector = [sum((a * v for a, v in zip(row, vector, strict=False)), Fraction(0)) for row in rows]
    return [Rational(c.numerator, c.denominator) for c in found]


def decays(method: RungeKutta, low: Expr, high: Expr) -> bool:
    """Whether |R(-x)| ≤ 1 for all x in [low, high]."""
    terms = [c * (-1) ** k for k, c in enumerate(rational(method))]
    return within_one(Poly(terms[::-1], X), low, high)


def swings(method: RungeKutta, squared: Expr) -> bool:
    """Whether |R(iy)| ≤ 1 for all y² up to `squared`: with x = y², R(iy) = E(x) + iy O(x)."""
    c = rational(method)
    even = Poly([v * (-1) ** k for k, v in enumerate(c[0::2])][::-1], X)
    odd = Poly([v * (-1) ** k for k, v in enumerate(c[1::2])][::-1], X)
    return nonnegative(1 - even**2 - Poly(X, X) * odd**2, Rational(0), above(squared))


def series_decays(terms: int, low: Expr, high: Expr) -> bool:
    """Whether |1 - x + … + (-x)ⁿ| ≤ 1 for all x in [low, high], n = terms.

    The sum is (1 - (-x)ⁿ⁺¹)/(1 + x). For 0 ≤ x ≤ 1 it always holds; for x > 1 it fails if n is even, as it needs
    xⁿ ≤ 1, and may hold if n is odd, as it needs xⁿ⁺¹ ≤ 2 + x.
    """
    if low < 0 or not high.is_finite:
        return False
    if high <= 1 or terms % 2 == 0:
        return bool(high <= 1)
    if terms > EXPONENT:
        return (terms + 1) * log(high) < log(2 + high) - MARGIN
    return bool(above(high) ** (terms + 1) <= 2 + above(high))


def leapfrog_keeps(steps: int, first: Expr, low: Expr, high: Expr) -> bool:
    """Whether |P_N(x)| ≤ 1 for all x = h²ω² in [low, high], P₀ = 1, P₁ = 1 - first·x, P₊ = (2 - x)P - P₋.

    For first = ½ it is cos Nθ with cos θ = 1 - x/2, which is at most 1 for 0 ≤ x ≤ 4, whatever N is.
    """
    if first == Rational(1, 2) and low >= 0 and high <= 4:
        return True
    if steps > DEGREE:
        return False
    before, now = Poly(1, X), Poly(1 - first * X, X)
    for _ in range(steps - 1):
        before, now = now, Poly(2 - X, X) * now - before
    return within_one(now, low, high)


def within_one(p: Poly, low: Expr, high: Expr) -> bool:
    return bool(low.is_finite and high.is_finite) and nonnegative(1 - p**2, below(low), above(high))


def nonnegative(q: Poly, a: Rational, b: Rational) -> bool:
    """Whether q ≥ 0 on [a, b]: no root of odd order lies inside, and a nonzero value inside is positive."""
    if a == b or q.is_ground:
        return bool(q.eval(a) >= 0)
    for factor, order in q.sqf_list()[1]:
        if order % 2 and factor.count_roots(a, b) > (factor.eval(a) == 0) + (factor.eval(b) == 0):
            return False
    n = q.degree() + 2
    inside = (q.eval(a + (b - a) * Rational(k, n)) for k in range(1, n))
    return bool(next(value for value in inside if value != 0) > 0)


def below(x: Expr) -> Rational:
    return x if x.is_Rational else Rational(floor(x * GRID), GRID)


def above(x: Expr) -> Rational:
    return x if x.is_Rational else Rational(ceiling(x * GRID), GRID)
