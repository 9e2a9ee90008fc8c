"""Initial and boundary conditions: type on each face, degeneracy, and conditions that constants satisfy.

Dirichlet: u = g. Neumann and Robin: α ∂u/∂n + β u = g with α ≠ 0, at the same point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite

from sympy import Abs, Add, Dummy, Expr, Heaviside, Max, Min, Mul, Rational, S, Symbol, sign

from pdedsl.analysis.bounds.interval import Box, range_of
from pdedsl.analysis.bounds.sign import box_of, is_zero, nonnegative, strictly_positive
from pdedsl.analysis.exact_solution import space_time_region
from pdedsl.analysis.jet import differential_expression, multiples_of_constant, sign_assumptions
from pdedsl.analysis.problem import Problem, may_be_undefined
from pdedsl.analysis.sample_points import Ranges, ranges_of
from pdedsl.ir.spec import Condition, Spec, face_names
from pdedsl.symbolic.evaluate import compile_function
from pdedsl.symbolic.functions import Activation
from pdedsl.symbolic.rewrite import expand, substitute
from pdedsl.symbolic.symbols import Component, Field, Partial, atoms

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
    somewhere = condition.on_boundary and (condition.surfaces or condition.part or spec.space.inequalities)
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
    points = (p for s in condition.surfaces for p in region.surface(s.expr, CURVE_SAMPLES))
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
    if not condition.on_boundary or condition.surfaces:
        yield expr
    if not condition.on_boundary:
        return
    for k, coordinate in enumerate(spec.space.coordinates):
        for name, end in zip(face_names(k), ranges[coordinate], strict=True):
            if name in condition.faces:
                yield substitute(expr, {coordinate: end})


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
    return {n: S.One for n in value.atoms(Component) if n.args[0] not in spec.space.coordinates}


def _may_vanish(e: Expr, ranges: Ranges) -> bool:
    """Whether it is zero, or may vanish on an open set."""
    kinked = e.has(Field, Activation, Abs, Max, Min, Heaviside, sign)
    return bool(e == 0) or (kinked and not _has_strict_sign(e, ranges))


def _has_strict_sign(e: Expr, ranges: Ranges) -> bool:
    return strictly_positive(e, box_of(ranges)) or strictly_positive(-e, box_of(ranges))


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


@dataclass(frozen=True)
class DirichletCondition:
    """u = g."""

    value: Expr


@dataclass(frozen=True)
class FluxCondition:
    """Neumann or Robin: ∂u/∂n = coefficient · u + value, with the symbol `u`; if it is not affine in u, `coefficient`
    is None and `value` is the whole right-hand side."""

    coefficient: Expr | None
    value: Expr
    u: Symbol


@dataclass(frozen=True)
class OtherCondition:
    """Any other condition: tangential or higher derivatives, nonlocal, or noninvertible in u."""


ConditionType = DirichletCondition | FluxCondition | OtherCondition


@dataclass(frozen=True)
class LocatedCondition:
    """A condition on one face: its name, the coordinate that is constant on it, its value, and the outer normal, ±1."""

    condition: Condition
    name: str
    coordinate: Symbol
    end: Expr
    normal: int
    kind: ConditionType


@lru_cache(maxsize=4)  # shared by several provers
def face_conditions(problem: Problem) -> tuple[LocatedCondition, ...]:
    """Every boundary condition on the unknown, once for each face."""
    own = [c for c in problem.spec.conditions if c.on_boundary and c.unknown == problem.unknown.head]
    return tuple(located for c in own for located in _locate(c, problem))


def _locate(condition: Condition, problem: Problem) -> Iterator[LocatedCondition]:
    ranges, space = ranges_of(problem.spec), problem.spec.space
    for k, coordinate in enumerate(space.coordinates):
        for name, end, normal in zip(face_names(k), ranges.get(coordinate, ()), (-1, 1), strict=False):
            if name in condition.faces:
                yield LocatedCondition(
                    condition, name, coordinate, end, normal, _classify(condition, coordinate, end, normal, problem)
                )


def _classify(condition: Condition, x: Symbol, end: Expr, normal: int, problem: Problem) -> ConditionType:
    if len(condition.value) != 1 or may_be_undefined(condition.domain, problem.spec):
        return OtherCondition()
    unknown = problem.unknown
    value = Field(unknown.head, (), unknown.arguments)
    expression = substitute(condition.value[0], problem.spec.values)
    expression = substitute(expression, _normal_components(expression, x, normal, problem))
    u, flux = Dummy("u", real=True), Dummy("flux", real=True)
    expression = substitute(expression, {Partial(value, x): normal * flux})
    expression = substitute(substitute(expression, {value: u}), {x: end})
    expression = Add(*(expand(term) if term.has(u, flux) else term for term in Add.make_args(expression)))
    if any(f.head == unknown.head for f in atoms(expression, Field)):
        return OtherCondition()
    return _solve_condition(expression, u, flux)


def _normal_components(expression: Expr, x: Symbol, normal: int, problem: Problem) -> dict[Expr, Expr]:
    """The components of the outer normal on a face of a box."""
    result = {}
    for c in atoms(expression, Component):
        index = c.args[1]
        if index.is_Integer and c.args[0] not in problem.spec.space.coordinates:
            result[c] = S(normal) if problem.spec.space.coordinates[int(index) - 1] == x else S.Zero
    return result


def _solve_condition(expression: Expr, u: Symbol, flux: Symbol) -> ConditionType:
    """The condition solved for ∂u/∂n, or for u."""
    alpha = expression.coeff(flux)
    if flux in expression.free_symbols:
        rest = expand(expression - alpha * flux)
        if alpha == 0 or flux in rest.free_symbols or alpha.free_symbols & {u} or not alpha.is_nonzero:
            return OtherCondition()
        right = expand(-rest / alpha)
        coefficient = right.coeff(u)
        value = expand(right - coefficient * u)
        affine = u not in value.free_symbols and u not in coefficient.free_symbols
        return FluxCondition(coefficient if affine else None, value if affine else right, u)
    beta = expression.coeff(u)
    rest = expression - beta * u if beta.is_number else expand(expression - beta * u)
    if beta == 0 or u in rest.free_symbols or u in beta.free_symbols or not beta.is_nonzero:
        return OtherCondition()
    return DirichletCondition(-rest / beta)


def has_one_condition_per_face(problem: Problem) -> bool:
    """Whether every face has exactly one condition."""
    names = [name for c in fixed_conditions(problem.spec) if c.unknown == problem.unknown.head for name in c.faces]
    return sorted(names) == sorted(problem.spec.space.boundary)


def preserves_order(located: LocatedCondition, box: Box) -> bool:
    """Dirichlet, or ∂u/∂n affine and nonincreasing in u (Protter and Weinberger, chapter 3, section 6)."""
    match located.kind:
        case DirichletCondition():
            return True
        case FluxCondition(coefficient=coefficient):
            return coefficient is not None and range_of(coefficient, box) is not None and nonnegative(-coefficient, box)
        case OtherCondition():
            return False


def conditions_preserve_order(problem: Problem) -> bool:
    """Whether all boundary conditions preserve the order of solutions; on irregular domains, only Dirichlet ones do."""
    if not problem.spec.space.boundary:
        return True
    if is_irregular(problem.spec):
        return all(_is_dirichlet(c, problem) for c in fixed_conditions(problem.spec) if c.on_boundary)
    box = box_of(ranges_of(problem.spec))
    return has_one_condition_per_face(problem) and all(preserves_order(p, box) for p in face_conditions(problem))


def is_irregular(spec: Spec) -> bool:
    """Whether the domain is not a box, or a condition is imposed on a curve or on part of a face."""
    return bool(spec.space.inequalities) or any(c.surfaces or c.part for c in spec.conditions)


def _is_dirichlet(condition: Condition, problem: Problem) -> bool:
    """Whether a condition has the form u = g."""
    unknown, u = problem.unknown, Dummy("u", real=True)
    expression = [v.xreplace(problem.spec.values) for v in condition.value]
    if len(expression) != 1 or expression[0].has(Partial) or condition.unknown != unknown.head:
        return False
    result = expand(expression[0].xreplace({Field(unknown.head, (), unknown.arguments): u}))
    return not result.has(Field) and isinstance(
        _solve_condition(result, u, Dummy("flux", real=True)), DirichletCondition
    )


def is_dirichlet_problem(problem: Problem) -> bool:
    return all(isinstance(p.kind, DirichletCondition) for p in face_conditions(problem))
