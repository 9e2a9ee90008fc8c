"""Total variation of the weights in time, and decay (Ruthotto, Haber 2018, section 4)."""

from __future__ import annotations

import pytest
import torch
from runtime.paper_blocks import hamiltonian_block, parabolic_block
from torch import nn

from pdedsl.runtime.convnet import ConvNet
from pdedsl.runtime.image_fields import SharedLayer
from pdedsl.runtime.ode.explicit import Euler, TimeGrid
from pdedsl.runtime.pde_blocks import FirstOrderBlock
from pdedsl.training.losses.weight_penalty import smooth_in_time, weight_decay


def test_smoothness_in_time_by_explicit_formulas() -> None:
    block = parabolic_block(2, Euler(), TimeGrid(0.0, 1.5, 3)).double()
    a, b, c = ([p.detach().flatten() for p in layer.parameters()] for layer in block.right_hand_sides()[0].layers)
    a, b, c = (torch.cat(v) for v in (a, b, c))
    h, tau = 0.5, 1e-2
    expected = sum(h * (((v - u) / h) ** 2 + tau).sqrt().sum() for u, v in ((a, b), (b, c)))
    assert smooth_in_time(block, tau).item() == pytest.approx(float(expected), rel=1e-12)


def test_constant_weights_cost_the_least() -> None:
    block = hamiltonian_block(4, TimeGrid(0.0, 3.0, 3))
    for field in block.right_hand_sides():
        for layer in list(field.layers)[1:]:
            layer.load_state_dict(field.layers[0].state_dict())
    count = sum(p.numel() for p in block.parameters())
    assert smooth_in_time(block, 1e-4).item() == pytest.approx(2 / 3 * count * 1e-2, rel=1e-4)


def test_decay_by_explicit_formulas() -> None:
    model = nn.Sequential(parabolic_block(2, Euler(), TimeGrid(0.0, 1.0, 2)), nn.Linear(2, 3)).double()
    block, classifier = (sum(p.square().sum().item() for p in part.parameters()) for part in model)
    assert weight_decay(model).item() == pytest.approx(0.5 * (0.5 * block + classifier), rel=1e-12)


def test_both_have_gradients() -> None:
    block = hamiltonian_block(4, TimeGrid(0.0, 3.0, 3))
    (smooth_in_time(block) + weight_decay(block)).backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in block.parameters())


def test_stationary_weights_do_not_vary() -> None:
    block = FirstOrderBlock(SharedLayer(ConvNet(4, 1)), Euler(), TimeGrid(0.0, 1.0, 2))
    assert smooth_in_time(block).item() == 0
    assert smooth_in_time(nn.Identity()).item() == 0
    assert weight_decay(nn.Identity()).item() == 0
