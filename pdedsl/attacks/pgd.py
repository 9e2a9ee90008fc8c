"""Projected gradient attacks: FGSM, IFGSM, PGD and DI²-FGSM.

    x ← P(x + α v),    v = argmax ⟨∇L, v⟩ over ‖v‖ ≤ 1,    P the projection to ball ∩ box.

Samples are removed from the batch once they satisfy the criterion. Where the linearisation predicts success, the logits
are evaluated before the next gradient, which is more expensive.

Sources: Wang, Yuan, Shi, Osher 2020, eqs. 3.2 and 3.3, Algorithm 3.1; Madry et al. 2018; Xie et al. 2019.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Unpack, final

import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.attacks.base import AttackContext, AttackOptions, RestartTracker, Result, attack_context
from pdedsl.attacks.batch_ops import inner, take
from pdedsl.attacks.constraints import FeasibleSet
from pdedsl.attacks.criterion import Criterion, Loss, cross_entropy, log_odds, margin
from pdedsl.attacks.docstrings import attack_documentation
from pdedsl.attacks.norms import Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor, Transform
from pdedsl.frozen_model import Model

# ---- Projected gradient ascent


@final
@dataclass(frozen=True)
class AscentConfig:
    """Projected gradient ascent; with `stop`, samples that satisfy the criterion are removed."""

    norm: Norm
    step_size: float
    steps: int
    loss: Loss
    transform: Transform | None = None
    stop: bool = True


class AscentResult(NamedTuple):
    """For each row the point that satisfied the criterion, or the last point; and which rows did."""

    x: Tensor
    reached: Tensor


def ascend(
    predictor: Predictor, start: Tensor, criterion: Criterion, region: FeasibleSet, config: AscentConfig
) -> AscentResult:
    """Run from `start`. The last points are not evaluated: without `stop`, no row is reported as a success."""
    state = _AscentState(predictor, start, criterion, region)
    exact = config.transform is None
    for step in range(config.steps):
        if config.stop and exact and not predictor.stochastic:
            state.stop_early()
        if not len(state.rows):
            break
        _, logits, gradient = predictor.loss_gradient(state.x, state.criterion, config.loss, config.transform)
        if config.stop and is_check_step(predictor, step):
            done = find_successes(predictor, state.x, state.criterion, logits, exact)
            state.remove(done)
            logits, gradient = (take(t, ~done) for t in (logits, gradient)) if done.any() else (logits, gradient)
        state.move(config.step_size, config.norm.steepest(gradient), gradient, logits)
    return state.result()


MIN_CHECKED_ROWS = 16
"""Below this number of rows a separate forward pass does not pay."""


@final
class _AscentState:
    """The active `rows`, with their x, criterion and feasible set."""

    def __init__(self, predictor: Predictor, start: Tensor, criterion: Criterion, region: FeasibleSet) -> None:
        self.predictor, self.x, self.criterion, self.region = predictor, start, criterion, region
        self.rows = torch.arange(len(start), device=start.device)
        self._result = AscentResult(start.clone(), torch.zeros_like(self.rows, dtype=torch.bool))
        self._promising = torch.zeros_like(self.rows, dtype=torch.bool)

    def remove(self, done: Tensor) -> None:
        """Remove rows that satisfy the criterion at their current points."""
        if not done.any():
            return
        self._result.x[self.rows[done]], self._result.reached[self.rows[done]] = take(self.x, done), True
        left = ~done
        self.rows, self.x, self.criterion = self.rows[left], take(self.x, left), self.criterion.take(left)
        self.region = self.region.take(left)

    def move(self, length: float, v: Tensor, gradient: Tensor, logits: Tensor) -> None:
        """A row is promising if the linearised margin is positive: m + ⟨∇L, x′ − x⟩ > 0."""
        before, self.x = self.x, self.region.project(torch.add(self.x, v, alpha=length))
        self._promising = margin(logits, self.criterion) + inner(gradient, self.x - before) > 0.0

    def stop_early(self) -> None:
        """Remove promising rows that satisfy the criterion, before the next gradient."""
        if (promising := self._promising.nonzero()[:, 0]).numel() >= MIN_CHECKED_ROWS:
            done = torch.zeros_like(self._promising)
            done[promising] = self.criterion.take(promising).is_satisfied(self.predictor.query(take(self.x, promising)))
            self.remove(done)

    def result(self) -> AscentResult:
        self._result.x[self.rows] = self.x
        return self._result


def is_check_step(predictor: Predictor, step: int) -> bool:
    """Whether success is checked at this step: always for deterministic models, else at 0, 1, 3, 7, 15, …"""
    return not predictor.stochastic or step & (step + 1) == 0


def find_successes(predictor: Predictor, x: Tensor, criterion: Criterion, logits: Tensor, exact: bool = True) -> Tensor:
    """Rows that satisfy the criterion by the given logits and, if these are noisy, by new noise samples as well."""
    done = criterion.is_satisfied(logits)
    if (exact and not predictor.stochastic) or not done.any():
        return done
    done[done.clone()] = predictor.is_significant(take(x, done), criterion.take(done))
    return done


# ---- Input diversity (Xie et al., CVPR 2019)


def input_diversity(
    probability: float, generator: torch.Generator, smallest: float = 0.9
) -> Callable[[Tensor], Tensor]:
    """T(x): with `probability`, an image is resized by a factor in [0.9, 1] and zero-padded at random to its old size.

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


# ---- Loss, starting points, restarts


def cross_entropy_loss(predictor: Predictor) -> Loss:
    """The cross-entropy; without EOT the log-odds, which do not saturate and have the same ascent direction."""
    return log_odds if predictor.eot == 1 else cross_entropy


Start = Callable[[AttackContext, Norm, float], Tensor]


def clean_start(context: AttackContext, norm: Norm, eps: float) -> Tensor:
    return context.x


def random_start(context: AttackContext, norm: Norm, eps: float) -> Tensor:
    """Uniform in the ball."""
    return torch.add(context.x, norm.uniform(context.x, context.generator), alpha=eps)


class PgdOptions(AttackOptions, total=False):
    """Keyword arguments of the iterative attacks: those of `_projected_gradient`."""

    norm: NormName
    step: float | None
    steps: int
    restarts: int


def _projected_gradient(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    eps: float,
    start: Start,
    diversity: float | None = None,
    *,
    norm: NormName = "inf",
    step: float | None = None,
    steps: int = 20,
    restarts: int = 1,
    **options: Unpack[AttackOptions],
) -> Result:
    """Restarts on the rows without success; rows without any success keep the point of largest margin."""
    measure, step_size = read_norm(norm), 2.5 * eps / steps if step is None else step
    with attack_context(model, x, y, **options) as context:
        transform = None if diversity is None else input_diversity(diversity, context.generator)
        config = AscentConfig(measure, step_size, steps, cross_entropy_loss(context.predictor), transform)
        tracker = RestartTracker(context, seen=start is clean_start and transform is None)
        for restart in range(restarts):
            left = tracker.remaining
            region = left.region(measure, eps)
            begin = region.project((start if restart == 0 else random_start)(left, measure, eps))
            result = ascend(left.predictor, begin, left.criterion, region, config)
            if restarts == 1:  # otherwise the points would be evaluated twice
                tracker.keep(*result)
            else:
                tracker.record(result.x)
        return tracker.result(measure)


# ---- Attacks


@attack_documentation(attack_context)
def fgsm(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    **options: Unpack[AttackOptions],
) -> Result:
    """Fast gradient sign method (Goodfellow, Shlens, Szegedy 2015): one step of length ε along the sign (ℓ∞) or the
    direction (ℓ2) of the gradient of the cross-entropy, clipped to the bounds.

    For linear logits and two classes the step is optimal in ℓ∞, and in ℓ2 if no coordinate is clipped.

    Example:
        >>> result = attacks.fgsm(model, x, y, eps=0.5)
        >>> result.fooled.tolist()
        [True, False]
        >>> result.accuracy
        0.5
    """
    return _projected_gradient(model, x, y, eps, clean_start, norm=norm, step=eps, steps=1, **options)


@attack_documentation(_projected_gradient, attack_context)
def ifgsm(model: Model | Predictor, x: Tensor, y: Tensor, *, eps: float, **options: Unpack[PgdOptions]) -> Result:
    """Iterative fast gradient sign method (Kurakin, Goodfellow, Bengio 2017): projected gradient steps from x.

    Example:
        >>> result = attacks.ifgsm(model, x, y, eps=0.5, steps=5)
        >>> result.fooled.tolist()
        [True, False]
    """
    return _projected_gradient(model, x, y, eps, clean_start, **options)


@attack_documentation(_projected_gradient, attack_context)
def pgd(model: Model | Predictor, x: Tensor, y: Tensor, *, eps: float, **options: Unpack[PgdOptions]) -> Result:
    """Projected gradient descent attack (Madry et al. 2018): IFGSM from a random start, uniform in the ball.

    Example:
        >>> result = attacks.pgd(model, x, y, eps=0.5, steps=5, bounds=(-2, 2))
        >>> result.fooled.tolist()
        [True, False]
    """
    return _projected_gradient(model, x, y, eps, random_start, **options)


@attack_documentation(_projected_gradient, attack_context)
def difgsm(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    probability: float = 0.5,
    **options: Unpack[PgdOptions],
) -> Result:
    """DI²-FGSM (Xie et al. 2019, eq. 6): IFGSM with input diversity, random resizing and padding of images.

    Args:
        probability: probability of a transformation in each step; inputs that are not images are not transformed.

    Example:
        >>> result = attacks.difgsm(model, x, y, eps=0.5, steps=5)
        >>> result.fooled.tolist()
        [True, False]
    """
    return _projected_gradient(model, x, y, eps, clean_start, probability, **options)
