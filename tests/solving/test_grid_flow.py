"""Incompressible flow on a torus, its pressure by projection."""

from __future__ import annotations

from dataclasses import replace

import torch
from sympy import Symbol

from pdedsl.ir.statement import Component, Derivative, Residual, Statement
from pdedsl.plan.grids import Scheme, scheme_of
from pdedsl.solving.grid import solve_by_grid
from pdedsl.words.solvers import Grid
from tests.solving.test_grid import stated

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


def navier_stokes() -> Statement:
    """∂u/∂t + u·∇u = -∇p + 0.1 Δu, ∇·u = 0, on the data of the pair."""
    pair = stated(PAIR)
    span = pair.equations[0].span
    found = []
    for c in (0, 1):
        pressure = letter(2, 1 - c, c, 0)
        rate, own = letter(c, 0, 0, 1), [letter(k, 0, 0, 0) for k in (0, 1)]
        slopes, bends = [letter(c, 1, 0, 0), letter(c, 0, 1, 0)], [letter(c, 2, 0, 0), letter(c, 0, 2, 0)]
        carried = own[0][0] * slopes[0][0] + own[1][0] * slopes[1][0]
        expr = rate[0] + carried + pressure[0] - (bends[0][0] + bends[1][0]) / 10
        found.append(Residual(expr, (rate, *own, *slopes, *bends, pressure), span))
    divergence = letter(0, 1, 0, 0), letter(1, 0, 1, 0)
    found.append(Residual(divergence[0][0] + divergence[1][0], divergence, span))
    components = (*pair.components, Component("p", Symbol("p"), None))
    return replace(pair, components=components, equations=tuple(found), exact=(None,) * 3)


def test_a_vortex_of_taylor_and_green() -> None:
    statement = navier_stokes()
    assert scheme_of(statement) is Scheme.FOURIER
    points = torch.rand(100, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    points[:, :2] *= 2 * torch.pi
    x, y, t = points.unbind(1)
    fall = torch.exp(-0.2 * t)
    pressure = -(torch.cos(2 * x) + torch.cos(2 * y)) / 4 * fall**2
    exact = torch.stack([torch.cos(x) * torch.sin(y) * fall, -torch.sin(x) * torch.cos(y) * fall, pressure], dim=1)
    found = solve_by_grid(statement, Grid(n=8))(points)
    assert float((found - exact).abs().max()) < 1e-9
