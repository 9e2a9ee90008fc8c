"""The point of a hyperplane, within the box, that is nearest to x: min ‖z − x‖ with ⟨w, z⟩ = ⟨w, p⟩ − g, lo ≤ z ≤ hi.

For ℓ2 z = clip(x − λw), for ℓ∞ z = clip(x − λ sign w): one multiplier λ ≥ 0 (after a change of sign of w), and
r(λ) = ⟨w, z(λ)⟩ decreases, ever more slowly as coordinates are clipped: it is convex, so that Newton's method from
λ = 0 rises to the root, never passes it, and ends after as many steps as there are changes of slope on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never, final

import torch
from torch import Tensor

from pdedsl.attacks.base import AttackContext, Bounds, Nearest, Result, attacking, likely
from pdedsl.attacks.batch_ops import column, inner, select, take
from pdedsl.attacks.criterion import Criterion, difference, margin
from pdedsl.attacks.norms import L2, Linf, Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor, Slope
from pdedsl.frozen_model import Model

# ---- hyperplane


NEWTON = 12


def nearest_on_plane(norm: Norm, x: Tensor, w: Tensor, level: Tensor, lo: Tensor, hi: Tensor) -> Tensor:
    """The point with ⟨w, z⟩ = `level`, or the corner of the box that comes closest to that level."""
    flip = torch.where(inner(w, x) < level, -1.0, 1.0).to(x.dtype)
    w, level = w * column(flip, w), level * flip
    along = _along(norm, w)
    multiplier = torch.zeros_like(level)
    for _ in range(NEWTON):
        z = (x - column(multiplier, x) * along).clamp(lo, hi)
        rest = inner(w, z) - level
        slope = inner(w, along * torch.where(along > 0.0, z > lo, z < hi))
        step = torch.where(slope > 0.0, rest / slope, 0.0).clamp_min(0.0)
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


# ---- fast_boundary
# FAB: project onto the linearised decision boundary, and pull towards the sample (Croce, Hein, ICML 2020).
#
# Targeted: a step needs one gradient, that of z_t − z_y, instead of one for each class.


ALPHA, ETA, BETA = 0.1, 1.05, 0.9
"""The largest pull towards the sample, the length of a step beyond the boundary, the way back from a point beyond."""


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
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """The nearest point that reaches the goal, over runs that aim at the `targets` likeliest classes or at the target.

    With `eps`, only points within ε count, and a row ends as soon as it has one.
    """
    measure = read_norm(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        rows = task.open()
        if not len(rows):
            return task.result(measure, task.x.clone(), eps)
        left = task.take(rows)
        nearest = Nearest(left, measure, eps)
        aims = likely(left, targets) if target is None else rows.new_empty(len(rows), 0)
        last = _runs(Fab(measure, steps), nearest, aims, restarts, eps)
        nearest.approach(8 if eps is None else 0, first=0.9)
        return nearest.result(task, rows, last, eps)


def _runs(plan: Fab, nearest: Nearest, aims: Tensor, restarts: int, eps: float | None) -> Tensor:
    task, last = nearest.task, nearest.task.x.clone()
    everyone = torch.arange(len(task.x), device=task.x.device)
    goals = [task.goal.aimed(aim) for aim in aims.T] or [task.goal]
    for restart in range(restarts):
        for goal in goals:
            rows = everyone[~nearest.done(everyone)]
            if len(rows):
                last[rows] = plan.run(nearest, rows, goal.take(rows), plan.start(nearest, rows, restart, eps))
    return last


@final
@dataclass(frozen=True)
class Fab:
    norm: Norm
    steps: int

    def start(self, nearest: Nearest, rows: Tensor, restart: int, eps: float | None) -> Tensor:
        """The sample; on a restart, a random point at half the distance known so far, or half of ε."""
        task = nearest.task.take(rows)
        if restart == 0:
            return task.x
        known = nearest.distance[rows].nan_to_num(posinf=1.0 if eps is None else eps)
        radius = 0.5 * (known if eps is None else known.clamp(max=eps))
        v = self.norm.uniform(task.x, task.generator)
        v = v / column(self.norm.length(v).clamp_min(torch.finfo(v.dtype).tiny), v)
        return (task.x + column(radius, v) * v).clamp(*task.box.ends(v))

    def run(self, nearest: Nearest, rows: Tensor, aim: Criterion, x: Tensor) -> Tensor:
        """The last points; those that reach the goal are offered to `nearest`."""
        task, last, here = nearest.task.take(rows), x.clone(), torch.arange(len(rows), device=rows.device)
        loss = difference if task.goal.target is None else margin
        for _ in range(self.steps):
            slope = task.predictor.slope(x, aim, loss)
            reached = task.goal.reached(slope.scores)
            left = ~nearest.offer(rows[here], x, reached)
            x = self._step(task, x, slope, reached)
            last[here] = x
            if not left.all():
                here, x, task, aim = here[left], take(x, left), task.take(left), aim.take(left)
            if not len(here):
                return last
        nearest.offer(rows[here], x, task.goal.reached(task.predictor.query(x)))
        return last

    def _step(self, task: AttackContext, x: Tensor, slope: Slope, reached: Tensor) -> Tensor:
        """x′ = clip((1 − a)(x + η d₁) + a(x⁰ + η d₂)), a = min{‖d₁‖/(‖d₁‖ + ‖d₂‖), α}, for the plane through zero of f.

        d₁ and d₂ lead from x and from the sample x⁰ to the plane; a point that has reached the goal first moves back.
        """
        lo, hi = task.box.ends(x)
        w, scale = _scaled(slope.gradient)
        level = inner(w, x) - slope.loss / scale
        x = select(reached, task.x + BETA * (x - task.x), x)
        here = nearest_on_plane(self.norm, x, w, level, lo, hi) - x
        home = nearest_on_plane(self.norm, task.x, w, level, lo, hi) - task.x
        lengths = [self.norm.length(way).clamp_min(torch.finfo(x.dtype).tiny) for way in (here, home)]
        pull = column((lengths[0] / (lengths[0] + lengths[1])).clamp(max=ALPHA), x)
        return ((1.0 - pull) * (x + ETA * here) + pull * (task.x + ETA * home)).clamp(lo, hi)


def _scaled(gradient: Tensor) -> tuple[Tensor, Tensor]:
    """w = ∇f/max|∇f| and the scale: the plane is the same, and no square of w overflows."""
    finite = gradient.nan_to_num()
    scale = finite.flatten(1).abs().amax(1).clamp_min(torch.finfo(finite.dtype).tiny)
    return finite / column(scale, finite), scale
