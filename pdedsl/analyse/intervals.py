"""Ranges of expressions over boxes, rounded outwards: what they show of a sign is a proof.

Sums, products and powers are exact in rational numbers; values of other functions are rounded outwards. Sines of a
multiple of π are read in units of π, so that sin(πx) ≥ 0 on [0, 1] is seen (Moore, Kearfott, Cloud, Introduction to
Interval Analysis, chapters 2 and 5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TypeAlias

from sympy import (
    Abs,
    Add,
    Expr,
    Heaviside,
    Integer,
    Max,
    Min,
    Mul,
    Number,
    Pow,
    Rational,
    S,
    Symbol,
    acos,
    asin,
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
    tan,
    tanh,
)

from pdedsl.numerics.activations import ABS, IDENTITY, RELU, SQUARE
from pdedsl.numerics.activations import Activation as Record
from pdedsl.symbolic.activations import Activation, Slope
from pdedsl.symbolic.symbols import INDEX, Component, Contraction, Field, Partial

End: TypeAlias = "Fraction | float"  # a float where it is infinite
ROUND = Fraction(1, 10**12)  # relative error of a function of floating-point numbers, generously
MAX_POWER = 64  # that is worked out exactly
LARGE = 1 << 200  # of a denominator that is rounded


@dataclass(frozen=True)
class Range:
    """[low, high]: every value lies in it."""

    low: End
    high: End

    def __contains__(self, value: End) -> bool:
        return self.low <= value <= self.high


Box = Mapping[Symbol, Range]
LINE = Range(-inf, inf)
POSITIVE = Range(Fraction(0), inf)


def exact(value: Expr) -> Range | None:
    """A number as a range."""
    if isinstance(value, Rational):
        return Range(Fraction(int(value.p), int(value.q)), Fraction(int(value.p), int(value.q)))
    if not value.is_real:
        return None
    return _about(float(value.evalf(20)))


def _about(value: float) -> Range:
    if math.isinf(value):
        return Range(value, value)
    middle = Fraction(value)
    return Range(middle - abs(middle) * ROUND, middle + abs(middle) * ROUND)


def range_of(expr: Expr, box: Box, dimension: int | None = None, poles: bool = False) -> Range | None:
    """The range of an expression, or a larger one; None where it may have no value, or no rule is known.

    `dimension` is that of a space that is not written out; None where it is any. With `poles` only the values count
    that there are: 1/x is above zero for x ≥ 0.
    """
    try:
        return _Reader(box, dimension, poles).read(expr)
    except OverflowError:  # a number beyond those of floating point
        return None


@dataclass(frozen=True)
class _Reader:
    box: Box
    dimension: int | None
    poles: bool

    def read(self, e: Expr) -> Range | None:
        match e:
            case Number() if e.is_real:
                return exact(e)
            case _ if e in (S.Pi, S.Exp1):
                return exact(e)
            case Symbol():
                return self.box.get(e) or _by_sign(e)
            case Component() if e.args[1] == INDEX or not e.args[1].is_Integer:
                return LINE
            case Field() | Component() | Partial():
                return _by_sign(e)
            case Add():
                return self._all(e.args, _plus)
            case Mul():
                return self._product(e)
            case Pow(base=base, exp=power):
                return self._power(base, power)
            case Contraction(body=body):
                return self._sum(body)
            case Max():
                return self._all(e.args, lambda a, b: Range(max(a.low, b.low), max(a.high, b.high)))
            case Min():
                return self._all(e.args, lambda a, b: Range(min(a.low, b.low), min(a.high, b.high)))
            case sin() | cos():
                return self._wave(e)
            case Heaviside():
                inner = self.read(e.args[0])
                return Range(Fraction(0), Fraction(1)) if inner is None else _step(inner)
            case _ if len(e.args) == 1:
                inner = self.read(e.args[0])
                return None if inner is None else _function(e, inner)
        return None

    def _all(self, args: tuple[Expr, ...], combine: Callable[[Range, Range], Range]) -> Range | None:
        found = [self.read(a) for a in args]
        if any(f is None for f in found):
            return None
        whole, *rest = (f for f in found if f is not None)
        for other in rest:
            whole = combine(whole, other)
        return _rounded(whole)

    def _product(self, e: Mul) -> Range | None:
        """x sign(x) is |x|, and x/√(c + x²) lies between -1 and 1 for c ≥ 0."""
        args = list(e.args)
        for s in (a for a in e.args if isinstance(a, sign) and a.args[0] in args):
            args = [a for a in args if a is not s and a != s.args[0]] + [Abs(s.args[0])]
        for root in (a for a in e.args if isinstance(a, Pow) and a.exp == Rational(-1, 2)):
            found = next((a for a in args if self._is_below(a, root.base)), None)
            if found is not None:
                rest = self._all((*(a for a in args if a is not found and a is not root), S.One), _times)
                return None if rest is None else _times(rest, Range(Fraction(-1), Fraction(1)))
        return self._all(tuple(args), _times)

    def _is_below(self, a: Expr, square: Expr) -> bool:
        """Whether a² is at most `square`."""
        rest = self.read(square - a**2) if a.is_Symbol and a in square.free_symbols else None
        return rest is not None and rest.low >= 0

    def _power(self, base: Expr, power: Expr) -> Range | None:
        if base == S.Exp1:
            inner = self.read(power)
            return None if inner is None else _function(exp(power, evaluate=False), inner)
        x = self.read(base)
        if x is None or not isinstance(power, Rational):
            return None
        if isinstance(power, Integer) and power > 0:
            return _rounded(_integer_power(x, int(power)))
        if power < 0:
            below = self._power(base, -power)
            if below is not None and self.poles and below.low == 0 < below.high:
                return Range(Fraction(0) if math.isinf(below.high) else 1 / below.high, inf)
            return None if below is None or 0 in below else _inverse(below)
        return _root(x, Fraction(int(power.p), int(power.q))) if x.low >= 0 else None

    def _sum(self, body: Expr) -> Range | None:
        """Σᵢ g(xᵢ) lies between n min g and n max g."""
        g = self.read(body)
        if g is None:
            return None
        if self.dimension is not None:
            return _times(g, Range(Fraction(self.dimension), Fraction(self.dimension)))
        return _times(g, Range(Fraction(1), inf))

    def _wave(self, e: Expr) -> Range | None:
        """sin and cos, their argument in units of π where it is a multiple of π."""
        argument = e.args[0]
        units = argument / pi
        shift = Fraction(1, 2) if isinstance(e, cos) else Fraction(0)
        if not units.has(pi):
            inner = self.read(units)
            return None if inner is None else _sine(Range(inner.low + shift, inner.high + shift))
        inner = self.read(argument)
        if inner is None or math.isinf(inner.high - inner.low):
            return None if inner is None else Range(Fraction(-1), Fraction(1))
        low, high = (_about(float(end) / math.pi) for end in (inner.low, inner.high))
        if isinstance(e, sin) and inner.low == 0 and inner.high <= Fraction(3):
            return Range(Fraction(0), Fraction(1))
        return _sine(Range(low.low + shift, high.high + shift))


def _by_sign(e: Expr) -> Range:
    return POSITIVE if e.is_nonnegative else Range(-inf, Fraction(0)) if e.is_nonpositive else LINE


# ---- arithmetic


def _plus(a: Range, b: Range) -> Range:
    return Range(a.low + b.low, a.high + b.high)


def _times(a: Range, b: Range) -> Range:
    corners = [_by(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Range(min(corners), max(corners))


def _by(x: End, y: End) -> End:
    return Fraction(0) if x == 0 or y == 0 else x * y


def _integer_power(x: Range, n: int) -> Range:
    if n > MAX_POWER:
        return POSITIVE if n % 2 == 0 or x.low >= 0 else LINE
    ends = [_raised(x.low, n), _raised(x.high, n)]
    if n % 2 == 0 and x.low < 0 < x.high:
        ends.append(Fraction(0))
    return Range(min(ends), max(ends))


def _raised(x: End, n: int) -> End:
    return x if isinstance(x, float) and (x > 0 or n % 2) else inf if isinstance(x, float) else x**n


def _inverse(x: Range) -> Range:
    return Range(*(Fraction(0) if math.isinf(end) else 1 / end for end in (x.high, x.low)))


def _root(x: Range, power: Fraction) -> Range:
    """x^power for x ≥ 0 and power > 0."""
    return Range(_raised_to(x.low, power).low, _raised_to(x.high, power).high)


def _raised_to(x: End, power: Fraction) -> Range:
    if x in (0, 1) or math.isinf(x):
        return Range(x, x)
    return _about(float(x) ** float(power))


def _rounded(x: Range) -> Range:
    """Outwards, where exact numbers have become long."""
    if all(isinstance(end, float) or end.denominator < LARGE for end in (x.low, x.high)):
        return x
    return Range(_about(float(x.low)).low, _about(float(x.high)).high)


def _sine(x: Range) -> Range:
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


# ---- functions

RISING: dict[type[Expr], tuple[Callable[[float], float], End, End]] = {
    exp: (math.exp, Fraction(0), inf),
    tanh: (math.tanh, Fraction(-1), Fraction(1)),
    atan: (math.atan, Fraction(-2), Fraction(2)),
    erf: (math.erf, Fraction(-1), Fraction(1)),
    sinh: (math.sinh, -inf, inf),
    asin: (math.asin, Fraction(-2), Fraction(2)),
}
ZEROS: dict[type[Expr], tuple[int, int]] = {exp: (0, 1), tanh: (0, 0), atan: (0, 0), erf: (0, 0), sinh: (0, 0)}


def _function(e: Expr, x: Range) -> Range | None:
    match e:
        case Abs():
            return _modulus(x)
        case sign():
            return Range(Fraction(_sign(x.low)), Fraction(_sign(x.high)))
        case cosh():
            size = _modulus(x)
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


def _step(x: Range) -> Range:
    return Range(Fraction(int(x.low > 0)), Fraction(int(x.high >= 0)))


def _sign(x: End) -> int:
    return (x > 0) - (x < 0)


def _modulus(x: Range) -> Range:
    low, high = _size(x.low), _size(x.high)
    return Range(Fraction(0) if 0 in x else min(low, high), max(low, high))


def _size(x: End) -> End:
    return -x if x < 0 else x


def _rising(kind: type[Expr], x: Range, f: Callable[[float], float], least: End, most: End) -> Range:
    ends = []
    for end, limit in ((x.low, least), (x.high, most)):
        at, value = ZEROS.get(kind, (None, 0))
        ends.append(Range(Fraction(value), Fraction(value)) if end == at else _value(f, end, limit))
    return Range(max(ends[0].low, least), min(ends[1].high, most))


def _value(f: Callable[[float], float], x: End, limit: End) -> Range:
    if math.isinf(x):
        return Range(limit, limit)
    try:
        return _about(f(float(x)))
    except OverflowError:
        return Range(Fraction(10**300), inf) if x > 0 else Range(-inf, Fraction(-(10**300)))


def _logarithm(x: Range) -> Range | None:
    if x.low < 0 or x.high == 0:
        return None
    return Range(_log(x.low).low, _log(x.high).high)


def _log(x: End) -> Range:
    if x == 0 or math.isinf(x):
        return Range(-inf, -inf) if x == 0 else Range(inf, inf)
    return Range(Fraction(0), Fraction(0)) if x == 1 else _about(math.log(float(x)))


def _slope(e: Slope) -> Range:
    most = _end(e.of.lipschitz)
    return Range(Fraction(0) if e.of.monotone else -most, most)


def _end(x: float) -> End:
    """A decimal number as it is written."""
    return x if math.isinf(x) else Fraction(str(x))


def _activation(facts: Record, x: Range) -> Range | None:
    if facts is SQUARE:
        return _integer_power(x, 2)
    if facts is ABS:
        return _modulus(x)
    least, most = _end(facts.least), _end(facts.most)
    if not facts.monotone:
        size = _modulus(x)
        wide = _times(size, Range(Fraction(-2), Fraction(2)))
        return Range(max(wide.low, least), min(wide.high, most))
    ends = [Range(Fraction(0), Fraction(0)) if end == 0 and facts.keeps_sign else None for end in (x.low, x.high)]
    low = ends[0] or (_exact_line(facts, x.low) or _value(facts, x.low, least))
    high = ends[1] or (_exact_line(facts, x.high) or _value(facts, x.high, most))
    return Range(max(low.low, least), min(high.high, most))


def _exact_line(facts: Record, x: End) -> Range | None:
    """relu and the identity without rounding."""
    if facts is RELU:
        x = max(x, Fraction(0))
    elif facts is not IDENTITY:
        return None
    return Range(x, x)
