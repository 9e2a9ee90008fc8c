"""Adaptive solvers within a network: replacement by fixed steps, counts of evaluations, and failure handling."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from statistics import fmean
from typing import final

from torch import Tensor, nn

from pdedsl.numerics.butcher import EXPLICIT, RK4
from pdedsl.runtime.image_fields import VectorField
from pdedsl.runtime.ode.adaptive import AdaptiveRungeKutta, AdaptiveSolver, OnFailure
from pdedsl.runtime.ode.explicit import ExplicitRungeKutta, Integrator, OneStepMethod, TimeGrid
from pdedsl.runtime.ode.torchdiffeq_solver import TorchdiffeqSolver
from pdedsl.runtime.pde_blocks import IntegratedBlock, PdeBlock
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps

# ---- Fixed steps, which an attack can differentiate


@final
@dataclass(frozen=True)
class SubdividedSteps(Integrator):
    """Every step split into `parts` steps of a method, all with the weights of that step."""

    method: OneStepMethod
    parts: int

    def integrate(self, field: VectorField, y: Tensor, steps: TimeGrid) -> Tensor:
        h = steps.h / self.parts
        for j in range(steps.count):
            for part in range(self.parts):
                y = self.method.step(field, j, steps.time(j) + part * h, h, y)
        return y


def with_fixed_steps(model: nn.Module, parts: int) -> nn.Module | None:
    """A copy with RK4 in place of every adaptive solver; None if there is none."""
    other = deepcopy(model)
    blocks = [b for b in other.modules() if isinstance(b, IntegratedBlock) and isinstance(b.integrator, AdaptiveSolver)]
    for block in blocks:
        block.integrator = SubdividedSteps(ExplicitRungeKutta(RK4), parts)
    return other if blocks else None


def with_exact_gradients(model: nn.Module) -> nn.Module | None:
    """A copy that is differentiated through all steps instead of by the adjoint equation, whose error is that of a
    second solver; None if there is no adjoint."""
    other = deepcopy(model)
    blocks = [b for b in other.modules() if isinstance(b, IntegratedBlock)]
    adjoint = [b for b in blocks if isinstance(b.integrator, TorchdiffeqSolver) and b.integrator.adjoint]
    for block in adjoint:
        assert isinstance(block.integrator, TorchdiffeqSolver)
        block.integrator = replace(block.integrator, adjoint=False)
    return other if adjoint else None


# ---- Adaptive solvers in training


SolverBlock = IntegratedBlock | CharacteristicSteps


def adaptive_blocks(model: nn.Module) -> list[SolverBlock]:
    """The blocks with an adaptive solver."""
    parts = [part for part in model.modules() if isinstance(part, SolverBlock)]
    return [part for part in parts if isinstance(part.integrator, AdaptiveSolver)]


def count_evaluations(blocks: Sequence[SolverBlock]) -> int:
    """Evaluations of the fields in the last forward pass, summed over its samples, counted on the host."""
    return sum(sum(block.evaluations_per_sample or ()) for block in blocks)


def mean_evaluations(model: nn.Module) -> float | None:
    """Evaluations of the right-hand sides per sample (NFE) in the last forward pass, over all blocks; None without
    blocks, or if a method is implicit or has several fields."""
    blocks = [part for part in model.modules() if isinstance(part, PdeBlock | CharacteristicSteps)]
    counts = [_mean_evaluations(block) for block in blocks]
    known = [count for count in counts if count is not None]
    return sum(known) if blocks and len(known) == len(blocks) else None


def _mean_evaluations(block: PdeBlock | CharacteristicSteps) -> float | None:
    match block:
        case IntegratedBlock() | CharacteristicSteps() if block.evaluations_per_sample is not None:
            return fmean(block.evaluations_per_sample)
        case IntegratedBlock(integrator=ExplicitRungeKutta(method=method), steps=steps):
            return float(steps.count * method.stages)
        case CharacteristicSteps(integrator=None, scheme=str(scheme), times=times):
            return float(len(times) * EXPLICIT[scheme].stages)
        case _:
            return None


def return_nan_on_failure(model: nn.Module) -> None:
    """Let failing solvers return NaN instead of raising: other processes wait for this one, and all see a NaN loss."""
    for block in adaptive_blocks(model):
        if isinstance(block.integrator, (AdaptiveRungeKutta, TorchdiffeqSolver)):
            block.integrator = replace(block.integrator, on_failure=OnFailure.NAN)
