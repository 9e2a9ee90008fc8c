"""Random Fourier features against exact solutions: linear and nonlinear equations, systems, curved domains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi

import pytest
import torch
from torch import Tensor, cos, exp, sin

from pdedsl import PdeError
from pdedsl.compiler import check
from pdedsl.config.methods import RandomFeatures
from pdedsl.diagnostics import Source
from pdedsl.ir.boundary import LevelSet
from pdedsl.solvers.pinn.residuals import Measurement
from pdedsl.solvers.random_features import BANDWIDTHS

from .problems import error_of, on_line, on_square, solve_by_random_features, stated

HEAT = on_line("∂u/∂t = 0.1 ∂²u/∂x²\nu(x, 0) = sin(π x)\nu = 0 on boundary\n")


def heat(x: Tensor, t: Tensor) -> Tensor:
    return sin(pi * x) * exp(-0.1 * pi**2 * t)


def test_heat_is_reproducible() -> None:
    solved = solve_by_random_features(HEAT, RandomFeatures(), seed=0)
    assert error_of(solved, HEAT, heat) < 1e-10
    again = solve_by_random_features(HEAT, RandomFeatures(), seed=0)
    assert torch.equal(solved.module.weights, again.module.weights)  # type: ignore[arg-type]
    assert "bandwidth" in solved.notes[0]


def test_the_test_residual_detects_an_unsuitable_bandwidth() -> None:
    """It is the size of the error, within two orders, whether the fit is good or bad."""
    for bandwidth in (4, 40):
        solved = solve_by_random_features(HEAT, RandomFeatures(n=150, bandwidth=bandwidth), seed=0)
        error = error_of(solved, HEAT, heat)
        assert error < 100 * solved.metrics["test residual"]
        assert solved.metrics["test residual"] < 1e3 * error + 1e-10


def test_wave_equation_with_two_modes() -> None:
    text = "∂²u/∂t² = ∂²u/∂x²\nu(x, 0) = sin(π x) + ½ sin(3π x)\n∂u/∂t(x, 0) = 0\nu = 0 on boundary\n"
    statement = on_line(text)

    def wave(x: Tensor, t: Tensor) -> Tensor:
        return sin(pi * x) * cos(pi * t) + sin(3 * pi * x) * cos(3 * pi * t) / 2

    assert error_of(solve_by_random_features(statement, RandomFeatures(n=400)), statement, wave) < 1e-8


def test_a_periodic_system() -> None:
    text = (
        "pde Pair\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\nunknown v(x, t) : scalar\n"
    )
    text += "∂u/∂t = -∂v/∂x\n∂v/∂t = -∂u/∂x\nu(x, 0) = sin(2π x)\nv(x, 0) = 0\n"
    statement = stated(text)
    solved = solve_by_random_features(statement, RandomFeatures(n=200, bandwidth=6))

    def u(x: Tensor, t: Tensor) -> Tensor:
        return sin(2 * pi * x) * cos(2 * pi * t)

    def v(x: Tensor, t: Tensor) -> Tensor:
        return -cos(2 * pi * x) * sin(2 * pi * t)

    assert error_of(solved, statement, u, v) < 1e-9
    ends = torch.tensor([[0.0, 0.3], [1.0, 0.3]]).double()
    assert torch.allclose(solved(ends)[0], solved(ends)[1], atol=1e-11)


def test_variable_coefficients_on_a_square_with_a_hole() -> None:
    """∇·((1 + x²)∇u) = f for u = eˣ cos 2y."""
    text = "∇·((1 + x²)∇u) = (2x - 3 (1 + x²)) exp(x) cos(2 y)\nu = exp(x) cos(2 y) on boundary\n"
    statement = on_square(text)
    x, y = statement.domain.coordinates
    hole = (x - 0.4) ** 2 + y**2 - 0.09
    rim = replace(statement.conditions[0], place=LevelSet(hole))
    domain = replace(statement.domain, inequalities=(hole,))
    holed = replace(statement, domain=domain, conditions=(*statement.conditions, rim))
    assert (
        error_of(solve_by_random_features(holed, RandomFeatures(n=300)), holed, lambda x, y: exp(x) * cos(2 * y)) < 1e-8
    )


def test_nonlinear_problems_by_gauss_newton() -> None:
    """Burgers by the substitution of Cole and Hopf: u = -2ν ∂(log φ)/∂x for a φ that solves the heat equation."""
    text = "∂u/∂t + u ∂u/∂x = 0.1 ∂²u/∂x²\nu(x, 0) = 0.2 π sin(π x)/(2 + cos(π x))\nu = 0 on boundary\n"
    statement = on_line(text)

    def burgers(x: Tensor, t: Tensor) -> Tensor:
        decay = exp(-0.1 * pi**2 * t)
        return 0.2 * pi * decay * sin(pi * x) / (2 + decay * cos(pi * x))

    solved = solve_by_random_features(statement, RandomFeatures(n=250, bandwidth=6))
    assert solved.metrics["steps"] > 2
    assert error_of(solved, statement, burgers) < 1e-6


def test_derivatives_of_the_module() -> None:
    solved = solve_by_random_features(HEAT, RandomFeatures(n=150, bandwidth=4))
    point = torch.tensor([[0.5, 0.2]], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(solved(point).sum(), point)
    assert abs(float(slope[0, 1]) + 0.1 * pi**2 * float(heat(*point.detach().unbind(-1)))) < 1e-5


def test_stationary_problem_on_an_interval() -> None:
    """Its boundary is two points, which have no coordinate that is free."""
    statement = stated("pde Rod\nspace x in [0, 1]\nunknown u(x) : scalar\n-Δu = 2\nu = 0 on boundary\n")
    assert error_of(solve_by_random_features(statement, RandomFeatures(n=40)), statement, lambda x: x * (1 - x)) < 1e-9


def test_a_coefficient_from_noisy_measurements() -> None:
    """ν of the heat equation from 200 values with 1 % noise, within 1 % and within four of its deviations."""
    statement = on_line("learn ν : scalar > 0\n∂u/∂t = ν ∂²u/∂x²\nu(x, 0) = sin(π x)\nu = 0 on boundary\n")
    generator = torch.Generator().manual_seed(0)
    points = torch.rand(200, 2, dtype=torch.float64, generator=generator)
    values = heat(*points.unbind(-1)) + 0.01 * torch.randn(200, dtype=torch.float64, generator=generator)
    solved = solve_by_random_features(
        statement, RandomFeatures(n=150, bandwidth=3), measurements=[Measurement(0, points, values)]
    )
    found = solved.parameters["ν"]
    assert found.deviation is not None
    assert abs(found.value - 0.1) < 4 * found.deviation < 4e-3
    assert abs(found.value - 0.1) < 1e-3


def test_periodic_advection() -> None:
    statement = on_line("∂u/∂t + ∂u/∂x = 0\nu(x, 0) = exp(sin(2π x))\n", periodic=True)
    solved = solve_by_random_features(statement, RandomFeatures(n=600, bandwidth=16))
    assert error_of(solved, statement, lambda x, t: exp(sin(2 * pi * (x - t)))) < 1e-7


@pytest.mark.parametrize(
    ("text", "exact", "note"),
    [
        ("Δu = -4π² {}\nu = 0 on boundary\n", lambda c: sin(pi * c), "even in x"),
        ("Δu = -π² {}\nu = {} on boundary\n", lambda c: sin(pi / 2 * c), "permutation-invariant"),
    ],
    ids=["reflections", "permutations"],
)
def test_symmetries_of_a_problem_in_many_dimensions(
    text: str, exact: Callable[[Tensor], Tensor], note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same number of features without symmetry has an error a hundred times as large."""
    product = " ".join(f"sin({'π' if 'even' in note else '½π'} {c})" for c in "xyzw")
    head = "pde A\nspace (x, y, z, w) in [0, 1]^4\nunknown u(x, y, z, w) : scalar\n"
    statement, method = stated(head + text.replace("{}", product)), RandomFeatures(n=100, bandwidth=1)

    def error() -> float:
        solved = solve_by_random_features(statement, method)
        assert any(note in n for n in solved.notes) is symmetric
        return error_of(solved, statement, lambda *x: torch.stack([exact(c) for c in x]).prod(0))

    symmetric = True
    found = error()
    symmetric = False
    monkeypatch.setattr("pdedsl.planning.method_planners.parities_of", lambda statement: (0,) * 4)
    monkeypatch.setattr("pdedsl.planning.method_planners.is_exchangeable", lambda statement: False)
    assert found < 0.01 * error()


def test_more_equations_than_unknowns() -> None:
    """∇u = (1, 2y) with u = y² on the left: grids need as many equations as unknowns, least squares do not."""
    text = "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n0 = ∇u - [1, 2y]\nu = y² on left\n"
    statement = stated(text)
    assert error_of(solve_by_random_features(statement, RandomFeatures(n=200)), statement, lambda x, y: x + y**2) < 1e-8
    with pytest.raises(PdeError, match="the number of equations differs from the number of unknowns"):
        check(Source(text + "realize equation by grid\n")).require_plan()


def test_the_search_of_a_bandwidth_ends_with_the_cpu_time() -> None:
    """After one Gauss-Newton step of the first bandwidth."""
    problem = stated("pde P\nspace x in [0, 1]\nunknown u(x) : scalar\n∂²u/∂x² = u³ - 1\nu = 0 on boundary\n")
    result = solve_by_random_features(problem, RandomFeatures(), is_exhausted=lambda: True)
    assert result.metrics["steps"] == 1
    assert f"bandwidths {BANDWIDTHS[0]:.3g}" in result.notes[0]
