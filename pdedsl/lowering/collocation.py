"""Strong form of a boundary value problem: the residuals of the equations and conditions, in components.

Lagaris, Likas and Fotiadis 1998; Raissi, Perdikaris and Karniadakis 2019. Planning chooses the method: random features,
PINN, grid or Monte Carlo.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sympy import Add, Dummy, Expr, expand

from pdedsl import errors
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.boundary import ConditionResidual, Face, LevelSet, Normal, Periodic, normal_components
from pdedsl.ir.problem import Domain, Measurements, ScalarUnknown, StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.spec import Condition, ConditionKind, Equation, IntegralCondition, Observation, Spec
from pdedsl.ir.theorem import Theorem
from pdedsl.lowering.index_expansion import IndexExpander, coordinate_intervals, coordinates_of, index_expander
from pdedsl.symbolic.symbols import Field, Partial, atoms

THEOREM = Theorem(
    "strong form: vanishing residuals",
    "Lagaris, Likas, Fotiadis 1998; Raissi, Perdikaris, Karniadakis 2019",
    "a function solves the problem if the residuals of the equations and of all conditions vanish",
)


def lower(analysis: Analysis) -> StrongForm:
    """The problem in components; without space and with delays or integrals over time, time is a coordinate of space,
    and initial conditions are those at one end."""
    spec = analysis.spec
    writer = index_expander(spec)
    coupled = [c for c in spec.conditions if c.kind is ConditionKind.TWO_POINT]
    equations = tuple(r for e in spec.equations for r in _equation(e, writer))
    conditions = tuple(i for c in spec.conditions if c not in coupled for i in _condition(c, writer))
    periodic = _periodic_conditions(coupled, equations, conditions, writer)
    domain = domain_of(spec, writer)
    axes = {p.axis for p in periodic}
    intervals = tuple(replace(i, periodic=True) if k in axes else i for k, i in enumerate(domain.intervals))
    problem = StrongForm(
        THEOREM,
        writer.components,
        replace(domain, intervals=intervals),
        equations,
        conditions,
        tuple(_exact_solution(c, writer) for c in writer.components),
        spec.learned,
        tuple(_measurements(o, writer) for o in spec.observations),
        tuple(_normalization(c, writer) for c in spec.integral_conditions),
        tuple(p for p in periodic if p.sign < 0 or p.jump != 0),
        spec.eigenvalue,
    )
    memory = problem.is_nonlocal and not problem.domain.space
    return replace(problem, domain=replace(problem.domain, has_time=False)) if memory else problem


def domain_of(spec: Spec, writer: IndexExpander) -> Domain:
    coordinates, intervals = coordinate_intervals(spec)
    inside = tuple(writer.expand(g.expr, g.span) for g in spec.space.inequalities)
    return Domain(coordinates, intervals, spec.time is not None, inside, spec.space.metric)


def _equation(equation: Equation, writer: IndexExpander) -> Iterator[Residual]:
    for k in range(len(equation.summands[0].exprs)):
        expr = Add(*(s.exprs[k] for s in equation.summands))
        yield writer.residual(expr, equation.span, interval=equation.interval)


def _condition(condition: Condition, writer: IndexExpander) -> Iterator[ConditionResidual]:
    """One condition for each face and surface, since the outer normal differs."""
    if not condition.on_boundary:
        yield _initial_or_terminal_condition(condition, writer)
        return
    part = tuple(writer.expand(g.expr, g.span) for g in condition.part)
    space = writer.spec.space
    needs_normal = any(normal_components(v, space.coordinates) for v in condition.value)
    residuals = _residuals(condition, (), writer) if not needs_normal else ()
    for place in condition.places:
        expanded = LevelSet(writer.expand(place.expr, place.span)) if isinstance(place, LevelSet) else place
        if needs_normal:
            residuals = _residuals(condition, expanded.normal(coordinates_of(space)), writer)
        yield ConditionResidual(residuals, expanded, condition.span, part)


def _normalization(condition: IntegralCondition, writer: IndexExpander) -> tuple[int, Residual]:
    component = next(k for k, c in enumerate(writer.components) if c.head == condition.unknown)
    return component, writer.residual(condition.value, condition.span)


def _periodic_conditions(
    coupled: list[Condition],
    equations: tuple[Residual, ...],
    conditions: tuple[ConditionResidual, ...],
    writer: IndexExpander,
) -> tuple[Periodic, ...]:
    """Conditions that couple opposite faces, as periodic conditions: for every component the derivatives of all orders
    below that of the equations, with one sign on each axis, and a jump only if all signs are positive. Raises PdeError
    for others."""
    by_axis: dict[tuple[int, int], dict[int, Periodic]] = {}
    for condition in coupled:
        for value in condition.value:
            order, periodic = _two_point_condition(value, condition, writer)
            by_axis.setdefault((periodic.axis, periodic.component), {})[order] = periodic
    for axis in {axis for axis, _ in by_axis}:
        signs = {p.sign for (k, _), orders in by_axis.items() if k == axis for p in orders.values()}
        on_axis = any(isinstance(c.place, Face) and c.place.coordinate == axis for c in conditions)
        derivatives = [d for e in equations for d in e.derivatives]
        required = [
            max((d.orders[axis] for d in derivatives if d.component == c), default=0)
            for c in range(len(writer.components))
        ]
        complete = all(n > 0 and sorted(by_axis.get((axis, c), {})) == list(range(n)) for c, n in enumerate(required))
        if len(signs) > 1 or on_axis or not complete:
            raise errors.methods.coupled_boundaries(coupled[0].span)
    is_antiperiodic = any(p.sign < 0 for orders in by_axis.values() for p in orders.values())
    if any(p.jump != 0 and (k or is_antiperiodic) for orders in by_axis.values() for k, p in orders.items()):
        raise errors.methods.coupled_boundaries(coupled[0].span)
    return tuple(orders[0] for orders in by_axis.values())


def _two_point_condition(value: Expr, condition: Condition, writer: IndexExpander) -> tuple[int, Periodic]:
    """k and the condition, for ∂ᵏu(end) = sign · ∂ᵏu(start) + jump with numbers; raises PdeError for any other."""
    expr, own = value.xreplace(writer.spec.values), writer.arguments
    partials = [p for p in atoms(expr, Partial) if isinstance(p.body, Field) and p.body.head in own]
    bodies = {p.body for p in partials}
    fields = [f for f in atoms(expr, Field) if f.head in own and f not in bodies]
    ends: dict[bool, tuple[Expr, tuple[int, int, int]]] = {}
    for term in (*partials, *fields):
        body, slots = (term.body, term.slots) if isinstance(term, Partial) else (term, ())
        moved = [(x, a) for x, a in zip(own[body.head], body.arguments, strict=True) if a != x]
        if len(moved) == 1 and moved[0][0] in writer.coordinates and set(slots) <= {moved[0][0]}:
            axis = writer.coordinates.index(moved[0][0])
            ends[moved[0][1] == writer.spec.space.intervals[axis].end] = (
                term,
                (axis, writer.component(body), len(slots)),
            )
    if len(ends) == len(partials) + len(fields) == 2 and ends[False][1] == ends[True][1]:
        lower, upper = Dummy(), Dummy()
        linear = expr.xreplace({ends[False][0]: lower, ends[True][0]: upper})
        for sign in (1, -1):
            scale = linear.diff(upper)
            jump = expand(upper - sign * lower - linear / scale) if scale.is_number and scale != 0 else lower
            if jump.is_number:
                axis, component, order = ends[False][1]
                return order, Periodic(component, axis, sign, jump)
    raise errors.methods.coupled_boundaries(condition.span)


def _residuals(condition: Condition, normal: Normal, writer: IndexExpander) -> tuple[Residual, ...]:
    return tuple(writer.residual(v, condition.span, normal) for v in condition.value)


def _initial_or_terminal_condition(condition: Condition, writer: IndexExpander) -> ConditionResidual:
    time = len(writer.coordinates) - 1
    components = [k for k, c in enumerate(writer.components) if c.head == condition.unknown]
    if condition.component is not None:
        components = components[condition.component - 1 : condition.component]
    orders = tuple(condition.order if k == time else 0 for k in range(time + 1))
    residuals = []
    for k, value in zip(components, condition.value, strict=True):
        data = writer.residual(value.xreplace(_evaluate_on_face(value, writer)), condition.span)
        variable, derivative = writer.jet_variable(Derivative(k, orders), condition.span), Derivative(k, orders)
        jets = ((variable, derivative), *data.jet_variables)
        residuals.append(Residual(variable - data.expr, jets, condition.span, nonlocal_terms=data.nonlocal_terms))
    return ConditionResidual(tuple(residuals), Face(time, condition.kind is ConditionKind.TERMINAL), condition.span)


def _evaluate_on_face(value: Expr, writer: IndexExpander) -> dict[Expr, Expr]:
    """Replaces values of unknowns at the initial or terminal time, where the condition holds, by the unknowns."""
    time = writer.spec.time
    assert time is not None
    replacements = {}
    for f in atoms(value, Field):
        own = writer.arguments.get(f.head, ())
        if all(
            a == o or (o == time.symbol and a in (time.start, time.end)) for a, o in zip(f.arguments, own, strict=False)
        ):
            replacements[f] = Field(f.head, tuple(f.indices), own or tuple(f.arguments))
    return replacements


# ---- Exact solution and measurements


def _exact_solution(component: ScalarUnknown, writer: IndexExpander) -> Expr | None:
    """The exact solution of a component."""
    for known in writer.spec.exact:
        if known.unknown == component.head and known.component in (None, component.index):
            place = 0 if known.component or component.index is None else component.index - 1
            return writer.expand(known.value[place], known.span)
    return None


def _measurements(observation: Observation, writer: IndexExpander) -> Measurements:
    places = tuple(
        k
        for head, component in observation.observed
        for k, c in enumerate(writer.components)
        if c.head == head and component in (None, c.index)
    )
    return Measurements(places, observation.data.config.file, observation.span)
