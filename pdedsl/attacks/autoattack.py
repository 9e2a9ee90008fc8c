"""AutoAttack (Croce, Hein, ICML 2020). The versions consist of:

    standard    APGD-CE, APGD-T (targeted, DLR), FAB-T, Square
    plus        the same, with APGD-DLR, and five restarts of APGD-CE, APGD-DLR and FAB-T
    rand        APGD-CE and APGD-DLR, with 20 noise samples per gradient (EOT): for stochastic networks

Samples with an adversarial example are removed, and the attacks run in slices: the next slice is taken from the attack
with the lowest cost per success so far. Prior costs put APGD-CE first, then APGD-T, Square and FAB; the paper runs FAB
before Square. With `race=True`, time is saved where the full attack rarely finds more:

- all targets are ranked by short runs of APGD, and only the best ones run in full (successive halving);
- FAB attacks these targets only;
- Square abandons samples that have made too little progress.

`race=False` runs all attacks in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, final

import torch
from torch import Tensor

from pdedsl.attacks.apgd import ApgdConfig, ApgdResult
from pdedsl.attacks.base import (
    AttackContext,
    Bounds,
    ClosestAdversarials,
    RestartTracker,
    Result,
    attack_context,
    likeliest_classes,
)
from pdedsl.attacks.criterion import Criterion, Loss, dlr
from pdedsl.attacks.docstrings import attack_documentation
from pdedsl.attacks.fab import FabConfig
from pdedsl.attacks.norms import Norm, NormName, read_norm
from pdedsl.attacks.pgd import cross_entropy_loss
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.square import make_proposals, progress_thresholds, random_search
from pdedsl.frozen_model import Model

Version = Literal["standard", "plus", "rand"]
RESTARTS: dict[Version, int] = {"standard": 1, "plus": 5, "rand": 1}
PARTS: dict[Version, tuple[str, ...]] = {
    "standard": ("apgd-ce", "apgd-t", "square", "fab-t"),
    "plus": ("apgd-ce", "apgd-dlr", "apgd-t", "square", "fab-t"),
    "rand": ("apgd-ce", "apgd-dlr"),
}
RAND_EOT = 20  # noise samples per gradient of the version rand, unless more are requested
TARGETS = 9  # of the standard version
SHORT_STEPS = 20  # of the runs that rank the targets
FULL_TARGETS = 3  # targets that run in full


@attack_documentation()
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
    version: Version = "standard",
    eot: int = 1,
    bounds: Bounds = None,
    seed: int = 0,
) -> Result:
    """AutoAttack (Croce, Hein, ICML 2020): parameter-free ensemble of APGD-CE, APGD-T, Square and FAB-T.

    The attack with the lowest cost per success so far runs next; robust samples are attacked by all of them.

    Args:
        steps: number of steps of APGD and FAB.
        queries: number of queries of Square.
        race: save time by ranking targets and abandoning samples without progress; False runs all attacks in full.
        version: "standard", "plus" with more restarts, or "rand" for stochastic networks, where `eot` is at least 20.

    Returns:
        `found` has the number of successes of each attack, in the order above.

    Example:
        >>> result = attacks.autoattack(model, x, y, eps=0.5, steps=5, queries=10)
        >>> result.fooled.tolist()
        [True, False]
        >>> [name for name, successes in result.found]
        ['apgd-ce', 'apgd-t', 'square', 'fab-t']
    """
    if version not in RESTARTS:
        raise ValueError(f"version must be one of {', '.join(RESTARTS)}, got {version!r}")
    measure = read_norm(norm)
    with (
        attack_context(model, x, y, bounds=bounds, eot=eot, seed=seed) as context,
        _least_samples(context.predictor, RAND_EOT if version == "rand" else 1),
    ):
        tracker, targets = RestartTracker(context), likeliest_classes(context, TARGETS)
        sequence = _AttackSequence(tracker, measure, eps, steps, queries, race, targets, RESTARTS[version])
        parts = [
            _Part("apgd-ce", sequence.run_untargeted(cross_entropy_loss(context.predictor)), 0.0),
            _Part("apgd-dlr", sequence.run_untargeted(dlr), 0.5),
            _Part("apgd-t", sequence.run_targeted(), 1.0),
            _Part("square", sequence.square(), 200.0),
            _Part("fab-t", sequence.fab(), 400.0),
        ]
        result = _run(tracker, [part for part in parts if part.name in PARTS[version]])
        return replace(tracker.result(measure), found=result)


@contextmanager
def _least_samples(predictor: Predictor, least: int) -> Iterator[None]:
    """Within, gradients of a stochastic model average at least this number of noise samples."""
    before = predictor.eot
    predictor.eot = max(before, least) if predictor.stochastic else before
    try:
        yield
    finally:
        predictor.eot = before


@final
@dataclass
class _Part:
    """One attack of the ensemble: `slices` attack the remaining rows. Costs are passes per sample."""

    name: str
    slices: Iterator[Tensor]
    prior: float
    successes: int = 0
    cost: float = 0.0

    @property
    def price(self) -> float:
        """Cost per success, regularised by the prior."""
        return (self.cost + self.prior) / (self.successes + 1)


def _run(tracker: RestartTracker, parts: list[_Part]) -> tuple[tuple[str, int], ...]:
    active, predictor = list(parts), tracker.context.predictor
    while active and len(tracker.rows):
        part, before, many = min(active, key=lambda part: part.price), predictor.rows, len(tracker.rows)
        points = next(part.slices, None)
        if points is None:
            active.remove(part)
            continue
        part.successes += tracker.record(points)
        part.cost += (predictor.rows - before) / many
    return tuple((part.name, part.successes) for part in parts)


@final
@dataclass
class _AttackSequence:
    """Generators of slices: each yields points for the rows that remain."""

    tracker: RestartTracker
    norm: Norm
    eps: float
    steps: int
    queries: int
    race: bool
    target_classes: Tensor
    """Target classes (n, k), the most promising first."""
    restarts: int = 1

    def run_untargeted(self, loss: Loss) -> Iterator[Tensor]:
        for _ in range(self.restarts):
            left = self.tracker.remaining
            yield self._apgd(left, left.criterion, loss, self.steps).x

    def run_targeted(self) -> Iterator[Tensor]:
        if self.race and self.target_classes.shape[1] > FULL_TARGETS:
            yield from self._rank_targets()
        for index in range(self._num_full_targets()):
            yield self._apgd(self.tracker.remaining, self._targeted_criterion(index), dlr, self.steps).x

    def _rank_targets(self) -> Iterator[Tensor]:
        """Rank the targets of each row by the loss that short runs reach."""
        losses = torch.full(
            self.target_classes.shape, -torch.inf, dtype=self.tracker.x.dtype, device=self.target_classes.device
        )
        for index in range(self.target_classes.shape[1]):
            rows = self.tracker.rows
            end = self._apgd(self.tracker.remaining, self._targeted_criterion(index), dlr, min(SHORT_STEPS, self.steps))
            losses[rows, index] = end.loss.to(losses.dtype)
            yield end.x
        self.target_classes = self.target_classes.gather(1, losses.argsort(1, descending=True))

    def fab(self) -> Iterator[Tensor]:
        attack = FabConfig(self.norm, self.steps)
        for restart, index in product(range(self.restarts), range(self._num_full_targets())):
            closest = ClosestAdversarials(self.tracker.remaining, self.norm, self.eps)
            rows = torch.arange(len(closest.x), device=closest.x.device)
            start = attack.start(closest, rows, restart, self.eps)
            last = attack.run(closest, rows, self._targeted_criterion(index), start)
            yield closest.context.region(self.norm, self.eps).project(closest.with_fallback(last))

    def square(self) -> Iterator[Tensor]:
        """A short search first: with masked gradients it finds many, and the long one is scheduled earlier."""
        for queries in (self.queries // 25, self.queries):
            left = self.tracker.remaining
            draw = make_proposals(self.norm, left.x, self.eps, left.generator)
            region = left.region(self.norm, self.eps)
            yield random_search(left, region, draw, queries, abandonment=progress_thresholds if self.race else None)

    def _apgd(self, context: AttackContext, loss_criterion: Criterion, loss: Loss, steps: int) -> ApgdResult:
        return ApgdConfig(self.norm, self.eps, steps, loss).run(context, loss_criterion)

    def _targeted_criterion(self, index: int) -> Criterion:
        return self.tracker.remaining.criterion.with_target(self.target_classes[self.tracker.rows, index])

    def _num_full_targets(self) -> int:
        return min(FULL_TARGETS, self.target_classes.shape[1]) if self.race else self.target_classes.shape[1]
