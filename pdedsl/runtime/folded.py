"""Sines that are even or odd about the middle of some coordinates: products of functions of one coordinate each,

φⱼ(x) = sin(wⱼ·z + bⱼ) ∏ τₖ(wⱼₖ yₖ),   τ = cos for even and sin for odd coordinates yₖ = xₖ - mₖ, z the free ones.

They span what is left of sin(w·x + b) when it is averaged over the reflections; as sums they are plain sines again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import pi

import torch
from torch import Tensor

from pdedsl.runtime.sines import Orders, Waves

Pattern = tuple[int, ...]
"""For each coordinate with a parity whether its function is a sine (1), and last whether the free part is a cosine."""


@dataclass(frozen=True)
class Folded:
    """`parity` is 1, -1 or 0 (free) for each coordinate."""

    frequencies: Tensor
    phases: Tensor
    middle: Tensor
    parity: tuple[int, ...]

    def at(self, points: Tensor) -> FoldedAt:
        return FoldedAt(self, points)

    def to(self, like: Tensor) -> Folded:
        return Folded(self.frequencies.to(like), self.phases.to(like), self.middle.to(like), self.parity)

    @property
    def own(self) -> list[int]:
        """The coordinates with a parity."""
        return [k for k, p in enumerate(self.parity) if p]

    @property
    def free(self) -> Tensor:
        """The frequencies along the free coordinates, zero along the others."""
        return self.frequencies * self.frequencies.new_tensor([float(p == 0) for p in self.parity])

    @property
    def has_free(self) -> bool:
        return 0 in self.parity

    def spread(self, weights: Tensor) -> tuple[Waves, Tensor]:
        """The same sum as plain sines: sin A cos B and sin A sin B are halves of sums of two."""
        terms = [(self.free, self.phases if self.has_free else torch.full_like(self.phases, pi / 2), weights)]
        for k in self.own:
            along = torch.zeros_like(self.frequencies)
            along[:, k] = self.frequencies[:, k]
            turn, sign = (0.0, 1.0) if self.parity[k] > 0 else (pi / 2, -1.0)
            shift = self.frequencies[:, k] * self.middle[k]
            terms = [
                (w + s * along, b - s * shift + turn, a * (0.5 if s < 0 else 0.5 * sign))
                for w, b, a in terms
                for s in (-1.0, 1.0)
            ]
        w, b, a = zip(*terms, strict=True)
        return Waves(torch.cat(w), torch.cat(b)), torch.cat(a, -1)


@dataclass(frozen=True)
class FoldedAt:
    """The features at points (m, k); products are computed once for each pattern that derivatives need."""

    waves: Folded
    points: Tensor
    _kept: dict[Pattern, Tensor] = field(default_factory=dict)

    def values(self, orders: Sequence[Orders], weights: Tensor) -> list[Tensor]:
        """Σⱼ aⱼ ∂^α φⱼ, (m,), for each α."""
        return [self._product(pattern) @ (factor * weights) for pattern, factor in map(self._factor, orders)]

    def combined(self, coefficients: Sequence[Tensor], orders: Sequence[Orders]) -> Tensor:
        """Σ cₐ(x) ∂^α φ, (m, n), by one matrix product for all derivatives with the same pattern."""
        total = self.points.new_zeros(len(self.points), len(self.waves.phases))
        found = [self._factor(o) for o in orders]
        for pattern in dict.fromkeys(p for p, _ in found):
            own = [k for k, (p, _) in enumerate(found) if p == pattern]
            factors = torch.stack([found[k][1] for k in own])
            total.addcmul_(self._product(pattern), torch.stack([coefficients[k] for k in own], 1) @ factors)
        return total

    def _factor(self, orders: Orders) -> tuple[Pattern, Tensor]:
        """∂^α turns every angle by α quarters: the functions that are left, and ±w^α."""
        parity = self.waves.parity
        quarters = [orders[k] + (0 if parity[k] < 0 else 1) for k in self.waves.own]  # of a sine
        last = sum(o for o, p in zip(orders, parity, strict=True) if not p)
        factor = torch.ones_like(self.waves.phases)
        for k, order in enumerate(orders):
            factor = factor * self.waves.frequencies[:, k] ** order
        for q in (*quarters, last):
            factor = -factor if q % 4 in (2, 3) else factor
        return (*(1 - q % 2 for q in quarters), last % 2), factor

    def _product(self, pattern: Pattern) -> Tensor:
        if pattern not in self._kept:
            waves = self.waves
            found = None
            if waves.has_free:
                angle = self.points @ waves.free.T + waves.phases
                found = angle.cos() if pattern[-1] else angle.sin()
            for k, sine in zip(waves.own, pattern, strict=False):
                angle = (self.points[:, k, None] - waves.middle[k]) * waves.frequencies[:, k]
                part = angle.sin() if sine else angle.cos()
                found = part if found is None else found * part
            assert found is not None
            self._kept[pattern] = found
        return self._kept[pattern]
