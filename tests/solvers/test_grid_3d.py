"""Grid solvers in three dimensions on manufactured solutions: every scheme, at its order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import pi

import torch
from torch import Tensor

from pdedsl.config.methods import Grid
from pdedsl.ir.solver_plans import (
    ChebyshevScheme,
    FiniteVolumeScheme,
    FourierScheme,
    GridScheme,
    InterfaceFVScheme,
)
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.runtime.ode.step_doubling import StepBudget
from pdedsl.solvers.grid.driver import solve_on_one_grid
from tests.solvers.problems import stated

CUBE = "pde A\nspace (x, y, z) in [0, 1]^3{sides}\n{time}unknown u(x, y, z{t}) : scalar\n"
REST = CUBE.format(sides="", time="", t="")
RING = CUBE.format(sides=" periodic", time="time t in [0, 0.1]\n", t=", t")
MOVED = "sin(2π (x + y + z - t))"
TURNED = "cos(2π (x + y + z - t))"
GENTLE = "exp(x + 2 y - z)"


def errors(
    text: str,
    kind: type[GridScheme],
    sizes: tuple[int, ...],
    exact: Callable[[Tensor], Tensor],
    ends: list[float],
) -> list[float]:
    """Root mean squares at random points, relative."""
    statement = stated(text)
    plans = [plan_grid(statement, Grid(n=n)) for n in sizes]
    assert isinstance(plans[0].scheme, kind)
    points = torch.rand(200, len(ends), dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * torch.tensor(
        ends
    )
    expected = exact(points)
    found = [
        solve_on_one_grid(plan, StepBudget(5e-7 if kind is FourierScheme else 1e-9))(points)[:, 0] for plan in plans
    ]
    return [float((f - expected).norm() / expected.norm()) for f in found]


def moved(p: Tensor) -> Tensor:
    return torch.sin(2 * pi * (p[:, 0] + p[:, 1] + p[:, 2] - p[:, 3]))


def test_fourier_is_spectrally_accurate() -> None:
    """∂u/∂t is -2π cos, and each other first derivative 2π cos; one term is a flux, and the other is none."""
    wavy = "(1 + sin(2π z))"
    source = f"2π {TURNED} ({MOVED} + {wavy} {MOVED}² - 1) + 0.12π² {MOVED}"
    text = RING + f"∂u/∂t + u ∂u/∂x + {wavy} u² ∂u/∂y = 0.01 Δu + {source}\nu(x, y, z, 0) = sin(2π (x + y + z))\n"
    (found,) = errors(text, FourierScheme, (10,), moved, [1, 1, 1, 0.1])
    assert found < 1e-8


def test_chebyshev_converges_spectrally() -> None:
    text = REST + f"Δu + x ∂u/∂y + u = (7 + 2 x) {GENTLE}\nu = {GENTLE} on x = 0, y = 0, y = 1, z = 0\n"
    text += f"∂u/∂n = {GENTLE} on x = 1\n∂u/∂n + 2 u = {GENTLE} on z = 1\n"
    found = errors(text, ChebyshevScheme, (5, 7, 9), lambda p: torch.exp(p[:, 0] + 2 * p[:, 1] - p[:, 2]), [1, 1, 1])
    assert all(a / b > 50 for a, b in pairwise(found)), found
    assert found[-1] < 1e-6


def test_finite_volumes_converge_with_order_two() -> None:
    text = (
        RING + f"∂u/∂t + ∂(u²/2)/∂x + ∂u/∂y + ∂(u²/2)/∂z = 4π {TURNED} {MOVED}\nu(x, y, z, 0) = sin(2π (x + y + z))\n"
    )
    found = errors(text, FiniteVolumeScheme, (8, 16), moved, [1, 1, 1, 0.1])
    assert found[0] / found[1] > 3, found


def test_interface_problems_converge_with_order_two() -> None:
    """k = 1 + |x - ½| changes only ∂(k ∂u/∂x)/∂x, by sign(x - ½) ∂u/∂x."""
    k = "(1 + |x - 0.5|)"
    text = REST + f"∇·({k}∇u) + ∂u/∂z = (6 {k} + sign(x - 0.5) - 1) {GENTLE}\nu = {GENTLE} on boundary\n"
    found = errors(text, InterfaceFVScheme, (4, 8), lambda p: torch.exp(p[:, 0] + 2 * p[:, 1] - p[:, 2]), [1, 1, 1])
    assert found[0] / found[1] > 3, found
