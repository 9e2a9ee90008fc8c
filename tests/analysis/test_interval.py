"""Interval arithmetic: ranges contain the values of an expression, with exact ends where these are rational."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from random import Random

import mpmath
import pytest
from sympy import (
    Abs,
    Expr,
    Heaviside,
    Max,
    Min,
    Rational,
    S,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    tanh,
)

from pdedsl.analysis.bounds.interval import RealInterval, range_of

x, y = Symbol("x", real=True), Symbol("y", real=True)
DIGITS = 40
FUNCTIONS = (sin, cos, exp, sinh, cosh, tanh, atan, erf, Abs, sign, Heaviside, lambda e: e**2, lambda e: e**3)


def interval(low: object, high: object) -> RealInterval:
    ends = [end if end in (-inf, inf) else Fraction(str(end)) for end in (low, high)]
    return RealInterval(*ends)


def expression(rng: Random, depth: int) -> Expr:
    if depth == 0:
        return rng.choice((x, y, Rational(rng.randint(-5, 5), rng.randint(1, 4)), pi, sqrt(2)))
    a, b = expression(rng, depth - 1), expression(rng, depth - 1)
    inner = rng.choice(FUNCTIONS)(a)
    return rng.choice(
        (a + b, a * b, Max(a, b), Min(a, b), inner, inner, log(1 + a**2), sqrt(1 + Abs(a)), 1 / (1 + a**2))
    )


def contains(found: RealInterval, value: Expr) -> bool:
    """Whether a range contains a value, but for the rounding of its last digits."""
    exact = Fraction(str(value))
    error = Fraction(1, 10 ** (DIGITS - 5)) * max(1, abs(exact))
    return found.low - error <= exact <= found.high + error


@pytest.mark.parametrize("seed", range(8))
def test_ranges_contain_values(seed: int) -> None:
    """At random points and at the ends of random boxes, by an evaluation with 40 digits."""
    rng = Random(seed)
    checked = 0
    for _ in range(10):
        ends = {s: sorted(Fraction(rng.randint(-40, 40), rng.randint(1, 12)) for _ in range(2)) for s in (x, y)}
        expr = expression(rng, 3)
        found = range_of(expr, {s: RealInterval(*pair) for s, pair in ends.items()})
        if found is None:
            continue
        for _ in range(5):
            at = {s: rng.choice((a, b, a + (b - a) * Fraction(rng.random()))) for s, (a, b) in ends.items()}
            value = expr.xreplace({s: Rational(v.numerator, v.denominator) for s, v in at.items()}).evalf(DIGITS)
            assert contains(found, value), (expr, at, found)
            checked += 1
    assert checked > 20


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        (sin(pi * x), 0, 1),
        (cos(pi * x / 2), 0, 1),
        (cos(2 * pi * x), -1, 1),
        (x**2 / 3, 0, Fraction(1, 3)),
        (x * sign(x), 0, 1),
        (y * sign(y), 0, inf),
        (y / sqrt(1 + y**2), -1, 1),
        (exp(y), 0, inf),
        (tanh(y), -1, 1),
        (Max(x, Rational(1, 2)), Fraction(1, 2), 1),
        (Heaviside(x - 2), 0, 0),
    ],
)
def test_exact_ends(expr: Expr, low: object, high: object) -> None:
    """Rational ends and multiples of π are not rounded: x in [0, 1], y on the line."""
    assert range_of(expr, {x: interval(0, 1), y: interval(-inf, inf)}) == interval(low, high)


@pytest.mark.parametrize("expr", [log(x - 2), 1 / x, sqrt(x - 1), S.ImaginaryUnit * x, exp(1000 * (1 + x))])
def test_undefined_and_too_large(expr: Expr) -> None:
    assert range_of(expr, {x: interval(0, 1)}) is None


@pytest.mark.parametrize("function", [exp, log, lambda e: sin(pi * e)])
def test_transcendental_functions_are_rounded_outwards(function: object) -> None:
    """The enclosure of a value at a rational point contains it and is wider by a few units in the last place only."""
    rng = Random(1)
    for _ in range(50):
        point = Fraction(rng.randint(1, 10_000), rng.randint(1, 10_000))
        found = range_of(function(x), {x: RealInterval(point, point)})  # type: ignore[operator]
        with mpmath.workdps(DIGITS):
            exact = function(Rational(point.numerator, point.denominator)).evalf(DIGITS)  # type: ignore[operator]
        assert found is not None
        assert contains(found, exact)
        assert found.high - found.low <= Fraction(1, 10**14) * max(1, abs(found.high))
