"""Initial, terminal and boundary conditions: their elaboration, and the number of conditions that the equations need.

The boundary consists of the faces of the box and the surfaces of the inequalities. On every part of it, an unknown of
order 2m in space needs m conditions per component. On a face of the box the order is that of the normal derivatives; an
odd order 2m + 1 needs m conditions at one end and m + 1 at the other, which for

    ∂u/∂t = a ∂²ᵐ⁺¹u/∂x²ᵐ⁺¹

is the upper end if (-1)ᵐ a > 0 (by the energy ∫u²: for Korteweg-de Vries, a = -1, the right end). First order needs at
most one, on the inflow boundary. Where an equation without time derivative determines one unknown by another, as
Δψ = -ω, surplus conditions on the first count for the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import assert_never

from sympy import Add, Expr, Integer, Symbol, cancel

from pdedsl import errors
from pdedsl.diagnostics import Reporter, Span, closest_match
from pdedsl.ir.boundary import Dirichlet, Face, General, LevelSet, Place, ScalarCondition
from pdedsl.ir.spec import (
    Condition,
    ConditionKind,
    Equation,
    LevelFunction,
    Space,
    SpaceKind,
    Spec,
    Summand,
    Time,
    Unknown,
)
from pdedsl.ir.types import Vector
from pdedsl.language import ast as t
from pdedsl.language.elaborate.declarations import inequality_level, surface_level
from pdedsl.language.elaborate.environment import Environment
from pdedsl.language.elaborate.equations import component_count, normal_form, size_of, unknown_of
from pdedsl.language.names import canonical_name
from pdedsl.record import Record
from pdedsl.symbolic.domain_points import Region, region_of
from pdedsl.symbolic.evaluate import Point, compile_function
from pdedsl.symbolic.mesh_domain import MeshBoundary
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import Field, Partial, atoms, atoms_outside_integrals

# ---- Parts of the boundary


SAMPLES_PER_PART = 64  # sample points on each part of the boundary
SAMPLES_IN_HIGH_DIMENSION = 4  # on a surface in many dimensions, where each point is expensive
MAX_RANK = 1 << 30  # above the number of every axis
MAX_DENSE_SAMPLING_DIMENSION = 16  # dimensions with SAMPLES_PER_PART points on a surface


class BoundaryPart(Record):
    """A face or a surface that bounds the domain, with sample points; a face of a plain box needs none."""

    name: str
    place: Place
    points: tuple[Point, ...] | None

    @property
    def is_nonempty(self) -> bool:
        return self.points is None or bool(self.points)


def spec_region(spec: Spec) -> Region:
    """The space-time domain of a spec."""
    return region_of_space(spec.space, spec.time)


def region_of_space(space: Space, time: Time | None) -> Region:
    ends = [(s.start, s.end) for s in space.intervals] + ([(time.start, time.end)] if time else [])
    inside = [g.expr for g in space.inequalities]
    return region_of(space.coordinates, len(space.intervals), ends, time.symbol if time else None, inside)


def boundary_parts(spec: Spec) -> list[BoundaryPart]:
    """All parts of the boundary except periodic faces."""
    sampled = bool(spec.space.inequalities) or any(c.part for c in spec.conditions)
    region = spec_region(spec)
    faces = [BoundaryPart(f.name, f, tuple(points_on(f, region)) if sampled else None) for f in spec.space.boundary]
    surfaces = [
        BoundaryPart(_surface_name(g, spec), level, tuple(points_on(level, region)))
        for g in spec.space.inequalities
        for level in (LevelSet(g.expr, g.span),)
    ]
    return [*faces, *surfaces]


def _surface_name(level: LevelFunction, spec: Spec) -> str:
    """The group of a mesh, or the inequality as an equation."""
    return level.expr.part if isinstance(level.expr, MeshBoundary) else _as_equation(spec.source.quote(level.span))


def _as_equation(inequality: str) -> str:
    """`x² + y² = 1` for `x² + y² < 1`, as in a condition; a chain of inequalities is quoted."""
    text, count = re.subn("[<>]=?|[≤≥]", "=", inequality)
    return text if count == 1 else f"'{inequality}'"


def points_on(place: Place, region: Region) -> list[Point]:
    """Sample points of a face or level set in the closed domain."""
    match place:
        case Face(coordinate=k, upper=upper):
            return region.face(k, upper, SAMPLES_PER_PART)
        case LevelSet(expr=level):
            dense = region.layout.dimension <= MAX_DENSE_SAMPLING_DIMENSION
            return region.surface(level, SAMPLES_PER_PART if dense else SAMPLES_IN_HIGH_DIMENSION)
        case _:
            assert_never(place)


def points_satisfying(part: Sequence[Expr], points: Sequence[Point], region: Region) -> list[Point]:
    """The points at which the inequalities of a condition hold."""
    parts = [compile_function(g, region.layout) for g in part]
    return [p for p in points if all(g(p) > 0 for g in parts)]


def selects_points(condition: Condition, region: Region) -> bool:
    """Whether a condition selects points on every face and surface that it names."""
    part = [g.expr for g in condition.part]
    return all(points_satisfying(part, points_on(place, region), region) for place in condition.places)


def places_meeting(space: Space, time: Time | None, part: Sequence[LevelFunction]) -> tuple[Place, ...]:
    """The faces and surfaces of the boundary on which the inequalities of `part` hold somewhere."""
    if not (space.inequalities or part):
        return space.boundary
    region = region_of_space(space, time)
    places: tuple[Place, ...] = (*space.boundary, *(LevelSet(g.expr, g.span) for g in space.inequalities))
    inside = [g.expr for g in part]
    return tuple(place for place in places if points_satisfying(inside, points_on(place, region), region))


# ---- Conditions


def boundary_condition(
    statement: t.EquationStmt, summands: tuple[Summand, ...], fields: list[Field], env: Environment
) -> Condition:
    """`u = 0 on boundary`, `n·∇u = g on right where y > 0`, `u = 1 on x² + y² = 1`."""
    space = env.scope().space
    if statement.time_interval:
        raise errors.equations.boundary_condition_with_interval(statement.time_interval[0].span, _for_clause(statement))
    if not (space.boundary or space.inequalities or space.intervals):
        raise errors.equations.no_boundary(False, statement.on[0].span, statement.span)
    part = tuple(inequality_level(w, env, timed=True) for w in statement.where)
    named = dict.fromkeys(p for on in statement.on for p in _places(on, part, env, statement.span))
    places = tuple(sorted(named, key=_rank))
    value, field = _condition_value(summands, env), _principal_unknown(fields, summands, env)
    component = _component(fields, value, env)
    return Condition(ConditionKind.BOUNDARY, field.head, 0, value, places, statement.span, part, component)


def _rank(place: Place) -> tuple[int, bool]:
    """Faces in the order of the axes, then level sets as they are written: the order has no meaning."""
    return (place.coordinate, place.upper) if isinstance(place, Face) else (MAX_RANK, False)


def _for_clause(statement: t.EquationStmt) -> Span:
    """The span of `for t in [a, b]`, with the whitespace before it."""
    assert statement.time_interval is not None
    return Span(statement.right.span.end, statement.time_interval[1].span.end)


def _places(
    place: t.BoundaryPlace, part: tuple[LevelFunction, ...], env: Environment, condition: Span
) -> tuple[Place, ...]:
    """The faces and surfaces denoted by `boundary`, the name of a face, or an equation."""
    space = env.scope().space
    groups = {canonical_name(name): LevelSet(g.expr, g.span) for name, g in space.groups.items()}
    known: dict[str, Place] = {**groups} or {face.name: face for face in space.boundary}
    match place:
        case t.SurfaceEquation() if groups:
            raise errors.equations.curve_on_mesh(("boundary", *known), place.span)
        case t.SurfaceEquation():
            return (_face_or_surface(surface_level(place, env), space),)
        case t.Name(id="boundary") if known or space.inequalities:
            located = places_meeting(space, env.time, part)
            if not located:
                raise errors.equations.empty_location(place.span)
            return located
        case t.Name(id=name) if name in known:
            return (known[name],)
        case t.Name() if not known and not space.inequalities:
            raise errors.equations.no_boundary(bool(space.intervals), place.span, condition)
        case t.Name(text=text, id=name):
            every = ("boundary", *known)
            raise errors.equations.unknown_face(text, every, _intended_face(name, every), place.span)
        case _:
            raise errors.equations.invalid_location(place.span)


def _face_or_surface(level: LevelFunction, space: Space) -> Place:
    """A face of the box, such as `x = 0`, the boundary of an inequality, or another level set."""
    for face in space.boundary if space.explicit else ():
        x = space.coordinates[face.coordinate]
        is_affine = level.expr.free_symbols == {x} and level.expr.is_polynomial(x) and level.expr.diff(x).is_number
        if is_affine and level.expr.xreplace({x: space.end(face)}) == 0:
            return face
    own = (g.expr for g in space.inequalities if _has_same_zero_set(level.expr, g.expr))
    return LevelSet(next(own, level.expr), level.span)


def _has_same_zero_set(a: Expr, b: Expr) -> bool:
    """Whether two functions vanish on the same surface because their quotient is constant."""
    if a in (b, -b):
        return True
    ratio = cancel(a / b)
    return bool(ratio.is_number and ratio != 0)


def _principal_unknown(fields: list[Field], summands: tuple[Summand, ...], env: Environment) -> Field:
    """The unknown of a condition: the one with the derivative of highest order."""
    partials = [p for s in summands for e in s.exprs for p in atoms_outside_integrals(e, Partial)]
    orders = {f: max((len(p.slots) for p in partials if p.has(f)), default=0) for f in fields}
    return max(fields, key=lambda f: orders[f])


def _component(fields: list[Field], value: tuple[Expr, ...], env: Environment) -> int | None:
    """The component of a vector, if a condition contains no other and no symbolic index."""
    own = {(f.head, tuple(f.indices)) for f in fields}
    if len(value) > 1 or len(own) > 1 or not fields[0].indices or size_of(unknown_of(fields[0], env), env) == 1:
        return None
    index = fields[0].indices[0]
    return int(index) if index.is_Integer else None


def _condition_value(summands: tuple[Summand, ...], env: Environment) -> tuple[Expr, ...]:
    return tuple(normal_form([s.exprs[k] for s in summands], env.numbers) for k in range(len(summands[0].exprs)))


def condition_at_fixed_argument(
    statement: t.EquationStmt, summands: tuple[Summand, ...], fields: list[Field], env: Environment
) -> Condition:
    """`u(x, 0) = f(x)`, `∂Y/∂t(x, 0) = 0`, `u(-1, t) = 0`."""
    if statement.time_interval:
        raise errors.equations.condition_with_interval(statement.time_interval[0].span, _for_clause(statement))
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
        raise errors.equations.fixes_one_variable(f"{unknown.name}({places})", statement.span)
    variable, place = fixed[0]
    if env.time is not None and variable == env.time.symbol:
        return _initial_or_terminal_condition(statement, summands, fields, place, env)
    return _condition_on_face(statement, summands, fields, variable, place, env)


def _initial_or_terminal_condition(
    statement: t.EquationStmt, summands: tuple[Summand, ...], fields: list[Field], place: Expr, env: Environment
) -> Condition:
    time, field = env.time, fields[0]
    assert time is not None
    if place not in (time.start, time.end):
        is_late = place.is_number and bool(2 * place > time.start + time.end)
        nearest, kind, end = (time.end, "terminal", "end") if is_late else (time.start, "initial", "start")
        where = _argument_span(statement, field, time.symbol, env)
        raise errors.equations.not_at_initial_or_final_time(
            time.name,
            notation(place),
            notation(nearest),
            kind,
            end,
            _endpoint_before(place, time, env),
            statement.span,
            where,
        )
    components = [normal_form([s.exprs[k] for s in summands], env.numbers) for k in range(len(summands[0].exprs))]
    target = _target(components[0], field.xreplace(env.numbers), time.symbol)
    order = len(target.slots) if isinstance(target, Partial) else 0
    values = tuple(_prescribed_value(w, target, k, statement.span) for k, w in enumerate(components))
    kind = ConditionKind.INITIAL if place == time.start else ConditionKind.TERMINAL
    own = [f for f in fields if f.head == field.head]
    component = _component(own, values, env)
    return Condition(kind, field.head, order, values, (), statement.span, component=component)


def _endpoint_before(place: Expr, time: Time, env: Environment) -> Span | None:
    """The span of the end of the time interval beyond which a time is; None if it is inside."""
    declaration = env.declared[canonical_name(time.name)]
    if not place.is_number or bool(time.start < place) is bool(place < time.end):
        return None
    match declaration:
        case t.TimeDecl(interval=t.ListExpr(items=(start, end))):
            return end.span if bool(place > time.end) else start.span
        case _:
            return None


def _argument_span(statement: t.EquationStmt, field: Field, variable: Expr, env: Environment) -> Span | None:
    """The span of the argument of an unknown, if only one call on the left has as many arguments."""
    arguments = unknown_of(field, env).arguments
    calls = [n for n in t.walk(statement.left) if isinstance(n, t.Call) and len(n.args) == len(arguments)]
    return calls[0].args[arguments.index(variable)].span if len(calls) == 1 else None


def _target(whole: Expr, field: Field, time: Symbol) -> Expr:
    derivatives = [p for p in atoms(whole, Partial) if p.body == field and set(p.slots) == {time}]
    return max(derivatives, key=lambda p: len(p.slots)) if derivatives else field


def _prescribed_value(whole: Expr, target: Expr, k: int, span: Span) -> Expr:
    """The prescribed value of the left-hand side of a condition."""
    prescribed = target
    if k:
        body = target.body if isinstance(target, Partial) else target
        moved = Field(body.head, (Integer(k + 1),), tuple(body.arguments))
        prescribed = Partial(moved, *target.slots) if isinstance(target, Partial) else moved
    with_goal = [a for a in Add.make_args(whole) if a.has(prescribed)]
    coefficient = Add(*(a / prescribed for a in with_goal))
    if not with_goal or coefficient.has(prescribed) or not coefficient.is_number:
        raise errors.equations.invalid_condition(span)
    return Add(*(expand_products(-a / coefficient) for a in Add.make_args(whole) if not a.has(prescribed)))


def _condition_on_face(
    statement: t.EquationStmt,
    summands: tuple[Summand, ...],
    fields: list[Field],
    variable: Expr,
    place: Expr,
    env: Environment,
) -> Condition:
    space = env.scope().space
    places: dict[Expr, Face] = {}
    if space.kind is SpaceKind.PHYSICAL and space.explicit:
        k = space.coordinates.index(variable)
        interval = space.intervals[k]
        if not interval.periodic:
            places = {space.end(face): face for face in (Face(k, False), Face(k, True))}
        elif (
            len(space.coordinates) == 1
            and {_place_of(f, variable, env) for f in fields} == {place}
            and interval.start <= place <= interval.end
        ):
            point = LevelSet(variable - place, statement.span)
            return _condition_at_point(statement, summands, fields, point, env)
    faces = []
    for field in fields:
        at = _place_of(field, variable, env)
        if at not in places:
            ends, where = [notation(p) for p in places], _argument_span(statement, field, variable, env)
            raise errors.equations.not_on_the_boundary(variable.name, notation(at), ends, statement.span, where)
        if space.metric is not None and places[at] in space.metric.axes:
            raise errors.equations.condition_at_axis(variable.name, notation(at), statement.span)
        faces.append(places[at])
    value, main = _condition_value(summands, env), _principal_unknown(fields, summands, env)
    component, named = _component(fields, value, env), tuple(dict.fromkeys(faces))
    if len(named) == 1:  # the same condition as `… on left`
        value = _at_own_arguments(value, fields, env)
    kind = ConditionKind.BOUNDARY if len(named) == 1 else ConditionKind.TWO_POINT
    return Condition(kind, main.head, 0, value, named, statement.span, component=component)


def _condition_at_point(
    statement: t.EquationStmt,
    summands: tuple[Summand, ...],
    fields: list[Field],
    point: LevelSet,
    env: Environment,
) -> Condition:
    """`u(0) = 1` on a circle, which determines the constant of a Poisson equation: the same as `u = 1 on x = 0`."""
    value, main = _condition_value(summands, env), _principal_unknown(fields, summands, env)
    value = _at_own_arguments(value, fields, env)
    component = _component(fields, value, env)
    return Condition(ConditionKind.BOUNDARY, main.head, 0, value, (point,), statement.span, component=component)


def _place_of(field: Field, variable: Expr, env: Environment) -> Expr:
    """The argument of an unknown in the place of a variable."""
    return field.arguments[unknown_of(field, env).arguments.index(variable)].xreplace(env.numbers)


def _at_own_arguments(value: tuple[Expr, ...], fields: list[Field], env: Environment) -> tuple[Expr, ...]:
    own = {f.xreplace(env.numbers): Field(f.head, tuple(f.indices), unknown_of(f, env).arguments) for f in fields}
    return tuple(v.xreplace(own) for v in value)


def antiperiodic_conditions(spec: Spec, axes: Mapping[int, Span]) -> Iterator[Condition]:
    """∂ᵏu/∂xᵏ(b) = -∂ᵏu/∂xᵏ(a) along antiperiodic axes, for all orders k below that of the equations."""
    for axis, span in axes.items():
        x, interval = spec.space.coordinates[axis], spec.space.intervals[axis]
        for unknown in spec.unknowns:
            size = component_count(unknown.type, spec)
            indices = [(Integer(k),) for k in range(1, size + 1)] if isinstance(unknown.type, Vector) else [()]
            ends = [tuple(end if a == x else a for a in unknown.arguments) for end in (interval.start, interval.end)]
            for order in range(max((_order(e, unknown.head, axis, spec) for e in spec.equations), default=0)):
                value = tuple(Add(*(_derivative(Field(unknown.head, i, at), x, order) for at in ends)) for i in indices)
                faces = Face(axis, False), Face(axis, True)
                yield Condition(ConditionKind.TWO_POINT, unknown.head, 0, value, faces, span)


def _derivative(field: Field, x: Symbol, order: int) -> Expr:
    return Partial(field, *(x,) * order) if order else field


# ---- Number of conditions


class RequiredConditions(Record):
    """The minimum and maximum number of conditions for an unknown on a part of the boundary."""

    minimum: int
    maximum: int
    order: int


class ConditionBalance(Record):
    """The number of conditions on an unknown at a point of the boundary, and how many are missing or redundant."""

    part: BoundaryPart
    prescribed: Fraction
    missing: Fraction
    surplus: Fraction
    point: Point | None


def count_conditions(spec: Spec, reporter: Reporter) -> None:
    """Reports parts of the boundary with too few or too many conditions."""
    parts, region = [p for p in boundary_parts(spec) if p.is_nonempty], spec_region(spec)
    balances: dict[Symbol, list[ConditionBalance]] = {u.head: [] for u in spec.unknowns}
    for part in parts:
        needs = {u.head: _required_conditions(part, u, spec) for u in spec.unknowns}
        own = {u.head: _conditions_on(part.place, u.head, spec) for u in spec.unknowns}
        partial = any(c.part for conditions in own.values() for c in conditions)
        for point in (part.points or (None,)) if partial else (None,):
            prescribed = {
                h: sum((_count(c, spec) for c in own[h] if _holds_at(c, point, region)), Fraction(0)) for h in own
            }
            for head, counted in _balance(part, prescribed, needs, point, spec).items():
                balances[head].append(counted)
    for unknown in spec.unknowns:
        # Planning reports conditions that couple two faces.
        coupled = any(c.kind is ConditionKind.TWO_POINT for c in spec.conditions if c.unknown == unknown.head)
        if not coupled and any(_concerns(e, unknown.head) for e in spec.equations):
            _report_balance(unknown, balances[unknown.head], parts, spec, reporter)


def _conditions_on(place: Place, unknown: Symbol, spec: Spec) -> list[ScalarCondition]:
    """The scalar conditions on an unknown, on a face or surface, without components of a cross product that vanish."""
    own = [c for c in spec.boundary_conditions if c.place == place and _condition_of(c, spec).unknown == unknown]
    return [c for c in own if len(_condition_of(c, spec).value) == 1 or not _vanishes(c)]


def _vanishes(scalar: ScalarCondition) -> bool:
    return isinstance(scalar.kind, General) and bool(scalar.kind.residual.expr == 0)


def _condition_of(scalar: ScalarCondition, spec: Spec) -> Condition:
    return spec.conditions[scalar.number[0]]


def _count(scalar: ScalarCondition, spec: Spec) -> Fraction:
    """The number of conditions on each face; u(0, t) = u(1, t) is one condition on two faces."""
    condition = _condition_of(scalar, spec)
    return Fraction(1, len(condition.places) if condition.kind is ConditionKind.TWO_POINT else 1)


def _holds_at(condition: ScalarCondition, point: Point | None, region: Region) -> bool:
    return point is None or bool(points_satisfying(condition.part, [point], region))


def _concerns(equation: Equation, head: Symbol) -> bool:
    return equation.unknown == head or any(f.head == head for e in equation.rhs for f in atoms(e, Field))


def _balance(
    part: BoundaryPart,
    prescribed: dict[Symbol, Fraction],
    needs: dict[Symbol, RequiredConditions],
    point: Point | None,
    spec: Spec,
) -> dict[Symbol, ConditionBalance]:
    """Missing and redundant conditions, after the surplus of each unknown is counted for those that determine it. A
    prescribed pressure closes an outflow: the other conditions are the natural ones of the weak form (Heywood,
    Rannacher and Turek 1996)."""
    surplus = {h: max(Fraction(0), prescribed[h] - needs[h].maximum) for h in prescribed}
    missing = {h: max(Fraction(0), needs[h].minimum - prescribed[h]) for h in prescribed}
    for head in prescribed:
        for constrained in _unknowns_constrained_by(head, spec):
            moved = min(surplus[head], missing[constrained])
            surplus[head] -= moved
            missing[constrained] -= moved
            if prescribed[head] and _is_multiplier(head, spec):
                missing[constrained] = Fraction(0)
    return {h: ConditionBalance(part, prescribed[h], missing[h], surplus[h], point) for h in prescribed}


def _unknowns_constrained_by(head: Symbol, spec: Spec) -> list[Symbol]:
    """The other unknowns in an unknown's equations without time derivative."""
    own = [e for e in spec.equations if e.unknown == head and not e.order]
    inside = {f.head for e in own for r in e.rhs for f in atoms(r, Field)}
    return [u.head for u in spec.unknowns if u.head in inside and u.head != head]


def _is_multiplier(head: Symbol, spec: Spec) -> bool:
    """Whether an unknown is the Lagrange multiplier of a constraint on others: the pressure of ∇·v = 0."""
    own = [e for e in spec.equations if e.unknown == head]
    return bool(own) and all(
        not e.order and not any(f.head == head for r in e.rhs for f in atoms(r, Field)) for e in own
    )


# ---- Required conditions


def _required_conditions(part: BoundaryPart, unknown: Unknown, spec: Spec) -> RequiredConditions:
    axis = part.place.coordinate if isinstance(part.place, Face) else None
    order = max((_order(e, unknown.head, axis, spec) for e in spec.equations), default=0)
    any_axis = max((_order(e, unknown.head, None, spec) for e in spec.equations), default=0)
    minimum, maximum = order // 2, max(order - order // 2, min(any_axis, 1))  # transport along a face allows one
    if order % 2 and order > 1 and isinstance(part.place, Face):
        minimum, maximum = _required_for_odd_order(order, part.place, unknown, spec)
    size = component_count(unknown.type, spec)
    if is_curl_curl(unknown.head, spec):
        return RequiredConditions(size - 1, 1 if size == 2 else 3, order)
    return RequiredConditions(minimum * size, maximum * size, order)


def is_curl_curl(head: Symbol, spec: Spec) -> bool:
    """Whether the derivatives of highest order are those of ∇×∇×E: no component is differentiated twice along its own
    coordinate. Such an equation needs conditions on the tangential components only."""
    space = spec.space
    own = [e for e in spec.equations if e.unknown == head]
    if not space.explicit or len(space.coordinates) not in (2, 3) or len(own) != 1:
        return False
    pairs = {
        (int(f.indices[0]) - 1, p.slots)
        for r in own[0].rhs
        for p in atoms_outside_integrals(r, Partial)
        if isinstance(f := p.body, Field) and f.head == head and f.indices and f.indices[0].is_Integer
        if len(p.slots) == 2 and set(p.slots) <= set(space.coordinates)
    }
    size = len(space.coordinates)
    squares = {(k, j) for k, slots in pairs for j, x in enumerate(space.coordinates) if slots == (x, x)}
    return squares == {(k, j) for k in range(size) for j in range(size) if k != j}


def _order(equation: Equation, head: Symbol, axis: int | None, spec: Spec) -> int:
    """The highest order of an unknown's derivatives in space, counting one coordinate or all."""
    time, space = spec.time.symbol if spec.time else None, spec.space
    orders = []
    for p in {p for e in equation.rhs for p in atoms_outside_integrals(e, Partial)}:
        if any(f.head == head for f in atoms(p.body, Field)):
            slots = [s for s in p.slots if s != time]
            across = axis is None or not space.explicit
            orders.append(len(slots) if across else sum(s == space.coordinates[axis or 0] for s in slots))
    return max(orders, default=0)


def _required_for_odd_order(order: int, face: Face, unknown: Unknown, spec: Spec) -> tuple[int, int]:
    """Bounds for an odd order 2m + 1: m at one end and m + 1 at the other, by the sign of the coefficient."""
    own = [e for e in spec.equations if e.unknown == unknown.head and e.order == 1 and len(e.rhs) == 1]
    minimum = order // 2
    if len(own) != 1 or not spec.space.explicit:
        return minimum, minimum + 1
    x = spec.space.coordinates[face.coordinate]
    derivative = Partial(Field(unknown.head, (), unknown.arguments), *(x,) * order)
    coefficient = own[0].rhs[0].coeff(derivative) * (-1) ** (order // 2)
    backward = any(c.kind is ConditionKind.TERMINAL and c.unknown == unknown.head for c in spec.conditions)
    if not (coefficient.is_positive or coefficient.is_negative):
        return minimum, minimum + 1
    at_upper_end = bool(coefficient.is_positive) is not backward
    count = minimum + (face.upper is at_upper_end)
    return count, count


# ---- Error messages

FACE_SYNONYMS = {
    "left": ("west", "start", "bottom", "lower", "in", "inlet", "x0"),
    "right": ("east", "end", "top", "upper", "out", "outlet", "x1"),
    "bottom": ("south", "lower", "down"),
    "top": ("north", "upper", "up"),
    "boundary": ("all", "walls", "wall", "bnd", "everywhere", "sides", "edges", "edge"),
}
"""Names of faces in other programs, and of faces of a square on an interval."""


def _intended_face(name: str, faces: Sequence[str]) -> str | None:
    """A face by its name in other programs, or by the closest spelling; `left` and `right` last, for intervals."""
    candidates = [face for face in reversed(faces) if name in FACE_SYNONYMS.get(face, ())]
    return candidates[0] if candidates else closest_match(name, faces)


def _report_balance(
    unknown: Unknown, balances: list[ConditionBalance], parts: list[BoundaryPart], spec: Spec, reporter: Reporter
) -> None:
    without_condition = [c.part.name for c in balances if c.missing and not c.prescribed and c.point is None]
    deficient = next((c for c in balances if c.missing and (c.prescribed or c.point is not None)), None)
    some = tuple(dict.fromkeys(without_condition)) if len(set(without_condition)) < len(parts) else ()
    one_is_enough = all(c.missing <= 1 for c in balances)
    position = max(e.span.end for e in spec.equations) if one_is_enough else None
    if without_condition:
        reporter.add(errors.equations.missing_boundary_condition(unknown.name, some, unknown.span, position))
    elif deficient is not None:
        counts = str(deficient.prescribed), str(deficient.prescribed + deficient.missing)
        reporter.add(
            errors.equations.too_few_conditions(
                unknown.name,
                *counts,
                _describe_location(deficient, spec),
                _example_of_missing(unknown, balances, parts, spec),
                unknown.span,
                max(e.span.end for e in spec.equations),
            )
        )
    elif balances and _is_underdetermined(unknown.head, spec):
        reporter.add(errors.equations.missing_boundary_condition(unknown.name, (), unknown.span, position))
    for condition in (c for c in spec.conditions if c.unknown == unknown.head and c.on_boundary):
        crowded = [c for c in balances if c.surplus and c.part.place in condition.places]
        if crowded and _is_last(condition, crowded[0], spec):
            excess = crowded[0].part.name, int(crowded[0].prescribed - crowded[0].surplus)
            needing = [c.part.name for c in balances if c.part.place in condition.places and not c.surplus]
            text = spec.source.quote(condition.span)
            reporter.add(errors.equations.too_many_conditions(unknown.name, *excess, text, needing, condition.span))


def _example_of_missing(
    unknown: Unknown, balances: list[ConditionBalance], parts: list[BoundaryPart], spec: Spec
) -> str:
    """A homogeneous condition beside the one of an equation of fourth order, as on a clamped beam; empty if there are
    others."""
    lacking = [c for c in balances if c.missing]
    if any(c.point is not None or c.prescribed != 1 or c.missing != 1 for c in lacking):
        return ""
    own = [c for b in lacking for c in _conditions_on(b.part.place, unknown.head, spec)]
    has_derivative = {not isinstance(c.kind, Dirichlet) for c in own}
    if len(has_derivative) != 1:
        return ""
    faces = "boundary" if len(lacking) == len(parts) else ", ".join(c.part.name for c in lacking)
    return f"{unknown.name if has_derivative.pop() else f'∂{unknown.name}/∂n'} = 0 on {faces}"


def _is_underdetermined(head: Symbol, spec: Spec) -> bool:
    """Whether derivatives in space, but neither a time derivative nor a boundary condition, determine an unknown and
    all that share equations with it: u_x = f leaves a constant of integration."""
    linked, sharing = {head}, [_unknowns_in(e, spec) for e in spec.equations]
    while more := {h for heads in sharing if heads & linked for h in heads} - linked:
        linked |= more
    own = [e for e, heads in zip(spec.equations, sharing, strict=True) if heads & linked]
    differential = any(_order(e, h, None, spec) for e in own for h in linked)
    determined = any(c.unknown in linked for c in spec.integral_conditions)
    determined = (
        determined or any(e.order for e in own) or any(c.on_boundary and c.unknown in linked for c in spec.conditions)
    )
    return differential and not determined


def _unknowns_in(equation: Equation, spec: Spec) -> set[Symbol]:
    """The unknowns in an equation."""
    return {u.head for u in spec.unknowns if _concerns(equation, u.head)}


def _describe_location(counted: ConditionBalance, spec: Spec) -> str:
    name = counted.part.name
    if counted.point is None:
        return name
    names = (*spec.space.names, *((spec.time.name,) if spec.time else ()))
    values = ", ".join(f"{x:.2g}" for x in counted.point)
    if len(names) != len(counted.point):
        return f"a part of {name}"
    return f"a part of {name}, as at ({', '.join(names)}) = ({values})"


def _is_last(condition: Condition, counted: ConditionBalance, spec: Spec) -> bool:
    same = [c for c in spec.conditions if c.unknown == condition.unknown and counted.part.place in c.places]
    return condition is same[-1]
