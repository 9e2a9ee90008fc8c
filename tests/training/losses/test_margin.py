"""The margin loss against its formula, and its effect."""

from __future__ import annotations

import math
from fractions import Fraction

import torch
from torch import nn

from pdedsl.config.training import Margin
from pdedsl.data.sampling import KeyedRng
from pdedsl.training.losses import MarginLoss
from pdedsl.training.objectives import loss_of

SCORES = torch.tensor([[2.0, 0.5, -1.0], [0.0, 0.3, 0.1]], dtype=torch.float64)
LABELS = torch.tensor([0, 2])


def test_the_formula() -> None:
    eps, tau = 0.5, 0.25
    terms = MarginLoss(eps, tau)(nn.Identity(), SCORES, LABELS, KeyedRng(0, 0, 0))
    expected = 0.0
    for scores, label in zip(SCORES.tolist(), LABELS.tolist(), strict=True):
        lowered = [(s - 2 * math.sqrt(2) * eps * (k == label)) / tau for k, s in enumerate(scores)]
        expected += tau * (math.log(math.fsum(map(math.exp, lowered))) - lowered[label]) / 2
    assert math.isclose(float(terms["margin"]), expected, rel_tol=1e-12)
    assert float(terms["accuracy"]) == 0.5


def test_the_gradient_is_one_half_at_the_margin() -> None:
    """Two classes with a margin m: the derivative is that of cross-entropy at m - 2√2 ε, one half at m = 2√2 ε, where
    1-Lipschitz logits certify the radius 2ε."""
    eps = 0.25
    scores = torch.tensor([[2 * math.sqrt(2) * eps, 0.0]], dtype=torch.float64, requires_grad=True)
    terms = MarginLoss(eps, 0.1)(nn.Identity(), scores, torch.tensor([0]), KeyedRng(0, 0, 0))
    (slope,) = torch.autograd.grad(terms["margin"], scores)
    torch.testing.assert_close(slope, torch.tensor([[-0.5, 0.5]], dtype=torch.float64))


def test_the_objective_of_a_plan_is_this_loss() -> None:
    assert loss_of(Margin(eps=Fraction(1, 2)), None, None) == MarginLoss(0.5, 0.25)
