"""Boundary attack: decision-based random walk along the decision boundary (Brendel, Rauber, Bethge, ICLR 2018).

A point of another class is moved to the boundary by bisection, then alternately along the sphere around the input and
towards it; both step sizes adapt to their success rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack, final

import torch
from torch import Tensor

from pdedsl.attacks.base import (
    AttackContext,
    AttackOptions,
    ClosestAdversarials,
    Result,
    attack_context,
    search_minimum_norm,
)
from pdedsl.attacks.batch_ops import column, inner, select, take
from pdedsl.attacks.docstrings import attack_documentation
from pdedsl.attacks.norms import L2, NormName, read_euclidean
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model

# ---- Starting points


MAX_CANDIDATES = 256  # samples among which a starting point is searched
MAX_RANDOM_POINTS = 20  # random points per input if no sample is suitable


def find_starting_points(context: AttackContext, closest: ClosestAdversarials) -> int:
    """Store starting points in `closest`: other samples of the context, or random points. Returns queries per row."""
    left = closest.context
    all_rows = torch.arange(len(left.x), device=left.x.device)
    start, exists = _other_samples(context, left)
    reached = exists.clone()
    if exists.any():
        reached[exists] = left.criterion.take(exists).is_satisfied(left.predictor.query(take(start, exists)))
    closest.update(all_rows, start, reached)
    for attempt in range(MAX_RANDOM_POINTS):
        missing = all_rows[~closest.has_adversarial]
        if not len(missing):
            return 1 + attempt
        part = left.take(missing)
        x = _random_points(part, attempt)
        closest.update(missing, x, part.criterion.is_satisfied(part.predictor.query(x)))
    return 1 + MAX_RANDOM_POINTS


def _other_samples(context: AttackContext, left: AttackContext) -> tuple[Tensor, Tensor]:
    """For each row the nearest candidate that satisfies the criterion, and whether there is one."""
    pool = context.x[:MAX_CANDIDATES]
    predicted = context.predictor.query(pool).argmax(1)
    criterion = left.criterion
    unsuitable = (
        predicted == criterion.y[:, None] if criterion.target is None else predicted != criterion.target[:, None]
    )
    distance = torch.cdist(left.x.flatten(1), pool.flatten(1)).masked_fill(unsuitable, torch.inf)
    best = distance.min(1)
    return take(pool, best.indices), best.values.isfinite()


def _random_points(context: AttackContext, attempt: int) -> Tensor:
    """Uniform in the box; without a box, Gaussian around x with a scale that doubles with every attempt."""
    x, (lo, hi) = context.x, context.box.ends(context.x)
    if context.box.bounded:
        return lo + (hi - lo) * torch.empty_like(x).uniform_(generator=context.generator)
    size = x.abs().amax().item() or 1.0
    return (x + size * 2.0 ** (attempt - 2) * torch.empty_like(x).normal_(generator=context.generator)).clamp(lo, hi)


# ---- Attack


BISECTIONS = 10  # of the segment to the first adversarial point: 2⁻¹⁰ of its length


@attack_documentation(attack_context)
def boundary(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    norm: NormName = "2",
    eps: float | None = None,
    queries: int = 1000,
    step: float = 0.1,
    **options: Unpack[AttackOptions],
) -> Result:
    """Boundary attack (Brendel, Rauber, Bethge, ICLR 2018): decision-based minimum-norm attack in ℓ2.

    Args:
        norm: "2".
        step: initial step size on the sphere, relative to its radius.

    Returns:
        Samples without a starting point of another class are returned unchanged.

    Example:
        >>> x, y = torch.tensor([[0.25], [-1.0]]), torch.tensor([0, 1])
        >>> result = attacks.boundary(model, x, y, queries=50)
        >>> result.fooled.tolist()
        [True, True]
        >>> bool((result.distances >= x[:, 0].abs()).all())  # the distances to the boundary
        True
    """

    def search(context: AttackContext, closest: ClosestAdversarials) -> Tensor:
        used = find_starting_points(context, closest)
        closest.bisect(BISECTIONS)
        rows, start = closest.has_adversarial.nonzero()[:, 0], torch.full_like(closest.distance, step)
        walk = _BoundaryWalk(closest, rows, start, start.clone())
        for _ in range(max(0, queries - used - BISECTIONS) // 2):
            walk.rows = walk.rows[~closest.done(walk.rows)]
            if not len(walk.rows):
                break
            walk.step()
        return closest.x

    return search_minimum_norm(model, x, y, read_euclidean(norm), eps, search, **options)


@final
@dataclass
class _BoundaryWalk:
    """δ, the step size on the sphere, and ε, the relative step size towards x, adapt to their success rates.

    Near a flat boundary, half of the small steps on the sphere stay on the far side; steps towards x should succeed
    about as often. Each is multiplied by 1.1 after a success and divided by it after a failure.
    """

    closest: ClosestAdversarials
    rows: Tensor
    spherical_step: Tensor
    source_step: Tensor

    def step(self) -> None:
        context, rows = self.closest.context.take(self.rows), self.rows
        at, distance = take(self.closest.x, rows), self.closest.distance[rows]
        candidate = self._spherical_move(context, at, distance)
        adversarial = context.criterion.is_satisfied(context.predictor.query(candidate))
        self.spherical_step[rows] = (self.spherical_step[rows] * torch.where(adversarial, 1.1, 1 / 1.1)).clamp(max=1.0)
        self._approach(context.take(adversarial), rows[adversarial], take(candidate, adversarial))

    def _spherical_move(self, context: AttackContext, at: Tensor, distance: Tensor) -> Tensor:
        """A step orthogonal to x − x̂, then back onto the sphere of radius ‖x − x̂‖."""
        away = at - context.x
        noise = torch.empty_like(at).normal_(generator=context.generator)
        unit = L2().steepest(away)
        noise = L2().steepest(noise - unit * column(inner(noise, unit), noise))
        moved = away + noise * column(self.spherical_step[self.rows] * distance, noise)
        return (context.x + L2().steepest(moved) * column(distance, moved)).clamp(*context.box.ends(at))

    def _approach(self, context: AttackContext, rows: Tensor, candidate: Tensor) -> None:
        if not len(rows):
            return
        nearer = context.x + (candidate - context.x) * column(1.0 - self.source_step[rows], candidate)
        reached = context.criterion.is_satisfied(context.predictor.query(nearer))
        self.source_step[rows] = (self.source_step[rows] * torch.where(reached, 1.1, 1 / 1.1)).clamp(max=0.9)
        self.closest.move(rows, select(reached, nearer, candidate))
