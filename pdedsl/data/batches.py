"""The order in which training sees its samples: an endless stream of permutations, cut into batches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import torch
from torch import Tensor

from pdedsl.runtime.rng import generator

_ORDER = crc32(b"order")  # separates these permutations from everything else that is drawn from the seed


@dataclass(frozen=True)
class Order:
    """Position k of the stream is element k mod n of the permutation of pass k div n; a batch may straddle passes.

    A pure function of (seed, n, position), so a run resumes exactly, and the stream is the same for every batch size.
    """

    seed: int
    n: int
    batch: int

    def __post_init__(self) -> None:
        if self.n < 1 or self.batch < 1:
            raise ValueError(f"an order needs samples and a batch, found n={self.n}, batch={self.batch}")

    def at(self, step: int) -> Tensor:
        """The indices of batch number `step`, counted from 0: int64, exactly `batch` of them."""
        position, end = step * self.batch, (step + 1) * self.batch
        parts: list[Tensor] = []
        while position < end:
            number, start = divmod(position, self.n)
            parts.append(_permutation(self.seed, self.n, number)[start : start + end - position])
            position += len(parts[-1])
        return torch.cat(parts)


@lru_cache(maxsize=2)  # a pass lasts for many batches
def _permutation(seed: int, n: int, number: int) -> Tensor:
    return torch.randperm(n, generator=generator(torch.device("cpu"), _ORDER, seed, number))
