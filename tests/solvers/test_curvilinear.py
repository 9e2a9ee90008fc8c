"""Polar, cylindrical and spherical coordinates: exact solutions, integrals with the volume element, and modes."""

from __future__ import annotations

from math import exp, pi

import pytest
import torch

import pdedsl
from pdedsl.compiler import check
from pdedsl.diagnostics import Source
from pdedsl.solvers.eigen_solution import EigenSolution

PIPE = "pde P\nspace r in cylindrical [0, 1]\nunknown w(r) : scalar\n-Δw = 4\nw = 0 on boundary\nexact w = 1 - r²\n"
BALL = (
    "pde P\nspace r in spherical [0, 1]\ntime t in [0, 0.1]\nunknown u(r, t) : scalar\n∂u/∂t = Δu\n"
    "u(r, 0) = sin(π r)/r\nu = 0 on boundary\n"
)
ANNULUS = (
    "pde P\nspace (r, θ) in polar [1, 2] * [0, 2π]\nunknown u(r, θ) : scalar\nΔu = 0\nu = cos(2θ) on left\n"
    "u = 0 on right\nexact u = (16/r² - r²)/15 cos(2θ)\n"
)
SHELL = (
    "pde P\nspace (r, θ) in spherical [1, 2] * [0, π]\nunknown u(r, θ) : scalar\nΔu = 0\nu = cos(θ) on left\n"
    "u = 0 on right\nexact u = (8/r² - r)/7 cos(θ)\n"
)
CYLINDER = (
    "pde P\nspace (r, z) in cylindrical [0, 1] * [0, 1]\nunknown u(r, z) : scalar\n"
    "-Δu = 4 sin(π z) + π² (1 - r²) sin(π z)\nu = 0 on boundary\nexact u = (1 - r²) sin(π z)\n"
)


@pytest.mark.parametrize("method", ["grid", "elements", "random_features"])
def test_poiseuille_flow_in_a_pipe(method: str) -> None:
    solution = pdedsl.solve(PIPE, set={"realize.equation": method})
    assert solution.verdict == "holds"
    assert abs(solution(r=0.5).item() - 0.75) < 1e-5
    assert abs(solution.integral().item() - pi / 2) < 1e-4  # flow rate
    assert abs(solution.flux("right").item() + 4 * pi) < 1e-2  # friction balances the pressure gradient


@pytest.mark.parametrize("method", ["grid", "elements"])
def test_heat_in_a_ball(method: str) -> None:
    solution = pdedsl.solve(BALL, set={"realize.equation": method})
    decay = exp(-(pi**2) * 0.1)
    assert abs(solution(r=0.5, t=0.1).item() - 2 * decay) < 1e-3
    assert abs(solution.integral(t=0.1).item() - 4 * decay) < 1e-3  # 4π ∫ r sin(πr) dr = 4


@pytest.mark.parametrize("text", [ANNULUS, SHELL, CYLINDER], ids=["annulus", "shell", "cylinder"])
def test_exact_solutions(text: str) -> None:
    solution = pdedsl.solve(text)
    assert solution.verdict == "holds"
    assert solution.error.value < 1e-4


def test_gradient_in_the_orthonormal_frame() -> None:
    solution = pdedsl.solve(ANNULUS, tol=1e-6)
    r, angle = 1.5, torch.tensor(0.3, dtype=torch.float64)
    expected = torch.stack(
        [(-32 / r**3 - 2 * r) / 15 * torch.cos(2 * angle), -2 * (16 / r**2 - r**2) / 15 * torch.sin(2 * angle) / r]
    )
    assert (solution.gradient(r=r, θ=0.3) - expected).abs().max() < 1e-4


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("polar", [2.404825557695773**2, 5.520078110286311**2, 8.653727912911013**2]),
        ("spherical", [pi**2, 4 * pi**2, 9 * pi**2]),
    ],
)
def test_radial_modes(system: str, expected: list[float]) -> None:
    text = (
        f"pde P\nspace r in {system} [0, 1]\nunknown u(r) : scalar\nunknown λ : eigenvalue\n-Δu = λ u\n"
        "u = 0 on boundary\nsolve {\n  tolerance 1e-10\n  modes 3\n}\n"
    )
    solution = pdedsl.solve(text)
    assert isinstance(solution, EigenSolution)
    exact = torch.tensor(expected, dtype=torch.float64)
    assert ((solution.eigenvalues - exact) / exact).abs().max() < 1e-10
    assert all(e.bound is not None for e in solution.estimates)  # self-adjoint with the volume element


def test_hydrogen_in_spherical_coordinates() -> None:
    text = (
        "pde P\nspace r in spherical [0, 200]\nunknown R(r) : scalar\nunknown E : eigenvalue\n-½ ΔR - R/r = E R\n"
        "R = 0 on boundary\nsolve {\n  tolerance 1e-8\n  modes 4\n}\n"
    )
    solution = pdedsl.solve(text)
    assert isinstance(solution, EigenSolution)
    exact = torch.tensor([-1 / (2 * n**2) for n in range(1, 5)], dtype=torch.float64)
    assert ((solution.eigenvalues - exact) / exact).abs().max() < 1e-8


def test_a_wrong_exact_solution_is_found_with_the_metric() -> None:
    assert [d.code for d in check(Source(PIPE.replace("1 - r²", "2 - 2r²"))).errors] == ["E443"]


def test_equal_problems_in_other_coordinates() -> None:
    """-Δw = 4 in a pipe, as an ordinary differential equation: the same equation, another volume element."""
    by_hand = PIPE.replace("cylindrical ", "").replace("-Δw", "-∂²w/∂r² - ∂w/∂r/r").replace("boundary", "right")
    by_hand += "∂w/∂r = 0 on left\n"
    assert check(Source(by_hand)).errors == ()
    assert check(Source(by_hand)).analysis.spec.hash != check(Source(PIPE)).analysis.spec.hash
