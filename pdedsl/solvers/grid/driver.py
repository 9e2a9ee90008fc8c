"""`grid(n)`: grid solvers (Fourier, Chebyshev, finite volumes, Shortley-Weller), differentiable w.r.t. parameters.

The error is estimated by self-convergence: the difference to the N/2 grid with looser time-step tolerances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.config.methods import Grid
from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.solver_plans import PeriodicAxis
from pdedsl.planning.solver_selection import Scheme, select_grid_scheme
from pdedsl.problem.first_order_system import first_order_system
from pdedsl.problem.periodicity import periodic_axes, subtract_lifts
from pdedsl.runtime.ode.step_doubling import StepBudget, StepSizeUnderflow
from pdedsl.solvers.ansatz import add_lifts
from pdedsl.solvers.gauge import fix_gauge
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

ETDRK_TOL = 5e-7  # of ETDRK4, whose error estimates are extrapolated away
RADAU_TOL = 1e-9  # of Radau IIA
COARSE_TOL_FACTOR = 10.0  # on these tolerances for the N/2 grid
NET_FLUX_TOL = 1e-3  # a larger net flux is due to the boundary data, if it does not halve on the finer grid
COMPARISON_POINTS = 2048  # points
SHOCK_FACTOR = 1 / (
    2**0.5 - 1
)  # L2 error O(√h) at discontinuities: it exceeds the difference to the N/2 grid by this factor


def solve_by_grid(
    statement: StrongForm,
    method: Grid,
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
    if any(statement.lifts):
        periodic = solve_by_grid(
            subtract_lifts(statement),
            method,
            seed=seed,
            device=device,
            dtype=dtype,
            parameter_values=parameter_values,
            max_steps=max_steps,
        )
        return replace(periodic, module=add_lifts(periodic.module, statement))
    like, setup = torch.zeros((), dtype=dtype, device=device), GridSetup(statement)
    fine, n = _solve_or_fail(setup, method.n, parameter_values or {}, like, max_steps=max_steps)
    with torch.no_grad():
        coarse, _ = _solve_or_fail(
            setup, max(4, n // 2), parameter_values or {}, like, COARSE_TOL_FACTOR, max_steps=max_steps
        )
        pairs = list(zip(_batch_members(fine), _batch_members(coarse), strict=True))
        error = max(
            fine.undetected_error, *(relative_difference(one, other, statement, seed, like) for one, other in pairs)
        )
        if setup.scheme is Scheme.VOLUMES:
            fine.metrics[L1_ERROR] = max(
                relative_difference(one, other, statement, seed, like, 1) for one, other in pairs
            )
            error *= SHOCK_FACTOR
    if fine.metrics.get(NET_FLUX, 0.0) > max(NET_FLUX_TOL, coarse.metrics.get(NET_FLUX, 0.0) / 2):
        raise GridSolveFailed("incompatible boundary data: the net flux through the boundary is not zero")
    metrics = {"n": float(n), **fine.metrics, "error": error}
    notes = (*fine.notes, _error_note(error, fine, setup.scheme))
    if n < method.n:
        notes = (*notes, f"{n} points per dimension instead of {method.n}: the limit of the dense direct solver")
    return SolverResult(fine.module, method, metrics, notes)


def _error_note(error: float, fine: GridResult, scheme: Scheme) -> str:
    if 0 < error == fine.undetected_error:
        return f"estimated time-stepping error {error:.1g}, larger than the difference to the N/2 grid"
    scaled = ", scaled for order ½ at discontinuities" if scheme is Scheme.VOLUMES else ""
    return f"self-convergence: relative L2 difference {error:.1g} to the N/2 grid{scaled}"


def solve_on_one_grid(statement: StrongForm, n: int, budget: StepBudget) -> nn.Module:
    """The solution with n points per dimension, without an error estimate."""
    setup = GridSetup(subtract_lifts(statement) if any(statement.lifts) else statement)
    module = _solve_or_fail(setup, n, {}, torch.zeros((), dtype=torch.float64), budget=budget)[0].module
    return add_lifts(module, statement) if any(statement.lifts) else module


@dataclass(frozen=True)
class GridSetup:
    """Scheme, first-order system and periodic axes of a problem, independent of the grid size."""

    statement: StrongForm

    @cached_property
    def scheme(self) -> Scheme:
        return select_grid_scheme(self.statement)

    @cached_property
    def system(self) -> FirstOrderSystem:
        return first_order_system(self.statement)

    @cached_property
    def axes(self) -> tuple[PeriodicAxis, ...]:
        result = periodic_axes(self.system)
        assert result is not None
        return result


def _solve_or_fail(
    setup: GridSetup,
    n: int,
    parameter_values: Mapping[str, ParameterValue],
    like: Tensor,
    tolerance_factor: float = 1.0,
    budget: StepBudget | None = None,
    max_steps: int | None = None,
) -> tuple[GridResult, int]:
    """Solves with scaled tolerances and at most `max_steps` time steps, or with the given budget."""
    try:
        return _solve_with_scheme(
            setup,
            n,
            parameter_values,
            like,
            lambda tolerance: budget or StepBudget(tolerance_factor * tolerance, max_steps),
        )
    except StepSizeUnderflow as reason:
        raise GridSolveFailed(str(reason)) from reason
    except torch.linalg.LinAlgError as reason:  # type: ignore[attr-defined]  # torch's stubs lack it
        raise GridSolveFailed("the discrete system is singular") from reason


def _solve_with_scheme(
    setup: GridSetup,
    n: int,
    parameter_values: Mapping[str, ParameterValue],
    like: Tensor,
    budget: Callable[[float], StepBudget],
) -> tuple[GridResult, int]:
    batches = batched_parameters(setup.statement, parameter_values)
    if batches and setup.scheme is not Scheme.FOURIER:
        rows = [dict(zip(batches, row, strict=True)) for row in zip(*batches.values(), strict=True)]
        result = [_solve_with_scheme(setup, n, {**parameter_values, **row}, like, budget) for row in rows]
        return stack_results([g for g, _ in result]), result[0][1]
    match setup.scheme:
        case Scheme.SHAPE:
            return solve_shortley_weller(setup.statement, n, like), n
        case Scheme.FOURIER:
            return solve_fourier(setup.system, setup.axes, n, parameter_values, like, budget(ETDRK_TOL)), n
        case Scheme.VOLUMES:
            return solve_finite_volume(setup.system, n, parameter_values, like), n
        case Scheme.COLLOCATION | Scheme.LAYERS:
            size = feasible_size(setup.system, n)
            interface = setup.scheme is Scheme.LAYERS
            return solve_chebyshev(
                setup.system, size, parameter_values, like, budget(RADAU_TOL), interface=interface
            ), size


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
