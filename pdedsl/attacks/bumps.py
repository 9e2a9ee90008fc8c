"""Square for ℓ2 on images: perturbation mass moves between windows, shaped by bumps (Algorithm 3 of the paper)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.layout import column
from pdedsl.attacks.norms import L2


def bump(height: int, width: int) -> Tensor:
    """Σ_{k ≥ r} 1/(k + 1)² at the distance r (in ℓ∞) from the middle: largest in the middle, never 0."""
    rows = (torch.arange(height) - height // 2).abs()
    columns = (torch.arange(width) - width // 2).abs()
    ring = torch.maximum(rows[:, None], columns[None, :])
    terms = 1.0 / torch.arange(1, int(ring.max()) + 2, dtype=torch.float64).square()
    return terms.flip(0).cumsum(0).flip(0)[ring]


def pair(side: int, turned: bool) -> Tensor:
    """η: a bump in one half of the window and its negative in the other, of norm 1."""
    half = side // 2
    eta = torch.cat([bump(half, side), -bump(side - half, side)]) if half else bump(side, side)
    eta /= torch.linalg.vector_norm(eta)
    return eta.T.contiguous() if turned else eta  # kron does not accept a transposed view


@final
@dataclass(frozen=True)
class Bumps:
    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        """Bumps on a grid of five by five tiles, with a sign for each tile and channel."""
        n, channels, height, width = x.shape
        side = max(1, min(height, width) // 5)
        tiles = (height // side, width // side)
        sign = x.new_empty(n, channels, *tiles).bernoulli_(0.5, generator=self.generator).mul_(2.0).sub_(1.0)
        pattern = torch.kron(sign, pair(side, self._coin()).to(x))
        away = torch.zeros_like(x)
        away[..., : tiles[0] * side, : tiles[1] * side] = pattern
        return x + self.eps * L2().steepest(away)

    def proposal(self, x: Tensor, at: Tensor, share: float) -> Tensor:
        """Window W₁ takes the mass of both windows and what ε leaves unused, in the shape ρη + ν/‖ν‖; W₂ becomes 0."""
        side = self._side(share, *x.shape[-2:])
        away = at - x
        eta = pair(side, self._coin()).to(x)
        (first, shape), (second, _) = self._place(x, eta), self._place(x, eta)
        unused = (self.eps**2 - away.flatten(1).square().sum(1)).clamp_min(0.0) / x.shape[1]
        mass = (away.square() * (first | second)).flatten(2).sum(2) + unused[:, None]
        old = away * first
        sign = x.new_empty(x.shape[:2]).bernoulli_(0.5, generator=self.generator).mul_(2.0).sub_(1.0)
        new = shape * sign[..., None, None] + old / column(L2().length(old).clamp_min(torch.finfo(x.dtype).tiny), old)
        scale = mass.sqrt() / torch.linalg.vector_norm(new, dim=(2, 3)).clamp_min(torch.finfo(x.dtype).tiny)
        return x + torch.where(first, new * scale[..., None, None], away.masked_fill(second, 0.0))

    def _side(self, share: float, height: int, width: int) -> int:
        """Odd and at least 3."""
        side = max(3, round(math.sqrt(share * height * width)))
        return min(side + 1 - side % 2, *(extent - 1 + extent % 2 for extent in (height, width)))

    def _place(self, x: Tensor, eta: Tensor) -> tuple[Tensor, Tensor]:
        """A random window in each image: its mask and η in it, both of shape (n, 1, height, width)."""
        (n, _, *extents), side = x.shape, len(eta)
        firsts = [torch.randint(0, e - side + 1, (n, 1), generator=self.generator, device=x.device) for e in extents]
        offsets = [torch.arange(e, device=x.device) - first for e, first in zip(extents, firsts, strict=True)]
        inside = [(offset >= 0) & (offset < side) for offset in offsets]
        mask = (inside[0][:, :, None] & inside[1][:, None, :])[:, None]
        index = [offset.clamp(0, side - 1) for offset in offsets]
        return mask, eta[index[0][:, :, None], index[1][:, None, :]][:, None] * mask

    def _coin(self) -> bool:
        return bool(torch.rand((), generator=self.generator, device=self.generator.device) < 0.5)
