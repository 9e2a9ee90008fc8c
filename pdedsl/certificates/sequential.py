"""Randomized smoothing that stops as early as possible: is the radius r certified? (Voráček, NeurIPS 2024)

A confidence sequence holds for all n at once, so that one may check after every draw and stop once the answer is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.certificates.statements import log_wealth, needed, require_confidence
from pdedsl.certificates.votes import Votes, groups, voting
from pdedsl.untouched import Model

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
