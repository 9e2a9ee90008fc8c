"""Training losses: `terms = loss(model, x, y, rng)`, weighted means over the samples by name."""

from pdedsl.training.losses.adversarial import AdversarialTrainingLoss, Adversary
from pdedsl.training.losses.classification import CrossEntropyLoss, MarginLoss
from pdedsl.training.losses.heat_smoothing import GaussianRegressionLoss, HeatLoss
from pdedsl.training.losses.residual_penalty import ResidualLoss
from pdedsl.training.losses.weight_penalty import Regularization

__all__ = [
    "AdversarialTrainingLoss",
    "Adversary",
    "CrossEntropyLoss",
    "GaussianRegressionLoss",
    "HeatLoss",
    "MarginLoss",
    "Regularization",
    "ResidualLoss",
]
