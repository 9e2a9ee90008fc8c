"""Reproduces counterexamples of the analysis to axioms of feature maps on the compiled block."""

from __future__ import annotations

import torch
from sympy import Symbol
from torch import Tensor, nn

from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.verdicts import FeatureMapCounterexample
from pdedsl.runtime.convnet import ConvNet
from pdedsl.runtime.image_fields import LearnedField
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.pde_blocks import PdeBlock
from pdedsl.runtime.symmetric_layer import TotalVariationNorm

GROWTH_RTOL = 1e-3  # relative to the change found by the analysis
IMAGE_SIZE = 3  # per side: the smallest map with an interior pixel


@torch.no_grad()
def reproduces(block: PdeBlock, plan: ImagePlan, example: FeatureMapCounterexample, width: int) -> bool:
    """Whether the distance or norm changes on the block as in the analysis."""
    sizes = dict(example.operators)
    for field, head in zip(block.right_hand_sides(), _heads(plan), strict=True):
        _set_weights(field, sizes.get(head, 0.0), example)
    states = [_constant_maps(state, width) for state in example.states]
    ends = [block(state) for state in states]
    start, end = (states[0] - states[1], ends[0] - ends[1]) if len(states) == 2 else (states[0], ends[0])
    before, after = float(start.norm()), float(end.norm())
    if before == 0:
        return after > 0
    return abs(after / before - example.growth) <= GROWTH_RTOL * abs(example.growth - 1)


def _heads(plan: ImagePlan) -> list[Symbol]:
    """The learned field of each layer of the right-hand sides, in order."""
    return [layer.head for right in plan.system.right_hand_sides for layer in right.layers]


def _set_weights(field: LearnedField, k: float, example: FeatureMapCounterexample) -> None:
    """Sets kernels to k times the identity on the channels of the example, norms to its scale and bias, and the output
    of learned networks to zero."""
    channels = range(len(example.states[0][0]))
    for module in field.modules():
        match module:
            case ConvOperator():
                module.weight.zero_()
                middle = module.weight.shape[-1] // 2
                module.weight[channels, channels, middle, middle] = k
            case TotalVariationNorm(scale=scale, bias=bias) | nn.BatchNorm2d(weight=scale, bias=bias):
                nn.init.constant_(scale, example.scale)
                nn.init.constant_(bias, example.bias)
            case ConvNet(norms=norms):
                for parameter in norms[-1].parameters():
                    nn.init.zeros_(parameter)


def _constant_maps(state: tuple[tuple[float, ...], ...], width: int) -> Tensor:
    """A state with these values at every pixel, half by half, and zero in all other channels."""
    half = width // len(state)
    y = torch.zeros(1, width, IMAGE_SIZE, IMAGE_SIZE, dtype=torch.float64)
    for place, values in enumerate(state):
        first = place * half
        y[0, first : first + len(values)] = torch.tensor(values, dtype=torch.float64)[:, None, None]
    return y
