"""Strong form of a boundary value problem: the residuals of the equations and conditions, in components.

Lagaris, Likas and Fotiadis 1998; Raissi, Perdikaris and Karniadakis 2019. Planning chooses the method: random features,
PINN, grid or Monte Carlo.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, cancel

from pdedsl import errors
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.boundary import ConditionResidual, Face, LevelSet, Normal, Place
from pdedsl.ir.problem import Domain, Measurements, ScalarUnknown, StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.spec import Condition, ConditionKind, Equation, Observation, Space, SpaceKind, Spec, face_names
from pdedsl.ir.theorem import Theorem
from pdedsl.lowering.index_expansion import IndexExpander, coordinate_intervals, coordinates_of, index_expander
from pdedsl.symbolic import symbols
from pdedsl.symbolic.symbols import Field, atoms

THEOREM = Theorem(
    "strong form: vanishing residuals",
    "Lagaris, Likas, Fotiadis 1998; Raissi, Perdikaris, Karniadakis 2019",
    "a function solves the problem if the residuals of the equations and of all conditions vanish",
)


def applies(analysis: Analysis) -> bool:
    return analysis.spec.space.kind is SpaceKind.PHYSICAL


def lower(analysis: Analysis) -> StrongForm:
    spec = analysis.spec
    writer = index_expander(spec)
    return StrongForm(
        THEOREM,
        writer.components,
        domain_of(spec, writer),
        tuple(r for e in spec.equations for r in _equation(e, writer)),
        tuple(i for c in spec.conditions for i in _condition(c, writer)),
        tuple(_exact_solution(c, writer) for c in writer.components),
        spec.learned,
        tuple(_measurements(o, writer) for o in spec.observations),
    )


def domain_of(spec: Spec, writer: IndexExpander) -> Domain:
    coordinates, intervals = coordinate_intervals(spec)
    inside = tuple(writer.expand(g.expr, g.span) for g in spec.space.inequalities)
    return Domain(coordinates, intervals, spec.time is not None, inside)


def _equation(equation: Equation, writer: IndexExpander) -> Iterator[Residual]:
    for k in range(len(equation.summands[0].exprs)):
        expr = Add(*(s.exprs[k] for s in equation.summands))
        yield writer.residual(expr, equation.span, interval=equation.interval)


def _condition(condition: Condition, writer: IndexExpander) -> Iterator[ConditionResidual]:
    """One condition for each face and surface, since the outer normal differs."""
    if condition.kind is not ConditionKind.BOUNDARY:
        yield _initial_or_terminal_condition(condition, writer)
        return
    if _couples_faces(condition, writer):
        raise errors.methods.coupled_boundaries(condition.span)
    part = tuple(writer.expand(g.expr, g.span) for g in condition.part)
    space, needs_normal = writer.spec.space, _contains_normal(condition, writer)
    level_sets = (LevelSet(boundary_level(writer.expand(s.expr, s.span), space, writer)) for s in condition.surfaces)
    residuals = _residuals(condition, (), writer) if not needs_normal else ()
    places: list[Place] = [*faces_of(space, condition.faces), *level_sets]
    for place in places:
        if needs_normal:
            residuals = _residuals(condition, place.normal(coordinates_of(space)), writer)
        yield ConditionResidual(residuals, place, condition.span, part)


def _couples_faces(condition: Condition, writer: IndexExpander) -> bool:
    """Whether a condition couples two faces, like u(0, t) = u(1, t)."""
    fields = (f for v in condition.value for f in atoms(v, Field) if f.head in writer.arguments)
    return len(condition.faces) > 1 and any(tuple(f.arguments) != writer.arguments[f.head] for f in fields)


def _residuals(condition: Condition, normal: Normal, writer: IndexExpander) -> tuple[Residual, ...]:
    return tuple(writer.residual(v, condition.span, normal) for v in condition.value)


def boundary_level(expr: Expr, space: Space, writer: IndexExpander) -> Expr:
    """F of a surface; on the boundary of the domain, the g of its inequality, which is positive inside."""
    for g in space.inequalities:
        inner = writer.expand(g.expr, g.span)
        ratio = cancel(expr / inner)
        if ratio.is_number and ratio != 0:
            return inner
    return expr


def _contains_normal(condition: Condition, writer: IndexExpander) -> bool:
    """Whether a condition contains the outer normal."""
    return any(c.args[0] not in writer.spec.space.coordinates for v in condition.value for c in _indexed(v))


def _indexed(expr: Expr) -> frozenset[Expr]:
    return atoms(expr, symbols.Component)


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
        residuals.append(Residual(variable - data.expr, ((variable, derivative), *data.jet_variables), condition.span))
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


def faces_of(space: Space, names: tuple[str, ...]) -> Iterator[Face]:
    for k in range(len(space.intervals)):
        for name, upper in zip(face_names(k), (False, True), strict=True):
            if name in names:
                yield Face(k, upper)


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
