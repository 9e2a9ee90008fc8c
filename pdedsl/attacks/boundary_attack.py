"""Where a walk along the boundary begins: at a sample of another class, or at a random point of another class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.base import AttackContext, Bounds, Nearest, Result, attacking
from pdedsl.attacks.batch_ops import column, inner, select, take
from pdedsl.attacks.norms import L2, NormName, read_euclidean
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model

# ---- outset


POOL = 256
TRIES = 20


def outset(task: AttackContext, rows: Tensor, nearest: Nearest) -> tuple[Nearest, int]:
    """A first point for each row of `nearest`, which are `rows` of the task, and the queries spent per row."""
    left = nearest.task
    everyone = torch.arange(len(rows), device=rows.device)
    start, fits = _other_samples(task, left)
    reached = fits.clone()
    if fits.any():
        reached[fits] = left.goal.take(fits).reached(left.predictor.query(take(start, fits)))
    nearest.offer(everyone, start, reached)
    for attempt in range(TRIES):
        lost = everyone[~nearest.found]
        if not len(lost):
            return nearest, 1 + attempt
        part = left.take(lost)
        x = _anywhere(part, attempt)
        nearest.offer(lost, x, part.goal.reached(part.predictor.query(x)))
    return nearest, 1 + TRIES


def _other_samples(task: AttackContext, left: AttackContext) -> tuple[Tensor, Tensor]:
    """For each row the nearest among the first samples whose prediction reaches the goal, if there is one."""
    pool = task.x[:POOL]
    predicted = task.predictor.query(pool).argmax(1)
    goal = left.goal
    wrong = predicted == goal.y[:, None] if goal.target is None else predicted != goal.target[:, None]
    distance = torch.cdist(left.x.flatten(1), pool.flatten(1)).masked_fill(wrong, torch.inf)
    best = distance.min(1)
    return take(pool, best.indices), best.values.isfinite()


def _anywhere(task: AttackContext, attempt: int) -> Tensor:
    """Uniform in the box; without a box, a normal step on the scale of the samples that doubles with every attempt."""
    x, (lo, hi) = task.x, task.box.ends(task.x)
    if task.box.bounded:
        return lo + (hi - lo) * torch.empty_like(x).uniform_(generator=task.generator)
    size = x.abs().amax().item() or 1.0
    return (x + size * 2.0 ** (attempt - 2) * torch.empty_like(x).normal_(generator=task.generator)).clamp(lo, hi)


# ---- walk
# The boundary attack: a walk along the decision boundary that needs only decisions (Brendel et al., ICLR 2018).


BISECTIONS = 10


def boundary(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    norm: NormName = "2",
    eps: float | None = None,
    queries: int = 1000,
    step: float = 0.1,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """The nearest point in ℓ2 found by a walk of at most `queries` queries for each row, each averaging `eot` draws.

    It begins at a point of another class, goes to the boundary by bisection, and then alternately along the sphere
    around x and towards x. `step` is the length of the first step on the sphere, relative to its radius. A row for
    which no point of another class is found is returned unchanged. With `eps`, a row ends as soon as it is within ε.
    """
    measure = read_euclidean(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        rows = task.open()
        if not len(rows):
            return task.result(measure, task.x.clone(), eps)
        nearest, used = outset(task, rows, Nearest(task.take(rows), measure, eps))
        nearest.approach(BISECTIONS)
        _walk(nearest, max(0, queries - used - BISECTIONS) // 2, step)
        return nearest.result(task, rows, nearest.x, eps)


def _walk(nearest: Nearest, rounds: int, step: float) -> None:
    rows = nearest.found.nonzero()[:, 0]
    walk = _Walk(nearest, rows, torch.full_like(nearest.distance, step), torch.full_like(nearest.distance, step))
    for _ in range(rounds):
        walk.rows = walk.rows[~nearest.done(walk.rows)]
        if not len(walk.rows):
            return
        walk.go()


@final
@dataclass
class _Walk:
    """δ, the step on the sphere, and ε, the share of the distance walked towards x, adapt to their success rates.

    Near a flat boundary, half of the small steps on the sphere stay on the far side; steps towards x should succeed
    about as often. Each is multiplied by 1.1 after a success and divided by it after a failure.
    """

    nearest: Nearest
    rows: Tensor
    around: Tensor
    towards: Tensor

    def go(self) -> None:
        task, rows = self.nearest.task.take(self.rows), self.rows
        at, distance = take(self.nearest.x, rows), self.nearest.distance[rows]
        beside = self._beside(task, at, distance)
        stays = task.goal.reached(task.predictor.query(beside))
        self.around[rows] = (self.around[rows] * torch.where(stays, 1.1, 1 / 1.1)).clamp(max=1.0)
        self._approach(task.take(stays), rows[stays], take(beside, stays))

    def _beside(self, task: AttackContext, at: Tensor, distance: Tensor) -> Tensor:
        """A step orthogonal to x − x̂, then back onto the sphere of radius ‖x − x̂‖."""
        away = at - task.x
        noise = torch.empty_like(at).normal_(generator=task.generator)
        unit = L2().steepest(away)
        noise = L2().steepest(noise - unit * column(inner(noise, unit), noise))
        moved = away + noise * column(self.around[self.rows] * distance, noise)
        return (task.x + L2().steepest(moved) * column(distance, moved)).clamp(*task.box.ends(at))

    def _approach(self, task: AttackContext, rows: Tensor, beside: Tensor) -> None:
        if not len(rows):
            return
        nearer = task.x + (beside - task.x) * column(1.0 - self.towards[rows], beside)
        reached = task.goal.reached(task.predictor.query(nearer))
        self.towards[rows] = (self.towards[rows] * torch.where(reached, 1.1, 1 / 1.1)).clamp(max=0.9)
        self.nearest.move(rows, select(reached, nearer, beside))
