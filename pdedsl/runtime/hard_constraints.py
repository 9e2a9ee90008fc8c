"""Hard constraints: lift + distance·N satisfies boundary and initial conditions for every network N (Lagaris, Likas,
Fotiadis 1998)."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from torch import Tensor, nn


@final
class HardConstraintNetwork(nn.Module):
    """Points (n, k) to values (n, c); lift and distance are functions of the points.

    Args:
        network: N, from points (n, k) to values (n, c).
        lift: satisfies the conditions; from points (n, k) to (n, c).
        distance: vanishes where a condition holds; from points (n, k) to (n, c).

    Shape:
        points (n, k) to values (n, c).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import HardConstraintNetwork
        >>> u = HardConstraintNetwork(torch.nn.Linear(1, 1), lambda x: 2 * x, lambda x: x * (1 - x))
        >>> u(torch.tensor([[0.0], [1.0]])).tolist()  # u(0) = 0 and u(1) = 2
        [[0.0], [2.0]]
    """

    def __init__(
        self, network: nn.Module, lift: Callable[[Tensor], Tensor], distance: Callable[[Tensor], Tensor]
    ) -> None:
        super().__init__()
        self.network, self.lift, self.distance = network, lift, distance

    def forward(self, points: Tensor) -> Tensor:
        value: Tensor = self.lift(points) + self.distance(points) * self.network(points)
        return value
