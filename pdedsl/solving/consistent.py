"""Initial values that satisfy the constraints: the nearest divergence-free flow, and the pressure that goes with it.

For ∂v/∂t = R(v) + G p, C v = c(t) (incompressible flow and its sides): v + G q = v₀ with C v = c, which is the
projection of Chorin 1968; then v′ - G p = R(v) with C v′ = c′.
"""

from __future__ import annotations

import torch
from torch import Tensor

from pdedsl.runtime.factored import Factored
from pdedsl.solving.collocated import Collocated

MOMENT = 1e-5  # fraction of the time interval, for c′ by a difference quotient


def consistent(problem: Collocated, start: Tensor, begin: float, length: float) -> Tensor:
    """`length` is negative if time runs backward."""
    moving = problem.mass > 0
    pressure = torch.zeros_like(moving).reshape(-1, problem.count)
    pressure[list(problem.evolution.floating)] = True
    pressure = pressure.reshape(-1)
    with torch.no_grad():
        slope = problem.slope(start, begin)
        matrix = Factored.of(
            torch.where(moving[:, None], torch.diag(problem.mass) - slope * pressure, slope)  # rows of v, rows of C
        )
    nearest = start - matrix.solve(torch.where(moving, 0.0, problem.right(start, begin)))
    flow = torch.where(pressure, 0.0, nearest)
    late = problem.right(flow, begin + MOMENT * length) - problem.right(flow, begin - MOMENT * length)
    rates = matrix.solve(torch.where(moving, problem.right(flow, begin), -late / (2 * MOMENT * abs(length))))
    return torch.where(pressure, rates, flow)
