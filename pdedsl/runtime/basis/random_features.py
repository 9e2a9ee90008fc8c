"""Random Fourier features φⱼ(x) = sin(wⱼ·x + bⱼ), a one-layer network whose derivatives are again sines,

∂^α φⱼ = wⱼ^α sin(wⱼ·x + bⱼ + |α|π/2)   (Rahimi, Recht 2007; Dong, Li 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from math import pi
from typing import final

import torch
from torch import Tensor, nn

# ---- Random Fourier features


MultiIndex = tuple[int, ...]
"""α: how often to differentiate along each coordinate."""


@dataclass(frozen=True)
class CoordinateBox:
    """The box of the coordinates: its center, its half-widths, and which coordinates are periodic or antiperiodic."""

    center: Tensor
    half_widths: Tensor
    periodic: Tensor
    antiperiodic: Tensor | None = None


@dataclass(frozen=True)
class FourierFeatures:
    """wⱼ in the rows of `frequencies`, bⱼ in `phases`."""

    frequencies: Tensor
    phases: Tensor

    def at(self, points: Tensor) -> FourierFeatureValues:
        return FourierFeatureValues(points @ self.frequencies.T + self.phases, self.frequencies)

    def to(self, like: Tensor) -> FourierFeatures:
        return FourierFeatures(self.frequencies.to(like), self.phases.to(like))


MAX_SOBOL_DIMENSION = 3  # dimension up to which frequencies are Sobol points of a box


def sample_fourier_features(n: int, box: CoordinateBox, bandwidth: Tensor, seed: int) -> FourierFeatures:
    """w with mean 0 and standard deviation s in coordinates scaled to [-1, 1]; along periodic coordinates, integer
    multiples of the base frequency, along antiperiodic ones half-integer multiples.

    In few coordinates, Sobol points of [-√3 s, √3 s]: few of them span functions without higher frequencies. In many,
    where nearly all the volume of a box is at its corners, w ~ N(0, s²).
    """
    generator = torch.Generator().manual_seed(seed)
    k = len(box.half_widths)
    even = k <= MAX_SOBOL_DIMENSION
    w = (
        _sobol_frequencies(n, k, seed) if even else torch.randn(n, k, dtype=torch.float64, generator=generator)
    ) * bandwidth
    offset = torch.zeros(k, dtype=w.dtype) if box.antiperiodic is None else box.antiperiodic.to(w) / 2
    w = torch.where(box.periodic, pi * ((w / pi - offset).round() + offset), w) / box.half_widths
    phases = 2 * pi * torch.rand(n, dtype=torch.float64, generator=generator)
    return FourierFeatures(w, phases - w @ box.center)


def _sobol_frequencies(n: int, k: int, seed: int) -> Tensor:
    engine = torch.quasirandom.SobolEngine(k, scramble=True, seed=seed >> 8)  # type: ignore[no-untyped-call]
    drawn: Tensor = engine.draw(n, dtype=torch.float64)
    return (2 * drawn - 1) * 3**0.5


@dataclass(frozen=True)
class FourierFeatureValues:
    """The features at points (m, k): their angles (m, n), of which sines and cosines are computed as needed."""

    angle: Tensor
    frequencies: Tensor

    @cached_property
    def sine(self) -> Tensor:
        return self.angle.sin()

    @cached_property
    def cosine(self) -> Tensor:
        return self.angle.cos()

    def derivative(self, orders: MultiIndex) -> Tensor:
        """∂^α φ, (m, n)."""
        factor, of = self._factor(orders)
        return of * factor

    def values(self, orders: Sequence[MultiIndex], weights: Tensor) -> list[Tensor]:
        """Σⱼ aⱼ ∂^α φⱼ, (m,), for each α."""
        return [of @ (factor * weights) for factor, of in map(self._factor, orders)]

    def combine(self, coefficients: Sequence[Tensor], orders: Sequence[MultiIndex]) -> Tensor:
        """Σ cₐ(x) ∂^α φ, (m, n), by one matrix product for all derivatives of even order and one for the others."""
        total = torch.zeros_like(self.angle)
        for odd in (0, 1):
            own = [k for k, o in enumerate(orders) if sum(o) % 2 == odd]
            if own:
                factors, of = torch.stack([self._factor(orders[k])[0] for k in own]), self.cosine if odd else self.sine
                total.addcmul_(of, torch.stack([coefficients[k] for k in own], 1) @ factors)
        return total

    def _factor(self, orders: MultiIndex) -> tuple[Tensor, Tensor]:
        """±w^α, and the sines or cosines that it multiplies."""
        sign = -1.0 if sum(orders) % 4 in (2, 3) else 1.0
        factor = torch.full_like(self.frequencies[:, 0], sign)
        for k, order in enumerate(orders):
            if order:
                factor = factor * self.frequencies[:, k] ** order
        return factor, self.cosine if sum(orders) % 2 else self.sine


@final
class FourierFeatureModel(nn.Module):
    """u_c(x) = Σⱼ a_cj sin(wⱼ·x + bⱼ)."""

    frequencies: Tensor
    phases: Tensor
    weights: Tensor

    def __init__(self, waves: FourierFeatures, weights: Tensor) -> None:
        super().__init__()
        self.register_buffer("frequencies", waves.frequencies)
        self.register_buffer("phases", waves.phases)
        self.register_buffer("weights", weights)

    def forward(self, points: Tensor) -> Tensor:
        return torch.sin(points @ self.frequencies.T + self.phases) @ self.weights.T


# ---- Symmetrized features, even or odd about the center of some coordinates
#
# φⱼ(x) = sin(wⱼ·z + bⱼ) ∏ τₖ(wⱼₖ yₖ),   τ = cos for even and sin for odd coordinates yₖ = xₖ - mₖ, z the free ones.
#
# They span the averages of sin(w·x + b) over the reflections; as sums they are plain sines again.


ParityPattern = tuple[int, ...]
"""For each coordinate with a parity whether its function is a sine (1), and last whether the free part is a cosine."""


@dataclass(frozen=True)
class SymmetrizedFeatures:
    """`parity` is 1, -1 or 0 (free) for each coordinate."""

    frequencies: Tensor
    phases: Tensor
    center: Tensor
    parity: tuple[int, ...]

    def at(self, points: Tensor) -> SymmetrizedFeatureValues:
        return SymmetrizedFeatureValues(self, points)

    def to(self, like: Tensor) -> SymmetrizedFeatures:
        return SymmetrizedFeatures(self.frequencies.to(like), self.phases.to(like), self.center.to(like), self.parity)

    @property
    def axes_with_parity(self) -> list[int]:
        """The coordinates with a parity."""
        return [k for k, p in enumerate(self.parity) if p]

    @property
    def free(self) -> Tensor:
        """The frequencies along the free coordinates, zero along the others."""
        return self.frequencies * self.frequencies.new_tensor([float(p == 0) for p in self.parity])

    @property
    def has_free(self) -> bool:
        return 0 in self.parity

    def spread(self, weights: Tensor) -> tuple[FourierFeatures, Tensor]:
        """The same sum as plain sines: sin A cos B and sin A sin B are halves of sums of two."""
        terms = [(self.free, self.phases if self.has_free else torch.full_like(self.phases, pi / 2), weights)]
        for k in self.axes_with_parity:
            along = torch.zeros_like(self.frequencies)
            along[:, k] = self.frequencies[:, k]
            phase, sign = (0.0, 1.0) if self.parity[k] > 0 else (pi / 2, -1.0)
            shift = self.frequencies[:, k] * self.center[k]
            terms = [
                (w + s * along, b - s * shift + phase, a * (0.5 if s < 0 else 0.5 * sign))
                for w, b, a in terms
                for s in (-1.0, 1.0)
            ]
        w, b, a = zip(*terms, strict=True)
        return FourierFeatures(torch.cat(w), torch.cat(b)), torch.cat(a, -1)


@dataclass(frozen=True)
class SymmetrizedFeatureValues:
    """The features at points (m, k); products are computed once for each pattern that derivatives need."""

    waves: SymmetrizedFeatures
    points: Tensor
    _products: dict[ParityPattern, Tensor] = field(default_factory=dict)

    def values(self, orders: Sequence[MultiIndex], weights: Tensor) -> list[Tensor]:
        """Σⱼ aⱼ ∂^α φⱼ, (m,), for each α."""
        return [self._product(pattern) @ (factor * weights) for pattern, factor in map(self._factor, orders)]

    def combine(self, coefficients: Sequence[Tensor], orders: Sequence[MultiIndex]) -> Tensor:
        """Σ cₐ(x) ∂^α φ, (m, n), by one matrix product for all derivatives with the same pattern."""
        total = self.points.new_zeros(len(self.points), len(self.waves.phases))
        values = [self._factor(o) for o in orders]
        for pattern in dict.fromkeys(p for p, _ in values):
            own = [k for k, (p, _) in enumerate(values) if p == pattern]
            factors = torch.stack([values[k][1] for k in own])
            total.addcmul_(self._product(pattern), torch.stack([coefficients[k] for k in own], 1) @ factors)
        return total

    def _factor(self, orders: MultiIndex) -> tuple[ParityPattern, Tensor]:
        """∂^α turns every angle by α quarters: the functions that are left, and ±w^α."""
        parity = self.waves.parity
        quarters = [orders[k] + (0 if parity[k] < 0 else 1) for k in self.waves.axes_with_parity]  # of a sine
        last = sum(o for o, p in zip(orders, parity, strict=True) if not p)
        factor = torch.ones_like(self.waves.phases)
        for k, order in enumerate(orders):
            factor = factor * self.waves.frequencies[:, k] ** order
        for q in (*quarters, last):
            factor = -factor if q % 4 in (2, 3) else factor
        return (*(1 - q % 2 for q in quarters), last % 2), factor

    def _product(self, pattern: ParityPattern) -> Tensor:
        if pattern not in self._products:
            waves = self.waves
            product = None
            if waves.has_free:
                angle = self.points @ waves.free.T + waves.phases
                product = angle.cos() if pattern[-1] else angle.sin()
            for k, sine in zip(waves.axes_with_parity, pattern, strict=False):
                angle = (self.points[:, k, None] - waves.center[k]) * waves.frequencies[:, k]
                part = angle.sin() if sine else angle.cos()
                product = part if product is None else product * part
            assert product is not None
            self._products[pattern] = product
        return self._products[pattern]


# ---- Permutation-invariant features: averages over permutations of the coordinates,
#
# φⱼ(x) = mean over π of sin(wⱼ·y + bⱼ) with yᵢ = x_π(i).


MAX_CHUNK_SIZE = 2**17  # elements at a time, to fit in cache


@dataclass(frozen=True)
class PermutationInvariantFeatures:
    waves: FourierFeatures

    @property
    def phases(self) -> Tensor:
        return self.waves.phases

    @cached_property
    def permuted(self) -> FourierFeatures:
        """The sines for all permutations, one after another: wᵢ belongs to x_π(i)."""
        w = self.waves.frequencies
        places = [torch.tensor(p).argsort().to(w.device) for p in permutations(range(w.shape[1]))]
        return FourierFeatures(torch.cat([w[:, p] for p in places]), self.phases.repeat(len(places)))

    def at(self, points: Tensor) -> PermutationInvariantFeatureValues:
        return PermutationInvariantFeatureValues(self, points)

    def to(self, like: Tensor) -> PermutationInvariantFeatures:
        return PermutationInvariantFeatures(self.waves.to(like))

    def spread(self, weights: Tensor) -> tuple[FourierFeatures, Tensor]:
        """The same sum as plain sines."""
        count = len(self.permuted.phases) // len(self.phases)
        return self.permuted, weights.repeat(1, count) / count


@dataclass(frozen=True)
class PermutationInvariantFeatureValues:
    """The features at points (m, k)."""

    waves: PermutationInvariantFeatures
    points: Tensor

    @property
    def _size(self) -> int:
        return max(1, MAX_CHUNK_SIZE // len(self.waves.permuted.phases))

    def values(self, orders: Sequence[MultiIndex], weights: Tensor) -> list[Tensor]:
        """Σⱼ aⱼ ∂^α φⱼ, (m,), for each α."""
        plain, (spread,) = self.waves.permuted, self.waves.spread(weights[None])[1]
        parts = [plain.at(x).values(orders, spread) for x in torch.split(self.points, self._size)]
        return [torch.cat(column) for column in zip(*parts, strict=True)]

    def combine(self, coefficients: Sequence[Tensor], orders: Sequence[MultiIndex]) -> Tensor:
        """Σ cₐ(x) ∂^α φ, (m, n)."""
        parts = zip(*(torch.split(t, self._size) for t in (self.points, *coefficients)), strict=True)
        sums = [self.waves.permuted.at(x).combine(c, orders) for x, *c in parts]
        return torch.cat([f.reshape(len(f), -1, len(self.waves.phases)).mean(1) for f in sums])
