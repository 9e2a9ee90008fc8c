"""Histories of equations with delays: `u(t) = 1 for t in [-1, 0]` prescribes u before the initial time, and at it."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Dummy, Expr

from pdedsl import errors
from pdedsl.ir.spec import Condition, ConditionKind, History, Interval, Summand
from pdedsl.language import ast as t
from pdedsl.language.elaborate.declarations import interval_of
from pdedsl.language.elaborate.environment import Environment
from pdedsl.language.elaborate.equations import (
    normal_form,
    own_arguments,
    size_of,
    unknown_fields,
    unknown_of,
)
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Field, Partial


def history_interval(statement: t.EquationStmt, env: Environment) -> Interval | None:
    """The interval of a history: it ends at the initial time."""
    if statement.time_interval is None or env.time is None or statement.on:
        return None
    interval = interval_of(statement.time_interval[1], env)
    before = interval.end == env.time.start
    return interval if before else None


def history(statement: t.EquationStmt, summands: tuple[Summand, ...], interval: Interval, env: Environment) -> History:
    """u = g for each component, with a known g."""
    components = [normal_form([s.exprs[k] for s in summands], env.numbers) for k in range(len(summands[0].exprs))]
    fields = unknown_fields(components, env)
    heads = {f.head for f in fields}
    if (
        len(heads) != 1
        or any(f.arguments != own_arguments(f, env) for f in fields)
        or any(w.has(Partial) for w in components)
    ):
        raise errors.equations.invalid_history(statement.span)
    unknown = unknown_of(fields[0], env)
    if len(components) != max(size_of(unknown, env), 1):
        raise errors.equations.invalid_history(statement.span)
    values = []
    for k, whole in enumerate(components):
        own = [f for f in fields if not f.indices or int(f.indices[0]) == k + 1]
        variable = Dummy(real=True)
        row = whole.xreplace(dict.fromkeys(own, variable))
        rate = row.diff(variable)
        if not (rate.is_number and rate != 0):
            raise errors.equations.invalid_history(statement.span)
        values.append(expand(variable - row / rate))
    if any(v.has(Field) for v in values):
        raise errors.equations.invalid_history(statement.span)
    return History(unknown.head, tuple(values), interval.start, statement.span)


def with_initial_values(
    conditions: list[Condition], histories: Iterable[History], env: Environment
) -> tuple[Condition, ...]:
    """The conditions, and the initial value of each history; a different initial value is an error."""
    extended = list(conditions)
    for past in histories:
        assert env.time is not None
        value = tuple(_at(v, env) for v in past.value)
        own = [c for c in conditions if c.unknown == past.unknown and c.kind is ConditionKind.INITIAL and c.order == 0]
        if not own:
            extended.append(Condition(ConditionKind.INITIAL, past.unknown, 0, value, (), past.span))
        elif any(expand(a - b) != 0 for c in own if c.component is None for a, b in zip(c.value, value, strict=False)):
            env.reporter.add(errors.equations.discontinuous_history(own[0].span))
    return tuple(extended)


def _at(value: Expr, env: Environment) -> Expr:
    assert env.time is not None
    return value.xreplace({env.time.symbol: env.time.start})
