"""Grid solvers against closed forms: every scheme, at its order."""

from __future__ import annotations

from collections.abc import Callable
from math import pi

import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.config.methods import Grid
from pdedsl.ir.problem import StrongForm
from pdedsl.lowering.lower import lower
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.runtime.ode.step_doubling import StepBudget
from pdedsl.solvers.grid.driver import solve_on_one_grid
from pdedsl.solvers.method_result import SolverResult
from tests.solvers.problems import solve_by_grid

LINE = "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
RING = "pde A\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
SQUARE = "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n"
GROWING = "u(x, 0) = exp(x)\nu = exp(-t) on left\n"


def stated(text: str) -> StrongForm:
    found = lower(to_analysis(parse(text)))
    assert isinstance(found, StrongForm)
    return found


def solved(text: str, n: int) -> SolverResult:
    return solve_by_grid(stated(text), Grid(n=n))


def error(solution: SolverResult, exact: Callable[..., Tensor], coordinates: int = 2) -> float:
    """The largest, at random points of the unit cube and at its corners."""
    points = torch.rand(300, coordinates, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    points[0], points[1] = 0, 1
    with torch.no_grad():
        return float((solution(points)[:, 0] - exact(*points.unbind(1))).abs().max())


def falling(x: Tensor, t: Tensor) -> Tensor:
    return torch.exp(x - t)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        (
            "∂²u/∂t² = Δu\nu(x, 0) = sin(2π x)\n∂u/∂t(x, 0) = 0\n",
            lambda x, t: torch.sin(2 * pi * x) * torch.cos(2 * pi * t),
        ),
        (
            "∂u/∂t + ∂u/∂x = 0.1 Δu - u + sin(t)\nu(x, 0) = cos(2π x)\n",
            lambda x, t: (
                torch.cos(2 * pi * (x - t)) * torch.exp(-t * (1 + 0.4 * pi**2))
                + (torch.sin(t) - torch.cos(t) + torch.exp(-t)) / 2
            ),
        ),
    ],
)
def test_fourier_is_spectrally_accurate(text: str, exact: Callable[..., Tensor]) -> None:
    assert error(solved(RING + text, 16), exact) < 1e-9


@pytest.mark.parametrize(
    "text",
    [
        "∂u/∂t = Δu - 2 exp(x - t)\nu(x, 0) = exp(x)\nu = exp(-t) on left\n∂u/∂n + u = 2 exp(1 - t) on right\n",
        "∂²u/∂t² = Δu\n∂u/∂t(x, 0) = -exp(x)\n∂u/∂n = exp(1 - t) on right\n" + GROWING,
        "∂²u/∂t² = Δu\n∂u/∂t(x, 0) = -exp(x)\n∂u/∂t + ∂u/∂n = 0 on right\n" + GROWING,
        "∂u/∂t + ∂u/∂x = 0\n" + GROWING,
        "∂u/∂t = u ∂²u/∂x² - exp(x - t) - exp(2 x - 2 t)\nu = exp(1 - t) on right\n" + GROWING,
        "∂u/∂t = -∂⁴u/∂x⁴\nu(x, 0) = exp(x)\nu = exp(x - t) on boundary\n∂u/∂x = exp(x - t) on boundary\n",
    ],
    ids=["heat with Robin", "wave", "absorbing boundary", "transport", "nonlinear diffusion", "fourth order"],
)
def test_chebyshev_evolution_problems(text: str) -> None:
    assert error(solved(LINE + text, 16), falling) < 1e-9


@pytest.mark.parametrize(
    "text",
    [
        "Δu = 2 exp(x + y)\nu = exp(x + y) on boundary\n",
        "Δu = u³ + 2 exp(x + y) - exp(3 x + 3 y)\nu = exp(x + y) on left, bottom, top\n∂u/∂n = exp(1 + y) on right\n",
    ],
    ids=["Poisson", "cubic, with a normal derivative"],
)
def test_chebyshev_stationary_problems(text: str) -> None:
    assert error(solved(SQUARE + text, 14), lambda x, y: torch.exp(x + y)) < 1e-11


def test_even_and_odd_periodic_extension() -> None:
    text = "∂u/∂t = 0.1 Δu\nu(x, 0) = sin(π x)\nu = 0 on boundary\n"
    found = solved(LINE + text, 8)
    assert error(found, lambda x, t: torch.sin(pi * x) * torch.exp(-0.1 * pi**2 * t)) < 1e-12
    assert any("periodic extension" in note for note in found.notes)


def test_finite_volumes_converge_with_order_two_in_l1() -> None:
    """Burgers' equation without diffusion, before its shock: u = sin 2π(x - u t)."""
    head = RING.replace("t in [0, 1]", "t in [0, 0.1]")
    points = torch.rand(300, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x, t = points[:, 0], 0.1 * points[:, 1]
    exact = torch.sin(2 * pi * x)
    for _ in range(60):
        gap = exact - torch.sin(2 * pi * (x - exact * t))
        exact = exact - gap / (1 + 2 * pi * t * torch.cos(2 * pi * (x - exact * t)))
    errors = []
    for n in (32, 128):
        found = solved(head + "∂u/∂t + u ∂u/∂x = 0\nu(x, 0) = sin(2π x)\n", n)
        errors.append(float((found(torch.stack([x, t], 1))[:, 0] - exact).abs().mean()))
    assert errors[0] / errors[1] > 4**1.7


def test_dam_break() -> None:
    """Stoker 1957: a rarefaction, a state between, a shock; q² / h + h² / 2 is the flux of q."""
    text = (
        "pde A\nspace x in [-5, 5]\ntime t in [0, 1]\nunknown h(x, t) : scalar\nunknown q(x, t) : scalar\n"
        "∂h/∂t + ∂q/∂x = 0\n∂q/∂t + ∂(q²/h + h²/2)/∂x = 0\nh(x, 0) = 2 - heaviside(x)\nq(x, 0) = 0\n"
        "∂h/∂n = 0 on boundary\n∂q/∂n = 0 on boundary\n"
    )
    height = 1.5  # between: 2 (√2 - √h) = (h - 1) √((h + 1) / (2 h)), by bisection
    low, high = 1.0, 2.0
    for _ in range(60):
        height = (low + high) / 2
        rising = 2 * (2**0.5 - height**0.5) > (height - 1) * ((height + 1) / (2 * height)) ** 0.5
        low, high = (height, high) if rising else (low, height)
    found = solved(text, 100)(torch.tensor([[0.6, 1.0], [-4.0, 1.0], [3.0, 1.0]], dtype=torch.float64))
    assert torch.allclose(found[:, 0], torch.tensor([height, 2.0, 1.0], dtype=torch.float64), atol=2e-3)
    assert abs(float(found[0, 1]) - 2 * height * (2**0.5 - height**0.5)) < 5e-3


def test_incompatible_initial_and_boundary_data() -> None:
    """u = Σ 4/(πk) sin(kπx) exp(-κk²π²t) over odd k: by 200 of them exact beyond t = 1e-3."""
    text = "pde A\nspace x in [0, 1]\ntime t in [0, 0.5]\nunknown u(x, t) : scalar\n∂u/∂t = 0.1 Δu\nu(x, 0) = 1\n"
    solution = solve_by_grid(stated(text + "u = 0 on boundary\n"), Grid(n=32))
    x, t = torch.rand(2, 300, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    t = 0.01 + 0.49 * t
    k = pi * torch.arange(1, 400, 2)
    exact = (4 / k * torch.sin(k * x[:, None]) * torch.exp(-0.1 * k**2 * t[:, None])).sum(1)
    assert float((solution(torch.stack([x, t], 1))[:, 0] - exact).abs().max()) < 1e-5
    assert any("incompatible" in note for note in solution.notes)
    assert solution.metrics["error"] >= solution.metrics["time-stepping error"]


def test_wave_equation_with_incompatible_data() -> None:
    """The normal derivative of the data is one on the right, that of the solution is zero: the even extension of the
    data, ½ - Σ 4/(πk)² cos(πk x), moves to both sides."""
    text = (
        "pde W\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
        "∂²u/∂t² = Δu\nu(x, 0) = x\n∂u/∂t(x, 0) = 0\n∂u/∂n = 0 on boundary\n"
    )
    solution = solve_on_one_grid(plan_grid(stated(text), Grid(n=24)), StepBudget(1e-3))
    x = torch.linspace(0.05, 0.95, 19, dtype=torch.float64)
    k = torch.arange(1, 400, 2)[:, None]
    exact = 0.5 - (4 / (pi * k) ** 2 * torch.cos(pi * k * x) * torch.cos(0.7 * pi * k)).sum(0)
    with torch.no_grad():
        values = solution(torch.stack([x, torch.full_like(x, 0.7)], 1))[:, 0]
    assert float((values - exact).norm() / exact.norm()) < 0.02  # kinks of the solution


@pytest.mark.parametrize(
    ("flux", "shock"),
    [("u²/2", 0.5), ("u²/(u² + ½ (1 - u)²)", 1.3660254)],  # f(1), and f(s)/s with s = 1/√3 by Welge's tangent
    ids=["Burgers", "Buckley-Leverett"],
)
def test_inflow_into_a_constant_state(flux: str, shock: float) -> None:
    """The wave speeds of the initial state are zero; those of a flux that is not convex vanish at both states."""
    text = (
        "pde C\nspace x in [0, 1]\ntime t in [0, 0.5]\nunknown u(x, t) : scalar\n"
        f"∂u/∂t + ∂({flux})/∂x = 0\nu(x, 0) = 0\nu = 1 on left\nrealize equation by grid(n=128)\n"
    )
    x = torch.linspace(0.002, 0.998, 250, dtype=torch.float64)
    with torch.no_grad():
        u = pdedsl.solve(text)(torch.stack([x, torch.full_like(x, 0.5)], 1))[:, 0]
    assert float(x[u > 0.2].max()) == pytest.approx(0.5 * shock, abs=0.02)  # two cells
    assert float(u.max()) < 1.01
    assert bool((u.diff() < 1e-6).all())  # the solution decreases
