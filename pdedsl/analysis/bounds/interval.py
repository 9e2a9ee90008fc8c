"""Interval arithmetic with outward rounding: the algebra of intervals for the fold, and ranges over boxes.

Sums, products and powers of rational numbers are exact; other numbers are rounded outwards (Moore, Kearfott, Cloud,
Introduction to Interval Analysis, chapters 2 and 5). The arguments of sines are measured in units of π, so that
sin(πx) ≥ 0 on [0, 1] is proved.

Where the range of an expression does not follow from those of its arguments, a rule of `_RangeEvaluator` looks at the
arguments themselves, as in x sign(x) = |x|, x/√(c + x²) ≤ 1 and sin(πx). `mpmath.iv` encloses exp, log and sin; it has
no other of these functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import inf
from typing import Any, TypeAlias

from mpmath import iv
from mpmath.libmp import to_float
from sympy import Abs, Expr, Integer, Mul, Number, Pow, Rational, S, Symbol, cos, pi, sign, sin

from pdedsl.numerics.activations import Activation
from pdedsl.record import Record
from pdedsl.symbolic.data_functions import DataFunction
from pdedsl.symbolic.evaluate import Operations, fold
from pdedsl.symbolic.functions import ActivationDerivative, ActivationFunction
from pdedsl.symbolic.symbols import INDEX, Component, Contraction, Field, Partial

# ---- Intervals


End: TypeAlias = "Fraction | float"  # a float where it is infinite
FLOAT_RTOL = Fraction(1, 10**12)  # bounds the relative error of the functions of `math`
UNDERFLOW = Fraction(1, 10**300)  # below this, floats are subnormal or underflow
MAX_POWER = 64  # largest exponent that is computed exactly
MAX_DENOMINATOR = 1 << 200  # fractions with larger denominators are rounded


class RealInterval(Record):
    """An interval [low, high] that contains every value."""

    low: End
    high: End

    def __contains__(self, value: End) -> bool:
        return self.low <= value <= self.high


Box = Mapping[Symbol, RealInterval]
LINE = RealInterval(-inf, inf)
POSITIVE = RealInterval(Fraction(0), inf)


def enclosure_of_number(value: Expr) -> RealInterval | None:
    """An enclosure of a number, exact if the number is rational."""
    if isinstance(value, Rational):
        return RealInterval(Fraction(int(value.p), int(value.q)), Fraction(int(value.p), int(value.q)))
    if not value.is_real:
        return None
    return enclosure(float(value.evalf(20)))


def enclosure(value: float) -> RealInterval:
    """An enclosure of a floating-point result, with a relative error, or with UNDERFLOW near zero."""
    if math.isinf(value):
        return RealInterval(value, value)
    middle = Fraction(value)
    error = abs(middle) * FLOAT_RTOL if abs(middle) > UNDERFLOW else UNDERFLOW
    return RealInterval(middle - error, middle + error)


def add(a: RealInterval, b: RealInterval) -> RealInterval:
    return RealInterval(a.low + b.low, a.high + b.high)


def multiply(a: RealInterval, b: RealInterval) -> RealInterval:
    corners = [_multiply_ends(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return RealInterval(min(corners), max(corners))


def _multiply_ends(x: End, y: End) -> End:
    return Fraction(0) if x == 0 or y == 0 else x * y


def integer_power(x: RealInterval, n: int) -> RealInterval:
    if n > MAX_POWER:
        return POSITIVE if n % 2 == 0 or x.low >= 0 else LINE
    ends = [_raise_end(x.low, n), _raise_end(x.high, n)]
    if n % 2 == 0 and x.low < 0 < x.high:
        ends.append(Fraction(0))
    return RealInterval(min(ends), max(ends))


def _raise_end(x: End, n: int) -> End:
    return x if isinstance(x, float) and (x > 0 or n % 2) else inf if isinstance(x, float) else x**n


def inverse(x: RealInterval) -> RealInterval:
    return RealInterval(*(Fraction(0) if math.isinf(end) else 1 / end for end in (x.high, x.low)))


def fractional_power(x: RealInterval, power: Fraction) -> RealInterval:
    """x^power for x ≥ 0 and power > 0."""
    return RealInterval(_raise_end_to_fraction(x.low, power).low, _raise_end_to_fraction(x.high, power).high)


def _raise_end_to_fraction(x: End, power: Fraction) -> RealInterval:
    if x in (0, 1) or math.isinf(x):
        return RealInterval(x, x)
    return enclosure(float(x) ** float(power))


def round_outwards(x: RealInterval) -> RealInterval:
    """Rounds long fractions outwards; signs are preserved."""
    low, high = x.low, x.high
    if isinstance(low, Fraction) and low.denominator >= MAX_DENOMINATOR:
        low = max(enclosure(float(low)).low, Fraction(0)) if low > 0 else enclosure(float(low)).low
    if isinstance(high, Fraction) and high.denominator >= MAX_DENOMINATOR:
        high = min(enclosure(float(high)).high, Fraction(0)) if high < 0 else enclosure(float(high)).high
    return RealInterval(low, high)


def _enclose(f: Callable[[Any], Any], x: Fraction) -> RealInterval:
    """An enclosure of f(x) by mpmath's interval arithmetic; raises OverflowError beyond the range of floats."""
    ends = f(iv.mpf(x.numerator) / iv.mpf(x.denominator))._mpi_
    low, high = (Fraction(to_float(end, strict=True)) for end in ends)
    small = max(abs(low), abs(high)) <= UNDERFLOW
    return RealInterval(low - UNDERFLOW, high + UNDERFLOW) if small else RealInterval(low, high)


def absolute_value(x: RealInterval) -> RealInterval:
    low, high = _absolute_end(x.low), _absolute_end(x.high)
    return RealInterval(Fraction(0) if 0 in x else min(low, high), max(low, high))


def _absolute_end(x: End) -> End:
    return -x if x < 0 else x


# ---- Functions of one variable


def sine(x: RealInterval) -> RealInterval:
    """sin(πx)."""
    if math.isinf(x.low) or math.isinf(x.high) or x.high - x.low >= 2:
        return RealInterval(Fraction(-1), Fraction(1))
    ends = [_sine_of_end(x.low), _sine_of_end(x.high)]
    low, high = min(e.low for e in ends), max(e.high for e in ends)
    first = math.floor(x.low)
    for k in range(first, math.ceil(x.high) + 1):
        if Fraction(2 * k + 1, 2) in x:  # sin is ±1 half-way between its zeros
            low, high = (low, Fraction(1)) if k % 2 == 0 else (Fraction(-1), high)
    return RealInterval(max(low, Fraction(-1)), min(high, Fraction(1)))


def _sine_of_end(x: End) -> RealInterval:
    reduced = Fraction(x) % 2
    if 2 * reduced % 1 == 0:
        quarter = Fraction((0, 1, 0, -1)[int(2 * reduced)])
        return RealInterval(quarter, quarter)
    return _enclose(lambda y: iv.sin(iv.pi * y), reduced)


def heaviside(x: RealInterval) -> RealInterval:
    return RealInterval(Fraction(int(x.low > 0)), Fraction(int(x.high >= 0)))


def _sign(x: End) -> int:
    return (x > 0) - (x < 0)


Enclose: TypeAlias = Callable[[Fraction], RealInterval]
"""An enclosure of the value of a function."""


def _rounded(f: Callable[[float], float]) -> Enclose:
    """Enclosures of the values of a function of `math`, which is 0 at 0."""
    return lambda x: enclosure(f(float(x))) if x else RealInterval(Fraction(0), Fraction(0))


def _exp(x: Fraction) -> RealInterval:
    math.exp(x)  # raises OverflowError where it is too large
    return _enclose(iv.exp, x)


def _increasing(
    f: Callable[[Fraction], RealInterval], lower: End, upper: End
) -> Callable[[RealInterval], RealInterval]:
    """The range of an increasing function with these limits; `f` encloses its values."""

    def value(x: End, limit: End) -> RealInterval:
        return RealInterval(limit, limit) if math.isinf(x) else f(Fraction(x))

    def range_over(x: RealInterval) -> RealInterval:
        low, high = value(x.low, lower).low, value(x.high, upper).high
        return RealInterval(max(low, lower), min(high, upper))

    return range_over


def _logarithm(x: RealInterval) -> RealInterval:
    if x.low < 0 or x.high == 0:
        raise NoRange
    return RealInterval(_log(x.low).low, _log(x.high).high)


def _log(x: End) -> RealInterval:
    if x == 0 or math.isinf(x):
        return RealInterval(-inf, -inf) if x == 0 else RealInterval(inf, inf)
    if x == 1 or float(x) == 0:
        return RealInterval(Fraction(0), Fraction(0)) if x == 1 else RealInterval(-inf, Fraction(-700))
    return _enclose(iv.log, Fraction(x))


def _activation_derivative(e: ActivationDerivative) -> RealInterval:
    upper = _end(e.record.lipschitz)
    return RealInterval(Fraction(0) if e.record.monotone else -upper, upper)


def _end(x: float) -> End:
    """The exact fraction of a decimal number, as written."""
    return x if math.isinf(x) else Fraction(str(x))


def _activation(activation: Activation, x: RealInterval) -> RealInterval:
    """The range of the activation; of one sign if it preserves the sign of its argument and this has one."""
    low, high = _end(activation.lower), _end(activation.upper)
    if not activation.keeps_sign:
        return RealInterval(low, high)
    return RealInterval(Fraction(0) if x.low >= 0 else low, Fraction(0) if x.high <= 0 else high)


class NoRange(Exception):
    """The expression may be undefined, or has no rule."""


def _combine(combine: Callable[[RealInterval, RealInterval], RealInterval]) -> Callable[..., RealInterval]:
    """The operation for any number of arguments."""
    return lambda *ranges: round_outwards(reduce(combine, ranges))


INTERVALS: Operations[RealInterval] = {
    "Add": _combine(add),
    "Mul": _combine(multiply),
    "Max": _combine(lambda a, b: RealInterval(max(a.low, b.low), max(a.high, b.high))),
    "Min": _combine(lambda a, b: RealInterval(min(a.low, b.low), min(a.high, b.high))),
    "Abs": absolute_value,
    "sign": lambda x: RealInterval(Fraction(_sign(x.low)), Fraction(_sign(x.high))),
    "Heaviside": lambda x, *_: heaviside(x),
    "log": _logarithm,
    "cosh": lambda _: RealInterval(Fraction(1), inf),
    "exp": _increasing(_exp, Fraction(0), inf),
    "sinh": _increasing(_rounded(math.sinh), -inf, inf),
    "tanh": _increasing(_rounded(math.tanh), Fraction(-1), Fraction(1)),
    "atan": _increasing(_rounded(math.atan), Fraction(-2), Fraction(2)),
    "erf": _increasing(_rounded(math.erf), Fraction(-1), Fraction(1)),
}


# ---- Ranges of expressions


def range_of(expr: Expr, box: Box, dimension: int | None = None, poles: bool = False) -> RealInterval | None:
    """An interval that contains the range of an expression; None if it may be undefined or has no rule.

    `dimension` is that of index notation; None if it is arbitrary. With `poles`, points at which the expression is
    undefined are ignored: 1/x is positive for x ≥ 0.
    """
    try:
        return _RangeEvaluator(box, dimension, poles).evaluate(expr)
    except (NoRange, OverflowError):  # OverflowError: beyond the range of floats
        return None


class _RangeEvaluator(Record):
    box: Box
    dimension: int | None
    poles: bool

    def evaluate(self, e: Expr) -> RealInterval:
        return fold(e, self._leaf, self._operation)

    def _leaf(self, e: Expr) -> RealInterval | None:
        """Atoms, and rules that look at the arguments themselves."""
        match e:
            case Number() if e.is_real:
                return enclosure_of_number(e)
            case Symbol():
                return self.box.get(e) or _range_from_sign(e)
            case Mul():
                return self._bounded_product(e)
            case sin() | cos():
                return self._sine_or_cosine(e)
            case Component() if e.args[1] == INDEX or not e.args[1].is_Integer:
                return LINE
            case Field(arguments=arguments):
                for a in (a for a in arguments if a.args):
                    self.evaluate(a)  # raises NoRange where it is undefined
                return _range_from_sign(e)
            case Component() | Partial():
                return _range_from_sign(e)
            case Contraction(body=body):
                return self._sum(body)
            case DataFunction(bounds=(low, high)):
                return RealInterval(enclosure(low).low, enclosure(high).high)
            case _ if e in (S.Pi, S.Exp1):
                return enclosure_of_number(e)
        return None

    def _operation(self, e: Expr, ranges: list[RealInterval]) -> RealInterval:
        match e:
            case Pow(base=base, exp=power):
                return INTERVALS["exp"](ranges[1]) if base == S.Exp1 else self._power(base, ranges[0], power)
            case ActivationDerivative():
                return _activation_derivative(e)
            case ActivationFunction():
                return _activation(e.record, ranges[0])
            case _ if type(e).__name__ in INTERVALS:
                return INTERVALS[type(e).__name__](*ranges)
        raise NoRange

    def _bounded_product(self, e: Mul) -> RealInterval | None:
        """x sign(x) is |x|, and x/√(c + x²) lies between -1 and 1 for c ≥ 0; None for other products."""
        args = list(e.args)
        for s in (a for a in e.args if isinstance(a, sign) and a.args[0] in args):
            args = [a for a in args if a is not s and a != s.args[0]] + [Abs(s.args[0])]
        for root in (a for a in e.args if isinstance(a, Pow) and a.exp == Rational(-1, 2)):
            bounded = next((a for a in args if self._square_is_at_most(a, root.base)), None)
            if bounded is not None:
                rest = self._product([*(a for a in args if a is not bounded and a is not root), S.One])
                return multiply(rest, RealInterval(Fraction(-1), Fraction(1)))
        return None if len(args) == len(e.args) else self._product(args)

    def _product(self, args: Sequence[Expr]) -> RealInterval:
        return INTERVALS["Mul"](*map(self.evaluate, args))

    def _square_is_at_most(self, a: Expr, square: Expr) -> bool:
        """Whether a² is at most `square`."""
        if not (a.is_Symbol and a in square.free_symbols):
            return False
        try:
            return self.evaluate(square - a**2).low >= 0
        except NoRange:
            return False

    def _power(self, base: Expr, x: RealInterval, power: Expr) -> RealInterval:
        if not isinstance(power, Rational):
            raise NoRange
        if isinstance(power, Integer) and power > 0:
            return round_outwards(integer_power(x, int(power)))
        if power < 0:
            below = self._power(base, x, -power)
            if (self.poles or base.is_positive) and below.low == 0 < below.high:
                return RealInterval(Fraction(0) if math.isinf(below.high) else 1 / below.high, inf)
            if 0 in below:
                raise NoRange
            return inverse(below)
        if x.low < 0:
            raise NoRange
        return fractional_power(x, Fraction(int(power.p), int(power.q)))

    def _sum(self, body: Expr) -> RealInterval:
        """Σᵢ g(xᵢ) lies between n min g and n max g."""
        g = self.evaluate(body)
        if self.dimension is not None:
            return multiply(g, RealInterval(Fraction(self.dimension), Fraction(self.dimension)))
        return multiply(g, RealInterval(Fraction(1), inf))

    def _sine_or_cosine(self, e: Expr) -> RealInterval:
        """sin and cos, with the argument in units of π."""
        argument = e.args[0]
        units = argument / pi
        shift = Fraction(1, 2) if isinstance(e, cos) else Fraction(0)
        if not units.has(pi):
            inner = self.evaluate(units)
            return sine(RealInterval(inner.low + shift, inner.high + shift))
        inner = self.evaluate(argument)
        if math.isinf(inner.high - inner.low):
            return RealInterval(Fraction(-1), Fraction(1))
        low, high = (enclosure(float(end) / math.pi) for end in (inner.low, inner.high))
        if isinstance(e, sin) and inner.low == 0 and inner.high <= Fraction(3):
            return RealInterval(Fraction(0), Fraction(1))
        return sine(RealInterval(low.low + shift, high.high + shift))


def _range_from_sign(e: Expr) -> RealInterval:
    return POSITIVE if e.is_nonnegative else RealInterval(-inf, Fraction(0)) if e.is_nonpositive else LINE
