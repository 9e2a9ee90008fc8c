"""Randomized smoothing: ℓ2 certificates of g(x) = argmax_c P(f(x + sξ) = c), ξ ~ N(0, I).

`gaussian` is CERTIFY of Cohen, Rosenfeld, Kolter (ICML 2019) with a fixed number of noise samples; `gaussian_at` is the
sequential test of Voráček (NeurIPS 2024). Both certify the smoothed classifier g, not the base classifier f.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.certificates.binomial import (
    clopper_pearson_lower,
    log_mixture_martingale,
    min_count_above,
    require_confidence,
)
from pdedsl.certificates.radius import cohen_radius, lipschitz_radius, required_probability, wang_radius
from pdedsl.frozen_model import Model, frozen_state, modules_of
from pdedsl.validation import validate_logits

# ---- Monte Carlo counts


GROUP_SIZE = 1024
"""Samples that share batches, so that memory does not grow with the number of samples."""


@final
class NoiseSampler:
    """Samples of argmax f(x + sξ), ξ ~ N(0, I), independent for each row and call, in full batches."""

    def __init__(self, model: Model, x: Tensor, sigma: float, batch: int, generator: torch.Generator) -> None:
        self.model, self.x, self.sigma, self.batch, self.generator = model, x, sigma, batch, generator
        self._buffer = x.new_empty(batch, *x.shape[1:])

    def sample_classes(self, rows: Tensor) -> Tensor:
        """One noisy prediction for each entry of `rows`, indices of samples that may repeat."""
        return torch.cat([self._classify(part) for part in torch.split(rows, self.batch)])

    def _classify(self, rows: Tensor) -> Tensor:
        noisy = self._buffer[: len(rows)].normal_(0.0, self.sigma, generator=self.generator)
        return validate_logits(self.model(noisy.add_(self.x[rows])), len(rows)).argmax(1)

    def majority_class(self, rows: Tensor, draws: int) -> Tensor:
        """The most frequent class among `draws` noisy predictions, for each of `rows`."""
        votes = self.sample_classes(rows.repeat_interleave(draws)).reshape(len(rows), draws)
        return votes.mode(1).values

    def count(self, rows: Tensor, predicted: Tensor, draws: int) -> Tensor:
        """The number of times that `draws` noisy predictions for each of `rows` equal the class in `predicted`."""
        votes = self.sample_classes(rows.repeat_interleave(draws)).reshape(len(rows), draws)
        return (votes == predicted[:, None]).sum(1)


def samples_per_round(batch: int, samples: int, minimum: int, maximum: int) -> int:
    """Noise samples per input in one round of about eight full batches."""
    return min(max(minimum, 8 * batch // samples), maximum)


@contextmanager
def noise_sampler(model: Model, x: Tensor, sigma: float, batch: int, seed: int) -> Iterator[NoiseSampler]:
    """Context manager: the model is frozen in eval mode; afterwards its state is restored."""
    if not sigma > 0.0:
        raise ValueError(f"sigma, the standard deviation of the noise, must be positive, not {sigma:g}")
    with torch.no_grad(), frozen_state(modules_of(model), seed):
        yield NoiseSampler(model, x.detach(), sigma, batch, torch.Generator(x.device).manual_seed(seed))


def row_groups(n: int, device: torch.device) -> tuple[Tensor, ...]:
    return torch.split(torch.arange(n, device=device), GROUP_SIZE) if n else ()


# ---- Fixed number of noise samples (CERTIFY of Cohen et al.)


@final
@dataclass(frozen=True)
class Gaussian:
    """Result of `gaussian`: for each of n samples, with probability at least 1 − `alpha`, the smoothed class is
    `classes` within the ℓ2 distance `radii`.

    Attributes:
        classes: certified classes, (n,); −1 where the certificate abstains.
        radii: R_C = s Φ⁻¹(p̲), (n,).
        lipschitz: R_L ≤ R_C, from the Lipschitz constant of the smoothed classifier, (n,).
        paper: R_a ≤ R_L of Wang, Tao, Bao, Shi, Theorem 3.1, (n,).
        lower: Clopper-Pearson lower bound p̲ of the probability of the class, (n,).
        draws: number of noise samples used, (n,).
        sigma: standard deviation s of the noise.
        alpha: failure probability per sample.

    Example:
        >>> import torch
        >>> from pdedsl.certificates import gaussian
        >>> result = gaussian(lambda x: torch.cat([x, -x], 1), torch.tensor([[1.0]]), sigma=0.5, n=1000)
        >>> bool(result.paper <= result.lipschitz) and bool(result.lipschitz <= result.radii)
        True
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
    """Randomized smoothing: certified classes and ℓ2 radii of the smoothed classifier (Cohen, Rosenfeld, Kolter 2019).

    Args:
        model: callable from inputs (m, …) to logits (m, classes), the base classifier; its state is restored.
        x: inputs, shape (n, …).
        sigma: standard deviation s of the Gaussian noise.
        n0: number of noise samples that select the class.
        n: number of further noise samples for the Clopper-Pearson lower bound p̲ of its probability.
        alpha: failure probability per sample.
        seed: seed of the noise.
        batch: batch size of the calls of the model.

    Returns:
        `Gaussian` with classes and radii R = s Φ⁻¹(p̲). It abstains (class −1, radius 0) if p̲ ≤ ½, and stops early once
        the remaining noise samples cannot change that.

    Raises:
        ValueError: if `sigma`, `n0`, `n` is not positive, `alpha` is not in (0, 1), or logits are invalid.

    Example:
        >>> import torch
        >>> from pdedsl.certificates import gaussian
        >>> model = lambda x: torch.cat([x, -x], 1)  # class 0 for x > 0, class 1 for x < 0
        >>> result = gaussian(model, torch.tensor([[1.0], [-0.5], [0.0]]), sigma=0.5, n=1000)
        >>> result.classes.tolist()
        [0, 1, -1]
        >>> bool((result.radii <= torch.tensor([1.0, 0.5, 0.0])).all())  # the distances to the boundary
        True
    """
    require_confidence(alpha, n0, n)
    classes = torch.full((len(x),), -1, dtype=torch.long)
    counts, draws = torch.zeros(len(x), dtype=torch.long), torch.full((len(x),), n0)
    min_count = min_count_above(n, alpha)
    with noise_sampler(model, x, sigma, batch, seed) as sampler:
        for rows in row_groups(len(x), x.device):
            classes[rows.cpu()], counts[rows.cpu()], samples = _certify(sampler, rows, n0, n, min_count)
            draws[rows.cpu()] += samples
    lower = torch.where(counts >= min_count, clopper_pearson_lower(counts, n, alpha), 0.0)
    radii = cohen_radius(lower, sigma)
    return Gaussian(
        classes=classes.where(radii > 0.0, -1),
        radii=radii,
        lipschitz=lipschitz_radius(lower, sigma),
        paper=wang_radius(lower, sigma, x.shape[1:].numel()),
        lower=lower,
        draws=draws,
        sigma=sigma,
        alpha=alpha,
    )


def _certify(sampler: NoiseSampler, rows: Tensor, n0: int, n: int, min_count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Class, count and noise samples of each of `rows`; rows that cannot reach `min_count` any more are dropped."""
    predicted = sampler.majority_class(rows, n0)
    counts, samples = torch.zeros_like(predicted), torch.zeros_like(predicted)
    undecided, drawn = torch.arange(len(rows), device=rows.device), 0
    while drawn < n and len(undecided):
        number = samples_per_round(sampler.batch, len(undecided), 50, n - drawn)
        counts[undecided] += sampler.count(rows[undecided], predicted[undecided], number)
        drawn += number
        samples[undecided] = drawn
        undecided = undecided[counts[undecided] + n - drawn >= min_count]
    return predicted.cpu(), counts.cpu(), samples.cpu()


# ---- Sequential test (Voráček, NeurIPS 2024)
#
# A confidence sequence is valid for all n simultaneously, so that the test may stop as soon as it is decided.


MIN_SAMPLES_PER_CHECK = 8
"""Noise samples per input between two evaluations of the test."""


@final
@dataclass(frozen=True)
class Sequential:
    """Result of `gaussian_at` for n samples and k radii; for each sample, all decisions are correct with probability at
    least 1 − `alpha`. A radius may remain undecided after the maximal number of noise samples.

    Attributes:
        classes: smoothed classes, (n,); −1 if no radius is certified.
        radii: largest certified radius, (n,); 0 if there is none.
        certified: [i, j]: the smoothed class of sample i is `classes[i]` within the ℓ2 radius `at[j]`; (n, k).
        refuted: [i, j]: the probability of the class is below Φ(r/s), as this radius requires; (n, k).
        draws: number of noise samples used, (n,).
        at: the radii, k numbers.
        sigma: standard deviation s of the noise.
        alpha: failure probability per sample.

    Example:
        >>> import torch
        >>> from pdedsl.certificates import gaussian_at
        >>> gaussian_at(lambda x: torch.cat([x, -x], 1), torch.tensor([[1.0]]), sigma=0.5, radii=0.5).radii.tolist()
        [0.5]
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
    max_samples: int = 100_000,
    alpha: float = 1e-3,
    seed: int = 0,
    batch: int = 128,
) -> Sequential:
    """Randomized smoothing at given ℓ2 radii: sequential test of p > p₀ = Φ(r/s) for every radius r (Voráček 2024).

    With count k in n noise samples: certified if k/n > p₀ and M_n(p₀) ≥ 1/α, refuted if k/n < p₀ and M_n(p₀) ≥ 1/α. The
    martingale M_n (`log_mixture_martingale`) decreases in p up to k/n and increases from there, so that either error
    requires M_n(p) ≥ 1/α at the true p, which has probability at most α for all n and all radii together.

    Args:
        model: callable from inputs (m, …) to logits (m, classes), the base classifier; its state is restored.
        x: inputs, shape (n, …).
        sigma: standard deviation s of the Gaussian noise.
        radii: one ℓ2 radius or several, not negative.
        n0: number of noise samples that select the class.
        max_samples: maximal number of further noise samples per input.
        alpha: failure probability per sample.
        seed: seed of the noise.
        batch: batch size of the calls of the model.

    Returns:
        `Sequential` with the decisions and the largest certified radius per sample.

    Raises:
        ValueError: if a radius is negative, `sigma`, `n0`, `max_samples` is not positive, or `alpha` is not in (0, 1).

    Example:
        >>> import torch
        >>> from pdedsl.certificates import gaussian_at
        >>> model = lambda x: torch.cat([x, -x], 1)
        >>> result = gaussian_at(model, torch.tensor([[1.0], [0.3]]), sigma=0.5, radii=[0.25, 0.5])
        >>> result.certified.tolist()[0]  # the distance to the boundary is 1
        [True, True]
        >>> result.refuted.tolist()[1]  # the distance to the boundary is 0.3
        [False, True]
    """
    require_confidence(alpha, n0, max_samples)
    at = (float(radii),) if isinstance(radii, int | float) else tuple(sorted(radii))
    if not at or at[0] < 0.0:
        raise ValueError(f"radii must not be negative, got {radii}")
    classes, draws = torch.full((len(x),), -1, dtype=torch.long), torch.zeros(len(x), dtype=torch.long)
    certified = torch.zeros(len(x), len(at), dtype=torch.bool)
    refuted = torch.zeros_like(certified)
    with noise_sampler(model, x, sigma, batch, seed) as sampler:
        for rows in row_groups(len(x), x.device):
            test = _SequentialTest(sampler, rows, [required_probability(r, sigma) for r in at], math.log(1.0 / alpha))
            test.run(n0, max_samples)
            here = rows.cpu()
            classes[here], draws[here] = test.predicted.cpu(), test.draws.cpu() + n0
            certified[here], refuted[here] = test.certified, test.refuted
    largest = (certified * torch.tensor(at, dtype=torch.float64)).amax(1)
    return Sequential(classes.where(certified.any(1), -1), largest, certified, refuted, draws, at, sigma, alpha)


@final
class _SequentialTest:
    """Counts and decisions for a group of rows; `levels` are p₀ of the radii, `threshold` is ln 1/α."""

    def __init__(self, sampler: NoiseSampler, rows: Tensor, levels: list[float], threshold: float) -> None:
        self.sampler, self.rows, self.levels, self.threshold = sampler, rows, levels, threshold
        self.counts, self.draws = torch.zeros_like(rows), torch.zeros_like(rows)
        self.certified = torch.zeros(len(rows), len(levels), dtype=torch.bool)
        self.refuted = torch.zeros_like(self.certified)

    def run(self, n0: int, max_samples: int) -> None:
        self.predicted = self.sampler.majority_class(self.rows, n0)
        undecided = torch.arange(len(self.rows), device=self.rows.device)
        while len(undecided):
            number = min(
                max(MIN_SAMPLES_PER_CHECK, self.sampler.batch // len(undecided)),
                max_samples - int(self.draws[undecided[0]]),
            )
            self.counts[undecided] += self.sampler.count(self.rows[undecided], self.predicted[undecided], number)
            self.draws[undecided] += number
            self._update(undecided.cpu())
            decided = (self.certified | self.refuted).all(1).to(undecided.device)
            undecided = undecided[~decided[undecided] & (self.draws[undecided] < max_samples)]

    def _update(self, rows: Tensor) -> None:
        counts, draws = self.counts.cpu()[rows], self.draws.cpu()[rows]
        for index, level in enumerate(self.levels):
            decided = log_mixture_martingale(counts, draws, level) >= self.threshold
            above = counts > level * draws
            self.certified[rows, index] |= decided & above
            self.refuted[rows, index] |= decided & ~above
