"""DDN: the direction and the norm of the perturbation are separate variables (Rony et al., CVPR 2019, Algorithm 1)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from pdedsl.attacks.base import AttackContext, Bounds, Nearest, Result, attacking
from pdedsl.attacks.batch_ops import column, take
from pdedsl.attacks.norms import L2, NormName, read_euclidean
from pdedsl.attacks.pgd import entropy
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model


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
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """The nearest point in ℓ2 that reaches the goal. From a perturbation of norm 0 and ρ = `start`, `steps` times

        g = α ∇L/‖∇L‖,    ρ ← (1 − γ)ρ where the goal is reached, else (1 + γ)ρ,    δ ← clip(ρ (δ + g)/‖δ + g‖),

    with α from 1 to 0.01 along a half cosine. `approach` bisections refine the result, which oscillates by γ around the
    boundary. With `eps`, only points within ε count, and a row ends as soon as it has one.
    """
    measure = read_euclidean(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        nearest = Nearest(task, measure, eps)
        last = _descend(task, nearest, steps, start, gamma)
        nearest.approach(approach, first=1.0 - gamma)
        return nearest.result(task, torch.arange(len(last), device=last.device), last, eps)


def _descend(task: AttackContext, nearest: Nearest, steps: int, start: float, gamma: float) -> Tensor:
    rows, last = torch.arange(len(task.x), device=task.x.device), task.x.clone()
    x, norm, loss = task.x, torch.full_like(nearest.distance, start), entropy(task.predictor)
    for step in range(steps):
        slope = task.predictor.slope(x, task.goal, loss)
        reached = task.goal.reached(slope.scores)
        done = nearest.offer(rows, x, reached)
        alpha = 0.01 + 0.99 * 0.5 * (1.0 + math.cos(math.pi * step / steps))
        away = (x - task.x).add_(L2().steepest(slope.gradient), alpha=alpha)
        norm = norm * torch.where(reached, 1.0 - gamma, 1.0 + gamma)
        x = _of_norm(task, away, norm)
        last[rows] = x
        if done.any():
            left = ~done
            rows, x, norm, task = rows[left], take(x, left), norm[left], task.take(left)
        if not len(rows):
            return last
    nearest.offer(rows, x, task.goal.reached(task.predictor.query(x)))
    return last


def _of_norm(task: AttackContext, away: Tensor, norm: Tensor) -> Tensor:
    """While no direction is known, δ stays 0."""
    return (task.x + L2().steepest(away) * column(norm, away)).clamp(*task.box.ends(away))
