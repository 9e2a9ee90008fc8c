"""The fractional Laplacian (-Δ)ˢ on periodic boxes, by its Fourier symbol |κ|²ˢ (Stein 1970, section V.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi

import torch
from torch import Tensor

POINTS = {1: 128, 2: 32, 3: 16}  # per axis, by the dimension: a smooth function has decayed coefficients


def fractional_laplacian(
    function: Callable[[Tensor], Tensor], points: Tensor, power: float, periods: Sequence[float]
) -> Tensor:
    """(-Δ)ˢ of a periodic function at points (p, d), or (p, d + 1) with the time, as Σⱼ wⱼ u(x + jh).

    The weights are the inverse Fourier transform of the even function |κ|²ˢ, on a grid that starts at the point.

    The function maps points to values (p,).
    """
    dimension = len(periods)
    n = POINTS[dimension]
    counts = torch.fft.fftfreq(n, 1 / n, dtype=points.dtype, device=points.device)
    squares = points.new_zeros(())
    for k, period in enumerate(periods):
        squares = squares + (2 * pi * counts / period).square().reshape([-1 if j == k else 1 for j in range(dimension)])
    weights = torch.fft.ifftn(squares**power).real.reshape(-1)
    steps = [period * torch.arange(n, dtype=points.dtype, device=points.device) / n for period in periods]
    shifts = torch.stack([c.reshape(-1) for c in torch.meshgrid(*steps, indexing="ij")], -1)
    total = torch.zeros_like(points[:, 0])
    for shift, weight in zip(shifts, weights, strict=True):
        moved = points.clone()
        moved[:, :dimension] += shift
        total = total + weight * function(moved)
    return total
