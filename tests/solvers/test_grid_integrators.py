"""Every integrator of a grid: its order, problems with an exact solution, and refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.config.methods import Grid
from pdedsl.ir.solver_plans import ChebyshevScheme, FourierScheme
from pdedsl.numerics.butcher import GRID_METHODS, IMEX, IMPLICIT, ImexRungeKutta
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.runtime.ode.imex import ImexSteps, order_of_steps
from pdedsl.solvers.grid import driver
from solvers.problems import error_of, stated

DOUBLE = torch.float64
PERIODIC = """pde Reaction
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = 0.1 ∂²u/∂x² - u² + (0.4π² - 1) exp(-t) sin(2π x) + exp(-2t) sin(2π x)²
u(x, 0) = sin(2π x)
realize equation by grid(n=16, integrator={})
"""
BOUNDED = """pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = ∂²u/∂x²
u(x, 0) = sin(x)
u = exp(-t) sin(x) on boundary
realize equation by grid(n=16, integrator={})
"""
EXACT: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    PERIODIC: lambda x, t: torch.exp(-t) * torch.sin(2 * math.pi * x),
    BOUNDED: lambda x, t: torch.exp(-t) * torch.sin(x),
}


@pytest.mark.parametrize("matrices", [False, True], ids=["diagonal", "matrices"])
@pytest.mark.parametrize("method", IMEX.values(), ids=IMEX)
def test_order_of_steps_with_a_stiff_linear_part(method: ImexRungeKutta, matrices: bool) -> None:
    """w′ = L(w - e) + e′ - (w² - e²)/4 with e = 2 + sin t, for three modes of one equation, or of two."""
    numbers = torch.tensor([-1.0, -20.0, -1e4], dtype=DOUBLE)
    mixing = torch.tensor([[1.0, 0.5], [0.5, 1.0]], dtype=DOUBLE)
    symbol = numbers[:, None, None] * mixing if matrices else numbers[None]

    def linear(w: Tensor) -> Tensor:
        return torch.einsum("kij,jk->ik", symbol, w) if matrices else symbol * w

    def nonlinear(w: Tensor, t: float) -> Tensor:
        e = torch.full_like(w, 2 + math.sin(t))
        return math.cos(t) - linear(e) - (w**2 - e**2) / 4

    errors = []
    first = 6 if order_of_steps(method) < 4 else 4  # longer steps where the error is close to rounding
    for level in (first, first + 1):
        steps = ImexSteps(symbol, nonlinear, 2.0, matrices, 1, method)
        w = torch.full((2 if matrices else 1, 3), 2.0, dtype=DOUBLE)
        for k in range(2**level):
            w = steps(w, k * 2.0 / 2**level, level)
        gap = (w - 2 - math.sin(2.0)).abs()
        errors.append(float(gap[:, 0].max()))
        assert float(gap.max()) < 0.1  # an explicit method of this step multiplies the third mode by 100 in each step
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order_of_steps(method), abs=0.2)


@pytest.mark.parametrize("name", GRID_METHODS)
def test_error_is_below_the_tolerance(name: str) -> None:
    template = BOUNDED if name in IMPLICIT else PERIODIC
    problem, method = stated(template.format(name)), GRID_METHODS[name]
    plan = plan_grid(problem, Grid(n=16, integrator=method))
    assert isinstance(plan.scheme, FourierScheme | ChebyshevScheme)
    order = order_of_steps(method) if isinstance(method, ImexRungeKutta) else method.order
    tolerance = 10.0 ** -min(2 + order, 6)  # some hundreds of steps at most
    result = driver.solve_by_grid(replace(plan, scheme=replace(plan.scheme, tolerance=tolerance)))
    assert error_of(result, problem, EXACT[template]) < tolerance
    assert any(method.label in note for note in result.notes)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PERIODIC.format("radau5"), "takes imex_euler, ars222, etdrk4"),
        (BOUNDED.format("etdrk4"), "takes radau5, implicit_midpoint, sdirk2"),
        (
            "pde Poisson\nspace x in [0, 1]\nunknown u(x) : scalar\n∂²u/∂x² = sin(π x)\nu = 0 on boundary\n"
            "realize equation by grid(integrator=radau5)\n",
            "a stationary problem has no steps in time",
        ),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    with pytest.raises(pdedsl.PdeError, match=reason):
        pdedsl.compile(text)
