"""Diffusion process of a linear problem, and problems without one."""

from __future__ import annotations

import pytest
from sympy import Rational, Symbol, exp

from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.diagnostics import PdeError
from pdedsl.ir.diffusion_process import Absorption, DiffusionProcess, Reflection, TimeDirection
from pdedsl.ir.problem import StrongForm
from pdedsl.lowering.lower import lower
from pdedsl.problem.diffusion_process import process_of

X, T = Symbol("x", real=True), Symbol("t", real=True)
LINE = "space x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
PLANE = "space (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n"


def stated(text: str) -> StrongForm:
    found = lower(to_analysis(parse(f"pde P\n{text}")))
    assert isinstance(found, StrongForm)
    return found


def process(text: str) -> DiffusionProcess:
    return process_of(stated(text))


def test_initial_value_problem_runs_backward() -> None:
    found = process(
        LINE + "2 ∂u/∂t = x ∂²u/∂x² - 4 ∂u/∂x + 6u + 2t\nu(x, 0) = x\nu = t on left\nn·∇u + 3u = 5 on right"
    )
    assert found.drift == (-2,)
    assert found.matrix == ((0, 0, X / 2),)
    assert (found.rate, found.source) == (3, T)
    assert found.data is not None
    assert (found.data.direction, found.data.value) == (TimeDirection.BACKWARD, X)
    assert [s.event for s in found.boundaries] == [Absorption(T), Reflection(3, 5)]


def test_terminal_value_problem_runs_forward() -> None:
    text = LINE + "∂u/∂t + ½x² ∂²u/∂x² + x ∂u/∂x - u = exp(x)\nu(x, 1) = x\nu = 0 on boundary"
    found = process(text)
    assert found.data is not None
    assert found.data.direction is TimeDirection.FORWARD
    assert (found.matrix, found.drift, found.rate, found.source) == (((0, 0, X**2 / 2),), (X,), -1, -exp(X))


@pytest.mark.parametrize("sign", ["", "-"])
def test_sign_of_a_stationary_generator(sign: str) -> None:
    found = process(PLANE + f"{sign}(Δu + ∂²u/∂x∂y - u) = {sign}1\nu = 0 on boundary")
    assert set(found.matrix) == {(0, 0, 1), (1, 1, 1), (0, 1, Rational(1, 2))}
    assert (found.rate, found.source) == (-1, -1)
    assert not found.is_brownian


def test_exact_steps_and_walk_on_spheres() -> None:
    free = LINE.replace("1]\ntime", "1] periodic\ntime")
    assert process(free + "∂u/∂t = Δu + ∂u/∂x\nu(x, 0) = sin(2π x)").has_exact_step
    assert not process(free + "∂u/∂t = Δu + sin(2π x) ∂u/∂x\nu(x, 0) = sin(2π x)").has_exact_step
    assert process(PLANE + "Δu = x\nu = 0 on boundary").is_brownian


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LINE + "∂u/∂t + u ∂u/∂x = Δu\nu(x, 0) = 0\nu = 0 on boundary", "nonlinear"),
        (LINE + "∂²u/∂t² = Δu\nu(x, 0) = 0\n∂u/∂t(x, 0) = 0\nu = 0 on boundary", "second order in time"),
        (LINE + "x ∂u/∂t = Δu\nu(x, 0) = 0\nu = 0 on boundary", "not constant"),
        (LINE + "∂u/∂t = Δu\nu(x, 0) = 0\nu² = 1 on boundary", "the boundary needs Dirichlet conditions"),
        (
            "space x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
            "∂u/∂t = -∂⁴u/∂x⁴\nu(x, 0) = sin(2π x)",
            "found 4",
        ),
        (
            "space x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\nunknown w(x, t) : scalar\n"
            "∂u/∂t = Δw\n∂w/∂t = Δu\nu(x, 0) = 0\nw(x, 0) = 1",
            "single scalar unknown",
        ),
        (PLANE + "Δu + 3u = x\nu = 0 on boundary", "may not exist"),
        (PLANE + "Δu - u = x\nn·∇u = 0 on boundary", "never end"),
        (PLANE + "∂²u/∂x² - ∂²u/∂y² = x\nu = 0 on boundary", "indefinite"),
    ],
)
def test_problems_without_a_process(text: str, reason: str) -> None:
    with pytest.raises(PdeError) as error:
        process_of(stated(text))
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E604"
    assert reason in diagnostic.message
