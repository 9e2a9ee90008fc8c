"""The box of valid inputs, lower ≤ x ≤ upper; its ends are numbers, or tensors that broadcast against one sample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

End = float | Tensor


@final
@dataclass(frozen=True)
class Box:
    lower: End = -math.inf
    upper: End = math.inf

    @property
    def bounded(self) -> bool:
        """Are all ends finite?"""
        ends = (torch.as_tensor(self.lower), torch.as_tensor(self.upper))
        return all(bool(end.isfinite().all()) for end in ends)

    def ends(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Both ends as tensors of the dtype and device of x, rounded inwards, that broadcast against it."""
        return self._inwards(self.lower, x, math.inf), self._inwards(self.upper, x, -math.inf)

    def check(self, x: Tensor) -> None:
        lower, upper = self.ends(x)
        beyond = torch.maximum(lower - x, x - upper).amax().item() if x.numel() else 0.0
        if beyond > 0.0:
            raise ValueError(
                f"x leaves its bounds by {beyond:g}: attack inputs that are valid, in the units of `bounds`"
            )

    @staticmethod
    def _inwards(end: End, x: Tensor, towards: float) -> Tensor:
        if isinstance(end, Tensor):
            return end.to(x)
        near = x.new_tensor(end)
        missed = near.item() < end if towards > 0 else near.item() > end
        return torch.nextafter(near, near.new_tensor(towards)) if missed else near


def read_box(bounds: Box | tuple[End, End] | None) -> Box:
    if bounds is None:
        return Box()
    return bounds if isinstance(bounds, Box) else Box(*bounds)
