"""Interface problems with discontinuous coefficients, against closed forms."""

from __future__ import annotations

import math

import pytest
import torch

from pdedsl.config.methods import Grid
from pdedsl.ir.solver_plans import FiniteVolumeScheme, InterfaceFVScheme
from pdedsl.planning.grid_schemes import plan_scheme
from pdedsl.problem.first_order_system import GridNotApplicable
from tests.solvers.problems import on_line, on_square, solve_by_grid, stated

ROD = "pde Rod\nspace x in [0, 1]\nunknown u(x) : scalar\n"
POINTS = torch.linspace(0, 1, 41, dtype=torch.float64)[:, None]


@pytest.mark.parametrize("place", [0.3, 0.5])
def test_two_layers_in_series(place: float) -> None:
    """The flux k u′ is one number q, and q (place / 1 + (1 - place) / 10) = 1."""
    text = ROD + f"∇·((1 + 9 heaviside(x - {place}))∇u) = 0\nu = 0 on left\nu = 1 on right\n"
    solution = solve_by_grid(stated(text), Grid(n=20))
    middles = (torch.arange(20, dtype=torch.float64)[:, None] + 0.5) / 20
    q = 1 / (place + (1 - place) / 10)
    exact = q * torch.where(middles < place, middles, place + (middles - place) / 10)
    assert torch.allclose(solution(middles), exact, atol=1e-12)


def test_two_layers_with_a_source_converge_with_order_two() -> None:
    """k u′ = c - x, and the integral of u′ is zero: c = (1/8 + 3/80) / (1/2 + 1/20)."""
    statement = stated(ROD + "∇·((1 + 9 heaviside(x - 0.5))∇u) = -1\nu = 0 on boundary\n")
    c = (1 / 8 + 3 / 80) / (1 / 2 + 1 / 20)
    errors = []
    for n in (10, 20, 40):
        x = (torch.arange(n, dtype=torch.float64) + 0.5) / n
        far = c / 2 - 1 / 8 + (c * (x - 0.5) - (x**2 - 0.25) / 2) / 10
        exact = torch.where(x < 0.5, c * x - x**2 / 2, far)
        errors.append(float((solve_by_grid(statement, Grid(n=n))(x[:, None])[:, 0] - exact).abs().max()))
    assert errors[0] / errors[1] > 3.5
    assert errors[1] / errors[2] > 3.5


def test_neumann_and_robin_conditions_in_time() -> None:
    """u = x + t solves ∂u/∂t = ∇·((1 + |x - ½|)∇u) + 1 - sign(x - ½); on the left u - ∂u/∂x = t - 1."""
    text = "∂u/∂t = ∇·((1 + |x - 0.5|)∇u) + 1 - sign(x - 0.5)\nu(x, 0) = x\n"
    head = "pde Rod\nspace x in [0, 1]\ntime t in [0, 0.1]\nunknown u(x, t) : scalar\n"
    statement = stated(head + text + "u + ∂u/∂n = t - 1 on left\n∂u/∂n = 1 on right\n")
    assert isinstance(plan_scheme(statement), InterfaceFVScheme)
    points = torch.cat([POINTS, torch.full_like(POINTS, 0.1)], 1)
    errors = [float((solve_by_grid(statement, Grid(n=n))(points)[:, 0] - points.sum(1)).abs().max()) for n in (8, 16)]
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] > 3.5


def test_drift_in_boundary_cells() -> None:
    """u = x² solves ∇·(k∇u) + 3 ∂u/∂x = 2k + 2x sign(x - ½) + 6x for k = 1 + |x - ½|."""
    text = "∇·((1 + |x - 0.5|)∇u) + 3 ∂u/∂x = 2 + 2|x - 0.5| + 2x sign(x - 0.5) + 6x\nu + ∂u/∂n = 0 on left\n"
    statement = stated(ROD + text + "∂u/∂n = 2 on right\n")
    errors = []
    for n in (10, 20, 40):
        x = (torch.arange(n, dtype=torch.float64)[:, None] + 0.5) / n
        errors.append(float((solve_by_grid(statement, Grid(n=n))(x) - x**2).abs().max()))
    assert errors[0] / errors[1] > 3.5
    assert errors[1] / errors[2] > 3.5


def test_drift_across_an_interface() -> None:
    """k u′ + u = c: u = c (1 - e^{-s}) with s = x while k = 1, and s = ½ + (x - ½)/10 where it is 10."""
    statement = stated(ROD + "∇·((1 + 9 heaviside(x - 0.5))∇u) + ∂u/∂x = 0\nu = 0 on left\n∂u/∂n = 1 on right\n")
    c = 10 * math.exp(0.5 + 0.05)
    errors = []
    for n in (10, 20, 40):
        x = (torch.arange(n, dtype=torch.float64)[:, None] + 0.5) / n
        exact = c * (1 - torch.exp(-torch.where(x < 0.5, x, 0.5 + (x - 0.5) / 10)))
        errors.append(float((solve_by_grid(statement, Grid(n=n))(x) - exact).abs().max()))
    assert errors[0] / errors[1] > 3.5
    assert errors[1] / errors[2] > 3.5


def test_two_layers_in_2d() -> None:
    """Nothing depends on y: the solution is that of the rod."""
    text = "∇·((1 + heaviside(x))∇u) = 0\nu = 0 on left\nu = 3 on right\n∂u/∂n = 0 on bottom, top\n"
    solution = solve_by_grid(on_square(text), Grid(n=8))
    points = torch.tensor([[-0.875, 0.3], [0.625, -0.6]], dtype=torch.float64)
    assert torch.allclose(solution(points)[:, 0], torch.tensor([0.25, 2.625], dtype=torch.float64), atol=1e-12)


def test_discontinuous_velocity() -> None:
    """c u is continuous across the discontinuity of c behind the front."""
    text = "∂u/∂t + ∂((1 + heaviside(x - 0.5)) u)/∂x = 0\nu(x, 0) = 0\nu = 1 on left\n"
    statement = on_line(text)
    assert isinstance(plan_scheme(statement), FiniteVolumeScheme)
    found = solve_by_grid(statement, Grid(n=32))(torch.tensor([[0.25, 1.0], [0.6, 1.0]], dtype=torch.float64))
    assert torch.allclose(found[:, 0], torch.tensor([1.0, 0.5], dtype=torch.float64), atol=2e-3)


def test_the_derivative_of_a_discontinuity_outside_a_divergence_is_an_error() -> None:
    statement = stated(ROD + "(1 + heaviside(x - 0.5))Δu + ∂(heaviside(x - 0.5))/∂x u = 1\nu = 0 on boundary\n")
    with pytest.raises(GridNotApplicable, match="divergence"):
        plan_scheme(statement)
