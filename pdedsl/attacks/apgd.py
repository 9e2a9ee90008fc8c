"""APGD: projected gradient ascent with momentum and adaptive step size (Croce, Hein, ICML 2020, Algorithm 1).

    z = P(x + ηv),    x′ = P(x + α(z − x) + (1 − α)(x − x₋)),

with the step size η halved at checkpoints if the loss increased too rarely or the best loss did not improve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Literal, NamedTuple, Unpack, final

import torch
from torch import Tensor

from pdedsl.attacks.base import AttackContext, AttackOptions, RestartTracker, Result, attack_context, likeliest_classes
from pdedsl.attacks.batch_ops import column, select, take
from pdedsl.attacks.constraints import FeasibleSet
from pdedsl.attacks.criterion import Criterion, Loss, dlr
from pdedsl.attacks.docstrings import attack_documentation
from pdedsl.attacks.norms import Norm, NormName, read_norm
from pdedsl.attacks.pgd import cross_entropy_loss, find_successes, is_check_step
from pdedsl.attacks.predictor import LossGradient, Predictor
from pdedsl.frozen_model import Model

# ---- Step size control


MOMENTUM = 0.75  # α of the paper
MIN_INCREASE_FRACTION = 0.75  # ρ of the paper


def step_size_checkpoints(steps: int) -> frozenset[int]:
    """The steps ⌈pⱼN⌉ at which the step size is checked: p₀ = 0, p₁ = 0.22, pⱼ₊₁ = pⱼ + max{pⱼ − pⱼ₋₁ − 0.03, 0.06}.

    In integer arithmetic, as in the reference implementation.
    """
    period, shorter, shortest = (max(int(fraction * steps), 1) for fraction in (0.22, 0.03, 0.06))
    step, checkpoints = 0, []
    while step + period <= steps:
        step += period
        checkpoints.append(step)
        period = max(period - shorter, shortest)
    return frozenset(checkpoints)


@final
@dataclass(frozen=True)
class ApgdState:
    """State of APGD; rows are independent, so that any of them can be removed."""

    x: Tensor
    previous: Tensor
    loss: Tensor
    gradient: Tensor
    best: Tensor
    best_loss: Tensor
    best_gradient: Tensor
    step_size: Tensor
    increases: Tensor
    """Number of steps since the last checkpoint in which the loss increased."""
    reduced: Tensor
    """Whether the step size was halved at the last checkpoint."""
    checkpoint_loss: Tensor
    """The best loss at the last checkpoint."""

    @staticmethod
    def begin(x: Tensor, evaluation: LossGradient, eps: float) -> ApgdState:
        loss, gradient = evaluation.loss, evaluation.gradient
        zero = torch.zeros_like(loss)
        step_size = torch.full_like(loss, 2.0 * eps)
        return ApgdState(
            x, x, loss, gradient, x, loss, gradient, step_size, zero, torch.ones_like(loss, dtype=torch.bool), loss
        )

    def take(self, rows: Tensor) -> ApgdState:
        return ApgdState(*(take(getattr(self, field.name), rows) for field in fields(self)))

    def next_point(self, region: FeasibleSet, norm: Norm, momentum: float = MOMENTUM) -> Tensor:
        """z = P(x + ηv),    x′ = P(x + a(z − x) + (1 − a)(x − x₋))."""
        z = region.project(self.x + column(self.step_size, self.x) * norm.steepest(self.gradient))
        if momentum == 1.0:
            return z
        return region.project(self.x + momentum * (z - self.x) + (1.0 - momentum) * (self.x - self.previous))

    def update(self, x: Tensor, evaluation: LossGradient) -> ApgdState:
        """The state at the next point."""
        better = evaluation.loss > self.best_loss
        return replace(
            self,
            x=x,
            previous=self.x,
            loss=evaluation.loss,
            gradient=evaluation.gradient,
            best=select(better, x, self.best),
            best_loss=torch.where(better, evaluation.loss, self.best_loss),
            best_gradient=select(better, evaluation.gradient, self.best_gradient),
            increases=self.increases + (evaluation.loss > self.loss),
        )

    def adapt_step_size(self, period: int) -> ApgdState:
        """Halve the step size and restart from the best point if the loss increased too rarely or did not improve."""
        stalled = self.increases <= MIN_INCREASE_FRACTION * period
        still = ~self.reduced & (self.best_loss <= self.checkpoint_loss)
        halve = stalled | still
        return replace(
            self,
            x=select(halve, self.best, self.x),
            gradient=select(halve, self.best_gradient, self.gradient),
            step_size=torch.where(halve, 0.5 * self.step_size, self.step_size),
            increases=torch.zeros_like(self.increases),
            reduced=halve,
            checkpoint_loss=self.best_loss,
        )


# ---- Attack


LossName = Literal["ce", "dlr"]


@attack_documentation(attack_context)
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
    **options: Unpack[AttackOptions],
) -> Result:
    """Auto-PGD (Croce, Hein, ICML 2020): parameter-free projected gradient ascent on the cross-entropy or DLR loss.

    Args:
        restarts: number of runs from random points.
        loss: "ce" (cross-entropy) or "dlr" (difference of logits ratio).
        targets: if k > 0, every restart runs targeted attacks on the k likeliest other classes in turn.

    Example:
        >>> result = attacks.apgd(model, x, y, eps=0.5, steps=5)
        >>> result.fooled.tolist()
        [True, False]
    """
    measure = read_norm(norm)
    with attack_context(model, x, y, **options) as context:
        config, tracker = ApgdConfig(measure, eps, steps, LOSSES[loss](context.predictor)), RestartTracker(context)
        target_classes = list(likeliest_classes(context, targets).T) if targets else [None]
        for target_class in target_classes * restarts:
            left = tracker.remaining
            criterion = (
                left.criterion if target_class is None else left.criterion.with_target(target_class[tracker.rows])
            )
            tracker.record(config.run(left, criterion).x)
        return tracker.result(measure)


LOSSES: dict[LossName, Callable[[Predictor], Loss]] = {"ce": cross_entropy_loss, "dlr": lambda _: dlr}


class ApgdResult(NamedTuple):
    """The final point of each row and its loss; infinite for successes."""

    x: Tensor
    loss: Tensor


@final
@dataclass(frozen=True)
class ApgdConfig:
    norm: Norm
    eps: float
    steps: int
    loss: Loss

    def run(self, context: AttackContext, loss_criterion: Criterion) -> ApgdResult:
        """The first point of each row that satisfies the criterion of the context, or the point of largest loss."""
        if not len(context.x):
            return ApgdResult(context.x, context.x.flatten(1).sum(1))
        x = context.region(self.norm, self.eps).project(context.x + self.eps * self._direction(context))
        evaluation = context.predictor.loss_gradient(x, loss_criterion, self.loss)
        run = _Run(self, context, loss_criterion, ApgdState.begin(x, evaluation, self.eps))
        run.remove(evaluation.logits, 0)
        last = 0
        for step in range(1, self.steps + 1):
            if not len(run.rows):
                break
            run.step(step)
            if step in step_size_checkpoints(self.steps):
                run.state, last = run.state.adapt_step_size(step - last), step
        return run.end()

    def _direction(self, context: AttackContext) -> Tensor:
        """A random direction of norm 1."""
        v = self.norm.uniform(context.x, context.generator)
        return v / column(self.norm.length(v).clamp_min(torch.finfo(v.dtype).tiny), v)


@final
class _Run:
    """The active rows; rows that satisfy the criterion are removed."""

    def __init__(self, config: ApgdConfig, context: AttackContext, loss_criterion: Criterion, state: ApgdState) -> None:
        self.config, self.context, self.loss_criterion, self.state = config, context, loss_criterion, state
        self.region = context.region(config.norm, config.eps)
        self.rows = torch.arange(len(context.x), device=context.x.device)
        self.result = ApgdResult(context.x.clone(), state.loss.clone())

    def step(self, number: int) -> None:
        x = self.state.next_point(self.region, self.config.norm, 1.0 if number == 1 else MOMENTUM)
        evaluation = self.context.predictor.loss_gradient(x, self.loss_criterion, self.config.loss)
        self.state = self.state.update(x, evaluation)
        self.remove(evaluation.logits, number)

    def remove(self, logits: Tensor, number: int) -> None:
        if not is_check_step(self.context.predictor, number):
            return
        done = find_successes(self.context.predictor, self.state.x, self.context.criterion, logits)
        if not done.any():
            return
        self._write(self.rows[done], take(self.state.x, done), torch.full_like(self.state.loss[done], torch.inf))
        left = ~done
        self.rows, self.state, self.region = self.rows[left], self.state.take(left), self.region.take(left)
        self.context, self.loss_criterion = self.context.take(left), self.loss_criterion.take(left)

    def end(self) -> ApgdResult:
        self._write(self.rows, self.state.best, self.state.best_loss)
        return self.result

    def _write(self, rows: Tensor, x: Tensor, loss: Tensor) -> None:
        self.result.x[rows] = x
        self.result.loss[rows] = loss
