"""Cross-check: solves a problem by every applicable method and compares the solutions pairwise.

For each pair: the relative L2 difference at common test points, with a tolerance that follows from the error
estimates of both (grid: self-convergence; Monte Carlo: confidence interval). On R^d the evolution operator is compared
with a grid on a truncated domain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from math import hypot, isfinite

import torch
from torch import Tensor

from pdedsl import errors
from pdedsl.compiler import Compilation
from pdedsl.config.methods import Elements, Grid, MonteCarlo, Pinn, PlannedSolver
from pdedsl.diagnostics import PdeError, Source
from pdedsl.io import RunError
from pdedsl.ir.plan import DataPlan, OperatorPlan, SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import GridPlan, SolverPlan
from pdedsl.lowering.truncated_domain import DEFAULT_EXTENT, truncate_domain
from pdedsl.solvers.collocation_points import PointSampler, fix_gauge
from pdedsl.solvers.dispatch import confidence_half_width, has_derivatives, solve_with
from pdedsl.solvers.error_estimate import (
    ERROR_RTOL,
    INEXPENSIVE_GRID,
    INTERVAL_FACTOR,
    MONTE_CARLO_POINTS,
    ONE_DIGIT_RTOL,
    REFERENCE_FACTOR,
    TEST_SEED,
    ErrorEstimate,
    exact_reference,
    relative_error,
    residual_audit,
)
from pdedsl.solvers.grid.driver import solve_by_grid
from pdedsl.solvers.method_result import EstimateKind, SolverResult
from pdedsl.solvers.run import seed_of, solve_options
from pdedsl.solvers.solver_method import SolveOptions
from pdedsl.solvers.whole_space import Z_95, initial_data

# ---- Problems on physical domains


COMPARISON_POINTS = 1024  # the relative L2 difference has a sampling error of about 3 %
Notify = Callable[[str], None]
PINN_POINTS, PINN_STEPS = 500, 30  # of a PINN that the spec does not request


@dataclass(frozen=True)
class MethodResult:
    """A solution at the test points, and its error estimate."""

    name: str
    values: Tensor
    error: float
    kind: str  # basis of the error estimate
    is_interval: bool = False  # whether the error is the half-width of a 95 % confidence interval
    residual: float | None = None  # the largest, relative to its terms, or to the data if these are much smaller

    def fails(self, limit: float = ONE_DIGIT_RTOL) -> bool:
        """Whether it has no significant digit, or residuals above a limit."""
        known = self.error <= ONE_DIGIT_RTOL and (self.residual or 0.0) <= limit
        return not (known and bool(self.values.isfinite().all()))


@dataclass(frozen=True)
class PairComparison:
    first: str
    second: str
    distance: float
    tolerance: float

    @property
    def agrees(self) -> bool:
        return isfinite(self.distance) and self.distance <= self.tolerance


@dataclass(frozen=True)
class Crosscheck:
    """All results and pairs, and the methods that do not apply, with the reasons."""

    results: tuple[MethodResult, ...]
    pairs: tuple[PairComparison, ...]
    not_applicable: tuple[tuple[str, str], ...]

    @property
    def agrees(self) -> bool:
        """Whether all pairs agree and no method fails; without pairs the tolerance of residuals is tighter."""
        return all(p.agrees for p in self.pairs) and not any(r.fails(self.limit) for r in self.results)

    @property
    def limit(self) -> float:
        return ONE_DIGIT_RTOL if self.pairs else ERROR_RTOL


def crosscheck(compilation: Compilation, options: SolveOptions, notify: Notify = lambda _: None) -> Crosscheck:
    """Every applicable method for a boundary value problem."""
    plan = compilation.plan
    assert isinstance(plan, SolvePlan)
    statement = plan.problem
    points = PointSampler(statement.domain, options.device).inside(COMPARISON_POINTS, options.seed + TEST_SEED + 2)
    results = []
    exact = exact_reference(statement)
    if exact is not None:
        results.append(MethodResult(exact.text, fix_gauge(exact.values, statement, points).detach(), 0.0, "none"))
    others = (_inexpensive(a.method, plan) for a in plan.alternatives if not a.obstacle)
    for solver in (plan.solver, *map(compilation.plan_solver, others)):
        notify(solver.text)
        results.append(_run_method(solver, plan, compilation.spec.source, options, points))
    pairs = tuple(compare_pair(a, b) for a, b in combinations(results, 2))
    return Crosscheck(
        tuple(results), pairs, tuple((a.method.name, a.obstacle) for a in plan.alternatives if a.obstacle)
    )


def _inexpensive(method: PlannedSolver, plan: SolvePlan) -> PlannedSolver:
    """Inexpensive settings for a method that the spec does not request: a coarse grid, a short training."""
    match method:
        case Grid():
            return plan.reference or replace(method, n=INEXPENSIVE_GRID[len(plan.problem.domain.space)])
        case Pinn():
            return replace(method, points=PINN_POINTS, steps=PINN_STEPS)
        case _:
            return method


def _run_method(
    solver: SolverPlan, plan: SolvePlan, source: Source, options: SolveOptions, points: Tensor
) -> MethodResult:
    method, result = solver.method, solve_with(solver, options)
    if isinstance(method, MonteCarlo):
        subset = points[:MONTE_CARLO_POINTS]
        values, half_width = result(subset).detach(), confidence_half_width(result, subset)
        error = float(half_width.norm() / values.norm())
        return MethodResult(str(method), values, error, "half-width of the 95 % confidence interval", is_interval=True)
    with torch.no_grad():
        values = fix_gauge(result, plan.problem, points)
    if isinstance(method, Grid):
        error = result.metrics["error"]
        residual = _largest_residual(result, plan, source, options)
        return MethodResult(str(method), values, error, "self-convergence to the N/2 grid", residual=residual)
    if isinstance(method, Elements):
        error = result.error_estimates.get(EstimateKind.RESIDUAL, 0.0)
        return MethodResult(str(method), values, error, "residual error estimate")
    return MethodResult(
        str(method),
        values,
        0.0,
        "no a-posteriori error estimate",
        residual=_largest_residual(result, plan, source, options),
    )


def _largest_residual(result: SolverResult, plan: SolvePlan, source: Source, options: SolveOptions) -> float | None:
    if not has_derivatives(result):
        return None
    estimate = ErrorEstimate(residual_audit(result, plan.problem, options).residual_norms(source))
    return max(norm.relative_rms for norm in estimate.residual_norms) * estimate.amplification


def compare_pair(a: MethodResult, b: MethodResult) -> PairComparison:
    n = min(len(a.values), len(b.values))
    error = hypot(a.error, b.error)
    tolerance = (
        INTERVAL_FACTOR * error if a.is_interval or b.is_interval else min(REFERENCE_FACTOR * error, ONE_DIGIT_RTOL)
    )
    return PairComparison(a.name, b.name, relative_error(a.values[:n], b.values[:n]), max(ERROR_RTOL, tolerance))


# ---- Truncated domains


BOUNDARY_SAMPLES = 200  # points


def solve_truncated(plan: GridPlan, *, seed: int = 0, device: torch.device | str = "cpu") -> SolverResult:
    """`reference grid(n, extent)` of an equation on R^d, for localized solutions."""
    size = float(plan.problem.domain.intervals[0].end)
    result = solve_by_grid(plan, seed=seed, device=device)
    boundary_max = _max_on_artificial_boundary(result, plan.problem, size, seed)
    box = f"domain truncated to [-{size:g}, {size:g}] per dimension"
    note = f"{box}; max |u| on the artificial boundary: {boundary_max:.1g}"
    return replace(result, metrics={**result.metrics, "boundary max": boundary_max}, notes=(*result.notes, note))


def _max_on_artificial_boundary(result: SolverResult, statement: StrongForm, extent: float, seed: int) -> float:
    generator = torch.Generator().manual_seed(seed)
    dimension, time = len(statement.domain.space), statement.domain.intervals[-1]
    start, end = float(time.start), float(time.end)
    points = torch.rand(BOUNDARY_SAMPLES, dimension + 1, generator=generator, dtype=torch.float64)
    points[:, :-1] = extent * (2 * points[:, :-1] - 1)
    points[:, -1] = start + (end - start) * points[:, -1]
    axis = torch.randint(dimension, (BOUNDARY_SAMPLES, 1), generator=generator)
    points.scatter_(1, axis, extent)
    with torch.no_grad():
        return float(result(points).abs().max())


# ---- Evolution operators on R^d
#
# Compared in the central half of the box, where its truncation does not matter, at the time farthest from the data.


def crosscheck_compilation(compilation: Compilation, device: str | None, notify: Notify) -> Crosscheck:
    """Every method that applies: to the problem on a physical domain; on R^d, the operator and a grid."""
    if isinstance(compilation.plan, SolvePlan):
        if compilation.plan.problem.eigenvalue is not None:
            raise RunError("eigenproblems have no crosscheck: pdedsl solve compares two discretizations of each method")
        return crosscheck(compilation, solve_options(compilation, device), notify)
    grid = _reference_grid(compilation)
    if grid is None:
        raise errors.runs.trained_not_solved(compilation.spec.space.span).within(compilation.spec.source)
    return _crosscheck_operator(compilation, grid, notify)


def _reference_grid(compilation: Compilation) -> Grid | None:
    """The reference grid of the spec, or an inexpensive one; None if the equation has no evolution operator."""
    spec, plan = compilation.spec, compilation.plan
    known = isinstance(plan, DataPlan) and plan.classes is None and not spec.learned
    if not known or isinstance(compilation.operator_plan, PdeError):
        return None
    if spec.evaluate is not None and spec.evaluate.reference is not None:
        return spec.evaluate.reference.config
    assert isinstance(plan, DataPlan)
    return (
        Grid(n=INEXPENSIVE_GRID[plan.dimension], extent=DEFAULT_EXTENT) if plan.dimension in INEXPENSIVE_GRID else None
    )


def _crosscheck_operator(compilation: Compilation, grid: Grid, notify: Notify) -> Crosscheck:
    grid = replace(grid, extent=grid.extent or DEFAULT_EXTENT)
    extent, seed = float(grid.extent or DEFAULT_EXTENT), seed_of(compilation.spec)
    fractions = torch.rand(
        MONTE_CARLO_POINTS,
        int(compilation.spec.space.dimension),
        generator=torch.Generator().manual_seed(seed + TEST_SEED),
        dtype=torch.float64,
    )
    points, reference = extent * (fractions - 0.5), compilation.plan_reference(grid)
    problem = truncate_domain(compilation.analysis, extent)
    notify("evolution operator")
    operator = _estimate_by_operator(compilation, problem, points, seed)
    if isinstance(reference, PdeError):
        return Crosscheck((operator,), (), ((grid.name, reference.diagnostics[0].message),))
    notify(str(grid))
    on_grid = _solve_on_box(reference, str(grid), points, seed)
    return Crosscheck((operator, on_grid), (compare_pair(operator, on_grid),), ())


def _estimate_by_operator(compilation: Compilation, statement: StrongForm, points: Tensor, seed: int) -> MethodResult:
    plan = compilation.operator_plan
    assert isinstance(plan, OperatorPlan)
    data, _, end = initial_data(statement)
    with torch.no_grad():
        estimate = compilation.operator(seed=seed).double().estimate(data, points, end)  # type: ignore[operator]
    half_width = Z_95 * estimate.standard_error
    name = f"evolution operator, {plan.samples:,} samples"
    error = float(half_width.norm() / estimate.mean.norm())
    return MethodResult(
        name, estimate.mean[:, None], error, "half-width of the 95 % confidence interval", is_interval=True
    )


def _solve_on_box(plan: GridPlan, name: str, points: Tensor, seed: int) -> MethodResult:
    result = solve_truncated(plan, seed=seed)
    *_, end = initial_data(plan.problem)
    with torch.no_grad():
        values = result(torch.cat([points, torch.full_like(points[:, :1], end)], 1))
    error = max(result.metrics["error"], result.metrics["boundary max"] / float(values.abs().max()))
    return MethodResult(name, values, error, "self-convergence to the N/2 grid, or truncation of the domain")
