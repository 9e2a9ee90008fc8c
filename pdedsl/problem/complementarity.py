"""Recognition of complementarity problems: an equation min(…) = 0 or max(…) = 0 for one unknown.

The problem is proper if all operators increase in u, or all decrease: at a node, -∂²u increases with u, and so does
u - ψ. It then has at most one solution, by the comparison principle of viscosity solutions (Crandall, Ishii, Lions
1992), and policy iteration for monotone schemes converges (Bokanowski, Maroso, Zidani 2009).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf, isfinite

from sympy import Add, Basic, Expr, Max, Min, S, sift

from pdedsl import errors
from pdedsl.diagnostics import PdeError
from pdedsl.ir.boundary import Dirichlet, Face, InitialCondition, Robin, ScalarCondition
from pdedsl.ir.complementarity import AffineOperator, Complementarity, Extremum
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.residual import Residual
from pdedsl.ir.solver_plans import ObstacleScheme
from pdedsl.problem.first_order_system import GridNotApplicable, require_on_grid
from pdedsl.problem.supported_conditions import BoundaryRegion, ConditionType, MethodFamily, unsupported_reason
from pdedsl.symbolic.evaluate import Layout, compile_function

SAMPLES = 40  # points of a face at which its data are compared with the bounds
VIOLATION_RTOL = 1e-9  # rounding
CENTER, CENTER_OFFSET = 0.5, 0.01  # fractions of the intervals: coefficients often vanish in the center itself


class NotComplementarity(Exception):
    """The equation is no complementarity problem that grids and elements solve; the message is the reason."""


def has_extremum(residual: Residual) -> bool:
    """Whether the equation is a minimum or a maximum that contains the unknown."""
    return _extremum_of(residual) is not None


def _extremum_of(residual: Residual) -> Min | Max | None:
    """The minimum or maximum that vanishes; known functions, as in min(…) = f, are moved inside."""
    jets = {s for s, _ in residual.jet_variables}
    unknown, known = sift(Add.make_args(residual.expr), lambda e: bool(e.free_symbols & jets), binary=True)
    constant, expr = unknown[0].as_coeff_Mul() if len(unknown) == 1 else (S.Zero, S.Zero)
    if not isinstance(expr, Min | Max):
        return None
    shift = Add(*known) / constant
    return type(expr)(*(a + shift for a in expr.args)) if shift != 0 else expr


def complementarity(problem: StrongForm) -> Complementarity:
    """The complementarity problem; raises NotComplementarity with the reason if there is none."""
    if len(problem.components) != 1 or problem.parameters or problem.measurements:
        raise NotComplementarity("inequalities are supported for one unknown with known coefficients")
    (residual, *others) = problem.equations
    found = _extremum_of(residual)
    if others or found is None or residual.interval is not None:
        raise NotComplementarity("an inequality is an equation min(…) = 0 or max(…) = 0")
    if problem.is_nonlocal or problem.normalizations or problem.domain.metric is not None:
        raise NotComplementarity("inequalities with integrals or curvilinear coordinates are not supported")
    operators: list[AffineOperator] = []
    tree = _tree(found, residual, problem, operators)
    if {o.sign for o in operators} <= {0, -1}:
        operators = [_operator(-o.residual.expr, residual, problem) for o in operators]
        tree = tree.opposite
    return Complementarity(tree, tuple(operators))


def _tree(expr: Expr, whole: Residual, problem: StrongForm, operators: list[AffineOperator]) -> Extremum:
    options: list[int | Extremum] = []
    for argument in sorted(expr.args, key=str):
        if isinstance(argument, Min | Max) and argument.free_symbols & {s for s, _ in whole.jet_variables}:
            options.append(_tree(argument, whole, problem, operators))
        else:
            options.append(len(operators))
            operators.append(_operator(argument, whole, problem))
    return Extremum(isinstance(expr, Min), tuple(options))


def _operator(expr: Expr, whole: Residual, problem: StrongForm) -> AffineOperator:
    own = tuple((s, d) for s, d in whole.jet_variables if s in expr.free_symbols)
    residual = Residual(expr, own, whole.span)
    affine, dimension = residual.affine, len(problem.domain.space)
    if affine is None:
        raise NotComplementarity("an operator in an inequality is not linear")
    mass: Expr = S.Zero
    for derivative, coefficient in affine.terms:
        if any(derivative.orders[dimension:]):
            if derivative.order > 1:
                raise NotComplementarity("second or mixed derivatives in time are not supported in inequalities")
            mass = coefficient
    operator = affine.second_order(dimension)
    if operator is None:
        raise NotComplementarity("derivatives of third and higher order are not supported in inequalities")
    forward = S.NegativeOne if problem.is_backward else S.One
    candidates = [*(-a for i, j, a in operator.matrix if i == j), forward * mass, operator.rate]
    signs = [s for c in candidates if (s := _sign_at_center(c, problem.domain))]
    return AffineOperator(residual, operator, mass, signs[0] if signs else 0)


def _sign_at_center(expr: Expr, domain: Domain) -> int:
    """The sign of a coefficient near the center of the domain."""
    fractions = [CENTER + CENTER_OFFSET * k for k in range(len(domain.coordinates))]
    value = compile_function(expr, _layout(domain))(_point(domain, fractions))
    return 0 if value == 0 or not isfinite(value) else 1 if value > 0 else -1


def _layout(domain: Domain) -> Layout:
    return Layout({x: k for k, x in enumerate(domain.coordinates)}, len(domain.space))


def _point(domain: Domain, fractions: Sequence[float]) -> list[float]:
    """The point at these fractions of the intervals."""
    ends = ((float(i.start), float(i.end)) for i in domain.intervals)
    return [a + (b - a) * f for (a, b), f in zip(ends, fractions, strict=True)]


# ---- Grids


def obstacle_scheme(problem: StrongForm) -> ObstacleScheme:
    """The scheme on a box; raises GridNotApplicable with the reason."""
    try:
        found = complementarity(problem)
    except NotComplementarity as reason:
        raise GridNotApplicable(str(reason)) from None
    if problem.domain.inequalities:
        raise GridNotApplicable("inequalities on domains with curved boundaries are solved by elements")
    conditions, initial = [], S.Zero
    for condition in problem.scalar_conditions:
        match condition.kind:
            case InitialCondition(order=0, value=value):
                initial = value
            case InitialCondition():
                raise GridNotApplicable("an initial condition does not prescribe a value")
            case _:
                require_on_grid(MethodFamily.OBSTACLE, condition.kind, condition.place, condition.part)
                conditions.append(condition)
    if len(conditions) != 2 * len(problem.domain.space):
        raise GridNotApplicable(unsupported_reason(MethodFamily.OBSTACLE, ConditionType.PERIODIC, BoundaryRegion.FACE))
    timed = problem.domain.has_time and problem.domain.coordinates[-1] in frozenset().union(
        *(o.residual.expr.free_symbols for o in found.operators), *(_symbols(c) for c in conditions)
    )
    return ObstacleScheme(found, tuple(conditions), initial, bool(timed))


def _symbols(condition: ScalarCondition) -> frozenset[Basic]:
    match condition.kind:
        case Dirichlet(value=value):
            return frozenset(value.free_symbols)
        case Robin(alpha=alpha, beta=beta, value=value):
            return frozenset(alpha.free_symbols | beta.free_symbols | value.free_symbols)
        case _:
            return frozenset()


# ---- Ill-posed problems


def require_proper(problem: StrongForm) -> None:
    """Raises PdeError if a minimum or maximum of affine operators has terms of opposite monotonicity, or if initial or
    boundary data violate its bounds."""
    if not any(map(has_extremum, problem.equations)):
        return
    try:
        found = complementarity(problem)
    except NotComplementarity:
        return
    span = problem.equations[0].span
    if any(o.sign < 0 for o in found.operators):
        raise errors.equations.improper_inequality(span)
    for condition in problem.scalar_conditions:
        if (error := _violation(found, condition, problem)) is not None:
            raise error


def _violation(found: Complementarity, condition: ScalarCondition, problem: StrongForm) -> PdeError | None:
    """The error if a prescribed value u = g violates the bounds: with differential operators of any value, the extremum
    cannot vanish."""
    match condition.kind:
        case Dirichlet(value=value) | InitialCondition(order=0, value=value) if isinstance(condition.place, Face):
            pass
        case _:
            return None
    domain, face = problem.domain, condition.place
    assert isinstance(face, Face)
    bounds = [compile_function(o.operator.rate * value + o.operator.source, _layout(domain)) for o in found.operators]
    draw = random.Random(0)
    for _ in range(SAMPLES):
        fractions = [draw.random() for _ in domain.coordinates]
        fractions[face.coordinate] = float(face.upper)
        point = _point(domain, fractions)
        at = [bound(point) for bound in bounds]
        tolerance = VIOLATION_RTOL * (1 + max(abs(v) for v in at if isfinite(v)))
        if _total(found, at, -inf) > tolerance or _total(found, at, inf) < -tolerance:
            place = ", ".join(f"{x} = {v:.3g}" for x, v in zip(domain.coordinates, point, strict=True))
            return errors.equations.violated_bound(place, condition.span)
    return None


def _total(found: Complementarity, at: Sequence[float], free: float) -> float:
    """The extremum with the values of the bounds, and `free` for every differential operator."""
    return found.extremum.reduce(
        lambda n: free if found.operators[n].is_differential else at[n],
        lambda is_minimum, values: min(values) if is_minimum else max(values),
    )
