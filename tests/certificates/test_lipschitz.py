"""Lipschitz certificates: exact for linear models, valid within the radius."""

from __future__ import annotations

import math

import pytest
import torch
from attacks.models import linear
from torch import Tensor, nn

from pdedsl.attacks import ddn, fab, pgd
from pdedsl.certificates import lipschitz


def test_exact_for_two_opposite_classes() -> None:
    """w_A = −w_B: ‖W‖ = √2‖w‖, so that √2 L = ‖w_A − w_B‖."""
    w = torch.tensor([1.0, -2.0, 2.0])
    x = torch.rand(30, 3, generator=torch.Generator().manual_seed(0))

    def model(x: Tensor) -> Tensor:
        return torch.stack([x @ w, -(x @ w)], 1)

    result = lipschitz(model, x, constant=3.0 * math.sqrt(2.0))
    torch.testing.assert_close(result.radii, ((x @ w).abs() / 3.0).double(), rtol=1e-5, atol=1e-7)
    assert torch.equal(result.classes, model(x).argmax(1))


def test_pairs_are_exact_for_a_linear_classifier() -> None:
    case = linear(5, 8, dtype=torch.float64)
    spectral = torch.linalg.matrix_norm(case.weight, 2).item()
    whole = lipschitz(case.model, case.x, constant=spectral)
    pairs = lipschitz(case.model, case.x, constant=1.0, head=case.weight)
    torch.testing.assert_close(pairs.radii, case.distance("2"))
    assert bool((whole.radii <= pairs.radii + 1e-12).all())


def orthogonal_network() -> tuple[nn.Module, Tensor]:
    """1-Lipschitz features: orthogonal layers and ReLU."""
    torch.default_generator.manual_seed(0)
    layers: list[nn.Module] = []
    for _ in range(3):
        layer = nn.utils.parametrizations.orthogonal(nn.Linear(6, 6))
        layers += [layer, nn.ReLU()]
    head = nn.Linear(6, 4)
    return nn.Sequential(*layers, head).eval(), head.weight


def test_no_attack_breaks_a_certificate() -> None:
    with torch.random.fork_rng(devices=[]):
        model, head = orthogonal_network()
    x = 2.0 * torch.rand(80, 6, generator=torch.Generator().manual_seed(1)) - 1.0
    result = lipschitz(model, x, constant=1.0, head=head)
    weaker = lipschitz(model, x, constant=torch.linalg.matrix_norm(head.detach(), 2).item())
    assert bool((weaker.radii <= result.radii * (1 + 1e-6)).all())
    for found in (ddn(model, x, result.classes, steps=60), fab(model, x, result.classes, norm="2", steps=30)):
        assert bool((found.distances >= result.radii * (1 - 1e-5))[found.fooled].all())
    for eps in (0.05, 0.2):
        held = result.radii > eps
        assert not pgd(model, x[held], result.classes[held], eps=eps, norm="2").fooled.any()


def test_the_model_may_know_its_constant() -> None:
    class Known(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x

        def lipschitz_constant(self) -> float:
            return 1.0

    result = lipschitz(Known(), torch.tensor([[3.0, 1.0], [2.0, 2.0]]))
    assert result.classes.tolist() == [0, -1]
    assert result.radii.tolist() == pytest.approx([math.sqrt(2.0), 0.0])


def test_a_constant_is_needed() -> None:
    with pytest.raises(ValueError, match="has no method `lipschitz_constant"):
        lipschitz(nn.Identity(), torch.zeros(1, 2))
    with pytest.raises(ValueError, match="positive and finite"):
        lipschitz(nn.Identity(), torch.zeros(1, 2), constant=math.inf)


def test_a_head_needs_the_constant_of_its_features() -> None:
    with pytest.raises(ValueError, match="constant of the features"):
        lipschitz(nn.Identity(), torch.zeros(1, 2), head=torch.eye(2))
