"""Signs of polynomials in one variable: constant between consecutive roots, which are isolated exactly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import isinf

from sympy import Expr, Poly, PolynomialError, Rational, S, Symbol, ceiling, floor, real_roots

from pdedsl.analyse.intervals import LINE, Box, Range

MAX_DEGREE = 12


def polynomial_above(expr: Expr, x: Symbol, ends: Range) -> bool:
    """Whether a polynomial is nonnegative on an interval, by its values between its roots."""
    values = between_roots(expr, x, ends)
    return values is not None and all(v >= 0 for v in values)


def between_roots(expr: Expr, x: Symbol, ends: Range) -> list[Expr] | None:
    try:
        poly = Poly(expr, x)
    except PolynomialError:
        return None
    if poly.degree() > MAX_DEGREE or not all(c.is_Rational for c in poly.all_coeffs()):
        return None
    if poly.degree() <= 0:
        return [poly.as_expr()]
    return [poly.eval(p) for p in _places(poly, ends)]


def places_between_roots(expr: Expr, x: Symbol, ends: Range) -> list[Rational]:
    """Points at which a polynomial takes each of its signs."""
    poly = Poly(expr, x) if expr.is_polynomial(x) else None
    if poly is None or not 0 < poly.degree() <= MAX_DEGREE or not all(c.is_Rational for c in poly.all_coeffs()):
        return []
    return list(_places(poly, ends))


def _places(poly: Poly, ends: Range) -> Iterator[Rational]:
    """A rational number in each interval between consecutive roots and ends."""
    low, high = (None if isinf(e) else Rational(e.numerator, e.denominator) for e in (ends.low, ends.high))  # type: ignore[union-attr]
    found = dict.fromkeys(real_roots(poly))
    marks = [low, *(r for r in found if (low is None or r > low) and (high is None or r < high)), high]
    for a, b in pairwise(marks):
        if a is None or b is None:
            beside = a if a is not None else b
            yield S.Zero if beside is None else floor(beside) - 1 if a is None else ceiling(beside) + 1
        else:
            yield _between(a, b)


def _between(a: Expr, b: Expr) -> Rational:
    """A rational number strictly between two numbers, with as many digits as it takes."""
    digits = 20
    while True:
        middle = Rational(((a + b) / 2).evalf(digits))
        if a < middle < b:
            return middle
        digits *= 2


def has_no_root(expr: Expr, box: Box) -> bool:
    symbols = sorted(expr.free_symbols, key=str)
    if len(symbols) != 1 or not expr.is_polynomial(symbols[0]):
        return False
    ends = box.get(symbols[0]) or LINE
    poly = Poly(expr, symbols[0])
    if poly.degree() > MAX_DEGREE or not all(c.is_Rational for c in poly.all_coeffs()):
        return False
    return not any(ends.low < float(r) + 1e-9 and float(r) - 1e-9 < ends.high for r in real_roots(poly))
