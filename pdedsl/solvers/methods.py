"""Dispatch to the solvers: random features, PINN, grid, Monte Carlo."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

import torch
from torch import Tensor

from pdedsl.io import RunError, RunInterrupted
from pdedsl.ir.solver_plans import GridPlan, MonteCarloPlan, PinnPlan, RandomFeaturesPlan, SolverPlan
from pdedsl.runtime.basis.interpolation import CellAxis, MovingLeastSquares, TensorProductExpansion
from pdedsl.solvers.grid.driver import solve_by_grid
from pdedsl.solvers.method_result import SolverResult
from pdedsl.solvers.monte_carlo import MonteCarloSolution, solve_by_monte_carlo
from pdedsl.solvers.pinn.residuals import Measurement
from pdedsl.solvers.pinn.task import solve_by_pinn
from pdedsl.solvers.pinn.trainer import training_phases
from pdedsl.solvers.progress import Watch
from pdedsl.solvers.random_features import solve_by_random_features


@dataclass(frozen=True)
class SolveOptions:
    """Options of a solver besides the plan: seed, device, progress and measurements."""

    seed: int = 0
    device: torch.device = torch.device("cpu")  # noqa: RUF009  # a constant
    watch: Watch = field(default_factory=Watch)
    measurements: tuple[Measurement, ...] = ()


def solve_with(plan: SolverPlan, options: SolveOptions) -> SolverResult:
    """Runs a solver; raises RunError if it runs out of memory."""
    try:
        return _dispatch(plan, options)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, MemoryError) or "allocate" in str(error):
            raise RunError(f"not enough memory for {plan.method}: reduce its size") from None
        raise


def _dispatch(plan: SolverPlan, options: SolveOptions) -> SolverResult:
    match plan:
        case RandomFeaturesPlan():
            return solve_by_random_features(
                plan, seed=options.seed, device=options.device, measurements=options.measurements
            )
        case MonteCarloPlan():
            return solve_by_monte_carlo(plan, seed=options.seed)
        case GridPlan():
            return solve_by_grid(plan, seed=options.seed, device=options.device)
        case PinnPlan():
            return _train_pinn(plan, options)
        case _:
            assert_never(plan)


def _train_pinn(plan: PinnPlan, options: SolveOptions) -> SolverResult:
    phases = training_phases(plan.optimizers, plan.steps or plan.method.steps)
    result = solve_by_pinn(
        plan,
        phases=phases,
        seed=options.seed,
        device=options.device,
        listener=options.watch.of(sum(p.steps for p in phases)),
        state=options.watch.state,
        measurements=options.measurements,
    )
    if options.watch.stopped:
        raise RunInterrupted
    return result


def has_derivatives(result: SolverResult) -> bool:
    """Whether residuals can be evaluated: not for Monte Carlo, nor for piecewise interpolation between nodes."""
    match result.module:
        case MonteCarloSolution() | MovingLeastSquares():
            return False
        case TensorProductExpansion(axes=axes):
            return not any(isinstance(axis, CellAxis) for axis in axes)
        case _:
            return True


def confidence_half_width(result: SolverResult, points: Tensor) -> Tensor:
    """Half-width of the 95 % confidence intervals of a Monte Carlo solution at points."""
    assert isinstance(result.module, MonteCarloSolution)
    return result.module.interval(points)[1]
