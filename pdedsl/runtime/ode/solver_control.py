"""A network with the same weights whose solvers take fixed steps: an attack can differentiate it without the choices of
an adaptive solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import final

from torch import Tensor, nn

from pdedsl.numerics.butcher import RK4
from pdedsl.runtime.image_fields import VectorField
from pdedsl.runtime.ode.adaptive import Adaptive, Failing, Solver
from pdedsl.runtime.ode.explicit import Explicit, Integrator, OneStep, Steps
from pdedsl.runtime.ode.torchdiffeq_solver import Torchdiffeq
from pdedsl.runtime.pde_blocks import Integrated
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps

# ---- fixed_steps


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


# ---- solver_costs
# The adaptive solvers of a network in training: what they cost, and how they fail.


Solving = Integrated | CharacteristicSteps


def adaptive_blocks(model: nn.Module) -> list[Solving]:
    """The parts whose solvers choose their own steps."""
    parts = [part for part in model.modules() if isinstance(part, Solving)]
    return [part for part in parts if isinstance(part.integrator, Solver)]


def evaluations(blocks: Sequence[Solving]) -> int:
    """Evaluations of the fields in the last forward pass, summed over its samples, as counted on the host."""
    return sum(sum(block.evaluations_per_sample or ()) for block in blocks)


def fail_by_nan(model: nn.Module) -> None:
    """Let a failing solver return NaN: other processes wait for this one, and all see that the loss is not finite."""
    for block in adaptive_blocks(model):
        if isinstance(block.integrator, (Adaptive, Torchdiffeq)):
            block.integrator = replace(block.integrator, failing=Failing.NAN)
