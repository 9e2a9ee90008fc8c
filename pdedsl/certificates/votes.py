"""Votes of a model on noisy copies of many samples, in full batches and in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

import torch
from torch import Tensor

from pdedsl.samples import read_scores
from pdedsl.untouched import Model, modules_of, untouched

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
        return read_scores(self.model(noisy.add_(self.x[rows])), len(rows)).argmax(1)

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
    with torch.no_grad(), untouched(modules_of(model), seed):
        yield Votes(model, x.detach(), sigma, batch, torch.Generator(x.device).manual_seed(seed))


def groups(n: int, device: torch.device) -> tuple[Tensor, ...]:
    return torch.split(torch.arange(n, device=device), GROUP) if n else ()
