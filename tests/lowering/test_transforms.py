"""Transforms of problems: recognition, hypotheses, and solutions with and without the transform."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest
import torch
from scipy.integrate import quad
from torch import Tensor

import pdedsl
from pdedsl.config.methods import Elements, Grid
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import HeatKernelPlan, TransformedPlan
from pdedsl.lowering.transforms import transforms_of
from pdedsl.solvers.dispatch import solve_with
from pdedsl.solvers.solver_method import SolveOptions

INTERVAL = "pde P\nspace x in [-1, 1]\ntime t in [0, 0.5]\nunknown u(x, t) : scalar\n"
PERIODIC = INTERVAL.replace("[-1, 1]", "[-1, 1] periodic")
LINE = INTERVAL.replace("[-1, 1]", "R")
BURGERS = "∂u/∂t + u ∂u/∂x = 0.05 ∂²u/∂x²\n"


def plan_of(text: str) -> SolvePlan:
    plan = pdedsl.compile(text).plan
    assert isinstance(plan, SolvePlan)
    return plan


def first_solver(text: str) -> TransformedPlan:
    solver = plan_of(text).solver
    assert isinstance(solver, TransformedPlan)
    return solver


def theorems(problem: StrongForm) -> list[str]:
    return [t.theorem.name for t in transforms_of(problem)]


def sample_points(problem: StrongForm, count: int = 64) -> Tensor:
    """At times and places in the interior."""
    fractions = torch.rand(count, len(problem.domain.coordinates), generator=torch.Generator().manual_seed(0))
    low = torch.tensor([float(i.start) for i in problem.domain.intervals])
    high = torch.tensor([float(i.end) for i in problem.domain.intervals])
    return (low + (0.1 + 0.8 * fractions) * (high - low)).double()


# ---- Hopf-Cole


@pytest.mark.parametrize(
    "text",
    [
        INTERVAL + BURGERS + "u(x, 0) = -sin(π x)\nu = 0 on boundary\n",
        PERIODIC + BURGERS + "u(x, 0) = sin(π x)\n",
        PERIODIC + BURGERS + "u(x, 0) = 0.5 + sin(π x)\n",
        PERIODIC + "∂u/∂t = 0.05 ∂²u/∂x² + 3 u ∂u/∂x + 0.7 ∂u/∂x\nu(x, 0) = cos(π x)/2 - 0.25\n",
        PERIODIC + "∂u/∂t + ½ ‖∇u‖² = 0.05Δu\nu(x, 0) = cos(π x)/8\n",
        PERIODIC + "∂u/∂t = 0.05Δu + ‖∇u‖² + 0.3 ∂u/∂x\nu(x, 0) = sin(π x)/4\n",
        INTERVAL + "∂u/∂t + ‖∇u‖² = 0.1Δu\nu(x, 0) = cos(π x)/8\nn·∇u = 0 on boundary\n",
        PERIODIC + "∂u/∂t + ½ ‖∇u‖² + 0.05Δu = 0\nu(x, 0.5) = cos(π x)/8\n",
    ],
    ids=["dirichlet", "periodic", "mean", "drift", "hamilton_jacobi", "drift_and_square", "neumann", "terminal"],
)
def test_hopf_cole_agrees_with_a_grid(text: str) -> None:
    """With and without the transform, to 1e-8: the grid has an error of 1e-9."""
    compilation = pdedsl.compile(text)
    solver = first_solver(text)
    assert solver.transform.theorem.name == "the Hopf-Cole transform"
    assert isinstance(solver.inner, HeatKernelPlan)
    points = sample_points(solver.problem)
    transformed = solve_with(solver.resize(256), SolveOptions())(points)
    direct = solve_with(compilation.plan_solver(Grid(n=96)), SolveOptions())(points)
    torch.testing.assert_close(transformed, direct, rtol=1e-8, atol=1e-8)


@cache
def shock_layer() -> pdedsl.Solution:
    return pdedsl.solve("burgers_hopf_cole")


def test_largest_slope_of_a_shock_layer() -> None:
    """ν = 0.01/π: max |∂u/∂x| = 152.00516 at πt = 1.6037 (Basdevant et al. 1986, table 2)."""
    solution = shock_layer()
    assert solution.error.value <= 1e-10
    assert len(solution.attempts) == 2
    slopes = solution.gradient(x=[0.0] * 3, t=[1.6036 / math.pi, 1.6037 / math.pi, 1.6038 / math.pi])[:, 0]
    assert abs(float(slopes.abs().max()) - 152.00516) < 6e-6


def test_shock_layer_against_quadpack() -> None:
    """Cole's formula by adaptive quadrature, with the largest value of the exponent subtracted."""
    nu, x, t = 0.01 / math.pi, 0.3, 0.7

    def weight(eta: float) -> float:
        return math.exp((-math.cos(math.pi * (x - eta)) - 1) / (2 * math.pi * nu) - eta**2 / (4 * nu * t))

    peaks = [k / 50 for k in range(-60, 61)]
    upper = quad(lambda e: math.sin(math.pi * (x - e)) * weight(e), -1.2, 1.2, points=peaks, limit=500, epsabs=0)[0]
    lower = quad(weight, -1.2, 1.2, points=peaks, limit=500, epsabs=0)[0]
    solution = shock_layer()
    assert abs(float(solution(x=x, t=t)) + upper / lower) < 1e-10


def test_traveling_wave_on_the_line() -> None:
    """u = c - a tanh(a (x - ct)/(2ν)), with data that do not vanish at infinity."""
    wave = "0.3 - tanh((x - 0.3 t)/0.1)"
    solver = first_solver(LINE + f"{BURGERS}u(x, 0) = {wave.replace(' - 0.3 t', '')}\n")
    assert solver.name == "heat_kernel_quadrature after the Hopf-Cole transform"
    x = torch.linspace(-2, 2, 41, dtype=torch.float64)
    values = solve_with(solver.resize(256), SolveOptions())(torch.stack([x, torch.full_like(x, 0.5)], 1))[:, 0]
    torch.testing.assert_close(values, 0.3 - torch.tanh((x - 0.15) / 0.1), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "text",
    [
        PERIODIC + "∂u/∂t + u ∂u/∂x = 0.05 ∂²u/∂x² + sin(x)\nu(x, 0) = sin(π x)\n",
        PERIODIC + "∂u/∂t + u ∂u/∂x = (1.1 + cos(π x)) ∂²u/∂x²\nu(x, 0) = sin(π x)\n",
        PERIODIC + "∂u/∂t + u² ∂u/∂x = 0.05 ∂²u/∂x²\nu(x, 0) = sin(π x)\n",
        INTERVAL + BURGERS + "u(x, 0) = x\nu = x on boundary\n",
        INTERVAL + "∂u/∂t + u ∂u/∂x = 0\nu(x, 0) = -sin(π x)\nu = 0 on boundary\n",
        PERIODIC + "∂u/∂t = 0.05 ∂²u/∂x²\nu(x, 0) = sin(π x)\n",
    ],
    ids=["source", "variable", "cubic", "dirichlet_values", "inviscid", "linear"],
)
def test_hypotheses_of_hopf_cole(text: str) -> None:
    problem = plan_of(text).problem
    assert theorems(problem) == []


def test_stated_method_is_not_transformed() -> None:
    plan = plan_of(PERIODIC + BURGERS + "u(x, 0) = sin(π x)\nrealize equation by grid\n")
    assert [type(c.solver.method) for c in plan.candidates] == [Grid]


def test_explanation_states_the_transform() -> None:
    text = str(pdedsl.explain(PERIODIC + BURGERS + "u(x, 0) = sin(π x)\n"))
    assert "by the Hopf-Cole transform (Hopf 1950; Cole 1951)" in text
    assert "transform: the Hopf-Cole transform (Hopf 1950; Cole 1951): u = -1/10 ∂log v/∂x" in text


@pytest.mark.slow
def test_hopf_cole_of_a_gradient_in_two_dimensions() -> None:
    """∇φ for v = 1 + e^{-2a·π²t} cos(πx) cos(πy)/2, a = 0.1, solves the system of Burgers' equations exactly."""
    text = (
        "pde P\nspace (x, y) in [-1, 1]^2 periodic\ntime t in [0, 0.5]\nunknown u(x, y, t) : vector(2)\n"
        "let c(x, y) = 1 + cos(π x) cos(π y)/2\n"
        "∂u/∂t + u·∇u = 0.1 Δu\n"
        "u(x, y, 0) = [0.1 π sin(π x) cos(π y)/c(x, y), 0.1 π cos(π x) sin(π y)/c(x, y)]\n"
    )
    solver = first_solver(text)
    assert solver.transform.formula == "u = -1/5 ∇log v"
    points = sample_points(solver.problem, 16)
    values = solve_with(solver.resize(64), SolveOptions())(points)
    x, y, t = points.unbind(1)
    decay = torch.exp(-0.2 * math.pi**2 * t) / 2
    v = 1 + decay * torch.cos(math.pi * x) * torch.cos(math.pi * y)
    first = 0.2 * math.pi * decay * torch.sin(math.pi * x) * torch.cos(math.pi * y) / v
    second = 0.2 * math.pi * decay * torch.cos(math.pi * x) * torch.sin(math.pi * y) / v
    torch.testing.assert_close(values, torch.stack([first, second], 1), rtol=1e-9, atol=1e-10)


def test_rotational_data_have_no_potential() -> None:
    text = (
        "pde P\nspace (x, y) in [-1, 1]^2 periodic\ntime t in [0, 0.5]\nunknown u(x, y, t) : vector(2)\n"
        "∂u/∂t + u·∇u = 0.1 Δu\nu(x, y, 0) = [sin(π y), sin(π x)]\n"
    )
    assert theorems(plan_of(text).problem) == []


# ---- Kirchhoff


CONDUCTION = "pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n"


@pytest.mark.parametrize(
    ("equation", "boundary"),
    [
        ("∇·((1 + u) ∇u) + 2 = 0", "u = 0 on boundary"),
        ("∇·(exp(u) ∇u) + exp(x) = 0", "u = x + y/2 on boundary"),
    ],
    ids=["linear", "exponential"],
)
def test_kirchhoff_agrees_with_newton(equation: str, boundary: str) -> None:
    """With and without the transform, by Chebyshev collocation, to 1e-7."""
    text = f"{CONDUCTION}{equation}\n{boundary}\n"
    compilation, solver = pdedsl.compile(text), first_solver(text)
    assert solver.transform.theorem.name == "the Kirchhoff transform"
    assert solver.transform.problem.is_affine
    points = sample_points(solver.problem)
    transformed = solve_with(replace(solver, inner=solver.inner.resize(24)), SolveOptions())(points)
    direct = solve_with(compilation.plan_solver(Grid(n=24)), SolveOptions())(points)
    torch.testing.assert_close(transformed, direct, rtol=1e-7, atol=1e-7)


def test_kirchhoff_of_a_degenerate_conductivity() -> None:
    """∇·(u²∇u) = -1 by u³/3 = 2 - x²/2, where Newton's method from zero has a singular Jacobian."""
    text = f"{CONDUCTION}∇·(u² ∇u) = -1\nu = (6 - 1.5 x²)^(1/3) on boundary\n"
    solver = first_solver(text)
    points = sample_points(solver.problem)
    values = solve_with(replace(solver, inner=solver.inner.resize(16)), SolveOptions())(points)[:, 0]
    torch.testing.assert_close(values, (6 - 1.5 * points[:, 0] ** 2) ** (1 / 3), rtol=1e-10, atol=0)


@pytest.mark.parametrize(
    ("equation", "boundary"),
    [
        ("∇·((1 + u) ∇u) + u = 0", "u = 1 on boundary"),
        ("∇·((1 + x + u) ∇u) + 1 = 0", "u = 1 on boundary"),
        ("∂²u/∂x² + (1 + u) ∂²u/∂y² + (∂u/∂y)² + 1 = 0", "u = 1 on boundary"),
        ("∇·((1 + u) ∇u) + 1 = 0", "u = -3 on boundary"),
    ],
    ids=["reaction", "variable", "anisotropic", "negative"],
)
def test_hypotheses_of_kirchhoff(equation: str, boundary: str) -> None:
    assert theorems(plan_of(f"{CONDUCTION}{equation}\n{boundary}\n").problem) == []


# ---- Exponential scaling


DRIFT = INTERVAL + "∂u/∂t = 0.1 ∂²u/∂x² + 0.5 ∂u/∂x - 0.3 u{}\nu(x, 0) = 1 - x²\nu = 0 on boundary\n"


@pytest.mark.parametrize(
    ("source", "tolerance"), [("", 1e-7), (" + cos(π x/2) exp(-t)", 1e-5)], ids=["homogeneous", "source"]
)
def test_exponential_scaling_agrees_with_a_grid(source: str, tolerance: float) -> None:
    """With and without the transform: the grid has an error of 1e-8; the continuation of a source across the ends has
    kinks, so that 128 nodes have an error of 1e-6."""
    text = DRIFT.format(source)
    solver = first_solver(text)
    assert solver.transform.theorem.name == "exponential scaling"
    assert isinstance(solver.inner, HeatKernelPlan)
    points = sample_points(solver.problem)
    transformed = solve_with(solver.resize(128), SolveOptions())(points)
    direct = solve_with(pdedsl.compile(text).plan_solver(Grid(n=64)), SolveOptions(tolerance=1e-8))(points)
    torch.testing.assert_close(transformed, direct, rtol=tolerance, atol=tolerance)


def test_exponential_scaling_of_conditions_and_its_hypotheses() -> None:
    """Neumann conditions become Robin ones; a mode of the scaled problem is that of the problem."""
    text = INTERVAL + "∂u/∂t = ∂²u/∂x² + 2 ∂u/∂x + u\nu(x, 0) = exp(-x) cos(π x/2)\nu = 0 on boundary\n"
    solver = first_solver(text)
    points = sample_points(solver.problem)
    exact = torch.exp(-points[:, 0] - math.pi**2 / 4 * points[:, 1]) * torch.cos(math.pi / 2 * points[:, 0])
    values = solve_with(solver.resize(128), SolveOptions())(points)[:, 0]
    torch.testing.assert_close(values, exact, rtol=1e-12, atol=1e-12)
    neumann = plan_of(DRIFT.format("").replace("u = 0 on", "n·∇u = 0 on")).problem
    (scaled,) = (t for t in transforms_of(neumann) if t.theorem.name == "exponential scaling")
    kinds = [c.kind for c in scaled.problem.scalar_conditions if type(c.kind).__name__ == "Robin"]
    assert sorted(float(k.alpha / k.beta) for k in kinds if hasattr(k, "beta")) == pytest.approx([-2.5, 2.5])
    steep = DRIFT.format("").replace("0.5 ∂u/∂x", "3 ∂u/∂x")  # e^{κ·x} has the ratio e^30
    assert "exponential scaling" not in theorems(plan_of(steep).problem)
    periodic = PERIODIC + "∂u/∂t = 0.1 ∂²u/∂x² + 0.5 ∂u/∂x\nu(x, 0) = sin(π x)\n"
    assert "exponential scaling" not in theorems(plan_of(periodic).problem)


# ---- Rotational symmetry


SHELL = """pde Shell
space (x, y) in [-1, 1]² where x² + y² > 0.09, x² + y² < 1
time t in [0, 0.2]
unknown u(x, y, t) : scalar
∂u/∂t = Δu - u³
u(x, y, 0) = 1 - x² - y²
∂u/∂n + u = 0 on x² + y² = 0.09
u = 0 on x² + y² = 1
"""
DISC = """pde Disc
space (x, y) in [-1, 2] * [0, 3] where (x - 0.5)² + (y - 1.5)² < 2.25
unknown u(x, y) : scalar
-Δu + (1 + (x - 0.5)² + (y - 1.5)²) u = exp(-(x - 0.5)² - (y - 1.5)²)
∂u/∂n + 2u = 1 on boundary
"""
BALL = """pde Ball
space (x, y, z) in [-1, 1]^3 where x² + y² + z² < 1
unknown u(x, y, z) : scalar
-Δu = π² sin(π ‖(x, y, z)‖)/‖(x, y, z)‖
u = 0 on boundary
"""


@pytest.mark.parametrize("text", [DISC, SHELL], ids=["disc", "shell in time, nonlinear"])
def test_radial_problem_agrees_with_elements(text: str) -> None:
    """With and without the reduction, to the error of elements on a fixed mesh."""
    compilation = pdedsl.compile(text)
    solver = first_solver(text)
    assert solver.transform.theorem.name == "reduction by rotational symmetry"
    assert len(solver.inner.problem.domain.space) == 1
    radius = 0.4 + 0.5 * torch.rand(40, generator=torch.Generator().manual_seed(1)).double()
    angle = torch.arange(40).double()
    center = (0.5, 1.5) if text == DISC else (0.0, 0.0)
    columns = [center[0] + radius * torch.cos(angle), center[1] + radius * torch.sin(angle)]
    points = torch.stack([*columns, torch.full_like(radius, 0.15)][: len(solver.problem.domain.coordinates)], 1)
    reduced = solve_with(solver.resize(32), SolveOptions())(points)
    direct = solve_with(compilation.plan_solver(Elements(h=0.15, order=3)), SolveOptions())(points)
    assert float((reduced - direct).norm() / direct.norm()) < 2e-4


def test_radial_reduction_of_poisson_equation_has_a_closed_form() -> None:
    """-Δu = 4 on a disc: u = 1 - ‖x‖²."""
    solution = pdedsl.solve("poisson_disc")
    assert solution.error.value < 1e-12
    assert solution(x=[0.0, 0.3], y=[0.0, -0.4]).tolist() == pytest.approx([1.0, 0.75], abs=1e-12)


@pytest.mark.parametrize(
    "change",
    [
        ("1 + (x - 0.5)²", "1 + x²"),
        ("exp(-(x - 0.5)²", "exp(-2 (x - 0.5)²"),
        ("= 1 on", "= x on"),
        ("< 2.25", "< 2.25, x < 1"),
        ("[-1, 2]", "[0, 2]"),
        ("-Δu", "-2 ∂²u/∂x² - ∂²u/∂y²"),
    ],
    ids=["coefficient", "source", "boundary value", "part of a disc", "box", "anisotropic"],
)
def test_problems_without_rotational_symmetry(change: tuple[str, str]) -> None:
    text = DISC.replace(*change)
    assert text != DISC
    assert "reduction by rotational symmetry" not in theorems(plan_of(text).problem)
