"""base + factor · N as a module of torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from sympy import Symbol
from torch import Tensor, nn

from pdedsl.emit.pointwise import pointwise
from pdedsl.plan.ansatz import Ansatz


@final
class AnsatzModule(nn.Module):
    """Points (n, k) to values (n, c)."""

    def __init__(self, ansatz: Sequence[Ansatz], coordinates: tuple[Symbol, ...], network: nn.Module) -> None:
        super().__init__()
        self.network = network
        self._bases = pointwise([a.base for a in ansatz], coordinates)
        self._factors = pointwise([a.factor for a in ansatz], coordinates)

    def forward(self, points: Tensor) -> Tensor:
        columns = points.unbind(-1)
        base, factor = torch.stack(self._bases(*columns), -1), torch.stack(self._factors(*columns), -1)
        value: Tensor = base + factor * self.network(points)
        return value
