"""Solutions as functions: coordinates by name, fields, gradients, integrals, fluxes, values outside of the domain."""

from __future__ import annotations

import doctest
import inspect
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

import pdedsl
from pdedsl.solvers.field import SolutionField, SolutionFunctions
from pdedsl.solvers.solution import Solution

HEAT = """pde Heat
space   x in [0, 1]
time    θ in [0, 0.1]
unknown u(θ, x) : scalar
∂u/∂θ = ∂²u/∂x²
u(0, x) = sin(π x)
u = 0 on boundary
realize equation by METHOD
"""
DISC = """pde Disc
space   (x, y) in [-1, 1]² where x² + y² < 1, (x - 0.4)² + y² > 0.01
unknown u(x, y) : scalar
-Δu = 4
u = 1 - x² - y² on boundary
realize equation by METHOD
"""
FLOW = """pde Flow
space   (x, y) in [0, 1]²
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
-Δv + ∇p = [0, 0]
∇·v = 0
v = [y (1 - y), 0] on boundary
realize equation by grid(n=8)
"""
METHODS = {  # with the relative error of values, and of derivatives
    "grid(n=16)": (1e-7, 1e-6),
    "features(n=80, bandwidth=2)": (1e-5, 1e-4),
    "elements(order=2, h=0.05)": (1e-3, 1e-2),
    "residual(points=200, steps=60)": (0.05, 0.1),
    "paths(samples=1000)": (0.05, None),
}


@cache
def solved(text: str, method: str = "grid(n=16)") -> Solution:
    return pdedsl.solve(text.replace("METHOD", method))


def exact(x: object, t: object) -> torch.Tensor:
    x, t = (torch.as_tensor(v, dtype=torch.float64) for v in (x, t))
    return torch.sin(math.pi * x) * torch.exp(-(math.pi**2) * t)


@pytest.mark.parametrize("method", METHODS)
def test_values_by_name_are_broadcast(method: str) -> None:
    """Values, integrals and boundary fluxes of u = e^{-π²t} sin(πx) by every method."""
    solution, (rtol, gradient_rtol) = solved(HEAT, method), METHODS[method]
    x, t = np.linspace(0.1, 0.9, 5), [0.02, 0.1]
    values = solution(x=x[:, None], θ=t)
    assert values.shape == (5, 2)
    torch.testing.assert_close(values, exact(x[:, None], t), rtol=rtol, atol=rtol)
    single = solution(x=torch.as_tensor(x)[:, None], theta=torch.tensor(t))
    torch.testing.assert_close(single, values, rtol=1e-5, atol=rtol)
    columns = torch.stack([torch.full((5,), 0.02).double(), torch.as_tensor(x)], 1)
    torch.testing.assert_close(solution(columns)[:, 0], values[:, 0], rtol=1e-12, atol=rtol)
    assert solution.u(x=0.5, θ=0.1).shape == ()
    integral = 2 / math.pi * torch.exp(-(math.pi**2) * torch.tensor(t).double())
    torch.testing.assert_close(solution.integral(t), integral, rtol=rtol, atol=rtol)
    if gradient_rtol is None:
        with pytest.raises(ValueError, match="has no gradient"):
            solution.gradient(x=0.5, θ=0.1)
        return
    slopes = solution.gradient(x=[0.0, 0.25], θ=0.05)[:, 0]
    expected = math.pi * torch.cos(math.pi * torch.tensor([0.0, 0.25]).double()) * math.exp(-(math.pi**2) * 0.05)
    torch.testing.assert_close(slopes, expected, rtol=gradient_rtol, atol=gradient_rtol)
    total = -2 * math.pi * math.exp(-(math.pi**2) * 0.05)
    assert solution.flux(t=0.05).item() == pytest.approx(total, rel=gradient_rtol)
    assert solution.flux("right", t=[0.05]).shape == (1,)


@pytest.mark.parametrize("method", METHODS)
def test_values_outside_of_the_domain_are_nan(method: str) -> None:
    solution = solved(HEAT, method)
    values = solution(x=[0.0, 0.5, 1.0, 1.0001, -0.1, math.nan], θ=0.05)
    assert values.isnan().tolist() == [False, False, False, True, True, True]
    assert solution([[0.05, 0.5], [0.11, 0.5], [-0.01, 0.5]]).isnan().tolist() == [[False], [True], [True]]
    assert solution.contains(x=[0.5, 1.5], θ=0.1).tolist() == [True, False]
    if not method.startswith("paths"):
        assert solution.gradient(x=[0.5, 1.5], θ=0.1)[:, 0].isnan().tolist() == [False, True]


@pytest.mark.parametrize(
    ("method", "tolerance"), [("grid(n=32)", 1e-6), ("features(n=300)", 1e-6), ("elements(order=2, h=0.1)", 1e-3)]
)
def test_a_disc_with_a_hole(method: str, tolerance: float) -> None:
    """u = 1 - r²: ∫u by polar coordinates about both centers; the flux through a circle is ∓4 times its area."""
    solution = solved(DISC, method)
    hole = math.pi * 0.01 * (1 - 0.16) - math.pi / 2 * 0.1**4
    assert solution.integral().item() == pytest.approx(math.pi / 2 - hole, rel=tolerance)
    assert solution.flux("x² + y² = 1").item() == pytest.approx(-4 * math.pi, rel=10 * tolerance)
    assert solution.flux("(x-0.4)²+y²=0.01").item() == pytest.approx(4 * math.pi * 0.01, rel=50 * tolerance)
    assert solution.flux().item() == pytest.approx(-4 * math.pi * 0.99, rel=10 * tolerance)
    assert solution(x=[0.4, 0.8, 0.6, 0.6], y=[0.0, 0.7, 0.8, 0.0]).isnan().tolist() == [True, True, False, False]


def test_fields_of_a_system() -> None:
    """Poiseuille flow: v = (y(1 - y), 0), p = -2x + const."""
    solution = solved(FLOW)
    assert list(solution.fields) == ["v", "p", "v_1", "v_2"]
    y = torch.linspace(0, 1, 4, dtype=torch.float64)
    torch.testing.assert_close(solution.v(x=0.3, y=y), torch.stack([y * (1 - y), 0 * y], -1))
    torch.testing.assert_close(solution["v_1"](x=0.3, y=y), solution.v1(x=0.3, y=y))
    assert solution(x=0.3, y=y).shape == (4, 3)
    assert solution.v.gradient(x=0.3, y=y).shape == (4, 2, 2)
    torch.testing.assert_close(solution.p.gradient(x=0.3, y=0.4), torch.tensor([-2.0, 0.0]).double())
    assert solution.v.flux("right").item() == pytest.approx(1 / 6)
    assert solution.v.flux("left").item() == pytest.approx(-1 / 6)
    assert solution.v.integral().tolist() == pytest.approx([1 / 6, 0.0])
    with pytest.raises(ValueError, match=r'solution\["v_1"\]'):
        solution.flux()
    with pytest.raises(KeyError, match="the unknowns are v, p"):
        solution["q"]
    with pytest.raises(AttributeError, match="there is no unknown 'q'"):
        solution.q  # noqa: B018
    assert "p" in dir(solution)


def test_periodic_axes_have_no_ends() -> None:
    text = "pde P\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t + ∂u/∂x = 0\n"
    solution = pdedsl.solve(text + "u(x, 0) = sin(2π x)\nrealize equation by grid(n=16)\n")
    x = torch.tensor([0.3, 1.3, -2.7], dtype=torch.float64)
    torch.testing.assert_close(solution(x=x, t=0.25), torch.sin(2 * math.pi * (x - 0.25)), atol=1e-6, rtol=0)
    assert solution(x=0.3, t=1.1).isnan()


def test_coordinates_of_a_position_vector() -> None:
    text = "pde P\nspace x in [0, 1]^3\nunknown u(x) : scalar\nΔu = 6\nu = ‖x‖² on boundary\n"
    solution = pdedsl.solve(text + "realize equation by features(n=120)\n")
    points = torch.rand(4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(solution(x=points), points.square().sum(-1), rtol=1e-4, atol=1e-4)
    by_name = solution(x1=0.5, x_2=0.5, x3=points[:, 0])
    torch.testing.assert_close(by_name, 0.5 + points[:, 0] ** 2, rtol=1e-4, atol=1e-4)
    assert solution.integral().item() == pytest.approx(1.0, rel=1e-4)
    with pytest.raises(ValueError, match=r"\(…, 3\)"):
        solution(x=[0.5, 0.5])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": 1}, "function of x, θ: θ missing"),
        ({"x": 1, "t": 0}, "no coordinate 't': the coordinates are x, θ"),
        ({"x": [0.1, 0.2], "θ": [0.1, 0.0, 0.05]}, r"cannot be broadcast: x \(2,\), θ \(3,\)"),
    ],
)
def test_wrong_coordinates(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solved(HEAT)(**arguments)


def test_wrong_times_and_boundaries() -> None:
    solution = solved(HEAT)
    with pytest.raises(ValueError, match="state θ"):
        solution.integral()
    with pytest.raises(ValueError, match=r"must lie in \[0, 0.1\]"):
        solution.integral(1.0)
    with pytest.raises(ValueError, match="does not depend on time"):
        solved(DISC, "grid(n=32)").integral(0.0)
    with pytest.raises(ValueError, match="the boundaries are 'boundary', 'left', 'right'"):
        solution.flux("top", 0.1)
    with pytest.raises(ValueError, match="not both"):
        solution([[0.0, 0.5]], x=0.5)


def test_complex_unknowns() -> None:
    """ψ = e^{-iπ²t/2} sin(πx)"""
    text = "pde P\nspace x in [0, 1]\ntime t in [0, 1]\nunknown ψ(x, t) : complex\ni ∂ψ/∂t = -½ ∂²ψ/∂x²\n"
    solution = pdedsl.solve(text + "ψ(x, 0) = sin(π x)\nψ = 0 on boundary\nrealize equation by grid(n=16)\n")
    phase = torch.exp(-0.5j * math.pi**2 * torch.tensor([0.0, 1.0]).double())
    torch.testing.assert_close(solution(x=0.5, t=[0.0, 1.0]), phase, rtol=1e-5, atol=0)
    torch.testing.assert_close(solution.psi(x=0.5, t=[0.0, 1.0]), phase, rtol=1e-5, atol=0)
    torch.testing.assert_close(solution["ψ_im"](x=0.5, t=1.0), phase[1].imag, rtol=1e-5, atol=1e-6)
    assert solution([[0.5, 1.0]]).shape == (1, 1)
    torch.testing.assert_close(solution.integral(t=[0.0, 1.0]), 2 / math.pi * phase, rtol=1e-5, atol=0)
    assert solution.gradient(x=0.5, t=1.0).shape == (1,)
    assert solution(x=[0.5, 1.5], t=0.5).isnan().tolist() == [False, True]


def test_functions_of_time_only() -> None:
    solution = pdedsl.solve("pde P\ntime t in [0, 1]\nunknown u(t) : scalar\n∂u/∂t = -u\nu(0) = 1\n")
    torch.testing.assert_close(solution(t=[0.0, 1.0]), torch.tensor([1.0, math.exp(-1)]).double(), rtol=1e-4, atol=0)
    assert solution(t=2.0).isnan()
    for method in (solution.integral, solution.flux):
        with pytest.raises(ValueError, match="of time alone"):
            method()
    with pytest.raises(ValueError, match="of time alone"):
        solution.gradient(t=1.0)


def test_three_lines_describe_a_solution() -> None:
    first, second, third = repr(solved(HEAT)).splitlines()
    assert first == "Solution of Heat: u(θ, x) for x in [0, 1], θ in [0, 1/10]"
    assert second.startswith("  method: grid(n=16), ")
    assert third.startswith("  relative L2 error: ")
    assert third.endswith("; holds")
    assert repr(solved(HEAT).u) == "<u(x, θ) of Heat>"


METHOD_DOCSTRINGS = {
    f"{kind.__name__}.{name}": member
    for kind in (SolutionFunctions, SolutionField, Solution)
    for name, member in vars(kind).items()
    if inspect.isfunction(member) and ">>>" in (member.__doc__ or "")
}


@pytest.mark.parametrize("name", [*METHOD_DOCSTRINGS, "SolutionField"])
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(METHOD_DOCSTRINGS.get(name, SolutionField)) or ""
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert example.examples
    output: list[str] = []
    doctest.DocTestRunner().run(example, out=output.append)
    assert not output, "".join(output)


@pytest.mark.parametrize("name", METHOD_DOCSTRINGS)
def test_documentation(name: str) -> None:
    """Arguments, result and exceptions are described."""
    text, signature = inspect.getdoc(METHOD_DOCSTRINGS[name]) or "", inspect.signature(METHOD_DOCSTRINGS[name])
    assert all(f"{p}: " in text for p in signature.parameters if p != "self"), text
    assert all(section in text for section in ("Args:\n", "Returns:\n", "Raises:\n", "Example:\n"))
