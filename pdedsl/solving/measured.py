"""Measured values as residuals: a component minus its measured values."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Symbol
from torch import Tensor

from pdedsl.diagnostics import NOWHERE
from pdedsl.ir.statement import Derivative, Residual
from pdedsl.solving.points import Points


@dataclass(frozen=True)
class Measured:
    """Values (n,) of a component at points (n, k)."""

    component: int
    points: Tensor
    values: Tensor

    @property
    def residual(self) -> Residual:
        """The component alone: its measured values are the target of the rows."""
        letter = Symbol("u", real=True)
        return Residual(letter, ((letter, Derivative(self.component, (0,) * self.points.shape[1])),), NOWHERE)

    def to(self, points: Points) -> Measured:
        at, values = (a.to(points.device, points.dtype) for a in (self.points, self.values))
        return Measured(self.component, at, values)
