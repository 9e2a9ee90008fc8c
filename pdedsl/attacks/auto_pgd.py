"""APGD: gradient ascent with momentum whose step is halved where it stalls (Croce, Hein, ICML 2020, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import torch
from torch import Tensor

from pdedsl.attacks.ascent import MOMENTUM, Ascent, checks
from pdedsl.attacks.first_order import due, reached
from pdedsl.attacks.goal import Goal, Loss, dlr
from pdedsl.attacks.gradient_sign import entropy
from pdedsl.attacks.layout import column, take
from pdedsl.attacks.norms import Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.rounds import Rounds, likely
from pdedsl.attacks.task import Bounds, Result, Task, attacking
from pdedsl.untouched import Model

LossName = Literal["ce", "dlr"]


def apgd(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    steps: int = 100,
    restarts: int = 1,
    loss: LossName = "ce",
    targets: int = 0,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """Increase the cross-entropy or the difference of logits ratio.

    With `targets` = k, each restart aims at the k likeliest other classes in turn; reaching any of them is a success.
    """
    measure = read_norm(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        plan, rounds = Plan(measure, eps, steps, LOSSES[loss](task.predictor)), Rounds(task)
        aims = list(likely(task, targets).T) if targets else [None]
        for aim in aims * restarts:
            left = rounds.left
            goal = left.goal if aim is None else left.goal.aimed(aim[rounds.rows])
            rounds.record(plan.run(left, goal).x)
        return rounds.result(measure)


LOSSES: dict[LossName, Callable[[Predictor], Loss]] = {"ce": entropy, "dlr": lambda _: dlr}


class Height(NamedTuple):
    """The final point of each row, and the loss there."""

    x: Tensor
    loss: Tensor


@final
@dataclass(frozen=True)
class Plan:
    norm: Norm
    eps: float
    steps: int
    loss: Loss

    def run(self, task: Task, aim: Goal) -> Height:
        """The point at which each row reached the goal of the task, or its best point by the loss of `aim`."""
        if not len(task.x):
            return Height(task.x, task.x.flatten(1).sum(1))
        x = task.region(self.norm, self.eps).project(task.x + self.eps * self._direction(task))
        slope = task.predictor.slope(x, aim, self.loss)
        run = _Run(self, task, aim, Ascent.begin(x, slope, self.eps))
        run.leave(slope.scores, 0)
        last = 0
        for step in range(1, self.steps + 1):
            if not len(run.rows):
                break
            run.step(step)
            if step in checks(self.steps):
                run.ascent, last = run.ascent.checked(step - last), step
        return run.end()

    def _direction(self, task: Task) -> Tensor:
        """A random direction of norm 1."""
        v = self.norm.uniform(task.x, task.generator)
        return v / column(self.norm.length(v).clamp_min(torch.finfo(v.dtype).tiny), v)


@final
class _Run:
    """The active rows; those that reach the goal leave with the point that did so."""

    def __init__(self, plan: Plan, task: Task, aim: Goal, ascent: Ascent) -> None:
        self.plan, self.task, self.aim, self.ascent = plan, task, aim, ascent
        self.region = task.region(plan.norm, plan.eps)
        self.rows = torch.arange(len(task.x), device=task.x.device)
        self.result = Height(task.x.clone(), ascent.loss.clone())

    def step(self, number: int) -> None:
        x = self.ascent.moved(self.region, self.plan.norm, 1.0 if number == 1 else MOMENTUM)
        slope = self.task.predictor.slope(x, self.aim, self.plan.loss)
        self.ascent = self.ascent.at(x, slope)
        self.leave(slope.scores, number)

    def leave(self, scores: Tensor, number: int) -> None:
        if not due(self.task.predictor, number):
            return
        done = reached(self.task.predictor, self.ascent.x, self.task.goal, scores)
        if not done.any():
            return
        self._write(self.rows[done], take(self.ascent.x, done), torch.full_like(self.ascent.loss[done], torch.inf))
        left = ~done
        self.rows, self.ascent, self.region = self.rows[left], self.ascent.take(left), self.region.take(left)
        self.task, self.aim = self.task.take(left), self.aim.take(left)

    def end(self) -> Height:
        self._write(self.rows, self.ascent.best, self.ascent.best_loss)
        return self.result

    def _write(self, rows: Tensor, x: Tensor, loss: Tensor) -> None:
        self.result.x[rows] = x
        self.result.loss[rows] = loss
