"""Randomized smoothing with a fixed number of draws: CERTIFY of Cohen, Rosenfeld, Kolter, ICML 2019.

What is certified is the class that f(x + sξ) takes most often: the prediction of the average of f, not of f itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.certificates.statements import (
    fewest_hits,
    lipschitz_radius,
    lower_bound,
    paper_radius,
    radius,
    require_confidence,
)
from pdedsl.certificates.votes import Votes, groups, share, voting
from pdedsl.untouched import Model


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
