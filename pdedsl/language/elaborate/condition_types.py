"""Types of boundary conditions, made once: u = g, α u + β ∂u/∂n = g, ∂ᵏu(b) = ±∂ᵏu(a) + c, or any other condition.

A condition is one for its principal unknown, that with the derivative of highest order; the others are data. It has one
type for each face and surface, since the outer normal differs.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Dummy, Expr, Symbol, expand

from pdedsl.ir.boundary import (
    BoundaryCondition,
    Face,
    General,
    Normal,
    Periodic,
    Place,
    ScalarCondition,
    classify,
    normal_components,
)
from pdedsl.ir.component_form import (
    component_of,
    coordinate_intervals,
    coordinates_of,
    derivative_orders,
    in_components,
    place_in_components,
    scalar_unknowns,
)
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.spec import Condition, ConditionKind, Spec
from pdedsl.symbolic.symbols import Field, Partial, atoms


def boundary_conditions(spec: Spec) -> Iterator[ScalarCondition]:
    """Every scalar boundary condition of a spec on each of its faces and surfaces."""
    for n, condition in enumerate(spec.conditions):
        if condition.on_boundary:
            yield from _scalar_conditions(n, condition, spec)


def _scalar_conditions(n: int, condition: Condition, spec: Spec) -> Iterator[ScalarCondition]:
    part = tuple(g.expr for g in condition.part)
    needs_normal = any(normal_components(v, spec.space.coordinates) for v in condition.value)
    joined = condition.kind is ConditionKind.TWO_POINT
    residuals = () if needs_normal or joined else _residuals(condition, (), spec)
    for place in condition.places:
        kinds: Iterator[BoundaryCondition]
        if joined:
            kinds = (_join(v, condition, spec) for v in condition.value)
        else:
            normal = place_in_components(place, spec).normal(coordinates_of(spec.space))
            residuals = _residuals(condition, normal, spec) if needs_normal else residuals
            kinds = (_type_of(r, condition.unknown, place, normal, spec) for r in residuals)
        for k, kind in enumerate(kinds):
            yield ScalarCondition(kind, place, part, condition.span, (n, k))


def _residuals(condition: Condition, normal: Normal, spec: Spec) -> tuple[Residual, ...]:
    """The residuals with jet variables for the principal unknown where it is evaluated at its own arguments; a learned
    field has none."""
    coordinates, _ = coordinate_intervals(spec)
    components = scalar_unknowns(spec)
    arguments = next((u.arguments for u in spec.unknowns if u.head == condition.unknown), None)

    def residual(value: Expr) -> Residual:
        jets: dict[Derivative, Symbol] = {}

        def replace_leaf(e: Expr) -> Expr:
            body, slots = (e.body, e.slots) if isinstance(e, Partial) else (e, ())
            own = isinstance(body, Field) and (body.head, tuple(body.arguments)) == (condition.unknown, arguments)
            if not own:
                return e
            derivative = Derivative(component_of(body, components), derivative_orders(slots, coordinates))
            name = f"·{derivative.component}_{'_'.join(map(str, derivative.orders))}"  # occurs in no spec
            return jets.setdefault(derivative, Symbol(name, real=True))

        expanded = in_components(value, spec, normal, replace_leaf)
        return Residual(expanded, tuple((s, d) for d, s in jets.items()), condition.span)

    return tuple(map(residual, condition.value))


def _type_of(residual: Residual, unknown: Symbol, place: Place, normal: Normal, spec: Spec) -> BoundaryCondition:
    is_local = not any(f.head == unknown for f in atoms(residual.expr, Field))
    coordinates = coordinates_of(spec.space)
    on_face = {coordinates[place.coordinate]: spec.space.end(place)} if isinstance(place, Face) else {}
    return classify(residual, normal, on_face) if is_local else General(residual)


# ---- Conditions that join two faces


def _join(value: Expr, condition: Condition, spec: Spec) -> Periodic | General:
    """∂ᵏu(end) = sign · ∂ᵏu(start) + jump with numbers, or another condition."""
    expr, own = value.xreplace(spec.values), {u.head: tuple(u.arguments) for u in spec.unknowns}
    coordinates, components = coordinates_of(spec.space), scalar_unknowns(spec)
    partials = [p for p in atoms(expr, Partial) if isinstance(p.body, Field) and p.body.head in own]
    bodies = {p.body for p in partials}
    fields = [f for f in atoms(expr, Field) if f.head in own and f not in bodies]
    ends: dict[bool, tuple[Expr, tuple[int, int, int]]] = {}
    for term in (*partials, *fields):
        body, slots = (term.body, term.slots) if isinstance(term, Partial) else (term, ())
        moved = [(x, a) for x, a in zip(own[body.head], body.arguments, strict=True) if a != x]
        if len(moved) == 1 and moved[0][0] in coordinates and set(slots) <= {moved[0][0]}:
            axis = coordinates.index(moved[0][0])
            at_end = moved[0][1] == spec.space.intervals[axis].end
            ends[at_end] = term, (axis, component_of(body, components), len(slots))
    if len(ends) == len(partials) + len(fields) == 2 and ends[False][1] == ends[True][1]:
        lower, upper = Dummy(), Dummy()
        linear = expr.xreplace({ends[False][0]: lower, ends[True][0]: upper})
        for sign in (1, -1):
            scale = linear.diff(upper)
            jump = expand(upper - sign * lower - linear / scale) if scale.is_number and scale != 0 else lower
            if jump.is_number:
                axis, component, order = ends[False][1]
                return Periodic(component, axis, sign, jump, order)
    return General(Residual(expr, (), condition.span))
