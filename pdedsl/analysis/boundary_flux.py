"""Boundary flux J·n of a right-hand side in divergence form, F = ∇·J.

If A:∇∇u + b·∇u + c u is a divergence, then Jᵢ = Σⱼ Aᵢⱼ ∂u/∂xⱼ + (bᵢ - Σⱼ ∂Aᵢⱼ/∂xⱼ) u. In one dimension a
nonlinear divergence F(u, p, X) is J' with ∂J/∂p = ∂F/∂X and ∂J/∂u = F(u, p, 0)/p.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

from sympy import Add, Expr, Mul, S, Symbol, cancel

from pdedsl.analysis.axioms.comparison import is_coupled
from pdedsl.analysis.boundary import LocatedCondition, face_conditions, named_faces, normal_derivative
from pdedsl.analysis.bounds.interval import range_of
from pdedsl.analysis.bounds.sign import box_of, vanishes
from pdedsl.analysis.jet import Jet
from pdedsl.analysis.problem import Problem
from pdedsl.analysis.sample_points import Ranges, find_nonzero_point, ranges_of
from pdedsl.ir.boundary import Dirichlet, Face, General, Periodic, Robin
from pdedsl.ir.residual import Residual
from pdedsl.ir.spec import Condition, Equation
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Component, Field, Partial, atoms


class BoundaryFlux(Enum):
    """The flux through the boundary."""

    ZERO = "zero"
    SOLUTION_DEPENDENT = "depends on the solution"
    PRESCRIBED = "prescribed by the boundary data"
    UNKNOWN = "unknown"


FaceFlux: TypeAlias = "Expr | BoundaryFlux"


def boundary_flux(problem: Problem) -> BoundaryFlux:
    fluxes = _face_fluxes(problem)
    if BoundaryFlux.SOLUTION_DEPENDENT in fluxes:
        return BoundaryFlux.SOLUTION_DEPENDENT
    if BoundaryFlux.UNKNOWN in fluxes:
        return BoundaryFlux.UNKNOWN
    return BoundaryFlux.ZERO if all(a == 0 for a in fluxes) else BoundaryFlux.PRESCRIBED


def prescribed_flux(problem: Problem) -> Expr | None:
    """The total flux through both ends of an interval; None if it is unknown."""
    fluxes = _face_fluxes(problem)
    if any(isinstance(a, BoundaryFlux) for a in fluxes) or len(problem.spec.space.intervals) > 1:
        return None if any(a != 0 for a in fluxes) else S.Zero
    box = box_of(ranges_of(problem.spec))
    return Add(*fluxes) if all(range_of(a, box) is not None for a in fluxes) else None


def _face_fluxes(problem: Problem) -> list[FaceFlux]:
    space, conditions = problem.spec.space, face_conditions(problem)
    if not space.boundary:
        return []
    jet = problem.jet
    if jet.unexpanded or is_coupled(problem) or problem.is_vector:
        return [BoundaryFlux.UNKNOWN]
    if jet.order > 2:
        return _high_order_flux(problem)
    if not jet.is_affine:
        return _nonlinear_flux(problem, conditions)
    faces = named_faces(space.boundary, problem.spec)
    return [_face_flux(problem, face, [p for p in conditions if p.face == face]) for face in faces]


def _flux_coefficients(jet: Jet, k: int) -> tuple[tuple[Expr, ...], Expr]:
    """The coefficients of ∇u and of u in Jₖ."""
    divergence = Add(*(jet.matrix[k][j].diff(x) for j, x in enumerate(jet.coordinates)))
    return jet.matrix[k], jet.drift[k] - divergence


def _face_flux(problem: Problem, face: Face, conditions_there: list[LocatedCondition]) -> FaceFlux:
    """J·n on a face, in terms of the boundary data."""
    jet, ranges, k, normal = problem.jet, ranges_of(problem.spec, problem.equation), face.coordinate, face.sign
    x = jet.coordinates[k]
    end = ranges_of(problem.spec)[problem.spec.space.coordinates[k]][face.upper]
    if any(e.has(Field) for e in (*jet.matrix[k], jet.drift[k])) or len(conditions_there) > 1:
        return BoundaryFlux.UNKNOWN
    row, advection = _flux_coefficients(jet, k)
    row, advection = tuple(e.xreplace({x: end}) for e in row), advection.xreplace({x: end})
    tangential = any(not vanishes(e) for j, e in enumerate(row) if j != k)
    match conditions_there[0].kind if conditions_there else None:
        case Dirichlet(value=prescribed):
            if not vanishes(row[k]):
                return _dependent_if_nonzero(row[k], ranges)
            return BoundaryFlux.UNKNOWN if tangential or jet.order > 1 else expand(normal * advection * prescribed)
        case Robin() as robin:
            if tangential:
                return BoundaryFlux.UNKNOWN
            coefficient, prescribed = normal_derivative(robin)
            rate = expand(row[k] * coefficient + normal * advection)
            return expand(row[k] * prescribed) if vanishes(rate) else _dependent_if_nonzero(rate, ranges)
        case None:
            if tangential:
                return BoundaryFlux.UNKNOWN
            rate = advection if vanishes(row[k]) else row[k]
            return S.Zero if vanishes(rate) else _dependent_if_nonzero(rate, ranges)
        case _:
            return BoundaryFlux.UNKNOWN


def _dependent_if_nonzero(rate: Expr, ranges: Ranges) -> BoundaryFlux:
    return BoundaryFlux.SOLUTION_DEPENDENT if find_nonzero_point(rate, ranges) is not None else BoundaryFlux.UNKNOWN


# ---- Higher order in one dimension


def _high_order_flux(problem: Problem) -> list[FaceFlux]:
    """Σ cₖ ∂ᵏu/∂xᵏ with constant cₖ has the flux Σ cₖ ∂ᵏ⁻¹u/∂xᵏ⁻¹, zero if each of these is zero at both ends."""
    jet = problem.jet
    used = [v for v in (*jet.p, *jet.second, *jet.higher) if v in jet.expr.free_symbols]
    in_space = [v for v in used if set(jet.derivative_of[v].slots) <= set(jet.coordinates)]
    if len(jet.coordinates) > 1 or not jet.is_affine or not all(jet.derivative(v).is_number for v in (jet.u, *used)):
        return [BoundaryFlux.UNKNOWN]
    orders = {len(jet.derivative_of[v].slots) for v in in_space}
    conditions = [c for c in problem.spec.conditions if c.on_boundary and c.unknown == problem.unknown.head]
    orders_at = [(face, _vanishing_derivative_order(c, problem)) for c in conditions for face in c.faces]
    if any(k is None for _, k in orders_at):
        return [BoundaryFlux.UNKNOWN]
    ends = Face(0, False), Face(0, True)
    free = any(k - 1 not in {h for face, h in orders_at if face == end} for end in ends for k in orders)
    return [BoundaryFlux.SOLUTION_DEPENDENT if free else S.Zero]


def _vanishing_derivative_order(condition: Condition, problem: Problem) -> int | None:
    """k of a condition ∂ᵏu/∂xᵏ = 0."""
    unknown, (x,) = problem.unknown, problem.spec.space.coordinates
    value = Field(unknown.head, (), unknown.arguments)
    expression = Mul.make_args(condition.value[0].xreplace(problem.spec.values))
    match [f for f in expression if not f.is_number and not isinstance(f, Component)]:  # the normal is ±1
        case [Partial(body=body, slots=slots)] if body == value and set(slots) == {x}:
            return len(slots)
        case [body] if body == value:
            return 0
    return None


# ---- Nonlinear in one dimension


def _nonlinear_flux(problem: Problem, conditions: Sequence[LocatedCondition]) -> list[FaceFlux]:
    jet, ranges = problem.jet, ranges_of(problem.spec, problem.equation)
    if len(jet.coordinates) != 1 or jet.coordinates[0] in jet.expr.free_symbols or jet.expr.has(Field):
        return [BoundaryFlux.UNKNOWN]
    (p,), diffusivity = jet.p, jet.matrix[0][0]
    if set(jet.second) & diffusivity.free_symbols or len(conditions) != 2:
        return [BoundaryFlux.UNKNOWN]
    derivatives = {_normal_derivative_at(c, jet) for c in conditions}
    if None in derivatives:
        data = [c.kind.value for c in conditions if isinstance(c.kind, Dirichlet)]
        return [_dependent_if_nonzero(diffusivity.xreplace({jet.u: g}), ranges) for g in data] or [BoundaryFlux.UNKNOWN]
    if len(derivatives) > 1:
        return [BoundaryFlux.UNKNOWN]
    (phi,) = derivatives
    assert phi is not None
    rest = cancel(jet.expr.xreplace(dict.fromkeys(jet.second, S.Zero)) / p)
    rate = (rest + diffusivity * phi.diff(jet.u)).xreplace({p: phi})
    if vanishes(expand(rate)):
        return [S.Zero]
    return [_dependent_if_nonzero(rate, ranges)]


def _normal_derivative_at(located: LocatedCondition, jet: Jet) -> Expr | None:
    """∂u/∂x as a function of u, if the condition is Neumann or Robin."""
    match located.kind:
        case Robin() as robin:
            coefficient, value = normal_derivative(robin)
            return expand(located.face.sign * (coefficient * jet.u + value))
        case General(residual=residual):
            return _solve_for_derivative(residual, jet)
        case Dirichlet() | Periodic():
            return None


def _solve_for_derivative(residual: Residual, jet: Jet) -> Expr | None:
    """∂u/∂x by a condition that is nonlinear in u but affine in ∂u/∂x, in one dimension."""
    symbols = {d.orders: s for s, d in residual.jet_variables}
    values, first = ([s for o, s in symbols.items() if o[0] == n and not any(o[1:])] for n in (0, 1))
    if len(first) != 1 or len(values) + 1 != len(symbols):
        return None
    coefficient = residual.expr.diff(first[0])
    known = not coefficient.free_symbols & set(symbols.values()) and not residual.expr.has(Field, Partial)
    if not known or not coefficient.is_nonzero:
        return None
    return expand(-residual.expr.xreplace({first[0]: S.Zero}) / coefficient).xreplace(dict.fromkeys(values, jet.u))


# ---- Periodic boundaries


def is_flux_periodic(problem: Problem) -> bool:
    """Whether the flux is continuous across every periodic boundary."""
    jet, space = problem.jet, problem.spec.space
    ranges = ranges_of(problem.spec)
    expression = jet.expr - jet.source
    for k, (x, interval) in enumerate(zip(space.coordinates, space.intervals, strict=False)):
        if not interval.periodic or not _depends_on(expression, x, problem):
            continue
        learned = {w.head for w in problem.spec.learned}
        if any(f.head in learned and x in f.free_symbols for f in atoms(expression, Field)):
            return False
        low, high = ranges[x]
        entries = (
            (*_flux_coefficients(jet, k)[0], _flux_coefficients(jet, k)[1])
            if jet.is_affine and jet.order <= 2
            else _derivatives_in_x(jet, expression, x)
        )
        if not all(vanishes(expand(e.xreplace({x: high}) - e.xreplace({x: low}))) for e in entries):
            return False
    return True


def depends_on_position(equation: Equation, problem: Problem) -> bool:
    """Whether an equation depends on x explicitly."""
    return any(_depends_on(right, x, problem) for right in equation.rhs for x in problem.spec.space.coordinates)


def _depends_on(expression: Expr, x: Symbol, problem: Problem) -> bool:
    """Whether an expression depends on a coordinate explicitly, not only through the unknowns."""
    heads = {u.head for u in problem.spec.unknowns}
    own = [f for f in (*atoms(expression, Partial), *atoms(expression, Field)) if _head(f) in heads]
    return x in expression.xreplace(dict.fromkeys(own, S.One)).free_symbols


def _head(f: Expr) -> Symbol | None:
    body = f.body if isinstance(f, Partial) else f
    return body.head if isinstance(body, Field) else None


def _derivatives_in_x(jet: Jet, expression: Expr, x: Symbol) -> list[Expr]:
    """F and its derivatives in x, up to the order of the derivatives in its flux."""
    derivatives = [expression]
    for _ in range(max(jet.order - 1, 0)):
        derivatives.append(derivatives[-1].diff(x))
    return derivatives
