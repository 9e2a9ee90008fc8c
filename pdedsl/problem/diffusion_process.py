"""Diffusion process of a linear problem (Feynman-Kac): generator, source, absorption and reflection at the boundary.

G u + f = 0 with G = Σ Aᵢⱼ ∂ᵢ∂ⱼ + Σ bᵢ ∂ᵢ + c (Øksendal 2003, theorems 8.2.1 and 9.1.1; local times at Neumann and Robin
boundaries: Freidlin 1985, section 2.5). Problems without a process raise an error with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sympy import Add, Expr, Matrix, S, Symbol, simplify

from pdedsl import errors
from pdedsl.diagnostics import PdeError
from pdedsl.ir.boundary import Dirichlet, Face, General, InitialCondition, LevelSet, Place, Robin, ScalarCondition
from pdedsl.ir.diffusion_process import (
    Absorption,
    DiffusionProcess,
    ProcessBoundary,
    Reflection,
    TimeCondition,
    TimeDirection,
)
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.residual import Affine, Residual
from pdedsl.problem.supported_conditions import (
    BoundaryRegion,
    MethodFamily,
    region_of_condition,
    type_of,
    unsupported_reason,
)
from pdedsl.symbolic.domain_points import region_of
from pdedsl.symbolic.evaluate import compile_function, unsupported

SAMPLES = 64  # points at which the sign of a coefficient is evaluated


def process_of(problem: StrongForm) -> DiffusionProcess:
    """The process of a problem; raises PdeError if there is none."""
    equation = _only_equation(problem)
    residual, nonlinearity = _linear_part(equation, problem)
    affine, domain = _affine(residual), problem.domain
    _require_orders(affine, residual, domain)
    data = _initial_data(problem)
    factor = _normalization(affine, residual, data, domain)
    scaled = Affine(tuple((d, c / factor) for d, c in affine.terms), affine.inhomogeneity / factor)
    generator = scaled.second_order(len(domain.space))
    assert generator is not None
    boundaries = tuple(_process_boundaries(problem))
    drift, matrix, rate, source = generator.drift, generator.matrix, generator.rate, generator.source
    unknown = next((s for s, d in residual.jet_variables if not d.order), None) if nonlinearity != 0 else None
    process = DiffusionProcess(domain, drift, matrix, rate, source, data, boundaries, nonlinearity / factor, unknown)
    _require_process(process, residual)
    return process


def _linear_part(residual: Residual, problem: StrongForm) -> tuple[Residual, Expr]:
    """The affine part of a semilinear equation on R^d with its nonlinearity; any other equation, and zero."""
    bounded = any(i.start.is_finite for i in problem.domain.intervals[: len(problem.domain.space)])
    if residual.affine is not None or residual.semilinear is None or bounded or not problem.domain.has_time:
        return residual, S.Zero
    return residual.semilinear


def _only_equation(problem: StrongForm) -> Residual:
    first, *others = problem.equations
    if len(problem.components) > 1:
        raise errors.methods.monte_carlo_system(first.span)
    if others or first.interval is not None:
        raise errors.methods.monte_carlo_several_equations((others or [first])[0].span)
    for periodic in problem.periodic:
        reason = unsupported_reason(MethodFamily.MONTE_CARLO, type_of(periodic), BoundaryRegion.FACE)
        raise errors.methods.monte_carlo_unsupported(reason, first.span)
    if problem.parameters:
        learned = problem.parameters[0]
        raise errors.methods.monte_carlo_learned(learned.name, learned.span)
    return first


def _affine(residual: Residual) -> Affine:
    if residual.affine is None:
        raise errors.methods.monte_carlo_nonlinear(residual.span)
    return residual.affine


def _require_orders(affine: Affine, residual: Residual, domain: Domain) -> None:
    for derivative, _ in affine.terms:
        in_time = derivative.orders[-1] if domain.has_time else 0
        if in_time and derivative.order > 1:
            raise errors.methods.monte_carlo_second_order_in_time(residual.span)
        if derivative.order > 2:
            raise errors.methods.monte_carlo_higher_order(derivative.order, residual.span)


# ---- Generator


def _normalization(affine: Affine, residual: Residual, data: TimeCondition | None, domain: Domain) -> Expr:
    """The factor of G u + f, such that G generates a motion along the clock of the data."""
    if data is None:
        return _diffusion_sign(affine, domain)
    return _time_derivative_coefficient(affine, residual, domain) * data.direction.value


def _time_derivative_coefficient(affine: Affine, residual: Residual, domain: Domain) -> Expr:
    """The coefficient of ∂u/∂t, which must be a nonzero number."""
    factor = simplify(next((c for d, c in affine.terms if d.orders[-1]), S.Zero))
    if not factor.is_number or factor == 0:
        raise errors.methods.monte_carlo_time_coefficient(residual.span)
    return factor


def _diffusion_sign(affine: Affine, domain: Domain) -> Expr:
    """The sign of the sum of the pure second-order coefficients, at points of the domain if sympy cannot decide."""
    trace = Add(*(c for d, c in affine.terms if max(d.orders) == 2))
    if trace.is_negative or trace.is_nonnegative:
        return S.NegativeOne if trace.is_negative else S.One
    ends = [(i.start, i.end) for i in domain.intervals]
    region = region_of(domain.coordinates, len(domain.coordinates), ends, None, domain.inequalities)
    value = compile_function(trace, region.layout)
    return S.NegativeOne if sum(map(value, region.interior(SAMPLES))) < 0 else S.One


# ---- Initial and boundary conditions


def _initial_data(problem: StrongForm) -> TimeCondition | None:
    """Initial or terminal condition; None for a stationary problem."""
    if not problem.domain.has_time:
        return None
    for condition in problem.scalar_conditions:
        match condition:
            case ScalarCondition(kind=InitialCondition(order=0, value=value), place=Face(upper=upper)):
                return TimeCondition(TimeDirection.FORWARD if upper else TimeDirection.BACKWARD, value)
            case ScalarCondition(place=place) if problem.domain.is_in_time(place):
                raise _unsupported_condition(condition)
    raise errors.methods.monte_carlo_second_order_in_time(problem.equations[0].span)


def _process_boundaries(problem: StrongForm) -> Iterator[ProcessBoundary]:
    for condition in problem.scalar_conditions:
        match condition.kind:
            case InitialCondition():
                continue
            case Dirichlet(value=value):
                event: Absorption | Reflection = Absorption(value)
            case Robin(alpha=alpha, beta=beta, value=value):
                event = Reflection(simplify(alpha / beta), value / beta)
            case General():
                raise _unsupported_condition(condition)
        yield ProcessBoundary(_boundary_place(condition, problem.domain), event, condition.part)


def _boundary_place(condition: ScalarCondition, domain: Domain) -> Place:
    """The face, or the level set of an inequality g > 0 of the domain."""
    match condition.place:
        case LevelSet(expr=curve):
            return LevelSet(_level_function(curve, condition, domain))
        case Face() as face:
            return face


def _unsupported_condition(condition: ScalarCondition) -> PdeError:
    if isinstance(condition.kind, InitialCondition):
        return errors.methods.monte_carlo_second_order_in_time(condition.span)
    region = region_of_condition(condition.place, condition.part)
    reason = unsupported_reason(MethodFamily.MONTE_CARLO, type_of(condition.kind), region)
    return errors.methods.monte_carlo_unsupported(reason, condition.span)


def _level_function(curve: Expr, condition: ScalarCondition, domain: Domain) -> Expr:
    """The inequality g > 0 of the domain that vanishes on the curve."""
    for inner in domain.inequalities:
        if simplify(inner / curve).is_number:
            return inner
    raise errors.methods.monte_carlo_inner_curve(condition.span)


# ---- Requirements


def _require_process(process: DiffusionProcess, residual: Residual) -> None:
    curves = {s.place.expr for s in process.boundaries if isinstance(s.place, LevelSet)}
    if set(process.domain.inequalities) - curves:
        raise errors.methods.monte_carlo_open_curve(residual.span)
    if not _may_be_semidefinite(process):
        raise errors.methods.monte_carlo_indefinite(residual.span)
    if process.data is None and not any(isinstance(s.event, Absorption) for s in process.boundaries):
        raise errors.methods.monte_carlo_no_dirichlet(residual.span)
    if process.data is None and not process.rate.is_nonpositive:
        raise errors.methods.monte_carlo_growth(residual.span)
    if process.nonlinearity != 0 and not process.is_constant and process.geometric_rates is None:
        raise errors.methods.monte_carlo_nonlinear(residual.span)
    if any(unsupported(e, lambda a: "" if isinstance(a, Symbol) else None) for e in _expressions(process)):
        raise errors.methods.monte_carlo_not_evaluable(residual.span)


def _may_be_semidefinite(process: DiffusionProcess) -> bool:
    """Whether A may be positive semidefinite: decided for constant A; variable A is checked by the analysis."""
    if any(a.is_negative for a in {a for i, j, a in process.matrix if i == j}):
        return False
    if all(i == j for i, j, _ in process.matrix) or any(a.free_symbols for _, _, a in process.matrix):
        return True
    entries = {(i, j): a for i, j, a in process.matrix}
    n = process.dimension
    return bool(Matrix(n, n, lambda i, j: entries.get((min(i, j), max(i, j)), S.Zero)).is_positive_semidefinite)


def _expressions(process: DiffusionProcess) -> Iterable[Expr]:
    yield from (*process.drift, process.rate, process.source, process.nonlinearity, *(a for _, _, a in process.matrix))
    yield from () if process.data is None else (process.data.value,)
    for boundary in process.boundaries:
        yield from boundary.part
        yield from (
            (boundary.event.value, boundary.event.rate)
            if isinstance(boundary.event, Reflection)
            else (boundary.event.value,)
        )
