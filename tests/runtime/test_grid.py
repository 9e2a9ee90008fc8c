"""The reference solver against exact solutions, with its observed orders."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from runtime.grid import PeriodicGrid, random_field

TAU = 2 * math.pi


def mode(x: Tensor) -> Tensor:
    return torch.sin(TAU * (2 * x[..., 0] - x[..., 1]))


def test_diffusion_is_exact_for_any_step() -> None:
    grid = PeriodicGrid(16)
    matrix = torch.tensor([[0.02, 0.01], [0.01, 0.03]], dtype=torch.float64)
    k = TAU * torch.tensor([2.0, -1.0], dtype=torch.float64)
    u = grid.solve(mode(grid.points), lambda x, t: torch.zeros_like(x), matrix, 0.3, 1.0)
    torch.testing.assert_close(u, math.exp(-0.3 * float(k @ matrix @ k)) * mode(grid.points))


@pytest.mark.parametrize("form", ["initial", "terminal"])
def test_constant_transport_moves_data_against_the_velocity(form: str) -> None:
    grid = PeriodicGrid(32)
    v = torch.tensor([0.3, -0.8], dtype=torch.float64)
    u = grid.solve(mode(grid.points), lambda x, t: v.expand_as(x), 0.0, 0.5, 2e-3, form=form)  # type: ignore[arg-type]
    torch.testing.assert_close(u, mode(grid.points + 0.5 * v), rtol=0, atol=1e-7)


def test_time_dependent_velocity_from_both_ends() -> None:
    """v = a·cos(2πt)·e: the shift is ∫v; over [0, ¼] for initial data, over [¼, ½] for terminal data at ½."""
    grid, e = PeriodicGrid(32), torch.tensor([1.0, 0.5], dtype=torch.float64)

    def velocity(x: Tensor, t: float) -> Tensor:
        return (0.4 * math.cos(TAU * t) * e).expand_as(x)

    shift = 0.4 / TAU * e
    initial = grid.solve(mode(grid.points), velocity, 0.01, 0.25, 2e-3)
    decay = math.exp(-0.01 * 0.25 * TAU**2 * 5)
    torch.testing.assert_close(initial, decay * mode(grid.points + shift), rtol=0, atol=1e-7)
    terminal = grid.solve(mode(grid.points), velocity, 0.01, 0.25, 2e-3, form="terminal", horizon=0.5)
    torch.testing.assert_close(terminal, decay * mode(grid.points - shift), rtol=0, atol=1e-7)


def test_fourth_order_in_time() -> None:
    grid, velocity = PeriodicGrid(32), random_field(0, 3, 2)

    def solution(dt: float) -> Tensor:
        return grid.solve(mode(grid.points), lambda x, t: (1 + t) * velocity(x), 0.01, 0.5, dt)

    exact = solution(1 / 512)
    coarse, fine = ((solution(dt) - exact).abs().max() for dt in (1 / 32, 1 / 64))
    assert math.log2(coarse / fine) == pytest.approx(4, abs=0.3)


def test_spectral_accuracy_in_space() -> None:
    velocity = random_field(0, 3, 2)

    def solution(n: int) -> Tensor:
        grid = PeriodicGrid(n)
        return grid.solve(mode(grid.points), lambda x, t: velocity(x), 0.02, 0.5, 1e-2)[:: n // 16, :: n // 16]

    exact = solution(96)
    errors = [float((solution(n) - exact).abs().max()) for n in (16, 32, 48)]
    assert errors[0] > 30 * errors[1] > 30 * 10 * errors[2]


def test_gradient_and_roughness() -> None:
    grid = PeriodicGrid(32, length=2.0)
    u = torch.sin(math.pi * grid.points[..., 0])
    slope = torch.stack([math.pi * torch.cos(math.pi * grid.points[..., 0]), torch.zeros(32, 32)], -1)
    torch.testing.assert_close(grid.gradient(u), slope, rtol=0, atol=1e-10)
    assert grid.roughness(u) == pytest.approx(math.pi / math.sqrt(2))


def test_random_field_interpolates_numbers_in_the_box() -> None:
    field = random_field(3, 7, 2)
    axis = torch.arange(7, dtype=torch.float64) / 7
    mesh = torch.stack(torch.meshgrid(axis, axis, indexing="ij"), -1)
    values = field(mesh)
    assert values.shape == (7, 7, 2)
    assert values.abs().max() <= 1.0 + 1e-12
    torch.testing.assert_close(field(mesh + 1.0), values)
