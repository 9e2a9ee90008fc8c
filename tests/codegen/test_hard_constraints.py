"""The written model of a physical problem: conditions hold before any training, and it is what training begins with."""

from __future__ import annotations

import pytest
import torch

from pdedsl.codegen.program import run_function
from pdedsl.compiler import to_compilation
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.solver_plans import PinnPlan
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.pinn.task import PinnTask
from pdedsl.solvers.solver_method import SolveOptions
from pdedsl.sources import source_of


@pytest.mark.parametrize(("name", "held"), [("burgers", 3), ("poisson", 4), ("wave", 2), ("cavity", 8)])
def test_conditions_hold_for_every_network(name: str, held: int) -> None:
    compilation = to_compilation(source_of(name))
    assert isinstance(compilation.plan, SolvePlan)
    statement, model = compilation.plan.problem, compilation.module(seed=3)
    imposed = [(c, r) for c in statement.conditions for r in c.residuals]
    assert len(imposed) == held
    for k, (condition, _) in enumerate(imposed, 1):
        points = PointSampler(statement.domain).on(condition, 9, 1)
        residual = run_function(compilation.program, f"condition_{k}", model=model, points=points)
        assert float(residual.detach().abs().max()) < 1e-12


def test_training_begins_with_the_emitted_model() -> None:
    compilation = to_compilation(source_of("burgers"))
    plan = compilation.plan
    assert isinstance(plan, SolvePlan)
    assert isinstance(plan.solver, PinnPlan)
    task = PinnTask(plan.solver, PointSampler(plan.problem.domain), SolveOptions(seed=5).seed)
    points = PointSampler(plan.problem.domain).inside(7, 0)
    lift, distance = (run_function(compilation.program, name, points=points) for name in ("lift", "distance"))
    assert torch.allclose(compilation.module(seed=5)(points), lift + distance * task.network()(points), atol=1e-14)
