"""A line with `=` is an equation or a condition."""

from __future__ import annotations

from dataclasses import replace

from pdedsl import mistakes
from pdedsl.frontend.elaborate.conditions import at_point, on_places
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.elaborate.equations import equation_of
from pdedsl.frontend.elaborate.summands import is_fixed, own_arguments, summands_of, unknown_fields
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Condition, Equation


def relation(statement: t.EquationStmt, env: Environment) -> Equation | Condition:
    """An equation if an unknown is taken at its own variables; a condition if it is taken at fixed values."""
    scope = replace(env.scope(), normal=bool(statement.on) and "n" not in env.declared)
    summands = summands_of(statement, scope)
    fields = unknown_fields([e for s in summands for e in s.exprs], env)
    if not fields:
        step = isinstance(statement.left, t.Prefix) and isinstance(statement.left.body, t.Name)
        raise mistakes.equations.no_unknown(step, statement.span)
    domain = tuple(dict.fromkeys(e.xreplace(env.numbers) for s in summands for e in s.domain))
    if statement.on:
        return replace(on_places(statement, summands, fields, env), domain=domain)
    if all(f.arguments != own_arguments(f, env) and is_fixed(f, env) for f in fields):
        return replace(at_point(statement, summands, fields, env), domain=domain)
    return equation_of(statement, summands, env)
