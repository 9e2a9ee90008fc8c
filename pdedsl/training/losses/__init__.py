"""What training minimises: `terms = loss(model, x, y, draws)`, named and weighted means over the rows of x."""

from pdedsl.training.losses.adversary import Adversary
from pdedsl.training.losses.cross_entropy import CrossEntropyLoss
from pdedsl.training.losses.margin import MarginLoss
from pdedsl.training.losses.regularize import Regularization
from pdedsl.training.losses.residual import ResidualLoss
from pdedsl.training.losses.retraining import HeatLoss

__all__ = ["Adversary", "CrossEntropyLoss", "HeatLoss", "MarginLoss", "Regularization", "ResidualLoss"]
