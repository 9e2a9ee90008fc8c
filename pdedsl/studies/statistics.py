"""Mean and standard deviation over seeds, and confidence intervals of paired differences over samples and seeds.

Two networks are trained with the same seeds and evaluated on the same samples. The difference on sample i with seed s
is modelled as d_si = μ + a_s + b_i + e_si with independent random effects of seeds, samples and their interaction. With
the mean squares of the two-way analysis of variance, (MS_a + MS_b - MS_e)/(S n) is an unbiased estimate of the variance
of the mean, and its degrees of freedom are those of Satterthwaite (Searle, Casella, McCulloch 1992, Variance
Components).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

CONFIDENCE_LEVEL = 0.95  # two-sided, as that of the evaluation reports


@dataclass(frozen=True)
class PairedDifference:
    """Mean of paired differences with its 95 % confidence interval and the two-sided p-value of mean 0.

    With one seed, the interval is over samples only."""

    mean: float
    low: float
    high: float
    p: float
    seeds: int
    samples: int

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and sample standard deviation; None for a single value."""
    return fmean(values), stdev(values) if len(values) > 1 else None


def paired_difference(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]]) -> PairedDifference:
    """The mean of second - first; one row of values per seed, in the same order of seeds and samples."""
    import numpy as np

    d = np.asarray(second, float) - np.asarray(first, float)
    seeds, samples = d.shape
    mean = float(d.mean())
    variance, freedom = _variance_of_mean(d)
    if variance <= 0.0:
        return PairedDifference(mean, mean, mean, 1.0 if mean == 0.0 else 0.0, seeds, samples)
    from scipy.special import stdtr, stdtrit

    error = sqrt(variance)
    reach = float(stdtrit(freedom, (1 + CONFIDENCE_LEVEL) / 2)) * error
    p = 2 * float(stdtr(freedom, -abs(mean) / error))
    return PairedDifference(mean, mean - reach, mean + reach, p, seeds, samples)


def _variance_of_mean(d: object) -> tuple[float, float]:
    """The estimated variance of the mean of d (seeds, samples), and its degrees of freedom. A negative estimate of the
    variance of an effect is set to zero."""
    import numpy as np

    values = np.asarray(d)
    seeds, samples = values.shape
    mean, rows, columns = values.mean(), values.mean(1), values.mean(0)
    if samples < 2:
        raise ValueError("a confidence interval needs at least two samples")
    between_samples = float(seeds * ((columns - mean) ** 2).sum() / (samples - 1))
    if seeds == 1:
        return between_samples / samples, samples - 1
    between_seeds = float(samples * ((rows - mean) ** 2).sum() / (seeds - 1))
    rest = values - rows[:, None] - columns[None, :] + mean
    interaction = float((rest**2).sum() / ((seeds - 1) * (samples - 1)))
    of_seeds, of_samples = (between_seeds, seeds - 1), (between_samples, samples - 1)
    of_interaction = (interaction, (seeds - 1) * (samples - 1))
    match between_seeds > interaction, between_samples > interaction:
        case True, True:
            terms = [of_seeds, of_samples, (-interaction, of_interaction[1])]
        case True, False:
            terms = [of_seeds]
        case False, True:
            terms = [of_samples]
        case _:
            terms = [of_interaction]
    total = sum(square for square, _ in terms)
    if total <= 0.0:
        return 0.0, 1.0
    freedom = total**2 / sum(square**2 / n for square, n in terms)
    return total / (seeds * samples), freedom
