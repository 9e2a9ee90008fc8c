"""φ₀(z) = eᶻ and φₖ(z) = Σ zʲ / (j + k)!, of numbers or of matrices: the weights of exponential integrators.

No cancellation: a series near 0, and beyond it φₖ(2z) = 2⁻ᵏ (φ₀(z) φₖ(z) + Σ_{j=1..k} φⱼ(z) / (k - j)!)
(Skaflestad and Wright 2009).
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, factorial, log2

import torch
from torch import Tensor

TERMS = 16  # 2⁻¹⁶ / 16! is below rounding
Product = Callable[[Tensor, Tensor], Tensor]


def phis(z: Tensor, count: int, *, matrices: bool = False) -> list[Tensor]:
    """φ₀ … φ_count of every entry of z, or of every matrix in its last two dimensions."""
    product: Product = torch.matmul if matrices else torch.mul
    one = torch.eye(z.shape[-1], dtype=z.dtype, device=z.device).expand_as(z) if matrices else torch.ones_like(z)
    doublings = _doublings(z, matrices)
    found = _series(z / 2**doublings, one, count, product)
    for _ in range(doublings):
        found = [_doubled(found, k, product) for k in range(count + 1)]
    return found


def _doublings(z: Tensor, matrices: bool) -> int:
    sizes = torch.linalg.matrix_norm(z.detach(), ord=1) if matrices else z.detach().abs()
    largest = float(sizes.max())
    return max(0, ceil(log2(largest)) + 1) if largest > 0 else 0


def _series(z: Tensor, one: Tensor, count: int, product: Product) -> list[Tensor]:
    powers = [one]
    for _ in range(TERMS):
        powers.append(product(powers[-1], z))
    return [
        sum((p * (1 / factorial(j + k)) for j, p in enumerate(powers)), torch.zeros_like(z)) for k in range(count + 1)
    ]


def _doubled(found: list[Tensor], k: int, product: Product) -> Tensor:
    rest = sum((found[j] / factorial(k - j) for j in range(1, k + 1)), torch.zeros_like(found[0]))
    twice = product(found[0], found[k]) + rest
    return twice * 0.5**k
