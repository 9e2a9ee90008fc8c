"""The signs of masked gradients, one check each: what was found, in words, and whether it is suspicious."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.attacks.base import attacking
from pdedsl.attacks.batch_ops import inner
from pdedsl.attacks.criterion import Criterion, log_odds
from pdedsl.attacks.gradient_masking.attack_runs import Evidence, everything
from pdedsl.attacks.norms import L2
from pdedsl.attacks.pgd import pgd, reached, somewhere
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model

DRAWS = 50
"""Points of the ball that random search tries for each sample."""
PROBES = 12
"""Random steps from each sample along which differences are taken."""


@final
@dataclass(frozen=True)
class Finding:
    name: str
    suspicious: bool
    text: str


def gradients(e: Evidence) -> Finding:
    slope = e.predictor.slope(e.x, e.goal, log_odds).gradient.flatten(1)
    zero, broken = (slope == 0.0).all(1), ~slope.isfinite().all(1)
    useless = _percent(zero | broken)
    size = slope.double().norm(dim=1).nanmedian().item()
    text = (
        f"the gradient is zero at {_percent(zero):.0f} % of the samples and not a number at {_percent(broken):.0f} %; "
        f"its median norm is {size:.3g}"
    )
    return Finding("gradients", useless > 5.0, text)


def saturation(e: Evidence) -> Finding:
    """∇ log p_y is 0 in floating point where p_y rounds to 1."""
    slope = e.predictor.slope(e.x, e.goal, _plain_entropy)
    zero = (slope.gradient.flatten(1) == 0.0).all(1) | ~slope.scores.isfinite().all(1)
    size = (slope.scores - slope.scores.mean(1, keepdim=True)).abs().amax(1).median().item()
    text = f"the cross-entropy has no gradient at {_percent(zero):.0f} % of the samples, scores are of size {size:.3g}"
    return Finding("saturation", _percent(zero) > 30.0, text)


def _plain_entropy(scores: Tensor, goal: Criterion) -> Tensor:
    return functional.cross_entropy(scores, goal.y, reduction="none")


def landscape(e: Evidence) -> Finding:
    """L(x + hv) > L(x) for a step along the gradient, h = ε/20, or ε where noise would hide a short step."""
    slope = e.predictor.slope(e.x, e.goal, log_odds)
    step = torch.add(e.x, e.norm.steepest(slope.gradient), alpha=e.eps / (1.0 if e.predictor.stochastic else 20.0))
    before, after = (log_odds(e.predictor.fresh(x), e.goal) for x in (e.x, step))
    rises = _percent(after > before)
    return Finding(
        "landscape", rises < 75.0, f"a step along the gradient raises the loss at {rises:.0f} % of the samples"
    )


def differences(e: Evidence) -> Finding:
    """⟨∇L, v⟩ against (L(x + v) − L(x − v))/2 =: d for random steps v of length ε/20, if that is neither long nor lost
    in rounding.

    A gradient that is stopped, replaced or shattered is not what the loss does: r = Σ(⟨∇L, v⟩ − d)²/Σ(⟨∇L, v⟩² + d²),
    over steps from one sample, is 0 for a derivative, 1 for directions that have nothing to do with it, and 1/3 if half
    of it is missing. A model with noise has no single loss; `randomness` looks at it.
    """
    slope, generator = e.predictor.slope(e.x, e.goal, log_odds), torch.Generator(e.x.device).manual_seed(e.seed)
    size = everything(e.x, e.norm, e.bounds) or e.eps
    length = min(max(e.eps, 1e-3 * size), 0.1 * size) / 20.0
    told, seen = [], []
    for _ in range(PROBES):
        v = length * e.norm.steepest(torch.empty_like(e.x).normal_(generator=generator))
        above, below = (log_odds(e.predictor.query(x), e.goal) for x in (e.x + v, e.x - v))
        told.append(inner(slope.gradient, v).double())
        seen.append(0.5 * (above - below).double())
    a, d = torch.stack(told), torch.stack(seen)
    rest = ((a - d).square().sum(0) / (a.square() + d.square()).sum(0)).nan_to_num(1.0).median().item()
    text = f"of the differences of the loss along random steps, gradients leave {100 * rest:.0f} % unexplained"
    return Finding("differences", rest > 0.2, text)


def unit_of_scores(e: Evidence) -> Finding:
    """PGD on scores about their mean, of standard deviation 10 over the classes: shift and scale should not matter.

    They do if scores are small, as those of a network with a small Lipschitz constant: their softmax is nearly uniform,
    and the gradient of the cross-entropy leads to no class in particular.
    """
    size = e.predictor.query(e.x).nan_to_num().std(1).median().clamp_min(1e-30)
    model = e.predictor.model

    def standardized(x: Tensor) -> Tensor:
        scores = model(x)
        return (scores - scores.mean(1, keepdim=True)) * (10.0 / size)

    scaled = Predictor(standardized, eot=e.predictor.eot, draws=e.predictor.draws)
    more = int((e.by_steps(e.eps, model=scaled) & ~e.white).sum())
    suspicious = more >= e.several
    text = f"scores of size 10 in the place of {size:.3g} let PGD fool {more} more of {e.n} samples"
    text += "; the loss dlr of apgd does not depend on it" if suspicious else ""
    return Finding("unit of scores", suspicious, text)


def one_step(e: Evidence) -> Finding:
    more = int((e.one & ~e.runs.any(0)).sum())
    text = f"one step fools {more} of {e.n} samples that many steps do not"
    return Finding("one step against many", more >= e.several, text)


def restarts(e: Evidence) -> Finding:
    single, union = e.runs.double().mean().item() * e.n, int(e.runs.any(0).sum())
    text = f"{len(e.runs)} random starts together fool {union} of {e.n} samples, one alone {single:.1f}"
    return Finding("restarts", union - single >= max(e.several, 0.1 * e.n), text)


def scores_only(e: Evidence) -> Finding:
    more = int((e.scores_only & ~e.white).sum())
    text = f"a search without gradients fools {more} of {e.n} samples that gradients do not"
    return Finding("black box against white box", more >= e.several, text)


def random_search(e: Evidence) -> Finding:
    with attacking(e.predictor, e.x, e.y, bounds=e.bounds, seed=e.seed) as task:
        region, hit = task.region(e.norm, e.eps), torch.zeros_like(e.wrong)
        for _ in range(DRAWS):
            x = region.project(somewhere(task, e.norm, e.eps))
            hit |= reached(task.predictor, x, task.goal, task.predictor.query(x))
    more = int((hit & ~e.white).sum())
    text = f"{DRAWS} random points fool {more} of {e.n} samples that gradients do not"
    return Finding("random search", more >= e.several, text)


def transfer(e: Evidence, surrogate: Model) -> Finding:
    x = pgd(surrogate, e.x, e.y, eps=e.eps, norm=e.norm, steps=e.steps, bounds=e.bounds, seed=e.seed).x
    more = int((e.goal.reached(e.predictor.fresh(x)) & ~e.white).sum())
    text = f"an attack on a surrogate fools {more} of {e.n} samples that gradients of the model do not"
    return Finding("transfer", more >= e.several, text)


def curve(e: Evidence) -> tuple[Finding, Finding]:
    """Accuracy must fall with ε, and to zero."""
    points = e.accuracies
    line = ", ".join(f"{100 * accuracy:.1f} % at {eps:.3g}" for eps, accuracy in points)
    last = points[-1][1]
    first, falls = points[0][1], [(a, b) for (_, a), (_, b) in pairwise(points[1:])]
    rises = any(b - a > 0.03 for a, b in falls)
    flat = any(a < first - 0.1 and b > 0.1 and a - b < 0.01 for a, b in falls)
    lost = f"accuracy against growing ε is {line}"
    lost += "" if e.others else "; samples of one class, without bounds, do not say where there is another one"
    return (
        Finding("unbounded attack", e.others and last > 0.05, lost),
        Finding("curve", rises or flat, "the curve over ε " + ("rises" if rises else "is flat" if flat else "falls")),
    )


def randomness(e: Evidence) -> Finding:
    """Gradients should agree between averages of draws, and averages over more draws should find no more."""
    used = e.predictor.eot
    units = [L2().steepest(e.predictor.slope(e.x, e.goal, log_odds).gradient) for _ in range(8)]
    cosine = torch.stack([inner(a, b) for a, b in pairwise(units)]).mean(0).median().item()
    sweep = sorted({1, used, max(10, 4 * used)})
    fooled = {
        eot: int(e.by_steps(e.eps, model=Predictor(e.predictor.model, eot=eot, draws=e.predictor.draws)).sum())
        for eot in sweep
    }
    found = ", ".join(f"{number} with averages of {eot}" for eot, number in fooled.items())
    text = (
        f"the model is random: gradients that average {used} of its draws have cosine {cosine:.2f} "
        f"from one time to the next; PGD fools, of {e.n} samples, {found}"
    )
    return Finding("randomness", fooled[sweep[-1]] - fooled[used] >= e.several or cosine < 0.4, text)


CHECKS = (
    gradients,
    saturation,
    landscape,
    unit_of_scores,
    one_step,
    restarts,
    scores_only,
    random_search,
)
"""The checks that look at nothing but the model, and give one finding each."""


def _percent(where: Tensor) -> float:
    return 100.0 * where.double().mean().item()
