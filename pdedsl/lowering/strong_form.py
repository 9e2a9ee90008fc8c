"""Strong form of a boundary value problem: the residuals of the equations and conditions, in components.

Lagaris, Likas and Fotiadis 1998; Raissi, Perdikaris and Karniadakis 2019. Planning chooses the method: random features,
PINN, grid or Monte Carlo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import assert_never

from sympy import Add, Expr

from pdedsl import errors
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.boundary import (
    BoundaryCondition,
    ConditionResidual,
    Dirichlet,
    Face,
    General,
    InitialCondition,
    LocalCondition,
    Normal,
    Periodic,
    Robin,
    ScalarCondition,
    normal_components,
)
from pdedsl.ir.component_form import ScalarUnknown, coordinate_intervals, coordinates_of, place_in_components
from pdedsl.ir.problem import Domain, Measurements, StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.spec import Condition, ConditionKind, Equation, IntegralCondition, Observation, Spec
from pdedsl.ir.theorem import Theorem
from pdedsl.lowering.index_expansion import IndexExpander, index_expander
from pdedsl.symbolic.symbols import Field, atoms

THEOREM = Theorem(
    "collocation of the strong form",
    "Lagaris, Likas, Fotiadis 1998; Raissi, Perdikaris, Karniadakis 2019",
    "a function solves the problem if the residuals of the equations and of all conditions vanish",
)


def lower(analysis: Analysis) -> StrongForm:
    """The problem in components; without space and with delays or integrals over time, time is a coordinate of space,
    and initial conditions are those at one end."""
    spec = analysis.spec
    writer = index_expander(spec)
    equations = tuple(r for e in spec.equations for r in _equation(e, writer))
    conditions = tuple(_conditions(spec, writer))
    periodic = _periodic_conditions(spec, equations, conditions, writer)
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
    if not (problem.is_nonlocal and not problem.domain.space):
        return problem
    conditions = tuple(c.with_residuals(c.residuals, domain.coordinates) for c in conditions)
    return replace(problem, domain=replace(problem.domain, has_time=False), conditions=conditions)


def domain_of(spec: Spec, writer: IndexExpander) -> Domain:
    coordinates, intervals = coordinate_intervals(spec)
    inside = tuple(writer.expand(g.expr, g.span) for g in spec.space.inequalities)
    return Domain(coordinates, intervals, spec.time is not None, inside, spec.space.metric)


def _equation(equation: Equation, writer: IndexExpander) -> Iterator[Residual]:
    for k in range(len(equation.summands[0].exprs)):
        expr = Add(*(s.exprs[k] for s in equation.summands))
        yield writer.residual(expr, equation.span, interval=equation.interval)


def _conditions(spec: Spec, writer: IndexExpander) -> Iterator[ConditionResidual]:
    """The conditions that join no faces, one for each face and surface, since the outer normal differs."""
    typed: dict[int, list[ScalarCondition]] = {}
    for scalar in spec.boundary_conditions:
        typed.setdefault(scalar.number[0], []).append(scalar)
    for n, condition in enumerate(spec.conditions):
        match condition.kind:
            case ConditionKind.INITIAL | ConditionKind.TERMINAL:
                yield _initial_or_terminal_condition(condition, writer)
            case ConditionKind.BOUNDARY:
                yield from _boundary_condition(condition, typed[n], writer)
            case ConditionKind.TWO_POINT:
                pass  # periodic
            case _:
                assert_never(condition.kind)


def _boundary_condition(
    condition: Condition, typed: Sequence[ScalarCondition], writer: IndexExpander
) -> Iterator[ConditionResidual]:
    space = writer.spec.space
    needs_normal = any(normal_components(v, space.coordinates) for v in condition.value)
    residuals = _residuals(condition, (), writer) if not needs_normal else ()
    part = tuple(writer.expand(g.expr, g.span) for g in condition.part)
    for named, scalars in groupby(typed, key=lambda scalar: scalar.place):
        place = place_in_components(named, writer.spec)
        if needs_normal:
            residuals = _residuals(condition, place.normal(coordinates_of(space)), writer)
        kinds = tuple(_without_other_unknowns(c.kind, r, writer) for c, r in zip(scalars, residuals, strict=True))
        yield ConditionResidual(residuals, kinds, place, condition.span, part)


def _without_other_unknowns(
    kind: InitialCondition | BoundaryCondition, residual: Residual, writer: IndexExpander
) -> LocalCondition:
    """The type of a condition in strong form: data that contain other unknowns make it general."""
    match kind:
        case Dirichlet(value=value):
            data: tuple[Expr, ...] = (value,)
        case Robin(alpha=alpha, beta=beta, value=value):
            data = alpha, beta, value
        case General():
            return replace(kind, residual=residual)
        case Periodic() | InitialCondition():
            raise AssertionError(kind)
        case _:
            assert_never(kind)
    return General(residual) if any(f.head in writer.arguments for e in data for f in atoms(e, Field)) else kind


def _normalization(condition: IntegralCondition, writer: IndexExpander) -> tuple[int, Residual]:
    component = next(k for k, c in enumerate(writer.components) if c.head == condition.unknown)
    return component, writer.residual(condition.value, condition.span)


def _periodic_conditions(
    spec: Spec, equations: tuple[Residual, ...], conditions: tuple[ConditionResidual, ...], writer: IndexExpander
) -> tuple[Periodic, ...]:
    """Conditions that couple opposite faces, as periodic conditions: for every component the derivatives of all orders
    below that of the equations, with one sign on each axis, and a jump only if all signs are positive. Raises PdeError
    for others."""
    coupled = [c for c in spec.boundary_conditions if spec.conditions[c.number[0]].kind is ConditionKind.TWO_POINT]
    by_axis: dict[tuple[int, int], dict[int, Periodic]] = {}
    for condition in coupled:
        if not isinstance(condition.kind, Periodic):
            raise errors.methods.coupled_boundaries(condition.span)
        by_axis.setdefault((condition.kind.axis, condition.kind.component), {})[condition.kind.order] = condition.kind
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


def _residuals(condition: Condition, normal: Normal, writer: IndexExpander) -> tuple[Residual, ...]:
    return tuple(writer.residual(v, condition.span, normal) for v in condition.value)


def _initial_or_terminal_condition(condition: Condition, writer: IndexExpander) -> ConditionResidual:
    time = len(writer.coordinates) - 1
    components = [k for k, c in enumerate(writer.components) if c.head == condition.unknown]
    if condition.component is not None:
        components = components[condition.component - 1 : condition.component]
    orders = tuple(condition.order if k == time else 0 for k in range(time + 1))
    residuals: list[Residual] = []
    kinds: list[InitialCondition | LocalCondition] = []
    for k, value in zip(components, condition.value, strict=True):
        data = writer.residual(value.xreplace(_evaluate_on_face(value, writer)), condition.span)
        variable, derivative = writer.jet_variable(Derivative(k, orders), condition.span), Derivative(k, orders)
        jets = ((variable, derivative), *data.jet_variables)
        residual = Residual(variable - data.expr, jets, condition.span, nonlocal_terms=data.nonlocal_terms)
        is_prescribed = not (data.jet_variables or data.nonlocal_terms)
        residuals.append(residual)
        kinds.append(InitialCondition(k, condition.order, data.expr) if is_prescribed else General(residual))
    place = Face(time, condition.kind is ConditionKind.TERMINAL)
    return ConditionResidual(tuple(residuals), tuple(kinds), place, condition.span)


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
