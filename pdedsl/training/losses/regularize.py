"""Terms of the loss that see the weights alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor, nn

from pdedsl.runtime.regularize import decay, smooth_in_time

TERMS: dict[str, Callable[[nn.Module], Tensor]] = {"smooth_in_time": smooth_in_time, "weights": decay}


@dataclass(frozen=True)
class Regularization:
    """weight · term for each regularizer by its name: `smooth_in_time` ∫ φ_τ(∂_t θ) dt, `weights` ½‖θ‖²."""

    weights: Mapping[str, float]

    def __call__(self, model: nn.Module) -> dict[str, Tensor]:
        return {name: weight * TERMS[name](model) for name, weight in self.weights.items()}
