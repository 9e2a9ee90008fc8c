"""`grid(n)`: grid solvers (Fourier, Chebyshev, finite volumes, Shortley-Weller), differentiable w.r.t. parameters.

The error is estimated by self-convergence: the difference to the N/2 grid with looser time-step tolerances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

import torch
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.solver_plans import (
    ChebyshevScheme,
    FiniteVolumeScheme,
    FourierScheme,
    GridPlan,
    InterfaceFVScheme,
    ShortleyWellerScheme,
)
from pdedsl.runtime.ode.step_doubling import StepBudget, StepSizeUnderflow
from pdedsl.solvers.ansatz import add_lifts
from pdedsl.solvers.collocation_points import fix_gauge
from pdedsl.solvers.grid.chebyshev import feasible_size, solve_chebyshev
from pdedsl.solvers.grid.finite_volume import solve_finite_volume
from pdedsl.solvers.grid.fourier import solve_fourier
from pdedsl.solvers.grid.grid_result import (
    L1_ERROR,
    NET_FLUX,
    BatchMember,
    GridResult,
    GridSolveFailed,
    SplitBatch,
    StackedBatch,
    batched_parameters,
    stack_results,
)
from pdedsl.solvers.grid.nodal_functions import ParameterValue
from pdedsl.solvers.grid.shortley_weller import solve_shortley_weller
from pdedsl.solvers.method_result import SolverResult

COARSE_TOL_FACTOR = 10.0  # on the tolerances of the scheme for the N/2 grid
NET_FLUX_TOL = 1e-3  # a larger net flux is due to the boundary data, if it does not halve on the finer grid
COMPARISON_POINTS = 2048  # points
SHOCK_FACTOR = 1 / (
    2**0.5 - 1
)  # L2 error O(√h) at discontinuities: it exceeds the difference to the N/2 grid by this factor


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

        error = max(fine.undetected_error, difference(2))
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


def _error_note(error: float, fine: GridResult, shocks: bool) -> str:
    if 0 < error == fine.undetected_error:
        return f"estimated time-stepping error {error:.1g}, larger than the difference to the N/2 grid"
    scaled = ", scaled for order ½ at discontinuities" * shocks
    return f"self-convergence: relative L2 difference {error:.1g} to the N/2 grid{scaled}"


def solve_on_one_grid(plan: GridPlan, budget: StepBudget) -> nn.Module:
    """The solution with n points per dimension, without an error estimate."""
    like = torch.zeros((), dtype=torch.float64)
    module = _solve_or_fail(plan, plan.method.n, {}, like, lambda _: budget)[0].module
    return add_lifts(module, plan.lifts, plan.problem.domain.coordinates)


Budget = Callable[[float], StepBudget]
"""The budget of time steps for the tolerance of a scheme."""


def _solve_or_fail(
    plan: GridPlan, n: int, parameter_values: Mapping[str, ParameterValue], like: Tensor, budget: Budget
) -> tuple[GridResult, int]:
    """The result, and the number of points per dimension, which a dense solver may reduce."""
    try:
        return _solve_with_scheme(plan, n, parameter_values, like, budget)
    except StepSizeUnderflow as reason:
        raise GridSolveFailed(str(reason)) from reason
    except torch.linalg.LinAlgError as reason:  # type: ignore[attr-defined]  # torch's stubs lack it
        raise GridSolveFailed("the discrete system is singular") from reason


def _solve_with_scheme(
    plan: GridPlan, n: int, parameter_values: Mapping[str, ParameterValue], like: Tensor, budget: Budget
) -> tuple[GridResult, int]:
    batches, scheme = batched_parameters(plan.problem, parameter_values), plan.scheme
    if batches and not isinstance(scheme, FourierScheme):
        rows = [dict(zip(batches, row, strict=True)) for row in zip(*batches.values(), strict=True)]
        result = [_solve_with_scheme(plan, n, {**parameter_values, **row}, like, budget) for row in rows]
        return stack_results([g for g, _ in result]), result[0][1]
    match scheme:
        case ShortleyWellerScheme(coefficients=coefficients):
            return solve_shortley_weller(plan.problem, coefficients, n, like), n
        case FourierScheme():
            return solve_fourier(scheme, n, parameter_values, like, budget(scheme.tolerance)), n
        case FiniteVolumeScheme():
            return solve_finite_volume(scheme, n, parameter_values, like), n
        case ChebyshevScheme() | InterfaceFVScheme():
            size = feasible_size(scheme.system, n)
            return solve_chebyshev(scheme, size, parameter_values, like, budget(scheme.tolerance)), size
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
