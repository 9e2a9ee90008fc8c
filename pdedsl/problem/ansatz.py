"""Hard constraints: the ansatz u = base + factor · N satisfies Dirichlet and initial conditions on a box for every N.

The base is the transfinite interpolation of the boundary values, one coordinate after another, and then in time
(Gordon 1971); the factor vanishes on the faces (Lagaris, Likas, Fotiadis 1998). Conditions that are incompatible with
an earlier one at a corner, or of another type, become soft constraints in the loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from sympy import Abs, Expr, Heaviside, Max, Min, Piecewise, S, Symbol, sign

from pdedsl.ir.ansatz import Ansatz
from pdedsl.ir.boundary import Dirichlet, Face, InitialCondition
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.problem.solution_scale import solution_scales
from pdedsl.record import Record
from pdedsl.symbolic.evaluate import Layout, evaluate_at_points
from pdedsl.symbolic.rewrite import substitute
from pdedsl.symbolic.symbols import Field

NONSMOOTH = (Abs, Heaviside, Max, Min, Piecewise, sign, Field)
# space dimensions up to which boundary conditions are built in: the factor is a product over all faces
MAX_DIMENSIONS = 3
SAMPLES = (0.137, 0.418, 0.291, 0.733, 0.862)  # points at which functions are compared, as fractions of the intervals
COMPARISON_RTOL = 1e-9  # rounding of values that agree


class PrescribedValue(Record):
    """∂ⁿu/∂tⁿ = value on a face."""

    face: Face
    order: int
    value: Expr
    number: tuple[int, int]  # of the condition and its residual


def ansatz_of(problem: StrongForm) -> tuple[Ansatz, ...]:
    unscaled = [_component_ansatz(problem, k) for k in range(len(problem.components))]
    return tuple(replace(a, factor=u * a.factor) for a, u in zip(unscaled, solution_scales(problem), strict=True))


def has_incompatible_data(problem: StrongForm) -> bool:
    """Whether initial (or terminal) data are discontinuous, or incompatible with Dirichlet data at a corner."""
    domain = problem.domain
    data = (r.expr for c in problem.conditions if domain.is_in_time(c.place) for r in c.residuals)
    if any(e.has(Heaviside, sign) for e in data):
        return True
    for component in range(len(problem.components)):
        in_time, on_boundary = _prescribed_values(problem, component)
        for initial, boundary in product((g for g in in_time if g.order == 0), on_boundary):
            initial_value = _restrict(domain, boundary.face, initial.value)
            boundary_value = _restrict(domain, initial.face, boundary.value)
            end = domain.intervals[boundary.face.coordinate]
            at = float(end.end if boundary.face.upper else end.start)
            points = list(_samples(domain, boundary.face.coordinate, at))
            first, second = evaluate_at_points((initial_value, boundary_value), _layout(domain), points)
            if any(abs(a - b) > COMPARISON_RTOL * (1 + abs(b)) for a, b in zip(first, second, strict=True)):
                return True
    return False


def _prescribed_values(problem: StrongForm, component: int) -> tuple[list[PrescribedValue], list[PrescribedValue]]:
    """Prescribed values at the initial (or terminal) time, and on the boundary."""
    in_time: list[PrescribedValue] = []
    on_boundary: list[PrescribedValue] = []
    for condition in problem.scalar_conditions:
        if not isinstance(condition.place, Face) or condition.part:
            continue
        match condition.kind:
            case InitialCondition(component=c, order=order, value=value) if c == component:
                group = in_time
            case Dirichlet(component=c, value=value) if c == component:
                order, group = 0, on_boundary
            case _:
                continue
        if not value.has(*NONSMOOTH):
            restricted = _restrict(problem.domain, condition.place, value)
            group.append(PrescribedValue(condition.place, order, restricted, condition.number))
    return in_time, on_boundary


def _component_ansatz(problem: StrongForm, component: int) -> Ansatz:
    domain = problem.domain
    in_time, on_boundary = _prescribed_values(problem, component)
    lift = Ansatz(base=problem.lifts[component])
    if domain.inequalities or component in {p.component for p in problem.periodic if p.sign < 0}:
        return lift
    boundary_ansatz = _interpolate_faces(domain, on_boundary, lift) if len(domain.space) <= MAX_DIMENSIONS else lift
    extended = _extend_in_time(domain, in_time, boundary_ansatz)
    return extended if extended is not None else _extend_in_time(domain, in_time, lift) or lift


def _restrict(domain: Domain, face: Face, value: Expr) -> Expr:
    interval = domain.intervals[face.coordinate]
    return substitute(value, {domain.coordinates[face.coordinate]: interval.end if face.upper else interval.start})


def _interpolate_faces(domain: Domain, prescribed: Sequence[PrescribedValue], ansatz: Ansatz) -> Ansatz:
    for k, x in enumerate(domain.coordinates):
        values = {g.face.upper: g for g in prescribed if g.face.coordinate == k}
        if values:
            ansatz = _interpolate_axis(domain, ansatz, k, x, values)
    return ansatz


def _interpolate_axis(domain: Domain, ansatz: Ansatz, k: int, x: Symbol, values: dict[bool, PrescribedValue]) -> Ansatz:
    low, high = domain.intervals[k].start, domain.intervals[k].end
    fraction = (x - low) / (high - low)
    corrections = {up: g.value - substitute(ansatz.base, {x: high if up else low}) for up, g in values.items()}
    blending = {False: 1 - fraction, True: fraction} if len(values) == 2 else dict.fromkeys(values, S.One)
    added = sum((blending[up] * correction for up, correction in corrections.items()), S.Zero)
    factor = prod(
        (4 * fraction * (1 - fraction),) if len(values) == 2 else (fraction if False in values else 1 - fraction,)
    )
    if not _vanishes_where(domain, added, ansatz):
        return ansatz
    return Ansatz(ansatz.base + added, ansatz.factor * factor, ansatz.satisfied | {g.number for g in values.values()})


def _extend_in_time(domain: Domain, prescribed: Sequence[PrescribedValue], ansatz: Ansatz) -> Ansatz | None:
    """The ansatz extended by the initial (or terminal) values; None if these are incompatible with it."""
    uppers = {g.face.upper for g in prescribed}
    if len(uppers) != 1 or sorted(g.order for g in prescribed) != list(range(len(prescribed))):
        return ansatz if not prescribed else None
    t, interval = domain.coordinates[-1], domain.intervals[-1]
    initial_time = interval.end if uppers == {True} else interval.start
    correction = S.Zero
    for g in sorted(prescribed, key=lambda g: g.order):
        difference = g.value - substitute((ansatz.base + correction).diff(t, g.order), {t: initial_time})
        correction += difference * (t - initial_time) ** g.order / prod(range(1, g.order + 1))
    if not _vanishes_where(domain, correction, ansatz):
        return None
    fraction = (t - initial_time) / (interval.end - interval.start)
    factor = ansatz.factor * fraction ** len(prescribed)
    return Ansatz(ansatz.base + correction, factor, ansatz.satisfied | {g.number for g in prescribed})


def _vanishes_where(domain: Domain, expr: Expr, ansatz: Ansatz) -> bool:
    """Whether expr = 0 on all faces where the factor is zero, at sample points, up to rounding relative to the base."""
    faces = [
        _samples(domain, k, float(end))
        for k, (x, interval) in enumerate(zip(domain.coordinates, domain.intervals, strict=True))
        for end in (interval.start, interval.end)
        if ansatz.factor.xreplace({x: end}) == 0
    ]
    residuals, base = evaluate_at_points((expr, ansatz.base), _layout(domain), [p for face in faces for p in face])
    return all(abs(v) <= COMPARISON_RTOL * (1 + abs(b)) for v, b in zip(residuals, base, strict=True))


def _layout(domain: Domain) -> Layout:
    return Layout({x: k for k, x in enumerate(domain.coordinates)}, len(domain.space))


def _samples(domain: Domain, fixed: int, end: float) -> Iterator[list[float]]:
    """Sample points on a face."""
    for shift in range(len(SAMPLES)):
        fractions = (SAMPLES[(shift + 2 * k) % len(SAMPLES)] for k in range(len(domain.intervals)))
        point = [
            float(interval.start) + fraction * float(interval.end - interval.start)
            for interval, fraction in zip(domain.intervals, fractions, strict=True)
        ]
        yield [*point[:fixed], end, *point[fixed + 1 :]]
