"""Operators by random directions: their mean over all signs is the operator."""

from __future__ import annotations

from itertools import product

import pytest
import torch

from pdedsl.runtime.basis.random_features import CoordinateBox
from pdedsl.runtime.diff.mlp_jets import (
    DerivativeRequest,
    JetNetwork,
    ReflectionSymmetry,
    hutchinson_estimates,
    supports_hutchinson,
)

BENDS = ((2, 0, 0), (0, 2, 0), (0, 0, 2))
SIDES = (torch.tensor([0.5, 1.0, 0.0]).double(), torch.tensor([0.5, 2.0, 1.0]).double())


@pytest.mark.parametrize("activation", ["tanh", "softplus"])
@pytest.mark.parametrize("mirror", [None, ReflectionSymmetry(1, (-1, 1))])
@pytest.mark.parametrize("joined", [(False, False, False), (True, False, True)])
def test_the_mean_over_all_signs_is_exact(
    joined: tuple[bool, ...], mirror: ReflectionSymmetry | None, activation: str
) -> None:
    network = JetNetwork(CoordinateBox(*SIDES, torch.tensor(joined)), 7, 3, 2, activation, 0, mirror)
    generator = torch.Generator().manual_seed(1)
    points = torch.rand(5, 3, dtype=torch.float64, generator=generator)
    wanted = DerivativeRequest(((0, 0, 0),), ((*BENDS, (1, 0, 0), (0, 1, 0)),))
    coefficients = torch.randn(5, 5, dtype=torch.float64, generator=generator)
    assert bool((coefficients[:, :3] < 0).any())
    signs = torch.tensor(list(product((-1.0, 1.0), repeat=3))).double()
    every = torch.cat([signs, torch.ones(8, 2)], 1)[:, None, None].expand(8, 1, 5, 5)
    found = hutchinson_estimates(network, points, wanted, coefficients, every).detach()
    exact = network.jets(points, wanted, (coefficients,))[0].detach()
    torch.testing.assert_close(found[0], exact[0])
    torch.testing.assert_close(found[1:].mean(0), exact[-1])
    assert float((found[1:] - exact[-1]).abs().max()) > 1e-2  # each of them is not
    two = hutchinson_estimates(
        network, points, wanted, coefficients, every.reshape(4, 2, 5, 5)
    ).detach()  # two probes each
    torch.testing.assert_close(two[1:], found[1:].reshape(4, 2, 5, 2).mean(1))


def test_estimable_operators() -> None:
    zero = (0, 0, 0)
    assert supports_hutchinson(DerivativeRequest((zero,), (BENDS,)))
    assert not supports_hutchinson(DerivativeRequest((zero,), ((*BENDS, (1, 1, 0)),)))
    assert not supports_hutchinson(DerivativeRequest(((1, 0, 0),), (BENDS,)))
    assert not supports_hutchinson(DerivativeRequest((zero,)))
