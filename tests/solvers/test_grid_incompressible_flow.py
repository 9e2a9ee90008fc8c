"""Incompressible flow: pressure projection in Fourier space, P_N-P_(N-2) collocation in a box."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from sympy import Symbol
from torch import Tensor

from pdedsl.config.methods import Grid
from pdedsl.ir.component_form import ScalarUnknown
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.solver_plans import FourierScheme
from pdedsl.planning.grid_schemes import plan_scheme
from pdedsl.solvers.collocation_points import PointSampler, fix_gauge
from pdedsl.solvers.error_estimate import exact_reference
from pdedsl.solvers.grid.grid_result import GridSolveFailed
from tests.solvers.problems import solve_by_grid
from tests.solvers.test_grid import stated

PAIR = """pde Pair
space (x, y) in [0, 2π]^2 periodic
time t in [0, 1]
unknown u(x, y, t) : scalar
unknown v(x, y, t) : scalar
∂u/∂t = Δu
∂v/∂t = Δv
u(x, y, 0) = cos(x) sin(y)
v(x, y, 0) = -sin(x) cos(y)
"""
NAMES = "u v p".split()


def letter(component: int, *orders: int) -> tuple[Symbol, Derivative]:
    return Symbol(f"{NAMES[component]}_{orders}", real=True), Derivative(component, orders)


def navier_stokes() -> StrongForm:
    """∂u/∂t + u·∇u = -∇p + 0.1 Δu, ∇·u = 0, on the data of the pair."""
    pair = stated(PAIR)
    span = pair.equations[0].span
    found = []
    for c in (0, 1):
        pressure = letter(2, 1 - c, c, 0)
        rate, own = letter(c, 0, 0, 1), [letter(k, 0, 0, 0) for k in (0, 1)]
        slopes, bends = [letter(c, 1, 0, 0), letter(c, 0, 1, 0)], [letter(c, 2, 0, 0), letter(c, 0, 2, 0)]
        transfer_weights = own[0][0] * slopes[0][0] + own[1][0] * slopes[1][0]
        expr = rate[0] + transfer_weights + pressure[0] - (bends[0][0] + bends[1][0]) / 10
        found.append(Residual(expr, (rate, *own, *slopes, *bends, pressure), span))
    divergence = letter(0, 1, 0, 0), letter(1, 0, 1, 0)
    found.append(Residual(divergence[0][0] + divergence[1][0], divergence, span))
    components = (*pair.components, ScalarUnknown("p", Symbol("p"), None))
    return replace(pair, components=components, equations=tuple(found), exact=(None,) * 3)


def test_taylor_green_vortex() -> None:
    statement = navier_stokes()
    assert isinstance(plan_scheme(statement), FourierScheme)
    points = torch.rand(100, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    points[:, :2] *= 2 * torch.pi
    x, y, t = points.unbind(1)
    fall = torch.exp(-0.2 * t)
    pressure = -(torch.cos(2 * x) + torch.cos(2 * y)) / 4 * fall**2
    exact = torch.stack([torch.cos(x) * torch.sin(y) * fall, -torch.sin(x) * torch.cos(y) * fall, pressure], dim=1)
    found = solve_by_grid(statement, Grid(n=8))(points)
    assert float((found - exact).abs().max()) < 1e-9


KOVASZNAY = """pde Kovasznay
space (x, y) in [0, 0.5] × [0, 0.5]
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
const λ = 10 - sqrt(100 + 4π²)
let w(x, y) = [1 - exp(λ x) cos(2π y), λ exp(λ x) sin(2π y)/(2π)]
∇·v = 0
v·∇v = -∇p + 0.05Δv
v = w(x, y) on boundary
exact v = w(x, y)
exact p = 7 - exp(2λ x)/2
"""


def distance(statement: StrongForm, n: int) -> Tensor:
    """To the known solution, the largest for each component; pressures up to a constant."""
    exact = exact_reference(statement)
    assert exact is not None
    points = PointSampler(statement.domain).inside(100, 3)
    found = solve_by_grid(statement, Grid(n=n))
    residual_norms = [fix_gauge(f, statement, points) for f in (found, exact.values)]
    return (residual_norms[0] - residual_norms[1]).abs().amax(0)


def test_stationary_flow_in_a_box() -> None:
    """Kovasznay 1948, its equations in any order; the error falls as a power of the number of points."""
    statement = stated(KOVASZNAY)
    assert statement.defined_up_to_constant == (2,)
    coarse, fine = distance(statement, 7), distance(statement, 13)
    assert float(fine.max()) < 1e-7
    assert bool((coarse > 1e3 * fine).all())


def test_time_dependent_flow_in_a_box() -> None:
    """The vortex of Taylor and Green, cut out."""
    text = (
        "pde A\nspace (x, y) in [0, 1]^2\ntime t in [0, 0.1]\nunknown v(x, y, t) : vector(2)\n"
        "unknown p(x, y, t) : scalar\nlet w(x, y, t) = [cos(x) sin(y) exp(-0.2t), -sin(x) cos(y) exp(-0.2t)]\n"
        "∂v/∂t + v·∇v = -∇p + 0.1Δv\n∇·v = 0\nv(x, y, 0) = w(x, y, 0)\nv = w(x, y, t) on boundary\n"
        "exact v = w(x, y, t)\nexact p = -(cos(2x) + cos(2y)) exp(-0.4t)/4\n"
    )
    assert bool((distance(stated(text), 7) < torch.tensor([1e-4, 1e-4, 1e-3])).all())


def test_nonzero_net_flux_is_an_error() -> None:
    leaking = KOVASZNAY.replace("v = w(x, y) on boundary", "v = w(x, y) on left, top, bottom\nv = [0, 0] on right")
    with pytest.raises(GridSolveFailed, match="net flux"):
        solve_by_grid(stated(leaking.split("exact")[0]), Grid(n=12))
