"""base + factor · N: satisfies conditions on the sides of a box, or at the start of time, for every network N."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from torch import Tensor, nn


@final
class HardConstraintNetwork(nn.Module):
    """Points (n, k) to values (n, c); base and factor are functions of the points."""

    def __init__(
        self, network: nn.Module, base: Callable[[Tensor], Tensor], factor: Callable[[Tensor], Tensor]
    ) -> None:
        super().__init__()
        self.network, self.base, self.factor = network, base, factor

    def forward(self, points: Tensor) -> Tensor:
        value: Tensor = self.base(points) + self.factor(points) * self.network(points)
        return value
