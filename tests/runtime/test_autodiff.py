"""Partial derivatives of any order, against formulas, and differentiable by weights."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime.diff.autodiff import partial_derivatives

PATHS = {
    (0,): lambda x, y: torch.sin(2 * x) * torch.exp(y),
    (0, 0): lambda x, y: 2 * torch.cos(2 * x) * torch.exp(y),
    (0, 0, 1): lambda x, y: 2 * torch.cos(2 * x) * torch.exp(y),
    (0, 1, 0): lambda x, y: 2 * torch.cos(2 * x) * torch.exp(y),
    (0, 0, 0, 0, 0): lambda x, y: 16 * torch.sin(2 * x) * torch.exp(y),
    (1, 0, 0, 1): lambda x, y: 2 * torch.ones_like(x),
    (1, 1, 1): lambda x, y: torch.zeros_like(x),
}


def pair(points: Tensor) -> Tensor:
    x, y = points.unbind(-1)
    return torch.stack([torch.sin(2 * x) * torch.exp(y), x**2 * y], -1)


@pytest.mark.parametrize("path", PATHS)
def test_against_formulas(path: tuple[int, ...]) -> None:
    points = torch.rand(20, 2, dtype=torch.float64)
    found = partial_derivatives(pair, points, path)[:, 0]
    torch.testing.assert_close(found, PATHS[path](*points.unbind(-1)), rtol=1e-12, atol=1e-12)


def test_columns_are_in_the_order_of_the_paths() -> None:
    points = torch.rand(5, 2, dtype=torch.float64)
    together = partial_derivatives(pair, points, *PATHS)
    for k, path in enumerate(PATHS):
        torch.testing.assert_close(together[:, k], partial_derivatives(pair, points, path)[:, 0], rtol=0, atol=0)


def test_gradients_by_weights() -> None:
    network = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)).double()
    points = torch.rand(3, 2, dtype=torch.float64)

    def loss(weight: Tensor) -> Tensor:
        f = lambda x: torch.func.functional_call(network, {"0.weight": weight}, (x,))  # noqa: E731
        return partial_derivatives(f, points, (0, 0, 0), (0, 1)).square().sum()

    assert torch.autograd.gradcheck(loss, (network[0].weight.detach().clone().requires_grad_(),))


def test_the_derivative_of_a_constant_is_zero() -> None:
    points = torch.rand(4, 2, dtype=torch.float64)
    assert partial_derivatives(lambda x: torch.ones(len(x), 1, dtype=x.dtype), points, (0, 0), (0, 0, 1)).eq(0).all()
