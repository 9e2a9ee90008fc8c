"""MUSCL finite-volume scheme: limited linear reconstruction in each cell and a numerical flux at each face.

MUSCL with the van Leer limiter (van Leer 1979), the Rusanov flux (1961), and the strong-stability-preserving
Runge-Kutta method of Shu and Osher (1988).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

CellRate = Callable[[Tensor, float], Tensor]


def van_leer_limiter(left: Tensor, right: Tensor) -> Tensor:
    """Van Leer limiter: the harmonic mean of two differences of the same sign, and zero otherwise."""
    product = left * right
    total = left + right
    safe = torch.where(product > 0, total, torch.ones_like(total))
    return torch.where(product > 0, 2 * product / safe, torch.zeros_like(total))


def reconstruct_faces(padded: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Values on both sides of the n + 1 faces of n cells, from the cells and two ghost cells at each end."""
    gaps = padded.diff(dim=dim)
    size = gaps.shape[dim]
    slopes = van_leer_limiter(gaps.narrow(dim, 0, size - 1), gaps.narrow(dim, 1, size - 1)) / 2
    inner = padded.narrow(dim, 1, size - 1)
    return (inner + slopes).narrow(dim, 0, size - 2), (inner - slopes).narrow(dim, 1, size - 2)


def rusanov_flux(left: Tensor, right: Tensor, flux: tuple[Tensor, Tensor], speed: Tensor) -> Tensor:
    """Rusanov (local Lax-Friedrichs) flux: the mean flux, with numerical diffusion by the maximum wave speed."""
    return (flux[0] + flux[1] - speed * (right - left)) / 2


def ssprk3_step(rate: CellRate, w: Tensor, time: float, h: float) -> Tensor:
    """SSPRK3: convex combinations of Euler steps, of order three."""
    first = w + h * rate(w, time)
    second = 0.75 * w + 0.25 * (first + h * rate(first, time + h))
    return w / 3 + 2 / 3 * (second + h * rate(second, time + h / 2))
