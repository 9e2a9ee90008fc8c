"""Fast diagonalization of separable operators, against exact solutions and the dense direct solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from math import pi

import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.config.methods import Grid
from pdedsl.ir.solver_plans import ChebyshevScheme, GridPlan
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.solvers.error_estimate import Verdict
from pdedsl.solvers.grid.driver import levels_by_grid, solve_by_grid
from pdedsl.solvers.grid.grid_result import IllPosedProblem
from tests.solvers.problems import error_of, stated

SQUARE = "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n"
CUBE = "pde A\nspace (x, y, z) in [0, 1]^3\nunknown u(x, y, z) : scalar\n"
PERIODIC = "pde A\nspace (x, y) in [0, 1] periodic * [0, 1]\nunknown u(x, y) : scalar\n"
CONVECTION = "-(1 + x) ∂²u/∂x² - ∂²u/∂y² + 3 ∂u/∂y + (x + y²) u = sin(x y)\n"


def plan(text: str, n: int) -> GridPlan:
    return plan_grid(stated(text), Grid(n=n))


def is_separable(text: str) -> bool:
    scheme = plan(text, 8).scheme
    return isinstance(scheme, ChebyshevScheme) and scheme.separable is not None


@pytest.mark.parametrize(
    ("text", "n", "exact"),
    [
        (SQUARE + "Δu + 2500 u = 0\nu = sin(30 x + 40 y) on boundary\n", 64, lambda x, y: torch.sin(30 * x + 40 * y)),
        (
            SQUARE + "Δu = 2 exp(x + y)\nu = exp(y) on left\n∂u/∂n = exp(1 + y) on right\n"
            "∂u/∂n + 2u = exp(x) on bottom\nu = exp(1 + x) on top\n",
            16,
            lambda x, y: torch.exp(x + y),
        ),
        (
            CUBE + "Δu - u = 2 exp(x - y + z)\nu = exp(x - y + z) on boundary\n",
            12,
            lambda x, y, z: torch.exp(x - y + z),
        ),
        (
            PERIODIC + "Δu = -5 π² sin(2π x) sin(π y)\nu = 0 on bottom, top\n",
            20,
            lambda x, y: torch.sin(2 * pi * x) * torch.sin(pi * y),
        ),
    ],
    ids=["Helmholtz", "mixed conditions", "three dimensions", "periodic axis"],
)
def test_exact_solutions(text: str, n: int, exact: Callable[..., Tensor]) -> None:
    assert is_separable(text)
    result = solve_by_grid(plan(text, n))
    assert any("fast diagonalization" in note for note in result.notes)
    assert error_of(result, stated(text), exact) < 1e-10


def test_variable_coefficients_agree_with_the_dense_solver() -> None:
    own = plan(SQUARE + CONVECTION + "u = x on left, right\n∂u/∂n = y on bottom, top\n", 20)
    assert isinstance(own.scheme, ChebyshevScheme)
    dense = replace(own, scheme=replace(own.scheme, separable=None))
    points = torch.rand(200, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    fast, slow = (solve_by_grid(p).module(points).detach() for p in (own, dense))
    assert float((fast - slow).norm() / slow.norm()) < 1e-10


def test_operators_that_are_not_separable() -> None:
    zero = "u = 0 on boundary\n"
    assert not is_separable(SQUARE + "-(1 + x y) ∂²u/∂x² - ∂²u/∂y² = 1\n" + zero)
    assert not is_separable(SQUARE + "-Δu + ½ ∂²u/∂x∂y = 1\n" + zero)
    assert not is_separable(SQUARE + "-Δu + x y u = 1\n" + zero)
    assert not is_separable(SQUARE + "-Δu = 1\n∂u/∂n + y u = 0 on left, right\nu = 0 on bottom, top\n")


def test_eigenvalues_of_the_operator_are_found() -> None:
    """u = sin πx sin πy solves the homogeneous problem."""
    text = SQUARE + "Δu + 2π² u = 1\nu = 0 on boundary\n"
    with pytest.raises(IllPosedProblem, match="not unique"):
        list(islice(levels_by_grid(plan(text, 16), tolerance=1e-6), 3))


@pytest.mark.parametrize("k", [30, 100])
def test_helmholtz_with_many_wavelengths(k: int) -> None:
    """A sum of two plane waves."""
    waves = f"sin({k} (3x + 4y)/5) + cos({k} (5x - 12y)/13)"
    solution = pdedsl.solve(f"{SQUARE}Δu + {k**2} u = 0\nu = {waves} on boundary\n", tol=1e-6)
    assert solution.verdict is Verdict.HOLDS
    x, y = torch.rand(500, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).T
    exact = torch.sin(k * (3 * x + 4 * y) / 5) + torch.cos(k * (5 * x - 12 * y) / 13)
    assert float((solution(torch.stack([x, y], 1))[:, 0] - exact).norm() / exact.norm()) < 1e-6
