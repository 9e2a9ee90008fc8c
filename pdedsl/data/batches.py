"""Mini-batches: samples are reshuffled every epoch; there are no partial batches, the last batch of an epoch is
completed from the next one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import torch
from torch import Tensor

from pdedsl.runtime.rng import generator

_ORDER = crc32(b"order")  # key of these random numbers


@dataclass(frozen=True)
class BatchOrder:
    """Position k of the sequence is element k mod n of the permutation of epoch k div n.

    A pure function of (seed, n, position), so that runs resume exactly, and the order is the same for every batch size.
    """

    seed: int
    n: int
    batch: int

    def __post_init__(self) -> None:
        if self.n < 1 or self.batch < 1:
            raise ValueError(f"n and batch must be positive, got n={self.n}, batch={self.batch}")

    def at(self, step: int) -> Tensor:
        """The indices of batch number `step` (from 0), int64, shape (batch,)."""
        position, end = step * self.batch, (step + 1) * self.batch
        parts: list[Tensor] = []
        while position < end:
            number, start = divmod(position, self.n)
            parts.append(_permutation(self.seed, self.n, number)[start : start + end - position])
            position += len(parts[-1])
        return torch.cat(parts)


@lru_cache(maxsize=2)  # an epoch has many batches
def _permutation(seed: int, n: int, number: int) -> Tensor:
    return torch.randperm(n, generator=generator(torch.device("cpu"), _ORDER, seed, number))
