"""Dispatch to the solvers: random features, PINN, grid, elements, Monte Carlo; one size, or levels of refinement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

import torch
from torch import Tensor

from pdedsl.io import RunError, RunInterrupted
from pdedsl.ir.plan import Candidate
from pdedsl.ir.solver_plans import ElementsPlan, GridPlan, MonteCarloPlan, PinnPlan, RandomFeaturesPlan, SolverPlan
from pdedsl.runtime.basis.interpolation import CellAxis, MovingLeastSquares, TensorProductExpansion
from pdedsl.runtime.basis.piecewise_polynomials import PiecewisePolynomials
from pdedsl.solvers.budget import CpuBudget
from pdedsl.solvers.elements.driver import levels_by_elements, solve_by_elements
from pdedsl.solvers.grid.driver import levels_by_grid, solve_by_grid
from pdedsl.solvers.method_result import EstimateKind, Levels, SolverResult
from pdedsl.solvers.monte_carlo import MonteCarloSolution, solve_by_monte_carlo
from pdedsl.solvers.pinn.residuals import Measurement
from pdedsl.solvers.pinn.task import solve_by_pinn
from pdedsl.solvers.pinn.trainer import Progress, training_phases
from pdedsl.solvers.progress import Watch
from pdedsl.solvers.random_features import solve_by_random_features


@dataclass(frozen=True)
class SolveOptions:
    """Options of a solver besides the plan: seed, device, progress, measurements, tolerance and CPU time."""

    seed: int = 0
    device: torch.device = torch.device("cpu")  # noqa: RUF009  # a constant
    watch: Watch = field(default_factory=Watch)
    measurements: tuple[Measurement, ...] = ()
    tolerance: float = 1e-4  # requested relative L2 error
    budget: CpuBudget = field(default_factory=CpuBudget)


# ---- Levels of refinement


COARSENING = 4  # ratio of the default number of random features to that of the first level
MAX_FEATURES, MAX_SAMPLES = 4000, 10_000_000  # of the finest level, for one unknown; the limits of memory and time
SAMPLE_GROWTH = 4  # ratio of the numbers of samples of two levels: it halves the confidence intervals
WIDTH_GROWTH, MAX_WIDTH = 1.5, 64  # of a network
NETWORK_WIDTH = "width"  # in metrics


def levels_of(candidate: Candidate, options: SolveOptions) -> Levels:
    """Results on successively finer levels; a single one if the spec states the size."""
    plan = candidate.solver
    if not candidate.refinable:
        yield _with_self_convergence(solve_with(plan, options))
        return
    match plan:
        case GridPlan():
            yield from levels_by_grid(
                plan,
                tolerance=options.tolerance,
                seed=options.seed,
                device=options.device,
                is_exhausted=lambda: options.budget.is_exhausted,
            )
        case ElementsPlan():
            yield from levels_by_elements(plan, tolerance=options.tolerance, device=options.device)
        case RandomFeaturesPlan():
            yield from _levels_by_features(plan, options)
        case MonteCarloPlan(method=method):
            samples = method.samples
            while samples <= MAX_SAMPLES:
                yield solve_with(replace(plan, method=replace(method, samples=samples)), options)
                samples *= SAMPLE_GROWTH
        case PinnPlan(network=network):
            width: float = network.width
            while width <= MAX_WIDTH:
                result = solve_with(replace(plan, network=replace(network, width=round(width))), options)
                yield replace(result, metrics={**result.metrics, NETWORK_WIDTH: float(round(width))})
                width *= WIDTH_GROWTH
                watch = replace(options.watch, folder=None, state=None)  # checkpoints are those of the first level
                options = replace(options, watch=watch)
        case _:
            assert_never(plan)


def _levels_by_features(plan: RandomFeaturesPlan, options: SolveOptions) -> Levels:
    """The number of features doubles, with independent frequencies on each level."""
    n, level = plan.max_features // COARSENING, 0
    while n * len(plan.problem.components) <= MAX_FEATURES:
        sized = replace(plan, n_features=n, max_features=n)
        result = solve_with(sized, replace(options, seed=options.seed + level))
        yield replace(result, method=replace(plan.method, n=n))
        n, level = 2 * n, level + 1


def _with_self_convergence(result: SolverResult) -> SolverResult:
    """With the estimate of a grid of stated size from the N/2 grid."""
    error = result.metrics.get("error")
    if error is None:
        return result
    return replace(result, error_estimates={**result.error_estimates, EstimateKind.REFINEMENT: error})


# ---- One size


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
        case ElementsPlan():
            return solve_by_elements(plan, device=options.device)
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
        listener=_within_budget(options.watch.of(sum(p.steps for p in phases)), options, plan),
        state=options.watch.state,
        measurements=options.measurements,
    )
    if options.watch.stopped:
        raise RunInterrupted
    return result


def _within_budget(
    listener: Callable[[Progress], bool], options: SolveOptions, plan: PinnPlan
) -> Callable[[Progress], bool]:
    """Ends a training at the end of the budget, unless the spec states the number of steps."""
    if plan.steps is not None or plan.method.steps is not None:
        return listener
    return lambda progress: listener(progress) and not options.budget.is_exhausted


def has_derivatives(result: SolverResult) -> bool:
    """Whether residuals can be evaluated: not for Monte Carlo, nor for piecewise polynomials."""
    match result.module:
        case MonteCarloSolution() | MovingLeastSquares() | PiecewisePolynomials():
            return False
        case TensorProductExpansion(axes=axes):
            return not any(isinstance(axis, CellAxis) for axis in axes)
        case _:
            return True


def confidence_half_width(result: SolverResult, points: Tensor) -> Tensor:
    """Half-width of the 95 % confidence intervals of a Monte Carlo solution at points."""
    assert isinstance(result.module, MonteCarloSolution)
    return result.module.interval(points)[1]
