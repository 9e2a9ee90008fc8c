"""Ranges of expressions over boxes, rounded outwards (Moore, Kearfott, Cloud, Introduction to Interval Analysis)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf

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
    cos,
    exp,
    pi,
    sign,
    sin,
)

from pdedsl.analyse.functions import function_of, sine, step
from pdedsl.analyse.intervals import (
    LINE,
    POSITIVE,
    Box,
    Range,
    about,
    exact,
    fractional_power,
    integer_power,
    inverse,
    plus,
    rounded,
    times,
)
from pdedsl.symbolic.symbols import INDEX, Component, Contraction, Field, Partial


def range_of(expr: Expr, box: Box, dimension: int | None = None, poles: bool = False) -> Range | None:
    """An interval that contains the range of an expression; None if it may be undefined, or no rule is known.

    `dimension` is that of a space that is not written out; None if it is arbitrary. With `poles`, points without a
    value are ignored: 1/x is positive for x ≥ 0.
    """
    try:
        return _Reader(box, dimension, poles).read(expr)
    except OverflowError:  # a number beyond the floating-point range
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
            case Field(arguments=arguments) if any(a.args and self.read(a) is None for a in arguments):
                return None
            case Field() | Component() | Partial():
                return _by_sign(e)
            case Add():
                return self._all(e.args, plus)
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
                return None if inner is None else step(inner)
            case _ if len(e.args) == 1:
                inner = self.read(e.args[0])
                return None if inner is None else function_of(e, inner)
        return None

    def _all(self, args: tuple[Expr, ...], combine: Callable[[Range, Range], Range]) -> Range | None:
        found = [self.read(a) for a in args]
        if any(f is None for f in found):
            return None
        whole, *rest = (f for f in found if f is not None)
        for other in rest:
            whole = combine(whole, other)
        return rounded(whole)

    def _product(self, e: Mul) -> Range | None:
        """x sign(x) is |x|, and x/√(c + x²) lies between -1 and 1 for c ≥ 0."""
        args = list(e.args)
        for s in (a for a in e.args if isinstance(a, sign) and a.args[0] in args):
            args = [a for a in args if a is not s and a != s.args[0]] + [Abs(s.args[0])]
        for root in (a for a in e.args if isinstance(a, Pow) and a.exp == Rational(-1, 2)):
            found = next((a for a in args if self._is_below(a, root.base)), None)
            if found is not None:
                rest = self._all((*(a for a in args if a is not found and a is not root), S.One), times)
                return None if rest is None else times(rest, Range(Fraction(-1), Fraction(1)))
        return self._all(tuple(args), times)

    def _is_below(self, a: Expr, square: Expr) -> bool:
        """Whether a² is at most `square`."""
        rest = self.read(square - a**2) if a.is_Symbol and a in square.free_symbols else None
        return rest is not None and rest.low >= 0

    def _power(self, base: Expr, power: Expr) -> Range | None:
        if base == S.Exp1:
            inner = self.read(power)
            return None if inner is None else function_of(exp(power, evaluate=False), inner)
        x = self.read(base)
        if x is None or not isinstance(power, Rational):
            return None
        if isinstance(power, Integer) and power > 0:
            return rounded(integer_power(x, int(power)))
        if power < 0:
            below = self._power(base, -power)
            if below is not None and (self.poles or base.is_positive) and below.low == 0 < below.high:
                return Range(Fraction(0) if math.isinf(below.high) else 1 / below.high, inf)
            return None if below is None or 0 in below else inverse(below)
        return fractional_power(x, Fraction(int(power.p), int(power.q))) if x.low >= 0 else None

    def _sum(self, body: Expr) -> Range | None:
        """Σᵢ g(xᵢ) lies between n min g and n max g."""
        g = self.read(body)
        if g is None:
            return None
        if self.dimension is not None:
            return times(g, Range(Fraction(self.dimension), Fraction(self.dimension)))
        return times(g, Range(Fraction(1), inf))

    def _wave(self, e: Expr) -> Range | None:
        """sin and cos, with the argument in units of π."""
        argument = e.args[0]
        units = argument / pi
        shift = Fraction(1, 2) if isinstance(e, cos) else Fraction(0)
        if not units.has(pi):
            inner = self.read(units)
            return None if inner is None else sine(Range(inner.low + shift, inner.high + shift))
        inner = self.read(argument)
        if inner is None or math.isinf(inner.high - inner.low):
            return None if inner is None else Range(Fraction(-1), Fraction(1))
        low, high = (about(float(end) / math.pi) for end in (inner.low, inner.high))
        if isinstance(e, sin) and inner.low == 0 and inner.high <= Fraction(3):
            return Range(Fraction(0), Fraction(1))
        return sine(Range(low.low + shift, high.high + shift))


def _by_sign(e: Expr) -> Range:
    return POSITIVE if e.is_nonnegative else Range(-inf, Fraction(0)) if e.is_nonpositive else LINE
