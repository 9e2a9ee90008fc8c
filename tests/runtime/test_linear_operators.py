"""Adjoints, norm bounds, boxes, and divergence-free fields."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.runtime.divergence_free import DivergenceFree
from pdedsl.runtime.linear_operators import ConvOperator, DenseOperator, LinearOperator, project_operators
from pdedsl.runtime.weight_constraints import (
    BoxConstraint,
    Constraint,
    SpectralNormBound,
    Unconstrained,
    convolution_norm_bound,
)


def power_method(operator: LinearOperator, shape: tuple[int, ...], iterations: int = 200) -> float:
    """‖K‖ from below, by iterating KᵀK."""
    x = torch.randn(shape, dtype=torch.float64)
    size = torch.ones(())
    with torch.no_grad():
        weight = operator.constrained_weight()
        for _ in range(iterations):
            x = operator.adjoint_product(weight, operator.product(weight, x))
            size = x.norm()
            x = x / size.clamp_min(1e-300)
    return float(size.sqrt())


CONSTRAINTS = [Unconstrained(), SpectralNormBound(1.0), BoxConstraint(-0.1, 0.1)]


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("size", [1, 3, 5])
def test_convolution_adjoint(constraint: Constraint, size: int) -> None:
    operator = ConvOperator(3, 5, size, constraint).double()
    x, y = torch.randn(2, 3, 7, 6, dtype=torch.float64), torch.randn(2, 5, 7, 6, dtype=torch.float64)
    assert (operator(x) * y).sum().item() == pytest.approx((x * operator.adjoint(y)).sum().item(), rel=1e-12)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_linear_adjoint(constraint: Constraint) -> None:
    operator = DenseOperator(6, 4, constraint).double()
    x, y = torch.randn(5, 6, dtype=torch.float64), torch.randn(5, 4, dtype=torch.float64)
    assert (operator(x) * y).sum().item() == pytest.approx((x * operator.adjoint(y)).sum().item(), rel=1e-12)


def test_convolution_is_cross_correlation_with_zeros_outside() -> None:
    operator = ConvOperator(1)
    with torch.no_grad():
        operator.weight.copy_(torch.tensor([[0, 0, 0], [0, 0, 1.0], [0, 0, 0]])[None, None])
    x = torch.arange(6.0).reshape(1, 1, 2, 3)
    assert operator(x).tolist() == [[[[1, 2, 0], [4, 5, 0]]]]


def _weights(channels: int, size: int) -> dict[str, Tensor]:
    shape = (channels, channels, size, size)
    one_sided = torch.zeros(shape)
    one_sided[..., 0, -1] = torch.randn(channels, channels)
    checkers = (-1.0) ** (torch.arange(size)[:, None] + torch.arange(size))
    return {
        "random": torch.randn(shape),
        "constant": torch.ones(shape),
        "checkerboard": checkers.expand(shape).clone(),
        "rank one": torch.randn(channels, 1, 1, 1) * torch.randn(1, channels, size, size),
        "one tap": one_sided,
        "orthogonal taps": torch.linalg.qr(torch.randn(size, size, channels, channels))[0].permute(2, 3, 0, 1).clone(),
        "large": 1e6 * torch.randn(shape),
    }


@pytest.mark.parametrize("size", [1, 3, 5])
@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize("image", [(3, 3), (16, 16), (1, 9)])
def test_norm_bound_holds_for_every_weight(channels: int, size: int, image: tuple[int, int]) -> None:
    operator = ConvOperator(channels, size=size, constraint=SpectralNormBound(0.7)).double()
    for name, weight in _weights(channels, size).items():
        with torch.no_grad():
            operator.weight.copy_(weight)
        assert power_method(operator, (1, channels, *image)) <= 0.7 * (1 + 1e-12), name


def test_norm_bound_is_reasonably_tight() -> None:
    for name, weight in _weights(4, 3).items():
        free = ConvOperator(4).double()
        with torch.no_grad():
            free.weight.copy_(weight)
        true = power_method(free, (1, 4, 40, 40))
        assert convolution_norm_bound(free.weight).item() <= 1.3 * true, name


def test_small_weights_are_unchanged() -> None:
    operator = ConvOperator(3, constraint=SpectralNormBound(1.0))
    with torch.no_grad():
        operator.weight.mul_(1e-3)
    assert torch.equal(operator.constrained_weight(), operator.weight)
    with torch.no_grad():
        operator.weight.zero_()
    operator.constrained_weight().sum().backward()
    assert torch.isfinite(operator.weight.grad).all()


@pytest.mark.parametrize("kind", [ConvOperator, DenseOperator])
def test_norm_bound_survives_an_optimizer_that_works_against_it(kind: type[ConvOperator] | type[DenseOperator]) -> None:
    operator = kind(3, constraint=SpectralNormBound(1.0)).double()
    shape = (2, 3, 8, 8) if isinstance(operator, ConvOperator) else (8, 3)
    optimizer = torch.optim.SGD(operator.parameters(), lr=0.3)
    for _ in range(30):
        optimizer.zero_grad()
        (-operator(torch.randn(shape, dtype=torch.float64)).square().sum()).backward()
        optimizer.step()
    assert 0.7 < power_method(operator, shape) <= 1 + 1e-9


def test_bound_is_differentiable() -> None:
    weight = torch.randn(2, 3, 3, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(convolution_norm_bound, weight)


def test_float32_bound_is_sound() -> None:
    for weight in _weights(4, 3).values():
        exact = convolution_norm_bound(weight.double()).item()
        assert convolution_norm_bound(weight.float()).item() == pytest.approx(exact, rel=1e-5)


def test_box_is_kept_by_projection() -> None:
    operator = ConvOperator(2, constraint=BoxConstraint(-0.125, 0.25))
    assert operator.weight.min() >= -0.125
    optimizer = torch.optim.SGD(operator.parameters(), lr=10.0)
    operator(torch.randn(1, 2, 5, 5)).sum().backward()
    optimizer.step()
    project_operators(operator)
    assert operator.weight.min() == -0.125
    assert operator.weight.max() == 0.25


def test_impossible_operators_are_rejected() -> None:
    with pytest.raises(ValueError, match="odd"):
        ConvOperator(2, size=2)
    with pytest.raises(ValueError, match="positive"):
        SpectralNormBound(0.0)
    with pytest.raises(ValueError, match="empty"):
        BoxConstraint(1.0, -1.0)


class StreamNet(torch.nn.Module):
    """A smooth potential: W₂ tanh(W₁ [x, t] + b₁), the least network that is dense in the stream functions."""

    def __init__(self, dimension: int, width: int):
        super().__init__()
        self.inner = torch.nn.Linear(dimension + 1, width)
        self.outer = torch.nn.Linear(width, dimension * (dimension - 1) // 2, bias=False)

    def forward(self, x: Tensor, t: float | Tensor = 0.0) -> Tensor:
        time = torch.as_tensor(t, dtype=x.dtype, device=x.device).reshape(-1, 1).expand(x.shape[0], 1)
        out: Tensor = self.outer(torch.tanh(self.inner(torch.cat([x, time], dim=1))))
        return out


@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_divergence_free(dimension: int) -> None:
    field = DivergenceFree(StreamNet(dimension, 8), dimension).double()
    x = torch.randn(dimension, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda p: field(p[None], 0.3)[0], x)
    assert jacobian.norm() > 1e-3
    assert jacobian.trace().item() == pytest.approx(0, abs=1e-14)


def test_stream_function_in_the_plane() -> None:
    class Rotation(torch.nn.Module):
        def forward(self, x: Tensor, t: float) -> Tensor:
            return -0.5 * x.square().sum(1, keepdim=True)

    x = torch.randn(4, 2)
    expected = torch.stack([-x[:, 1], x[:, 0]], dim=1)
    assert torch.allclose(DivergenceFree(Rotation(), 2)(x), expected)
    with torch.no_grad():
        assert torch.allclose(DivergenceFree(Rotation(), 2)(x), expected)


def test_divergence_free_field_trains() -> None:
    field = DivergenceFree(StreamNet(2, 4), 2)
    x = torch.randn(3, 2, requires_grad=True)
    field(x).square().sum().backward()
    assert x.grad is not None
    assert all(p.grad is not None for p in field.parameters() if p.dim() == 2)


def test_operators_on_the_meta_device() -> None:
    with torch.device("meta"):
        operator = ConvOperator(4, 6, constraint=SpectralNormBound(1.0))
        assert operator.adjoint(operator(torch.empty(2, 4, 8, 8))).shape == (2, 4, 8, 8)


def test_transpose_of_reference() -> None:
    operator = ConvOperator(2, 3).double()
    x = torch.randn(1, 2, 4, 4, dtype=torch.float64)
    assert torch.equal(operator(x), functional.conv2d(x, operator.weight, padding=1))
