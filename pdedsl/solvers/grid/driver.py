"""`grid(n)`: grid solvers (Fourier, Chebyshev, finite volumes, Shortley-Weller), differentiable w.r.t. parameters.

`levels_by_grid` refines until the caller stops: the numbers of points follow from the decay of the coefficients along
each axis. `solve_by_grid` has n points per dimension; its error is estimated by self-convergence, the difference to the
N/2 grid with looser time-step tolerances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import assert_never

import torch
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.solver_plans import (
    ChebyshevScheme,
    DelayScheme,
    FiniteVolumeScheme,
    FourierScheme,
    GridPlan,
    GridScheme,
    InterfaceFVScheme,
    ObstacleScheme,
    OdeScheme,
    SeparableOperator,
    ShortleyWellerScheme,
)
from pdedsl.runtime.basis.interpolation import TensorProductExpansion
from pdedsl.runtime.basis.pieces_in_time import PiecesInTime
from pdedsl.runtime.ode.step_doubling import CpuTimeExceeded, StepBudget, StepSizeUnderflow
from pdedsl.solvers.ansatz import add_lifts
from pdedsl.solvers.collocation_points import fix_gauge
from pdedsl.solvers.grid.chebyshev import MAX_UNKNOWNS, feasible_size, solve_chebyshev
from pdedsl.solvers.grid.delay import solve_with_delays
from pdedsl.solvers.grid.finite_volume import solve_finite_volume
from pdedsl.solvers.grid.fourier import points_for_growth, solve_fourier
from pdedsl.solvers.grid.grid_result import (
    L1_ERROR,
    NET_FLUX,
    TIME_ERROR,
    BatchMember,
    GridResult,
    GridSolveFailed,
    IllPosedProblem,
    SplitBatch,
    StackedBatch,
    batched_parameters,
    stack_results,
)
from pdedsl.solvers.grid.module_formats import GRID_FORMATS
from pdedsl.solvers.grid.nodal_functions import ParameterValue
from pdedsl.solvers.grid.obstacle import solve_obstacle
from pdedsl.solvers.grid.ode import MIN_TOLERANCE, solve_ode
from pdedsl.solvers.grid.resolution import MIN_GROWTH, AxisDecay, axis_decays, predict_tail, refine_sizes
from pdedsl.solvers.grid.shortley_weller import solve_shortley_weller
from pdedsl.solvers.method_result import EstimateKind, Levels, SolverResult
from pdedsl.solvers.solver_method import SolveOptions, SolverMethod

COARSE_TOL_FACTOR = 10.0  # on the tolerances of the scheme for the N/2 grid
NET_FLUX_TOL = 1e-3  # a larger net flux is due to the boundary data, if it does not halve on the finer grid
COMPARISON_POINTS = 2048  # points
SHOCK_FACTOR = 1 / (
    2**0.5 - 1
)  # L2 error O(√h) at discontinuities: it exceeds the difference to the N/2 grid by this factor


# ---- A stated number of points


def solve_by_grid(
    plan: GridPlan,
    *,
    seed: int = 0,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float64,
    parameter_values: Mapping[str, ParameterValue] | None = None,
    max_steps: int | None = None,
) -> SolverResult:
    """The solution with n points per dimension; `parameter_values` are the values of learned parameters, by name.

    If scalars have batches of b values, (b,), there are b solutions, with values (b, n, c): Fourier series take their
    steps together, the other schemes one solution after another. Metrics are the maxima over the batch.

    Raises `GridSolveFailed` if Newton's method does not converge, a time step underflows, or it takes
    more than `max_steps` steps in time.
    """
    like, method, values = torch.zeros((), dtype=dtype, device=device), plan.method, parameter_values or {}
    fine, n = _solve_or_fail(plan, method.n, values, like, lambda tolerance: StepBudget(tolerance, max_steps))
    with torch.no_grad():
        coarse, _ = _solve_or_fail(
            plan, max(4, n // 2), values, like, lambda tol: StepBudget(COARSE_TOL_FACTOR * tol, max_steps)
        )
        pairs = list(zip(_batch_members(fine), _batch_members(coarse), strict=True))

        def difference(power: int) -> float:
            return max(relative_difference(one, other, plan.problem, seed, like, power) for one, other in pairs)

        error = max(fine.undetected_error, _convergence_factor(fine, coarse) * difference(2))
        shocks = isinstance(plan.scheme, FiniteVolumeScheme)
        if shocks:
            fine.metrics[L1_ERROR] = difference(1)
            error *= SHOCK_FACTOR
    if fine.metrics.get(NET_FLUX, 0.0) > max(NET_FLUX_TOL, coarse.metrics.get(NET_FLUX, 0.0) / 2):
        raise GridSolveFailed("incompatible boundary data: the net flux through the boundary is not zero")
    metrics = {"n": float(n), **fine.metrics, "error": error}
    notes = (*fine.notes, _error_note(error, fine, shocks))
    if n < method.n:
        notes = (*notes, f"{n} points per dimension instead of {method.n}: the limit of the dense direct solver")
    module = add_lifts(fine.module, plan.lifts, plan.problem.domain.coordinates)
    return SolverResult(module, method, metrics, notes)


def _convergence_factor(fine: GridResult, coarse: GridResult) -> float:
    """Error of the fine grid relative to that of the N/2 grid: the ratio of the omitted coefficients, and of the
    tolerances of the time steps; 1 for schemes that are not spectral."""
    decays = _decays(fine), _decays(coarse)
    if decays[0] is None or decays[1] is None:
        return 1.0
    tails = [max((d.tail for d in axes), default=0.0) for axes in decays if axes is not None]
    factor = min(1.0, tails[0] / max(tails[1], 1e-300))
    return max(factor, 1 / COARSE_TOL_FACTOR) if TIME_ERROR in fine.metrics else factor


def _error_note(error: float, fine: GridResult, shocks: bool) -> str:
    if 0 < error == fine.undetected_error:
        return f"estimated time-stepping error {error:.1g}, larger than the difference to the N/2 grid"
    scaled = "for order ½ at discontinuities" if shocks else "by the decay of the coefficients"
    scaled = f", scaled {scaled}" * (shocks or _decays(fine) is not None)
    return f"self-convergence: relative L2 difference {error:.1g} to the N/2 grid{scaled}"


def solve_on_one_grid(plan: GridPlan, budget: StepBudget) -> nn.Module:
    """The solution with n points per dimension, without an error estimate."""
    like = torch.zeros((), dtype=torch.float64)
    module = _solve_or_fail(plan, plan.method.n, {}, like, _fixed_budget(budget))[0].module
    return add_lifts(module, plan.lifts, plan.problem.domain.coordinates)


# ---- Levels of refinement


SPECTRAL_START = {1: 16, 2: 12, 3: 8}  # points per axis of the first level, by the dimension of space
CELLS_START = {1: 64, 2: 32, 3: 16}
MAX_EVOLUTION_POINTS, MAX_STATIONARY_POINTS = 1 << 18, 1 << 21  # of a level: the states at all times are in memory
CLIPPING_STEPS = 20  # between two levels, if the finer one exceeds the limit
RESOLVED_FRACTION = 0.1  # of the tolerance, for the omitted coefficients of an axis
FIRST_TIME_TOL = 1e-4  # of the time steps of the first level, which does not resolve the solution in space
MIN_TIME_FRACTION = 0.03  # of the tolerance, for the time steps: their errors are a small part of the error then
EXTRAPOLATED_TIME_FRACTION = 0.3  # the same for steps whose error estimates are extrapolated away
MIN_CELLS_FRACTION = 1e-3  # the same where no coefficients tell the error in space, which decreases slowly
MAX_FAILURES = 3  # levels on which Newton's method or a time step may fail before the method has failed


def levels_by_grid(
    plan: GridPlan,
    *,
    tolerance: float,
    seed: int = 0,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float64,
    max_steps: int | None = None,
    is_exhausted: Callable[[], bool] = lambda: False,
) -> Levels:
    """Solutions on successively finer grids, until the limit of points.

    Spectral schemes estimate the relative L2 norm of the omitted coefficients (DECAY); axes whose coefficients have
    decayed below `tolerance` are not refined. The tolerance of the time steps decreases with the omitted coefficients
    that are predicted for a level. `seed` is unused by schemes without random numbers; `is_exhausted` ends a level in
    time.

    Raises `GridSolveFailed` if the first levels fail, or if the CPU time is used up.
    """
    like = torch.zeros((), dtype=dtype, device=device)
    if isinstance(plan.scheme, OdeScheme):
        yield from _levels_by_integrator(plan, tolerance, max_steps, like)
        return
    sizes, time_tolerance, failures = _first_sizes(plan, like), max(tolerance, FIRST_TIME_TOL), 0
    while _is_feasible(plan, sizes):
        budget = StepBudget(time_tolerance, max_steps, is_exhausted)
        try:
            with torch.no_grad():
                result = _solve_level(plan, sizes, {}, like, _fixed_budget(budget))
        except GridSolveFailed as failure:
            failures += 1
            final = isinstance(failure, IllPosedProblem) or isinstance(failure.__cause__, CpuTimeExceeded)
            if final or failures == MAX_FAILURES:
                raise
            sizes = refine_sizes(sizes, None, tolerance)
            continue
        decays = _decays(result)
        refined = _feasible_sizes(plan, sizes, refine_sizes(sizes, decays, RESOLVED_FRACTION * tolerance))
        yield replace(_level_result(plan, sizes, result, decays), unknowns=(prod(sizes), prod(refined)))
        time_tolerance = _next_time_tolerance(
            plan.scheme, time_tolerance, tolerance, predict_tail(sizes, refined, decays)
        )
        sizes = refined


def _next_time_tolerance(scheme: GridScheme, current: float, tolerance: float, predicted_tail: float | None) -> float:
    """A tenth of the omitted coefficients of the next level, or a tenth of the current one where they are unknown."""
    if predicted_tail is None:
        return max(current / COARSE_TOL_FACTOR, MIN_CELLS_FRACTION * tolerance)
    fraction = EXTRAPOLATED_TIME_FRACTION if isinstance(scheme, FourierScheme) else MIN_TIME_FRACTION
    return min(current, max(predicted_tail / COARSE_TOL_FACTOR, fraction * tolerance))


def _feasible_sizes(plan: GridPlan, before: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
    """The wanted sizes, or the largest ones between both levels that are feasible, if they are worth a level."""
    sizes, fraction = tuple(wanted), 1.0
    while not _is_feasible(plan, sizes):
        fraction -= 1 / CLIPPING_STEPS
        sizes = tuple(a + int(fraction * (b - a)) for a, b in zip(before, wanted, strict=True))
        if max(b / a for a, b in zip(before, sizes, strict=True)) < MIN_GROWTH:
            return tuple(wanted)
    return sizes


def _levels_by_integrator(plan: GridPlan, tolerance: float, max_steps: int | None, like: Tensor) -> Levels:
    """Solutions with decreasing tolerances, each compared with a second integrator."""
    level_tolerance = tolerance
    while level_tolerance >= MIN_TOLERANCE:
        result = _solve_level(plan, (), {}, like, _fixed_budget(StepBudget(level_tolerance, max_steps)))
        estimates = {EstimateKind.SECOND_METHOD: result.metrics[TIME_ERROR]}
        yield SolverResult(result.module, plan.method, result.metrics, result.notes, {}, estimates)
        level_tolerance /= COARSE_TOL_FACTOR


def _first_sizes(plan: GridPlan, like: Tensor) -> tuple[int, ...]:
    dimension, scheme = len(plan.problem.domain.space), plan.scheme
    scheme = scheme.scheme if isinstance(scheme, DelayScheme) else scheme
    start = SPECTRAL_START if isinstance(scheme, FourierScheme | ChebyshevScheme) else CELLS_START
    is_evolution = isinstance(scheme, FourierScheme) and bool(scheme.system.differential)
    growing = points_for_growth(scheme, like) if is_evolution and isinstance(scheme, FourierScheme) else 0
    return (max(start[dimension], growing),) * dimension


def _is_feasible(plan: GridPlan, sizes: Sequence[int]) -> bool:
    scheme = plan.scheme.scheme if isinstance(plan.scheme, DelayScheme) else plan.scheme
    match scheme:
        case ChebyshevScheme(separable=SeparableOperator()):
            return prod(sizes) <= MAX_STATIONARY_POINTS
        case ChebyshevScheme(system=system, breaks=breaks):
            nodes = prod(n * (len(b) + 1) for n, b in zip(sizes, breaks, strict=True))
            return len(system.variables) * nodes <= MAX_UNKNOWNS
        case InterfaceFVScheme(system=system):
            return len(system.variables) * prod(sizes) <= MAX_UNKNOWNS
        case _:
            limit = MAX_EVOLUTION_POINTS if plan.problem.domain.has_time else MAX_STATIONARY_POINTS
            return prod(sizes) <= limit


def _decays(result: GridResult) -> tuple[AxisDecay, ...] | None:
    if isinstance(result.module, PiecesInTime):
        pieces = [axis_decays(p) for p in result.module.pieces if isinstance(p, TensorProductExpansion)]
        known = [decays for decays in pieces if decays is not None]
        return tuple(max(axis, key=lambda d: d.tail) for axis in zip(*known, strict=True))
    return axis_decays(result.module) if isinstance(result.module, TensorProductExpansion) else None


def _level_result(
    plan: GridPlan, sizes: Sequence[int], result: GridResult, decays: Sequence[AxisDecay] | None
) -> SolverResult:
    estimates = {}
    if decays is not None:
        estimates[EstimateKind.DECAY] = max((d.tail for d in decays), default=0.0)
    module = add_lifts(result.module, plan.lifts, plan.problem.domain.coordinates)
    method = replace(plan.method, n=max(sizes))
    metrics, is_irregular = {"n": float(max(sizes)), **result.metrics}, isinstance(plan.scheme, ObstacleScheme)
    return SolverResult(module, method, metrics, result.notes, {}, estimates, is_irregular=is_irregular)


Budget = Callable[[float], StepBudget]
"""The budget of time steps for the tolerance of a scheme."""


def _fixed_budget(budget: StepBudget) -> Budget:
    """A budget that does not depend on the scheme."""
    return lambda _: budget


def _solve_or_fail(
    plan: GridPlan, n: int, parameter_values: Mapping[str, ParameterValue], like: Tensor, budget: Budget
) -> tuple[GridResult, int]:
    """The result, and the number of points per dimension, which a dense solver may reduce."""
    dimension = len(plan.problem.domain.space)
    if isinstance(plan.scheme, ChebyshevScheme | InterfaceFVScheme) and not _is_feasible(plan, (n,) * dimension):
        n = feasible_size(plan.scheme.system, n)
    return _solve_level(plan, (n,) * dimension, parameter_values, like, budget), n


def _solve_level(
    plan: GridPlan, sizes: Sequence[int], parameter_values: Mapping[str, ParameterValue], like: Tensor, budget: Budget
) -> GridResult:
    """The solution with these numbers of points; raises GridSolveFailed with the reason."""
    try:
        return _solve_with_scheme(plan, sizes, parameter_values, like, budget)
    except StepSizeUnderflow as reason:
        raise GridSolveFailed(str(reason)) from reason
    except torch.linalg.LinAlgError as reason:  # type: ignore[attr-defined]  # torch's stubs lack it
        raise GridSolveFailed("the discrete system is singular") from reason


def _solve_with_scheme(
    plan: GridPlan, sizes: Sequence[int], parameter_values: Mapping[str, ParameterValue], like: Tensor, budget: Budget
) -> GridResult:
    batches, scheme = batched_parameters(plan.problem, parameter_values), plan.scheme
    if batches and not isinstance(scheme, FourierScheme):
        rows = [dict(zip(batches, row, strict=True)) for row in zip(*batches.values(), strict=True)]
        return stack_results(
            [_solve_with_scheme(plan, sizes, {**parameter_values, **row}, like, budget) for row in rows]
        )
    match scheme:
        case ShortleyWellerScheme(coefficients=coefficients):
            return solve_shortley_weller(plan.problem, coefficients, max(sizes), like)
        case DelayScheme():
            return solve_with_delays(scheme, sizes, parameter_values, like, budget(scheme.tolerance))
        case FourierScheme():
            return solve_fourier(scheme, sizes, parameter_values, like, budget(scheme.tolerance))
        case FiniteVolumeScheme():
            return solve_finite_volume(scheme, sizes, parameter_values, like)
        case ChebyshevScheme() | InterfaceFVScheme():
            return solve_chebyshev(scheme, sizes, parameter_values, like, budget(scheme.tolerance))
        case ObstacleScheme():
            return solve_obstacle(plan.problem, scheme, sizes, like)
        case OdeScheme():
            return solve_ode(scheme, parameter_values, like, budget(scheme.tolerance))
        case _:
            assert_never(scheme)


def _batch_members(result: GridResult) -> list[nn.Module]:
    match result.module:
        case SplitBatch() | StackedBatch() as batch:
            return [BatchMember(batch, k) for k in range(batch.size)]
        case module:
            return [module]


def relative_difference(
    one: nn.Module, other: nn.Module, statement: StrongForm, seed: int, like: Tensor, power: int = 2
) -> float:
    """‖one - other‖ / ‖one‖ at random points, in L2 or L1."""
    domain = statement.domain
    generator = torch.Generator().manual_seed(seed)
    fractions = torch.rand(COMPARISON_POINTS, len(domain.intervals), generator=generator, dtype=torch.float64).to(like)
    lower = like.new_tensor([float(i.start) for i in domain.intervals])
    upper = like.new_tensor([float(i.end) for i in domain.intervals])
    points = _in_domain(domain, lower + (upper - lower) * fractions)
    first, second = (fix_gauge(module, statement, points) for module in (one, other))
    return float((first - second).norm(p=power) / first.norm(p=power).clamp_min(1e-300))


def _in_domain(domain: Domain, points: Tensor) -> Tensor:
    if not domain.inequalities:
        return points
    levels = compile_pointwise(list(domain.inequalities), domain.coordinates)(*points.unbind(1))
    return points[torch.stack(levels).amin(0) > 0]


# ---- The method


def _levels(plan: GridPlan, options: SolveOptions) -> Levels:
    return levels_by_grid(
        plan,
        tolerance=options.tolerance,
        seed=options.seed,
        device=options.device,
        is_exhausted=lambda: options.budget.is_exhausted,
    )


METHOD = SolverMethod[GridPlan](
    lambda plan, options: solve_by_grid(plan, seed=options.seed, device=options.device), _levels, GRID_FORMATS
)
