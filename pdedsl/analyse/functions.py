"""Ranges of functions of one variable over an interval, rounded outwards.

Arguments of sines are measured in units of π, so that sin(πx) ≥ 0 on [0, 1] is found (Moore, Kearfott, Cloud,
Introduction to Interval Analysis, chapter 5).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import inf

from sympy import Abs, Expr, acos, asin, atan, cosh, erf, exp, log, sign, sinh, tan, tanh

from pdedsl.analyse.intervals import ROUND, End, Range, about, integer_power, modulus, times
from pdedsl.numerics.activations import ABS, IDENTITY, RELU, SQUARE
from pdedsl.numerics.activations import Activation as Record
from pdedsl.symbolic.activations import Activation, Slope


def sine(x: Range) -> Range:
    """sin(πx)."""
    if math.isinf(x.low) or math.isinf(x.high) or x.high - x.low >= 2:
        return Range(Fraction(-1), Fraction(1))
    ends = [_sine_at(x.low), _sine_at(x.high)]
    low, high = min(e.low for e in ends), max(e.high for e in ends)
    first = math.floor(x.low)
    for k in range(first, math.ceil(x.high) + 1):
        if Fraction(2 * k + 1, 2) in x:  # sin is ±1 half-way between its zeros
            low, high = (low, Fraction(1)) if k % 2 == 0 else (Fraction(-1), high)
    return Range(max(low, Fraction(-1)), min(high, Fraction(1)))


def _sine_at(x: End) -> Range:
    reduced = Fraction(x) % 2
    if 2 * reduced % 1 == 0:
        quarter = Fraction((0, 1, 0, -1)[int(2 * reduced)])
        return Range(quarter, quarter)
    value = Fraction(math.sin(math.pi * float(reduced)))
    return Range(value - ROUND, value + ROUND)


NEAR = Fraction(1, 10**15)  # absolute error where a function adds 1 and subtracts it again

RISING: dict[type[Expr], tuple[Callable[[float], float], End, End]] = {
    exp: (math.exp, Fraction(0), inf),
    tanh: (math.tanh, Fraction(-1), Fraction(1)),
    atan: (math.atan, Fraction(-2), Fraction(2)),
    erf: (math.erf, Fraction(-1), Fraction(1)),
    sinh: (math.sinh, -inf, inf),
    asin: (math.asin, Fraction(-2), Fraction(2)),
}
ZEROS: dict[type[Expr], tuple[int, int]] = {exp: (0, 1), tanh: (0, 0), atan: (0, 0), erf: (0, 0), sinh: (0, 0)}


def function_of(e: Expr, x: Range) -> Range | None:
    match e:
        case Abs():
            return modulus(x)
        case sign():
            return Range(Fraction(_sign(x.low)), Fraction(_sign(x.high)))
        case cosh():
            size = modulus(x)
            return Range(Fraction(1), _value(math.cosh, size.high, inf).high)
        case log():
            return _logarithm(x)
        case tan() if x.low > -1.57 and x.high < 1.57:
            return Range(_value(math.tan, x.low, -inf).low, _value(math.tan, x.high, inf).high)
        case asin() | acos() if x.low < -1 or x.high > 1:
            return None
        case Slope():
            return _slope(e)
        case Activation():
            return _activation(e.record, x)
    found = RISING.get(type(e))
    return None if found is None else _rising(type(e), x, *found)


def step(x: Range) -> Range:
    return Range(Fraction(int(x.low > 0)), Fraction(int(x.high >= 0)))


def _sign(x: End) -> int:
    return (x > 0) - (x < 0)


def _rising(kind: type[Expr], x: Range, f: Callable[[float], float], least: End, most: End) -> Range:
    ends = []
    for end, limit in ((x.low, least), (x.high, most)):
        at, value = ZEROS.get(kind, (None, 0))
        ends.append(Range(Fraction(value), Fraction(value)) if end == at else _value(f, end, limit))
    return Range(max(ends[0].low, least), min(ends[1].high, most))


def _value(f: Callable[[float], float], x: End, limit: End, error: Fraction = Fraction(0)) -> Range:
    """A range that contains f(x), exact if f(0) = 0 and x = 0; `limit` if x is infinite."""
    if math.isinf(x):
        return Range(limit, limit)
    if x == 0 and f(0.0) == 0:
        return Range(Fraction(0), Fraction(0))
    try:
        return about(f(float(x)), error)
    except OverflowError:
        return Range(Fraction(10**300), inf) if x > 0 else Range(-inf, Fraction(-(10**300)))


def _logarithm(x: Range) -> Range | None:
    if x.low < 0 or x.high == 0:
        return None
    return Range(_log(x.low).low, _log(x.high).high)


def _log(x: End) -> Range:
    if x == 0 or math.isinf(x):
        return Range(-inf, -inf) if x == 0 else Range(inf, inf)
    if x == 1 or float(x) == 0:
        return Range(Fraction(0), Fraction(0)) if x == 1 else Range(-inf, Fraction(-700))
    return about(math.log(float(x)), NEAR)  # near 1 the rounding of the argument counts, too


def _slope(e: Slope) -> Range:
    most = _end(e.of.lipschitz)
    return Range(Fraction(0) if e.of.monotone else -most, most)


def _end(x: float) -> End:
    """The exact fraction of a decimal number, as written."""
    return x if math.isinf(x) else Fraction(str(x))


def _activation(facts: Record, x: Range) -> Range | None:
    if facts is SQUARE:
        return integer_power(x, 2)
    if facts is ABS:
        return modulus(x)
    least, most = _end(facts.least), _end(facts.most)
    if not facts.monotone:
        size = modulus(x)
        wide = times(size, Range(Fraction(-2), Fraction(2)))
        return Range(max(wide.low, least), min(wide.high, most))
    ends = [Range(Fraction(0), Fraction(0)) if end == 0 and facts.keeps_sign else None for end in (x.low, x.high)]
    low = ends[0] or (_exact_line(facts, x.low) or _value(facts, x.low, least, NEAR))
    high = ends[1] or (_exact_line(facts, x.high) or _value(facts, x.high, most, NEAR))
    return Range(max(low.low, least), min(high.high, most))


def _exact_line(facts: Record, x: End) -> Range | None:
    """relu and the identity without rounding."""
    if facts is RELU:
        x = max(x, Fraction(0))
    elif facts is not IDENTITY:
        return None
    return Range(x, x)
