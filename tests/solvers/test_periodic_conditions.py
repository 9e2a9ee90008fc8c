"""Antiperiodic conditions and periodic ones with a jump, against exact solutions by every method that has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi

import pytest
import torch
from sympy import Integer
from torch import Tensor, cos, exp, sin

from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures
from pdedsl.config.networks import Mlp
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import FourierScheme
from pdedsl.planning.method_planners import SolverPlanner

from .problems import error_of, solve_by_grid, solve_by_pinn, solve_by_random_features, stated

LINE = "pde P\nspace x in [0, 1]{kind}\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
TURN = "u(1, t) = u(0, t) + 2\n∂u/∂x(1, t) = ∂u/∂x(0, t)\n"
ANTIPERIODIC = stated(LINE.format(kind=" antiperiodic") + "∂u/∂t = 0.1 Δu - ∂u/∂x\nu(x, 0) = sin(π x)\n")
JUMP = stated(LINE.format(kind="") + f"∂u/∂t = 0.1 Δu - ∂u/∂x\nu(x, 0) = 2x + sin(2π x)\n{TURN}")
SMALL = Mlp(width=8, depth=2)


def antiperiodic(x: Tensor, t: Tensor) -> Tensor:
    return exp(-0.1 * pi**2 * t) * sin(pi * (x - t))


def with_jump(x: Tensor, t: Tensor) -> Tensor:
    return 2 * (x - t) + exp(-0.4 * pi**2 * t) * sin(2 * pi * (x - t))


CASES = [pytest.param(ANTIPERIODIC, antiperiodic, id="antiperiodic"), pytest.param(JUMP, with_jump, id="jump")]
Exact = Callable[[Tensor, Tensor], Tensor]


@pytest.mark.parametrize(("statement", "exact"), CASES)
def test_fourier(statement: StrongForm, exact: Exact) -> None:
    assert isinstance(SolverPlanner(statement).scheme, FourierScheme)
    assert error_of(solve_by_grid(statement, Grid(n=16)), statement, exact) < 1e-8


@pytest.mark.parametrize(("statement", "exact"), CASES)
def test_random_features(statement: StrongForm, exact: Exact) -> None:
    assert error_of(solve_by_random_features(statement, RandomFeatures(n=150)), statement, exact) < 1e-8


@pytest.mark.parametrize(("statement", "exact"), CASES)
def test_pinn(statement: StrongForm, exact: Exact) -> None:
    """The network satisfies the condition exactly, with its derivative."""
    solved = solve_by_pinn(statement, Pinn(points=400, steps=60), network=SMALL)
    assert error_of(solved, statement, exact) < 1e-3
    ends = torch.tensor([[0.0, 0.3], [1.0, 0.3]], dtype=torch.float64, requires_grad=True)
    values = solved(ends)[:, 0]
    (gradient,) = torch.autograd.grad(values.sum(), ends)
    sign, jump = (-1, 0) if statement is ANTIPERIODIC else (1, 2)
    first, last = values.tolist()
    assert abs(last - sign * first - jump) < 1e-12
    assert abs(float(gradient[1, 0] - sign * gradient[0, 0])) < 1e-10


def test_stationary_antiperiodic() -> None:
    """u'' = -π² sin πx; the constant is determined."""
    statement = stated("pde P\nspace x in [0, 1] antiperiodic\nunknown u(x) : scalar\nΔu = -π² cos(π x)\n")
    assert statement.defined_up_to_constant == ()
    assert error_of(solve_by_grid(statement, Grid(n=8)), statement, lambda x: cos(pi * x)) < 1e-12
    assert error_of(solve_by_random_features(statement, RandomFeatures(n=50)), statement, lambda x: cos(pi * x)) < 1e-8


def test_jump_along_a_channel() -> None:
    """u = 3x + y(1 - y): periodic along x with a jump, Dirichlet conditions across, by collocation."""
    text = (
        "pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\nΔu = -2\nu(1, y) = u(0, y) + 3\n"
        "∂u/∂x(1, y) = ∂u/∂x(0, y)\nu = 3x on bottom, top\n"
    )
    statement = stated(text)
    exact = lambda x, y: 3 * x + y * (1 - y)  # noqa: E731
    assert error_of(solve_by_random_features(statement, RandomFeatures(n=300)), statement, exact) < 1e-6
    assert SolverPlanner(statement).scheme is not None
    assert error_of(solve_by_grid(statement, Grid(n=12)), statement, exact) < 1e-10


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (stated(LINE.format(kind=" antiperiodic") + "∂u/∂t = Δu + 1\nu(x, 0) = sin(π x)\n"), "invariant under u(x) →"),
        (stated(LINE.format(kind="") + f"∂u/∂t = Δu - u\nu(x, 0) = 2x\n{TURN}"), "invariant under u + c"),
        (stated(LINE.format(kind=" antiperiodic") + "∂u/∂t = -u² ∂u/∂x\nu(x, 0) = sin(π x)\n"), "need Fourier series"),
    ],
)
def test_problems_that_grids_refuse(statement: StrongForm, reason: str) -> None:
    assert reason in str(SolverPlanner(statement).grid)


@pytest.mark.parametrize("statement", [ANTIPERIODIC, JUMP])
def test_monte_carlo_refuses(statement: StrongForm) -> None:
    error = SolverPlanner(statement).obstacle(MonteCarlo(), Span(0, 1))
    assert error is not None
    assert "cross a periodic boundary" in error.diagnostics[0].message


def test_networks_are_antiperiodic_along_one_axis() -> None:
    text = "pde P\nspace (x, y) in [0, 1]^2 antiperiodic\nunknown u(x, y) : scalar\nΔu = sin(π x) cos(π y)\n"
    statement = stated(text)
    assert statement.antiperiodic_axes == (0, 1)
    error = SolverPlanner(statement).obstacle(Pinn(), Span(0, 1))
    assert error is not None
    assert "one axis" in error.diagnostics[0].message
    exact = lambda x, y: -sin(pi * x) * cos(pi * y) / (2 * pi**2)  # noqa: E731
    assert error_of(solve_by_grid(statement, Grid(n=8)), statement, exact) < 1e-10


def test_the_jump_matters() -> None:
    """The tests of this page fail for a solution without its lift."""
    periodic = replace(JUMP, periodic=tuple(replace(p, jump=Integer(0)) for p in JUMP.periodic))
    assert error_of(solve_by_random_features(periodic, RandomFeatures(n=150)), JUMP, with_jump) > 1e-2


HALF_TURN = "u(1, t) = -u(0, t){}\n∂u/∂x(1, t) = -∂u/∂x(0, t)\n"


@pytest.mark.parametrize(
    "text",
    [
        "∂u/∂t = 0.1 Δu\nu(x, 0) = 1/2 + sin(π x)\n" + HALF_TURN.format(" + 1"),
        "unknown w(x, t) : scalar\n∂u/∂t = 0.1 Δu\n∂w/∂t = -w\nu(x, 0) = sin(π x)\nw(x, 0) = 1\n"
        + HALF_TURN.format(""),
        "unknown w(x, t) : scalar\n∂u/∂t = 0.1 Δu\n∂w/∂t = -w\nu(x, 0) = 2x\nw(x, 0) = x\n" + TURN,
    ],
    ids=["antiperiodic with a jump", "only one unknown is antiperiodic", "only one unknown has a jump"],
)
def test_conditions_that_do_not_hold_for_every_unknown_alike(text: str) -> None:
    """The discretizations know one sign per axis, and jumps of periodic unknowns."""
    with pytest.raises(PdeError, match="couples two boundaries"):
        stated(LINE.format(kind="") + text)
