"""Reversible execution: the inverse, gradients against autograd, and refusals."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime.convnet import ConvNet
from pdedsl.runtime.image_fields import SharedLayer, Time
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.ode import reversible
from pdedsl.runtime.ode.explicit import TimeGrid
from pdedsl.runtime.ode.reversible import Reversible
from pdedsl.runtime.ode.symplectic import Leapfrog, Verlet
from pdedsl.runtime.pde_blocks import LeapfrogBlock, VerletBlock
from pdedsl.runtime.symmetric_layer import SymmetricLayer, batch_norm
from pdedsl.runtime.weight_constraints import SpectralNormBound
from runtime.halves import BLOCKS, _block, _gradients
from runtime.paper_blocks import hamiltonian_block, second_order_block


@torch.no_grad()
@pytest.mark.parametrize("name", list(BLOCKS))
def test_inverse_recovers_the_input_at_depth_100(name: str) -> None:
    block, x = _block(name, 100), torch.randn(2, 8, 8, 8, dtype=torch.float64)
    recovered = block.inverse(*block.last_states(x)) if isinstance(block, LeapfrogBlock) else block.inverse(block(x))
    assert (block(x) - x).abs().max() > 0.1
    assert (recovered - x).abs().max() < 1e-10


@pytest.mark.parametrize("name", list(BLOCKS))
@pytest.mark.parametrize("depth", [1, 2, 20])
def test_gradients_equal_autograd(name: str, depth: int) -> None:
    block, x = _block(name, depth), torch.randn(2, 8, 5, 6, dtype=torch.float64)
    ours, plain = (_gradients(block, x, store) for store in (False, True))
    assert len(ours) == len(plain) == 2 + len(list(block.parameters()))
    for a, b in zip(ours, plain, strict=True):
        assert (a - b).abs().max() <= 1e-10 * max(1.0, float(b.abs().max()))


def test_written_out_and_generic_products_agree() -> None:
    block, x = _block("hamiltonian", 5), torch.randn(2, 8, 5, 6, dtype=torch.float64)
    layer = block.right_hand_sides()[0].layer(0)
    assert reversible.has_symmetric_vjp(layer)
    frozen = copy.deepcopy(layer)
    frozen.norm.requires_grad_(False)
    assert not reversible.has_symmetric_vjp(frozen)
    first = _gradients(block, x, store=False)[1]
    for half in block.right_hand_sides():
        for step in range(5):
            half.layer(step).norm.requires_grad_(False)
    assert torch.allclose(_gradients(block, x, store=False)[1], first, rtol=1e-12)


def test_gradcheck() -> None:
    bounded = SharedLayer(SymmetricLayer(ConvOperator(2, constraint=SpectralNormBound(1.0)), "tanh"))
    for block in (hamiltonian_block(4, TimeGrid(0, 1, 2)), LeapfrogBlock(bounded, TimeGrid(0, 1, 3))):
        block.double()
        channels = 4 if isinstance(block, VerletBlock) else 2
        x = torch.randn(1, channels, 2, 2, dtype=torch.float64, requires_grad=True)
        weights = tuple(block.parameters())[:1]
        assert torch.autograd.gradcheck(lambda x, *_, block=block: block(x), (x, *weights))


def test_both_outputs_carry_gradients() -> None:
    class Bias(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bias = nn.Parameter(torch.randn(1, 2, dtype=torch.float64))

        def forward(self, t: Time, y: Tensor) -> Tensor:
            return y + self.bias

    chains = [
        Reversible((SharedLayer(Bias()), SharedLayer(Bias())), Verlet(), TimeGrid(0, 2, 2), s) for s in (False, True)
    ]
    chains[1].load_state_dict(chains[0].state_dict())
    results = []
    for chain in chains:
        y, z = (torch.full((1, 2), v, dtype=torch.float64, requires_grad=True) for v in (1.0, 2.0))
        a, b = chain(y, z)
        (a.square() + 3 * b.cos()).sum().backward()
        results.append([y.grad, z.grad, *(p.grad for p in chain.parameters())])
    for ours, plain in zip(*results, strict=True):
        assert torch.allclose(ours, plain, rtol=1e-13)


def test_untouched_half_and_frozen_weights() -> None:
    block = _block("hamiltonian", 2)
    block.requires_grad_(False)
    x = torch.randn(1, 8, 3, 3, dtype=torch.float64, requires_grad=True)
    block(x).sum().backward()
    assert x.grad is not None
    assert not block(x.detach()).requires_grad


def test_a_weight_changed_before_backward_is_noticed() -> None:
    block, x = _block("hamiltonian", 2), torch.randn(1, 8, 3, 3, dtype=torch.float64)
    y = block(x).sum()
    with torch.no_grad():
        next(block.parameters()).add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


class _Wrapped(nn.Module):
    def __init__(self, inner: nn.Module):
        super().__init__()
        self.inner = inner

    def forward(self, t: Time, y: Tensor) -> Tensor:
        return self.inner(y)


class _OwnGenerator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = torch.Generator().manual_seed(1)

    def forward(self, y: Tensor) -> Tensor:
        return y + torch.randn(y.shape, generator=self.generator)


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (nn.Dropout(0.1), "Dropout at 'only.inner' draws random numbers"),
        (nn.RReLU(), "draws random numbers"),
        (nn.BatchNorm2d(2), "uses batch statistics"),
        (nn.InstanceNorm2d(2, track_running_stats=True), "running statistics"),
    ],
)
def test_noise_and_batch_statistics_are_rejected(module: nn.Module, reason: str) -> None:
    with pytest.raises(ValueError, match=f"noise-free blocks only.*{reason}"):
        Reversible((SharedLayer(_Wrapped(module)),), Leapfrog(), TimeGrid(0, 1, 1))


def test_batch_norm_in_a_symmetric_layer_is_rejected() -> None:
    layer = SymmetricLayer(ConvOperator(2), "relu", batch_norm(2))
    with pytest.raises(ValueError, match="batch statistics"):
        LeapfrogBlock(SharedLayer(layer), TimeGrid(0, 1, 1))


def test_noise_of_an_unknown_kind_is_found() -> None:
    block = LeapfrogBlock(SharedLayer(_Wrapped(_OwnGenerator())), TimeGrid(0, 1, 1))
    with pytest.raises(ValueError, match="not repeatable"):
        block(torch.randn(1, 2, 3, 3, requires_grad=True))


def test_group_norm_is_supported() -> None:
    Reversible((SharedLayer(ConvNet(4, 1)),), Leapfrog(), TimeGrid(0, 1, 1))


def test_odd_channels_are_rejected() -> None:
    with pytest.raises(ValueError, match="two halves"):
        _block("hamiltonian", 1)(torch.randn(1, 7, 3, 3, dtype=torch.float64))


def test_meta_device() -> None:
    with torch.device("meta"):
        block = hamiltonian_block(8, TimeGrid(0, 3, 3))
        assert block(torch.empty(2, 8, 4, 4)).shape == (2, 8, 4, 4)
        second = second_order_block(8, TimeGrid(0, 3, 3))
        assert second(torch.empty(2, 8, 4, 4)).shape == (2, 8, 4, 4)


def test_no_state_of_the_chain_is_saved() -> None:
    """The graph of a chain of any depth holds as many saved tensors as one step: the last state and the weights."""
    kept = []
    for depth in (2, 40):
        block, saved = _block("revnet, stationary", depth), []
        x = torch.randn(1, 8, 4, 4, dtype=torch.float64, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t, saved=saved: saved.append(t.shape), lambda t: t):
            block(x)
        kept.append(len(saved))
    assert kept[0] == kept[1]
