"""The default solver, by the properties of the problem."""

from __future__ import annotations

import pytest

import pdedsl
from pdedsl.config.methods import Grid, HeatKernelQuadrature, MonteCarlo, Pinn
from pdedsl.ir.plan import SolvePlan
from pdedsl.planning.solver_selection import fastest_alternative

PERIODIC = "pde A\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar{}\nu(x, 0) = sin(2π x)\n"
INTERVAL = "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
FLOW = """pde Flow
space (x, y) in [0, 2π]^2 periodic
time t in [0, 1]
unknown v(x, y, t) : vector(2)
unknown p(x, y, t) : scalar
∂v/∂t + v·∇v = -∇p + 0.1Δv
∇·v = 0
v(x, y, 0) = [cos(x) sin(y), -sin(x) cos(y)]
"""
PROBLEMS = {
    "linear": (PERIODIC.format("") + "∂u/∂t = Δu\n", Grid, "linear"),
    "nonlinear, periodic": (PERIODIC.format("") + "∂u/∂t + u² ∂u/∂x = Δu\n", Grid, "Fourier"),
    "a periodic system": (FLOW, Grid, "Fourier"),
    "stationary flow": (
        "pde Cavity\nspace (x, y) in [0, 1]^2\nunknown v(x, y) : vector(2)\nunknown p(x, y) : scalar\n"
        "v·∇v = -∇p + 0.05Δv\n∇·v = 0\nv = [0, 0] on left, right, bottom\nv = [x² (1 - x)², 0] on top\n",
        Grid,
        "Chebyshev",
    ),
    "shocks": (PERIODIC.format("") + "∂u/∂t + u ∂u/∂x = 0\n", Grid, "shocks"),
    "speed with a kink": (
        PERIODIC.format("") + "∂u/∂t + ∂((2 + |x - ½|) u)/∂x = 0\n",
        Grid,
        "shocks",
    ),
    "discontinuous initial data": (
        INTERVAL + "∂u/∂t = Δu\nu(x, 0) = heaviside(0.5 - x)\n∂u/∂n = 0 on boundary\n",
        Grid,
        "not smooth",
    ),
    "incompatible boundary data": (
        INTERVAL + "∂u/∂t = Δu\nu(x, 0) = 1\nu = 0 on boundary\n",
        Grid,
        "not smooth",
    ),
    "discontinuous coefficient": (
        INTERVAL + "∂u/∂t = ∇·((1 + heaviside(x - ½))∇u)\nu(x, 0) = sin(π x)\nu = 0 on boundary\n",
        Grid,
        "discontinuous coefficients",
    ),
    "nonlinear, Dirichlet": (
        INTERVAL + "∂u/∂t = Δu - u³\nu(x, 0) = x (1 - x)\nu = 0 on boundary\n",
        Grid,
        "nonlinear",
    ),
    "network in the spec": (PERIODIC.format(" = mlp(width=8)") + "∂u/∂t = Δu\n", Pinn, "names a network"),
    "optimizer in the spec": (
        PERIODIC.format("") + "∂u/∂t + u ∂u/∂x = Δu\ntrain { optimizer adam }\n",
        Pinn,
        "optimizer",
    ),
    "many dimensions, separable data": (
        "pde A\nspace x in [0, 1]^50 periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = Δu\n"
        "u(x, 0) = Σᵢ sin(2π xᵢ)\n",
        HeatKernelQuadrature,
        "quadrature",
    ),
    "many dimensions": (
        "pde A\nspace x in [0, 1]^50 periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = Δu\n"
        "u(x, 0) = 1/(2 + Σᵢ sin(2π xᵢ)²)\n",
        MonteCarlo,
        "dimension",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_default_solver(name: str) -> None:
    text, method, reason = PROBLEMS[name]
    plan = pdedsl.compile(text).plan
    assert isinstance(plan, SolvePlan)
    assert isinstance(plan.method, method)
    assert reason in plan.reason


@pytest.mark.parametrize(
    ("name", "faster"), [("burgers", "grid"), ("black_scholes", "grid"), ("heat", None), ("poisson_disc", None)]
)
def test_the_fastest_alternative_to_a_stated_method(name: str, faster: str | None) -> None:
    plan = pdedsl.compile(name).plan
    assert isinstance(plan, SolvePlan)
    found = fastest_alternative(plan, pdedsl.load(name))
    assert (found and found[0]) == faster
    assert found is None or found[1] < plan.candidates[0].seconds


INVERSE = (
    INTERVAL
    + """learn ν : scalar > 0 = 0.1
∂u/∂t = νΔu
u(x, 0) = sin(π x)
u = 0 on boundary
observe u from npz("points.npz")
"""
)


@pytest.mark.parametrize(
    ("text", "tolerance"),
    [
        (PERIODIC.format("") + "∂u/∂t = Δu\n", 1e-4),
        (INVERSE, 1e-4),
        (INVERSE + "realize equation by pinn\n", 1e-2),
        (PERIODIC.format(" = mlp(width=8)") + "∂u/∂t = Δu\n", 1e-2),
        (PERIODIC.format("") + "∂u/∂t + u ∂u/∂x = 0\n", 1e-2),
    ],
    ids=["grid", "inverse", "stated network", "network in the spec", "shocks"],
)
def test_default_tolerance(text: str, tolerance: float) -> None:
    plan = pdedsl.compile(text).plan
    assert isinstance(plan, SolvePlan)
    assert plan.tolerance == tolerance
