"""One attack at work: the model, the samples, the goal, the box, and how a result is scored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.box import Box, End, read_box
from pdedsl.attacks.goal import Goal
from pdedsl.attacks.layout import select, take
from pdedsl.attacks.norms import Norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.region import Region, region
from pdedsl.samples import read_classes, read_samples
from pdedsl.untouched import Model

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
class Task:
    predictor: Predictor
    x: Tensor
    goal: Goal
    box: Box
    generator: torch.Generator

    def take(self, rows: Tensor) -> Task:
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
) -> Iterator[Task]:
    """Open an attack. A Predictor passed as the model brings its own `eot`, `draws` and `batch`."""
    predictor = model if isinstance(model, Predictor) else Predictor(model, eot=eot)
    box = read_box(bounds)
    x, y = read_samples(x, y)
    box.check(x)
    with predictor.attacked(x, seed), torch.inference_mode(False), torch.no_grad():
        generator = torch.Generator(x.device).manual_seed(seed)
        yield Task(predictor, x, Goal(y, None if target is None else read_classes(target)), box, generator)
