"""Fourier series on periodic boxes: modes, derivatives, and values on finer grids for dealiasing.

An axis of n points has the modes |k| < n/2: without the one at n/2, whose odd derivatives are not real functions.
Coefficients are complex, of shape (..., K, …, K, h): all modes of each axis, but only k ≥ 0 on the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import pi, prod

import torch
from torch import Tensor

MIN_PLANNED_SIZE = 512  # points from which planning a transform takes longer than the transform


@dataclass(frozen=True)
class FourierAxis:
    """The periodic interval [start, start + period), and the modes |k| < half."""

    start: float
    period: float
    half: int

    @property
    def modes(self) -> int:
        return 2 * self.half - 1


@dataclass(frozen=True)
class FourierGrid:
    """A periodic box, and a finer grid for products, with at least `fine` points for each of `half` modes."""

    axes: tuple[FourierAxis, ...]
    fine: int
    like: Tensor

    @cached_property
    def dimension(self) -> int:
        return len(self.axes)

    @cached_property
    def dims(self) -> tuple[int, ...]:
        return tuple(range(-self.dimension, 0))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        least = [self.fine * r.half for r in self.axes]
        return tuple(least) if self.dimension > 1 else (_fast_length(least[0]),)

    def points(self) -> list[Tensor]:
        """The coordinates of the fine grid, each in a shape that broadcasts."""
        return [
            self._along(k, r.start + r.period * self._count_from_zero(m) / m)
            for k, (r, m) in enumerate(zip(self.axes, self.sizes, strict=True))
        ]

    def frequencies(self) -> list[Tensor]:
        """2π k / period, each in a shape that broadcasts."""
        return [self._along(k, self._wave_numbers(k) * (2 * pi / r.period)) for k, r in enumerate(self.axes)]

    def derivative(self, orders: tuple[int, ...]) -> Tensor:
        """∏ (i κ)^α, on the modes."""
        factors = [(1j * f) ** a for f, a in zip(self.frequencies(), orders, strict=True)]
        return prod(factors[1:], start=factors[0])

    def multiplier(self, orders: tuple[int, ...], power: float) -> Tensor:
        """∏ (i κ)^α · |κ|²ˢ: the symbol of ∂^α (-Δ)ˢ, on the modes."""
        symbol = self.derivative(orders)
        return symbol * sum(f**2 for f in self.frequencies()) ** power if power else symbol

    def values(self, coefficients: Tensor) -> Tensor:
        """The values on the fine grid."""
        padded = coefficients
        for dim, axis, size in zip(self.dims[:-1], self.axes, self.sizes, strict=False):
            padded = _pad_modes(padded, dim, axis.half, size)  # the transform itself pads the last axis
        values: Tensor = torch.fft.irfftn(padded, s=self.sizes, dim=self.dims, norm="forward")
        return values

    def coefficients(self, values: Tensor) -> Tensor:
        """The coefficients of values on the fine grid, truncated to the modes."""
        # MKL of older versions of torch refuses values that are one number for all points.
        spectrum: Tensor = torch.fft.rfftn(values.contiguous(), dim=self.dims, norm="forward")
        for dim, axis in zip(self.dims, self.axes, strict=True):
            spectrum = _truncate_modes(spectrum, dim, axis.half)
        return spectrum

    def _wave_numbers(self, k: int) -> Tensor:
        half = self.axes[k].half
        nonnegative = self._count_from_zero(half)
        return nonnegative if k == self.dimension - 1 else torch.cat([nonnegative, -nonnegative[1:].flip(0)])

    def _along(self, k: int, values: Tensor) -> Tensor:
        return values.reshape([-1 if j == k else 1 for j in range(self.dimension)])

    def _count_from_zero(self, n: int) -> Tensor:
        return torch.arange(n, dtype=self.like.dtype, device=self.like.device)


def _fast_length(least: int) -> int:
    """The smallest length from here on for which a single FFT is fast: MKL plans each one again, and planning many
    points without a prime factor above 7 takes several times as long as the transform itself."""
    if least < MIN_PLANNED_SIZE:
        return least
    return next(n for n in count(least) if any(n % p == 0 and _is_smooth(n // p) for p in (44, 52)))


def _is_smooth(n: int) -> bool:
    """Whether 2, 3, 5 and 7 are its only prime factors."""
    return pow(210, n.bit_length(), n) == 0


def _pad_modes(coefficients: Tensor, axis: int, half: int, size: int) -> Tensor:
    shape = list(coefficients.shape)
    shape[axis] = size - (2 * half - 1)
    zeros = coefficients.new_zeros(shape)
    low, high = coefficients.narrow(axis, 0, half), coefficients.narrow(axis, half, coefficients.shape[axis] - half)
    return torch.cat([low, zeros, high], dim=axis)


def _truncate_modes(coefficients: Tensor, axis: int, half: int) -> Tensor:
    low = coefficients.narrow(axis, 0, half)
    if axis == -1:
        return low
    high = coefficients.narrow(axis, coefficients.shape[axis] - half + 1, half - 1)
    return torch.cat([low, high], dim=axis)
