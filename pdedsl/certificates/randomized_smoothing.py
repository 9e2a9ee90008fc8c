"""Votes of a model on noisy copies of many samples, in full batches and in constant memory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.certificates.binomial import (
    fewest_hits,
    lipschitz_radius,
    log_wealth,
    lower_bound,
    needed,
    paper_radius,
    radius,
    require_confidence,
)
from pdedsl.frozen_model import Model, frozen_state, modules_of
from pdedsl.validation import validate_logits

# ---- votes


GROUP_SIZE = 1024
"""Samples that share batches."""


@final
class Votes:
    """argmax f(x + sξ), ξ ~ N(0, I), independent for each row and call, from a separate generator."""

    def __init__(self, model: Model, x: Tensor, sigma: float, batch: int, generator: torch.Generator) -> None:
        self.model, self.x, self.sigma, self.batch, self.generator = model, x, sigma, batch, generator
        self._buffer = x.new_empty(batch, *x.shape[1:])

    def sample_classes(self, rows: Tensor) -> Tensor:
        """A vote for each entry of `rows`, which are indices of samples and may repeat."""
        return torch.cat([self._classify(part) for part in torch.split(rows, self.batch)])

    def _classify(self, rows: Tensor) -> Tensor:
        noisy = self._buffer[: len(rows)].normal_(0.0, self.sigma, generator=self.generator)
        return validate_logits(self.model(noisy.add_(self.x[rows])), len(rows)).argmax(1)

    def majority_class(self, rows: Tensor, draws: int) -> Tensor:
        """The class with the most of `draws` votes, for each of `rows`."""
        votes = self.sample_classes(rows.repeat_interleave(draws)).reshape(len(rows), draws)
        return sampler.mode(1).values

    def count(self, rows: Tensor, predicted: Tensor, draws: int) -> Tensor:
        """How many of `draws` votes on each of `rows` are for the class in `predicted`."""
        votes = self.sample_classes(rows.repeat_interleave(draws)).reshape(len(rows), draws)
        return (votes == predicted[:, None]).sum(1)


def share(batch: int, samples: int, minimum: int, maximum: int) -> int:
    """Draws per sample for a round of nearly full batches: about eight batches, or what is left."""
    return min(max(minimum, 8 * batch // samples), maximum)


@contextmanager
def voting(model: Model, x: Tensor, sigma: float, batch: int, seed: int) -> Iterator[Votes]:
    """Within, the model is frozen in evaluation mode; afterwards its state is restored."""
    if not sigma > 0.0:
        raise ValueError(f"the noise of a certificate has a positive standard deviation, not {sigma:g}")
    with torch.no_grad(), frozen_state(modules_of(model), seed):
        yield Votes(model, x.detach(), sigma, batch, torch.Generator(x.device).manual_seed(seed))


def groups(n: int, device: torch.device) -> tuple[Tensor, ...]:
    return torch.split(torch.arange(n, device=device), GROUP_SIZE) if n else ()


# ---- gaussian
# Randomized smoothing with a fixed number of draws: CERTIFY of Cohen, Rosenfeld, Kolter, ICML 2019.
#
# What is certified is the class that f(x + sξ) takes most often: the prediction of the average of f, not of f itself.


@final
@dataclass(frozen=True)
class Gaussian:
    """For each sample, with probability at least 1 − α: the averaged class is constant within `radii` in ℓ2.

    radii is R_C = s Φ⁻¹(p̲); `lipschitz` the bound R_L ≤ R_C from the Lipschitz constant of the average, `paper` the
    radius R_a ≤ R_L of Theorem 3.1 of Wang, Tao, Bao, Shi. `lower` is p̲, `draws` what each sample cost.
    """

    classes: Tensor
    radii: Tensor
    lipschitz: Tensor
    paper: Tensor
    lower: Tensor
    draws: Tensor
    sigma: float
    alpha: float


def gaussian(
    model: Model,
    x: Tensor,
    *,
    sigma: float,
    n0: int = 100,
    n: int = 10_000,
    alpha: float = 1e-3,
    seed: int = 0,
    batch: int = 128,
) -> Gaussian:
    """`sigma` is the standard deviation s of the noise. n0 draws choose the class, n others bound its probability.

    It abstains if p̲ ≤ ½, and stops early once no outcome of the remaining draws could change that.
    """
    require_confidence(alpha, n0, n)
    classes = torch.full((len(x),), -1, dtype=torch.long)
    counts, draws = torch.zeros(len(x), dtype=torch.long), torch.full((len(x),), n0)
    min_count = fewest_hits(n, alpha)
    with voting(model, x, sigma, batch, seed) as sampler:
        for rows in groups(len(x), x.device):
            classes[rows.cpu()], counts[rows.cpu()], samples = _certify(sampler, rows, n0, n, min_count)
            draws[rows.cpu()] += samples
    lower = torch.where(counts >= min_count, lower_bound(counts, n, alpha), 0.0)
    radii = radius(lower, sigma)
    return Gaussian(
        classes=classes.where(radii > 0.0, -1),
        radii=radii,
        lipschitz=lipschitz_radius(lower, sigma),
        paper=paper_radius(lower, sigma, x.shape[1:].numel()),
        lower=lower,
        draws=draws,
        sigma=sigma,
        alpha=alpha,
    )


def _certify(sampler: Votes, rows: Tensor, n0: int, n: int, min_count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Class, counts and draws of each of `rows`; rows that can no longer threshold `min_count` counts are dropped."""
    predicted = sampler.majority_class(rows, n0)
    counts, samples = torch.zeros_like(predicted), torch.zeros_like(predicted)
    undecided, drawn = torch.arange(len(rows), device=rows.device), 0
    while drawn < n and len(undecided):
        number = share(sampler.batch, len(undecided), 50, n - drawn)
        counts[undecided] += sampler.count(rows[undecided], predicted[undecided], number)
        drawn += number
        samples[undecided] = drawn
        undecided = undecided[counts[undecided] + n - drawn >= min_count]
    return predicted.cpu(), counts.cpu(), samples.cpu()


# ---- sequential
# Randomized smoothing that stops as early as possible: is the radius r certified? (Voráček, NeurIPS 2024)
#
# A confidence sequence holds for all n at once, so that one may check after every draw and stop once the answer is
# known.


MIN_SAMPLES_PER_CHECK = 8
"""Draws a sample between two looks."""


@final
@dataclass(frozen=True)
class Sequential:
    """For each sample, all statements are true at once with probability at least 1 − α.

    `certified[i, j]`: the averaged class of sample i is classes[i] within the radius at[j]. `refuted[i, j]`: its
    probability is below what this radius requires. Neither: `most` draws did not decide. `radii` is the largest
    certified radius; if there is none, it is 0 and the class −1.
    """

    classes: Tensor
    radii: Tensor
    certified: Tensor
    refuted: Tensor
    draws: Tensor
    at: tuple[float, ...]
    sigma: float
    alpha: float


def gaussian_at(
    model: Model,
    x: Tensor,
    *,
    sigma: float,
    radii: float | Sequence[float],
    n0: int = 100,
    most: int = 100_000,
    alpha: float = 1e-3,
    seed: int = 0,
    batch: int = 128,
) -> Sequential:
    """Decide p > p₀ = Φ(r/s) for every r of `radii`, from the same draws.

    With k counts in n draws: certified if k/n > p₀ and M_n(p₀) ≥ 1/α, refuted if k/n < p₀ and M_n(p₀) ≥ 1/α. M_n
    decreases in p up to k/n and increases from there, so that either error requires M_n(p) ≥ 1/α at the true p, which
    has probability at most α for all n and all radii together.
    """
    require_confidence(alpha, n0, most)
    at = (float(radii),) if isinstance(radii, int | float) else tuple(sorted(radii))
    if not at or at[0] < 0.0:
        raise ValueError(f"radii are not negative: {radii}")
    classes, draws = torch.full((len(x),), -1, dtype=torch.long), torch.zeros(len(x), dtype=torch.long)
    certified = torch.zeros(len(x), len(at), dtype=torch.bool)
    refuted = torch.zeros_like(certified)
    with voting(model, x, sigma, batch, seed) as sampler:
        for rows in groups(len(x), x.device):
            test = _SequentialTest(sampler, rows, [needed(r, sigma) for r in at], math.log(1.0 / alpha))
            test.run(n0, most)
            here = rows.cpu()
            classes[here], draws[here] = test.predicted.cpu(), test.draws.cpu() + n0
            certified[here], refuted[here] = test.certified, test.refuted
    largest = (certified * torch.tensor(at, dtype=torch.float64)).amax(1)
    return Sequential(classes.where(certified.any(1), -1), largest, certified, refuted, draws, at, sigma, alpha)


@final
class _SequentialTest:
    def __init__(self, sampler: Votes, rows: Tensor, levels: list[float], threshold: float) -> None:
        self.sampler, self.rows, self.levels, self.threshold = sampler, rows, levels, threshold
        self.counts, self.draws = torch.zeros_like(rows), torch.zeros_like(rows)
        self.certified = torch.zeros(len(rows), len(levels), dtype=torch.bool)
        self.refuted = torch.zeros_like(self.certified)

    def run(self, n0: int, most: int) -> None:
        self.predicted = self.sampler.majority_class(self.rows, n0)
        undecided = torch.arange(len(self.rows), device=self.rows.device)
        while len(undecided):
            number = min(
                max(MIN_SAMPLES_PER_CHECK, self.sampler.batch // len(undecided)), most - int(self.draws[undecided[0]])
            )
            self.counts[undecided] += self.sampler.count(self.rows[undecided], self.predicted[undecided], number)
            self.draws[undecided] += number
            self._update(undecided.cpu())
            decided = (self.certified | self.refuted).all(1).to(undecided.device)
            undecided = undecided[~decided[undecided] & (self.draws[undecided] < most)]

    def _update(self, rows: Tensor) -> None:
        counts, draws = self.counts.cpu()[rows], self.draws.cpu()[rows]
        for index, level in enumerate(self.levels):
            decided = log_wealth(counts, draws, level) >= self.threshold
            above = counts > level * draws
            self.certified[rows, index] |= decided & above
            self.refuted[rows, index] |= decided & ~above
