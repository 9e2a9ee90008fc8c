"""Carlini-Wagner attack: distance plus a penalty on the margin, with a change of variables for the box (2017).

    min_u D(x(u) − x) + c·max{−κ, max_{i≠t} Z(x(u))ᵢ − Z(x(u))_t},    x(u) = ½(tanh u + 1),

with D = ‖·‖∞ as in Wang, Yuan, Shi, Osher 2020 (eq. 3.5; 50 iterations of Adam, lr = 6e-4, c = 10, κ = 0), or
D = ‖·‖₂² with a search over c. Without a target the margin is that of y over the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack, assert_never, final

import torch
from torch import Tensor

from pdedsl.attacks.base import (
    AttackContext,
    AttackOptions,
    ClosestAdversarials,
    Result,
    attack_context,
    search_minimum_norm,
)
from pdedsl.attacks.batch_ops import column, inner, take
from pdedsl.attacks.constraints import Box
from pdedsl.attacks.criterion import Criterion, margin
from pdedsl.attacks.docstrings import attack_documentation
from pdedsl.attacks.norms import L2, Linf, Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model


@attack_documentation(attack_context)
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
    **options: Unpack[AttackOptions],
) -> Result:
    """Carlini-Wagner attack (2017): minimises the norm plus c times a penalty on the margin by Adam.

    With a fixed c (`search` = 1) the result depends on c: in ℓ∞, for a linear margin f, the minimum is the nearest
    point of the boundary if c‖∇f‖₁ > 1, and x itself if c‖∇f‖₁ < 1. With `search` > 1, c is found by bisection for each
    sample, relative to the dual norm of ∇f(x), so that the scale of the logits does not matter.

    Args:
        c: weight of the penalty, or its initial value in the search.
        kappa: margin κ (confidence) by which the criterion must be satisfied.
        iterations: number of iterations of Adam.
        lr: learning rate of Adam.
        search: number of bisection steps for c; by default 9 in ℓ2 and 1 (fixed c) in ℓ∞.

    Example:
        >>> result = attacks.cw(model, x, y, norm="2", iterations=40, lr=0.05, bounds=(-2, 2))
        >>> result.fooled.tolist()
        [True, True]
        >>> bool((result.distances >= x[:, 0]).all())  # the distances to the boundary
        True
    """
    attack = _CarliniWagner(read_norm(norm), kappa, iterations, lr)
    search_steps = (9 if isinstance(attack.norm, L2) else 1) if search is None else search
    return search_minimum_norm(
        model, x, y, attack.norm, eps, lambda _, closest: attack.run(closest, c, search_steps), **options
    )


@final
@dataclass(frozen=True)
class _CarliniWagner:
    norm: Norm
    kappa: float
    iterations: int
    lr: float

    def run(self, closest: ClosestAdversarials, c: float, search_steps: int) -> Tensor:
        """The last points of the bisection over c; c is multiplied by ten until the first success."""
        context = closest.context
        weight = torch.full_like(closest.distance, c) / (self._dual_gradient_norm(context) if search_steps > 1 else 1.0)
        low, high = torch.zeros_like(weight), torch.full_like(weight, torch.inf)
        rows, last = torch.arange(len(context.x), device=context.x.device), context.x.clone()
        for _ in range(search_steps):
            rows = rows[~closest.done(rows)]
            if not len(rows):
                break
            last[rows], success = self._descend(context, closest, rows, weight[rows])
            high[rows] = torch.where(success, torch.minimum(high[rows], weight[rows]), high[rows])
            low[rows] = torch.where(success, low[rows], torch.maximum(low[rows], weight[rows]))
            weight = torch.where(high.isfinite(), 0.5 * (low + high), 10.0 * low)
        return last

    def _dual_gradient_norm(self, context: AttackContext) -> Tensor:
        """Dual norm of ∇f(x) for the margin f; 1 where it is 0."""
        gradient = context.predictor.loss_gradient(context.x, context.criterion, margin).gradient.nan_to_num()
        size = inner(gradient, self.norm.steepest(gradient))
        return size.where(size > 0.0, torch.ones_like(size))

    def _descend(
        self, context: AttackContext, closest: ClosestAdversarials, rows: Tensor, weight: Tensor
    ) -> tuple[Tensor, Tensor]:
        """One minimisation by Adam: the last points, and whether any iterate satisfied the criterion."""
        transform, part = TanhTransform(context.box), context.take(rows)
        u, success, last = transform.variable(part.x), torch.zeros_like(rows, dtype=torch.bool), part.x.clone()
        adam, here = AdamState.zero(u), torch.arange(len(rows), device=rows.device)
        for step in range(1, self.iterations + 2):
            x = transform.point(u)
            last[here] = x
            if step > self.iterations:
                logits = part.predictor.query(x)
            else:
                logits, gradient = self._logits_and_gradient(part, x, weight)
            reached = part.criterion.is_satisfied(logits) & (margin(logits, part.criterion) >= self.kappa)
            success[here] |= reached
            left = ~closest.update(rows[here], x, reached)
            if step > self.iterations or not left.any():
                break
            u, adam = adam.move(u, gradient * transform.derivative(u), self.lr, step)
            if not left.all():
                here = here[left]
                u = take(u, left)
                adam = adam.take(left)
                part = part.take(left)
                weight = weight[left]
        return last, success

    def _logits_and_gradient(self, context: AttackContext, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Logits at x, and the gradient with respect to x of D − c·min{κ, margin}."""
        _, logits, gradient = context.predictor.loss_gradient(x, context.criterion, self._capped_margin)
        return logits, self._distance_gradient(x - context.x) - column(weight, x) * gradient.nan_to_num()

    def _capped_margin(self, logits: Tensor, criterion: Criterion) -> Tensor:
        return margin(logits, criterion).clamp(max=self.kappa)

    def _distance_gradient(self, away: Tensor) -> Tensor:
        match self.norm:
            case L2():
                return 2.0 * away
            case Linf():
                largest = away.abs() == column(self.norm.length(away), away)
                return away.sign() * largest / column(largest.flatten(1).sum(1), away)
            case _:
                assert_never(self.norm)


# ---- Adam for independent rows, and the change of variables


@final
@dataclass(frozen=True)
class AdamState:
    """Moments of Adam (Kingma, Ba 2015), β = (0.9, 0.999); rows are independent and can be removed."""

    first: Tensor
    second: Tensor

    @staticmethod
    def zero(u: Tensor) -> AdamState:
        return AdamState(torch.zeros_like(u), torch.zeros_like(u))

    def take(self, rows: Tensor) -> AdamState:
        return AdamState(take(self.first, rows), take(self.second, rows))

    def move(self, u: Tensor, gradient: Tensor, lr: float, step: int) -> tuple[Tensor, AdamState]:
        """Step number `step`, counted from 1."""
        first = torch.lerp(self.first, gradient, 0.1)
        second = torch.lerp(self.second, gradient.square(), 0.001)
        size = (second / (1.0 - 0.999**step)).sqrt_().add_(1e-8)
        return u - lr / (1.0 - 0.9**step) * first / size, AdamState(first, second)


@final
@dataclass(frozen=True)
class TanhTransform:
    """x = lo + (hi − lo)(tanh u + 1)/2, which is ½(tanh u + 1) for [0, 1]; u = x where the box has an infinite end.

    An input at a bound would have u = ±∞ and zero gradient: it starts at a distance of 2⁻¹¹ of the width of the box.
    """

    box: Box
    shrink: float = 1.0 - 2.0**-10

    def variable(self, x: Tensor) -> Tensor:
        if not self.box.bounded:
            return x
        lo, hi = self.box.ends(x)
        return torch.atanh(self.shrink * (2.0 * (x - lo) / (hi - lo) - 1.0))

    def point(self, u: Tensor) -> Tensor:
        lo, hi = self.box.ends(u)
        if not self.box.bounded:
            return u.clamp(lo, hi)
        return (lo + (hi - lo) * 0.5 * (u.tanh() + 1.0)).clamp(lo, hi)

    def derivative(self, u: Tensor) -> Tensor:
        """dx/du, entry by entry."""
        if not self.box.bounded:
            return torch.ones_like(u)
        lo, hi = self.box.ends(u)
        return 0.5 * (hi - lo) * (1.0 - u.tanh().square())
