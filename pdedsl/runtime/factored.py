"""A matrix that is factored once and solved with often; by its pseudo-inverse if it is singular."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

SINGULAR = 1e-14
RANK = 1e-11


@dataclass(frozen=True)
class Factored:
    """Rows scaled to norm one, then P L U; or the pseudo-inverse, whose solutions have the least norm."""

    scale: Tensor
    lower_upper: Tensor
    pivots: Tensor
    inverse: Tensor | None

    @classmethod
    def of(cls, matrix: Tensor) -> Factored:
        scale = 1 / matrix.abs().amax(1).clamp_min(1e-300)
        scaled = matrix * scale[:, None]
        lower_upper, pivots, _ = torch.linalg.lu_factor_ex(scaled)
        own = lower_upper.diagonal().abs()
        bad = not bool(own.min() > SINGULAR * own.max())
        return cls(scale, lower_upper, pivots, torch.linalg.pinv(scaled, rtol=RANK) if bad else None)

    @property
    def singular(self) -> bool:
        return self.inverse is not None

    def solve(self, right: Tensor) -> Tensor:
        scaled = right * self.scale
        if self.inverse is not None:
            return self.inverse @ scaled
        found: Tensor = torch.linalg.lu_solve(self.lower_upper, self.pivots, scaled[:, None])
        return found[:, 0]
