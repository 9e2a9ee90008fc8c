"""Random sine features φⱼ(x) = sin(wⱼ·x + bⱼ): a network of one layer whose derivatives are again sines,

∂^α φⱼ = wⱼ^α sin(wⱼ·x + bⱼ + |α|π/2)   (Rahimi, Recht 2007; Dong, Li 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import final

import torch
from torch import Tensor, nn

Orders = tuple[int, ...]
"""α: how often to differentiate along each coordinate."""


@dataclass(frozen=True)
class Sides:
    """The box of the coordinates: its middle, its half-lengths, and which of its sides are joined."""

    middle: Tensor
    half: Tensor
    joined: Tensor


@dataclass(frozen=True)
class Waves:
    """wⱼ in the rows of `frequencies`, bⱼ in `phases`."""

    frequencies: Tensor
    phases: Tensor

    def at(self, points: Tensor) -> WavesAt:
        return WavesAt(points @ self.frequencies.T + self.phases, self.frequencies)

    def to(self, like: Tensor) -> Waves:
        return Waves(self.frequencies.to(like), self.phases.to(like))


FEW = 3  # number of coordinates up to which frequencies fill a box evenly


def random_waves(n: int, sides: Sides, bandwidth: Tensor, seed: int) -> Waves:
    """w with mean 0 and standard deviation s in coordinates scaled to [-1, 1]; whole periods along joined sides.

    In few coordinates, Sobol points of [-√3 s, √3 s]: few of them span functions without higher frequencies. In many,
    where nearly all the volume of a box is at its corners, w ~ N(0, s²).
    """
    generator = torch.Generator().manual_seed(seed)
    k = len(sides.half)
    even = k <= FEW
    w = (_even(n, k, seed) if even else torch.randn(n, k, dtype=torch.float64, generator=generator)) * bandwidth
    w = torch.where(sides.joined, pi * (w / pi).round(), w) / sides.half
    phases = 2 * pi * torch.rand(n, dtype=torch.float64, generator=generator)
    return Waves(w, phases - w @ sides.middle)


def _even(n: int, k: int, seed: int) -> Tensor:
    engine = torch.quasirandom.SobolEngine(k, scramble=True, seed=seed >> 8)  # type: ignore[no-untyped-call]
    drawn: Tensor = engine.draw(n, dtype=torch.float64)
    return (2 * drawn - 1) * 3**0.5


@dataclass(frozen=True)
class WavesAt:
    """The features at points (m, k): their angles (m, n), of which sines and cosines are computed as needed."""

    angle: Tensor
    frequencies: Tensor

    @cached_property
    def sine(self) -> Tensor:
        return self.angle.sin()

    @cached_property
    def cosine(self) -> Tensor:
        return self.angle.cos()

    def derivative(self, orders: Orders) -> Tensor:
        """∂^α φ, (m, n)."""
        factor, of = self._factor(orders)
        return of * factor

    def values(self, orders: Sequence[Orders], weights: Tensor) -> list[Tensor]:
        """Σⱼ aⱼ ∂^α φⱼ, (m,), for each α."""
        return [of @ (factor * weights) for factor, of in map(self._factor, orders)]

    def combined(self, coefficients: Sequence[Tensor], orders: Sequence[Orders]) -> Tensor:
        """Σ cₐ(x) ∂^α φ, (m, n), by one matrix product for all derivatives of even order and one for the others."""
        total = torch.zeros_like(self.angle)
        for odd in (0, 1):
            own = [k for k, o in enumerate(orders) if sum(o) % 2 == odd]
            if own:
                factors, of = torch.stack([self._factor(orders[k])[0] for k in own]), self.cosine if odd else self.sine
                total.addcmul_(of, torch.stack([coefficients[k] for k in own], 1) @ factors)
        return total

    def _factor(self, orders: Orders) -> tuple[Tensor, Tensor]:
        """±w^α, and the sines or cosines that it multiplies."""
        sign = -1.0 if sum(orders) % 4 in (2, 3) else 1.0
        factor = torch.full_like(self.frequencies[:, 0], sign)
        for k, order in enumerate(orders):
            if order:
                factor = factor * self.frequencies[:, k] ** order
        return factor, self.cosine if sum(orders) % 2 else self.sine


@final
class SineNetwork(nn.Module):
    """u_c(x) = Σⱼ a_cj sin(wⱼ·x + bⱼ)."""

    frequencies: Tensor
    phases: Tensor
    weights: Tensor

    def __init__(self, waves: Waves, weights: Tensor) -> None:
        super().__init__()
        self.register_buffer("frequencies", waves.frequencies)
        self.register_buffer("phases", waves.phases)
        self.register_buffer("weights", weights)

    def forward(self, points: Tensor) -> Tensor:
        return torch.sin(points @ self.frequencies.T + self.phases) @ self.weights.T
