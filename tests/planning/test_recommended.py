"""Which method solves an equation whose spec names none, decided by what suits it."""

from __future__ import annotations

import pytest

import pdedsl
from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures, Solver
from pdedsl.ir.plan import SolvePlan

RING = "pde A\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar{}\nu(x, 0) = sin(2π x)\n"
LINE = "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
FLOW = """pde Flow
space (x, y) in [0, 2π]^2 periodic
time t in [0, 1]
unknown v(x, y, t) : vector(2)
unknown p(x, y, t) : scalar
∂v/∂t + v·∇v = -∇p + 0.1Δv
∇·v = 0
v(x, y, 0) = [cos(x) sin(y), -sin(x) cos(y)]
"""
STATEMENTS = {
    "linear": (RING.format("") + "∂u/∂t = Δu\n", RandomFeatures(), "linear"),
    "not linear, periodic": (RING.format("") + "∂u/∂t + u ∂u/∂x = Δu\n", Grid(n=256), "Fourier"),
    "a periodic system": (FLOW, Grid(n=96), "Fourier"),
    "a flow between sides": (
        "pde Cavity\nspace (x, y) in [0, 1]^2\nunknown v(x, y) : vector(2)\nunknown p(x, y) : scalar\n"
        "v·∇v = -∇p + 0.05Δv\n∇·v = 0\nv = [0, 0] on left, right, bottom\nv = [x² (1 - x)², 0] on top\n",
        Grid(n=24),
        "pressure",
    ),
    "shocks": (RING.format("") + "∂u/∂t + u ∂u/∂x = 0\n", Grid(n=256), "may jump"),
    "a speed with a kink": (
        RING.format("") + "∂u/∂t + ∂((2 + |x - ½|) u)/∂x = 0\n",
        Grid(n=256),
        "may jump",
    ),
    "data that jump": (
        LINE + "∂u/∂t = Δu\nu(x, 0) = heaviside(0.5 - x)\n∂u/∂n = 0 on boundary\n",
        Grid(n=256),
        "data in time jump",
    ),
    "data that do not meet the sides": (
        LINE + "∂u/∂t = Δu\nu(x, 0) = 1\nu = 0 on boundary\n",
        Grid(n=256),
        "do not meet the sides",
    ),
    "a coefficient that jumps": (
        LINE + "∂u/∂t = ∇·((1 + heaviside(x - ½))∇u)\nu(x, 0) = sin(π x)\nu = 0 on boundary\n",
        Grid(n=256),
        "a coefficient jumps",
    ),
    "not linear, between sides": (
        LINE + "∂u/∂t = Δu - u³\nu(x, 0) = x (1 - x)\nu = 0 on boundary\n",
        Pinn(),
        "not linear",
    ),
    "a network is named": (RING.format(" = mlp(width=8)") + "∂u/∂t = Δu\n", Pinn(), "what is trained"),
    "an optimizer is named": (
        RING.format("") + "∂u/∂t + u ∂u/∂x = Δu\ntrain { optimizer adam }\n",
        Pinn(),
        "or how",
    ),
    "many dimensions": (
        "pde A\nspace x in [0, 1]^50 periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = Δu\n"
        "u(x, 0) = Σᵢ sin(2π xᵢ)\n",
        MonteCarlo(),
        "51",
    ),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_method_follows_from_the_statement(name: str) -> None:
    text, method, reason = STATEMENTS[name]
    plan = pdedsl.compile(text).plan
    assert isinstance(plan, SolvePlan)
    found: Solver = plan.method
    assert found == method
    assert reason in plan.reason
