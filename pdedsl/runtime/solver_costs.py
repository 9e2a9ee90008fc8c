"""The adaptive solvers of a network in training: what they cost, and how they fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import nn

from pdedsl.runtime.adaptive import Adaptive, Failing, Solver
from pdedsl.runtime.blocks import Integrated
from pdedsl.runtime.marching import March
from pdedsl.runtime.torchdiffeq_solver import Torchdiffeq

Solving = Integrated | March


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
