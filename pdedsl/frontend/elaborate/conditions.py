"""Conditions: at the start, at the end, on sides of the boundary and on surfaces."""

from __future__ import annotations

from sympy import Add, Expr, Integer, Symbol

from pdedsl import mistakes
from pdedsl.diagnostics import Span, nearest
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.elaborate.levels import curve_of, level_of
from pdedsl.frontend.elaborate.pieces import reached
from pdedsl.frontend.elaborate.summands import normal, size_of, unknown_of
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Condition, ConditionKind, Level, Space, SpaceKind, Summand, side_names
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.notation import notation
from pdedsl.symbolic.symbols import Field, Partial


def on_places(
    statement: t.EquationStmt, summands: tuple[Summand, ...], fields: list[Field], env: Environment
) -> Condition:
    """`u = 0 on boundary`, `n·∇u = g on right where y > 0`, `u = 1 on x² + y² = 1`."""
    space = env.scope().space
    if statement.during:
        raise mistakes.equations.boundary_condition_during(statement.during[0].span, _clause(statement))
    if not (space.boundary or space.inside or space.sides):
        raise mistakes.equations.no_boundary(False, statement.on[0].span, statement.span)
    part = tuple(level_of(w, env, timed=True) for w in statement.where)
    sides: list[str] = []
    surfaces: list[Level] = []
    for spot in statement.on:
        more_sides, more_surfaces = _spot(spot, part, env, statement.span)
        sides += more_sides
        surfaces += more_surfaces
    value, field = _condition_value(summands, env), _main(fields, summands, env)
    places = tuple(dict.fromkeys(sides)), statement.span, tuple(surfaces), part
    return Condition(ConditionKind.BOUNDARY, field.head, 0, value, *places, _component(fields, value, env))


def _clause(statement: t.EquationStmt) -> Span:
    """`for t in [a, b]`, with the space before it."""
    assert statement.during is not None
    return Span(statement.right.span.end, statement.during[1].span.end)


def _spot(
    spot: t.Spot, part: tuple[Level, ...], env: Environment, condition: Span
) -> tuple[tuple[str, ...], tuple[Level, ...]]:
    """The sides and surfaces that `boundary`, the name of a side, or a curve stands for."""
    space = env.scope().space
    known = space.boundary
    match spot:
        case t.Curve():
            return _side_or_curve(curve_of(spot, env), space)
        case t.Name(id="boundary") if known or space.inside:
            found = reached(space, env.time, part)
            if not any(found):
                raise mistakes.geometry.selects_nothing(spot.span)
            return found
        case t.Name(id=name) if name in known:
            return (name,), ()
        case t.Name() if not known and not space.inside:
            raise mistakes.equations.no_boundary(bool(space.sides), spot.span, condition)
        case t.Name(text=text, id=name):
            every = ("boundary", *known)
            raise mistakes.equations.not_a_side(text, every, nearest(name, every), spot.span)
        case _:
            raise mistakes.equations.not_a_place(spot.span)


def _side_or_curve(level: Level, space: Space) -> tuple[tuple[str, ...], tuple[Level, ...]]:
    """A level set as a side or a curve: `x = 0` may be a side of the box."""
    for k, (x, side) in enumerate(zip(space.coordinates, space.sides, strict=False)):
        if level.expr.free_symbols == {x} and level.expr.is_polynomial(x) and level.expr.diff(x).is_number:
            for name, end in zip(side_names(k), (side.start, side.end), strict=True):
                if level.expr.xreplace({x: end}) == 0 and not side.periodic:
                    return (name,), ()
    return (), (level,)


def _main(fields: list[Field], summands: tuple[Summand, ...], env: Environment) -> Field:
    """The unknown that a condition is for: the one with the derivative of highest order."""
    partials = [p for s in summands for e in s.exprs for p in atoms(e, Partial)]
    orders = {f: max((len(p.slots) for p in partials if p.has(f)), default=0) for f in fields}
    return max(fields, key=lambda f: orders[f])


def _component(fields: list[Field], value: tuple[Expr, ...], env: Environment) -> int | None:
    """The component of a vector, if a condition concerns only that one."""
    own = {(f.head, tuple(f.indices)) for f in fields}
    if len(value) > 1 or len(own) > 1 or not fields[0].indices or size_of(unknown_of(fields[0], env), env) == 1:
        return None
    return int(fields[0].indices[0])


def _condition_value(summands: tuple[Summand, ...], env: Environment) -> tuple[Expr, ...]:
    return tuple(normal([s.exprs[k] for s in summands], env.numbers) for k in range(len(summands[0].exprs)))


def at_point(
    statement: t.EquationStmt, summands: tuple[Summand, ...], fields: list[Field], env: Environment
) -> Condition:
    """`u(x, 0) = f(x)`, `∂Y/∂t(x, 0) = 0`, `u(-1, t) = 0`."""
    if statement.during:
        raise mistakes.equations.condition_during(statement.during[0].span, _clause(statement))
    field = fields[0]
    fixed = [
        (o, a.xreplace(env.numbers))
        for o, a in zip(unknown_of(field, env).arguments, field.arguments, strict=True)
        if a != o
    ]
    if len(fixed) != 1:
        unknown = unknown_of(field, env)
        last = env.time.symbol if env.time else unknown.arguments[-1]
        places = ", ".join("0" if a == last else str(a) for a in unknown.arguments)
        raise mistakes.equations.fixes_one_variable(f"{unknown.name}({places})", statement.span)
    variable, place = fixed[0]
    if env.time is not None and variable == env.time.symbol:
        return _at_time(statement, summands, fields, place, env)
    return _at_side(statement, summands, fields, variable, place, env)


def _at_time(
    statement: t.EquationStmt, summands: tuple[Summand, ...], fields: list[Field], place: Expr, env: Environment
) -> Condition:
    time, field = env.time, fields[0]
    assert time is not None
    if place not in (time.start, time.end):
        at, start, end = map(notation, (place, time.start, time.end))
        where = _argument(statement, field, time.symbol, env)
        raise mistakes.equations.neither_start_nor_end(time.name, at, start, end, statement.span, where)
    wholes = [normal([s.exprs[k] for s in summands], env.numbers) for k in range(len(summands[0].exprs))]
    target = _target(wholes[0], field.xreplace(env.numbers), time.symbol)
    order = len(target.slots) if isinstance(target, Partial) else 0
    values = tuple(_given(w, target, k, statement.span) for k, w in enumerate(wholes))
    kind = ConditionKind.INITIAL if place == time.start else ConditionKind.TERMINAL
    own = [f for f in fields if f.head == field.head]
    component = _component(own, values, env)
    return Condition(kind, field.head, order, values, (), statement.span, component=component)


def _argument(statement: t.EquationStmt, field: Field, variable: Expr, env: Environment) -> Span | None:
    """Where an unknown's argument for a variable is written, if only one call on the left has as many arguments."""
    arguments = unknown_of(field, env).arguments
    calls = [n for n in t.walk(statement.left) if isinstance(n, t.Call) and len(n.args) == len(arguments)]
    return calls[0].args[arguments.index(variable)].span if len(calls) == 1 else None


def _target(whole: Expr, field: Field, time: Symbol) -> Expr:
    slopes = [p for p in atoms(whole, Partial) if p.body == field and set(p.slots) == {time}]
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
        at = field.arguments[unknown_of(field, env).arguments.index(variable)].xreplace(env.numbers)
        if at not in places:
            ends, where = [notation(p) for p in places], _argument(statement, field, variable, env)
            raise mistakes.equations.not_on_the_boundary(variable.name, notation(at), ends, statement.span, where)
        sides.append(places[at])
    value, main = _condition_value(summands, env), _main(fields, summands, env)
    component, named = _component(fields, value, env), tuple(dict.fromkeys(sides))
    at_home = {f.xreplace(env.numbers): Field(f.head, tuple(f.indices), unknown_of(f, env).arguments) for f in fields}
    if len(named) == 1:  # the same condition as `… on left`
        value = tuple(v.xreplace(at_home) for v in value)
    return Condition(ConditionKind.BOUNDARY, main.head, 0, value, named, statement.span, component=component)
