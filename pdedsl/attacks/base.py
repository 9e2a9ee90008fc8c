"""One attack at work: the model, the samples, the goal, the box, and how a result is scored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.batch_ops import column, select, take
from pdedsl.attacks.constraints import Box, End, Region, read_box, region, rounded_down
from pdedsl.attacks.criterion import Criterion, margin
from pdedsl.attacks.norms import Norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model
from pdedsl.validation import validate_batch, validate_labels

# ---- task


Bounds = Box | tuple[End, End] | None


@final
@dataclass(frozen=True)
class Result:
    """Attacked samples x; `fooled` is whether the model's prediction for them, as they are stored, reaches the goal.

    A sample that was misclassified from the start counts as fooled, and is returned unchanged. `draws` is how many
    fresh draws of the model's noise a prediction averages, `rows` how many rows went through the model, forwards or
    backwards.
    """

    x: Tensor
    fooled: Tensor
    distances: Tensor
    draws: int
    rows: int
    found: tuple[tuple[str, int], ...] = ()
    """How many rows each part of a cascade fooled, in the order in which the parts ran."""

    @property
    def accuracy(self) -> float:
        """The share of samples that are not fooled."""
        return 1.0 - self.fooled.double().mean().item()


@final
@dataclass(frozen=True)
class AttackContext:
    predictor: Predictor
    x: Tensor
    goal: Criterion
    box: Box
    generator: torch.Generator

    def take(self, rows: Tensor) -> AttackContext:
        return replace(self, x=take(self.x, rows), goal=self.goal.take(rows))

    def region(self, norm: Norm, eps: float) -> Region:
        return region(norm, self.x, eps, self.box)

    def open(self) -> Tensor:
        """The indices of rows for which the samples themselves do not `surely` reach the goal."""
        return (~self.predictor.surely(self.x, self.goal)).nonzero()[:, 0]

    def result(self, norm: Norm, attacked: Tensor, eps: float | None = None, rows: Tensor | None = None) -> Result:
        """Score what an attack returns, projected if `eps` is given; samples replace points that are not finite.

        If `rows` are given, the others were seen to reach the goal, and are scored again only if answers may differ.
        """
        finite = attacked.flatten(1).isfinite().all(1)
        if rows is None or not finite.all() or not self.predictor.repeats:
            rows = torch.arange(len(attacked), device=attacked.device)
        attacked = attacked if finite.all() else select(finite, attacked, self.x)
        if eps is not None:
            far = norm.length(attacked - self.x) > eps
            attacked = select(far, self.region(norm, eps).project(attacked), attacked) if far.any() else attacked
        fooled = torch.ones_like(self.goal.y, dtype=torch.bool)
        if len(rows):
            fooled[rows] = self.goal.take(rows).reached(self.predictor.fresh(take(attacked, rows)))
        distances = norm.length(attacked - self.x)
        return Result(attacked, fooled, distances, self.predictor.draws, self.predictor.rows)


@contextmanager
def attacking(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    target: Tensor | None = None,
    bounds: Bounds = None,
    eot: int = 1,
    seed: int = 0,
) -> Iterator[AttackContext]:
    """Open an attack. A Predictor passed as the model brings its own `eot`, `draws` and `batch`."""
    predictor = model if isinstance(model, Predictor) else Predictor(model, eot=eot)
    box = read_box(bounds)
    x, y = validate_batch(x, y)
    box.check(x)
    with predictor.attacked(x, seed), torch.inference_mode(False), torch.no_grad():
        generator = torch.Generator(x.device).manual_seed(seed)
        yield AttackContext(
            predictor, x, Criterion(y, None if target is None else validate_labels(target)), box, generator
        )


# ---- rounds
# Rounds of attack on the same samples: each on the rows not fooled yet, keeping the point that came closest.


@final
class Rounds:
    """`rows` are not fooled yet; x holds the points that fooled, otherwise the points of the largest margin so far."""

    def __init__(self, task: AttackContext, *, seen: bool = False) -> None:
        """`seen`: the first round begins at the samples themselves, and will see which are misclassified already."""
        self.task, self.x = task, task.x.clone()
        self.rows = torch.arange(len(task.x), device=task.x.device) if seen else task.open()
        self._margin = torch.full(task.x.shape[:1], -torch.inf, dtype=task.x.dtype, device=task.x.device)

    @property
    def left(self) -> AttackContext:
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


def likely(task: AttackContext, number: int) -> Tensor:
    """For each row the likeliest classes other than y, likeliest first, (n, number)."""
    scores = task.predictor.fresh(task.x)
    others = scores.scatter(1, task.goal.y[:, None], float("-inf"))
    return others.argsort(1, descending=True)[:, : min(number, scores.shape[1] - 1)]


# ---- nearest
# The nearest adversarial points seen so far, for attacks that search for the smallest distance.


SETTLING = 20  # steps from the boundary, each twice the last


@final
class Nearest:
    """For each row of a task the nearest point that reached the goal, at distance ∞ if none did.

    A row is done once its point is within ε or, if no ε is given, at distance 0: no nearer one is needed.
    """

    def __init__(self, task: AttackContext, norm: Norm, eps: float | None) -> None:
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

    def result(self, whole: AttackContext, rows: Tensor, last: Tensor, eps: float | None) -> Result:
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
