"""Convolution with the heat kernel: closed forms, images, kinks, Duhamel's principle, radial data."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from scipy.integrate import quad
from scipy.stats import chi2
from torch import Tensor

import pdedsl
from pdedsl.compiler import Compilation
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.solver_plans import HeatKernelPlan
from pdedsl.planning.transforms import plan_heat_kernel
from pdedsl.solvers.dispatch import confidence_half_width, solve_with
from pdedsl.solvers.heat_kernel import HeatKernelSolution, ProductSolution
from pdedsl.solvers.solver_method import SolveOptions

TIME = "time t in [0, 1]\nunknown u(x, t) : scalar\n"


def kernel_solution(compilation: Compilation, n: int) -> HeatKernelSolution:
    assert isinstance(compilation.plan, SolvePlan)
    plan = plan_heat_kernel(compilation.plan.problem)
    assert plan is not None
    return HeatKernelSolution(plan.kernel, n)


@pytest.mark.parametrize(
    ("conditions", "exact"),  # in x and the decay e^{-0.1 π² t}
    [
        ("u(x, 0) = sin(π x)\nu = 0 on boundary\n", lambda x, d: torch.sin(math.pi * x) * d),
        ("u(x, 0) = cos(π x)\nn·∇u = 0 on boundary\n", lambda x, d: torch.cos(math.pi * x) * d),
        (
            "u(x, 0) = sin(π x/2)\nu = 0 on left\nn·∇u = 0 on right\n",
            lambda x, d: torch.sin(math.pi * x / 2) * d**0.25,
        ),
    ],
    ids=["dirichlet", "neumann", "mixed"],
)
def test_images(conditions: str, exact: Callable[[Tensor, float], Tensor]) -> None:
    text = f"pde P\nspace x in [0, 1]\n{TIME}∂u/∂t = 0.1 ∂²u/∂x²\n{conditions}"
    module = kernel_solution(pdedsl.compile(text), 64)
    x = torch.linspace(0, 1, 11, dtype=torch.float64)
    for t in (0.0, 0.01, 1.0):
        values = module(torch.stack([x, torch.full_like(x, t)], 1))[:, 0]
        expected = exact(x, math.exp(-0.1 * math.pi**2 * t))
        torch.testing.assert_close(values, expected, rtol=1e-11, atol=1e-12)


def test_drift_and_rate_on_a_circle() -> None:
    """u = e^{0.3t - 0.4π²t} sin(2π(x + 0.5t)) is transported, grows and decays."""
    text = f"pde P\nspace x in [0, 1] periodic\n{TIME}∂u/∂t = 0.1 ∂²u/∂x² + 0.5 ∂u/∂x + 0.3u\nu(x, 0) = sin(2π x)\n"
    module = kernel_solution(pdedsl.compile(text), 96)
    x = torch.linspace(0, 1, 9, dtype=torch.float64)
    values = module(torch.stack([x, torch.full_like(x, 0.6)], 1))[:, 0]
    decay = math.exp(0.18 - 0.24 * math.pi**2)
    torch.testing.assert_close(values, decay * torch.sin(2 * math.pi * (x + 0.3)), rtol=1e-10, atol=1e-12)


def test_kink_of_the_data() -> None:
    """u(x, 0) = x(1 - x) continued oddly has jumps in its second derivative at both ends; Fourier series."""
    text = f"pde P\nspace x in [0, 1]\n{TIME}∂u/∂t = 0.1 ∂²u/∂x²\nu(x, 0) = x(1 - x)\nu = 0 on boundary\n"
    module = kernel_solution(pdedsl.compile(text), 32)
    assert len(module.kernel.breaks) == 2
    x = torch.linspace(0.05, 0.95, 7, dtype=torch.float64)
    odd = torch.arange(1, 200, 2, dtype=torch.float64)[:, None]
    waves = math.pi * odd
    series = (8 / waves**3 * torch.exp(-0.1 * waves**2 * 0.02) * torch.sin(waves * x)).sum(0)
    values = module(torch.stack([x, torch.full_like(x, 0.02)], 1))[:, 0]
    torch.testing.assert_close(values, series, rtol=1e-11, atol=1e-13)


def test_duhamel() -> None:
    """∂u/∂t = u_xx/π² + e^{-2t} sin(πx) from zero: u = (e^{-t} - e^{-2t}) sin(πx)."""
    text = f"pde P\nspace x in [0, 1]\n{TIME}∂u/∂t = ∂²u/∂x²/π² + exp(-2t) sin(π x)\nu(x, 0) = 0\nu = 0 on boundary\n"
    module = kernel_solution(pdedsl.compile(text), 48)
    x = torch.linspace(0, 1, 5, dtype=torch.float64)
    values = module(torch.stack([x, torch.full_like(x, 0.7)], 1))[:, 0]
    expected = (math.exp(-0.7) - math.exp(-1.4)) * torch.sin(math.pi * x)
    torch.testing.assert_close(values, expected, rtol=1e-10, atol=1e-12)


def test_logarithm_does_not_underflow() -> None:
    """v = exp(-500 (1 - cos πx)) at t = 0 is 0 in double precision at x = 1; its logarithm is -1000."""
    text = f"pde P\nspace x in [-1, 1] periodic\n{TIME}∂u/∂t = 1e-3 ∂²u/∂x²\nu(x, 0) = exp(-500 (1 - cos(π x)))\n"
    module = kernel_solution(pdedsl.compile(text), 128)
    points = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    assert float(module(points)) == 0.0
    assert abs(float(module.logarithm(points)) + 1000) < 1e-6


# ---- The Hamilton-Jacobi-Bellman equation in 100 dimensions


@pytest.mark.slow
def test_hamilton_jacobi_bellman_in_100_dimensions(tmp_path: Path) -> None:
    """u(0, 0) = -log E 2/(1 + 2Q), Q chi-square with 100 degrees of freedom: 4.5901 (E, Han, Jentzen 2017)."""
    mean = quad(lambda q: 2 / (1 + 2 * q) * chi2.pdf(q, 100), 0, 400, epsabs=1e-14, limit=200)[0]
    solution = pdedsl.solve("hjb_100d", tmp_path / "run")
    assert solution.error.value < 1e-6
    value = float(solution(x=[0.0] * 100, t=0.0))
    assert abs(value / -math.log(mean) - 1) < 1e-10
    assert abs(value - 4.5901) < 1e-4
    opened = pdedsl.Solution.open(tmp_path / "run")
    assert float(opened(x=[0.0] * 100, t=0.0)) == value
    report = (tmp_path / "run" / "report.md").read_text("utf-8")
    assert "the Hopf-Cole transform (Hopf 1950; Cole 1951)" in report


def test_radial_quadrature_agrees_with_paths() -> None:
    """The same equation in 100 dimensions by Monte Carlo, off the origin: within 3 half-widths of a 95 % interval."""
    text = (
        "pde P\nspace x in R^100\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t + Δu - ‖∇u‖² = 0\n"
        "u(x, 1) = log((1 + ‖x‖²)/2){}\n"
    )
    radial = pdedsl.compile(text.format(""))
    other = pdedsl.compile(text.format(" + 1e-12 x[1]"))  # no longer radial
    assert isinstance(radial.plan, SolvePlan)
    assert isinstance(other.plan, SolvePlan)
    names = [plan.solver.name for plan in (radial.plan, other.plan)]
    assert names == [
        "heat_kernel_quadrature after the Hopf-Cole transform",
        "monte_carlo after the Hopf-Cole transform",
    ]
    points = torch.full((1, 101), 0.5, dtype=torch.float64)
    expected = solve_with(radial.plan.solver.resize(64), SolveOptions())(points)
    paths = solve_with(other.plan.solver.resize(20_000), SolveOptions())
    half_width = float(confidence_half_width(paths, points))
    assert 0 < half_width < 1e-2
    assert abs(float(paths(points)) - float(expected)) < 3 * half_width


def test_products_in_many_dimensions() -> None:
    """Periodic, Neumann and Dirichlet axes in six dimensions: e^{0.2t} Σ of products of decaying modes; a constant is a
    factor along the Dirichlet axis, whose odd continuation jumps."""
    text = (
        "pde P\nspace (a, b, c, d, e, f) in [0, 1]^6\ntime t in [0, 1]\nunknown u(a, b, c, d, e, f, t) : scalar\n"
        "∂u/∂t = 0.1Δu + 0.2u\nu(a, b, c, d, e, f, 0) = cos(π b) exp(c) cos(π d) exp(-c) + 3 cos(2π e)\n"
        "∂u/∂n = 0 on boundary\n"
    )
    module = product_solution(text)
    points = torch.rand(20, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    _, b, _, d, e, _, t = points.T
    first = torch.cos(math.pi * b) * torch.cos(math.pi * d) * torch.exp(-0.2 * math.pi**2 * t)
    expected = torch.exp(0.2 * t) * (first + 3 * torch.cos(2 * math.pi * e) * torch.exp(-0.4 * math.pi**2 * t))
    torch.testing.assert_close(module(points)[:, 0], expected, rtol=1e-10, atol=1e-12)


def product_solution(text: str) -> ProductSolution:
    compilation = pdedsl.compile(text)
    assert isinstance(compilation.plan, SolvePlan)
    first = compilation.plan.candidates[0].solver
    assert isinstance(first, HeatKernelPlan)
    return ProductSolution(first.kernel, 96)


def test_a_constant_is_a_factor_along_odd_axes() -> None:
    """sin(πx)·1·1·1 with u = 0 at both ends of y: the Fourier series of 1 along y."""
    text = (
        "pde P\nspace (x, y, z, w) in [0, 1]^4\ntime t in [0, 1]\nunknown u(x, y, z, w, t) : scalar\n∂u/∂t = 0.1Δu\n"
        "u(x, y, z, w, 0) = cos(π x)\n∂u/∂n = 0 on x = 0, x = 1, z = 0, z = 1, w = 0, w = 1\nu = 0 on y = 0, y = 1\n"
    )
    x, y, t = 0.3, 0.2, 0.5
    value = product_solution(text)(torch.tensor([[x, y, 0.6, 0.7, t]], dtype=torch.float64)).item()
    waves = [math.pi * k for k in range(1, 60, 2)]
    series = sum(4 / w * math.exp(-0.1 * w**2 * t) * math.sin(w * y) for w in waves)
    assert value == pytest.approx(math.cos(math.pi * x) * math.exp(-0.1 * math.pi**2 * t) * series, rel=1e-10)


def test_data_that_mix_coordinates_are_no_products() -> None:
    text = (
        "pde P\nspace (x, y, z, w) in [0, 1]^4 periodic\ntime t in [0, 1]\nunknown u(x, y, z, w, t) : scalar\n"
        "∂u/∂t = 0.1Δu\nu(x, y, z, w, 0) = 1/(3 + sin(2π x) + sin(2π y))\n"
    )
    plan = pdedsl.compile(text).plan
    assert isinstance(plan, SolvePlan)
    assert plan_heat_kernel(plan.problem) is None
