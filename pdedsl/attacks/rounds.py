"""Rounds of attack on the same samples: each on the rows not fooled yet, keeping the point that came closest."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.goal import margin
from pdedsl.attacks.layout import select, take
from pdedsl.attacks.norms import Norm
from pdedsl.attacks.task import Result, Task


@final
class Rounds:
    """`rows` are not fooled yet; x holds the points that fooled, otherwise the points of the largest margin so far."""

    def __init__(self, task: Task, *, seen: bool = False) -> None:
        """`seen`: the first round begins at the samples themselves, and will see which are misclassified already."""
        self.task, self.x = task, task.x.clone()
        self.rows = torch.arange(len(task.x), device=task.x.device) if seen else task.open()
        self._margin = torch.full(task.x.shape[:1], -torch.inf, dtype=task.x.dtype, device=task.x.device)

    @property
    def left(self) -> Task:
        return self.task.take(self.rows)

    def keep(self, x: Tensor, reached: Tensor) -> None:
        """Store points for the remaining rows without scoring them; those that `reached` the goal were seen to."""
        self.x[self.rows] = x
        self.rows = self.rows[~reached]

    def record(self, x: Tensor) -> int:
        """Score points for the remaining rows; returns how many of these are now fooled."""
        if not len(self.rows):
            return 0
        goal = self.task.goal.take(self.rows)
        scores, reached = self.task.predictor.judge(x, goal)
        ahead = margin(scores, goal).nan_to_num().to(self._margin.dtype)
        better = reached | (ahead > self._margin[self.rows])
        self.x[self.rows] = select(better, x, take(self.x, self.rows))
        self._margin[self.rows] = torch.where(better, ahead, self._margin[self.rows])
        before, self.rows = len(self.rows), self.rows[~reached]
        return before - len(self.rows)

    def result(self, norm: Norm) -> Result:
        return self.task.result(norm, self.x, rows=self.rows)


def likely(task: Task, number: int) -> Tensor:
    """For each row the likeliest classes other than y, likeliest first, (n, number)."""
    scores = task.predictor.fresh(task.x)
    others = scores.scatter(1, task.goal.y[:, None], float("-inf"))
    return others.argsort(1, descending=True)[:, : min(number, scores.shape[1] - 1)]
