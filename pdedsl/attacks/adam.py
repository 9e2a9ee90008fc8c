"""Adam for independent rows, and the tanh change of variables for box constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.batch_ops import take
from pdedsl.attacks.constraints import Box


@final
@dataclass(frozen=True)
class AdamState:
    """Moments of Adam (Kingma, Ba 2015), β = (0.9, 0.999); rows are independent and can be removed."""

    first: Tensor
    second: Tensor

    @staticmethod
    def zero(u: Tensor) -> AdamState:
        return AdamState(torch.zeros_like(u), torch.zeros_like(u))

    def take(self, rows: Tensor) -> AdamState:
        return AdamState(take(self.first, rows), take(self.second, rows))

    def move(self, u: Tensor, gradient: Tensor, lr: float, step: int) -> tuple[Tensor, AdamState]:
        """Step number `step`, counted from 1."""
        first = torch.lerp(self.first, gradient, 0.1)
        second = torch.lerp(self.second, gradient.square(), 0.001)
        size = (second / (1.0 - 0.999**step)).sqrt_().add_(1e-8)
        return u - lr / (1.0 - 0.9**step) * first / size, AdamState(first, second)


@final
@dataclass(frozen=True)
class TanhTransform:
    """x = lo + (hi − lo)(tanh u + 1)/2, which is ½(tanh u + 1) for [0, 1]; u = x where the box has an infinite end.

    An input at a bound would have u = ±∞ and zero gradient: it starts at a distance of 2⁻¹¹ of the width of the box.
    """

    box: Box
    shrink: float = 1.0 - 2.0**-10

    def variable(self, x: Tensor) -> Tensor:
        if not self.box.bounded:
            return x
        lo, hi = self.box.ends(x)
        return torch.atanh(self.shrink * (2.0 * (x - lo) / (hi - lo) - 1.0))

    def point(self, u: Tensor) -> Tensor:
        lo, hi = self.box.ends(u)
        if not self.box.bounded:
            return u.clamp(lo, hi)
        return (lo + (hi - lo) * 0.5 * (u.tanh() + 1.0)).clamp(lo, hi)

    def derivative(self, u: Tensor) -> Tensor:
        """dx/du, entry by entry."""
        if not self.box.bounded:
            return torch.ones_like(u)
        lo, hi = self.box.ends(u)
        return 0.5 * (hi - lo) * (1.0 - u.tanh().square())
