"""Products that are written out, layouts, cotangents and second derivatives."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime.convnet import ConvNet
from pdedsl.runtime.image_fields import LayerPerStep, SumField
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.ode import reversible
from pdedsl.runtime.ode.explicit import TimeGrid
from pdedsl.runtime.ode.reversible import Reversible
from pdedsl.runtime.ode.symplectic import Verlet
from pdedsl.runtime.pde_blocks import LeapfrogBlock
from pdedsl.runtime.symmetric_layer import SymmetricLayer, TotalVariationNorm
from runtime.halves import _block, _gradients


def test_norm_with_scale_only_on_some_steps() -> None:
    layers = [SymmetricLayer(ConvOperator(2), "relu", TotalVariationNorm(2)), SymmetricLayer(ConvOperator(2), "tanh")]
    block = LeapfrogBlock(LayerPerStep(layers), TimeGrid(0.0, 1.0, 2)).double()
    x = torch.randn(1, 2, 4, 4, dtype=torch.float64)
    for a, b in zip(_gradients(block, x, False), _gradients(block, x, True), strict=True):
        assert torch.allclose(a, b, rtol=1e-11)


LAYOUTS = {"contiguous": torch.contiguous_format, "channels last": torch.channels_last}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 3, 5])
def test_written_out_product_of_a_convnet(layout: str, layers: int, size: int) -> None:
    net = ConvNet(6, layers, size).double().to(memory_format=LAYOUTS[layout])
    for parameter in net.parameters():
        nn.init.normal_(parameter, mean=0.2)
    assert reversible.has_convnet_vjp(net)
    y, g = (torch.randn(3, 6, 5, 4, dtype=torch.float64).to(memory_format=LAYOUTS[layout]) for _ in range(2))
    with torch.no_grad():
        value, pullback = reversible.linearize_convnet(net, 0.7, y)
        ours = pullback(g)
    y.requires_grad_()
    plain = torch.autograd.grad(net(0.7, y), (y, *net.parameters()), g)
    assert torch.allclose(value, net(0.7, y), rtol=1e-12)
    assert len(ours) == len(plain)
    for a, b in zip(ours, plain, strict=True):
        assert a.shape == b.shape
        assert torch.allclose(a, b, rtol=1e-10, atol=1e-11)
    assert ours[0].is_contiguous(memory_format=LAYOUTS[layout])


def test_which_convnets_are_written_out() -> None:
    assert not reversible.has_convnet_vjp(ConvNet(4, 1, activation_name="tanh"))
    assert not reversible.has_convnet_vjp(ConvNet(4, 1, norm=False))
    frozen = ConvNet(4, 1)
    frozen.norms.requires_grad_(False)
    assert not reversible.has_convnet_vjp(frozen)


@pytest.mark.parametrize("name", ["hamiltonian", "second order", "revnet"])
def test_gradients_of_channels_last_states(name: str) -> None:
    block = _block(name, 3).to(memory_format=torch.channels_last)
    x = torch.randn(2, 8, 5, 6, dtype=torch.float64).to(memory_format=torch.channels_last)
    for a, b in zip(_gradients(block, x, False), _gradients(block, x, True), strict=True):
        assert (a - b).abs().max() <= 1e-10 * max(1.0, float(b.abs().max()))


@pytest.mark.parametrize("reads", ["one half", "a constant cotangent", "another layout"])
def test_cotangents_of_every_kind(reads: str) -> None:
    """A half that nobody reads, a cotangent of strides zero, a contiguous one of channels-last states."""
    chain = _block("revnet", 3).to(memory_format=torch.channels_last).chain
    read = {
        "one half": lambda y, z: z.sin().sum(),
        "a constant cotangent": lambda y, z: y.sum() + 2 * z.sum(),
        "another layout": lambda y, z: (
            (y.flatten().sin() @ torch.linspace(0, 1, y.numel(), dtype=y.dtype)) + z[0].sum()
        ),
    }[reads]
    inputs = [torch.randn(2, 4, 5, 6, dtype=torch.float64).to(memory_format=torch.channels_last) for _ in range(2)]
    found = []
    for chain.store in (False, True):
        halves = [half.clone().requires_grad_() for half in inputs]
        found.append(torch.autograd.grad(read(*chain(*halves)), (*halves, *chain.parameters())))
    for a, b in zip(*found, strict=True):
        assert (a - b).abs().max() <= 1e-10 * max(1.0, float(b.abs().max()))


# ---- second derivatives


def test_second_derivatives_are_rejected_and_not_zero() -> None:
    block, x = _block("hamiltonian", 2), torch.randn(1, 8, 3, 3, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="store=True"):
        torch.autograd.functional.hvp(lambda x: block(x).sin().sum(), x, x)
    with pytest.raises(RuntimeError, match="differentiable once"):
        torch.autograd.grad(block(x).sum(), tuple(block.parameters()), create_graph=True)


def test_the_way_out_has_second_derivatives() -> None:
    block, x = _block("hamiltonian", 2), torch.randn(1, 8, 3, 3, dtype=torch.float64)
    block.chain.store = True
    direction, h = torch.randn_like(x), 1e-6

    def slope(point: Tensor) -> Tensor:
        point = point.clone().requires_grad_()
        return torch.autograd.grad(block(point).sin().sum(), point)[0]

    exact = torch.autograd.functional.hvp(lambda x: block(x).sin().sum(), x, direction)[1]
    difference = (slope(x + h * direction) - slope(x - h * direction)) / (2 * h)
    assert (exact - difference).norm() < 1e-5 * exact.norm()


# ---- nothing learned


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_an_oscillator_without_weights_in_half_precision(dtype: torch.dtype) -> None:
    """Y′ = Z, Z′ = −Y: there is no weight whose digits could be taken; a half does not lead back."""
    chain = Reversible((SumField(reaction=1.0), SumField(reaction=-1.0)), Verlet(), TimeGrid(0.0, 1.0, 10))
    y = torch.randn(2, 3, dtype=dtype, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16):
        end, other = chain(y, torch.zeros_like(y))
    assert end.dtype is other.dtype is (torch.float32 if dtype is torch.bfloat16 else dtype)
    exact = Verlet().integrate(chain.fields, (y.to(end.dtype), torch.zeros_like(end)), chain.steps)
    assert torch.allclose(end, exact[0], rtol=1e-6)
    end.sum().backward()
    assert y.grad is not None
