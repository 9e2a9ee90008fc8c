"""DDN: decoupling direction and norm, a minimum-norm ℓ2 attack (Rony et al., CVPR 2019, Algorithm 1)."""

from __future__ import annotations

import math
from typing import Unpack

import torch
from torch import Tensor

from pdedsl.attacks.base import AttackContext, AttackOptions, ClosestAdversarials, Result, attack_context
from pdedsl.attacks.batch_ops import column, take
from pdedsl.attacks.docstrings import attack_documentation
from pdedsl.attacks.norms import L2, NormName, read_euclidean
from pdedsl.attacks.pgd import cross_entropy_loss
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model


@attack_documentation(attack_context)
def ddn(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    norm: NormName = "2",
    eps: float | None = None,
    steps: int = 20,
    start: float = 1.0,
    gamma: float = 0.05,
    approach: int = 3,
    **options: Unpack[AttackOptions],
) -> Result:
    """Decoupling direction and norm (Rony et al., CVPR 2019): minimum-norm attack in ℓ2. From δ = 0 and ρ = `start`

        g = α ∇L/‖∇L‖,    ρ ← (1 − γ)ρ if adversarial, else (1 + γ)ρ,    δ ← clip(ρ (δ + g)/‖δ + g‖),

    with α from 1 to 0.01 by cosine annealing.

    Args:
        norm: "2".
        start: initial norm ρ of the perturbation.
        gamma: relative change γ of the norm in each step.
        approach: number of bisections towards the input that refine the result.

    Example:
        >>> result = attacks.ddn(model, x, y, steps=40)
        >>> result.fooled.tolist()
        [True, True]
        >>> bool(torch.allclose(result.distances, x[:, 0], rtol=0.1))  # the distances to the boundary
        True
    """
    measure = read_euclidean(norm)
    with attack_context(model, x, y, **options) as context:
        closest = ClosestAdversarials(context, measure, eps)
        last = _descend(context, closest, steps, start, gamma)
        closest.bisect(approach, first=1.0 - gamma)
        return closest.result(context, torch.arange(len(last), device=last.device), last, eps)


def _descend(context: AttackContext, closest: ClosestAdversarials, steps: int, start: float, gamma: float) -> Tensor:
    rows, last = torch.arange(len(context.x), device=context.x.device), context.x.clone()
    x, norm, loss = context.x, torch.full_like(closest.distance, start), cross_entropy_loss(context.predictor)
    for step in range(steps):
        evaluation = context.predictor.loss_gradient(x, context.criterion, loss)
        reached = context.criterion.is_satisfied(evaluation.logits)
        done = closest.update(rows, x, reached)
        alpha = 0.01 + 0.99 * 0.5 * (1.0 + math.cos(math.pi * step / steps))
        away = (x - context.x).add_(L2().steepest(evaluation.gradient), alpha=alpha)
        norm = norm * torch.where(reached, 1.0 - gamma, 1.0 + gamma)
        x = _rescale(context, away, norm)
        last[rows] = x
        if done.any():
            left = ~done
            rows, x, norm, context = rows[left], take(x, left), norm[left], context.take(left)
        if not len(rows):
            return last
    closest.update(rows, x, context.criterion.is_satisfied(context.predictor.query(x)))
    return last


def _rescale(context: AttackContext, away: Tensor, norm: Tensor) -> Tensor:
    """x + ρ δ/‖δ‖, clipped to the box; x if δ = 0."""
    return (context.x + L2().steepest(away) * column(norm, away)).clamp(*context.box.ends(away))
