"""Penalties on the weights, as terms of the training loss (Ruthotto, Haber 2018, section 4, eq. 13).

    R(θ, W, μ) = α₁ ∫ φ_τ(∂_t θ) dt + ½α₂ (∫ ‖θ(t)‖² dt + ‖W‖² + ‖μ‖²),   φ_τ(x) = √(x² + τ)

The defaults of Meganet, their code, have α₁ and α₂ swapped and exclude norms from the decay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

import torch
from torch import Tensor, nn

from pdedsl.config.training import Regularizer, SmoothInTime, Weights
from pdedsl.runtime.image_fields import LayerPerStep
from pdedsl.runtime.pde_blocks import PdeBlock


@dataclass(frozen=True)
class Regularization:
    """weight · term for each regularizer by its keyword: `smooth_in_time` ∫ φ_τ(∂_t θ) dt, `weights` ½‖θ‖²."""

    regularizers: tuple[Regularizer, ...]

    def __call__(self, model: nn.Module) -> dict[str, Tensor]:
        return {
            regularizer.name: float(regularizer.weight) * _term(regularizer, model) for regularizer in self.regularizers
        }


def _term(regularizer: Regularizer, model: nn.Module) -> Tensor:
    match regularizer:
        case SmoothInTime():
            return smooth_in_time(model)
        case Weights():
            return weight_decay(model)
        case _:
            assert_never(regularizer)


def smooth_in_time(model: nn.Module, tau: float = 1e-3) -> Tensor:
    """∫ φ_τ(∂_t θ) dt = Σ_j h φ_τ((θ_{j+1} − θ_j)/h), summed over the weights of all blocks: it favours weights that
    are piecewise constant in time."""
    terms = [_variation(field, h, tau) for field, h in _time_dependent_fields(model) if len(field.layers) > 1]
    return torch.stack(terms).sum() if terms else _zero(model)


def weight_decay(model: nn.Module) -> Tensor:
    """½(∫ ‖θ(t)‖² dt + ‖W‖² + ‖μ‖²): weights in time have the factor h each, all others 1."""
    lengths = {id(p): h for field, h in _time_dependent_fields(model) for p in field.parameters()}
    terms = [0.5 * lengths.get(id(p), 1.0) * p.square().sum() for p in model.parameters()]
    return torch.stack(terms).sum() if terms else _zero(model)


def _variation(field: LayerPerStep, h: float, tau: float) -> Tensor:
    histories = zip(*(list(layer.parameters()) for layer in field.layers), strict=True)
    speeds = [torch.stack(history).diff(dim=0) / h for history in histories]
    return torch.stack([h * (speed.square() + tau).sqrt().sum() for speed in speeds]).sum()


def _time_dependent_fields(model: nn.Module) -> Iterator[tuple[LayerPerStep, float]]:
    for block in model.modules():
        if isinstance(block, PdeBlock):
            for field in block.right_hand_sides():
                if isinstance(field, LayerPerStep):
                    yield field, abs(block.steps.h)


def _zero(model: nn.Module) -> Tensor:
    first = next(model.parameters(), None)
    return torch.zeros(()) if first is None else first.new_zeros(())
