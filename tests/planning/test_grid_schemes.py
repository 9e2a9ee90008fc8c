"""The grid scheme of a problem, or the reason why none applies."""

from __future__ import annotations

import pytest

from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.config.methods import Grid
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import ChebyshevScheme, FiniteVolumeScheme, FourierScheme, GridScheme
from pdedsl.lowering.lower import lower
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.problem.first_order_system import GridNotApplicable

PERIODIC = "pde A\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\nu(x, 0) = sin(2π x)\n"
INTERVAL = "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"


def strong_form(text: str) -> StrongForm:
    problem = lower(to_analysis(parse(text)))
    assert isinstance(problem, StrongForm)
    return problem


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        (PERIODIC + "∂u/∂t + u ∂u/∂x = Δu\n", FourierScheme),
        (PERIODIC + "∂u/∂t + ∂u/∂x = 0\n", FourierScheme),
        (PERIODIC + "∂u/∂t + u ∂u/∂x = 0\n", FiniteVolumeScheme),
        (PERIODIC + "∂u/∂t = (1 + u²) Δu\n", ChebyshevScheme),
        (INTERVAL + "∂u/∂t = Δu\nu(x, 0) = sin(π x)\nu = 0 on boundary\n", FourierScheme),
        (INTERVAL + "∂u/∂t = Δu\nu(x, 0) = cos(π x)\n∂u/∂n = 0 on boundary\n", FourierScheme),
        (INTERVAL + "∂u/∂t = Δu\nu(x, 0) = x (1 - x)\nu = 0 on boundary\n", ChebyshevScheme),
        (INTERVAL + "∂u/∂t = Δu\nu(x, 0) = 1e-24 x (1 - x)\nu = 0 on boundary\n", ChebyshevScheme),
        (INTERVAL + "∂u/∂t = Δu + u²\nu(x, 0) = sin(π x)\nu = 0 on boundary\n", ChebyshevScheme),
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
def test_grid_scheme(text: str, scheme: type[GridScheme]) -> None:
    assert isinstance(plan_grid(strong_form(text), Grid()).scheme, scheme)


def test_too_many_dimensions() -> None:
    text = "pde A\nspace x in [0, 1]^4\nunknown u(x) : scalar\nΔu = 1\nu = 0 on boundary\n"
    with pytest.raises(GridNotApplicable, match="grids are limited to 3 space dimensions"):
        plan_grid(strong_form(text), Grid())


def test_mixed_space_time_derivatives() -> None:
    text = PERIODIC + "∂u/∂t - ∂³u/∂x²∂t = ∂u/∂x\n"
    with pytest.raises(GridNotApplicable, match="mixed space-time derivatives of highest order in time"):
        plan_grid(strong_form(text), Grid())


def test_second_derivatives_of_polynomials_are_one_flux_term() -> None:
    """Δ(u³) = 3u² Δu + 6u |∇u|² needs one transform; u Δu is not a derivative of a function of u."""
    scheme = plan_grid(strong_form(PERIODIC + "∂u/∂t = Δ(u³ - u - 0.001 Δu)\n"), Grid()).scheme
    assert isinstance(scheme, FourierScheme)
    ((factor, flux, orders),) = scheme.flux_terms
    (value,) = flux.free_symbols
    assert (factor, flux, orders) == (1.0, value**3, (2,))
    scheme = plan_grid(strong_form(PERIODIC + "∂u/∂t = u Δu - 0.001 Δ(Δu)\n"), Grid()).scheme
    assert isinstance(scheme, FourierScheme)
    assert scheme.flux_terms == ()
