"""Inequalities and curves → functions whose sign or zero set they describe."""

from __future__ import annotations

from sympy import Expr

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.elaborate.expressions import tensor
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Level
from pdedsl.symbolic.symbols import Field


def level_of(inequality: t.Inequality, env: Environment, timed: bool = False) -> Level:
    """The function g of g > 0; strict and non-strict inequalities are treated alike."""
    left, right = (_known(e, env, timed) for e in (inequality.left, inequality.right))
    return _level(right - left if inequality.relation.startswith("<") else left - right, inequality.span)


def curve_of(curve: t.Curve, env: Environment) -> Level:
    """The function F of F = 0."""
    left, right = (_known(e, env, timed=False) for e in (curve.left, curve.right))
    return _level(left - right, curve.span)


def _level(expr: Expr, span: Span) -> Level:
    if expr.is_number:
        raise mistakes.geometry.no_coordinate(span)
    return Level(expr, span)


def _known(expr: t.Expr, env: Environment, timed: bool) -> Expr:
    """A scalar that depends only on the position, and with `timed` also on the time."""
    value = tensor(expr, env.scope(), 0).expr.xreplace(env.numbers)
    if value.has(Field):
        raise mistakes.geometry.not_known(expr.span)
    if not timed and env.time is not None and env.time.symbol in value.free_symbols:
        raise mistakes.geometry.moving(env.time.name, expr.span)
    return value
