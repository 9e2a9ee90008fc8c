"""Penalties on the weights (regularizers)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from torch import Tensor, nn

from pdedsl.config.training import Regularizer, SmoothInTime, Weights
from pdedsl.runtime.regularize import smooth_in_time, weight_decay


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
