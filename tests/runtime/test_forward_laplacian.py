"""An operator by the fewest streams against the one that has a stream for each direction, values and gradients."""

from __future__ import annotations

import pytest
import torch

from pdedsl.runtime.basis.random_features import CoordinateBox
from pdedsl.runtime.diff.mlp_jets import DerivativeRequest, JetNetwork, forward_laplacian, supports_forward_laplacian

DIMENSION = 7


def unit(k: int, order: int) -> tuple[int, ...]:
    return tuple(order * int(i == k) for i in range(DIMENSION))


LAPLACIAN = tuple(unit(k, 2) for k in range(DIMENSION))
WANTED = DerivativeRequest((unit(0, 0),), ((*LAPLACIAN, unit(2, 1), unit(6, 1)),))


def network(width: int, joined: int = -1, name: str = "tanh") -> JetNetwork:
    k = torch.arange(DIMENSION)
    return JetNetwork(CoordinateBox(k / 10.0, 1 + k.double() / 5, k == joined), width, 3, 2, name, 1)


@pytest.mark.parametrize("common", [True, False])
@pytest.mark.parametrize("width", [4, 9])  # fewer units than directions, and more
def test_values_and_gradients_are_those_of_a_stream_for_each_direction(width: int, common: bool) -> None:
    generator = torch.Generator().manual_seed(width)
    points = torch.randn(5, DIMENSION, dtype=torch.float64, generator=generator)
    factors = torch.randn(5, 1 if common else DIMENSION, dtype=torch.float64, generator=generator)
    drift = torch.randn(5, 2, dtype=torch.float64, generator=generator)
    coefficients = torch.cat([factors.expand(5, DIMENSION), drift], 1)
    net = network(width)
    streams = net.jets(points, WANTED, (coefficients,))[0][[0, -1]]
    found = forward_laplacian(net, points, WANTED, coefficients)
    assert torch.allclose(found, streams, rtol=1e-10, atol=1e-12)
    grads = [torch.autograd.grad(s.square().sum(), list(net.parameters()), allow_unused=True) for s in (streams, found)]
    for expected, grad in zip(*grads, strict=True):
        assert torch.allclose(grad, expected, rtol=1e-8, atol=1e-10)


def test_operators_without_a_single_stream() -> None:
    mixed = tuple(map(sum, zip(unit(0, 1), unit(1, 1), strict=True)))
    assert supports_forward_laplacian(network(3), WANTED)
    assert not supports_forward_laplacian(network(3, joined=2), WANTED)
    assert not supports_forward_laplacian(network(3), DerivativeRequest((unit(1, 1),), (LAPLACIAN,)))
    assert not supports_forward_laplacian(network(3), DerivativeRequest((unit(0, 0),), ((*LAPLACIAN, mixed),)))
