"""Chebyshev points, their polynomials, and matrices that differentiate values at them (Trefethen 2000, ch. 6)."""

from __future__ import annotations

from math import pi

import torch
from torch import Tensor


def chebyshev_points(n: int, like: Tensor) -> Tensor:
    """The n extrema of T_{n-1} on [-1, 1], in increasing order, symmetric to the last digit."""
    k = torch.arange(n, dtype=like.dtype, device=like.device)
    return torch.sin(pi * (2 * k - (n - 1)) / (2 * (n - 1)))


def differentiation_matrix(n: int, like: Tensor) -> Tensor:
    """Row j gives p′(xⱼ) from the values of p; by its diagonal, constants vanish exactly (Baltensperger 2000)."""
    angle = pi * torch.arange(n, dtype=like.dtype, device=like.device) / (2 * (n - 1))
    # xᵢ - xⱼ as a product of sines: no cancellation between nearby points
    gaps = 2 * torch.sin(angle[:, None] + angle[None, :]) * torch.sin(angle[:, None] - angle[None, :])
    signs = (-1.0) ** torch.arange(n, dtype=like.dtype, device=like.device)
    weights = signs.clone()
    weights[0], weights[-1] = 2 * signs[0], 2 * signs[-1]
    diagonal = torch.eye(n, dtype=torch.bool, device=like.device)
    matrix = torch.where(
        diagonal, torch.zeros_like(gaps), weights[:, None] / weights[None, :] / torch.where(diagonal, 1.0, gaps)
    )
    return matrix - torch.diag(matrix.sum(1))


def extrapolation_matrix(n: int, like: Tensor) -> Tensor:
    """Row j gives p(xⱼ), p being the polynomial of degree n - 3 through the values at the inner n - 2 of n points."""
    x = chebyshev_points(n, like)
    inner, k = x[1:-1], torch.arange(1, n - 1, dtype=like.dtype, device=like.device)
    weights = (-1.0) ** k * (1 - inner.square())  # of the barycentric formula: the inner points are zeros of U_{n-2}
    matrix = torch.zeros(n, n, dtype=like.dtype, device=like.device)
    matrix[1:-1, 1:-1] = torch.eye(n - 2, dtype=like.dtype, device=like.device)
    for row in (0, n - 1):
        terms = weights / (x[row] - inner)
        matrix[row, 1:-1] = terms / terms.sum()
    return matrix


def chebyshev_polynomials(x: Tensor, n: int) -> Tensor:
    """T₀ … T_{n-1} at x, by their recurrence, which is smooth even at the ends."""
    polynomials = [torch.ones_like(x), x]
    while len(polynomials) < n:
        polynomials.append(2 * x * polynomials[-1] - polynomials[-2])
    return torch.stack(polynomials[:n], dim=-1)


def chebyshev_coefficients(values: Tensor, dim: int) -> Tensor:
    """The coefficients of T₀ … for the polynomial with these values at the points, along one dimension."""
    n = values.shape[dim]
    k = torch.arange(n, dtype=values.dtype, device=values.device)
    cosines = torch.cos(pi * k[:, None] * (n - 1 - k)[None, :] / (n - 1))
    halves = torch.ones_like(k)
    halves[0] = halves[-1] = 0.5
    matrix = cosines * halves[:, None] * halves[None, :] * (2 / (n - 1))
    return torch.movedim(torch.tensordot(matrix, values, dims=([1], [dim])), 0, dim)
