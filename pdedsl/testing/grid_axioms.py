"""Tests of axioms on grid solutions: linearity, comparison, maximum principle, conservation.

The data of the spec are multiplied by smooth random factors, so that properties that hold only for these data (such as
a mean that is zero by symmetry) do not count. An axiom is violated only if the violation exceeds the discretization
error, estimated on a finer grid, by a safety factor; if the grid is too coarse, shorter times are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from sympy import Expr, Float, Mul, Rational, pi, sin
from torch import Tensor, nn

from pdedsl.config.methods import Grid
from pdedsl.ir.boundary import ConditionResidual
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Residual
from pdedsl.ir.verdicts import Axiom
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.runtime.ode.step_doubling import StepBudget
from pdedsl.solvers.collocation_points import PointSampler, sample_conditions
from pdedsl.solvers.grid.driver import solve_on_one_grid
from pdedsl.solvers.grid.grid_result import GridSolveFailed
from pdedsl.testing.moment_tests import CheckOutcome

GRID_POINTS = {1: 32, 2: 12}  # points per dimension, by the dimension of space
FINE_GRID_POINTS = {1: 64, 2: 18}  # of the grid that estimates the error
CASES = 2  # random initial data per property
POINTS = 1024  # evaluation points of a solution
TOLERANCE = 1e-4  # relative to the maximum of |u|: the discretization error allowed
STEP_BUDGET = StepBudget(5e-6, max_steps=120)  # errors in time far below TOLERANCE
TIME_FRACTIONS = (Rational(1), Rational(1, 8), Rational(1, 64))  # of the time interval, tried in this order
ERROR_SAFETY_FACTOR = 4.0  # a violation must exceed this multiple of the grid error
QUADRATURE_NODES = 48  # Gauss points per dimension
QUADRATURE_TIMES = 5  # at which a conserved integral is compared


AxiomTest = Callable[["GridProblem", int], Tensor | None]
"""The violation of an axiom at points or times, relative to the maximum of |u|; None if no data can be varied."""


@dataclass(frozen=True)
class GridTestResult:
    """The result of testing an axiom on a grid."""

    outcome: CheckOutcome
    text: str


def check_on_grid(axiom: Axiom, plan: SolvePlan, seed: int) -> GridTestResult:
    """Tests an axiom for grid solutions, with variations of the data of the spec."""
    test = TESTS.get(axiom)
    if test is None:
        return GridTestResult(CheckOutcome.UNTESTED, "no test of this axiom on a grid")
    problem = GridProblem.of(plan)
    if isinstance(problem, str):
        return GridTestResult(CheckOutcome.UNTESTED, problem)
    why = ""
    for fraction in TIME_FRACTIONS if problem.problem.domain.has_time else TIME_FRACTIONS[:1]:
        try:
            return _run_test(test, problem.shorten(fraction), seed)
        except GridSolveFailed as reason:
            why = str(reason)
    return GridTestResult(CheckOutcome.UNTESTED, f"{problem.grid} is too coarse: {why}")


def _run_test(test: AxiomTest, problem: GridProblem, seed: int) -> GridTestResult:
    worst = 0.0
    for case in range(CASES):
        violations = test(problem, seed * CASES + case)
        if violations is None:
            return GridTestResult(CheckOutcome.UNTESTED, "there are no data to vary")
        largest = float(violations.max())
        if not largest <= TOLERANCE:  # also if NaN
            finer = test(problem.finer(), seed * CASES + case)
            error = float((violations - finer).abs().max()) if finer is not None else 0.0
            if largest <= TOLERANCE + ERROR_SAFETY_FACTOR * error:
                raise GridSolveFailed(f"a finer grid differs by {error:.1e}")
            data = f"for data set {case + 1} of seed {seed}{problem.until}"
            return GridTestResult(CheckOutcome.VIOLATED, f"relative violation {largest:.1e}, {data}")
        worst = max(worst, largest)
    where = f"on {problem.grid}{problem.until}"
    return GridTestResult(
        CheckOutcome.PASSED, f"{where}: relative violation at most {worst:.1e}, tolerance {TOLERANCE:g}"
    )


@lru_cache(maxsize=32)  # axioms share some problems
def _solution(problem: StrongForm, n: int) -> nn.Module | GridSolveFailed:
    try:
        return solve_on_one_grid(plan_grid(problem, Grid(n=n)), STEP_BUDGET)
    except GridSolveFailed as reason:
        return reason


@dataclass(frozen=True)
class GridProblem:
    """A problem on a grid, on a fraction of its time interval."""

    problem: StrongForm
    grid: Grid
    until: str = ""  # the end of the shortened time interval, in words

    @classmethod
    def of(cls, plan: SolvePlan) -> GridProblem | str:
        obstacle = next((a.obstacle for a in plan.alternatives if isinstance(a.method, Grid)), "")
        size = GRID_POINTS.get(len(plan.problem.domain.space))
        if obstacle:
            return f"grid is not applicable: {obstacle}"
        if size is None or plan.problem.parameters:
            return "tested on grids in at most two dimensions, without learned coefficients"
        return cls(plan.problem, Grid(n=size))

    def shorten(self, fraction: Rational) -> GridProblem:
        """The problem on the fraction of the time interval next to the initial or terminal condition."""
        if fraction == 1:
            return self
        domain = self.problem.domain
        *space, time = domain.intervals
        if self.problem.is_backward:
            end = time.end - fraction * (time.end - time.start)
            time = replace(time, start=end)
        else:
            end = time.start + fraction * (time.end - time.start)
            time = replace(time, end=end)
        problem = replace(self.problem, domain=replace(domain, intervals=(*space, time)))
        return GridProblem(problem, self.grid, f" until {domain.coordinates[-1]} = {float(end):g}")

    def finer(self) -> GridProblem:
        return replace(self, grid=Grid(n=FINE_GRID_POINTS[len(self.problem.domain.space)]))

    def solve(self, problem: StrongForm, points: Tensor) -> Tensor:
        """The solution at points; raises GridSolveFailed."""
        solution = _solution(problem, self.grid.n)
        if isinstance(solution, GridSolveFailed):
            raise solution
        with torch.no_grad():
            values: Tensor = solution(points)
        return values

    def points(self, seed: int) -> Tensor:
        return PointSampler(self.problem.domain).inside(POINTS, seed)


# ---- Variation of the data


def vary_data(problem: StrongForm, factor: Expr, more: Expr | None = None) -> StrongForm:
    """The problem with all initial or terminal data times a factor, plus `more` in the first component."""

    def vary_condition(condition: ConditionResidual) -> ConditionResidual:
        if not problem.domain.is_in_time(condition.place):
            return condition
        residuals = tuple(_vary_inhomogeneity(r, factor, more) for r in condition.residuals)
        return condition.with_residuals(residuals, problem.domain.space)

    return replace(
        problem, conditions=tuple(map(vary_condition, problem.conditions)), exact=(None,) * len(problem.exact)
    )


def _vary_inhomogeneity(residual: Residual, factor: Expr, more: Expr | None) -> Residual:
    affine = residual.affine
    assert affine is not None
    derivatives = residual.derivatives
    homogeneous_part = residual.expr - affine.inhomogeneity
    added = more if more is not None and any(not d.order for d in derivatives) else Float(0)
    return replace(residual, expr=homogeneous_part + factor * affine.inhomogeneity - added)


def random_factor(problem: StrongForm, seed: int) -> Expr:
    """1 + ½ Π sin(…), periodic along periodic axes."""
    parts = []
    for k, (x, interval) in enumerate(zip(problem.domain.space, problem.domain.intervals, strict=False)):
        s = (x - interval.start) / (interval.end - interval.start)
        waves = 1 + (seed + k) % 3
        phase = Rational(1 + 2 * seed + k, 5)
        parts.append(sin((2 * pi * waves if interval.periodic else Rational(3, 2) * waves) * s + phase))
    return 1 + Mul(*parts) / 2


def nonnegative_bump(problem: StrongForm) -> Expr:
    """A nonnegative function that vanishes with its gradient on non-periodic faces."""
    parts = []
    for x, interval in zip(problem.domain.space, problem.domain.intervals, strict=False):
        s = (x - interval.start) / (interval.end - interval.start)
        parts.append((1 + sin(2 * pi * s)) / 2 if interval.periodic else 16 * s**2 * (1 - s) ** 2)
    return Mul(*parts) / 4


# ---- Axioms


def _linearity(problem: GridProblem, seed: int) -> Tensor | None:
    """Superposition: data α f + β g, with α + β = 1, so that the boundary data are unchanged."""
    statement, points = problem.problem, problem.points(seed)
    if not _has_data(statement):
        return None
    first, second = random_factor(statement, seed), random_factor(statement, seed + 1)
    a, b = Rational(3, 2), Rational(-1, 2)
    separate = [problem.solve(vary_data(statement, f), points) for f in (first, second)]
    together = problem.solve(vary_data(statement, a * first + b * second), points)
    return _relative((together - float(a) * separate[0] - float(b) * separate[1]).abs(), together)


def _comparison(problem: GridProblem, seed: int) -> Tensor | None:
    statement, points = problem.problem, problem.points(seed)
    if not _has_data(statement) or len(statement.components) > 1:
        return None
    factor = random_factor(statement, seed)
    lower = problem.solve(vary_data(statement, factor), points)
    upper = problem.solve(vary_data(statement, factor, nonnegative_bump(statement)), points)
    return _relative((lower - upper).clamp_min(0.0), upper)


def _maximum(problem: GridProblem, seed: int) -> Tensor | None:
    """Interior values compared with initial and boundary values."""
    statement = problem.problem
    if len(statement.components) > 1 or not statement.conditions:
        return None
    tried = vary_data(statement, random_factor(statement, seed)) if _has_data(statement) else statement
    places = sample_conditions(PointSampler(statement.domain), statement.conditions, POINTS, seed)
    inside = problem.points(seed)
    values = problem.solve(tried, torch.cat([inside, *places]))
    interior, boundary = values[: len(inside)], values[len(inside) :]
    return _relative(torch.cat([interior - boundary.max(), boundary.min() - interior]).clamp_min(0.0), values)


def _conservation(problem: GridProblem, seed: int) -> Tensor | None:
    """∫u at several times, by the trapezoidal rule along periodic axes and Gauss quadrature along the others."""
    statement = problem.problem
    if not _has_data(statement) or statement.domain.inequalities:
        return None
    points, weights, moments = _quadrature(statement)
    tried = vary_data(statement, random_factor(statement, seed), nonnegative_bump(statement))
    values = problem.solve(tried, points).reshape(moments, -1, len(statement.components))
    totals = (values * weights[:, None]).sum(1)
    size = (values.abs() * weights[:, None]).sum(1).max().clamp_min(1e-300)
    return (totals - totals[0]).abs() / size


TESTS: dict[Axiom, AxiomTest] = {
    Axiom.LINEARITY: _linearity,
    Axiom.COMPARISON: _comparison,
    Axiom.MAXIMUM_PRINCIPLE: _maximum,
    Axiom.CONSERVATION: _conservation,
}


def _has_data(problem: StrongForm) -> bool:
    """Whether there are initial or terminal conditions, all of them affine, whose data can be varied."""
    starts = [r for c in problem.conditions if problem.domain.is_in_time(c.place) for r in c.residuals]
    return bool(starts) and all(r.affine is not None for r in starts)


def _relative(violations: Tensor, values: Tensor) -> Tensor:
    return violations / values.abs().max().clamp_min(1e-300)


def _quadrature(problem: StrongForm) -> tuple[Tensor, Tensor, int]:
    """Quadrature points at all times, one time after another, and the weights for one time."""
    rules = list(_rules(problem))
    mesh = torch.meshgrid(*(x for x, _ in rules), indexing="ij")
    flat = torch.stack([m.reshape(-1) for m in mesh], -1)
    weights = torch.ones(len(flat), dtype=torch.float64)
    for values in torch.meshgrid(*(w for _, w in rules), indexing="ij"):
        weights = weights * values.reshape(-1)
    time = problem.domain.intervals[-1]
    times = torch.linspace(float(time.start), float(time.end), QUADRATURE_TIMES, dtype=torch.float64)
    rows = [torch.cat([flat, torch.full_like(flat[:, :1], float(t))], -1) for t in times]
    return torch.cat(rows), weights, QUADRATURE_TIMES


def _rules(problem: StrongForm) -> Iterator[tuple[Tensor, Tensor]]:
    import numpy as np

    nodes, weights = (torch.from_numpy(v) for v in np.polynomial.legendre.leggauss(QUADRATURE_NODES))
    for interval in problem.domain.intervals[:-1]:
        start, length = float(interval.start), float(interval.end) - float(interval.start)
        if interval.periodic:
            n = 2 * QUADRATURE_NODES
            yield start + length * torch.arange(n, dtype=torch.float64) / n, torch.full((n,), length / n).double()
        else:
            yield start + length * (nodes + 1) / 2, weights * length / 2
