"""Random sines, plain and symmetric: their derivatives against automatic ones, and whole periods along joined sides."""

from __future__ import annotations

import pytest
import torch

from pdedsl.runtime.basis.random_features import (
    CoordinateBox,
    FourierFeatureModel,
    FourierFeatures,
    PermutationInvariantFeatures,
    SymmetrizedFeatures,
    sample_fourier_features,
)

SIDES = CoordinateBox(torch.tensor([0.5, 1.0]).double(), torch.tensor([0.5, 2.0]).double(), torch.tensor([True, False]))
WAVES = sample_fourier_features(7, SIDES, torch.tensor([6.0, 2.0]).double(), 1)
POINTS = torch.rand(5, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
WEIGHTS = torch.randn(1, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


SYMMETRIC: list[FourierFeatures | SymmetrizedFeatures | PermutationInvariantFeatures] = [
    WAVES,
    SymmetrizedFeatures(WAVES.frequencies, WAVES.phases, SIDES.center, (1, -1)),
    SymmetrizedFeatures(WAVES.frequencies, WAVES.phases, SIDES.center, (0, 1)),
    SymmetrizedFeatures(WAVES.frequencies, WAVES.phases, SIDES.center, (-1, 0)),
    PermutationInvariantFeatures(WAVES),
]


def plain(waves: FourierFeatures | SymmetrizedFeatures | PermutationInvariantFeatures) -> FourierFeatureModel:
    return FourierFeatureModel(*((waves, WEIGHTS) if isinstance(waves, FourierFeatures) else waves.spread(WEIGHTS)))


def by_autograd(
    waves: FourierFeatures | SymmetrizedFeatures | PermutationInvariantFeatures, orders: tuple[int, int]
) -> torch.Tensor:
    x = POINTS.clone().requires_grad_()
    value = plain(waves)(x)[:, 0]
    for k, order in enumerate(orders):
        for _ in range(order):
            (slopes,) = torch.autograd.grad(value.sum(), x, create_graph=True)
            value = slopes[:, k]
    return value.detach()


@pytest.mark.parametrize("waves", SYMMETRIC, ids=["plain", "even and odd", "even in one", "odd in one", "shuffled"])
def test_derivatives_of_any_order_are_those_of_autograd(
    waves: FourierFeatures | SymmetrizedFeatures | PermutationInvariantFeatures,
) -> None:
    orders = [(0, 0), (1, 0), (0, 2), (2, 1), (3, 1), (4, 0), (2, 3)]
    expected = torch.stack([by_autograd(waves, o) for o in orders])
    at = waves.at(POINTS)
    assert torch.allclose(torch.stack(at.values(orders, WEIGHTS[0])), expected, rtol=1e-12, atol=1e-10)
    for k, o in enumerate(orders):
        assert torch.allclose(at.combine([POINTS[:, 1]], [o]) @ WEIGHTS[0], POINTS[:, 1] * expected[k], atol=1e-10)


def test_sums_have_the_symmetries_of_their_sines() -> None:
    mirrored = 2 * SIDES.center - POINTS
    for waves, kinds in ((SYMMETRIC[1], (1, -1)), (SYMMETRIC[2], (0, 1)), (SYMMETRIC[3], (-1, 0))):
        for k, kind in enumerate(kinds):
            turned = POINTS.clone()
            turned[:, k] = mirrored[:, k]
            difference = plain(waves)(turned) - (kind or 1) * plain(waves)(POINTS)
            assert (float(difference.abs().max()) < 1e-12) is (kind != 0)
    assert torch.allclose(plain(SYMMETRIC[4])(POINTS.flip(1)), plain(SYMMETRIC[4])(POINTS), atol=1e-12)


def test_a_combination_is_the_sum_of_its_derivatives() -> None:
    at, orders = WAVES.at(POINTS), [(1, 0), (0, 2), (0, 0), (0, 1)]
    coefficients = [POINTS[:, 0], POINTS[:, 1], torch.ones(5).double(), POINTS[:, 0] ** 2]
    expected = sum(c[:, None] * at.derivative(o) for c, o in zip(coefficients, orders, strict=True))
    assert torch.allclose(at.combine(coefficients, orders), expected, rtol=1e-13, atol=1e-12)  # type: ignore[arg-type]


def test_joined_sides_have_the_same_values_at_both_ends() -> None:
    network = FourierFeatureModel(WAVES, WEIGHTS)
    shifted = POINTS + torch.tensor([1.0, 0.0])
    assert torch.allclose(network(shifted), network(POINTS), atol=1e-12)
    assert not torch.allclose(network(POINTS + torch.tensor([0.0, 4.0])), network(POINTS), atol=1e-2)
