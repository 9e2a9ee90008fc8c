"""Collocation: a function solves a problem if the residuals of the equations and conditions vanish.

Lagaris, Likas and Fotiadis 1998; Raissi, Perdikaris and Karniadakis 2019. The problem is written out in components;
planning chooses the method (features, a trained network, a grid, paths).
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, Integer, S, cancel, sqrt

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.problem import (
    ConditionResidual,
    Derivative,
    Domain,
    Face,
    Measurements,
    Residual,
    ScalarUnknown,
    StrongForm,
    Surface,
)
from pdedsl.ir.spec import Condition, ConditionKind, Equation, Observation, Space, SpaceKind, Spec, face_names
from pdedsl.ir.theorem import Theorem
from pdedsl.lowering.index_expansion import Normal, Writer, ranges_of, writer_of
from pdedsl.symbolic import symbols
from pdedsl.symbolic.symbols import Field, atoms

THEOREM = Theorem(
    "collocation: residuals that vanish",
    "Lagaris, Likas, Fotiadis 1998; Raissi, Perdikaris, Karniadakis 2019",
    "a function whose residuals in the equation and in every condition are zero solves the problem",
)


def accepts(analysis: Analysis) -> bool:
    return analysis.spec.space.kind is SpaceKind.PHYSICAL


def lower(analysis: Analysis) -> StrongForm:
    spec = analysis.spec
    writer = writer_of(spec)
    return StrongForm(
        THEOREM,
        writer.components,
        domain_of(spec, writer),
        tuple(r for e in spec.equations for r in _equation(e, writer)),
        tuple(i for c in spec.conditions for i in _condition(c, writer)),
        tuple(_exact(c, writer) for c in writer.components),
        spec.learned,
        tuple(_observed(o, writer) for o in spec.observations),
    )


def domain_of(spec: Spec, writer: Writer) -> Domain:
    coordinates, intervals = ranges_of(spec)
    inside = tuple(writer.written(g.expr, g.span) for g in spec.space.inequalities)
    return Domain(coordinates, intervals, spec.time is not None, inside)


def _equation(equation: Equation, writer: Writer) -> Iterator[Residual]:
    for k in range(len(equation.summands[0].exprs)):
        whole = Add(*(s.exprs[k] for s in equation.summands))
        yield writer.residual(whole, equation.span, interval=equation.interval)


def _condition(condition: Condition, writer: Writer) -> Iterator[ConditionResidual]:
    """One condition for each side and surface, as the outer normal differs."""
    if condition.kind is not ConditionKind.BOUNDARY:
        yield _in_time(condition, writer)
        return
    if _joins(condition, writer):
        raise errors.methods.joined_sides(condition.span)
    part = tuple(writer.written(g.expr, g.span) for g in condition.part)
    space = writer.spec.space
    shared = None if _asks_normal(condition, writer) else _residuals(condition, (), writer)
    for face in faces_of(space, condition.faces):
        residuals = shared or _residuals(condition, _normal_on(face, space), writer)
        yield ConditionResidual(residuals, face, condition.span, part)
    for level in condition.surfaces:
        expr = boundary_level(writer.written(level.expr, level.span), space, writer)
        residuals = _residuals(condition, _normal_of(expr, condition, level.span, writer), writer)
        yield ConditionResidual(residuals, Surface(expr), condition.span, part)


def _joins(condition: Condition, writer: Writer) -> bool:
    """Whether a condition relates two sides, like u(0, t) = u(1, t)."""
    fields = (f for v in condition.value for f in atoms(v, Field) if f.head in writer.own)
    return len(condition.faces) > 1 and any(tuple(f.arguments) != writer.own[f.head] for f in fields)


def _residuals(condition: Condition, normal: Normal, writer: Writer) -> tuple[Residual, ...]:
    return tuple(writer.residual(v, condition.span, normal) for v in condition.value)


def _normal_on(face: Face, space: Space) -> Normal:
    ones = (Integer(1 if face.upper else -1) if k == face.coordinate else S.Zero for k in range(len(space.intervals)))
    return tuple(ones)


def boundary_level(expr: Expr, space: Space, writer: Writer) -> Expr:
    """F of a surface; if it bounds the shape, the g of that inequality, which is positive inside."""
    for g in space.inequalities:
        inner = writer.written(g.expr, g.span)
        ratio = cancel(expr / inner)
        if ratio.is_number and ratio != 0:
            return inner
    return expr


def _normal_of(level: Expr, condition: Condition, span: Span, writer: Writer) -> Normal:
    """The outer normal -∇g/‖∇g‖, if the condition uses it."""
    if not _asks_normal(condition, writer):
        return ()
    slopes = [level.diff(x) for x in writer.coordinates[: len(writer.spec.space.intervals)]]
    length = sqrt(Add(*(s**2 for s in slopes)))
    return tuple(-s / length for s in slopes)


def _asks_normal(condition: Condition, writer: Writer) -> bool:
    """Whether a condition contains the outer normal."""
    return any(c.args[0] not in writer.spec.space.coordinates for v in condition.value for c in _indexed(v))


def _indexed(expr: Expr) -> frozenset[Expr]:
    return atoms(expr, symbols.Component)


def _in_time(condition: Condition, writer: Writer) -> ConditionResidual:
    time = len(writer.coordinates) - 1
    wanted = [k for k, c in enumerate(writer.components) if c.head == condition.unknown]
    own = wanted if condition.component is None else wanted[condition.component - 1 : condition.component]
    orders = tuple(condition.order if k == time else 0 for k in range(time + 1))
    residuals = []
    for k, value in zip(own, condition.value, strict=True):
        given = writer.residual(value.xreplace(_at_home(value, writer)), condition.span)
        letter, derivative = writer.letter(Derivative(k, orders), condition.span), Derivative(k, orders)
        residuals.append(Residual(letter - given.expr, ((letter, derivative), *given.jet_variables), condition.span))
    return ConditionResidual(tuple(residuals), Face(time, condition.kind is ConditionKind.TERMINAL), condition.span)


def _at_home(value: Expr, writer: Writer) -> dict[Expr, Expr]:
    """Replaces values of unknowns at the start or end, where the condition holds, by the unknowns themselves."""
    time = writer.spec.time
    assert time is not None
    found = {}
    for f in atoms(value, Field):
        own = writer.own.get(f.head, ())
        if all(
            a == o or (o == time.symbol and a in (time.start, time.end)) for a, o in zip(f.arguments, own, strict=False)
        ):
            found[f] = Field(f.head, tuple(f.indices), own or tuple(f.arguments))
    return found


def faces_of(space: Space, sides: tuple[str, ...]) -> Iterator[Face]:
    for k in range(len(space.intervals)):
        for name, upper in zip(face_names(k), (False, True), strict=True):
            if name in sides:
                yield Face(k, upper)


# ---- what is known


def _exact(component: ScalarUnknown, writer: Writer) -> Expr | None:
    """The known solution of a component."""
    for known in writer.spec.exact:
        if known.unknown == component.head and known.component in (None, component.index):
            place = 0 if known.component or component.index is None else component.index - 1
            return writer.written(known.value[place], known.span)
    return None


def _observed(observation: Observation, writer: Writer) -> Measurements:
    places = tuple(
        k
        for head, component in observation.observed
        for k, c in enumerate(writer.components)
        if c.head == head and component in (None, c.index)
    )
    return Measurements(places, observation.data.word.file, observation.span)
