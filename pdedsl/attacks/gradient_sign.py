"""FGSM, IFGSM, PGD and DI²-FGSM (Wang, Yuan, Shi, Osher 2020, eqs. 3.2 and 3.3, Algorithm 3.1; Madry et al. 2018)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pdedsl.attacks.diversity import diverse
from pdedsl.attacks.first_order import Climb, ascend
from pdedsl.attacks.goal import Loss, cross_entropy, log_odds
from pdedsl.attacks.norms import Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.rounds import Rounds
from pdedsl.attacks.task import Bounds, Result, Task, attacking
from pdedsl.untouched import Model


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

    If scores are linear and there are two classes, it is the best step for ℓ∞, and for ℓ2 the best one if nothing is
    clipped; else another goes farther where it is not clipped.
    """
    measure = read_norm(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        climb = Climb(measure, eps, 1, entropy(task.predictor))
        return _run(task, measure, eps, climb, restarts=1, start=_itself)


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
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        climb = Climb(measure, _length(eps, step, steps), steps, entropy(task.predictor))
        return _run(task, measure, eps, climb, restarts, _itself)


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
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        climb = Climb(measure, _length(eps, step, steps), steps, entropy(task.predictor))
        return _run(task, measure, eps, climb, restarts, somewhere)


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
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        change = diverse(probability, task.generator)
        climb = Climb(measure, _length(eps, step, steps), steps, entropy(task.predictor), change)
        return _run(task, measure, eps, climb, restarts, _itself)


def entropy(predictor: Predictor) -> Loss:
    """The cross-entropy; for a single draw, in the form that does not saturate and has the same direction."""
    return log_odds if predictor.eot == 1 else cross_entropy


def _length(eps: float, step: float | None, steps: int) -> float:
    return 2.5 * eps / steps if step is None else step


Start = Callable[[Task, Norm, float], Tensor]


def _itself(task: Task, norm: Norm, eps: float) -> Tensor:
    return task.x


def somewhere(task: Task, norm: Norm, eps: float) -> Tensor:
    """Uniform in the ball."""
    return torch.add(task.x, norm.uniform(task.x, task.generator), alpha=eps)


def _run(task: Task, norm: Norm, eps: float, climb: Climb, restarts: int, start: Start) -> Result:
    """Restarts, each for the rows not fooled yet; a row that is never fooled keeps the point of its largest margin."""
    rounds = Rounds(task, seen=start is _itself and climb.transform is None)
    for restart in range(restarts):
        left = rounds.left
        region = left.region(norm, eps)
        begin = region.project((start if restart == 0 else somewhere)(left, norm, eps))
        top = ascend(left.predictor, begin, left.goal, region, climb)
        if restarts == 1:  # the points would be scored here and again below
            rounds.keep(*top)
        else:
            rounds.record(top.x)
    return rounds.result(norm)
