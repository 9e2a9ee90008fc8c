"""Sines averaged over permutations of the coordinates: what a solution that does not change with them is made of,

φⱼ(x) = mean over π of sin(wⱼ·y + bⱼ) with yᵢ = x_π(i).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import torch
from torch import Tensor

from pdedsl.runtime.sines import Orders, Waves

NUMBERS = 2**17  # at a time: as many as a cache holds


@dataclass(frozen=True)
class Shuffled:
    waves: Waves

    @property
    def phases(self) -> Tensor:
        return self.waves.phases

    @cached_property
    def every(self) -> Waves:
        """The sines for all permutations, one after another: wᵢ belongs to x_π(i)."""
        w = self.waves.frequencies
        places = [torch.tensor(p).argsort().to(w.device) for p in permutations(range(w.shape[1]))]
        return Waves(torch.cat([w[:, p] for p in places]), self.phases.repeat(len(places)))

    def at(self, points: Tensor) -> ShuffledAt:
        return ShuffledAt(self, points)

    def to(self, like: Tensor) -> Shuffled:
        return Shuffled(self.waves.to(like))

    def spread(self, weights: Tensor) -> tuple[Waves, Tensor]:
        """The same sum as plain sines."""
        count = len(self.every.phases) // len(self.phases)
        return self.every, weights.repeat(1, count) / count


@dataclass(frozen=True)
class ShuffledAt:
    """The features at points (m, k)."""

    waves: Shuffled
    points: Tensor

    @property
    def _size(self) -> int:
        return max(1, NUMBERS // len(self.waves.every.phases))

    def values(self, orders: Sequence[Orders], weights: Tensor) -> list[Tensor]:
        """Σⱼ aⱼ ∂^α φⱼ, (m,), for each α."""
        plain, (spread,) = self.waves.every, self.waves.spread(weights[None])[1]
        parts = [plain.at(x).values(orders, spread) for x in torch.split(self.points, self._size)]
        return [torch.cat(column) for column in zip(*parts, strict=True)]

    def combined(self, coefficients: Sequence[Tensor], orders: Sequence[Orders]) -> Tensor:
        """Σ cₐ(x) ∂^α φ, (m, n)."""
        parts = zip(*(torch.split(t, self._size) for t in (self.points, *coefficients)), strict=True)
        found = [self.waves.every.at(x).combined(c, orders) for x, *c in parts]
        return torch.cat([f.reshape(len(f), -1, len(self.waves.phases)).mean(1) for f in found])
