"""Loss, adversary and penalties of a training objective."""

from __future__ import annotations

from typing import assert_never

from torch import nn

from pdedsl.config import training
from pdedsl.ir.plan import CrossEntropy, HeatSmoothing, Margin, Objective, ResidualPenalty
from pdedsl.training.losses import Adversary, CrossEntropyLoss, HeatLoss, MarginLoss, Regularization, ResidualLoss
from pdedsl.training.step import Attacker, Loss, Penalty


def loss_of(objective: Objective, previous: nn.Module | None) -> Loss:
    """The loss of an objective; heat smoothing needs the network of the previous step."""
    match objective:
        case CrossEntropy(per_member=apart):
            return CrossEntropyLoss(apart)
        case Margin(eps=eps, temperature=temperature):
            return MarginLoss(eps, temperature)
        case ResidualPenalty():
            return ResidualLoss(objective)
        case HeatSmoothing():
            assert previous is not None
            return HeatLoss(objective, previous)
        case _:
            assert_never(objective)


def adversary_of(word: training.Adversary | None, bounds: tuple[float, float] | None) -> Attacker | None:
    return None if word is None else Adversary(word, bounds)


def penalty_of(words: tuple[training.Regularizer, ...]) -> Penalty | None:
    return Regularization(words) if words else None
