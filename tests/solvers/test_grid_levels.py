"""Levels of refinement on grids: sizes from the decay of the coefficients, and its estimate of the error."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from math import cosh, pi

import pytest
import torch
from scipy.optimize import brentq
from torch import Tensor

from pdedsl.config.methods import Grid
from pdedsl.ir.solver_plans import ChebyshevScheme, FourierScheme
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import ChebyshevAxis, TensorProductExpansion
from pdedsl.runtime.ode.step_doubling import StepBudget
from pdedsl.solvers.grid import driver
from pdedsl.solvers.grid.driver import levels_by_grid
from pdedsl.solvers.grid.fourier import FourierProblem, points_for_growth
from pdedsl.solvers.grid.grid_result import GridResult
from pdedsl.solvers.grid.resolution import AxisDecay, axis_decays, refine_sizes
from pdedsl.solvers.method_result import EstimateKind, SolverResult
from tests.solvers.problems import error_of, stated

LINE = "pde A\nspace x in [0, 1]\nunknown u(x) : scalar\n"
SQUARE = "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n"
θ = brentq(lambda s: s - 2**0.5 * cosh(s / 4), 1, 2)  # of the lower solution of Bratu's problem


def levels(text: str, tolerance: float, count: int) -> list[SolverResult]:
    return list(islice(levels_by_grid(plan_grid(stated(text), Grid()), tolerance=tolerance), count))


def bratu(x: Tensor) -> Tensor:
    return -2 * torch.log(torch.cosh((x - 0.5) * θ / 2) / cosh(θ / 4))


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        (LINE + "Δu = -exp(u)\nu = 0 on boundary\n", bratu),
        (LINE + "0.01 ∂²u/∂x² + ∂u/∂x = 0\nu = 0 on left\nu = 1 on right\n", lambda x: 1 - torch.exp(-100 * x)),
        (
            SQUARE + "-Δu = 17 π² sin(π x) sin(4π y)\nu = 0 on boundary\n",
            lambda x, y: torch.sin(pi * x) * torch.sin(4 * pi * y),
        ),
    ],
    ids=["Bratu", "boundary layer", "Poisson"],
)
def test_decay_estimates_the_error(text: str, exact: Callable[..., Tensor]) -> None:
    """Neither below a third of the error nor 30 times as large, where the error is above rounding."""
    pairs = [(r.error_estimates[EstimateKind.DECAY], error_of(r, stated(text), exact)) for r in levels(text, 1e-10, 5)]
    assert pairs[-1][1] < 1e-10
    assert all(e / 3 < decay < 30 * e for decay, e in pairs if e > 1e-12)


def test_resolved_axes_are_not_refined() -> None:
    text = SQUARE + "-Δu = 65 π² sin(π x) sin(8π y)\nu = 0 on boundary\n"
    first, second, third = (r.module.axes for r in levels(text, 1e-8, 3))
    assert second[0].n == third[0].n
    assert first[1].n < second[1].n < third[1].n


def test_geometric_decay_is_extrapolated_exactly() -> None:
    n, rate = 24, 0.5
    k = torch.arange(n, dtype=torch.float64)
    expansion = TensorProductExpansion((ChebyshevAxis(0, 1, n),), torch.zeros(1, 1, n, dtype=torch.float64), None)
    expansion.coefficients.copy_(rate**k)
    decays = axis_decays(expansion)
    assert decays is not None
    assert decays[0].rate == pytest.approx(rate)
    assert decays[0].tail == pytest.approx(rate ** (n - 1), rel=0.1)  # the omitted ones and the last, relative to all


def test_first_coefficients_of_short_expansions_do_not_count() -> None:
    """A mean of 10 beside coefficients 2⁻ᵏ is outside of both blocks."""
    expansion = TensorProductExpansion((ChebyshevAxis(0, 1, 9),), torch.zeros(1, 1, 9, dtype=torch.float64), None)
    expansion.coefficients.copy_(0.5 ** torch.arange(9, dtype=torch.float64))
    expansion.coefficients[..., 0] = 10
    decays = axis_decays(expansion)
    assert decays is not None
    assert decays[0].rate == pytest.approx(0.5)


def test_sizes_follow_the_rate() -> None:
    assert refine_sizes((20, 20), [AxisDecay(1e-4, 0.1), AxisDecay(1e-12, 0.1)], 1e-10) == (26, 20)
    assert refine_sizes((20,), [AxisDecay(1e-12, 0.1)], 1e-10) == (25,)
    assert refine_sizes((20,), [AxisDecay(1.0, 0.999)], 1e-10) == (40,)


def test_coefficients_that_vanish_by_construction_are_left_out() -> None:
    """A pressure has two coefficients less than the velocity."""
    n, rate = 24, 0.5
    k = torch.arange(n, dtype=torch.float64)
    values = torch.zeros(1, 2, n, dtype=torch.float64)
    expansion = TensorProductExpansion((ChebyshevAxis(0, 1, n),), values, None)
    expansion.coefficients[:, 0] = 1e-3 * rate ** (2 * k)
    expansion.coefficients[:, 1] = torch.where(k < n - 2, rate**k, 0.0)
    decays = axis_decays(expansion)
    assert decays is not None
    assert decays[0].tail == pytest.approx(rate ** (n - 3), rel=0.1)


def test_condition_of_a_system_determines_the_unknown_with_the_normal_derivative() -> None:
    """Traction 2 ∂v/∂y + ∂u/∂x on top belongs to v, although u comes first."""
    text = (
        "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\nunknown v(x, y) : scalar\n"
        "2 ∂²u/∂x² + ½ ∂²u/∂y² + 3/2 ∂²v/∂x∂y = 4 exp(x + y)\n"
        "½ ∂²v/∂x² + 2 ∂²v/∂y² + 3/2 ∂²u/∂x∂y = 4 exp(x + y)\n"
        "u = exp(x + y) on left, right, bottom, top\nv = exp(x + y) on left, right, bottom\n"
        "∂u/∂x + 2 ∂v/∂y = 3 exp(x + y) on top\n"
    )
    (result,) = levels(text, 1e-8, 1)
    points = torch.rand(100, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert float((result.module(points) - points.sum(1).exp()[:, None]).detach().abs().max()) < 1e-8


@pytest.mark.parametrize(
    ("text", "pieces", "exact"),
    [
        (
            LINE + "-1e-6 ∂²u/∂x² + ∂u/∂x = 1\nu = 0 on boundary\n",
            2,
            lambda x: x - torch.exp((x - 1) / 1e-6),
        ),
        (
            LINE + "-1e-8 ∂²u/∂x² + u = 1\nu = 0 on boundary\n",
            3,
            lambda x: 1 - torch.exp(-x / 1e-4) - torch.exp((x - 1) / 1e-4),
        ),
        (
            LINE + "1e-8 ∂²u/∂x² + (x - 0.4) ∂u/∂x = 0\nu = -1 on left\nu = 1 on right\n",
            3,
            lambda x: torch.erf((x - 0.4) / (2e-8) ** 0.5),
        ),
    ],
    ids=["convection", "reaction", "turning point"],
)
def test_layers_have_pieces_of_their_own(text: str, pieces: int, exact: Callable[..., Tensor]) -> None:
    result = levels(text, 1e-8, 4)[-1]
    (axis,) = result.module.axes
    assert len(axis.pieces) == pieces
    inside = torch.cat([torch.linspace(p.start, p.end, 50, dtype=torch.float64) for p in axis.pieces])
    assert float((result.module(inside[:, None])[:, 0] - exact(inside)).abs().max()) < 1e-8


def test_layers_in_time_and_in_two_dimensions() -> None:
    """u = v exp(-t) and u = v sin πy with the boundary layer v, ε = 1e-4; exp((x - 1)/ε) does not overflow."""
    layer = "let v(x) = x - exp((x - 1)/1e-4)\n"
    moving = (
        f"pde A\nspace x in [0, 1]\ntime t in [0, 0.1]\nunknown u(x, t) : scalar\n{layer}"
        "∂u/∂t = 1e-4 ∂²u/∂x² - ∂u/∂x + (1 - v(x)) exp(-t)\nu(x, 0) = v(x)\nu = 0 on boundary\n"
    )
    plane = (
        SQUARE + layer + ("1e-4 ∂²u/∂x² - ∂u/∂x + ∂²u/∂y² = -(1 + π² v(x)) sin(π y)\nu = v(x) sin(π y) on boundary\n")
    )
    for text, factor in ((moving, lambda t: torch.exp(-t)), (plane, lambda y: torch.sin(pi * y))):
        result = levels(text, 1e-6, 3)[-1]
        pair = torch.rand(300, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        points = pair * torch.tensor([1.0, 0.1])
        exact = (points[:, 0] - torch.exp((points[:, 0] - 1) / 1e-4)) * factor(points[:, 1])
        assert float((result.module(points)[:, 0] - exact).detach().norm() / exact.norm()) < 1e-6


def test_smooth_solutions_have_one_piece() -> None:
    (result,) = levels(LINE + "-∂²u/∂x² + ∂u/∂x + u = 1\nu = 0 on boundary\n", 1e-4, 1)
    assert isinstance(result.module.axes[0], ChebyshevAxis)


def test_supported_beam_has_an_odd_extension() -> None:
    """u = sin πx cos π²t solves ∂²u/∂t² + ∂⁴u/∂x⁴ = 0 with u = ∂²u/∂x² = 0 at both ends: Fourier series are exact."""
    text = (
        "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂²u/∂t² + ∂⁴u/∂x⁴ = 0\n"
        "u(x, 0) = sin(π x)\n∂u/∂t(x, 0) = 0\nu = 0 on boundary\n"
    )
    (result,) = levels(text + "∂²u/∂x² = 0 on boundary\n", 1e-8, 1)
    assert isinstance(result.module.axes[0], FourierAxis)
    points = torch.rand(100, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    exact = torch.sin(pi * points[:, 0]) * torch.cos(pi**2 * points[:, 1])
    assert float((result.module(points)[:, 0] - exact).abs().max()) < 1e-9
    clamped = plan_grid(stated(text + "∂u/∂x = 0 on boundary\n"), Grid())
    assert isinstance(clamped.scheme, ChebyshevScheme)


CAHN_HILLIARD = (
    "pde A\nspace x in [-1, 1] periodic\ntime t in [0, 0.1]\nunknown u(x, t) : scalar\n"
    "∂u/∂t = Δ(u³ - u - 0.01 Δu)\nu(x, 0) = 0.5 cos(π x)\n"
)


def test_the_mean_of_a_nonlinear_diffusion_is_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    """The splitting changes the steps, not the solution."""
    text = CAHN_HILLIARD.replace("0.01", "0.001")
    plan, like = plan_grid(stated(text), Grid()), torch.zeros((), dtype=torch.float64)

    def solve() -> GridResult:
        return driver._solve_level(plan, (64,), {}, like, lambda _: StepBudget(1e-7))

    split = solve()
    monkeypatch.setattr(FourierProblem, "mean_symbol", None)
    plain = solve()
    points = torch.rand(200, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    points = points * torch.tensor([2.0, 0.1], dtype=torch.float64) - torch.tensor([1.0, 0.0], dtype=torch.float64)
    difference = split.module(points) - plain.module(points)
    assert float(difference.norm() / plain.module(points).norm()) < 1e-6
    assert split.metrics["steps"] < plain.metrics["steps"]


def test_first_grids_contain_the_amplified_modes() -> None:
    """κ² - κ⁴/100 > 3/T for the modes κ = π m, m ≤ 3, if T = 1."""
    text = CAHN_HILLIARD.replace("[0, 0.1]", "[0, 1]")
    scheme = plan_grid(stated(text), Grid()).scheme
    assert isinstance(scheme, FourierScheme)
    assert points_for_growth(scheme, torch.zeros((), dtype=torch.float64)) == 4 * 3
    burgers = text.replace("Δ(u³ - u - 0.01 Δu)", "Δu - u ∂u/∂x")
    scheme = plan_grid(stated(burgers), Grid()).scheme
    assert isinstance(scheme, FourierScheme)
    assert points_for_growth(scheme, torch.zeros((), dtype=torch.float64)) == 0
