"""`[a, b]`."""

from __future__ import annotations

from pdedsl import mistakes
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Interval
from pdedsl.symbolic.notation import notation


def interval_of(expr: t.Expr, env: Environment) -> Interval:
    if not isinstance(expr, t.ListOf) or len(expr.items) != 2:
        raise mistakes.types.not_an_interval(expr.span)
    start, end = (env.number(e) for e in expr.items)
    if not start < end:
        raise mistakes.types.empty_interval(notation(start), notation(end), expr.span)
    return Interval(start, end)
