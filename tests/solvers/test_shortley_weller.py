"""Shortley-Weller differences: closed forms at their order, and finite elements of scikit-fem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from skfem import Basis, BilinearForm, ElementTriP1, LinearForm, MeshTri, condense, solve
from skfem.helpers import dot, grad
from sympy import Expr

from pdedsl.config.methods import Grid
from pdedsl.ir.boundary import LevelSet
from pdedsl.ir.problem import StrongForm
from tests.solvers.problems import solve_by_grid
from tests.solvers.test_grid import stated

SQUARE = "pde A\nspace (x, y) in [-1, 1]^2\nunknown u(x, y) : scalar\n"


def cut(statement: StrongForm, *levels: Expr) -> StrongForm:
    """The same problem where every level is positive, its first condition on the curves that bound it, too."""
    given = statement.conditions[0]
    curves = tuple(replace(given, place=LevelSet(g)) for g in levels)
    domain = replace(statement.domain, inequalities=levels)
    return replace(statement, domain=domain, conditions=(*statement.conditions, *curves))


def disc(text: str, *, hole: bool = False) -> StrongForm:
    statement = stated(SQUARE + text)
    x, y = statement.domain.coordinates
    return cut(statement, 1 - x**2 - y**2, *([(x - 0.3) ** 2 + y**2 - 0.04] if hole else []))


def places(hole: float) -> torch.Tensor:
    points = 2 * torch.rand(600, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) - 1
    x, y = points.unbind(1)
    return points[(x**2 + y**2 < 1) & ((x - 0.3) ** 2 + y**2 > hole)]


def test_annulus_converges_with_order_two() -> None:
    statement = disc("Δu + u = 4 exp(2x) cos(y)\nu = exp(2x) cos(y) on boundary\n", hole=True)
    points = places(0.05)
    exact = torch.exp(2 * points[:, 0]) * torch.cos(points[:, 1])
    errors = [float((solve_by_grid(statement, Grid(n=n))(points)[:, 0] - exact).abs().max()) for n in (16, 32, 64)]
    assert errors[2] < 1e-3
    assert errors[0] / errors[2] > 4**1.8


@BilinearForm
def stiffness(u, v, _):  # type: ignore[no-untyped-def]
    return dot(grad(u), grad(v))


@LinearForm
def load(v, w):  # type: ignore[no-untyped-def]
    return np.exp(w.x[0]) * v


def by_elements(refinements: int, points: np.ndarray) -> np.ndarray:
    """-Δu = eˣ on the unit disc, u = 0 around it, by linear elements."""
    mesh = MeshTri.init_circle(refinements)
    basis = Basis(mesh, ElementTriP1())
    u = solve(*condense(stiffness.assemble(basis), load.assemble(basis), D=mesh.boundary_nodes()))
    return np.asarray(basis.probes(points.T) @ u)


def test_disc_agrees_with_scikit_fem() -> None:
    points = 0.95 * places(0.0)
    residual_norms = []
    for n, refinements in ((16, 3), (64, 5)):
        found = solve_by_grid(disc("-Δu = exp(x)\nu = 0 on boundary\n"), Grid(n=n))(points)[:, 0]
        residual_norms.append(abs(found.numpy() - by_elements(refinements, points.numpy())).max())
    assert residual_norms[1] < 1e-3
    assert residual_norms[0] / residual_norms[1] > 4**1.7
