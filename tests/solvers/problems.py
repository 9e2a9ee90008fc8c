"""Small physical problems as strong forms, their plans and solutions, and the error of a solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.config.methods import Elements, Grid, MonteCarlo, Pinn, RandomFeatures
from pdedsl.config.networks import Mlp
from pdedsl.diagnostics import NOWHERE
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import ElementsPlan, MonteCarloPlan, PinnPlan
from pdedsl.lowering.lower import lower
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.planning.method_planners import DEFAULT_NETWORK, SolverPlanner, plan_random_features
from pdedsl.solvers import monte_carlo, random_features
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.elements import driver as elements
from pdedsl.solvers.grid import driver
from pdedsl.solvers.method_result import SolverResult
from pdedsl.solvers.pinn import task

LINE = "pde Line\nspace x in [0, 1]{sides}\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
SQUARE = "pde Square\nspace (x, y) in [-1, 1]^2\nunknown u(x, y) : scalar\n"


def stated(text: str) -> StrongForm:
    found = lower(to_analysis(parse(text)))
    assert isinstance(found, StrongForm)
    return found


def on_line(text: str, periodic: bool = False) -> StrongForm:
    return stated(LINE.format(sides=" periodic" * periodic) + text)


def on_square(text: str) -> StrongForm:
    return stated(SQUARE + text)


def solve_by_grid(problem: StrongForm, method: Grid, **options: Any) -> SolverResult:
    return driver.solve_by_grid(plan_grid(problem, method), **options)


def solve_by_random_features(problem: StrongForm, method: RandomFeatures, **options: Any) -> SolverResult:
    return random_features.solve_by_random_features(plan_random_features(problem, method), **options)


def plan_pinn(problem: StrongForm, method: Pinn, network: Mlp = DEFAULT_NETWORK) -> PinnPlan:
    plan = SolverPlanner(problem, network).plan(method, NOWHERE)
    assert isinstance(plan, PinnPlan)
    return plan


def pinn_task(problem: StrongForm, method: Pinn, network: Mlp) -> task.PinnTask:
    return task.PinnTask(plan_pinn(problem, method, network), PointSampler(problem.domain), 0)


def solve_by_pinn(problem: StrongForm, method: Pinn, network: Mlp = DEFAULT_NETWORK, **options: Any) -> SolverResult:
    return task.solve_by_pinn(plan_pinn(problem, method, network), **options)


def solve_by_elements(problem: StrongForm, method: Elements) -> SolverResult:
    plan = SolverPlanner(problem).plan(method, NOWHERE)
    assert isinstance(plan, ElementsPlan)
    return elements.solve_by_elements(plan)


def solve_by_monte_carlo(problem: StrongForm, method: MonteCarlo, seed: int = 0) -> SolverResult:
    plan = SolverPlanner(problem).plan(method, NOWHERE)
    assert isinstance(plan, MonteCarloPlan)
    return monte_carlo.solve_by_monte_carlo(plan, seed=seed)


def error_of(solution: Callable[[Tensor], Tensor], statement: StrongForm, *exact: Callable[..., Tensor]) -> float:
    """Relative, in the mean square over points of the domain."""
    points = PointSampler(statement.domain).inside(1000, 99)
    expected = torch.stack([e(*points.unbind(-1)) for e in exact], -1)
    return float((solution(points).detach() - expected).norm() / expected.norm())
