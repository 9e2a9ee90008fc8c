"""Exact numbers: `0.1` is one tenth, and what has no real value is a mistake."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from sympy import Expr, Rational, nan, oo, zoo

from pdedsl.diagnostics import Span, fail
from pdedsl.frontend.syntax import tree as t

LARGEST = 308  # decimal exponent of a number


def number(literal: t.Number) -> Rational:
    """An exact rational: `0.1` is one tenth."""
    exponent = literal.text.lower().partition("e")[2].lstrip("+-0")
    value = Decimal(literal.text) if len(exponent) < 6 else Decimal(0)
    if len(exponent) >= 6 or (value and abs(value.adjusted()) > LARGEST):
        raise fail(
            "E108", "this number is too large or too small", literal.span, "numbers lie between 1e-308 and 1e308"
        )
    exact = Fraction(value)
    return Rational(exact.numerator, exact.denominator)


def defined(expr: Expr, span: Span) -> Expr:
    """An expression that has a real value."""
    if expr.has(zoo, nan, oo, -oo) or expr.is_real is False:
        raise fail(
            "E308", "this has no real value", span, "check for a division by zero or a root of a negative number"
        )
    return expr
