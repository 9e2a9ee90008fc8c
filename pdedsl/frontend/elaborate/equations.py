"""Equations and conditions: summands with their places, and the normal form that no way of writing changes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sympy import Add, Expr, Integer, S, Symbol, Tuple, cancel, fraction

from pdedsl import mistakes
from pdedsl.diagnostics import Span, nearest
from pdedsl.frontend.elaborate.calculus import bounded
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.elaborate.expressions import tensor
from pdedsl.frontend.elaborate.numbers import numeral
from pdedsl.frontend.elaborate.scope import Scope
from pdedsl.frontend.elaborate.values import Tensor, fitting
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Condition, ConditionKind, Equation, Interval, SpaceKind, Summand, Unknown, side_names
from pdedsl.symbolic.expansion import multiply_out
from pdedsl.symbolic.symbols import Field, Partial

MAX_TERMS = 500  # of an equation
MAX_CANCEL = 60  # terms of an equation whose denominators are cleared


def relation(statement: t.EquationStmt, env: Environment) -> Equation | Condition:
    """An equation where an unknown stands at its own variables; a condition where it stands at fixed ones."""
    scope = replace(env.scope(), normal=bool(statement.on) and "n" not in env.declared)
    summands = _summands(statement, scope)
    fields = _unknown_fields([e for s in summands for e in s.exprs], env)
    if not fields:
        raise mistakes.equations.no_unknown(statement.span)
    if statement.on:
        return _on_sides(statement, summands, fields, env)
    if all(f.arguments != _own(f, env) and _is_fixed(f, env) for f in fields):
        return _at_point(statement, summands, fields, env)
    return _equation(statement, summands, env)


def _summands(statement: t.EquationStmt, scope: Scope) -> tuple[Summand, ...]:
    """All terms on the left, each with its place; the two sides must fit."""
    left, right = _terms(statement.left, 1), _terms(statement.right, 1)
    sides = [*((s, s, e) for s, e in left), *((-s, s, e) for s, e in right)]
    if len(sides) > MAX_TERMS:
        raise mistakes.syntax.many_terms(len(sides), MAX_TERMS, statement.span)
    values = [tensor(e, scope) for _, _, e in sides]
    like = fitting([(sign, value, e.span) for (sign, _, e), value in zip(sides, values, strict=True)], added=False)
    return tuple(
        Summand(tuple(sign * x for x in listed(value, like.rank, like.size)), e.span, written < 0)
        for (sign, written, e), value in zip(sides, values, strict=True)
    )


def _terms(expr: t.Expr, sign: int) -> list[tuple[int, t.Expr]]:
    match expr:
        case t.Sum(terms=terms):
            return [p for s, e in terms for p in _terms(e, -sign if s == "-" else sign)]
        case t.Group(body=body):
            return _terms(body, sign)
        case _:
            return [(sign, expr)]


def listed(value: Tensor, rank: int, size: int | None) -> list[Expr]:
    """The components of a scalar or vector; a literal zero fits any shape."""
    if rank == 0:
        return [value.expr]
    if size is None:
        index = Symbol("i0", integer=True)
        return [value.at(index) if value.rank else value.expr]
    indices = [Integer(i) for i in range(1, size + 1)]
    if rank == 1:
        return [value.at(i) if value.rank else value.expr for i in indices]
    return [value.at(i, j) if value.rank else value.expr for i in indices for j in indices]


def _unknown_fields(exprs: list[Expr], env: Environment) -> list[Field]:
    heads = {u.head for u in env.unknowns.values()}
    found = {f for e in exprs for f in e.atoms(Field) if f.head in heads}
    return sorted(found, key=str)


def _unknown(field: Field, env: Environment) -> Unknown:
    return next(u for u in env.unknowns.values() if u.head == field.head)


def _own(field: Field, env: Environment) -> object:
    return Tuple(*_unknown(field, env).arguments)


def _is_fixed(field: Field, env: Environment) -> bool:
    """Whether an argument stands for one point of a side or of time, rather than for a shift."""
    own = _unknown(field, env).arguments
    pairs = list(zip(field.arguments, own, strict=True))
    return any(a.xreplace(env.numbers).is_number for a, o in pairs if a != o)


# ---- equations


def _equation(statement: t.EquationStmt, summands: tuple[Summand, ...], env: Environment) -> Equation:
    interval = _during(statement, env)
    columns = [[s.exprs[k] for s in summands] for k in range(len(summands[0].exprs))]
    wholes = [bounded(partial(_normal, column, env.numbers), statement.span) for column in columns]
    if all(w == S.Zero for w in wholes):
        raise mistakes.equations.terms_cancel(statement.span)
    target = _leading(wholes[0], env)
    if target is None:
        return Equation(summands, _only_unknown(wholes, env), 0, tuple(wholes), interval, statement.span)
    right = tuple(_solved(w, target, k, env) for k, w in enumerate(wholes))
    return Equation(summands, target.body.head, len(target.slots), right, interval, statement.span)


def _normal(exprs: list[Expr], numbers: dict[Symbol, Expr]) -> Expr:
    """A sum of products with constants as numbers; variable denominators are cleared by cancelling."""
    whole = Add(*(multiply_out(e.xreplace(numbers)) for e in exprs))
    terms = Add.make_args(whole)
    if len(terms) <= MAX_CANCEL and any(not fraction(a)[1].is_number for a in terms):
        return Add(*(cancel(a) for a in Add.make_args(whole)))
    return whole


def _leading(whole: Expr, env: Environment) -> Partial | None:
    """The time derivative of highest order of an unknown."""
    if env.time is None:
        return None
    t_ = env.time.symbol
    heads = {u.head for u in env.unknowns.values()}
    found = [
        p
        for p in whole.atoms(Partial)
        if isinstance(p.body, Field)
        and p.body.head in heads
        and set(p.slots) == {t_}
        and p.body.arguments == _own(p.body, env)
    ]
    return max(found, key=lambda p: (len(p.slots), str(p))) if found else None


def _solved(whole: Expr, target: Partial, k: int, env: Environment) -> Expr:
    """The right-hand side when the equation is solved for its time derivative."""
    body = target.body
    if body.indices and k:
        body = Field(body.head, (Integer(k + 1),), tuple(body.arguments))
    goal = Partial(body, *target.slots)
    terms = Add.make_args(whole)
    with_goal = [a for a in terms if a.has(goal)]
    coefficient = Add(*(a / goal for a in with_goal))
    if not with_goal or coefficient.has(goal):
        return whole  # an implicit equation keeps its whole form
    rest = [a for a in terms if not a.has(goal)]
    return Add(*(multiply_out(-a / coefficient) for a in rest))


def _only_unknown(wholes: list[Expr], env: Environment) -> Symbol | None:
    heads = {f.head for f in _unknown_fields(wholes, env)}
    return heads.pop() if len(heads) == 1 else None


def _during(statement: t.EquationStmt, env: Environment) -> tuple[Expr, Expr] | None:
    if statement.during is None:
        return None
    name, expr = statement.during
    if env.time is None or name.id != _time_id(env):
        raise mistakes.equations.not_the_time(name.text, env.time.name if env.time else None, name.span)
    piece = interval_of(expr, env)
    return piece.start, piece.end


def _time_id(env: Environment) -> str:
    return next(n for n, d in env.declared.items() if isinstance(d, t.TimeDecl))


def interval_of(expr: t.Expr, env: Environment) -> Interval:
    if not isinstance(expr, t.ListOf) or len(expr.items) != 2:
        raise mistakes.types.not_an_interval(expr.span)
    start, end = (env.number(e) for e in expr.items)
    if not start < end:
        raise mistakes.types.empty_interval(numeral(start), numeral(end), expr.span)
    return Interval(start, end)


# ---- conditions


def _on_sides(
    statement: t.EquationStmt, summands: tuple[Summand, ...], fields: list[Field], env: Environment
) -> Condition:
    """`u = 0 on boundary`, `n·∇u = g on right`."""
    space = env.scope().space
    if statement.during:
        raise mistakes.equations.boundary_condition_during(statement.during[0].span)
    known = space.boundary
    if not known:
        raise mistakes.equations.no_boundary(bool(space.sides), statement.on[0].span)
    sides: list[str] = []
    for name in statement.on:
        if name.id != "boundary" and name.id not in known:
            every = ("boundary", *known)
            raise mistakes.equations.not_a_side(name.text, every, nearest(name.id, every), name.span)
        sides += known if name.id == "boundary" else [name.id]
    value = _condition_value(summands, env)
    return Condition(ConditionKind.BOUNDARY, fields[0].head, 0, value, tuple(dict.fromkeys(sides)), statement.span)


def _condition_value(summands: tuple[Summand, ...], env: Environment) -> tuple[Expr, ...]:
    return tuple(_normal([s.exprs[k] for s in summands], env.numbers) for k in range(len(summands[0].exprs)))


def _at_point(
    statement: t.EquationStmt, summands: tuple[Summand, ...], fields: list[Field], env: Environment
) -> Condition:
    """`u(x, 0) = f(x)`, `∂Y/∂t(x, 0) = 0`, `u(-1, t) = 0`."""
    if statement.during:
        raise mistakes.equations.condition_during(statement.during[0].span)
    field = fields[0]
    fixed = [
        (o, a.xreplace(env.numbers))
        for o, a in zip(_unknown(field, env).arguments, field.arguments, strict=True)
        if a != o
    ]
    if len(fixed) != 1:
        raise mistakes.equations.fixes_one_variable(statement.span)
    variable, place = fixed[0]
    if env.time is not None and variable == env.time.symbol:
        return _at_time(statement, summands, field, place, env)
    return _at_side(statement, summands, fields, variable, place, env)


def _at_time(
    statement: t.EquationStmt, summands: tuple[Summand, ...], field: Field, place: Expr, env: Environment
) -> Condition:
    time = env.time
    assert time is not None
    if place not in (time.start, time.end):
        at, start, end = map(numeral, (place, time.start, time.end))
        raise mistakes.equations.neither_start_nor_end(time.name, at, start, end, statement.span)
    wholes = [_normal([s.exprs[k] for s in summands], env.numbers) for k in range(len(summands[0].exprs))]
    target = _target(wholes[0], field.xreplace(env.numbers), time.symbol)
    order = len(target.slots) if isinstance(target, Partial) else 0
    values = tuple(_given(w, target, k, statement.span) for k, w in enumerate(wholes))
    kind = ConditionKind.INITIAL if place == time.start else ConditionKind.TERMINAL
    return Condition(kind, field.head, order, values, (), statement.span)


def _target(whole: Expr, field: Field, time: Symbol) -> Expr:
    slopes = [p for p in whole.atoms(Partial) if p.body == field and set(p.slots) == {time}]
    return max(slopes, key=lambda p: len(p.slots)) if slopes else field


def _given(whole: Expr, target: Expr, k: int, span: Span) -> Expr:
    """The value that a condition gives to its left-hand side."""
    goal = target
    if k:
        body = target.body if isinstance(target, Partial) else target
        moved = Field(body.head, (Integer(k + 1),), tuple(body.arguments))
        goal = Partial(moved, *target.slots) if isinstance(target, Partial) else moved
    with_goal = [a for a in Add.make_args(whole) if a.has(goal)]
    coefficient = Add(*(a / goal for a in with_goal))
    if not with_goal or coefficient.has(goal) or not coefficient.is_number:
        raise mistakes.equations.gives_no_value(span)
    return Add(*(-a / coefficient for a in Add.make_args(whole) if not a.has(goal)))


def _at_side(
    statement: t.EquationStmt,
    summands: tuple[Summand, ...],
    fields: list[Field],
    variable: Expr,
    place: Expr,
    env: Environment,
) -> Condition:
    space = env.scope().space
    places = {}
    if space.kind is SpaceKind.PHYSICAL and space.explicit:
        k = space.coordinates.index(variable)
        if not space.sides[k].periodic:
            places = dict(zip((space.sides[k].start, space.sides[k].end), side_names(k), strict=True))
    sides = []
    for field in fields:
        at = field.arguments[_unknown(field, env).arguments.index(variable)].xreplace(env.numbers)
        if at not in places:
            ends = [numeral(p) for p in places]
            raise mistakes.equations.not_on_the_boundary(variable.name, numeral(at), ends, statement.span)
        sides.append(places[at])
    value = _condition_value(summands, env)
    if len(fields) == 1:  # the same condition as `… on left`
        field = fields[0].xreplace(env.numbers)
        own = Field(field.head, tuple(field.indices), _unknown(field, env).arguments)
        value = tuple(v.xreplace({field: own}) for v in value)
    return Condition(ConditionKind.BOUNDARY, fields[0].head, 0, value, tuple(dict.fromkeys(sides)), statement.span)
