"""Classification losses: cross-entropy and margin loss, with the accuracy as a metric."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.data.sampling import KeyedRng
from pdedsl.runtime.sde.feynman_kac import Expectation

# ---- Accuracy


ACCURACY = "accuracy"  # returned with the terms of a loss, but not a part of it


def accuracy(scores: Tensor, labels: Tensor) -> Tensor:
    return (scores.detach().argmax(-1) == labels).mean(dtype=torch.promote_types(scores.dtype, torch.float32))


# ---- Cross-entropy


@dataclass(frozen=True)
class CrossEntropyLoss:
    """Mean of -log u_y(x, T).

    `per_member`: the sum of the losses of the ensemble members, so that each is trained independently (Wang, Yuan, Shi,
    Osher 2020, section 4.2).
    """

    per_member: bool = False
    label_smoothing: float = 0.0

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, rng: KeyedRng) -> dict[str, Tensor]:
        ensemble = _ensemble(model) if self.per_member else None
        if ensemble is None:
            scores = model(x)
            entropy = functional.cross_entropy(scores, y, label_smoothing=self.label_smoothing)
            return {"cross_entropy": entropy, ACCURACY: accuracy(scores, y)}
        each = ensemble.each(x)
        scores, labels = each.flatten(0, 1), y.repeat(len(each))
        entropy = functional.cross_entropy(scores, labels)  # a mean over rows and members
        return {"cross_entropy": len(each) * entropy, ACCURACY: accuracy(scores, labels)}


def _ensemble(model: nn.Module) -> Expectation | None:
    return next((module for module in model.modules() if isinstance(module, Expectation)), None)


# ---- Margin loss, for the certified radius of Lipschitz networks


@dataclass(frozen=True)
class MarginLoss:
    """Mean of τ·CE((s - 2√2 ε e_y)/τ, y), τ = `temperature` (Prach, Brau, Buttazzo, Lampert, CVPR 2024).

    Subtracts the margin 2√2 ε from the logit of the true class.
    """

    eps: float
    temperature: float

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, rng: KeyedRng) -> dict[str, Tensor]:
        scores = model(x)
        lowered = scores - self.offset * functional.one_hot(y, scores.shape[1]).to(scores.dtype)
        loss = self.temperature * functional.cross_entropy(lowered / self.temperature, y)
        return {"margin": loss, ACCURACY: accuracy(scores, y)}

    @property
    def offset(self) -> float:
        return 2.0 * math.sqrt(2.0) * self.eps


# ---- Precision


def full_precision(x: Tensor) -> AbstractContextManager[object]:
    """Context manager that disables automatic mixed precision, for finite differences of network outputs."""
    return nullcontext() if x.is_meta else torch.autocast(x.device.type, enabled=False)
