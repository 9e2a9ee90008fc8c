"""One loop for the attacks that follow a gradient: FGSM, IFGSM, PGD, DI²-FGSM, with any loss, norm and average.

    x ← P(x + α v),    v = argmax ⟨∇L, v⟩ over ‖v‖ ≤ 1,    P the projection to ball ∩ box.

A row that has reached the goal leaves the batch and costs nothing more. Where ∇L promises that a step leads there, the
scores are looked at before the next gradient, which takes longer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.attacks.base import AttackContext, Bounds, Result, Rounds, attacking
from pdedsl.attacks.batch_ops import inner, take
from pdedsl.attacks.constraints import Region
from pdedsl.attacks.criterion import Criterion, Loss, cross_entropy, log_odds, margin
from pdedsl.attacks.norms import Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor, Transform
from pdedsl.frozen_model import Model

# ---- first_order


@final
@dataclass(frozen=True)
class AscentConfig:
    """`steps` steps of length `length`; with `stop`, a row ends as soon as it has reached the goal."""

    norm: Norm
    length: float
    steps: int
    loss: Loss
    transform: Transform | None = None
    stop: bool = True


class AscentResult(NamedTuple):
    """The point at which each row was seen to reach the goal, or its last point; and which rows were seen to."""

    x: Tensor
    reached: Tensor


def ascend(predictor: Predictor, start: Tensor, goal: Criterion, region: Region, climb: AscentConfig) -> AscentResult:
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

    def __init__(self, predictor: Predictor, start: Tensor, goal: Criterion, region: Region) -> None:
        self.predictor, self.x, self.goal, self.region = predictor, start, goal, region
        self.rows = torch.arange(len(start), device=start.device)
        self._top = AscentResult(start.clone(), torch.zeros_like(self.rows, dtype=torch.bool))
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

    def top(self) -> AscentResult:
        self._top.x[self.rows] = self.x
        return self._top


def due(predictor: Predictor, step: int) -> bool:
    """Is success checked after this step? If that takes many draws, only at 0, 1, 3, 7, 15, …"""
    return not predictor.stochastic or step & (step + 1) == 0


def reached(predictor: Predictor, x: Tensor, goal: Criterion, scores: Tensor, certain: bool = True) -> Tensor:
    """Rows that have reached the goal by the given scores and, if these are noisy, by fresh ones too."""
    done = goal.reached(scores)
    if (certain and not predictor.stochastic) or not done.any():
        return done
    done[done.clone()] = predictor.surely(take(x, done), goal.take(done))
    return done


# ---- diversity
# Input diversity (Xie et al., CVPR 2019): an image is resized and padded at random before the gradient is taken.


def diverse(probability: float, generator: torch.Generator, smallest: float = 0.9) -> Callable[[Tensor], Tensor]:
    """T(x): with `probability`, resized to a side in [0.9, 1] of its own, then padded with 0 at random to its old size.

    Inputs that are not images of shape (n, channels, height, width) cannot be resized: T is the identity.
    """

    def draw(low: int, high: int) -> int:
        """Uniform in low, …, high."""
        return int(torch.randint(low, high + 1, (), generator=generator, device=generator.device))

    def transform(x: Tensor) -> Tensor:
        chance = torch.rand((), generator=generator, device=generator.device).item()
        if x.dim() != 4 or chance >= probability:
            return x
        height, width = x.shape[-2:]
        h = draw(min(math.ceil(smallest * height), height - 1), height)
        w = max(1, round(width * h / height))
        top, left = draw(0, height - h), draw(0, width - w)
        resized = functional.interpolate(x, size=(h, w), mode="nearest")
        return functional.pad(resized, (left, width - w - left, top, height - h - top))

    return transform


# ---- gradient_sign
# FGSM, IFGSM, PGD and DI²-FGSM (Wang, Yuan, Shi, Osher 2020, eqs. 3.2 and 3.3, Algorithm 3.1; Madry et al. 2018).


def fgsm(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """One step of length ε along the gradient of the cross-entropy: its sign for ℓ∞, its direction for ℓ2, clipped.

    If scores are linear and there are two classes, it is the best step for ℓ∞, and for ℓ2 the best one if nothing is
    clipped; else another goes farther where it is not clipped.
    """
    measure = read_norm(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        climb = AscentConfig(measure, eps, 1, entropy(task.predictor))
        return _run(task, measure, eps, climb, restarts=1, start=_itself)


def ifgsm(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    step: float | None = None,
    steps: int = 20,
    restarts: int = 1,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """`steps` steps of length `step`, by default 2.5 ε/steps, from x. Restarts begin at random points."""
    measure = read_norm(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        climb = AscentConfig(measure, _length(eps, step, steps), steps, entropy(task.predictor))
        return _run(task, measure, eps, climb, restarts, _itself)


def pgd(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    step: float | None = None,
    steps: int = 20,
    restarts: int = 1,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """IFGSM from a start that is uniform in the ball."""
    measure = read_norm(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        climb = AscentConfig(measure, _length(eps, step, steps), steps, entropy(task.predictor))
        return _run(task, measure, eps, climb, restarts, somewhere)


def difgsm(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    step: float | None = None,
    steps: int = 20,
    restarts: int = 1,
    probability: float = 0.5,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """IFGSM on inputs that are randomly resized and padded with `probability` (Xie et al. 2019, eq. 6)."""
    measure = read_norm(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        change = diverse(probability, task.generator)
        climb = AscentConfig(measure, _length(eps, step, steps), steps, entropy(task.predictor), change)
        return _run(task, measure, eps, climb, restarts, _itself)


def entropy(predictor: Predictor) -> Loss:
    """The cross-entropy; for a single draw, in the form that does not saturate and has the same direction."""
    return log_odds if predictor.eot == 1 else cross_entropy


def _length(eps: float, step: float | None, steps: int) -> float:
    return 2.5 * eps / steps if step is None else step


Start = Callable[[AttackContext, Norm, float], Tensor]


def _itself(task: AttackContext, norm: Norm, eps: float) -> Tensor:
    return task.x


def somewhere(task: AttackContext, norm: Norm, eps: float) -> Tensor:
    """Uniform in the ball."""
    return torch.add(task.x, norm.uniform(task.x, task.generator), alpha=eps)


def _run(task: AttackContext, norm: Norm, eps: float, climb: AscentConfig, restarts: int, start: Start) -> Result:
    """Restarts, each for the rows not fooled yet; a row that is never fooled keeps the point of its largest margin."""
    rounds = Rounds(task, seen=start is _itself and climb.transform is None)
    for restart in range(restarts):
        left = rounds.left
        region = left.region(norm, eps)
        begin = region.project((start if restart == 0 else somewhere)(left, norm, eps))
        top = ascend(left.predictor, begin, left.goal, region, climb)
        if restarts == 1:  # the points would be scored here and again below
            rounds.keep(*top)
        else:
            rounds.record(top.x)
    return rounds.result(norm)
