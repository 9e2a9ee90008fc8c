"""Intervals with exact ends, and their arithmetic, rounded outwards: a sign found this way is proved.

Sums, products and powers of rational numbers are exact; other numbers are rounded outwards (Moore, Kearfott, Cloud,
Introduction to Interval Analysis, chapter 2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TypeAlias

from sympy import Expr, Rational, Symbol

End: TypeAlias = "Fraction | float"  # a float where it is infinite
ROUND = Fraction(1, 10**12)  # a generous bound of the relative error of floating-point functions
TINY = Fraction(1, 10**300)  # below this, floating-point numbers lose digits and underflow
MAX_POWER = 64  # largest exponent that is computed exactly
LARGE = 1 << 200  # denominators from this size on are rounded


@dataclass(frozen=True)
class Range:
    """An interval [low, high] that contains every value."""

    low: End
    high: End

    def __contains__(self, value: End) -> bool:
        return self.low <= value <= self.high


Box = Mapping[Symbol, Range]
LINE = Range(-inf, inf)
POSITIVE = Range(Fraction(0), inf)


def exact(value: Expr) -> Range | None:
    """A range that contains a number, exact if the number is rational."""
    if isinstance(value, Rational):
        return Range(Fraction(int(value.p), int(value.q)), Fraction(int(value.p), int(value.q)))
    if not value.is_real:
        return None
    return about(float(value.evalf(20)))


def about(value: float, error: Fraction = Fraction(0)) -> Range:
    """A range around a floating-point result: `error` plus a relative error, or plus TINY near underflow."""
    if math.isinf(value):
        return Range(value, value)
    middle = Fraction(value)
    error += abs(middle) * ROUND if abs(middle) > TINY else TINY
    return Range(middle - error, middle + error)


def plus(a: Range, b: Range) -> Range:
    return Range(a.low + b.low, a.high + b.high)


def times(a: Range, b: Range) -> Range:
    corners = [_by(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Range(min(corners), max(corners))


def _by(x: End, y: End) -> End:
    return Fraction(0) if x == 0 or y == 0 else x * y


def integer_power(x: Range, n: int) -> Range:
    if n > MAX_POWER:
        return POSITIVE if n % 2 == 0 or x.low >= 0 else LINE
    ends = [_raised(x.low, n), _raised(x.high, n)]
    if n % 2 == 0 and x.low < 0 < x.high:
        ends.append(Fraction(0))
    return Range(min(ends), max(ends))


def _raised(x: End, n: int) -> End:
    return x if isinstance(x, float) and (x > 0 or n % 2) else inf if isinstance(x, float) else x**n


def inverse(x: Range) -> Range:
    return Range(*(Fraction(0) if math.isinf(end) else 1 / end for end in (x.high, x.low)))


def fractional_power(x: Range, power: Fraction) -> Range:
    """x^power for x ≥ 0 and power > 0."""
    return Range(_raised_to(x.low, power).low, _raised_to(x.high, power).high)


def _raised_to(x: End, power: Fraction) -> Range:
    if x in (0, 1) or math.isinf(x):
        return Range(x, x)
    return about(float(x) ** float(power))


def rounded(x: Range) -> Range:
    """Rounds outwards where fractions have become long; signs are kept."""
    low, high = x.low, x.high
    if isinstance(low, Fraction) and low.denominator >= LARGE:
        low = max(about(float(low)).low, Fraction(0)) if low > 0 else about(float(low)).low
    if isinstance(high, Fraction) and high.denominator >= LARGE:
        high = min(about(float(high)).high, Fraction(0)) if high < 0 else about(float(high)).high
    return Range(low, high)


def modulus(x: Range) -> Range:
    low, high = _size(x.low), _size(x.high)
    return Range(Fraction(0) if 0 in x else min(low, high), max(low, high))


def _size(x: End) -> End:
    return -x if x < 0 else x
