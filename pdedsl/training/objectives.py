"""The objective of a plan, the adversary and the penalties of a spec → what `Objective` evaluates."""

from __future__ import annotations

from typing import assert_never

from torch import nn

from pdedsl.ir.objective import CrossEntropy, Objective, Residual, Retraining
from pdedsl.training.config import Attack
from pdedsl.training.losses import Adversary, CrossEntropyLoss, HeatLoss, Regularization, ResidualLoss
from pdedsl.training.step import Attacker, Loss, Penalty


def loss_of(objective: Objective, previous: nn.Module | None) -> Loss:
    """The loss of an objective; retraining starts from the network of the step before."""
    match objective:
        case CrossEntropy(apart=apart):
            return CrossEntropyLoss(apart)
        case Residual():
            return ResidualLoss(objective)
        case Retraining():
            assert previous is not None
            return HeatLoss(objective, previous)
        case _:
            assert_never(objective)


def adversary_of(attack: Attack | None, bounds: tuple[float, float] | None) -> Attacker | None:
    if attack is None:
        return None
    return Adversary(attack.norm, attack.eps, attack.step, attack.steps, attack.name, attack.eot, bounds)


def penalty_of(weights: tuple[tuple[str, float], ...]) -> Penalty | None:
    return Regularization(dict(weights)) if weights else None
