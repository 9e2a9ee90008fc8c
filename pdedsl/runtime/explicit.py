"""One step of any explicit Runge-Kutta method, from its tableau."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from pdedsl.numerics.integrators import RungeKutta

Slope = Callable[[float, Tensor], Tensor]
"""f(c, y): the slope at the state y and the node c of the step, 0 at its start and 1 at its end."""


def runge_kutta(method: RungeKutta, slope: Slope, h: float, y: Tensor) -> Tensor:
    """y + h Σ bᵢ kᵢ with kᵢ = f(cᵢ, y + h Σ aᵢⱼ kⱼ) (Hairer, Nørsett, Wanner II.1)."""
    slopes: list[Tensor] = []
    for node, row in zip(method.nodes, ((), *method.rows), strict=True):
        slopes.append(slope(node, _moved(y, h, row, slopes)))
    return _moved(y, h, method.weights, slopes)


def _moved(y: Tensor, h: float, row: Sequence[float], slopes: Sequence[Tensor]) -> Tensor:
    for a, k in zip(row, slopes, strict=True):
        if a:
            y = torch.add(y, k, alpha=h * a)
    return y
