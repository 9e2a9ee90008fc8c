"""Reversible blocks of every kind, and their gradients."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pdedsl.runtime.convnet import ConvNet
from pdedsl.runtime.image_fields import LayerPerStep, SharedLayer
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.ode.explicit import TimeGrid
from pdedsl.runtime.ode.symplectic import Leapfrog
from pdedsl.runtime.pde_blocks import LeapfrogBlock, PdeBlock, VerletBlock
from pdedsl.runtime.symmetric_layer import SymmetricLayer
from pdedsl.runtime.weight_constraints import SpectralNormBound
from runtime.paper_blocks import hamiltonian_block, second_order_block


def _revnet(steps: TimeGrid, per_step: bool) -> VerletBlock:
    if per_step:
        return VerletBlock(*(LayerPerStep.create(lambda: ConvNet(4, 2), steps.count) for _ in range(2)), steps)
    return VerletBlock(*(SharedLayer(ConvNet(4, 2)) for _ in range(2)), steps)


def _bounded(steps: TimeGrid) -> LeapfrogBlock:
    field = LayerPerStep.create(
        lambda: SymmetricLayer(ConvOperator(8, constraint=SpectralNormBound(1.0)), "tanh"), steps.count
    )
    return LeapfrogBlock(field, steps)


BLOCKS = {
    "hamiltonian": lambda steps: hamiltonian_block(8, steps),
    "second order": lambda steps: second_order_block(8, steps),
    "second order, papers' start": lambda steps: second_order_block(8, steps, Leapfrog("paper")),
    "bounded": _bounded,
    "revnet": lambda steps: _revnet(steps, per_step=True),
    "revnet, stationary": lambda steps: _revnet(steps, per_step=False),
}


def _block(name: str, depth: int) -> PdeBlock:
    block = BLOCKS[name](TimeGrid(0.0, 0.1 * depth, depth)).double()
    for parameter in block.parameters():  # scales and biases that are neither one nor zero
        nn.init.normal_(parameter, mean=0.1, std=0.3)
    return block


def _gradients(block: nn.Module, x: Tensor, store: bool) -> list[Tensor]:
    block.chain.store = store
    block.zero_grad()
    x = x.clone().requires_grad_()
    y = block(x)
    (y.sin() * torch.linspace(0, 1, y.numel(), dtype=y.dtype).view_as(y)).sum().backward()
    assert x.grad is not None
    return [y.detach(), x.grad, *(p.grad for p in block.parameters() if p.grad is not None)]
