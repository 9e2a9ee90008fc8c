"""Systems of ordinary differential equations: `time` without `space`."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp

import pdedsl
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.solver_plans import GridPlan, OdeScheme
from pdedsl.solvers.dispatch import describe_module, rebuild_module
from pdedsl.solvers.grid.driver import levels_by_grid, solve_by_grid
from pdedsl.solvers.grid.grid_result import GridSolveFailed
from pdedsl.solvers.grid.ode import OdeProblem, characterize
from pdedsl.solvers.method_result import EstimateKind
from pdedsl.solvers.solver_method import SolveOptions

OSCILLATOR = """pde Oscillator
time t in [0, 10]
unknown u(t) : scalar
d²u/dt² = -4 u
u(0) = 1
du/dt(0) = 0
exact u = cos(2 t)
"""
TERMINAL = """pde Decay
time t in [0, 1]
unknown u(t) : scalar
du/dt = -3 u + t
u(1) = 2
"""
BLOWUP = """pde Blowup
time t in [0, 2]
unknown u(t) : scalar
du/dt = u²
u(0) = 1
"""
ROBERTSON = """pde Robertson
time t in [0, 100]
unknown a(t) : scalar
unknown b(t) : scalar
unknown c(t) : scalar
da/dt = -0.04a + 1e4 b c
db/dt = 0.04a - 1e4 b c - 3e7 b²
dc/dt = 3e7 b²
a(0) = 1
b(0) = 0
c(0) = 0
"""


def grid_plan(text: str) -> GridPlan:
    plan = pdedsl.compile(text).plan
    assert isinstance(plan, SolvePlan)
    assert isinstance(plan.solver, GridPlan)
    return plan.solver


def problem_of(text: str) -> OdeProblem:
    scheme = grid_plan(text).scheme
    assert isinstance(scheme, OdeScheme)
    return OdeProblem(scheme.system, {}, torch.zeros((), dtype=torch.float64))


def test_second_order_equation_of_an_oscillator() -> None:
    t = torch.linspace(0, 10, 300, dtype=torch.float64).unsqueeze(1)
    result = solve_by_grid(grid_plan(OSCILLATOR))
    assert float((result(t) - torch.cos(2 * t)).abs().max()) < 1e-8


def test_terminal_value_problem() -> None:
    """u = (t - 1/3)/3 + c exp(-3t), with c from u(1) = 2."""
    t = torch.linspace(0, 1, 50, dtype=torch.float64).unsqueeze(1)
    exact = (t - 1 / 3) / 3 + (2 - 2 / 9) * torch.exp(-3 * (t - 1))
    result = solve_by_grid(grid_plan(TERMINAL))
    assert float((result(t) - exact).abs().max()) < 1e-7


def test_levels_cover_the_error_by_a_second_integrator() -> None:
    t = torch.linspace(0, 10, 300, dtype=torch.float64).unsqueeze(1)
    errors = []
    for _, result in zip(range(3), levels_by_grid(grid_plan(OSCILLATOR), tolerance=1e-4), strict=False):
        errors.append(float((result(t) - torch.cos(2 * t)).norm() / torch.cos(2 * t).norm()))
        assert result.error_estimates[EstimateKind.SECOND_METHOD] > errors[-1] / 3
    assert errors[2] < errors[1] < errors[0] < 1e-4


def test_jacobian_is_the_derivative_of_the_right_hand_side() -> None:
    problem = problem_of(ROBERTSON)
    w, h = np.array([0.7, 2e-5, 0.3]), 1e-7
    columns = [(problem.rhs(0.0, w + h * e) - problem.rhs(0.0, w - h * e)) / (2 * h) for e in np.eye(3)]
    # central differences of a quadratic function are exact up to rounding, 1e-16 · 0.3 / h relative to 1e4
    assert np.allclose(problem.jacobian(0.0, w), np.stack(columns, 1), atol=1e-4)


def test_stiffness() -> None:
    assert characterize(problem_of(ROBERTSON)).stiff
    assert not characterize(problem_of(OSCILLATOR)).stiff


def test_stiff_kinetics_of_robertson() -> None:
    """Compared with backward differentiation formulas, of an order and a kind other than Radau IIA and LSODA."""

    def rhs(_: float, w: np.ndarray) -> list[float]:
        slow, fast, quadratic = 0.04 * w[0], 1e4 * w[1] * w[2], 3e7 * w[1] ** 2
        return [fast - slow, slow - fast - quadratic, quadratic]

    reference = solve_ivp(rhs, (0, 40), [1, 0, 0], method="BDF", rtol=1e-8, atol=1e-13).y[:, -1]
    result = next(levels_by_grid(grid_plan(ROBERTSON), tolerance=1e-5))
    values = result(torch.tensor([[40.0]]))[0].numpy()
    assert np.allclose(values, reference, rtol=1e-5)
    assert values.sum() == pytest.approx(1, abs=1e-9)  # the total concentration is conserved


def test_a_singularity_is_reported_with_its_time() -> None:
    with pytest.raises(GridSolveFailed, match=r"singularity near t = (1|0\.99)"):
        solve_by_grid(grid_plan(BLOWUP))


def test_a_stored_solution_is_the_same_function() -> None:
    plan = grid_plan(OSCILLATOR)
    module = solve_by_grid(plan).module
    loaded = rebuild_module(describe_module(module, plan), module.state_dict(), plan, SolveOptions())
    t = torch.linspace(0, 10, 7, dtype=torch.float64).unsqueeze(1)
    assert torch.equal(loaded(t), module(t))
