"""One loop for the attacks that follow a gradient: FGSM, IFGSM, PGD, DI²-FGSM, with any loss, norm and average.

    x ← P(x + α v),    v = argmax ⟨∇L, v⟩ over ‖v‖ ≤ 1,    P the projection to ball ∩ box.

A row that has reached the goal leaves the batch and costs nothing more. Where ∇L promises that a step leads there, the
scores are looked at before the next gradient, which takes longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from pdedsl.attacks.goal import Goal, Loss, margin
from pdedsl.attacks.layout import inner, take
from pdedsl.attacks.norms import Norm
from pdedsl.attacks.predictor import Predictor, Transform
from pdedsl.attacks.region import Region


@final
@dataclass(frozen=True)
class Climb:
    """`steps` steps of length `length`; with `stop`, a row ends as soon as it has reached the goal."""

    norm: Norm
    length: float
    steps: int
    loss: Loss
    transform: Transform | None = None
    stop: bool = True


class Top(NamedTuple):
    """The point at which each row was seen to reach the goal, or its last point; and which rows were seen to."""

    x: Tensor
    reached: Tensor


def ascend(predictor: Predictor, start: Tensor, goal: Goal, region: Region, climb: Climb) -> Top:
    """Climb from `start`. The last points are not looked at: without `stop`, no row is seen to reach the goal."""
    climber = _Climber(predictor, start, goal, region)
    certain = climb.transform is None
    for step in range(climb.steps):
        if climb.stop and certain and not predictor.stochastic:
            climber.look()
        if not len(climber.rows):
            break
        _, scores, gradient = predictor.slope(climber.x, climber.goal, climb.loss, climb.transform)
        if climb.stop and due(predictor, step):
            done = reached(predictor, climber.x, climber.goal, scores, certain)
            climber.leave(done)
            scores, gradient = (take(t, ~done) for t in (scores, gradient)) if done.any() else (scores, gradient)
        climber.move(climb.length, climb.norm.steepest(gradient), gradient, scores)
    return climber.top()


FEW = 16
"""Rows for which a call of their own does not pay."""


@final
class _Climber:
    """`rows` are those on their way; x, goal and region are theirs."""

    def __init__(self, predictor: Predictor, start: Tensor, goal: Goal, region: Region) -> None:
        self.predictor, self.x, self.goal, self.region = predictor, start, goal, region
        self.rows = torch.arange(len(start), device=start.device)
        self._top = Top(start.clone(), torch.zeros_like(self.rows, dtype=torch.bool))
        self._hopeful = torch.zeros_like(self.rows, dtype=torch.bool)

    def leave(self, done: Tensor) -> None:
        """These rows have reached the goal where they are."""
        if not done.any():
            return
        self._top.x[self.rows[done]], self._top.reached[self.rows[done]] = take(self.x, done), True
        left = ~done
        self.rows, self.x, self.goal = self.rows[left], take(self.x, left), self.goal.take(left)
        self.region = self.region.take(left)

    def move(self, length: float, v: Tensor, gradient: Tensor, scores: Tensor) -> None:
        """A row is hopeful where the margin and what ∇L adds to it are positive: m + ⟨∇L, x′ − x⟩ > 0."""
        before, self.x = self.x, self.region.project(torch.add(self.x, v, alpha=length))
        self._hopeful = margin(scores, self.goal) + inner(gradient, self.x - before) > 0.0

    def look(self) -> None:
        """Hopeful rows that have reached the goal leave before a gradient is asked for."""
        if (hopeful := self._hopeful.nonzero()[:, 0]).numel() >= FEW:
            done = torch.zeros_like(self._hopeful)
            done[hopeful] = self.goal.take(hopeful).reached(self.predictor.query(take(self.x, hopeful)))
            self.leave(done)

    def top(self) -> Top:
        self._top.x[self.rows] = self.x
        return self._top


def due(predictor: Predictor, step: int) -> bool:
    """Is success checked after this step? If that takes many draws, only at 0, 1, 3, 7, 15, …"""
    return not predictor.stochastic or step & (step + 1) == 0


def reached(predictor: Predictor, x: Tensor, goal: Goal, scores: Tensor, certain: bool = True) -> Tensor:
    """Rows that have reached the goal by the given scores and, if these are noisy, by fresh ones too."""
    done = goal.reached(scores)
    if (certain and not predictor.stochastic) or not done.any():
        return done
    done[done.clone()] = predictor.surely(take(x, done), goal.take(done))
    return done
