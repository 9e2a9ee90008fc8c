"""Collocation points in boxes, in subsets of boxes, and on level sets F = 0, determined by a seed.

Scrambled Sobol points (Joe, Kuo 2008; Owen 1998) fill a box evenly; with the density of Chebyshev's nodes,
1/(π√(1 - ξ²)), they are dense near its boundary, where errors of polynomials and of low-frequency sines are largest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import pi

import torch
from torch import Tensor

PointFilter = Callable[[Tensor], Tensor]
"""Which of the points (n, k) are accepted: (n,), true or false."""

MAX_CANDIDATES = 2**18  # candidates after which rejection sampling ends
MAX_NEWTON_STEPS = 30  # Newton steps towards a level set
LEVEL_SET_RTOL = 1e-12  # |F| that counts as zero, relative to the values of F in the box


class PointDistribution(Enum):
    """Distribution of points in a box."""

    SOBOL = "sobol"
    UNIFORM = "uniform"
    CHEBYSHEV = "chebyshev"


class NoPointsFound(Exception):
    """Rejection sampling found no point."""


@dataclass(frozen=True)
class SamplingBox:
    """The product of intervals [low, high], with points on the CPU in float64, the same on every device."""

    low: Tensor
    high: Tensor
    periodic: tuple[bool, ...]  # periodic coordinates need no extra points near the ends

    def without(self, k: int) -> SamplingBox:
        """The box without coordinate k, for a face on which it is fixed."""
        rest = [i for i in range(len(self.low)) if i != k]
        return SamplingBox(self.low[rest], self.high[rest], tuple(self.periodic[i] for i in rest))

    def source(self, law: PointDistribution, seed: int) -> Callable[[int], Tensor]:
        """A function that draws the next n points of a sequence."""
        unit = _unit_cube_source(len(self.low), law, seed)

        def draw(n: int) -> Tensor:
            unit_points = unit(n)
            if law is PointDistribution.CHEBYSHEV:
                unit_points = torch.where(
                    torch.tensor(self.periodic, dtype=torch.bool), unit_points, (1 - torch.cos(pi * unit_points)) / 2
                )
            return self.low + (self.high - self.low) * unit_points

        return draw


def _unit_cube_source(dimension: int, law: PointDistribution, seed: int) -> Callable[[int], Tensor]:
    if dimension == 0:
        return lambda n: torch.empty(n, 0, dtype=torch.float64)
    if law is PointDistribution.UNIFORM:
        generator = torch.Generator().manual_seed(seed)
        return lambda n: torch.rand(n, dimension, dtype=torch.float64, generator=generator)
    engine = torch.quasirandom.SobolEngine(dimension, scramble=True, seed=seed)  # type: ignore[no-untyped-call]
    return lambda n: engine.draw(n, dtype=torch.float64)


def rejection_sample(draw: Callable[[int], Tensor], accept: PointFilter, n: int) -> Tensor:
    """The first n accepted points; fewer if they are rare, and an error if there are none."""
    accepted: list[Tensor] = []
    count, size = 0, n
    while count < n and size < max(MAX_CANDIDATES, 16 * n):
        points = draw(size)
        size *= 2
        accepted.append(points[accept(points)])
        count += len(accepted[-1])
    if not count:
        raise NoPointsFound
    return torch.cat(accepted)[:n]


def project_to_level_set(level: Callable[[Tensor], Tensor], points: Tensor, moved: Tensor) -> tuple[Tensor, Tensor]:
    """Points moved along ∇F, in the coordinates that may be `moved`, to where F = 0, and which of them arrived.

    Newton's method along the gradient: x ← x - F ∇F/|∇F|².
    """
    size = level(points).abs().max().clamp_min(torch.finfo(points.dtype).tiny)
    x = points
    for _ in range(MAX_NEWTON_STEPS):
        value, gradient = _value_and_gradient(level, x)
        gradient = gradient * moved
        x = x - (value / gradient.square().sum(-1).clamp_min(1e-300))[:, None] * gradient
        if bool((value.abs() <= LEVEL_SET_RTOL * size).all()):
            break
    x = torch.where(x.isfinite(), x, points)
    return x, level(x).abs() <= LEVEL_SET_RTOL * size


def _value_and_gradient(level: Callable[[Tensor], Tensor], x: Tensor) -> tuple[Tensor, Tensor]:
    x = x.detach().requires_grad_()
    value = level(x)
    if not value.requires_grad:
        return value.detach(), torch.zeros_like(x)
    (gradient,) = torch.autograd.grad(value.sum(), x)
    return value.detach(), gradient
