"""The state of APGD: a point with momentum, the best point so far, and a step size, all for each row by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Literal, NamedTuple, final

import torch
from torch import Tensor

from pdedsl.attacks.base import AttackContext, Bounds, Result, Rounds, attacking, likely
from pdedsl.attacks.batch_ops import column, select, take
from pdedsl.attacks.constraints import Region
from pdedsl.attacks.criterion import Criterion, Loss, dlr
from pdedsl.attacks.norms import Norm, NormName, read_norm
from pdedsl.attacks.pgd import due, entropy, reached
from pdedsl.attacks.predictor import Predictor, Slope
from pdedsl.frozen_model import Model

# ---- ascent


MOMENTUM = 0.75
RISING = 0.75


def checks(steps: int) -> frozenset[int]:
    """The steps ⌈pⱼN⌉ at which the step size is checked: p₀ = 0, p₁ = 0.22, pⱼ₊₁ = pⱼ + max{pⱼ − pⱼ₋₁ − 0.03, 0.06}.

    In whole steps, as the reference implementation counts them.
    """
    period, shorter, shortest = (max(int(share * steps), 1) for share in (0.22, 0.03, 0.06))
    at, found = 0, []
    while at + period <= steps:
        at += period
        found.append(at)
        period = max(period - shorter, shortest)
    return frozenset(found)


@final
@dataclass(frozen=True)
class Ascent:
    """Rows are independent: any of them may leave the batch."""

    x: Tensor
    before: Tensor
    loss: Tensor
    gradient: Tensor
    best: Tensor
    best_loss: Tensor
    best_gradient: Tensor
    size: Tensor
    rises: Tensor
    """How often the loss rose since the last check."""
    reduced: Tensor
    """Was the step halved at the last check?"""
    mark: Tensor
    """The best loss at the last check."""

    @staticmethod
    def begin(x: Tensor, slope: Slope, eps: float) -> Ascent:
        loss, gradient = slope.loss, slope.gradient
        zero = torch.zeros_like(loss)
        size = torch.full_like(loss, 2.0 * eps)
        return Ascent(
            x, x, loss, gradient, x, loss, gradient, size, zero, torch.ones_like(loss, dtype=torch.bool), loss
        )

    def take(self, rows: Tensor) -> Ascent:
        return Ascent(*(take(getattr(self, field.name), rows) for field in fields(self)))

    def moved(self, region: Region, norm: Norm, momentum: float = MOMENTUM) -> Tensor:
        """z = P(x + ηv),    x′ = P(x + a(z − x) + (1 − a)(x − x₋))."""
        z = region.project(self.x + column(self.size, self.x) * norm.steepest(self.gradient))
        if momentum == 1.0:
            return z
        return region.project(self.x + momentum * (z - self.x) + (1.0 - momentum) * (self.x - self.before))

    def at(self, x: Tensor, slope: Slope) -> Ascent:
        """The state at the next point."""
        better = slope.loss > self.best_loss
        return replace(
            self,
            x=x,
            before=self.x,
            loss=slope.loss,
            gradient=slope.gradient,
            best=select(better, x, self.best),
            best_loss=torch.where(better, slope.loss, self.best_loss),
            best_gradient=select(better, slope.gradient, self.best_gradient),
            rises=self.rises + (slope.loss > self.loss),
        )

    def checked(self, period: int) -> Ascent:
        """Halve the step and return to the best point if the loss rose too seldom, or the best loss did not improve."""
        stalled = self.rises <= RISING * period
        still = ~self.reduced & (self.best_loss <= self.mark)
        halve = stalled | still
        return replace(
            self,
            x=select(halve, self.best, self.x),
            gradient=select(halve, self.best_gradient, self.gradient),
            size=torch.where(halve, 0.5 * self.size, self.size),
            rises=torch.zeros_like(self.rises),
            reduced=halve,
            mark=self.best_loss,
        )


# ---- auto_pgd
# APGD: gradient ascent with momentum whose step is halved where it stalls (Croce, Hein, ICML 2020, Algorithm 1).


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

    def run(self, task: AttackContext, aim: Criterion) -> Height:
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

    def _direction(self, task: AttackContext) -> Tensor:
        """A random direction of norm 1."""
        v = self.norm.uniform(task.x, task.generator)
        return v / column(self.norm.length(v).clamp_min(torch.finfo(v.dtype).tiny), v)


@final
class _Run:
    """The active rows; those that reach the goal leave with the point that did so."""

    def __init__(self, plan: Plan, task: AttackContext, aim: Criterion, ascent: Ascent) -> None:
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
