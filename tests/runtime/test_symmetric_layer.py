"""The symmetric layer: its formula, what makes it monotone, and that with N_tv and relu it is not."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.runtime.activations import activation
from pdedsl.runtime.image_fields import LayerPerStep, SharedLayer
from pdedsl.runtime.linear_operators import ConvOperator, DenseOperator
from pdedsl.runtime.ode.explicit import Euler, TimeGrid
from pdedsl.runtime.pde_blocks import FirstOrderBlock
from pdedsl.runtime.symmetric_layer import SymmetricLayer, TotalVariationNorm, batch_norm
from pdedsl.runtime.weight_constraints import SpectralNormBound

SLOPES = torch.linspace(-8, 8, 160_001, dtype=torch.float64)


@pytest.mark.parametrize("name", list(ACTIVATIONS))
def test_stated_properties_of_activations_are_true(name: str) -> None:
    known, values = ACTIVATIONS[name], activation(name)(SLOPES)
    slopes = values.diff() / SLOPES.diff()
    assert bool((slopes >= -1e-9).all()) is known.monotone
    assert torch.allclose(activation(name)(-SLOPES), -values, atol=1e-12) is known.odd
    assert slopes.abs().max() <= known.lipschitz + 1e-9
    if name != "square":
        assert slopes.abs().max() >= 0.999 * known.lipschitz


def test_unknown_activation() -> None:
    with pytest.raises(ValueError, match="known are identity, relu"):
        activation("rleu")


def test_total_variation_norm() -> None:
    norm = TotalVariationNorm(3, eps=1e-3).double()
    with torch.no_grad():
        norm.scale.copy_(torch.tensor([1.0, 2.0, 3.0]))
        norm.bias.copy_(torch.tensor([0.5, 0.0, -0.5]))
    y = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    pixel = y[1, :, 2, 3]
    expected = norm.scale * pixel / (pixel.square().sum() + 1e-3).sqrt() + norm.bias
    assert torch.allclose(norm(y)[1, :, 2, 3], expected, rtol=1e-14)


@pytest.mark.parametrize("norm", [None, TotalVariationNorm(3), batch_norm(3)])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_formula(norm: nn.Module | None, sign: float) -> None:
    layer = SymmetricLayer(ConvOperator(3), "tanh", norm, sign).double().eval()
    y = torch.randn(2, 3, 6, 6, dtype=torch.float64)
    inner = torch.tanh((norm or nn.Identity())(layer.operator(y)))
    assert torch.allclose(layer(0.0, y), sign * layer.operator.adjoint(inner), rtol=1e-12)


def test_heat_equation() -> None:
    """σ = id, N = id, K = the forward difference: one Euler step is the explicit step for Y_t = ∂²Y."""
    layer = SymmetricLayer(ConvOperator(1), "identity")
    with torch.no_grad():
        layer.operator.weight.copy_(torch.tensor([[0, 0, 0], [0, -1.0, 1], [0, 0, 0]])[None, None])
    y = torch.zeros(1, 1, 1, 7)
    y[..., 3] = 1
    assert layer(0.0, y).flatten().tolist() == [0, 0, 1, -2, 1, 0, 0]


def test_gradcheck() -> None:
    layer = SymmetricLayer(ConvOperator(2, constraint=SpectralNormBound(1.0)), "tanh", TotalVariationNorm(2)).double()
    y = torch.randn(1, 2, 3, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda y, *_: layer(0.0, y), (y, *layer.parameters()))


def _pairs(shape: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    a = torch.randn(shape, dtype=torch.float64) * torch.rand(shape[0], 1, 1, 1, dtype=torch.float64) * 10
    return a, a + torch.randn(shape, dtype=torch.float64) * torch.rand(shape[0], 1, 1, 1, dtype=torch.float64)


def _expansion(model: nn.Module, a: Tensor, b: Tensor) -> float:
    with torch.no_grad():
        return float(((model(a) - model(b)).flatten(1).norm(dim=1) / (a - b).flatten(1).norm(dim=1)).max())


@pytest.mark.parametrize("name", [name for name, known in ACTIVATIONS.items() if known.monotone])
@pytest.mark.parametrize("scale", [0.1, 1.0, 100.0])
def test_monotone_network_never_expands(name: str, scale: float) -> None:
    """monotone.pde: ‖K‖ ≤ 1, h = 1, so that h‖K‖² ≤ 2, for weights of every size."""
    layers = [SymmetricLayer(ConvOperator(3, constraint=SpectralNormBound(1.0)), name) for _ in range(3)]
    for layer in layers:
        nn.init.normal_(layer.operator.weight, std=scale)
    model = FirstOrderBlock(LayerPerStep(layers), Euler(), TimeGrid(0.0, 3.0, 3)).double()
    assert _expansion(model, *_pairs((64, 3, 8, 8))) <= 1 + 1e-12


def test_monotone_network_never_expands_against_a_search() -> None:
    layers = [SymmetricLayer(ConvOperator(2, constraint=SpectralNormBound(2**0.5)), "relu") for _ in range(2)]
    model = FirstOrderBlock(LayerPerStep(layers), Euler(), TimeGrid(0.0, 2.0, 2)).double()
    a = torch.randn(8, 2, 6, 6, dtype=torch.float64, requires_grad=True)
    b = (a + 0.1 * torch.randn_like(a)).detach().requires_grad_()
    optimizer = torch.optim.Adam([a, b, *model.parameters()], lr=0.05)
    for _ in range(60):
        optimizer.zero_grad()
        loss = -((model(a) - model(b)).norm() / (a - b).norm())
        loss.backward()
        optimizer.step()
    assert -loss.item() <= 1 + 1e-12


def test_unbounded_box_network_expands() -> None:
    """The box |θ| ≤ 1 with h = 1 does not imply stability."""
    layer = SymmetricLayer(ConvOperator(3), "tanh")
    nn.init.ones_(layer.operator.weight)
    model = FirstOrderBlock(SharedLayer(layer), Euler(), TimeGrid(0.0, 1.0, 1)).double()
    a = torch.zeros(1, 3, 8, 8, dtype=torch.float64)
    assert _expansion(model, a, a + 1e-3) > 100


def _least_monotonicity(function: object) -> float:
    """min ⟨g(a) − g(b), a − b⟩ / |a − b|² over random pairs of pixels, small and large."""
    shape = (200_000, 3, 1, 1)
    a = torch.randn(shape, dtype=torch.float64) * 10 ** (3 * torch.rand(200_000, 1, 1, 1, dtype=torch.float64) - 2)
    b = a + torch.randn(shape, dtype=torch.float64) * 10 ** (4 * torch.rand(200_000, 1, 1, 1, dtype=torch.float64) - 3)
    with torch.no_grad():
        products = ((function(a) - function(b)) * (a - b)).sum(1) / (a - b).square().sum(1)
    return float(products.min())


def test_relu_of_total_variation_norm_is_not_monotone() -> None:
    norm = TotalVariationNorm(3, eps=1e-3).double()
    assert _least_monotonicity(norm) >= -1e-9
    assert _least_monotonicity(lambda y: torch.relu(norm(y))) < -0.1


def test_a_stored_counterexample_to_theorem_1() -> None:
    """Two pixels of two channels: growing the negative channel shrinks the positive one."""
    norm = TotalVariationNorm(2, eps=1e-3).double()
    a = torch.tensor([1.0, -1.0], dtype=torch.float64).view(1, 2, 1, 1)
    b = torch.tensor([1.1, -2.0], dtype=torch.float64).view(1, 2, 1, 1)
    difference = torch.relu(norm(a)) - torch.relu(norm(b))
    assert (difference * (a - b)).sum() < 0


def test_symmetric_layer_with_a_matrix() -> None:
    layer = SymmetricLayer(DenseOperator(4, constraint=SpectralNormBound(1.0)), "tanh").double()
    a, b = torch.randn(2, 16, 4, dtype=torch.float64)
    assert (((layer(0.0, a) - layer(0.0, b)) * (a - b)).sum(1) <= 0).all()
