"""Inflow boundary of first-order equations and systems: where data are required, and where none are admissible.

∂u/∂t = b·∇u has the characteristics X' = -b: with the outer normal n, the inflow boundary is b·n > 0 and the outflow
boundary b·n < 0; data are prescribed at the inflow only (Evans, section 3.2). ∂w/∂t = Σ Bₖ ∂w/∂xₖ requires as many
conditions on a face as B·n has positive eigenvalues, the incoming waves (Kreiss 1970). A stationary equation takes data
at either end of its characteristics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from sympy import Expr, Symbol

from pdedsl import errors
from pdedsl.analysis.boundary import LocatedCondition, face_conditions
from pdedsl.analysis.bounds.interval import Box
from pdedsl.analysis.bounds.sign import box_of, nonnegative
from pdedsl.analysis.dispersion import system_growth_rates
from pdedsl.analysis.problem import Problem
from pdedsl.analysis.sample_points import Ranges, points, ranges_of, value_at
from pdedsl.diagnostics import PdeError
from pdedsl.ir.boundary import Dirichlet
from pdedsl.ir.spec import Condition, Space, face_names
from pdedsl.symbolic.symbols import Field, atoms

# ---- Inflow of one equation


@dataclass(frozen=True)
class Inflow:
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
    for k, x in enumerate(space.coordinates):
        if space.intervals[k].periodic:
            continue
        for name, end, normal in zip(face_names(k), ranges_of(problem.spec)[x], (-1, 1), strict=True):
            conditions = [p for p in located if p.coordinate == x and p.normal == normal and name in p.condition.faces]
            inward = is_inflow(jet.drift[k], x, end, normal, box)
            is_admissible = is_admissible and _has_admissible_data(inward, conditions)
            at_outflow += [p for p in conditions if inward is False and not _couples_points(p.condition, problem)]
    return Inflow(is_admissible, tuple(at_outflow))


def _couples_points(condition: Condition, problem: Problem) -> bool:
    """Whether a condition couples several points: u(0, t) = u(1, t) uses the outflow value."""
    fields = {f for v in condition.value for f in atoms(v, Field) if f.head == problem.unknown.head}
    return len(fields) > 1


def is_inflow(b: Expr, x: Symbol, end: Expr, normal: int, box: Box) -> bool | None:
    """True if b·n ≥ 0 on the whole face (not identically zero), False if b·n ≤ 0; None if undecided."""
    flow = normal * b.xreplace({x: end})
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
Faces = list[tuple[int, str, int]]  # index of the coordinate, name of the face, outer normal


def inflow_errors(problem: Problem) -> Iterator[PdeError]:
    """Errors for one linear equation of first order. A face on which the sign of b·n changes may have a condition
    or none; one is missing if a sample point is an inflow point and none is prescribed."""
    jet, space = problem.jet, problem.spec.space
    if not jet.is_affine or jet.order != 1 or problem.equation.order > 1 or not _is_box(space):
        return
    box, ranges = box_of(ranges_of(problem.spec, problem.equation)), ranges_of(problem.spec)
    prescribed = {name for c in problem.spec.conditions for name in c.faces}
    inflow_faces: list[str] = []
    outflow_faces: list[str] = []
    for k, name, normal in _faces(space):
        x = space.coordinates[k]
        if problem.equation.order == 0 and jet.drift[k] == 0:
            continue  # characteristic face
        direction = is_inflow(jet.drift[k], x, ranges[x][(normal + 1) // 2], normal, box)
        if direction is not None:
            (inflow_faces if direction else outflow_faces).append(name)
        elif (
            problem.equation.order
            and name not in prescribed
            and _is_inflow_somewhere(normal * jet.drift[k], x, normal, ranges)
        ):
            inflow_faces.append(name)
    ends = (inflow_faces, outflow_faces) if problem.equation.order == 0 else (inflow_faces,)
    absent = min(([name for name in end if name not in prescribed] for end in ends if end), key=len, default=[])
    misplaced = problem.equation.order > 0 and any(
        name in prescribed for name in outflow_faces
    )  # reported as another error
    if absent and not misplaced:
        behind = max(e.span.end for e in problem.spec.equations)
        yield errors.equations.missing_inflow_condition(problem.unknown.name, absent, problem.unknown.span, behind)
    elif problem.equation.order == 0 and not absent and {*inflow_faces} & prescribed and {*outflow_faces} & prescribed:
        sufficient, other = (
            (inflow_faces, outflow_faces) if {*inflow_faces} <= prescribed else (outflow_faces, inflow_faces)
        )
        redundant = [name for name in other if name in prescribed]
        last = next(c for c in reversed(problem.spec.conditions) if {*c.faces} & {*redundant})
        alone = {*last.faces} <= {*redundant} and not last.surfaces
        yield errors.equations.overdetermined(problem.unknown.name, sufficient, redundant, last.span, alone)


def _is_inflow_somewhere(flow: Expr, x: Symbol, normal: int, ranges: Ranges) -> bool:
    on_face = flow.xreplace({x: ranges[x][(normal + 1) // 2]})
    values = (value_at(on_face, p) for p in points(on_face.free_symbols, ranges, FACE_SAMPLES))
    return any(v is not None and v > INFLOW_TOL for v in values)


def system_inflow_error(problems: tuple[Problem, ...]) -> PdeError | None:
    """The error for a linear evolution system of first order with constant coefficients."""
    spec = problems[0].spec
    first = all(p.jet.order <= 1 and p.equation.order == 1 and not p.is_vector for p in problems)
    if not first or not _is_box(spec.space) or len(problems) != len(spec.unknowns):
        return None
    for k, name, normal in _faces(spec.space):
        wave_vector = [normal * LARGE_WAVE_NUMBER * (j == k) for j in range(len(spec.space.coordinates))]
        rates = system_growth_rates(problems, spec, wave_vector)
        if rates is None:
            return None
        required = sum(v.imag > 1e-6 * LARGE_WAVE_NUMBER for v in rates)
        prescribed = sum(len(c.value) for c in spec.conditions if name in c.faces)
        if prescribed < required:
            return errors.equations.too_few_for_characteristics(name, prescribed, required, problems[0].unknown.span)
    return None


def _is_box(space: Space) -> bool:
    return bool(space.boundary) and space.explicit and not space.inequalities


def _faces(space: Space) -> Faces:
    ends = product(range(len(space.coordinates)), (0, 1))
    return [(k, face_names(k)[e], 2 * e - 1) for k, e in ends if not space.intervals[k].periodic]
