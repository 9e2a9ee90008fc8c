"""Rademacher complexity bound of a linear classifier composed with a transport (Wang, Tao, Bao, Shi, Theorem 3.4)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pdedsl.certificates.rademacher import ASSUMES, rademacher_bound
from pdedsl.compiler import Compilation
from pdedsl.evaluation.report import RademacherComplexity
from pdedsl.ir.plan import DataPlan
from pdedsl.runtime.sde.feynman_kac import Expectation


def rademacher_complexity(
    compilation: Compilation, model: nn.Module, x: Tensor, samples: int
) -> RademacherComplexity | None:
    """For two classes and a linear readout sigmoid((w₁ − w₀)·z) with W = ‖w₁ − w₀‖₁; None for other networks."""
    plan = compilation.plan
    if not isinstance(plan, DataPlan) or not plan.readout or plan.classes != 2:
        return None
    weight, radius = max(map(_l1_norm, _readouts(model, plan.dimension))), float(x.abs().max())
    bound = rademacher_bound(weight, radius, plan.dimension, samples)
    return RademacherComplexity(bound, weight, radius, plan.dimension, samples, ASSUMES)


def _readouts(model: nn.Module, dimension: int) -> list[Tensor]:
    """The readout matrix (2, d) of each ensemble member, from the values of its last layer at the unit vectors."""
    members = list(model.members) if isinstance(model, Expectation) else [model]
    unit = torch.eye(dimension).to(next(model.parameters()))
    with torch.no_grad():
        return [list(member.children())[-1](unit).T for member in members]


def _l1_norm(readout: Tensor) -> float:
    return float((readout[1] - readout[0]).abs().sum())
