"""Counter-based random numbers of a training step, keyed by (seed, step, purpose, sample index).

There is no state, so that a run resumes exactly, and results do not depend on the number of processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import torch
from torch import Tensor

from pdedsl.runtime.rng import NoiseLaw, fill_rows, hash_words


@dataclass(frozen=True)
class KeyedRng:
    """Random numbers of step `step` for the rows `row`, `row` + 1, … of the batch."""

    seed: int
    step: int
    row: int = 0

    def like(self, x: Tensor, purpose: str, law: NoiseLaw = "normal", copies: int = 1) -> Tensor:
        """Independent numbers in the shape of x for each of `copies`: (copies · n, …), all rows of copy 1 first."""
        parts = [self._rows(x, list(x.shape), purpose, law, k) for k in range(copies)]
        return parts[0] if copies == 1 else torch.cat(parts)

    def numbers(self, x: Tensor, purpose: str, law: NoiseLaw = "uniform", each: int = 1) -> Tensor:
        """`each` numbers for each row of x: (n, each)."""
        return self._rows(x, [x.shape[0], each], purpose, law, 0)

    def _rows(self, x: Tensor, shape: list[int], purpose: str, law: NoiseLaw, copy: int) -> Tensor:
        out = torch.empty(shape, dtype=x.dtype, device=x.device)
        if not x.is_meta:
            fill_rows(out, law, self.row, hash_words(self.seed, self.step), crc32(purpose.encode()), copy)
        return out
