"""Training objective: its loss, and the module of all its terms, the unit that is distributed and compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import assert_never

import torch
from torch import Tensor, nn

from pdedsl.config.training import CrossEntropy, Margin, Mart, Mixed, Trades
from pdedsl.data.sampling import KeyedRng
from pdedsl.ir.plan import GaussianRegression, HeatSmoothing, MemberCrossEntropy, Objective, ResidualPenalty
from pdedsl.training.losses import (
    AdversarialTrainingLoss,
    Adversary,
    CrossEntropyLoss,
    GaussianRegressionLoss,
    HeatLoss,
    MarginLoss,
    ResidualLoss,
)
from pdedsl.training.losses.classification import ACCURACY

Terms = dict[str, Tensor]
Loss = Callable[[nn.Module, Tensor, Tensor, KeyedRng], Mapping[str, Tensor]]
Attacker = Callable[[nn.Module, Tensor, Tensor, KeyedRng], Tensor]
Penalty = Callable[[nn.Module], Mapping[str, Tensor]]


def loss_of(objective: Objective, previous: nn.Module | None, adversary: Adversary | None) -> Loss:
    """The loss of an objective; heat smoothing needs the network of the previous step, an adversarial loss the
    adversary."""
    match objective:
        case CrossEntropy(label_smoothing=amount):
            return CrossEntropyLoss(label_smoothing=float(amount))
        case MemberCrossEntropy():
            return CrossEntropyLoss(per_member=True)
        case Trades() | Mart() | Mixed():
            assert adversary is not None
            return AdversarialTrainingLoss(objective, adversary)
        case Margin(eps=eps, temperature=temperature):
            return MarginLoss(float(eps), float(temperature))
        case ResidualPenalty():
            return ResidualLoss(objective)
        case HeatSmoothing():
            assert previous is not None
            return HeatLoss(objective, previous)
        case GaussianRegression():
            assert previous is not None
            return GaussianRegressionLoss(objective, previous)
        case _:
            assert_never(objective)


class ObjectiveModule(nn.Module):
    """(x, y) ↦ the terms of the loss: data terms, at adversarial examples in adversarial training, and penalties on the
    weights. `scale` is the fraction of the batch in this process times the number of processes, so that the mean over
    processes is the mean over the batch; of its parts, one is `penalized`. `mixed`: matrix products in bfloat16.
    """

    def __init__(
        self, model: nn.Module, loss: Loss, adversary: Attacker | None, penalty: Penalty | None, mixed: bool = False
    ) -> None:
        super().__init__()
        self.model, self.loss, self.adversary, self.penalty, self.mixed = model, loss, adversary, penalty, mixed

    def forward(self, x: Tensor, y: Tensor, rng: KeyedRng, scale: float = 1.0, penalized: bool = True) -> Terms:
        with torch.autocast(x.device.type, torch.bfloat16) if self.mixed else nullcontext():
            if self.adversary is not None:
                x = self.adversary(self.model, x, y, rng)
            terms = dict(self.loss(self.model, x, y, rng))
        if scale != 1.0:
            terms = {name: scale * term for name, term in terms.items()}
        if self.penalty is not None and penalized:
            terms.update(self.penalty(self.model))
        return terms


def total_loss(terms: Terms) -> Tensor:
    """Total loss: the sum of the terms."""
    parts = [term for name, term in terms.items() if name != ACCURACY]
    return parts[0] if len(parts) == 1 else torch.stack(parts).sum()
