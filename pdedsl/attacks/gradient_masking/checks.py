"""Checks for gradient masking (Athalye, Carlini, Wagner 2018, section 3.1; Carlini et al. 2019), with evidence."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.attacks.base import attack_context
from pdedsl.attacks.batch_ops import inner
from pdedsl.attacks.criterion import Criterion, log_odds
from pdedsl.attacks.gradient_masking.attack_runs import AuditRuns, radius_containing_box
from pdedsl.attacks.norms import L2
from pdedsl.attacks.pgd import find_successes, pgd, random_start
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model

RANDOM_POINTS = 50
"""Points of the ball per sample in random search."""
FINITE_DIFFERENCES = 12
"""Random directions per sample in the gradient check."""


@final
@dataclass(frozen=True)
class MaskingFinding:
    """Result of one check: pass or suspicious, with the evidence as text."""

    name: str
    suspicious: bool
    text: str


def gradients(e: AuditRuns) -> MaskingFinding:
    """Zero or non-finite gradients."""
    evaluation = e.predictor.loss_gradient(e.x, e.criterion, log_odds).gradient.flatten(1)
    zero, nonfinite = (evaluation == 0.0).all(1), ~evaluation.isfinite().all(1)
    useless = _percent(zero | nonfinite)
    size = evaluation.double().norm(dim=1).nanmedian().item()
    text = (
        f"the gradient is zero for {_percent(zero):.0f} % of the samples and NaN or infinite for "
        f"{_percent(nonfinite):.0f} %; its median ℓ2 norm is {size:.3g}"
    )
    return MaskingFinding("zero or NaN gradients", useless > 5.0, text)


def saturation(e: AuditRuns) -> MaskingFinding:
    """Saturation of the softmax: ∇ log p_y is 0 in floating point where p_y rounds to 1."""
    evaluation = e.predictor.loss_gradient(e.x, e.criterion, _cross_entropy)
    zero = (evaluation.gradient.flatten(1) == 0.0).all(1) | ~evaluation.logits.isfinite().all(1)
    size = (evaluation.logits - evaluation.logits.mean(1, keepdim=True)).abs().amax(1).median().item()
    text = f"the gradient of the cross-entropy vanishes for {_percent(zero):.0f} % of the samples; "
    text += f"median logit magnitude {size:.3g}"
    return MaskingFinding("softmax saturation", _percent(zero) > 30.0, text)


def _cross_entropy(logits: Tensor, criterion: Criterion) -> Tensor:
    return functional.cross_entropy(logits, criterion.y, reduction="none")


def ascent_direction(e: AuditRuns) -> MaskingFinding:
    """Ascent: L(x + hv) > L(x) for a step v along the gradient, h = ε/20, or h = ε for a stochastic model."""
    evaluation = e.predictor.loss_gradient(e.x, e.criterion, log_odds)
    step = torch.add(e.x, e.norm.steepest(evaluation.gradient), alpha=e.eps / (1.0 if e.predictor.stochastic else 20.0))
    before, after = (log_odds(e.predictor.predict(x), e.criterion) for x in (e.x, step))
    rises = _percent(after > before)
    return MaskingFinding(
        "ascent direction",
        rises < 75.0,
        f"a step along the gradient increases the loss for {rises:.0f} % of the samples",
    )


def gradient_check(e: AuditRuns) -> MaskingFinding:
    """Gradient check: autograd ⟨∇L, v⟩ against the central difference d = (L(x + v) − L(x − v))/2 for random v of
    length ε/20, limited to between 5·10⁻⁵ and 5·10⁻³ of the diameter.

    The unexplained variance r = Σ(⟨∇L, v⟩ − d)²/Σ(⟨∇L, v⟩² + d²) over the directions at one sample is 0 for a
    derivative, 1 for an unrelated vector, and 1/3 if half of the gradient is missing (stopped, replaced or shattered
    gradients). For a stochastic model, `eot_convergence` replaces this check.
    """
    evaluation = e.predictor.loss_gradient(e.x, e.criterion, log_odds)
    generator = torch.Generator(e.x.device).manual_seed(e.seed)
    size = radius_containing_box(e.x, e.norm, e.bounds) or e.eps
    length = min(max(e.eps, 1e-3 * size), 0.1 * size) / 20.0
    predicted, observed = [], []
    for _ in range(FINITE_DIFFERENCES):
        v = length * e.norm.steepest(torch.empty_like(e.x).normal_(generator=generator))
        above, below = (log_odds(e.predictor.query(x), e.criterion) for x in (e.x + v, e.x - v))
        predicted.append(inner(evaluation.gradient, v).double())
        observed.append(0.5 * (above - below).double())
    a, d = torch.stack(predicted), torch.stack(observed)
    unexplained = ((a - d).square().sum(0) / (a.square() + d.square()).sum(0)).nan_to_num(1.0).median().item()
    text = (
        f"central finite differences of the loss vs. autograd: unexplained variance {100 * unexplained:.0f} % (median)"
    )
    return MaskingFinding("gradient check", unexplained > 0.2, text)


def logit_rescaling(e: AuditRuns) -> MaskingFinding:
    """PGD on centred logits, rescaled to standard deviation 10 over the classes: shift and scale should not matter.

    They do if logits are small, as those of a network with a small Lipschitz constant: the softmax is nearly uniform,
    and the gradient of the cross-entropy points to no class in particular.
    """
    size = e.predictor.query(e.x).nan_to_num().std(1).median().clamp_min(1e-30)
    model = e.predictor.model

    def standardize(x: Tensor) -> Tensor:
        logits = model(x)
        return (logits - logits.mean(1, keepdim=True)) * (10.0 / size)

    scaled = Predictor(standardize, eot=e.predictor.eot, draws=e.predictor.draws)
    more = int((e.run_pgd(e.eps, model=scaled) & ~e.white_box).sum())
    suspicious = more >= e.min_count
    text = f"PGD on logits rescaled from standard deviation {size:.3g} to 10 finds {more} more adversarial examples "
    text += f"(n = {e.n})" + ("; use the scale-invariant loss dlr of apgd" if suspicious else "")
    return MaskingFinding("logit rescaling", suspicious, text)


def single_step(e: AuditRuns) -> MaskingFinding:
    """A single-step attack should not find more adversarial examples than an iterative one."""
    more = int((e.single_step & ~e.pgd_runs.any(0)).sum())
    text = f"FGSM finds {more} adversarial examples that PGD misses (n = {e.n})"
    return MaskingFinding("single-step vs. iterative attack", more >= e.min_count, text)


def restarts(e: AuditRuns) -> MaskingFinding:
    """Success of PGD should depend little on the random start."""
    single, union = e.pgd_runs.double().mean().item() * e.n, int(e.pgd_runs.any(0).sum())
    text = f"PGD misclassifies {union} of {e.n} samples with {len(e.pgd_runs)} random restarts, {single:.1f} with one"
    return MaskingFinding("random restarts", union - single >= max(e.min_count, 0.1 * e.n), text)


def black_box(e: AuditRuns) -> MaskingFinding:
    """A black-box attack should not find more than white-box attacks."""
    more = int((e.black_box & ~e.white_box).sum())
    text = f"Square finds {more} adversarial examples that gradient attacks miss (n = {e.n})"
    return MaskingFinding("black-box vs. white-box attack", more >= e.min_count, text)


def random_search(e: AuditRuns) -> MaskingFinding:
    """Random points of the ball should not find more than gradient attacks."""
    with attack_context(e.predictor, e.x, e.y, bounds=e.bounds, seed=e.seed) as context:
        region, adversarial = context.region(e.norm, e.eps), torch.zeros_like(e.misclassified)
        for _ in range(RANDOM_POINTS):
            x = region.project(random_start(context, e.norm, e.eps))
            adversarial |= find_successes(context.predictor, x, context.criterion, context.predictor.query(x))
    more = int((e.record(adversarial) & ~e.white_box).sum())
    text = f"{RANDOM_POINTS} random points per sample find {more} adversarial examples that gradient attacks miss "
    text += f"(n = {e.n})"
    return MaskingFinding("random search", more >= e.min_count, text)


def transfer(e: AuditRuns, surrogate: Model) -> MaskingFinding:
    """Adversarial examples of a surrogate should not succeed where white-box attacks fail."""
    x = pgd(surrogate, e.x, e.y, eps=e.eps, norm=e.norm, steps=e.steps, bounds=e.bounds, seed=e.seed).x
    more = int((e.record(e.criterion.is_satisfied(e.predictor.predict(x))) & ~e.white_box).sum())
    text = f"transfer from a surrogate finds {more} adversarial examples that gradient attacks miss (n = {e.n})"
    return MaskingFinding("transfer attack", more >= e.min_count, text)


def curve(e: AuditRuns) -> tuple[MaskingFinding, MaskingFinding]:
    """Robust accuracy should decrease in ε, and reach 0 for an unbounded attack."""
    points = e.accuracy_curve
    line = ", ".join(f"{100 * accuracy:.1f} % at ε = {eps:.3g}" for eps, accuracy in points)
    last = points[-1][1]
    first, falls = points[0][1], [(a, b) for (_, a), (_, b) in pairwise(points[1:])]
    rises = any(b - a > 0.03 for a, b in falls)
    flat = any(a < first - 0.1 and b > 0.1 and a - b < 0.01 for a, b in falls)
    text = f"robust accuracy {line}"
    text += "" if e.has_other_class else " (not judged: all samples are of one class and there are no bounds)"
    trend = "increases with ε" if rises else "is constant over a range of ε" if flat else "decreases in ε"
    return (
        MaskingFinding("unbounded attack", e.has_other_class and last > 0.05, text),
        MaskingFinding("monotonicity in ε", rises or flat, f"robust accuracy {trend}"),
    )


def eot_convergence(e: AuditRuns) -> MaskingFinding:
    """EOT gradients should agree between repetitions, and more EOT samples should not find more."""
    used = e.predictor.eot
    units = [L2().steepest(e.predictor.loss_gradient(e.x, e.criterion, log_odds).gradient) for _ in range(8)]
    cosine = torch.stack([inner(a, b) for a, b in pairwise(units)]).mean(0).median().item()
    sweep = sorted({1, used, max(10, 4 * used)})
    fooled = {
        eot: int(e.run_pgd(e.eps, model=Predictor(e.predictor.model, eot=eot, draws=e.predictor.draws)).sum())
        for eot in sweep
    }
    counts = ", ".join(f"{number} with {eot}" for eot, number in fooled.items())
    text = (
        f"stochastic model: repeated gradients with {used} EOT samples have cosine similarity {cosine:.2f}; "
        f"of {e.n} samples, PGD misclassifies {counts} EOT samples"
    )
    return MaskingFinding("EOT convergence", fooled[sweep[-1]] - fooled[used] >= e.min_count or cosine < 0.4, text)


CHECKS = (
    gradients,
    saturation,
    ascent_direction,
    logit_rescaling,
    single_step,
    restarts,
    black_box,
    random_search,
)
"""The checks that need only the model."""


def _percent(where: Tensor) -> float:
    return 100.0 * where.double().mean().item()
