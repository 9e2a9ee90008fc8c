"""Attacks of a gradient-masking audit on the same samples, each run at most once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil

import torch
from torch import Tensor

from pdedsl.attacks.base import Bounds, Result
from pdedsl.attacks.constraints import read_box
from pdedsl.attacks.criterion import Criterion
from pdedsl.attacks.norms import Norm
from pdedsl.attacks.pgd import fgsm, pgd
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.square import square
from pdedsl.frozen_model import Model

RESTARTS = 4  # of PGD, with different random starting points
MAX_LARGER_EPS = 6
"""Radii of the accuracy curve beyond ε, up to the one that covers the box."""


@dataclass(frozen=True)
class AuditRuns:
    """Attacks on the samples x with labels y, run on first use."""

    predictor: Predictor
    x: Tensor
    y: Tensor
    norm: Norm
    eps: float
    steps: int
    queries: int
    bounds: Bounds
    seed: int
    successes: list[Tensor] = field(default_factory=list)  # (n,) each, of every attack on the model within ε

    @property
    def n(self) -> int:
        return len(self.x)

    @property
    def min_count(self) -> int:
        """The number of samples that makes a difference suspicious: 3 %, at least three."""
        return max(3, ceil(0.03 * self.n))

    @cached_property
    def criterion(self) -> Criterion:
        return Criterion(self.y)

    @cached_property
    def misclassified(self) -> Tensor:
        """Misclassified without an attack."""
        return self.criterion.is_satisfied(self.predictor.predict(self.x))

    @cached_property
    def has_other_class(self) -> bool:
        """Whether an unbounded attack can reach another class: in a box, or if the predictions differ."""
        predicted = self.predictor.predict(self.x).argmax(1)
        return read_box(self.bounds).bounded or bool((predicted != predicted[0]).any())

    def _run(
        self, attack: Callable[..., Result], eps: float, seed: int, model: Model | Predictor, **options: int
    ) -> Tensor:
        """Successes of an attack, (n,)."""
        fooled = attack(
            model, self.x, self.y, eps=eps, norm=self.norm, bounds=self.bounds, seed=self.seed + seed, **options
        ).fooled
        return self.record(fooled) if eps <= self.eps else fooled

    def record(self, successes: Tensor) -> Tensor:
        """Adds the successes (n,) of an attack on the model within ε to those of the audit."""
        self.successes.append(successes)
        return successes

    @property
    def fooled(self) -> Tensor:
        """Samples that are misclassified without an attack, or by any attack so far."""
        return torch.stack([self.misclassified, *self.successes]).any(0)

    def run_pgd(self, eps: float, seed: int = 0, model: Model | Predictor | None = None) -> Tensor:
        return self._run(pgd, eps, seed, self.predictor if model is None else model, steps=self.steps)

    @cached_property
    def pgd_runs(self) -> Tensor:
        """Successes of PGD from several random starts, (restarts, n)."""
        return torch.stack([self.run_pgd(self.eps, run) for run in range(RESTARTS)])

    @cached_property
    def single_step(self) -> Tensor:
        return self._run(fgsm, self.eps, 0, self.predictor)

    @cached_property
    def white_box(self) -> Tensor:
        """Successes of any white-box attack."""
        return self.pgd_runs.any(0) | self.single_step

    @cached_property
    def black_box(self) -> Tensor:
        return self._run(square, self.eps, 0, self.predictor, queries=self.queries)

    @cached_property
    def accuracy_curve(self) -> list[tuple[float, float]]:
        """(ε, robust accuracy) under PGD from ε = 0 to the covering radius, or until accuracy 0."""
        curve = [(0.0, _fraction(~self.misclassified)), (self.eps, _fraction(~self.pgd_runs[0]))]
        for eps in self._larger_eps:
            if curve[-1][1] == 0.0:
                break
            curve.append((eps, _fraction(~self.run_pgd(eps))))
        return curve

    @property
    def _larger_eps(self) -> list[float]:
        """Geometric sequence of radii from ε to the covering radius, with a factor of at least 2."""
        last = radius_containing_box(self.x, self.norm, self.bounds)
        factor = max(2.0, (last / self.eps) ** (1.0 / MAX_LARGER_EPS))
        sizes = [self.eps * factor**k for k in range(1, MAX_LARGER_EPS) if self.eps * factor**k < 0.99 * last]
        return [*sizes, last] if last > self.eps else []


def radius_containing_box(x: Tensor, norm: Norm, bounds: Bounds) -> float:
    """The smallest ε for which the ball covers the box; without a box, the bounding box of the samples.

    The box contains another class: a sample that is still correct at this ε is not robust, the attack failed.
    """
    lo, hi = read_box(bounds).ends(x)
    lo, hi = lo.where(lo.isfinite(), x.amin(0)), hi.where(hi.isfinite(), x.amax(0))
    return float(norm.length((hi - lo).expand_as(x[:1])).max())


def _fraction(where: Tensor) -> float:
    return where.double().mean().item()
