"""Shipped physical specs by two independent methods, which agree within their error estimates.

For Monte Carlo the tolerance is twice the half-width of the 95 % interval (false-positive rate 1e-4 per point); seeds
are fixed. `random_features` and `grid` are compared with the tolerance given for each spec.
"""

from __future__ import annotations

import pytest
import torch
from texts import SPECS
from torch import Tensor

import pdedsl
from pdedsl.compiler import Compilation
from pdedsl.config.methods import Grid, MonteCarlo, RandomFeatures, Solver
from pdedsl.ir.plan import SolvePlan
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.dispatch import solve_with
from pdedsl.solvers.method_result import SolverResult
from pdedsl.solvers.monte_carlo import MonteCarloSolution
from pdedsl.solvers.solver_method import SolveOptions

pytestmark = pytest.mark.long

FEW = MonteCarlo(samples=2000, steps=16)
CLOSE = {
    "heat": (RandomFeatures(), Grid(n=24), 1e-7),
    "poisson": (RandomFeatures(), Grid(n=24), 1e-7),
    "helmholtz": (RandomFeatures(), Grid(n=40), 1e-5),
    "advection": (RandomFeatures(n=600), Grid(n=64), 1e-4),
    "wave": (RandomFeatures(), Grid(n=64), 1e-5),
    "schroedinger": (RandomFeatures(n=500), Grid(n=24), 1e-3),
}
WITHIN = {
    "heat": Grid(n=24),
    "heat_2d": Grid(n=12),
    "poisson": Grid(n=24),
    "poisson_disc": RandomFeatures(),
    "poisson_holes": RandomFeatures(n=800),
    "stirring": Grid(n=20),
    "black_scholes": Grid(n=64),
    "fokker_planck": Grid(n=40),
}


def inside(compilation: Compilation, count: int) -> Tensor:
    assert isinstance(compilation.plan, SolvePlan)
    return PointSampler(compilation.plan.problem.domain, torch.device("cpu")).inside(count, 5)


def solve_by(method: Solver, compilation: Compilation) -> SolverResult:
    return solve_with(compilation.plan_solver(method), SolveOptions())


@pytest.mark.parametrize("name", CLOSE)
def test_two_deterministic_methods_agree(name: str) -> None:
    first, second, tolerance = CLOSE[name]
    compilation = pdedsl.compile(SPECS / f"{name}.pde")
    points = inside(compilation, 200)
    a, b = (solve_by(method, compilation)(points).detach() for method in (first, second))
    assert float((a - b).norm() / b.norm()) < tolerance


@pytest.mark.parametrize("name", WITHIN)
def test_monte_carlo_agrees_with_another_method(name: str) -> None:
    compilation = pdedsl.compile(SPECS / f"{name}.pde")
    points = inside(compilation, 6)
    module = solve_by(FEW, compilation).module
    assert isinstance(module, MonteCarloSolution)
    value, half = module.interval(points)
    other = solve_by(WITHIN[name], compilation)
    expected = other(points).detach()
    own = other.metrics.get("error", 0.0) * float(expected.abs().max())
    assert ((value - expected).abs() <= 2 * half + own + 1e-9).all()


def test_a_hundred_dimensions_agree_with_the_exact_solution() -> None:
    compilation = pdedsl.compile(SPECS / "heat_100d.pde")
    points = inside(compilation, 3)
    module = solve_by(MonteCarlo(samples=1000), compilation).module
    assert isinstance(module, MonteCarloSolution)
    value, half = module.interval(points)
    exact = torch.exp(-0.04 * torch.pi**2 * points[:, -1]) * torch.sin(2 * torch.pi * points[:, :-1]).sum(-1)
    assert ((value[:, 0] - exact).abs() <= 2 * half[:, 0]).all()
