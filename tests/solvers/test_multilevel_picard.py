"""Multilevel Picard iteration for semilinear equations on R^d: closed forms and independent references.

Values must lie within three half-widths of their 95 % intervals: false alarms have probability 4e-9 each, and the seed
is fixed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from torch import Tensor

import pdedsl
from pdedsl.diagnostics import PdeError
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.solver_plans import MonteCarloPlan, PathMethod
from pdedsl.solvers.dispatch import confidence_half_width, solve_with
from pdedsl.solvers.solver_method import SolveOptions

SPACE = "pde P\nspace x in R^{d}\ntime t in [0, {end}]\nunknown u(x, t) : scalar\n"


def picard(text: str, samples: int, points: Tensor) -> tuple[Tensor, Tensor]:
    """Values and half-widths."""
    plan = pdedsl.compile(text).plan
    assert isinstance(plan, SolvePlan)
    solver = plan.candidates[-1].solver
    assert isinstance(solver, MonteCarloPlan)
    assert solver.paths is PathMethod.MULTILEVEL_PICARD
    result = solve_with(solver.resize(samples), SolveOptions())
    return result(points)[:, 0], confidence_half_width(result, points)[:, 0]


def radial_allen_cahn(d: int, end: float) -> float:
    """u(0, T) by finite differences in s = ‖x‖²: ∂u/∂t = 4s u_ss + 2d u_s + u - u³, for s < 400, where the values do
    not reach s = 0."""
    s = np.linspace(0, 400, 4001)
    h = s[1]

    def right_hand_side(_: float, u: np.ndarray) -> np.ndarray:
        slope = np.gradient(u, h, edge_order=2)
        curvature = np.zeros_like(u)
        curvature[1:-1] = (u[2:] - 2 * u[1:-1] + u[:-2]) / h**2
        result: np.ndarray = 4 * s * curvature + 2 * d * slope + u - u**3
        result[-1] = 0.0
        return result

    options = {"method": "LSODA", "rtol": 1e-8, "atol": 1e-10, "lband": 2, "uband": 2}
    solution = solve_ivp(right_hand_side, (0, end), 1 / (2 + 0.4 * s), **options)
    return float(solution.y[0, -1])


@pytest.mark.slow
def test_allen_cahn_in_100_dimensions() -> None:
    """u(0, 0.3) = 0.0528 to 0.5 % (E, Han, Jentzen 2017), and the radial equation by finite differences."""
    points = torch.zeros(1, 101, dtype=torch.float64)
    points[0, -1] = 0.3
    text = pdedsl.load("allen_cahn_100d").source.text
    values, half_widths = picard(text, 20_000, points)
    reference = radial_allen_cahn(100, 0.3)
    assert abs(reference - 0.0528) < 5e-5
    assert float(half_widths) < 0.005 * 0.0528
    assert abs(float(values) - reference) < 3 * float(half_widths)
    assert abs(float(values) / reference - 1) < 0.005


def test_logistic_equation() -> None:
    """Constant data u₀ = 1/2 solve u' = u - u²: 1/(1 + e^{-t}); their iterates have no variance in space."""
    text = SPACE.format(d=3, end=0.3) + "∂u/∂t = Δu + u - u²\nu(x, 0) = 1/2\n"
    values, half_widths = picard(text, 20_000, torch.tensor([[0.1, 0.2, 0.3, 0.3]], dtype=torch.float64))
    assert abs(float(values) - 1 / (1 + math.exp(-0.3))) < float(half_widths) < 0.03


def test_terminal_condition_and_correlated_diffusion() -> None:
    """u = 1/(2 + e^{-y}), y = x₁ + x₂ + t: ∂u/∂t + A:∇∇u + F(u) = 0 with one direction of diffusion, Σ Aᵢⱼ = 0.3."""
    # with w = 1/(2 + e^{-y}): w' = w(1 - 2w), w'' = w(1 - 2w)(1 - 4w)
    text = (
        SPACE.format(d=2, end=0.3)
        + "const A = [[0.1, 0.05], [0.05, 0.1]]\n"
        + "∂u/∂t + A:∇∇u - u (1 - 2u) - 0.3 u (1 - 2u)(1 - 4u) = 0\n"
        + "u(x, 0.3) = 1/(2 + exp(-x[1] - x[2] - 0.3))\n"
    )
    point = torch.tensor([[0.2, -0.4, 0.0]], dtype=torch.float64)
    values, half_widths = picard(text, 40_000, point)
    assert abs(float(values) - 1 / (2 + math.exp(0.2))) < 3 * float(half_widths)
    assert float(half_widths) < 0.02


@pytest.mark.long
def test_black_scholes_with_default_risk() -> None:
    """u(100, …, 100, 0) = 57.300 for the minimum of 100 assets (Han, Jentzen, E 2018, section 3)."""
    values, half_widths = picard(default_risk(100), 5_000, torch.tensor([[100.0] * 100 + [0.0]], dtype=torch.float64))
    assert float(half_widths) < 0.015 * 57.3
    assert abs(float(values) - 57.300) < 3 * float(half_widths)


def test_default_risk_of_safe_assets() -> None:
    """A constant intensity Q = 0.02 is a discount at the rate R + (1 - δ) Q, for a price that stays above 70."""
    values, half_widths = picard(default_risk(2), 20_000, torch.tensor([[1e3, 1e9, 0.0]], dtype=torch.float64))
    expected = 1000 * math.exp(0.02 - 0.02 - 0.02 / 3)
    assert abs(float(values) - expected) < 3 * float(half_widths)
    assert float(half_widths) < 10


def default_risk(d: int) -> str:
    names = [f"x[{k}]" for k in range(1, d + 1)]
    while len(names) > 1:
        groups = [names[k : k + 8] for k in range(0, len(names), 8)]
        names = [f"min({', '.join(g)})" if len(g) > 1 else g[0] for g in groups]
    space = SPACE.format(d=d, end=1)
    return (
        f"{space}const δ = 2/3\nconst R = 0.02\nconst μ = 0.02\nconst σ = 0.2\n"
        "let Q(v) = max(0.02, min(0.2, 0.2 - 0.009 (v - 50)))\n"
        "∂u/∂t + μ x·∇u + ½σ² Σᵢ xᵢ² ∂²u/∂xᵢ² - (1 - δ) Q(u) u - R u = 0\n"
        f"u(x, 1) = {names[0]}\n"
    )


def test_values_do_not_depend_on_other_points() -> None:
    text = SPACE.format(d=2, end=0.3) + "∂u/∂t = Δu + u - u³\nu(x, 0) = exp(-‖x‖²)\n"
    points = torch.tensor([[0.0, 0.0, 0.3], [0.5, 0.1, 0.2]], dtype=torch.float64)
    together, alone = picard(text, 2_000, points)[0], picard(text, 2_000, points[1:])[0]
    torch.testing.assert_close(together[1:], alone, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    "equation",
    ["∂u/∂t = Δu + u ∂u/∂x₁", "∂u/∂t = (1 + ‖x‖²)Δu + u²", "∂u/∂t = u Δu"],
    ids=["gradient", "variable", "quasilinear"],
)
def test_other_nonlinear_equations_are_refused(equation: str) -> None:
    with pytest.raises(PdeError):
        pdedsl.compile(SPACE.format(d=2, end=1) + equation.replace("∂x₁", "∂x[1]") + "\nu(x, 0) = exp(-‖x‖²)\n")
