"""Random sines: their derivatives against automatic ones, and whole periods along joined sides."""

from __future__ import annotations

import torch

from pdedsl.runtime.sines import Sides, SineNetwork, random_waves

SIDES = Sides(torch.tensor([0.5, 1.0]).double(), torch.tensor([0.5, 2.0]).double(), torch.tensor([True, False]))
WAVES = random_waves(7, SIDES, torch.tensor([6.0, 2.0]).double(), 1)
POINTS = torch.rand(5, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
WEIGHTS = torch.randn(1, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def by_autograd(orders: tuple[int, int]) -> torch.Tensor:
    x = POINTS.clone().requires_grad_()
    value = SineNetwork(WAVES, WEIGHTS)(x)[:, 0]
    for k, order in enumerate(orders):
        for _ in range(order):
            (slopes,) = torch.autograd.grad(value.sum(), x, create_graph=True)
            value = slopes[:, k]
    return value.detach()


def test_derivatives_of_any_order_are_those_of_autograd() -> None:
    at = WAVES.at(POINTS)
    for orders in ((0, 0), (1, 0), (0, 2), (2, 1), (3, 1), (4, 0), (2, 3)):
        expected = by_autograd(orders)
        assert torch.allclose(at.values(orders, WEIGHTS[0]), expected, rtol=1e-12, atol=1e-10)
        assert torch.allclose(at.derivative(orders) @ WEIGHTS[0], expected, rtol=1e-12, atol=1e-10)


def test_a_combination_is_the_sum_of_its_derivatives() -> None:
    at, orders = WAVES.at(POINTS), [(1, 0), (0, 2), (0, 0), (0, 1)]
    coefficients = [POINTS[:, 0], POINTS[:, 1], torch.ones(5).double(), POINTS[:, 0] ** 2]
    expected = sum(c[:, None] * at.derivative(o) for c, o in zip(coefficients, orders, strict=True))
    assert torch.allclose(at.combined(coefficients, orders), expected, rtol=1e-13, atol=1e-12)  # type: ignore[arg-type]


def test_joined_sides_have_the_same_values_at_both_ends() -> None:
    network = SineNetwork(WAVES, WEIGHTS)
    shifted = POINTS + torch.tensor([1.0, 0.0])
    assert torch.allclose(network(shifted), network(POINTS), atol=1e-12)
    assert not torch.allclose(network(POINTS + torch.tensor([0.0, 4.0])), network(POINTS), atol=1e-2)
