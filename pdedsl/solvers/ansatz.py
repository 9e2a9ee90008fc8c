"""base + factor · N as a torch module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from sympy import Expr, Symbol
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.ansatz import Ansatz


@final
class AnsatzModule(nn.Module):
    """Points (n, k) to values (n, c); `functions` are the networks of functions learned along with the unknowns."""

    def __init__(
        self,
        ansatz: Sequence[Ansatz],
        coordinates: tuple[Symbol, ...],
        network: nn.Module,
        functions: Sequence[nn.Module] = (),
    ) -> None:
        super().__init__()
        self.network = network
        self.functions = nn.ModuleList(functions)
        self._bases = compile_pointwise([a.base for a in ansatz], coordinates)
        self._factors = compile_pointwise([a.factor for a in ansatz], coordinates)

    def forward(self, points: Tensor) -> Tensor:
        columns = points.unbind(-1)
        base, factor = torch.stack(self._bases(*columns), -1), torch.stack(self._factors(*columns), -1)
        value: Tensor = base + factor * self.network(points)
        return value


def add_lifts(module: nn.Module, lifts: Sequence[Expr], coordinates: tuple[Symbol, ...]) -> nn.Module:
    """The solution from that of the problem without its lifts, if there are any."""
    return AnsatzModule([Ansatz(base=lift) for lift in lifts], coordinates, module) if any(lifts) else module


@final
class AnsatzWithFunctions(nn.Module):
    """The components, followed by the networks of the learned functions of some coordinates."""

    def __init__(self, module: AnsatzModule, axes: Sequence[tuple[int, ...]]) -> None:
        super().__init__()
        self.module, self.axes = module, tuple(axes)

    def forward(self, points: Tensor) -> Tensor:
        beside = [f(points[:, list(axes)]) for axes, f in zip(self.axes, self.module.functions, strict=True)]
        return torch.cat([self.module(points), *beside], -1)
