"""FAB: Fast Adaptive Boundary attack (Croce, Hein, ICML 2020), a minimum-norm attack by projections onto linearised
decision boundaries.

Projection of x onto a hyperplane within the box: min ‖z − x‖ subject to ⟨w, z⟩ = c, lo ≤ z ≤ hi. For ℓ2
z = clip(x − λw), for ℓ∞ z = clip(x − λ sign w): one multiplier λ ≥ 0 (after a change of sign of w), and
r(λ) = ⟨w, z(λ)⟩ decreases, more slowly as coordinates are clipped: it is convex, so that Newton's method from λ = 0
converges monotonically and ends after as many steps as there are breakpoints of the piecewise linear r in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Unpack, assert_never, final

import torch
from torch import Tensor

from pdedsl.attacks.base import (
    AttackContext,
    AttackOptions,
    ClosestAdversarials,
    Result,
    attack_context,
    likeliest_classes,
    search_minimum_norm,
)
from pdedsl.attacks.batch_ops import column, inner, select, take
from pdedsl.attacks.criterion import Criterion, difference, margin
from pdedsl.attacks.docstrings import attack_documentation
from pdedsl.attacks.norms import L2, Linf, Norm, NormName, read_norm
from pdedsl.attacks.predictor import LossGradient, Predictor
from pdedsl.frozen_model import Model

# ---- Projection onto a hyperplane within a box


MAX_NEWTON_STEPS = 12  # the function is piecewise linear and convex: Newton's method ends after a few pieces


def project_onto_hyperplane(norm: Norm, x: Tensor, w: Tensor, level: Tensor, lo: Tensor, hi: Tensor) -> Tensor:
    """The nearest point with ⟨w, z⟩ = `level`, or the point of the box closest to that level."""
    flip = torch.where(inner(w, x) < level, -1.0, 1.0).to(x.dtype)
    w, level = w * column(flip, w), level * flip
    along = _along(norm, w)
    multiplier = torch.zeros_like(level)
    for _ in range(MAX_NEWTON_STEPS):
        z = (x - column(multiplier, x) * along).clamp(lo, hi)
        residual = inner(w, z) - level
        derivative = inner(w, along * torch.where(along > 0.0, z > lo, z < hi))
        step = torch.where(derivative > 0.0, residual / derivative, 0.0).clamp_min(0.0)
        if bool((step <= 1e-6 * multiplier).all()):
            break
        multiplier = multiplier + step
    return (x - column(multiplier, x) * along).clamp(lo, hi)


def _along(norm: Norm, w: Tensor) -> Tensor:
    match norm:
        case L2():
            return w
        case Linf():
            return w.sign()
        case _:
            assert_never(norm)


# ---- Attack
#
# Targeted version: a step needs one gradient, that of z_t − z_y, instead of one for each class.


ALPHA, ETA, BETA = 0.1, 1.05, 0.9
"""α_max (bias towards the sample), η (overshoot beyond the boundary) and β (backward step) of the paper."""


@attack_documentation(attack_context)
def fab(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    norm: NormName = "inf",
    eps: float | None = None,
    steps: int = 100,
    restarts: int = 1,
    targets: int = 9,
    **options: Unpack[AttackOptions],
) -> Result:
    """Fast Adaptive Boundary attack (Croce, Hein, ICML 2020): nearest adversarial example by projections onto the
    linearised decision boundaries of the likeliest classes.

    Args:
        steps: number of steps of each run.
        restarts: number of runs for each target; further runs start at random points.
        targets: number of likeliest other classes that are attacked in turn, without `target`.

    Example:
        >>> result = attacks.fab(model, x, y, steps=5)
        >>> result.fooled.tolist()
        [True, True]
        >>> bool(torch.allclose(result.distances, x[:, 0], rtol=0.01))  # the distances to the boundary
        True
    """
    attack = FabConfig(read_norm(norm), steps)

    def search(_: AttackContext, closest: ClosestAdversarials) -> Tensor:
        context, last = closest.context, closest.context.x.clone()
        classes = likeliest_classes(context, targets).T if context.criterion.target is None else ()
        criteria = [context.criterion.with_target(c) for c in classes] or [context.criterion]
        all_rows = torch.arange(len(last), device=last.device)
        for restart, criterion in product(range(restarts), criteria):
            rows = all_rows[~closest.done(all_rows)]
            if len(rows):
                last[rows] = attack.run(closest, rows, criterion.take(rows), attack.start(closest, rows, restart, eps))
        closest.bisect(8 if eps is None else 0, first=0.9)
        return last

    return search_minimum_norm(model, x, y, attack.norm, eps, search, **options)


@final
@dataclass(frozen=True)
class FabConfig:
    norm: Norm
    steps: int

    def start(self, closest: ClosestAdversarials, rows: Tensor, restart: int, eps: float | None) -> Tensor:
        """The sample; on a restart, a random point at half of the best distance so far, or half of ε."""
        context = closest.context.take(rows)
        if restart == 0:
            return context.x
        known = closest.distance[rows].nan_to_num(posinf=1.0 if eps is None else eps)
        radius = 0.5 * (known if eps is None else known.clamp(max=eps))
        v = self.norm.uniform(context.x, context.generator)
        v = v / column(self.norm.length(v).clamp_min(torch.finfo(v.dtype).tiny), v)
        return (context.x + column(radius, v) * v).clamp(*context.box.ends(v))

    def run(self, closest: ClosestAdversarials, rows: Tensor, loss_criterion: Criterion, x: Tensor) -> Tensor:
        """The last points; `closest` is updated by those that satisfy the criterion."""
        context, last, here = closest.context.take(rows), x.clone(), torch.arange(len(rows), device=rows.device)
        loss = difference if context.criterion.target is None else margin
        for _ in range(self.steps):
            evaluation = context.predictor.loss_gradient(x, loss_criterion, loss)
            reached = context.criterion.is_satisfied(evaluation.logits)
            left = ~closest.update(rows[here], x, reached)
            x = self._step(context, x, evaluation, reached)
            last[here] = x
            if not left.all():
                here = here[left]
                x = take(x, left)
                context = context.take(left)
                loss_criterion = loss_criterion.take(left)
            if not len(here):
                return last
        closest.update(rows[here], x, context.criterion.is_satisfied(context.predictor.query(x)))
        return last

    def _step(self, context: AttackContext, x: Tensor, evaluation: LossGradient, reached: Tensor) -> Tensor:
        """x′ = clip((1 − a)(x + η d₁) + a(x⁰ + η d₂)), a = min{‖d₁‖/(‖d₁‖ + ‖d₂‖), α}, for the hyperplane of f = 0.

        d₁ and d₂ lead from x and the sample x⁰ to the hyperplane; an adversarial point first moves back.
        """
        lo, hi = context.box.ends(x)
        w, scale = _rescale_gradient(evaluation.gradient)
        level = inner(w, x) - evaluation.loss / scale
        x = select(reached, context.x + BETA * (x - context.x), x)
        from_point = project_onto_hyperplane(self.norm, x, w, level, lo, hi) - x
        from_sample = project_onto_hyperplane(self.norm, context.x, w, level, lo, hi) - context.x
        lengths = [self.norm.length(step).clamp_min(torch.finfo(x.dtype).tiny) for step in (from_point, from_sample)]
        alpha = column((lengths[0] / (lengths[0] + lengths[1])).clamp(max=ALPHA), x)
        return ((1.0 - alpha) * (x + ETA * from_point) + alpha * (context.x + ETA * from_sample)).clamp(lo, hi)


def _rescale_gradient(gradient: Tensor) -> tuple[Tensor, Tensor]:
    """w = ∇f/max|∇f| and the scale: the same hyperplane, without overflow of the squares of w."""
    finite = gradient.nan_to_num()
    scale = finite.flatten(1).abs().amax(1).clamp_min(torch.finfo(finite.dtype).tiny)
    return finite / column(scale, finite), scale
