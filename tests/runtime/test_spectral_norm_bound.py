"""‖W‖ ≤ c of a matrix by its largest singular value: exact, differentiable, and harmless where W has none."""

from __future__ import annotations

import copy
import math

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime.linear_operators import DenseOperator, project_operators
from pdedsl.runtime.weight_constraints import BoundedWeight, BoxConstraint, SpectralNormBound, spectral_norm

F64 = torch.float64


def linear(bound: float, shape: tuple[int, int] = (3, 4)) -> DenseOperator:
    return DenseOperator(shape[1], shape[0], SpectralNormBound(bound)).double()


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 5), (10, 64)])
@pytest.mark.parametrize("size", [1e-6, 0.1, 1.0, 1e6])
def test_the_bound_holds_and_is_reached(shape: tuple[int, int], size: float) -> None:
    """Below the bound W is used as it is; above it the norm is the bound, to round-off and never beyond it."""
    operator = linear(0.7, shape)
    with torch.no_grad():
        operator.weight.mul_(size)
    operator.requires_grad_(False)
    used = operator.constrained_weight()
    free, norm = torch.linalg.svdvals(operator.weight)[0], torch.linalg.svdvals(used)[0]
    assert norm <= 0.7
    torch.testing.assert_close(norm, free.clamp_max(0.7), rtol=1e-12, atol=0)
    torch.testing.assert_close(used, operator.weight * min(1.0, 0.7 / float(free)), rtol=1e-12, atol=0)


def test_float32_does_not_pass_the_bound() -> None:
    torch.manual_seed(1)
    for _ in range(50):
        operator = DenseOperator(20, 7, SpectralNormBound(0.3))
        norm = torch.linalg.svdvals(operator.constrained_weight().double())[0]
        assert 0.3 * (1 - 1e-4) < norm <= 0.3


@pytest.mark.parametrize("bound", [0.2, 50.0])  # below and above the norm
def test_gradients_of_both_orders(bound: float) -> None:
    torch.manual_seed(2)
    w, known = nn.Parameter(torch.randn(3, 4, dtype=F64)), BoundedWeight()

    def product(values: Tensor) -> Tensor:
        return known(w, bound)

    assert torch.autograd.gradcheck(product, w)
    assert torch.autograd.gradgradcheck(product, w)


def test_gradient_of_a_weight_with_equal_singular_values() -> None:
    """‖W‖ has no gradient there, only subgradients, and one of them is taken: finite, and of unit trace norm."""
    w = torch.eye(3, dtype=F64).requires_grad_()
    (slope,) = torch.autograd.grad(spectral_norm(w), w)
    assert float(torch.linalg.matrix_norm(slope, "nuc")) == pytest.approx(1.0, rel=1e-12)
    assert float(slope.trace()) == pytest.approx(1.0, rel=1e-12)  # Euler: a norm is homogeneous


def test_zero_weight() -> None:
    operator = linear(0.5)
    nn.init.zeros_(operator.weight)
    operator(torch.ones(2, 4, dtype=F64)).sum().backward()
    assert operator.weight.grad is not None
    torch.testing.assert_close(operator.weight.grad, torch.full((3, 4), 2.0, dtype=F64))


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_weight_that_is_not_finite_gives_nan(value: float) -> None:
    """No exception: a training that diverges says so itself."""
    operator = linear(0.5)
    with torch.no_grad():
        operator.weight[0, 0] = value
    assert operator(torch.ones(1, 4, dtype=F64)).isnan().all()


def test_on_the_meta_device() -> None:
    operator = linear(0.5).to("meta")
    operator(torch.ones(2, 4, dtype=F64, device="meta")).sum().backward()
    assert operator.weight.grad is not None
    assert operator.weight.grad.shape == (3, 4)


def test_an_optimizer_cannot_pass_the_bound() -> None:
    torch.manual_seed(3)
    operator, x = linear(0.25), torch.randn(8, 4, dtype=F64)
    optimizer = torch.optim.Adam(operator.parameters(), lr=0.5)
    for _ in range(30):
        optimizer.zero_grad()
        (-operator(x).square().sum()).backward()
        optimizer.step()
        assert torch.linalg.svdvals(operator.constrained_weight())[0] <= 0.25
    assert torch.linalg.svdvals(operator.weight)[0] > 1


def test_it_is_a_linear_map_of_torch() -> None:
    """Found by its class, with its sizes, and no number was drawn for a weight that is not used."""
    torch.manual_seed(4)
    operator = DenseOperator(4, 3)
    assert isinstance(operator, nn.Linear)
    assert (operator.in_features, operator.out_features, operator.bias) == (4, 3, None)
    torch.manual_seed(4)
    torch.testing.assert_close(operator.weight, torch.randn(3, 4) / 2)
    assert [name for name, _ in operator.named_parameters()] == ["weight"]
    assert torch.equal(copy.deepcopy(operator)(torch.eye(4)), operator.weight.mT)


def test_a_box_is_projected() -> None:
    operator = DenseOperator(4, 3, BoxConstraint(-0.01, 0.02))
    assert (operator.weight.min(), operator.weight.max()) == (-torch.tensor(0.01), torch.tensor(0.02))
    nn.init.ones_(operator.weight)
    project_operators(nn.Sequential(operator))
    assert torch.equal(operator.weight, torch.full((3, 4), 0.02))
