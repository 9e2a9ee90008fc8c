"""Common parts of the attacks: context, result, restarts, and the closest adversarial examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack, final

import torch
from torch import Tensor

from pdedsl.attacks.batch_ops import column, select, take
from pdedsl.attacks.constraints import Bound, Box, FeasibleSet, feasible_set, read_box, round_down
from pdedsl.attacks.criterion import Criterion, margin
from pdedsl.attacks.norms import Norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model
from pdedsl.validation import validate_batch, validate_labels

# ---- Context and result


Bounds = Box | tuple[Bound, Bound] | None


@final
@dataclass(frozen=True)
class Result:
    """Result of an attack on n samples.

    A sample that is misclassified without an attack counts as fooled and remains unchanged.

    Attributes:
        x: attacked inputs, (n, …).
        fooled: True for adversarial examples: the prediction for the stored x satisfies the criterion; (n,).
        distances: norms of the perturbations, (n,).
        draws: number of noise samples that a final prediction averages; 1 for deterministic models.
        rows: number of samples passed through the model, forwards or backwards.
        found: of AutoAttack: the number of successes of each attack, in order.

    Example:
        >>> import torch
        >>> from pdedsl import attacks
        >>> model = lambda x: torch.cat([x, -x], 1)
        >>> result = attacks.fgsm(model, torch.tensor([[0.25], [1.0]]), torch.tensor([0, 0]), eps=0.5)
        >>> result.x.tolist(), result.distances.tolist()
        ([[-0.25], [0.5]], [0.5, 0.5])
    """

    x: Tensor
    fooled: Tensor
    distances: Tensor
    draws: int
    rows: int
    found: tuple[tuple[str, int], ...] = ()
    """AutoAttack: the number of successes of each attack, in order."""

    @property
    def accuracy(self) -> float:
        """Robust accuracy: the fraction of samples without an adversarial example."""
        return 1.0 - self.fooled.double().mean().item()


@final
@dataclass(frozen=True)
class AttackContext:
    """Model, samples, criterion, box and random generator of an attack."""

    predictor: Predictor
    x: Tensor
    criterion: Criterion
    box: Box
    generator: torch.Generator

    def take(self, rows: Tensor) -> AttackContext:
        return replace(self, x=take(self.x, rows), criterion=self.criterion.take(rows))

    def region(self, norm: Norm, eps: float) -> FeasibleSet:
        return feasible_set(norm, self.x, eps, self.box)

    def unsolved_rows(self) -> Tensor:
        """Indices of the samples that do not satisfy the criterion (significantly) without an attack."""
        return (~self.predictor.is_significant(self.x, self.criterion)).nonzero()[:, 0]

    def result(self, norm: Norm, attacked: Tensor, eps: float | None = None, rows: Tensor | None = None) -> Result:
        """Evaluate the final points, projected if `eps` is given; non-finite points are replaced by the samples.

        If `rows` are given, the others are known to satisfy the criterion, and are evaluated only for models that are
        not deterministic.
        """
        finite = attacked.flatten(1).isfinite().all(1)
        if rows is None or not finite.all() or not self.predictor.is_deterministic:
            rows = torch.arange(len(attacked), device=attacked.device)
        attacked = attacked if finite.all() else select(finite, attacked, self.x)
        if eps is not None:
            far = norm.length(attacked - self.x) > eps
            attacked = select(far, self.region(norm, eps).project(attacked), attacked) if far.any() else attacked
        fooled = torch.ones_like(self.criterion.y, dtype=torch.bool)
        if len(rows):
            fooled[rows] = self.criterion.take(rows).is_satisfied(self.predictor.predict(take(attacked, rows)))
        distances = norm.length(attacked - self.x)
        return Result(attacked, fooled, distances, self.predictor.draws, self.predictor.rows)


class AttackOptions(TypedDict, total=False):
    """Keyword arguments of every attack: those of `attack_context`."""

    eot: int
    bounds: Bounds
    target: Tensor | None
    seed: int


@contextmanager
def attack_context(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Iterator[AttackContext]:
    """Context manager of an attack. A `Predictor` has its own `eot`, `draws` and `batch`."""
    predictor = model if isinstance(model, Predictor) else Predictor(model, eot=eot)
    box = read_box(bounds)
    x, y = validate_batch(x, y)
    box.check(x)
    with predictor.frozen(x, seed), torch.inference_mode(False), torch.no_grad():
        generator = torch.Generator(x.device).manual_seed(seed)
        yield AttackContext(
            predictor, x, Criterion(y, None if target is None else validate_labels(target)), box, generator
        )


# ---- Restarts


@final
class RestartTracker:
    """Best points over several runs: `rows` have no success yet; x holds adversarial examples, or else the points of
    largest margin."""

    def __init__(self, context: AttackContext, *, seen: bool = False) -> None:
        """`seen`: the first run starts at the samples and detects those that are misclassified without an attack."""
        self.context, self.x = context, context.x.clone()
        self.rows = torch.arange(len(context.x), device=context.x.device) if seen else context.unsolved_rows()
        self._margin = torch.full(context.x.shape[:1], -torch.inf, dtype=context.x.dtype, device=context.x.device)

    @property
    def remaining(self) -> AttackContext:
        return self.context.take(self.rows)

    def keep(self, x: Tensor, reached: Tensor) -> None:
        """Store points for the remaining rows without evaluating them; `reached` are known to satisfy the criterion."""
        self.x[self.rows] = x
        self.rows = self.rows[~reached]

    def record(self, x: Tensor) -> int:
        """Evaluate points for the remaining rows; returns the number of new successes."""
        if not len(self.rows):
            return 0
        criterion = self.context.criterion.take(self.rows)
        logits, reached = self.context.predictor.predict_with_significance(x, criterion)
        ahead = margin(logits, criterion).nan_to_num().to(self._margin.dtype)
        better = reached | (ahead > self._margin[self.rows])
        self.x[self.rows] = select(better, x, take(self.x, self.rows))
        self._margin[self.rows] = torch.where(better, ahead, self._margin[self.rows])
        before, self.rows = len(self.rows), self.rows[~reached]
        return before - len(self.rows)

    def result(self, norm: Norm) -> Result:
        return self.context.result(norm, self.x, rows=self.rows)


def likeliest_classes(context: AttackContext, number: int) -> Tensor:
    """The most likely classes other than y, in descending order, (n, number)."""
    logits = context.predictor.predict(context.x)
    others = logits.scatter(1, context.criterion.y[:, None], float("-inf"))
    return others.argsort(1, descending=True)[:, : min(number, logits.shape[1] - 1)]


# ---- Closest adversarial examples of minimum-norm attacks


MAX_NUDGES = 20  # outward moves of a point on the boundary, each twice the last


@final
class ClosestAdversarials:
    """For each row the closest point that satisfies the criterion, with distance ∞ if there is none.

    A row is done once its point is within ε or, if no ε is given, at distance 0.
    """

    def __init__(self, context: AttackContext, norm: Norm, eps: float | None) -> None:
        self.context, self.norm = context, norm
        self.x = context.x.clone()
        self.distance = torch.full(context.x.shape[:1], torch.inf, dtype=context.x.dtype, device=context.x.device)
        # Slightly less than ε: a point at exactly ε would be moved when it is stored.
        self.enough = context.x.new_zeros(()) if eps is None else round_down(eps, context.x) * (1.0 - 1e-6)

    @property
    def has_adversarial(self) -> Tensor:
        return self.distance.isfinite()

    def update(self, rows: Tensor, x: Tensor, reached: Tensor) -> Tensor:
        """Store the points x of `rows` that satisfy the criterion and are closer; returns which rows are done."""
        distance = self.norm.length(x - take(self.context.x, rows))
        better = self._confirm(rows, x, reached & (distance < self.distance[rows]))
        if better.any():
            self.x[rows[better]] = take(x, better)
            self.distance[rows[better]] = distance[better]
        return self.done(rows)

    def _confirm(self, rows: Tensor, x: Tensor, better: Tensor) -> Tensor:
        """For a stochastic model, points are confirmed on new noise samples, to avoid selection bias."""
        if self.context.predictor.stochastic and better.any():
            better[better.clone()] = self.context.predictor.is_significant(
                take(x, better), self.context.criterion.take(rows[better])
            )
        return better

    def move(self, rows: Tensor, x: Tensor) -> None:
        """Replace the points of `rows` by others that satisfy the criterion and are not farther, up to rounding."""
        self.x[rows] = x
        self.distance[rows] = self.norm.length(x - take(self.context.x, rows))

    def done(self, rows: Tensor) -> Tensor:
        return self.distance[rows] <= self.enough

    def bisect(self, steps: int, first: float = 0.5) -> None:
        """Bisection between each sample and its point; `first` is near 1 if the boundary is near the point."""
        rows = (self.has_adversarial & ~self.done(torch.arange(len(self.x), device=self.x.device))).nonzero()[:, 0]
        part = self.context.take(rows)
        away = take(self.x, rows) - part.x
        low, high = torch.zeros_like(self.distance[rows]), torch.ones_like(self.distance[rows])
        for step in range(steps if len(rows) else 0):
            middle = torch.full_like(low, first) if step == 0 else 0.5 * (low + high)
            x = part.x + away * column(middle, away)
            reached = part.criterion.is_satisfied(part.predictor.query(x))
            self.update(rows, x, reached)
            low, high = torch.where(reached, low, middle), torch.where(reached, middle, high)

    def with_fallback(self, last: Tensor) -> Tensor:
        """The closest points, and `last` where there are none."""
        return select(self.has_adversarial, self.x, last)

    def result(self, whole: AttackContext, rows: Tensor, last: Tensor, eps: float | None) -> Result:
        """Evaluate the closest points for `rows` of a context, and `last` where there are none.

        Rounding errors depend on the batch, so that a point on the boundary may satisfy the criterion in one batch
        and not in another. Such points are moved away from their samples until all reach it together.
        """
        attacked, successful = whole.x.clone(), torch.zeros_like(whole.criterion.y, dtype=torch.bool)
        attacked[rows] = self.with_fallback(last)
        successful[rows] = self.has_adversarial if eps is None else self.distance <= eps
        result, unit = whole.result(self.norm, attacked, eps), torch.finfo(attacked.dtype).eps
        for step in range(MAX_NUDGES):
            missed = successful & ~result.fooled
            if whole.predictor.stochastic or not missed.any():
                break
            further = whole.x + (attacked - whole.x) * (1.0 + 2.0**step * unit)
            attacked = select(missed, further.clamp(*whole.box.ends(further)), attacked)
            result = whole.result(self.norm, attacked, eps)
        return result


def search_minimum_norm(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    norm: Norm,
    eps: float | None,
    search: Callable[[AttackContext, ClosestAdversarials], Tensor],
    **options: Unpack[AttackOptions],
) -> Result:
    """Run `search` for the samples that do not satisfy the criterion; it returns its last points for these rows."""
    with attack_context(model, x, y, **options) as context:
        rows = context.unsolved_rows()
        if not len(rows):
            return context.result(norm, context.x.clone(), eps)
        closest = ClosestAdversarials(context.take(rows), norm, eps)
        return closest.result(context, rows, search(context, closest), eps)
