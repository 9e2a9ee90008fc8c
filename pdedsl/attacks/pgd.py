"""One loop for the attacks that follow a gradient: FGSM, IFGSM, PGD, DI²-FGSM, with any loss, norm and average.

    x ← P(x + α v),    v = argmax ⟨∇L, v⟩ over ‖v‖ ≤ 1,    P the projection to ball ∩ box.

A row that has satisfied the criterion leaves the batch and costs nothing more. Where ∇L promises that a step leads there, the
logits are looked at before the next gradient, which takes longer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.attacks.base import AttackContext, Bounds, RestartTracker, Result, attack_context
from pdedsl.attacks.batch_ops import inner, take
from pdedsl.attacks.constraints import FeasibleSet
from pdedsl.attacks.criterion import Criterion, Loss, cross_entropy, log_odds, margin
from pdedsl.attacks.norms import Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor, Transform
from pdedsl.frozen_model import Model

# ---- first_order


@final
@dataclass(frozen=True)
class AscentConfig:
    """`steps` steps of length `step_size`; with `stop`, a row ends as soon as it has satisfied the criterion."""

    norm: Norm
    step_size: float
    steps: int
    loss: Loss
    transform: Transform | None = None
    stop: bool = True


class AscentResult(NamedTuple):
    """The point at which each row was seen to satisfy the criterion, or its last point; and which rows were seen to."""

    x: Tensor
    reached: Tensor


def ascend(
    predictor: Predictor, start: Tensor, criterion: Criterion, region: FeasibleSet, config: AscentConfig
) -> AscentResult:
    """Climb from `start`. The last points are not looked at: without `stop`, no row is seen to satisfy the criterion."""
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
"""Rows for which a call of their own does not pay."""


@final
class _AscentState:
    """`rows` are those on their way; x, criterion and region are theirs."""

    def __init__(self, predictor: Predictor, start: Tensor, criterion: Criterion, region: FeasibleSet) -> None:
        self.predictor, self.x, self.criterion, self.region = predictor, start, criterion, region
        self.rows = torch.arange(len(start), device=start.device)
        self._result = AscentResult(start.clone(), torch.zeros_like(self.rows, dtype=torch.bool))
        self._promising = torch.zeros_like(self.rows, dtype=torch.bool)

    def remove(self, done: Tensor) -> None:
        """These rows have satisfied the criterion where they are."""
        if not done.any():
            return
        self._result.x[self.rows[done]], self._result.reached[self.rows[done]] = take(self.x, done), True
        left = ~done
        self.rows, self.x, self.criterion = self.rows[left], take(self.x, left), self.criterion.take(left)
        self.region = self.region.take(left)

    def move(self, length: float, v: Tensor, gradient: Tensor, logits: Tensor) -> None:
        """A row is promising where the margin and what ∇L adds to it are positive: m + ⟨∇L, x′ − x⟩ > 0."""
        before, self.x = self.x, self.region.project(torch.add(self.x, v, alpha=length))
        self._promising = margin(logits, self.criterion) + inner(gradient, self.x - before) > 0.0

    def stop_early(self) -> None:
        """Promising rows that have satisfied the criterion leave before a gradient is asked for."""
        if (promising := self._promising.nonzero()[:, 0]).numel() >= MIN_CHECKED_ROWS:
            done = torch.zeros_like(self._promising)
            done[promising] = self.criterion.take(promising).is_satisfied(self.predictor.query(take(self.x, promising)))
            self.remove(done)

    def result(self) -> AscentResult:
        self._result.x[self.rows] = self.x
        return self._result


def is_check_step(predictor: Predictor, step: int) -> bool:
    """Is success checked after this step? If that takes many draws, only at 0, 1, 3, 7, 15, …"""
    return not predictor.stochastic or step & (step + 1) == 0


def find_successes(predictor: Predictor, x: Tensor, criterion: Criterion, logits: Tensor, exact: bool = True) -> Tensor:
    """Rows that have satisfied the criterion by the given logits and, if these are noisy, by fresh ones too."""
    done = criterion.is_satisfied(logits)
    if (exact and not predictor.stochastic) or not done.any():
        return done
    done[done.clone()] = predictor.is_significant(take(x, done), criterion.take(done))
    return done


# ---- diversity
# Input diversity (Xie et al., CVPR 2019): an image is resized and padded at random before the gradient is taken.


def input_diversity(
    probability: float, generator: torch.Generator, smallest: float = 0.9
) -> Callable[[Tensor], Tensor]:
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

    If logits are linear and there are two classes, it is the best step for ℓ∞, and for ℓ2 the best one if nothing is
    clipped; else another goes farther where it is not clipped.
    """
    measure = read_norm(norm)
    with attack_context(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as context:
        config = AscentConfig(measure, eps, 1, cross_entropy_loss(context.predictor))
        return _run(context, measure, eps, config, restarts=1, start=clean_start)


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
    with attack_context(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as context:
        config = AscentConfig(measure, _step_size(eps, step, steps), steps, cross_entropy_loss(context.predictor))
        return _run(context, measure, eps, config, restarts, clean_start)


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
    with attack_context(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as context:
        config = AscentConfig(measure, _step_size(eps, step, steps), steps, cross_entropy_loss(context.predictor))
        return _run(context, measure, eps, config, restarts, random_start)


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
    with attack_context(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as context:
        change = input_diversity(probability, context.generator)
        config = AscentConfig(
            measure, _step_size(eps, step, steps), steps, cross_entropy_loss(context.predictor), change
        )
        return _run(context, measure, eps, config, restarts, clean_start)


def cross_entropy_loss(predictor: Predictor) -> Loss:
    """The cross-entropy; for a single draw, in the form that does not saturate and has the same direction."""
    return log_odds if predictor.eot == 1 else cross_entropy


def _step_size(eps: float, step: float | None, steps: int) -> float:
    return 2.5 * eps / steps if step is None else step


Start = Callable[[AttackContext, Norm, float], Tensor]


def clean_start(context: AttackContext, norm: Norm, eps: float) -> Tensor:
    return context.x


def random_start(context: AttackContext, norm: Norm, eps: float) -> Tensor:
    """Uniform in the ball."""
    return torch.add(context.x, norm.uniform(context.x, context.generator), alpha=eps)


def _run(context: AttackContext, norm: Norm, eps: float, config: AscentConfig, restarts: int, start: Start) -> Result:
    """Restarts, each for the rows not fooled yet; a row that is never fooled keeps the point of its largest margin."""
    tracker = RestartTracker(context, seen=start is clean_start and config.transform is None)
    for restart in range(restarts):
        left = tracker.remaining
        region = left.region(norm, eps)
        begin = region.project((start if restart == 0 else random_start)(left, norm, eps))
        result = ascend(left.predictor, begin, left.criterion, region, config)
        if restarts == 1:  # the points would be scored here and again below
            tracker.keep(*result)
        else:
            tracker.record(result.x)
    return tracker.result(norm)
