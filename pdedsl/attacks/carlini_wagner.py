"""C-W: the least distance plus a penalty on the margin, in a variable that respects the box (Carlini, Wagner 2017).

    min_u D(x(u) − x) + c·max{−κ, max_{i≠t} Z(x(u))ᵢ − Z(x(u))_t},    x(u) = ½(tanh u + 1),

with D = ‖·‖∞ as Wang, Yuan, Shi, Osher 2020 have it (eq. 3.5; 50 iterations of Adam, lr = 6e-4, c = 10, κ = 0), or
D = ‖·‖₂² with a search over c. Without a target the margin is that of y over the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never, final

import torch
from torch import Tensor

from pdedsl.attacks.adam import Inside, Moments
from pdedsl.attacks.base import AttackContext, Bounds, Nearest, Result, attacking
from pdedsl.attacks.batch_ops import column, inner, take
from pdedsl.attacks.criterion import Criterion, margin
from pdedsl.attacks.norms import L2, Linf, Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model


def cw(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    norm: NormName = "inf",
    eps: float | None = None,
    c: float = 1.0,
    kappa: float = 0.0,
    iterations: int = 50,
    lr: float = 1e-2,
    search: int | None = None,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """The nearest point that reaches the goal by a margin of κ.

    With `search` = 1, the default for ℓ∞, c is fixed, as in eq. 3.5, and decides what is found: for ℓ∞, if the margin f
    is linear, the minimum is the nearest point of the boundary if c‖∇f‖₁ > 1, and x itself if c‖∇f‖₁ < 1. With more
    rounds, by default 9 for ℓ2, c is found by bisection for each row, from c over the dual norm of ∇f(x) on: then the
    unit of the scores does not matter.

    With `eps`, only points within ε count, and a row ends as soon as it has one.
    """
    measure = read_norm(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        rows = task.open()
        if not len(rows):
            return task.result(measure, task.x.clone(), eps)
        left = task.take(rows)
        nearest = Nearest(left, measure, eps)
        rounds = (9 if isinstance(measure, L2) else 1) if search is None else search
        last = _Penalty(measure, kappa, iterations, lr).run(left, nearest, c, rounds)
        return nearest.result(task, rows, last, eps)


@final
@dataclass(frozen=True)
class _Penalty:
    norm: Norm
    kappa: float
    iterations: int
    lr: float

    def run(self, task: AttackContext, nearest: Nearest, c: float, rounds: int) -> Tensor:
        """The last points of a bisection over c: halfway down after a success, and after a failure up, or tenfold."""
        weight = torch.full_like(nearest.distance, c) / (self._steepness(task) if rounds > 1 else 1.0)
        low, high = torch.zeros_like(weight), torch.full_like(weight, torch.inf)
        rows, last = torch.arange(len(task.x), device=task.x.device), task.x.clone()
        for _ in range(rounds):
            rows = rows[~nearest.done(rows)]
            if not len(rows):
                break
            last[rows], hit = self._descend(task, nearest, rows, weight[rows])
            high[rows] = torch.where(hit, torch.minimum(high[rows], weight[rows]), high[rows])
            low[rows] = torch.where(hit, low[rows], torch.maximum(low[rows], weight[rows]))
            weight = torch.where(high.isfinite(), 0.5 * (low + high), 10.0 * low)
        return last

    def _steepness(self, task: AttackContext) -> Tensor:
        """‖∇f(x)‖ in the dual norm, of the margin f; 1 where it says nothing."""
        gradient = task.predictor.slope(task.x, task.goal, margin).gradient.nan_to_num()
        size = inner(gradient, self.norm.steepest(gradient))
        return size.where(size > 0.0, torch.ones_like(size))

    def _descend(self, task: AttackContext, nearest: Nearest, rows: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        """One minimisation with Adam: its last points, and whether it passed through one that reached the goal."""
        inside, part = Inside(task.box), task.take(rows)
        u, hit, last = inside.variable(part.x), torch.zeros_like(rows, dtype=torch.bool), part.x.clone()
        moments, here = Moments.zero(u), torch.arange(len(rows), device=rows.device)
        for step in range(1, self.iterations + 2):
            x = inside.point(u)
            last[here] = x
            if step > self.iterations:
                scores = part.predictor.query(x)
            else:
                scores, gradient = self._slope(part, x, weight)
            reached = part.goal.reached(scores) & (margin(scores, part.goal) >= self.kappa)
            hit[here] |= reached
            left = ~nearest.offer(rows[here], x, reached)
            if step > self.iterations or not left.any():
                break
            u, moments = moments.move(u, gradient * inside.slope(u), self.lr, step)
            if not left.all():
                here, u, moments, part, weight = (
                    here[left],
                    take(u, left),
                    moments.take(left),
                    part.take(left),
                    weight[left],
                )
        return last, hit

    def _slope(self, task: AttackContext, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Scores at x, and the gradient with respect to x of D − c·min{κ, margin}."""
        _, scores, gradient = task.predictor.slope(x, task.goal, self._capped)
        return scores, self._distance_slope(x - task.x) - column(weight, x) * gradient.nan_to_num()

    def _capped(self, scores: Tensor, goal: Criterion) -> Tensor:
        return margin(scores, goal).clamp(max=self.kappa)

    def _distance_slope(self, away: Tensor) -> Tensor:
        match self.norm:
            case L2():
                return 2.0 * away
            case Linf():
                largest = away.abs() == column(self.norm.length(away), away)
                return away.sign() * largest / column(largest.flatten(1).sum(1), away)
            case _:
                assert_never(self.norm)
