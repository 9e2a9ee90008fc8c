"""The state of APGD: a point with momentum, the best point so far, and a step size, all for each row by itself."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.layout import column, select, take
from pdedsl.attacks.norms import Norm
from pdedsl.attacks.predictor import Slope
from pdedsl.attacks.region import Region

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
