"""`exact u = …` and `observe u from …`: what is known about the unknowns besides their equations."""

from __future__ import annotations

from sympy import Integer

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.elaborate.choosing import chosen
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.elaborate.expressions import tensor
from pdedsl.frontend.elaborate.summands import listed
from pdedsl.frontend.elaborate.values import Tensor, fitting
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Exact, Learned, Observation, SpaceKind, Unknown
from pdedsl.symbolic.replacing import replaced
from pdedsl.symbolic.symbols import Field
from pdedsl.words.measured import MEASURED


def exact_of(statement: t.ExactStmt, env: Environment) -> Exact:
    """The known value of an unknown, of one of its components, or of a learned number."""
    if env.scope().space.kind is not SpaceKind.PHYSICAL:
        raise mistakes.known.not_physical("exact", statement.span)
    field, component = _subject(statement.unknown, env, learned=True)
    value = tensor(statement.value, env.scope())
    subject = tensor(statement.unknown, env.scope())
    like = fitting([(1, subject, statement.unknown.span), (-1, value, statement.value.span)], added=False)
    exprs = tuple(replaced(e, env.numbers) for e in listed(value, like.rank, like.size))
    if any(e.has(Field) for e in exprs):
        raise mistakes.known.not_known(statement.value.span)
    return Exact(field.head, component, exprs, statement.span)


def observation_of(statement: t.ObserveStmt, env: Environment) -> Observation:
    if env.scope().space.kind is not SpaceKind.PHYSICAL:
        raise mistakes.known.not_physical("observe", statement.span)
    subjects = tuple(_subject(e, env, learned=False) for e in statement.unknowns)
    data = chosen(statement.data, MEASURED, "a file of measurements", env.number)
    return Observation(tuple((field.head, k) for field, k in subjects), data, statement.span)


def _subject(expr: t.Expr, env: Environment, learned: bool) -> tuple[Unknown | Learned, int | None]:
    """An unknown at its own variables, or a component of one."""
    name, component = _named(expr)
    found = _declared(name, env, learned)
    value = tensor(expr, env.scope())
    own = _at_home(value, found)
    if not own:
        raise mistakes.known.not_at_home(found.name, expr.span)
    return found, component


def _at_home(value: Tensor, field: Unknown | Learned) -> bool:
    first = value.at(*(Integer(1),) * value.rank)
    return isinstance(first, Field) and first.head == field.head and tuple(first.arguments) == tuple(field.arguments)


def _named(expr: t.Expr) -> tuple[t.Name, int | None]:
    match expr:
        case t.Name():
            return expr, None
        case t.Call(head=head):
            return _named(head)
        case t.Index(body=body, indices=(t.Number(text=text),)) if text.isdigit():
            return _named(body)[0], int(text)
        case _:
            raise mistakes.known.not_an_unknown(None, expr.span)


def _declared(name: t.Name, env: Environment, learned: bool) -> Unknown | Learned:
    env.value(name)
    if name.id in env.unknowns:
        return env.unknowns[name.id]
    if learned and name.id in env.learned:
        return env.learned[name.id]
    raise mistakes.known.not_an_unknown(name.text, name.span)


def repeated(found: tuple[Exact, ...]) -> Span | None:
    """The place of a second value for the same component."""
    seen: set[object] = set()
    for e in found:
        keys = {(e.unknown, e.component)} if e.component else {(e.unknown, k) for k in range(1, len(e.value) + 1)}
        if keys & seen:
            return e.span
        seen |= keys
    return None
