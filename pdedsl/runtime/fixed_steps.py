"""A network with the same weights whose solvers take fixed steps: an attack can differentiate it without the choices of
an adaptive solver."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import final

from torch import Tensor, nn

from pdedsl.numerics.integrators import RK4
from pdedsl.runtime.adaptive import Solver
from pdedsl.runtime.blocks import Integrated
from pdedsl.runtime.fields import VectorField
from pdedsl.runtime.integrators import Explicit, Integrator, OneStep, Steps


@final
@dataclass(frozen=True)
class Divided(Integrator):
    """Every step split into `parts` steps of a method, all with the weights of that step."""

    method: OneStep
    parts: int

    def integrate(self, field: VectorField, y: Tensor, steps: Steps) -> Tensor:
        h = steps.h / self.parts
        for j in range(steps.count):
            for part in range(self.parts):
                y = self.method.step(field, j, steps.time(j) + part * h, h, y)
        return y


def with_fixed_steps(model: nn.Module, parts: int) -> nn.Module | None:
    """A copy with RK4 in place of every solver that chooses its steps; None if there is no such solver."""
    other = deepcopy(model)
    blocks = [b for b in other.modules() if isinstance(b, Integrated) and isinstance(b.integrator, Solver)]
    for block in blocks:
        block.integrator = Divided(Explicit(RK4), parts)
    return other if blocks else None
