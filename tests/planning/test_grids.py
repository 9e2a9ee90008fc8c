"""Which scheme a grid takes, and why it takes none."""

from __future__ import annotations

import pytest

from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.ir.problem import StrongForm
from pdedsl.lowering.rules import lower
from pdedsl.planning.solver_selection import Scheme, grid_scheme

RING = "pde A\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\nu(x, 0) = sin(2π x)\n"
LINE = "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"


def stated(text: str) -> StrongForm:
    found = lower(to_analysis(parse(text)))
    assert isinstance(found, StrongForm)
    return found


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        (RING + "∂u/∂t + u ∂u/∂x = Δu\n", Scheme.FOURIER),
        (RING + "∂u/∂t + ∂u/∂x = 0\n", Scheme.FOURIER),
        (RING + "∂u/∂t + u ∂u/∂x = 0\n", Scheme.VOLUMES),
        (RING + "∂u/∂t = (1 + u²) Δu\n", Scheme.COLLOCATION),
        (LINE + "∂u/∂t = Δu\nu(x, 0) = sin(π x)\nu = 0 on boundary\n", Scheme.FOURIER),
        (LINE + "∂u/∂t = Δu\nu(x, 0) = cos(π x)\n∂u/∂n = 0 on boundary\n", Scheme.FOURIER),
        (LINE + "∂u/∂t = Δu\nu(x, 0) = x (1 - x)\nu = 0 on boundary\n", Scheme.COLLOCATION),
        (LINE + "∂u/∂t = Δu\nu(x, 0) = 1e-24 x (1 - x)\nu = 0 on boundary\n", Scheme.COLLOCATION),
        (LINE + "∂u/∂t = Δu + u²\nu(x, 0) = sin(π x)\nu = 0 on boundary\n", Scheme.COLLOCATION),
    ],
    ids=[
        "smooth",
        "linear transport",
        "shocks",
        "variable diffusion",
        "odd",
        "even",
        "not odd",
        "small",
        "equation not odd",
    ],
)
def test_the_scheme_follows_from_the_statement(text: str, scheme: Scheme) -> None:
    assert grid_scheme(stated(text)) is scheme


def test_many_dimensions_are_refused() -> None:
    text = "pde A\nspace x in [0, 1]^4\nunknown u(x) : scalar\nΔu = 1\nu = 0 on boundary\n"
    assert grid_scheme(stated(text)) == "a grid has at most 3 dimensions of space"


def test_derivatives_in_space_of_the_derivative_in_time_are_refused() -> None:
    text = RING + "∂u/∂t - ∂³u/∂x²∂t = ∂u/∂x\n"
    assert grid_scheme(stated(text)) == "mixed space-time derivatives of highest order in time are not supported"
