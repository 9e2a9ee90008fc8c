"""The share of rows whose highest score is at their label: returned with the terms of a loss, but not one of them."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.data.sampling import KeyedRng
from pdedsl.runtime.sde.feynman_kac import Expectation

# ---- accuracy


ACCURACY = "accuracy"


def accuracy(scores: Tensor, labels: Tensor) -> Tensor:
    return (scores.detach().argmax(-1) == labels).mean(dtype=torch.promote_types(scores.dtype, torch.float32))


# ---- cross_entropy
# Cross-entropy of the class probabilities u(x, T).


@dataclass(frozen=True)
class CrossEntropyLoss:
    """Mean of -log u_y(x, T).

    `apart`: the sum of the members' own losses in an ensemble, so that each is trained as if alone (Wang, Yuan, Shi,
    Osher 2020, section 4.2).
    """

    apart: bool = False

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, draws: KeyedRng) -> dict[str, Tensor]:
        ensemble = _ensemble(model) if self.apart else None
        if ensemble is None:
            scores = model(x)
            return {"cross_entropy": functional.cross_entropy(scores, y), ACCURACY: accuracy(scores, y)}
        each = ensemble.each(x)
        scores, labels = each.flatten(0, 1), y.repeat(len(each))
        entropy = functional.cross_entropy(scores, labels)  # a mean over rows and members
        return {"cross_entropy": len(each) * entropy, ACCURACY: accuracy(scores, labels)}


def _ensemble(model: nn.Module) -> Expectation | None:
    return next((module for module in model.modules() if isinstance(module, Expectation)), None)


# ---- margin
# Cross-entropy with an offset: trains scores for a margin, and so a Lipschitz network for a certified radius.


@dataclass(frozen=True)
class MarginLoss:
    """Mean of τ·CE((s - 2√2 ε e_y)/τ, y), τ = `temperature` (Prach, Brau, Buttazzo, Lampert, CVPR 2024).

    The score of the label must lead by 2√2 ε before the loss is as small as plain cross-entropy at a lead of 0.
    """

    eps: float
    temperature: float

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, draws: KeyedRng) -> dict[str, Tensor]:
        scores = model(x)
        lowered = scores - self.offset * functional.one_hot(y, scores.shape[1]).to(scores.dtype)
        loss = self.temperature * functional.cross_entropy(lowered / self.temperature, y)
        return {"margin": loss, ACCURACY: accuracy(scores, y)}

    @property
    def offset(self) -> float:
        return 2.0 * math.sqrt(2.0) * self.eps


# ---- precision
# Differences of network outputs are computed in the precision of the weights.


def full_precision(x: Tensor) -> AbstractContextManager[object]:
    """Within, automatic mixed precision is off on the device of x."""
    return nullcontext() if x.is_meta else torch.autocast(x.device.type, enabled=False)
