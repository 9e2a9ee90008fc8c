"""Hard constraints: lift + distance·N satisfies boundary and initial conditions for every network N (Lagaris, Likas,
Fotiadis 1998)."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from torch import Tensor, nn


@final
class HardConstraintNetwork(nn.Module):
    """Points (n, k) to values (n, c); lift and distance are functions of the points."""

    def __init__(
        self, network: nn.Module, lift: Callable[[Tensor], Tensor], distance: Callable[[Tensor], Tensor]
    ) -> None:
        super().__init__()
        self.network, self.lift, self.distance = network, lift, distance

    def forward(self, points: Tensor) -> Tensor:
        value: Tensor = self.lift(points) + self.distance(points) * self.network(points)
        return value
