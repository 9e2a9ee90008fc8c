"""The methods of torchdiffeq by name, with and without the adjoint; imported when used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, final

import torch
from torch import Tensor, nn

from pdedsl.runtime.adaptive import Solution
from pdedsl.runtime.fields import VectorField
from pdedsl.runtime.integrators import Integrator, Steps


@final
@dataclass(frozen=True)
class Torchdiffeq(Integrator):
    """torchdiffeq.odeint(method=…), or odeint_adjoint.

    Its adaptive methods measure the error over the whole tensor that they are given. control "sample" gives them
    one sample at a time: independent of the neighbours, and as slow as it sounds. control "batch" gives the
    whole batch at once: outputs then depend on the neighbours, and with the adjoint gradients do too.
    """

    method: str = "dopri5"
    rtol: float = 1e-3
    atol: float = 1e-3
    adjoint: bool = False
    control: Literal["sample", "batch"] = "sample"

    def integrate(self, field: VectorField, y: Tensor, steps: Steps) -> Tensor:
        return self.solve(field, y, steps).state

    def solve(self, field: VectorField, y: Tensor, steps: Steps) -> Solution:
        parts = y.chunk(y.shape[0]) if self.control == "sample" else (y,)
        solved = [self._solve(field, part, steps) for part in parts]
        calls = [count for _, count in solved]
        shares = calls if self.control == "sample" else calls * y.shape[0]
        return Solution(torch.cat([state for state, _ in solved]), sum(calls), tuple(shares))

    def _solve(self, field: VectorField, y: Tensor, steps: Steps) -> tuple[Tensor, int]:
        calls = 0
        for j in range(steps.count):
            slope = _Slope(field, j)
            ends = torch.tensor([steps.time(j), steps.time(j + 1)], dtype=y.dtype, device=y.device)
            y = self._odeint(slope, y, ends)[-1]
            calls += slope.calls
        return y, calls

    def _odeint(self, slope: nn.Module, y: Tensor, ends: Tensor) -> Tensor:
        import torchdiffeq  # it imports scipy

        solver: Any = torchdiffeq.odeint_adjoint if self.adjoint else torchdiffeq.odeint
        states: Tensor = solver(slope, y, ends, method=self.method, rtol=self.rtol, atol=self.atol)
        return states


@final
class _Slope(nn.Module):
    """The field of one step as torchdiffeq's f(t, y); a module, so that the adjoint finds the parameters."""

    def __init__(self, field: VectorField, step: int):
        super().__init__()
        self.field, self.step, self.calls = field, step, 0

    def forward(self, t: Tensor, y: Tensor) -> Tensor:
        self.calls += 1
        return self.field(self.step, t, y)
