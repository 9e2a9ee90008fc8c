"""Inflow boundary of first-order equations and systems: where data are required, and where none are admissible.

∂u/∂t = b·∇u has the characteristics X' = -b: with the outer normal n, the inflow boundary is b·n > 0 and the outflow
boundary b·n < 0; data are prescribed at the inflow only (Evans, section 3.2). ∂w/∂t = Σ Bₖ ∂w/∂xₖ requires as many
conditions on a face as B·n has positive eigenvalues, the incoming waves (Kreiss 1970). A stationary equation takes data
at either end of its characteristics.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Symbol

from pdedsl import errors
from pdedsl.analysis.boundary import LocatedCondition, face_conditions, named_faces
from pdedsl.analysis.bounds.interval import Box
from pdedsl.analysis.bounds.sign import box_of, nonnegative
from pdedsl.analysis.dispersion import system_growth_rates
from pdedsl.analysis.problem import Problem
from pdedsl.analysis.sample_points import Ranges, points, ranges_of, value_at
from pdedsl.diagnostics import PdeError
from pdedsl.ir.boundary import Dirichlet, Face
from pdedsl.ir.spec import ConditionKind, Space
from pdedsl.record import Record

# ---- Inflow of one equation


class Inflow(Record):
    """Whether data are prescribed exactly on the inflow boundary, and the conditions imposed at the outflow."""

    is_prescribed: bool
    at_outflow: tuple[LocatedCondition, ...]


def inflow_of(problem: Problem) -> Inflow:
    jet, space = problem.jet, problem.spec.space
    if not space.boundary:
        return Inflow(True, ())
    if not jet.is_affine or jet.order != 1:
        return Inflow(False, ())
    box, located = box_of(ranges_of(problem.spec, problem.equation)), face_conditions(problem)
    is_admissible, at_outflow = True, []
    for face in named_faces(space.boundary, problem.spec):
        x = space.coordinates[face.coordinate]
        conditions = [p for p in located if p.face == face]
        inward = is_inflow(jet.drift[face.coordinate], face, x, ranges_of(problem.spec), box)
        is_admissible = is_admissible and _has_admissible_data(inward, conditions)
        # u(0, t) = u(1, t) uses the outflow value
        outward = inward is False
        at_outflow += [p for p in conditions if outward and p.condition.kind is not ConditionKind.TWO_POINT]
    return Inflow(is_admissible, tuple(at_outflow))


def is_inflow(b: Expr, face: Face, x: Symbol, ranges: Ranges, box: Box) -> bool | None:
    """True if b·n ≥ 0 on the whole face (not identically zero), False if b·n ≤ 0; None if undecided."""
    flow = face.sign * b.xreplace({x: ranges[x][face.upper]})
    if nonnegative(-flow, box):
        return False
    return True if nonnegative(flow, box) else None


def _has_admissible_data(inflow: bool | None, conditions: list[LocatedCondition]) -> bool:
    if inflow is None:
        return False
    return (len(conditions) == 1 and isinstance(conditions[0].kind, Dirichlet)) if inflow else not conditions


# ---- Missing inflow data


FACE_SAMPLES = 40  # points on a face
INFLOW_TOL = 1e-6  # smaller inflow is attributed to rounding
LARGE_WAVE_NUMBER = 10_000  # zeroth-order terms are negligible at this wave number


def inflow_errors(problem: Problem) -> Iterator[PdeError]:
    """Errors for one linear equation of first order. A face on which the sign of b·n changes may have a condition
    or none; one is missing if a sample point is an inflow point and none is prescribed."""
    jet, space = problem.jet, problem.spec.space
    if not jet.is_affine or jet.order != 1 or problem.equation.order > 1 or not _is_box(space):
        return
    box, ranges = box_of(ranges_of(problem.spec, problem.equation)), ranges_of(problem.spec)
    prescribed = {face for c in problem.spec.conditions for face in c.faces}
    inflow_faces: list[Face] = []
    outflow_faces: list[Face] = []
    for face in space.boundary:
        x, drift = space.coordinates[face.coordinate], jet.drift[face.coordinate]
        if problem.equation.order == 0 and drift == 0:
            continue  # characteristic face
        direction = is_inflow(drift, face, x, ranges, box)
        if direction is not None:
            (inflow_faces if direction else outflow_faces).append(face)
        elif problem.equation.order and face not in prescribed and _is_inflow_somewhere(drift, face, x, ranges):
            inflow_faces.append(face)
    ends = (inflow_faces, outflow_faces) if problem.equation.order == 0 else (inflow_faces,)
    absent = min(([face for face in end if face not in prescribed] for end in ends if end), key=len, default=[])
    misplaced = problem.equation.order > 0 and {*outflow_faces} & prescribed  # reported as another error
    if absent and not misplaced:
        behind, names = max(e.span.end for e in problem.spec.equations), [face.name for face in absent]
        yield errors.equations.missing_inflow_condition(problem.unknown.name, names, problem.unknown.span, behind)
    elif problem.equation.order == 0 and not absent and {*inflow_faces} & prescribed and {*outflow_faces} & prescribed:
        sufficient, other = (
            (inflow_faces, outflow_faces) if {*inflow_faces} <= prescribed else (outflow_faces, inflow_faces)
        )
        redundant = [face for face in other if face in prescribed]
        last = next(c for c in reversed(problem.spec.conditions) if {*c.faces} & {*redundant})
        alone = {*last.places} <= {*redundant}
        surplus = [face.name for face in sufficient], [face.name for face in redundant]
        yield errors.equations.overdetermined(problem.unknown.name, *surplus, last.span, alone)


def _is_inflow_somewhere(drift: Expr, face: Face, x: Symbol, ranges: Ranges) -> bool:
    on_face = (face.sign * drift).xreplace({x: ranges[x][face.upper]})
    values = (value_at(on_face, p) for p in points(on_face.free_symbols, ranges, FACE_SAMPLES))
    return any(v is not None and v > INFLOW_TOL for v in values)


def system_inflow_error(problems: tuple[Problem, ...]) -> PdeError | None:
    """The error for a linear evolution system of first order with constant coefficients."""
    spec = problems[0].spec
    first = all(p.jet.order <= 1 and p.equation.order == 1 and not p.is_vector for p in problems)
    if not first or not _is_box(spec.space) or len(problems) != len(spec.unknowns):
        return None
    for face in spec.space.boundary:
        wave_vector = [LARGE_WAVE_NUMBER * n for n in face.normal(spec.space.coordinates)]
        rates = system_growth_rates(problems, spec, wave_vector)
        if rates is None:
            return None
        required = sum(v.imag > 1e-6 * LARGE_WAVE_NUMBER for v in rates)
        prescribed = sum(len(c.value) for c in spec.conditions if face in c.faces)
        if prescribed < required:
            return errors.equations.too_few_for_characteristics(
                face.name, prescribed, required, problems[0].unknown.span
            )
    return None


def _is_box(space: Space) -> bool:
    return bool(space.boundary) and space.explicit and not space.inequalities
