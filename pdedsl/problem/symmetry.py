"""Reflection and permutation symmetries of a problem, which its solution inherits.

If u is a solution, so is ±u(Rx). With initial data the solution is unique and therefore invariant; for a linear problem
the mean of u and its image is an invariant solution. For other problems no symmetry is imposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from sympy import Expr

from pdedsl.ir.ansatz import Ansatz, ReflectionSymmetry
from pdedsl.ir.boundary import ConditionResidual, Face
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.symbolic.evaluate import Substitution, is_numerically_equal

MAX_SIZE = 3  # components, and dimensions of space, up to which symmetries are tried


def reflection_symmetry(problem: StrongForm, ansatz: Sequence[Ansatz]) -> ReflectionSymmetry | None:
    """The first symmetry found that base and factor of the ansatz have as well."""
    domain, count = problem.domain, len(problem.components)
    if problem.periodic:
        axes = problem.antiperiodic_axes
        return ReflectionSymmetry(axes[0], (-1,) * count, is_shift=True) if axes else None
    unique = problem.is_affine or any(domain.is_in_time(c.place) for c in problem.conditions)
    if not unique or domain.inequalities or problem.parameters or problem.measurements:
        return None
    if count > MAX_SIZE or len(domain.space) > MAX_SIZE or any(r.interval is not None for r in problem.equations):
        return None
    candidates = (
        ReflectionSymmetry(axis, signs) for axis in range(len(domain.space)) for signs in product((1, -1), repeat=count)
    )
    return next((s for s in candidates if _holds(s, problem) and _ansatz_has(s, ansatz, problem)), None)


def parities_of(problem: StrongForm) -> tuple[int, ...]:
    """Parity of the solution of a linear problem about the center of each coordinate: 1 (even), -1 (odd), 0 (none)."""
    domain = problem.domain
    none = (0,) * len(domain.coordinates)
    if not _is_linear_on_box(problem):
        return none
    kinds = ([s for s in (1, -1) if _holds(ReflectionSymmetry(k, (s,)), problem)] for k in range(len(domain.space)))
    return (*(k[0] if k else 0 for k in kinds), *none[len(domain.space) :])


def is_exchangeable(problem: StrongForm) -> bool:
    """Whether a stationary linear problem is invariant under permutations of its coordinates."""
    domain = problem.domain
    if (
        not _is_linear_on_box(problem)
        or domain.has_time
        or len({(i.start, i.end, i.periodic) for i in domain.intervals}) > 1
    ):
        return False
    return all(_is_swap_invariant(k, problem) for k in range(len(domain.space) - 1))


def _is_linear_on_box(problem: StrongForm) -> bool:
    """Whether it is a single linear equation on a box, without learned parameters."""
    learned = problem.parameters or problem.measurements
    all_times = all(r.interval is None for r in problem.equations)
    return (
        problem.is_affine
        and all_times
        and not (problem.periodic or problem.domain.inequalities or learned or len(problem.components) > 1)
    )


def _is_swap_invariant(k: int, problem: StrongForm) -> bool:
    """Whether the problem is invariant under the exchange of coordinates k and k + 1."""
    residuals = [*problem.equations, *(r for c in problem.conditions for r in c.residuals)]
    jets = {d: s for r in residuals for s, d in r.jet_variables}
    x, y = problem.domain.coordinates[k : k + 2]
    substitution: dict[Expr, Expr] = {x: y, y: x}
    for d, jet in jets.items():
        other = Derivative(d.component, _swap(d.orders, k))
        if other not in jets:
            return False
        substitution[jet] = jets[other]
    equations = [r.expr for r in problem.equations]
    if not all(_matches_any(e, substitution, equations) for e in equations):
        return False
    return all(_condition_is_swap_invariant(c, k, substitution, problem) for c in problem.conditions)


def _condition_is_swap_invariant(
    condition: ConditionResidual, k: int, substitution: dict[Expr, Expr], problem: StrongForm
) -> bool:
    place = condition.place
    if not isinstance(place, Face) or condition.part:
        return False
    face = Face({k: k + 1, k + 1: k}.get(place.coordinate, place.coordinate), place.upper)
    others, fixed = _conditions_on(face, problem), _face_coordinate(face, problem)
    return all(
        _matches_any(r.expr, _restrict_substitution(substitution, fixed), others, fixed) for r in condition.residuals
    )


def _swap(orders: tuple[int, ...], k: int) -> tuple[int, ...]:
    return (*orders[:k], orders[k + 1], orders[k], *orders[k + 2 :])


def _ansatz_has(symmetry: ReflectionSymmetry, ansatz: Sequence[Ansatz], problem: StrongForm) -> bool:
    """Whether base + factor · N has the symmetry for every N that has it."""
    reflection = _reflect_coordinate(symmetry, problem)
    pairs = zip(ansatz, symmetry.signs, strict=True)
    return all(
        is_numerically_equal(a.base, a.base, reflection, sign=sign)
        and is_numerically_equal(a.factor, a.factor, reflection)
        for a, sign in pairs
    )


def _holds(symmetry: ReflectionSymmetry, problem: StrongForm) -> bool:
    equations = [r.expr for r in problem.equations]
    if not all(_matches_any(r.expr, _reflect_residual(r, symmetry, problem), equations) for r in problem.equations):
        return False
    return all(_condition_is_invariant(c, symmetry, problem) for c in problem.conditions)


def _condition_is_invariant(condition: ConditionResidual, symmetry: ReflectionSymmetry, problem: StrongForm) -> bool:
    """Whether the reflection of a condition is one of the conditions at the reflected place."""
    place = condition.place
    if not isinstance(place, Face) or condition.part:
        return False
    image_face = Face(place.coordinate, place.upper != (place.coordinate == symmetry.axis))
    others, fixed = _conditions_on(image_face, problem), _face_coordinate(image_face, problem)
    images = (
        (r.expr, _restrict_substitution(_reflect_residual(r, symmetry, problem), fixed)) for r in condition.residuals
    )
    return all(_matches_any(expr, image, others, fixed) for expr, image in images)


def _conditions_on(face: Face, problem: StrongForm) -> list[Expr]:
    return [r.expr for c in problem.conditions if c.place == face for r in c.residuals]


def _face_coordinate(face: Face, problem: StrongForm) -> Substitution:
    """The coordinate that is constant on a face, and its value there."""
    interval = problem.domain.intervals[face.coordinate]
    return {problem.domain.coordinates[face.coordinate]: interval.end if face.upper else interval.start}


def _restrict_substitution(first: Substitution, fixed: Substitution) -> Substitution:
    return {**fixed, **{symbol: value.xreplace(fixed) for symbol, value in first.items()}}


def _reflect_residual(residual: Residual, symmetry: ReflectionSymmetry, problem: StrongForm) -> Substitution:
    """Substitution that maps a residual to that of ±u(Rx), evaluated at Rx."""
    substitution = _reflect_coordinate(symmetry, problem)
    for symbol, d in residual.jet_variables:
        substitution[symbol] = symmetry.signs[d.component] * (-1) ** d.orders[symmetry.axis] * symbol
    return substitution


def _reflect_coordinate(symmetry: ReflectionSymmetry, problem: StrongForm) -> dict[Expr, Expr]:
    x, interval = problem.domain.coordinates[symmetry.axis], problem.domain.intervals[symmetry.axis]
    return {x: interval.start + interval.end - x}


def _matches_any(expr: Expr, image: Substitution, others: Sequence[Expr], at: Substitution | None = None) -> bool:
    """Whether an expression at the image of a point is, up to its sign, one of the others at the point."""
    return any(is_numerically_equal(other, expr, image, at, sign) for other in others for sign in (1, -1))
