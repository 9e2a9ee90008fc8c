"""Observed orders, blocks as steps, and figure 4 against the grid."""

from __future__ import annotations

import math
from functools import cache

import pytest
import torch
from torch import Tensor, nn

from pdedsl.numerics.butcher import EXPLICIT
from pdedsl.runtime.ode.explicit import ResidualBlock, characteristic_step
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator
from runtime.evolutions import assert_within, bump, points, torch_double
from runtime.grid import PeriodicGrid, random_field


def test_euler_maruyama_has_weak_order_one() -> None:
    """Ornstein-Uhlenbeck from 0, f = x²: the scheme's own mean is 2νΔt·Σ_j(1−θΔt)^{2j}, met within 5 standard errors.

    The observed order is 1.09 with a standard error of 0.055: the interval allows 5 of them around 1.09.
    """
    theta, nu, t = 1.0, 0.5, 1.0
    exact = nu * (1 - math.exp(-2 * theta * t)) / theta

    def bias(dt: float) -> float:
        process = EvolutionOperator(lambda x, t: -theta * x, nu, dt=dt, samples=400_000, seed=3)
        estimate = process.estimate(lambda y: y[..., 0].square(), torch.zeros(1, 1, dtype=torch_double), t)
        of_the_scheme = sum(2 * nu * dt * (1 - theta * dt) ** (2 * j) for j in range(round(t / dt)))
        assert_within(estimate, torch.tensor([of_the_scheme]))
        return float(estimate.mean) - exact

    assert 0.8 < math.log2(bias(0.2) / bias(0.1)) < 1.4


@pytest.mark.parametrize(("scheme", "order"), [(name, method.order) for name, method in EXPLICIT.items()])
@pytest.mark.parametrize("form", ["initial", "terminal"])
def test_order_on_transport(scheme: str, order: int, form: str) -> None:
    def field(x: Tensor, t: float) -> Tensor:
        return torch.sin(x.flip(-1) + 2.0 * t)

    def solution(dt: float, scheme: str) -> Tensor:
        operator = EvolutionOperator(field, dt=dt, scheme=scheme, form=form, horizon=1.0)  # type: ignore[arg-type]
        return operator(bump, points(), 1.0 if form == "initial" else 0.0)

    exact = solution(1 / 320, "rk4")
    coarse, fine = ((solution(dt, scheme) - exact).abs().max() for dt in (1 / 20, 1 / 40))
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize("clock", [1.0, -1.0])
def test_blocks_are_the_steps(clock: float) -> None:
    def field(x: Tensor, t: float) -> Tensor:
        return torch.sin(x.flip(-1) + 2.0 * t)

    x, dt = points(), 0.125
    start = 0.0 if clock > 0 else 1.0
    network = nn.Sequential(*(ResidualBlock(field, dt, start + clock * k * dt) for k in range(8)))
    operator = EvolutionOperator(field, dt=dt, scheme="euler", form="terminal" if clock > 0 else "initial", horizon=1.0)
    torch.testing.assert_close(operator(bump, x, start), bump(network(x)))


@pytest.mark.parametrize("name", EXPLICIT)
def test_a_step_without_a_time_is_the_polynomial_of_its_method(name: str) -> None:
    x = points()
    factor = sum(c * (-0.1) ** k for k, c in enumerate(EXPLICIT[name].stability))
    torch.testing.assert_close(characteristic_step(EXPLICIT[name], lambda x: -x, x, 0.1), x * factor)


def test_autonomous_blocks() -> None:
    x = points()
    torch.testing.assert_close(ResidualBlock(torch.tanh, 0.5)(x), x + 0.5 * torch.tanh(x))


@cache
def figure_4(sigma: float) -> tuple[PeriodicGrid, Tensor]:
    """Random velocity and random terminal data on the unit square (Wang, Yuan, Shi, Osher 2020, section 2.2), solved on
    128×128 points.

    The paper's numbers stand at each of the 128² points, a velocity without a Lipschitz constant. Here they stand on a
    3×3 mesh and are interpolated, so that characteristics exist and the grid resolves the solution.
    """
    grid = PeriodicGrid(128)
    velocity, data = VELOCITY(grid.points), DATA(grid.points)[..., 0]
    return grid, grid.solve(data, lambda x, t: velocity, 0.5 * sigma**2, 0.0, 2.5e-3, form="terminal")


VELOCITY, DATA = random_field(1, 3, 2), random_field(2, 3, 1)


@pytest.mark.parametrize("sigma", [0.03, 0.1])
def test_figure_4_against_the_grid(sigma: float) -> None:
    """24 points, 2000 draws: within 5 standard errors and 0.03 for the bias of Δt = 0.01, where |u| is of order 1."""
    grid, u = figure_4(sigma)
    chosen = torch.randint(128, (24, 2), generator=torch.Generator().manual_seed(0)).unbind(-1)
    operator = EvolutionOperator(
        lambda x, t: VELOCITY(x), 0.5 * sigma**2, form="terminal", horizon=1.0, dt=0.01, samples=2000
    )
    estimate = operator.estimate(lambda y: DATA(y)[..., 0], grid.points[chosen], 0.0)
    assert_within(estimate, u[chosen], bias=0.03)
    assert float(estimate.standard_error.max()) < 0.02


def test_figure_4_larger_sigma_is_smoother() -> None:
    transported = EvolutionOperator(lambda x, t: VELOCITY(x), form="terminal", horizon=1.0, dt=0.05)
    x = PeriodicGrid(128).points[::4, ::4].reshape(-1, 2).requires_grad_()
    (slope,) = torch.autograd.grad(transported(lambda y: DATA(y)[..., 0], x, 0.0).sum(), x)
    roughness = [float(slope.square().sum(-1).mean().sqrt())]
    for sigma in (0.01, 0.1):
        grid, u = figure_4(sigma)
        roughness.append(grid.roughness(u))
    assert roughness[0] > roughness[1] > 3 * roughness[2], roughness
