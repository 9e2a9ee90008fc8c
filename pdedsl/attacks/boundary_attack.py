"""Boundary attack: decision-based random walk along the decision boundary (Brendel, Rauber, Bethge, ICLR 2018).

A point of another class is moved to the boundary by bisection, then alternately along the sphere around the input and
towards it; both step sizes adapt to their success rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.base import AttackContext, Bounds, ClosestAdversarials, Result, attack_context
from pdedsl.attacks.batch_ops import column, inner, select, take
from pdedsl.attacks.norms import L2, NormName, read_euclidean
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model

# ---- Starting points


MAX_CANDIDATES = 256  # samples among which a starting point is searched
MAX_RANDOM_POINTS = 20  # random points per input if no sample is suitable


def starting_points(
    context: AttackContext, rows: Tensor, closest: ClosestAdversarials
) -> tuple[ClosestAdversarials, int]:
    """Starting points for the rows of `closest`, which are `rows` of the context, and the number of queries per row."""
    left = closest.context
    all_rows = torch.arange(len(rows), device=rows.device)
    start, exists = _other_samples(context, left)
    reached = exists.clone()
    if exists.any():
        reached[exists] = left.criterion.take(exists).is_satisfied(left.predictor.query(take(start, exists)))
    closest.update(all_rows, start, reached)
    for attempt in range(MAX_RANDOM_POINTS):
        missing = all_rows[~closest.has_adversarial]
        if not len(missing):
            return closest, 1 + attempt
        part = left.take(missing)
        x = _random_points(part, attempt)
        closest.update(missing, x, part.criterion.is_satisfied(part.predictor.query(x)))
    return closest, 1 + MAX_RANDOM_POINTS


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


BISECTIONS = 10


def boundary(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    norm: NormName = "2",
    eps: float | None = None,
    queries: int = 1000,
    step: float = 0.1,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """Boundary attack (Brendel, Rauber, Bethge, ICLR 2018): decision-based minimum-norm attack in ℓ2.

    Args:
        model: callable from inputs (m, …) to logits (m, classes), or a `Predictor`; its state is restored.
        x: inputs within `bounds`, shape (n, …), floating point.
        y: labels, shape (n,), integers.
        eps: if given, only adversarial examples within ε count, and the search stops at the first one. By default the
            nearest one is searched.
        norm: "2".
        queries: maximal number of queries per sample.
        step: initial step size on the sphere, relative to its radius.
        eot: number of noise samples per gradient or query (expectation over transformation), for stochastic models.
        bounds: lower and upper bound of valid inputs, numbers or tensors; None for no bounds.
        target: target labels, shape (n,), for a targeted attack.
        seed: seed of the attack and of the noise of the model.

    Returns:
        `Result` with the attacked inputs x (n, …), `fooled` (n,), `distances` (n,) and the robust `accuracy`.
        Samples without a starting point of another class are returned unchanged.

    Raises:
        ValueError: if shapes, dtypes, `norm` or `eps` are invalid, or inputs are outside `bounds`.

    Example:
        >>> import torch
        >>> from pdedsl import attacks
        >>> model = lambda x: torch.cat([x, -x], 1)  # class 0 for x > 0, class 1 for x < 0
        >>> x, y = torch.tensor([[0.25], [1.0]]), torch.tensor([0, 0])
        >>> x, y = torch.tensor([[0.25], [-1.0]]), torch.tensor([0, 1])
        >>> result = attacks.boundary(model, x, y, queries=50)
        >>> result.fooled.tolist()
        [True, True]
        >>> bool((result.distances >= x[:, 0].abs()).all())  # the distances to the boundary
        True
    """
    measure = read_euclidean(norm)
    with attack_context(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as context:
        rows = context.unsolved_rows()
        if not len(rows):
            return context.result(measure, context.x.clone(), eps)
        closest, used = starting_points(context, rows, ClosestAdversarials(context.take(rows), measure, eps))
        closest.bisect(BISECTIONS)
        _walk(closest, max(0, queries - used - BISECTIONS) // 2, step)
        return closest.result(context, rows, closest.x, eps)


def _walk(closest: ClosestAdversarials, rounds: int, step: float) -> None:
    rows = closest.has_adversarial.nonzero()[:, 0]
    walk = _BoundaryWalk(
        closest, rows, torch.full_like(closest.distance, step), torch.full_like(closest.distance, step)
    )
    for _ in range(rounds):
        walk.rows = walk.rows[~closest.done(walk.rows)]
        if not len(walk.rows):
            return
        walk.step()


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
