"""Dirichlet, Neumann, Robin and other conditions on faces, parts of faces and curves, against exact solutions."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures
from pdedsl.config.networks import Mlp
from pdedsl.problem.diffusion_process import process_of
from pdedsl.solvers.monte_carlo import CompiledProcess, EvolutionEstimator, MonteCarloSolution

from .problems import (
    error_of,
    solve_by_grid,
    solve_by_monte_carlo,
    solve_by_pinn,
    solve_by_random_features,
    stated,
)

HARMONIC = "unknown u(x, y) : scalar\nΔu = 0\n"
SQUARE = f"pde P\nspace (x, y) in [-1, 1]^2\n{HARMONIC}"
DISC = f"pde P\nspace (x, y) in [-1, 1]^2 where x² + y² < 1\n{HARMONIC}"
REST = "u = x² - y² + x on left, bottom, top\n"


def exact(x: Tensor, y: Tensor) -> Tensor:
    return x**2 - y**2 + x


FACES = [
    pytest.param(f"{SQUARE}u = 2 - y² on right\n{REST}", id="Dirichlet on a face"),
    pytest.param(f"{SQUARE}n·∇u = 3 on right\n{REST}", id="Neumann on a face"),
    pytest.param(f"{SQUARE}n·∇u + 2u = 7 - 2y² on right\n{REST}", id="Robin on a face"),
    pytest.param(f"{SQUARE}∂u/∂x + ∂u/∂y = 3 - 2y on right\n{REST}", id="oblique on a face"),
    pytest.param(
        f"{SQUARE}n·∇u = 3 on right where y > 0\nu = 2 - y² on right where y < 0\n{REST}", id="mixed on parts of a face"
    ),
]
CURVES = [
    pytest.param(f"{DISC}u = x² - y² + x on boundary\n", id="Dirichlet on a curve"),
    pytest.param(f"{DISC}n·∇u + u = 3(x² - y²) + 2x on boundary\n", id="Robin on a curve"),
    pytest.param(
        f"{DISC}n·∇u = 2(x² - y²) + x on boundary where x > 0\nu = x² - y² + x on boundary where x < 0\n",
        id="Neumann on a part of a curve",
    ),
]


@pytest.mark.parametrize("text", [*FACES, *CURVES])
def test_random_features(text: str) -> None:
    statement = stated(text)
    assert error_of(solve_by_random_features(statement, RandomFeatures(n=200)), statement, exact) < 1e-6


@pytest.mark.parametrize("text", [FACES[2], CURVES[1]])
def test_pinn(text: str) -> None:
    statement = stated(text)
    solved = solve_by_pinn(statement, Pinn(points=300, steps=40), network=Mlp(width=8, depth=2))
    assert error_of(solved, statement, exact) < 1e-3


@pytest.mark.parametrize("text", FACES[:4])
def test_collocation(text: str) -> None:
    statement = stated(text)
    assert error_of(solve_by_grid(statement, Grid(n=10)), statement, exact) < 1e-10


def test_collocation_on_parts_of_a_face() -> None:
    """Nodes on both sides of the change have one condition each: u is a polynomial, and satisfies both."""
    statement = stated(FACES[4].values[0])
    assert error_of(solve_by_grid(statement, Grid(n=10)), statement, exact) < 1e-8


@pytest.mark.parametrize("condition", ["u = 1.5", "3n·∇u = 3", "n·∇u + 2u = 4"])
def test_discontinuous_coefficients(condition: str) -> None:
    """a u' is continuous: u = 2x for x < ½, where a = 1, and x + ½ beyond, where a = 2."""
    text = "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\n∇·((1 + heaviside(x - ½)) ∇u) = 0\nu = 0 on left\n"
    statement = stated(f"{text}{condition} on right\n")
    solved = solve_by_grid(statement, Grid(n=64))
    assert error_of(solved, statement, lambda x: torch.where(x < 0.5, 2 * x, x + 0.5)) < 1e-2


# ---- Reflection on level sets


EVOLVING = (
    "pde P\nspace (x, y) in [-1, 1]^2 where x² + y² < 1\ntime t in [0, 0.3]\nunknown u(x, y, t) : scalar\n∂u/∂t = Δu\n"
)
AT = torch.tensor([[0.3, 0.2, 0.3], [0.7, 0.1, 0.3], [-0.5, -0.6, 0.3], [0.0, 0.9, 0.3]], dtype=torch.float64)
REFLECTED = [
    pytest.param("u(x, y, 0) = x² + y²\nn·∇u = 2 on boundary\n", lambda x, y, t: x**2 + y**2 + 4 * t, id="Neumann"),
    pytest.param("u(x, y, 0) = x\nn·∇u + u = 2x on boundary\n", lambda x, y, t: x, id="Robin"),
]


@pytest.mark.parametrize(("conditions", "solution"), REFLECTED)
def test_reflected_paths_in_a_disc(conditions: str, solution: object) -> None:
    """Twice the interval, about four standard deviations."""
    module = solve_by_monte_carlo(stated(EVOLVING + conditions), MonteCarlo(samples=4000, steps=32), seed=1).module
    assert isinstance(module, MonteCarloSolution)
    values, half_width = module.interval(AT)
    assert callable(solution)
    error = (values.flatten() - solution(*AT.unbind(1))).abs()
    assert (error <= 2 * half_width.flatten()).all()
    assert float(error.max()) < 0.05


def test_bias_of_reflection_decreases_with_the_step() -> None:
    """By paths with the same noise: the change under step doubling falls at least as √h."""
    process = process_of(stated(EVOLVING + "u(x, y, 0) = x\nn·∇u + u = 2x on boundary\n"))
    assert process.data is not None
    changes = []
    for steps in (8, 128):
        _, change = EvolutionEstimator(CompiledProcess(process), process.data, steps)(AT[1:2], 20_000, 3)
        changes.append(abs(float(change.mean())))
    assert changes[1] < changes[0] / 3
