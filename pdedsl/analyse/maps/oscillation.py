"""Linear equations that oscillate: second order in time from rest, and pairs whose halves rotate into each other."""

from __future__ import annotations

from fractions import Fraction

from sympy import Expr

from pdedsl.analyse.maps.polynomials import leapfrog_keeps, rational, swings
from pdedsl.analyse.maps.system import System
from pdedsl.analyse.maps.words import named, spans
from pdedsl.ir.terms import Reaction
from pdedsl.ir.verdicts import Proved, Unknown
from pdedsl.numerics.contractivity import Matrix, is_semidefinite
from pdedsl.numerics.integrators import Leapfrog, RungeKutta, Series, Verlet

POWERS = 64  # of the matrix of a step, at most


def swing(system: System) -> Proved | Unknown:
    """Y″ = -SY from rest, with the same symmetric S in all steps: the network is a polynomial in S."""
    stepping, slopes = system.stepping, system.slopes
    why = "states swing, and whether two of them part by the end is not known"
    unknown = Unknown(f"{named(system.all_terms)} drives a second-order equation: {why}.", spans(system.all_terms))
    if slopes is None or not system.is_linear or not system.is_static or stepping.step is None:
        return unknown
    low, high = stepping.step**2 * slopes.low, stepping.step**2 * slopes.high
    if not (low.is_finite and high.is_finite and _keeps(system, low, high)):
        return unknown
    within = f"δt² ‖S‖ in [{low}, {high}]"
    reason = f"the equation is linear with the same weights at all steps, and {within}"
    checked = ("a linear equation with a symmetric operator S", "one S for all steps", "rest at the start", within)
    return Proved(f"{reason}: by {stepping.name} no state ends larger than it began.", checked)


def _keeps(system: System, low: Expr, high: Expr) -> bool:
    match system.stepping.method:
        case Leapfrog():
            return leapfrog_keeps(system.stepping.steps or 1, system.stepping.first, low, high)
        case RungeKutta() as method:
            return bool(low >= 0) and swings(method, high)
        case _:
            return False


def turn(system: System) -> Proved | Unknown:
    """Y' = aZ, Z' = bY with numbers a and b: the network is a power of one matrix."""
    stepping, at = system.stepping, spans(system.all_terms)
    unknown = Unknown("the two halves turn about each other: distances may grow and shrink again.", at)
    if not all(isinstance(term, Reaction) for term in system.all_terms) or stepping.step is None:
        return unknown
    rates = [stepping.step * sum(t.rate for t in terms if isinstance(t, Reaction)) for terms in system.terms]
    if not all(rate.is_Rational for rate in rates):
        return unknown
    step = _turning(system, *(Fraction(int(rate.p), int(rate.q)) for rate in rates))
    if step is None or not (_shrinks(step) or _shrinks(_power(step, stepping.steps or 1))):
        return unknown
    reason = f"the two halves turn into each other, and by {stepping.name} no state grows"
    return Proved(f"{reason}.", ("linear with numbers for coefficients", "‖M‖ ≤ 1 for the matrix M of the steps"))


def _turning(system: System, a: Fraction, b: Fraction) -> Matrix | None:
    """The matrix of a step: R([[0, a], [b, 0]]) = E(ab) + [[0, a], [b, 0]] O(ab), or that of Verlet."""
    match system.stepping.method:
        case Verlet():
            return [[Fraction(1), a], [b, 1 + a * b]]
        case RungeKutta() as method:
            return _rotated([Fraction(int(x.p), int(x.q)) for x in rational(method)], a, b)
        case Series() if system.stepping.terms <= POWERS:
            return _rotated([Fraction(1)] * (system.stepping.terms + 1), a, b)
        case _:
            return None


def _rotated(r: list[Fraction], a: Fraction, b: Fraction) -> Matrix:
    even = sum((x * (a * b) ** k for k, x in enumerate(r[0::2])), Fraction(0))
    odd = sum((x * (a * b) ** k for k, x in enumerate(r[1::2])), Fraction(0))
    return [[even, a * odd], [b * odd, even]]


def _power(matrix: Matrix, n: int) -> Matrix:
    """Mⁿ, or M if n is too large."""
    found = matrix
    for _ in range(n - 1 if n <= POWERS else 0):
        found = _product(found, matrix)
    return found


def _product(p: Matrix, q: Matrix) -> Matrix:
    return [[sum((p[i][k] * q[k][j] for k in (0, 1)), Fraction(0)) for j in (0, 1)] for i in (0, 1)]


def _shrinks(m: Matrix) -> bool:
    """Whether I - MᵀM is positive semidefinite."""
    square = _product([list(column) for column in zip(*m, strict=True)], m)
    return is_semidefinite([[(i == j) - square[i][j] for j in (0, 1)] for i in (0, 1)])
