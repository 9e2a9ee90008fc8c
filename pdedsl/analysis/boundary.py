"""Initial and boundary conditions: type on each face, degeneracy, and conditions that constants satisfy.

Types are those of the spec; other unknowns count as data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from math import isfinite

from sympy import Abs, Dummy, Expr, Heaviside, Max, Min, Mul, Rational, S, Symbol, sign

from pdedsl.analysis.bounds.interval import Box, range_of
from pdedsl.analysis.bounds.sign import box_of, is_zero, nonnegative, positive
from pdedsl.analysis.exact_solution import space_time_region
from pdedsl.analysis.jet import differential_expression, multiples_of_constant, sign_assumptions
from pdedsl.analysis.problem import Problem, may_be_undefined
from pdedsl.analysis.sample_points import Ranges, ranges_of
from pdedsl.ir.boundary import (
    BoundaryCondition,
    Dirichlet,
    Face,
    General,
    InitialCondition,
    Periodic,
    Place,
    Robin,
    normal_components,
)
from pdedsl.ir.residual import Residual
from pdedsl.ir.spec import Condition, Spec
from pdedsl.record import Record
from pdedsl.symbolic.evaluate import compile_function
from pdedsl.symbolic.functions import ActivationFunction
from pdedsl.symbolic.rewrite import expand, substitute
from pdedsl.symbolic.symbols import Field, Partial, atoms

# ---- Conditions satisfied by constants


CURVE_SAMPLES = 8  # points on each curve
RESIDUAL_TOL = 1e-6  # larger residuals are not rounding errors


def fixed_conditions(spec: Spec) -> list[Condition]:
    """The conditions that T keeps fixed: boundary conditions and initial time derivatives."""
    return [c for c in spec.conditions if c.on_boundary or c.order]


def is_satisfied_by_constants(
    condition: Condition, spec: Spec, constants: Iterable[Rational | int | None]
) -> bool | None:
    """Whether these constants (None: all constants) satisfy a condition; None if undecided."""
    ranges, all_satisfied = ranges_of(spec), True
    for residual in _residuals(condition, spec, constants, ranges):
        satisfied = _is_satisfied(residual, condition, spec, ranges)
        if satisfied is False:
            return False
        all_satisfied = all_satisfied and satisfied is True
    return all_satisfied or None


def _is_satisfied(residual: Expr, condition: Condition, spec: Spec, ranges: Ranges) -> bool | None:
    """Whether the residual vanishes where the condition is imposed. On a curve or part of a face: True if it is zero
    everywhere, False if it is nonzero at a point of the curve, otherwise None."""
    result = is_zero(residual, ranges)
    somewhere = condition.on_boundary and (condition.level_sets or condition.part or spec.space.inequalities)
    if somewhere and not result and residual.free_symbols & set(spec.space.coordinates):
        return False if _is_violated_on_curve(residual, condition, spec) else None
    return result


def _is_violated_on_curve(residual: Expr, condition: Condition, spec: Spec) -> bool:
    """Whether the residual is nonzero at a point of a curve, for conditions on whole curves; symbols other than
    coordinates and time are set to 1."""
    region = space_time_region(spec)
    others = residual.free_symbols - set(region.layout.places)
    if condition.part or residual.has(Field):
        return False
    value = compile_function(residual.xreplace(dict.fromkeys(others, S.One)), region.layout)
    points = (p for s in condition.level_sets for p in region.surface(s.expr, CURVE_SAMPLES))
    return any(isfinite(value(p)) and abs(value(p)) > RESIDUAL_TOL for p in points)


def _residuals(
    condition: Condition, spec: Spec, constants: Iterable[Rational | int | None], ranges: Ranges
) -> Iterator[Expr]:
    """The residuals for each constant and on each face."""
    for value in condition.value:
        flat = differential_expression(value.xreplace(spec.values), spec).at_constants
        for constant in constants:
            constants_chosen = (
                _arbitrary_constants(flat, spec) if constant is None else multiples_of_constant(flat, constant)
            )
            yield from _on_faces(flat.xreplace(constants_chosen), condition, spec, ranges)


def _arbitrary_constants(flat: Expr, spec: Spec) -> dict[Symbol, Symbol]:
    """Symbols with the signs of the unknowns that they represent."""
    signs = {u.head.name: sign_assumptions(u) for u in spec.unknowns}
    return {s: Dummy(s.name, **signs[s.name]) for s in atoms(flat, Dummy) if s.name in signs}


def _on_faces(expr: Expr, condition: Condition, spec: Spec, ranges: Ranges) -> Iterator[Expr]:
    if not condition.on_boundary or condition.level_sets:
        yield expr
    for _, coordinate, end in _faces(condition.faces, spec, ranges):
        yield substitute(expr, {coordinate: end})


def _faces(faces: Iterable[Face], spec: Spec, ranges: Ranges) -> Iterator[tuple[Face, Symbol, Expr]]:
    """Faces, each with the coordinate that is constant on it, and its value."""
    for face in named_faces(faces, spec):
        x = spec.space.coordinates[face.coordinate]
        yield face, x, ranges[x][face.upper]


def named_faces(faces: Iterable[Face], spec: Spec) -> list[Face]:
    """The faces across coordinates with a symbol; a single symbol for the position stands for the first coordinate."""
    return [face for face in faces if face.coordinate < len(spec.space.coordinates)]


def conditions_violated_by(spec: Spec, *values: Rational | int | None) -> tuple[list[Condition], list[Condition]]:
    """The conditions that some of these constants (None: all constants) violate, and those that are undecided."""
    satisfied = [(c, is_satisfied_by_constants(c, spec, values)) for c in fixed_conditions(spec)]
    return [c for c, truth in satisfied if truth is False], [c for c, truth in satisfied if truth is None]


def quote_conditions(conditions: list[Condition], spec: Spec) -> str:
    return ", ".join(f"'{spec.source.quote(c.span)}'" for c in conditions)


def degenerate_conditions(spec: Spec) -> list[Condition]:
    """The boundary conditions that are void on a face or at some times: u - u = 0, relu(t - ½) u = 0, or x u = 0 at
    x = 0. Single points do not count; a nonlinear condition, such as relu(u) = 0, must be strictly monotone in a value
    or derivative of the unknown."""
    return [c for c in spec.conditions if c.on_boundary and any(_is_degenerate(v, c, spec) for v in c.value)]


def _is_degenerate(value: Expr, condition: Condition, spec: Spec) -> bool:
    state, ranges = differential_expression(_square_free(value.xreplace(spec.values)), spec), ranges_of(spec)
    derivatives = [state.derivative(a).xreplace(_unit_normals(value, spec)) for a in state.jet_variables]
    if not derivatives or not state.is_affine:
        return not any(_has_strict_sign(d, ranges) for d in derivatives)
    on_faces = [list(_on_faces(d, condition, spec, ranges)) for d in derivatives]
    return any(all(_may_vanish(e, ranges) for e in face) for face in zip(*on_faces, strict=True))


def _square_free(value: Expr) -> Expr:
    """An expression with the same zeros and no powers: u for u²."""
    powers = (f.as_base_exp() for f in Mul.make_args(value))
    return Mul(*(base if n.is_positive else base**n for base, n in powers))


def _unit_normals(value: Expr, spec: Spec) -> dict[Expr, Expr]:
    return dict.fromkeys(normal_components(value, spec.space.coordinates), S.One)


def _may_vanish(e: Expr, ranges: Ranges) -> bool:
    """Whether it is zero, or may vanish on an open set."""
    kinked = e.has(Field, ActivationFunction, Abs, Max, Min, Heaviside, sign)
    return bool(e == 0) or (kinked and not _has_strict_sign(e, ranges))


def _has_strict_sign(e: Expr, ranges: Ranges) -> bool:
    return positive(e, box_of(ranges)) or positive(-e, box_of(ranges))


def delayed_conditions(spec: Spec) -> list[Condition]:
    """The boundary conditions that evaluate an unknown at another time."""
    own = {u.head: tuple(u.arguments) for u in spec.unknowns}
    time = spec.time.symbol if spec.time else None

    def is_delayed(f: Field) -> bool:
        return any(a != b for a, b in zip(f.arguments, own[f.head], strict=True) if b == time)

    def unknowns_in(c: Condition) -> list[Field]:
        return [f for v in c.value for f in v.atoms(Field) if f.head in own]

    return [c for c in spec.conditions if c.on_boundary and any(map(is_delayed, unknowns_in(c)))]


def has_zero_initial_velocity(problem: Problem) -> bool:
    """Whether all initial time derivatives are prescribed and zero."""
    order = problem.equation.order
    velocities = [c for c in problem.spec.conditions if c.unknown == problem.equation.unknown and c.order]
    return len(velocities) == order - 1 and all(v == 0 for c in velocities for v in c.value)


# ---- Type of the condition on each face


class LocatedCondition(Record):
    """A condition on one face: the coordinate that is constant on it, its value, and the type for the unknown, with
    other unknowns as data."""

    condition: Condition
    face: Face
    coordinate: Symbol
    end: Expr
    kind: BoundaryCondition


@lru_cache(maxsize=4)  # shared by several provers
def face_conditions(problem: Problem) -> tuple[LocatedCondition, ...]:
    """Every boundary condition on the unknown, once for each face."""
    return tuple(_locate_on_faces(problem))


def _locate_on_faces(problem: Problem) -> Iterator[LocatedCondition]:
    spec, ranges = problem.spec, ranges_of(problem.spec)
    for condition, place, kind in boundary_types(problem):
        for face, x, end in _faces([place] if isinstance(place, Face) else [], spec, ranges):
            on_face: Mapping[Expr, Expr] = {x: end}
            yield LocatedCondition(condition, face, x, end, kind.map(partial(substitute, rule=on_face)))


def boundary_types(problem: Problem) -> Iterator[tuple[Condition, Place, BoundaryCondition]]:
    """Every boundary condition on the unknown with its type on each face and surface; that of a vector, or with a term
    that may be undefined, is general. So is a derivative at a face across one of many coordinates with one symbol:
    faces across the others are not distinguished."""
    spec = problem.spec
    for scalar in spec.boundary_conditions:
        assert not isinstance(scalar.kind, InitialCondition)
        n, k = scalar.number
        condition = spec.conditions[n]
        if condition.unknown != problem.unknown.head or k:
            continue
        is_known = len(condition.value) == 1 and not may_be_undefined(condition.domain, spec)
        is_known = is_known and (spec.space.explicit or isinstance(scalar.kind, Dirichlet))
        residual = Residual(condition.value[0], (), condition.span)
        yield condition, scalar.place, scalar.kind if is_known else General(residual)


def normal_derivative(condition: Robin) -> tuple[Expr, Expr]:
    """c and g of ∂u/∂n = c u + g."""
    return expand(-condition.alpha / condition.beta), expand(condition.value / condition.beta)


def has_one_condition_per_face(problem: Problem) -> bool:
    """Whether every face has exactly one condition."""
    faces = [face for c in fixed_conditions(problem.spec) if c.unknown == problem.unknown.head for face in c.faces]
    return len(faces) == len(problem.spec.space.boundary) == len(set(faces))


def preserves_order(located: LocatedCondition, box: Box) -> bool:
    """Dirichlet, or ∂u/∂n affine and nonincreasing in u (Protter and Weinberger, chapter 3, section 6)."""
    match located.kind:
        case Dirichlet():
            return True
        case Robin() as robin:
            coefficient, _ = normal_derivative(robin)
            return range_of(coefficient, box) is not None and nonnegative(-coefficient, box)
        case Periodic() | General():
            return False


def conditions_preserve_order(problem: Problem) -> bool:
    """Whether all boundary conditions preserve the order of solutions; on irregular domains, only Dirichlet ones do."""
    if not problem.spec.space.boundary:
        return True
    if is_irregular(problem.spec):
        return _has_dirichlet_conditions(problem)
    box = box_of(ranges_of(problem.spec))
    return has_one_condition_per_face(problem) and all(preserves_order(p, box) for p in face_conditions(problem))


def is_irregular(spec: Spec) -> bool:
    """Whether the domain is not a box, or a condition is imposed on a curve or on part of a face."""
    return bool(spec.space.inequalities) or any(c.level_sets or c.part for c in spec.conditions)


def _has_dirichlet_conditions(problem: Problem) -> bool:
    """Whether all boundary conditions are u = g."""
    own = [kind for _, _, kind in boundary_types(problem)]
    others = any(c.unknown != problem.unknown.head for c in problem.spec.conditions if c.on_boundary)
    return not others and all(isinstance(k, Dirichlet) and not k.value.has(Field, Partial) for k in own)


def is_dirichlet_problem(problem: Problem) -> bool:
    return all(isinstance(p.kind, Dirichlet) for p in face_conditions(problem))


def is_homogeneous_neumann_problem(problem: Problem) -> bool:
    """Whether every boundary condition is ∂u/∂n = 0."""
    return all(isinstance(p.kind, Robin) and p.kind.is_homogeneous_neumann for p in face_conditions(problem))
