"""Linear stationary problems without a solution, or with several."""

from __future__ import annotations

from math import pi

import pytest
import torch

import pdedsl
from pdedsl.config.methods import Grid
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.solvers.grid.driver import levels_by_grid, solve_by_grid
from pdedsl.solvers.grid.grid_result import IllPosedProblem
from tests.solvers.problems import stated

LINE = "pde A\nspace x in [0, 1]\nunknown u(x) : scalar\n"
SQUARE = "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n"
RESONANT = LINE + "d²u/dx² + π² u = 0\nu(0) = 0\nu(1) = 0\n"


@pytest.mark.parametrize(
    "text",
    [
        RESONANT,
        LINE + "d²u/dx² + 9π² u = sin(π x)\nu(0) = 0\nu(1) = 0\n",
        SQUARE + "Δu + 5π² u = 0\nu = 0 on boundary\n",
    ],
)
def test_eigenvalues_of_the_laplacian_are_not_unique(text: str) -> None:
    with pytest.raises(IllPosedProblem, match="not unique"):
        solve_by_grid(plan_grid(stated(text), Grid(n=32)))


@pytest.mark.parametrize("shift", [1e-4, -1e-4])
def test_near_an_eigenvalue_the_solution_is_unique(shift: float) -> None:
    """u = sin(π x)/shift solves u″ + (π² + shift) u = sin(π x)."""
    text = LINE + f"d²u/dx² + (π² + ({shift})) u = sin(π x)\nu(0) = 0\nu(1) = 0\n"
    x = torch.linspace(0, 1, 20, dtype=torch.float64).unsqueeze(1)
    error = shift * solve_by_grid(plan_grid(stated(text), Grid(n=24)))(x) - torch.sin(pi * x)
    assert float(error.abs().max()) < 1e-6


def test_incompatible_neumann_data() -> None:
    """∫ u″ = u′(1) - u′(0) = 0, but the source has the mean 1."""
    with pytest.raises(IllPosedProblem, match="incompatible"):
        solve_by_grid(plan_grid(stated(LINE + "d²u/dx² = 1\ndu/dx(0) = 0\ndu/dx(1) = 0\n"), Grid(n=16)))


def test_compatible_neumann_data() -> None:
    text = LINE + "d²u/dx² = cos(π x)\ndu/dx(0) = 0\ndu/dx(1) = 0\n"
    x = torch.linspace(0, 1, 20, dtype=torch.float64).unsqueeze(1)
    difference = solve_by_grid(plan_grid(stated(text), Grid(n=24)))(x) + torch.cos(pi * x) / pi**2
    assert float((difference - difference.mean()).abs().max()) < 1e-10


def test_levels_end_with_the_reason() -> None:
    with pytest.raises(IllPosedProblem, match="not unique"):
        next(levels_by_grid(plan_grid(stated(RESONANT), Grid()), tolerance=1e-4))


@pytest.mark.parametrize(
    "text",
    [RESONANT, SQUARE + "Δu + 2π² u = 0\nu = 0 on boundary\nexact u = sin(π x) sin(π y)\n"],
    ids=["resonance", "an eigenfunction, one of many solutions"],
)
def test_no_other_method_is_tried(text: str) -> None:
    with pytest.raises(IllPosedProblem, match="not unique"):
        pdedsl.solve(text)
