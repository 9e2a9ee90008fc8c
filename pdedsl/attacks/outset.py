"""Where a walk along the boundary begins: at a sample of another class, or at a random point of another class."""

from __future__ import annotations

import torch
from torch import Tensor

from pdedsl.attacks.layout import take
from pdedsl.attacks.nearest import Nearest
from pdedsl.attacks.task import Task

POOL = 256
TRIES = 20


def outset(task: Task, rows: Tensor, nearest: Nearest) -> tuple[Nearest, int]:
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


def _other_samples(task: Task, left: Task) -> tuple[Tensor, Tensor]:
    """For each row the nearest among the first samples whose prediction reaches the goal, if there is one."""
    pool = task.x[:POOL]
    predicted = task.predictor.query(pool).argmax(1)
    goal = left.goal
    wrong = predicted == goal.y[:, None] if goal.target is None else predicted != goal.target[:, None]
    distance = torch.cdist(left.x.flatten(1), pool.flatten(1)).masked_fill(wrong, torch.inf)
    best = distance.min(1)
    return take(pool, best.indices), best.values.isfinite()


def _anywhere(task: Task, attempt: int) -> Tensor:
    """Uniform in the box; without a box, a normal step on the scale of the samples that doubles with every attempt."""
    x, (lo, hi) = task.x, task.box.ends(task.x)
    if task.box.bounded:
        return lo + (hi - lo) * torch.empty_like(x).uniform_(generator=task.generator)
    size = x.abs().amax().item() or 1.0
    return (x + size * 2.0 ** (attempt - 2) * torch.empty_like(x).normal_(generator=task.generator)).clamp(lo, hi)
