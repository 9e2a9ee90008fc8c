"""How rich the class of an evolved linear classifier is, where the theorem applies."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pdedsl.certificates.rademacher import ASSUMES, rademacher_bound
from pdedsl.compiler import Compilation
from pdedsl.evaluation.report import Complexity
from pdedsl.ir.plan import DataPlan
from pdedsl.runtime.sde.feynman_kac import Expectation


def complexity_of(compilation: Compilation, model: nn.Module, x: Tensor, samples: int) -> Complexity | None:
    """For two classes and a linear readout W at the end of the points' paths: sigmoid((w₁ − w₀)·z), W = ‖w₁ − w₀‖₁."""
    plan = compilation.plan
    if not isinstance(plan, DataPlan) or not plan.readout or plan.classes != 2:
        return None
    weight, radius = max(map(_slope, _readouts(model, plan.dimension))), float(x.abs().max())
    bound = rademacher_bound(weight, radius, plan.dimension, samples)
    return Complexity(bound, weight, radius, plan.dimension, samples, ASSUMES)


def _readouts(model: nn.Module, dimension: int) -> list[Tensor]:
    """W of each member, (2, d), from the values of its last layer at the unit vectors."""
    members = list(model.members) if isinstance(model, Expectation) else [model]
    unit = torch.eye(dimension).to(next(model.parameters()))
    with torch.no_grad():
        return [list(member.children())[-1](unit).T for member in members]


def _slope(readout: Tensor) -> float:
    return float((readout[1] - readout[0]).abs().sum())
