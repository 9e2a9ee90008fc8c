"""The signs of masked gradients, one check each: what was found, in words, and whether it is suspicious."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.attacks.evidence import Evidence
from pdedsl.attacks.first_order import reached
from pdedsl.attacks.goal import Goal, log_odds
from pdedsl.attacks.gradient_sign import pgd, somewhere
from pdedsl.attacks.layout import inner
from pdedsl.attacks.norms import L2
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.task import attacking
from pdedsl.untouched import Model

DRAWS = 50
"""Points of the ball that random search tries for each sample."""


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


def _plain_entropy(scores: Tensor, goal: Goal) -> Tensor:
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


def unit_of_scores(e: Evidence) -> Finding:
    """PGD on scores about their mean, in units of their own size: neither a shift nor a scale should matter."""
    size = e.predictor.query(e.x).nan_to_num().std(1).median().clamp_min(1e-30)
    model = e.predictor.model

    def standardized(x: Tensor) -> Tensor:
        scores = model(x)
        return (scores - scores.mean(1, keepdim=True)) / size

    scaled = Predictor(standardized, eot=e.predictor.eot, draws=e.predictor.draws)
    more = int((e.by_steps(e.eps, model=scaled) & ~e.runs[0]).sum())
    more -= int((e.runs[1] & ~e.runs[0]).sum())
    text = f"scores about their mean, over their size ({size:.3g}), let PGD fool {max(more, 0)} more of {e.n} samples"
    return Finding("unit of scores", more >= e.several, text)


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
