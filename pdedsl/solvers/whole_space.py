"""Equations on R^d with known coefficients, by their evolution operator: the Feynman-Kac formula, or characteristics.

The value at a point is a mean over paths, with a 95 % confidence interval and the error of the steps by step doubling.
The number of paths is multiplied until both together are below the tolerance, at points of the box in which data of
unit scale are visible, at the time farthest from the data.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.compiler import Compilation
from pdedsl.ir.boundary import InitialCondition
from pdedsl.ir.plan import DataPlan, OperatorPlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.terms import MatrixStructure
from pdedsl.lowering.truncated_domain import DEFAULT_EXTENT, problem_on_space
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator
from pdedsl.solvers.budget import CpuBudget
from pdedsl.solvers.error_estimate import (
    MONTE_CARLO_POINTS,
    TEST_SEED,
    ErrorBar,
    ErrorEstimate,
)
from pdedsl.solvers.method_result import EstimateKind, EvolutionPaths, SolverResult
from pdedsl.solvers.solution import Solution
from pdedsl.solvers.strategy import Attempt

PATHS, PATHS_ERROR = "paths per point", "half-width of the confidence intervals"  # in metrics
BASIS = "half-width of the 95 % confidence intervals, and error of the steps"
STEPS_TOL, PATHS_TOL = 1e-4, 1e-2  # default tolerances: of characteristics, and of Monte Carlo means
BUDGET_SECONDS = 60.0  # CPU seconds, by default
FIRST_SAMPLES, MAX_SAMPLES, SAMPLE_GROWTH = 1024, 1 << 22, 4  # a factor of 4 halves the confidence interval
CHUNK_SIZE = 4096  # points at a time
Z_95 = 1.96  # standard errors, for 95 %


def is_solvable_on_space(compilation: Compilation) -> bool:
    """Whether the equation is on R^d, with known d, coefficients and data, and has an evolution operator."""
    plan, spec = compilation.plan, compilation.spec
    is_known = isinstance(plan, DataPlan) and plan.classes is None and not spec.learned and spec.space.image is None
    return is_known and isinstance(spec.space.dimension, int) and isinstance(compilation.operator_plan, OperatorPlan)


class EvolutionSolution(nn.Module):
    """u at points (n, d + 1) with time, by the evolution operator: (n, 1)."""

    def __init__(self, operator: EvolutionOperator, problem: StrongForm) -> None:
        super().__init__()
        self.operator = operator
        self.data = initial_data(problem)[0]

    def forward(self, points: Tensor) -> Tensor:
        return self.interval(points)[0]

    @torch.no_grad()
    def interval(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """u (n, 1), and the half-width of its 95 % confidence interval, which includes the error of the steps."""
        values, half_width = (points.new_zeros(len(points), 1) for _ in range(2))
        for t in sorted(set(points[:, -1].tolist())):
            (rows,) = torch.where(points[:, -1] == t)
            for part in torch.split(rows, CHUNK_SIZE):
                estimate = self.operator.refined_estimate(self.data, points[part, :-1], t)
                values[part, 0] = estimate.mean
                half_width[part, 0] = Z_95 * estimate.standard_error + estimate.bias
        return values, half_width


def solve_on_space(compilation: Compilation, seed: int = 0) -> Solution:
    """The solution with as many paths as the tolerance requires, within the budget."""
    plan, spec = compilation.operator_plan, compilation.spec
    assert isinstance(plan, OperatorPlan)
    start, problem = time.perf_counter(), problem_on_space(compilation.analysis)
    is_random = any(s.structure is not MatrixStructure.NONE for s in plan.segments)
    limits = spec.solve
    tolerance = float(limits.tolerance) if limits and limits.tolerance else PATHS_TOL if is_random else STEPS_TOL
    budget = CpuBudget(float(limits.budget) if limits else BUDGET_SECONDS)
    points = sample_points_in_space(problem, seed)
    samples, attempts = (FIRST_SAMPLES if is_random else 1), []
    while True:
        began = budget.spent
        result = evolution_result(compilation, samples, seed)
        error = relative_half_width(result, points)
        seconds = budget.spent - began
        done = error <= tolerance
        outcome = "accepted" if done else "above the tolerance"
        attempts.append(Attempt(str(result.method), {EstimateKind.CONFIDENCE: error}, seconds, outcome, error))
        if done or not is_random or samples * SAMPLE_GROWTH > MAX_SAMPLES or SAMPLE_GROWTH * seconds > budget.remaining:
            break
        samples *= SAMPLE_GROWTH
    unmet = "" if done else _unmet(error, tolerance, is_random, seconds)
    result = replace(result, metrics={**result.metrics, PATHS_ERROR: error})
    estimate = ErrorEstimate((), (), (), ErrorBar(error, BASIS), tolerance, unmet)
    return Solution(compilation, result, estimate, time.perf_counter() - start, None, tuple(attempts))


def _unmet(error: float, tolerance: float, is_random: bool, seconds: float) -> str:
    if not is_random:
        return f"the error of the steps is {error:.1e}: state smaller ones, as in 'realize time by rk4(steps=1000)'"
    factor = (error / tolerance) ** 2
    needed = f"{tolerance:.1e} needs about {factor * seconds:.0f} s of CPU time"
    return f"the error {error:.1e} falls with the square root of the number of paths: {needed}, as 'budget'"


def evolution_result(compilation: Compilation, samples: int, seed: int) -> SolverResult:
    problem = problem_on_space(compilation.analysis)
    plan, operator = compilation.operator_plan, compilation.operator(samples=samples, seed=seed).double()
    assert isinstance(operator, EvolutionOperator)
    assert isinstance(plan, OperatorPlan)
    steps = sum(2 * s.steps for s in operator.segments(_farthest_time(problem)))
    method = EvolutionPaths(samples, plan.scheme.name, steps)
    return SolverResult(EvolutionSolution(operator, problem), method, {PATHS: float(samples)}, (str(method),))


def _farthest_time(problem: StrongForm) -> float:
    return initial_data(problem)[2]


def sample_points_in_space(problem: StrongForm, seed: int) -> Tensor:
    """Points (n, d + 1) of the box [-2, 2]^d at the time farthest from the data."""
    generator = torch.Generator().manual_seed(seed + TEST_SEED)
    d = len(problem.domain.space)
    fractions = torch.rand(MONTE_CARLO_POINTS, d, generator=generator, dtype=torch.float64)
    x = DEFAULT_EXTENT * (fractions - 0.5)
    return torch.cat([x, torch.full_like(x[:, :1], _farthest_time(problem))], 1)


def relative_half_width(result: SolverResult, points: Tensor) -> float:
    assert isinstance(result.module, EvolutionSolution)
    values, half_width = result.module.interval(points)
    size = float(values.norm())
    return float(half_width.norm()) / size if size > 0 else float(half_width.norm())


def initial_data(statement: StrongForm) -> tuple[Callable[[Tensor], Tensor], float, float]:
    """The initial (or terminal) data, their time, and the other end of the time interval."""
    (data,) = (c.kind.value for c in statement.scalar_conditions if isinstance(c.kind, InitialCondition))
    time = statement.domain.intervals[-1]
    ends = (float(time.end), float(time.start)) if statement.is_backward else (float(time.start), float(time.end))
    value = compile_pointwise((data,), statement.domain.coordinates)

    def at(x: Tensor) -> Tensor:
        (values,) = value(*x.unbind(-1), torch.full_like(x[..., 0], ends[0]))
        return values.expand(x.shape[:-1])

    return at, *ends
