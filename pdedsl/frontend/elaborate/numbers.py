"""Exact numbers: `0.1` is one tenth, and an expression without a real value is a mistake."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from sympy import Expr, Rational, nan, oo, zoo

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.elaborate.limits import within_limits
from pdedsl.frontend.syntax import tree as t

LARGEST = 308  # decimal exponent of a number


def number(literal: t.Number) -> Rational:
    """An exact rational: `0.1` is one tenth."""
    exponent = literal.text.lower().partition("e")[2].lstrip("+-0")
    value = Decimal(literal.text) if len(exponent) < 6 else Decimal(0)
    if len(exponent) >= 6 or (value and abs(value.adjusted()) > LARGEST):
        raise mistakes.characters.number_out_of_range(LARGEST, literal.span)
    exact = Fraction(value)
    return Rational(exact.numerator, exact.denominator)


def defined(expr: Expr, span: Span) -> Expr:
    """The expression; a mistake if it has no real value."""
    if expr.has(zoo, nan, oo, -oo) or expr.is_real is False:
        raise mistakes.shapes.no_real_value(span)
    return expr


def constant(expr: Expr, span: Span) -> Expr:
    """A constant number; a mistake if the expression is not one."""
    if not expr.is_number:
        raise mistakes.shapes.not_constant(span)
    within_limits(expr, span)
    return defined(expr, span)
