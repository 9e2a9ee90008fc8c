"""Grid solvers against other solvers (exponax) and closed forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.special import roots_hermite
from torch import Tensor

from pdedsl.config.methods import Grid
from pdedsl.ir.solver_plans import FourierScheme
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.solvers.grid import driver
from pdedsl.sources import shipped_specs
from tests.solvers.problems import solve_by_grid
from tests.solvers.test_grid import stated

pytestmark = pytest.mark.long

VALUES = json.loads(Path(__file__).with_name("exponax.json").read_text(encoding="utf-8"))
EQUATIONS = {
    "Kuramoto-Sivashinsky": ("∂u/∂t + u ∂u/∂x + Δu + Δ²u = 0", 64),
    "Burgers": ("∂u/∂t + u ∂u/∂x = 0.05 Δu", 256),
    "Allen-Cahn": ("∂u/∂t = 0.01 Δu + u - u³", 64),
    "Korteweg-de Vries": ("∂u/∂t + u ∂u/∂x + 0.05 ∂³u/∂x³ = 0", 96),
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_periodic_equations_agree_with_exponax(name: str) -> None:
    equation, n = EQUATIONS[name]
    reference = VALUES[name]
    extent, time = reference["extent"], reference["time"]
    start = f"u(x, 0) = cos(2π x/{extent:g}) (1 + sin(2π x/{extent:g}))"
    head = f"pde A\nspace x in [0, {extent:g}] periodic\ntime t in [0, {time:g}]\nunknown u(x, t) : scalar\n"
    solution = solve_by_grid(stated(f"{head}{equation}\n{start}\n"), Grid(n=n))
    x = torch.arange(16, dtype=torch.float64) * (extent / 16)
    found = solution(torch.stack([x, torch.full_like(x, time)], dim=1))[:, 0]
    assert float((found - torch.tensor(reference["values"], dtype=torch.float64)).abs().max()) < 1e-8


def test_stored_exponax_values_have_converged() -> None:
    assert {name: v["own difference"] for name, v in VALUES.items() if v["own difference"] > 2e-9} == {}


def cole_hopf(x: np.ndarray, t: np.ndarray, nodes: int) -> np.ndarray:
    """Burgers' equation with ν = 0.01/π from -sin(πx): quotients of Gaussian means (Basdevant et al. 1986)."""
    ν = 0.01 / np.pi
    z, weights = roots_hermite(nodes)
    y = x[:, None] - np.sqrt(4 * ν * t)[:, None] * z
    density = weights * np.exp(-np.cos(np.pi * y) / (2 * np.pi * ν) - 1 / (2 * np.pi * ν))
    return -(density * np.sin(np.pi * y)).sum(1) / density.sum(1)


def test_burgers_with_a_thin_layer_has_eight_digits() -> None:
    solution = solve_by_grid(stated(shipped_specs()["burgers"].read_text(encoding="utf-8")), Grid(n=1536))
    points = torch.rand(1000, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    points[:, 0] = 2 * points[:, 0] - 1
    points[:300, 0] *= 0.02  # in the layer
    x, t = points.numpy().T
    exact, again = cole_hopf(x, t, 320), cole_hopf(x, t, 280)
    assert abs(exact - again).max() < 1e-12
    found = solution(points)[:, 0].numpy()
    assert np.linalg.norm(found - exact) / np.linalg.norm(exact) < 1e-8
    assert abs(found - exact).max() < 1e-8


def derivative(value: Callable[..., Tensor], at: float) -> tuple[float, float]:
    """By autograd, and by central differences of order four of solutions with finer steps in time: the number of steps
    depends on the coefficient, and differences would see where it changes."""
    number = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(value(number), number)
    h = 1e-3 * at
    with torch.no_grad():
        sides = [float(value(torch.tensor(at + k * h, dtype=torch.float64), 1e-9)) for k in (-2, -1, 1, 2)]
    return float(slope), (sides[0] - 8 * sides[1] + 8 * sides[2] - sides[3]) / (12 * h)


RING = "pde A\nspace x in [0, 1] periodic\ntime t in [0, 0.2]\nunknown u(x, t) : scalar\nlearn ν : scalar > 0\n"
SQUARE = "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\nlearn ν : scalar > 0\n"
GRADIENTS = {
    "heat": (RING + "∂u/∂t = ν Δu\nu(x, 0) = sin(2π x)\n", 8, (0.3, 0.1)),
    "Burgers": (RING + "∂u/∂t + u ∂u/∂x = ν Δu\nu(x, 0) = sin(2π x)\n", 32, (0.3, 0.1)),
    "a conservation law": (
        RING.replace("0.2]", "0.1]") + "∂u/∂t + 9ν u ∂u/∂x = 0\nu(x, 0) = 2 + sin(2π x)\n",
        *(16, (0.3, 0.07)),
    ),
    "cubic, stationary": (SQUARE + "ν Δu = u³ + 1\nu = 0 on boundary\n", 10, (0.3, 0.4)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_with_respect_to_a_coefficient(name: str) -> None:
    text, n, point = GRADIENTS[name]
    plan = plan_grid(stated(text), Grid(n=n))

    def value(number: Tensor, tolerance: float | None = None) -> Tensor:
        is_fourier = isinstance(plan.scheme, FourierScheme) and tolerance is not None
        scheme = replace(plan.scheme, tolerance=tolerance) if is_fourier else plan.scheme
        found = driver.solve_by_grid(replace(plan, scheme=scheme), parameter_values={"ν": number})
        return found(torch.tensor([point], dtype=torch.float64))[0, 0]

    by_grad, by_differences = derivative(value, 0.1)
    assert abs(by_grad - by_differences) < 1e-7 * max(1.0, abs(by_differences))


def test_kdv_soliton() -> None:
    head = "pde A\nspace x in [0, 40] periodic\ntime t in [0, 0.25]\nunknown u(x, t) : scalar\n"
    text = head + "∂u/∂t + 6 u ∂u/∂x + ∂³u/∂x³ = 0\nu(x, 0) = 2/cosh(x - 20)^2\n"
    solution = solve_by_grid(stated(text), Grid(n=256))
    points = torch.rand(200, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x, t = 40 * points[:, 0], 0.25 * points[:, 1]
    exact = 2 / torch.cosh(x - 20 - 4 * t) ** 2
    assert float((solution(torch.stack([x, t], 1))[:, 0] - exact).abs().max()) < 1e-8
