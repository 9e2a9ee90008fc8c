"""One loop for the attacks that follow a gradient: FGSM, IFGSM, PGD, DI²-FGSM, with any loss, norm and average.

    x ← P(x + α v),    v = argmax ⟨∇L, v⟩ over ‖v‖ ≤ 1,    P the projection to ball ∩ box.

A row that has reached the goal leaves the batch and costs nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from pdedsl.attacks.goal import Goal, Loss
from pdedsl.attacks.layout import take
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
    rows = torch.arange(len(start), device=start.device)
    result, x = Top(start.clone(), torch.zeros_like(rows, dtype=torch.bool)), start
    for step in range(climb.steps):
        if not len(rows):
            return result
        _, scores, gradient = predictor.slope(x, goal, climb.loss, climb.transform)
        v = climb.norm.steepest(gradient)
        if climb.stop and due(predictor, step):
            done = reached(predictor, x, goal, scores, certain=climb.transform is None)
            if done.any():
                result.x[rows[done]], result.reached[rows[done]] = take(x, done), True
                left = ~done
                rows, x, v, goal, region = rows[left], take(x, left), take(v, left), goal.take(left), region.take(left)
        x = region.project(torch.add(x, v, alpha=climb.length))
    result.x[rows] = x
    return result


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
