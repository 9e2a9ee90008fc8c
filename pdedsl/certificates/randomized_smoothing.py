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


GROUP = 1024
"""Samples that share batches."""


@final
class Votes:
    """argmax f(x + sξ), ξ ~ N(0, I), independent for each row and call, from a separate generator."""

    def __init__(self, model: Model, x: Tensor, sigma: float, batch: int, generator: torch.Generator) -> None:
        self.model, self.x, self.sigma, self.batch, self.generator = model, x, sigma, batch, generator
        self._noisy = x.new_empty(batch, *x.shape[1:])

    def classes(self, rows: Tensor) -> Tensor:
        """A vote for each entry of `rows`, which are indices of samples and may repeat."""
        return torch.cat([self._vote(part) for part in torch.split(rows, self.batch)])

    def _vote(self, rows: Tensor) -> Tensor:
        noisy = self._noisy[: len(rows)].normal_(0.0, self.sigma, generator=self.generator)
        return validate_logits(self.model(noisy.add_(self.x[rows])), len(rows)).argmax(1)

    def most_voted(self, rows: Tensor, draws: int) -> Tensor:
        """The class with the most of `draws` votes, for each of `rows`."""
        votes = self.classes(rows.repeat_interleave(draws)).reshape(len(rows), draws)
        return votes.mode(1).values

    def hits(self, rows: Tensor, wanted: Tensor, draws: int) -> Tensor:
        """How many of `draws` votes on each of `rows` are for the class in `wanted`."""
        votes = self.classes(rows.repeat_interleave(draws)).reshape(len(rows), draws)
        return (votes == wanted[:, None]).sum(1)


def share(batch: int, samples: int, least: int, most: int) -> int:
    """Draws per sample for a round of nearly full batches: about eight batches, or what is left."""
    return min(max(least, 8 * batch // samples), most)


@contextmanager
def voting(model: Model, x: Tensor, sigma: float, batch: int, seed: int) -> Iterator[Votes]:
    """Within, the model is frozen in evaluation mode; afterwards its state is restored."""
    if not sigma > 0.0:
        raise ValueError(f"the noise of a certificate has a positive standard deviation, not {sigma:g}")
    with torch.no_grad(), frozen_state(modules_of(model), seed):
        yield Votes(model, x.detach(), sigma, batch, torch.Generator(x.device).manual_seed(seed))


def groups(n: int, device: torch.device) -> tuple[Tensor, ...]:
    return torch.split(torch.arange(n, device=device), GROUP) if n else ()


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
    hits, draws = torch.zeros(len(x), dtype=torch.long), torch.full((len(x),), n0)
    enough = fewest_hits(n, alpha)
    with voting(model, x, sigma, batch, seed) as votes:
        for rows in groups(len(x), x.device):
            classes[rows.cpu()], hits[rows.cpu()], spent = _certify(votes, rows, n0, n, enough)
            draws[rows.cpu()] += spent
    lower = torch.where(hits >= enough, lower_bound(hits, n, alpha), 0.0)
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


def _certify(votes: Votes, rows: Tensor, n0: int, n: int, enough: int) -> tuple[Tensor, Tensor, Tensor]:
    """Class, hits and draws of each of `rows`; rows that can no longer reach `enough` hits are dropped."""
    wanted = votes.most_voted(rows, n0)
    hits, spent = torch.zeros_like(wanted), torch.zeros_like(wanted)
    open_, used = torch.arange(len(rows), device=rows.device), 0
    while used < n and len(open_):
        number = share(votes.batch, len(open_), 50, n - used)
        hits[open_] += votes.hits(rows[open_], wanted[open_], number)
        used += number
        spent[open_] = used
        open_ = open_[hits[open_] + n - used >= enough]
    return wanted.cpu(), hits.cpu(), spent.cpu()


# ---- sequential
# Randomized smoothing that stops as early as possible: is the radius r certified? (Voráček, NeurIPS 2024)
#
# A confidence sequence holds for all n at once, so that one may check after every draw and stop once the answer is
# known.


LEAST = 8
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

    With k hits in n draws: certified if k/n > p₀ and M_n(p₀) ≥ 1/α, refuted if k/n < p₀ and M_n(p₀) ≥ 1/α. M_n
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
    with voting(model, x, sigma, batch, seed) as votes:
        for rows in groups(len(x), x.device):
            test = _Test(votes, rows, [needed(r, sigma) for r in at], math.log(1.0 / alpha))
            test.run(n0, most)
            here = rows.cpu()
            classes[here], draws[here] = test.wanted.cpu(), test.draws.cpu() + n0
            certified[here], refuted[here] = test.certified, test.refuted
    largest = (certified * torch.tensor(at, dtype=torch.float64)).amax(1)
    return Sequential(classes.where(certified.any(1), -1), largest, certified, refuted, draws, at, sigma, alpha)


@final
class _Test:
    def __init__(self, votes: Votes, rows: Tensor, levels: list[float], reach: float) -> None:
        self.votes, self.rows, self.levels, self.reach = votes, rows, levels, reach
        self.hits, self.draws = torch.zeros_like(rows), torch.zeros_like(rows)
        self.certified = torch.zeros(len(rows), len(levels), dtype=torch.bool)
        self.refuted = torch.zeros_like(self.certified)

    def run(self, n0: int, most: int) -> None:
        self.wanted = self.votes.most_voted(self.rows, n0)
        open_ = torch.arange(len(self.rows), device=self.rows.device)
        while len(open_):
            number = min(max(LEAST, self.votes.batch // len(open_)), most - int(self.draws[open_[0]]))
            self.hits[open_] += self.votes.hits(self.rows[open_], self.wanted[open_], number)
            self.draws[open_] += number
            self._look(open_.cpu())
            told = (self.certified | self.refuted).all(1).to(open_.device)
            open_ = open_[~told[open_] & (self.draws[open_] < most)]

    def _look(self, rows: Tensor) -> None:
        hits, draws = self.hits.cpu()[rows], self.draws.cpu()[rows]
        for index, level in enumerate(self.levels):
            told = log_wealth(hits, draws, level) >= self.reach
            above = hits > level * draws
            self.certified[rows, index] |= told & above
            self.refuted[rows, index] |= told & ~above
