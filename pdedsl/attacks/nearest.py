"""The nearest adversarial points seen so far, for attacks that search for the smallest distance."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.layout import column, select, take
from pdedsl.attacks.norms import Norm
from pdedsl.attacks.region import rounded_down
from pdedsl.attacks.task import Result, Task

SETTLING = 20  # steps from the boundary, each twice the last


@final
class Nearest:
    """For each row of a task the nearest point that reached the goal, at distance ∞ if none did.

    A row is done once its point is within ε or, if no ε is given, at distance 0: no nearer one is needed.
    """

    def __init__(self, task: Task, norm: Norm, eps: float | None) -> None:
        self.task, self.norm = task, norm
        self.x = task.x.clone()
        self.distance = torch.full(task.x.shape[:1], torch.inf, dtype=task.x.dtype, device=task.x.device)
        # Slightly less than ε: a point at exactly ε would be moved when it is stored.
        self.enough = task.x.new_zeros(()) if eps is None else rounded_down(eps, task.x) * (1.0 - 1e-6)

    @property
    def found(self) -> Tensor:
        return self.distance.isfinite()

    def offer(self, rows: Tensor, x: Tensor, reached: Tensor) -> Tensor:
        """Keep those points x, for `rows`, that reached the goal and are nearer; returns which rows are done."""
        distance = self.norm.length(x - take(self.task.x, rows))
        better = self._confirmed(rows, x, reached & (distance < self.distance[rows]))
        if better.any():
            self.x[rows[better]] = take(x, better)
            self.distance[rows[better]] = distance[better]
        return self.done(rows)

    def _confirmed(self, rows: Tensor, x: Tensor, better: Tensor) -> Tensor:
        """For a stochastic model, a point must hold on fresh draws, or the luckiest of many would be kept."""
        if self.task.predictor.stochastic and better.any():
            better[better.clone()] = self.task.predictor.surely(take(x, better), self.task.goal.take(rows[better]))
        return better

    def move(self, rows: Tensor, x: Tensor) -> None:
        """Replace the points of `rows` by others that reached the goal and are not farther, up to rounding."""
        self.x[rows] = x
        self.distance[rows] = self.norm.length(x - take(self.task.x, rows))

    def done(self, rows: Tensor) -> Tensor:
        return self.distance[rows] <= self.enough

    def approach(self, steps: int, first: float = 0.5) -> None:
        """Bisection between each sample and its point; `first` is near 1 if the boundary is near the point."""
        rows = (self.found & ~self.done(torch.arange(len(self.x), device=self.x.device))).nonzero()[:, 0]
        part = self.task.take(rows)
        away = take(self.x, rows) - part.x
        low, high = torch.zeros_like(self.distance[rows]), torch.ones_like(self.distance[rows])
        for step in range(steps if len(rows) else 0):
            middle = torch.full_like(low, first) if step == 0 else 0.5 * (low + high)
            x = part.x + away * column(middle, away)
            reached = part.goal.reached(part.predictor.query(x))
            self.offer(rows, x, reached)
            low, high = torch.where(reached, low, middle), torch.where(reached, middle, high)

    def or_else(self, last: Tensor) -> Tensor:
        """The points that were found, and `last` where there are none."""
        return select(self.found, self.x, last)

    def result(self, whole: Task, rows: Tensor, last: Tensor, eps: float | None) -> Result:
        """Score what was found for `rows` of a task, and `last` where nothing was.

        In their last digits scores depend on the batch, so that a point on the boundary may reach the goal in one batch
        and not in another. Such points are moved away from their samples until all reach it together.
        """
        attacked, found = whole.x.clone(), torch.zeros_like(whole.goal.y, dtype=torch.bool)
        attacked[rows] = self.or_else(last)
        found[rows] = self.found if eps is None else self.distance <= eps
        result, unit = whole.result(self.norm, attacked, eps), torch.finfo(attacked.dtype).eps
        for step in range(SETTLING):
            slipped = found & ~result.fooled
            if whole.predictor.stochastic or not slipped.any():
                break
            further = whole.x + (attacked - whole.x) * (1.0 + 2.0**step * unit)
            attacked = select(slipped, further.clamp(*whole.box.ends(further)), attacked)
            result = whole.result(self.norm, attacked, eps)
        return result
