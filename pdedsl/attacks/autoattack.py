"""AutoAttack, standard (Croce, Hein, ICML 2020): APGD on the cross-entropy, APGD-DLR and FAB at nine targets, Square.

Rows that are fooled cost nothing more, so the parts run in slices, and the next slice is always from the part with the
best yield for its cost so far. A row that holds must withstand them all; time is saved where, by experience, nothing is
found:

- all targets are scouted with short runs of APGD, and only the most promising ones run in full (successive halving);
- FAB aims at these targets only;
- Square gives up rows that have made too little progress.

`race=False` runs everything in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.apgd import Height, Plan
from pdedsl.attacks.base import AttackContext, Bounds, Nearest, Result, Rounds, attacking, likely
from pdedsl.attacks.criterion import Criterion, Loss, dlr
from pdedsl.attacks.fab import Fab
from pdedsl.attacks.norms import Norm, NormName, read_norm
from pdedsl.attacks.pgd import entropy
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.square import patches, search, some_hope
from pdedsl.frozen_model import Model

TARGETS, SCOUT, FINALISTS = 9, 20, 3


def autoattack(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    steps: int = 100,
    queries: int = 5000,
    race: bool = True,
    eot: int = 1,
    bounds: Bounds = None,
    seed: int = 0,
) -> Result:
    """The standard cascade; `result.found` says how many rows each part fooled."""
    measure = read_norm(norm)
    with attacking(model, x, y, bounds=bounds, eot=eot, seed=seed) as task:
        rounds = Rounds(task)
        cascade = _Cascade(rounds, measure, eps, steps, queries, race, likely(task, TARGETS))
        found = _run(
            rounds,
            [
                _Part("apgd-ce", cascade.entropy(), 0.0),
                _Part("apgd-t", cascade.targeted(), 1.0),
                _Part("square", cascade.square(), 200.0),
                _Part("fab-t", cascade.fab(), 400.0),
            ],
        )
        return replace(rounds.result(measure), found=found)


@final
@dataclass
class _Part:
    """`slices` attack the remaining rows. Costs are passes of all samples through the model; `prior` is a guess."""

    name: str
    slices: Iterator[Tensor]
    prior: float
    fooled: int = 0
    cost: float = 0.0

    @property
    def price(self) -> float:
        """The cost of a success: at first the expected one, in the end the measured one."""
        return (self.cost + self.prior) / (self.fooled + 1)


def _run(rounds: Rounds, parts: list[_Part]) -> tuple[tuple[str, int], ...]:
    waiting, predictor = list(parts), rounds.task.predictor
    while waiting and len(rounds.rows):
        part, before, many = min(waiting, key=lambda part: part.price), predictor.rows, len(rounds.rows)
        points = next(part.slices, None)
        if points is None:
            waiting.remove(part)
            continue
        part.fooled += rounds.record(points)
        part.cost += (predictor.rows - before) / many
    return tuple((part.name, part.fooled) for part in parts)


@final
@dataclass
class _Cascade:
    """The slices, each a generator of points for the rows that remain when it is asked."""

    rounds: Rounds
    norm: Norm
    eps: float
    steps: int
    queries: int
    race: bool
    aims: Tensor
    """The classes to aim at, the most promising first."""

    def entropy(self) -> Iterator[Tensor]:
        left = self.rounds.left
        yield self._climb(left, left.goal, entropy(left.predictor), self.steps).x

    def targeted(self) -> Iterator[Tensor]:
        if self.race and self.aims.shape[1] > FINALISTS:
            yield from self._scout()
        for index in range(self._finalists()):
            yield self._climb(self.rounds.left, self._aimed(index), dlr, self.steps).x

    def _scout(self) -> Iterator[Tensor]:
        """Short runs at all targets rank them, separately for each row, by the loss that they reach."""
        heights = torch.full(self.aims.shape, -torch.inf, dtype=self.rounds.x.dtype, device=self.aims.device)
        for index in range(self.aims.shape[1]):
            rows = self.rounds.rows
            end = self._climb(self.rounds.left, self._aimed(index), dlr, min(SCOUT, self.steps))
            heights[rows, index] = end.loss.to(heights.dtype)
            yield end.x
        self.aims = self.aims.gather(1, heights.argsort(1, descending=True))

    def fab(self) -> Iterator[Tensor]:
        plan = Fab(self.norm, self.steps)
        for index in range(self._finalists()):
            nearest = Nearest(self.rounds.left, self.norm, self.eps)
            rows = torch.arange(len(nearest.x), device=nearest.x.device)
            last = plan.run(nearest, rows, self._aimed(index), nearest.task.x)
            yield nearest.task.region(self.norm, self.eps).project(nearest.or_else(last))

    def square(self) -> Iterator[Tensor]:
        """A short search first: if gradients are masked it finds many, and its part continues earlier."""
        for queries in (self.queries // 25, self.queries):
            left = self.rounds.left
            draw = patches(self.norm, left.x, self.eps, left.generator)
            region = left.region(self.norm, self.eps)
            yield search(left, region, draw, queries, hope=some_hope if self.race else None)

    def _climb(self, task: AttackContext, aim: Criterion, loss: Loss, steps: int) -> Height:
        return Plan(self.norm, self.eps, steps, loss).run(task, aim)

    def _aimed(self, index: int) -> Criterion:
        return self.rounds.left.goal.aimed(self.aims[self.rounds.rows, index])

    def _finalists(self) -> int:
        return min(FINALISTS, self.aims.shape[1]) if self.race else self.aims.shape[1]
