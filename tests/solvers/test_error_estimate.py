"""A-posteriori error estimate: residuals at held-out points, comparison with references, verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf, nan

import pytest
import torch
from torch import Tensor, nn

from pdedsl.codegen.strong_form import derivative_path
from pdedsl.compiler import to_compilation
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.residual import Derivative
from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import Axis, ChebyshevAxis, PiecewiseChebyshevAxis, TensorProductExpansion
from pdedsl.runtime.diff.autodiff import partial_derivatives
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.crosscheck import Crosscheck, MethodResult, PairComparison, compare_pair
from pdedsl.solvers.error_estimate import (
    Comparison,
    ErrorBar,
    ErrorEstimate,
    ResidualAudit,
    ResidualNorm,
    Verdict,
    compare,
    evaluate_derivatives,
    reference_solutions,
)
from pdedsl.solvers.report import report_json
from pdedsl.solvers.run import solve
from pdedsl.solvers.solver_method import SolveOptions
from pdedsl.sources import source_of

HEAT = """pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = sin(π x)
u = 0 on boundary
"""


class DecayingSine(nn.Module):
    """A function of x and t."""

    def __init__(self, shift: float = 0.0, rate: float = torch.pi**2) -> None:
        super().__init__()
        self.shift, self.rate = shift, rate

    def forward(self, points: Tensor) -> Tensor:
        x, t = points[:, :1], points[:, 1:]
        return torch.sin(torch.pi * x) * torch.exp(-self.rate * t) + self.shift


def residual_norms(module: nn.Module, text: str = HEAT) -> tuple[ResidualNorm, ...]:
    compilation = to_compilation(source_of(text))
    assert isinstance(compilation.plan, SolvePlan)
    statement = compilation.plan.problem
    return ResidualAudit(statement, module, PointSampler(statement.domain), 0, {}).residual_norms(
        compilation.spec.source
    )


def test_the_exact_solution_has_zero_residual() -> None:
    found = residual_norms(DecayingSine())
    assert [g.where for g in found] == ["inside", "at t = 0", "at x = 0", "at x = 1"]
    assert max(g.relative_max for g in found) < 1e-13
    assert ErrorEstimate(found).verdict is Verdict.HOLDS


def test_relative_residual_of_a_wrong_decay_rate() -> None:
    """u = sin(πx) e^{-ct} has r = (π² - c) u, beside terms of (π² + c) |u|: relative exactly |π² - c| / (π² + c)."""
    c = 5.0
    inside = residual_norms(DecayingSine(rate=c))[0]
    assert inside.relative_rms == pytest.approx((torch.pi**2 - c) / (torch.pi**2 + c), rel=1e-10)


@pytest.mark.parametrize(
    ("module", "wrong"),
    [
        (DecayingSine(rate=5.0), {"inside"}),  # another equation
        (
            DecayingSine(shift=0.5),
            {"at t = 0", "at x = 0", "at x = 1"},
        ),  # violates the conditions, not the equation
    ],
)
def test_violated_equations_and_conditions_are_reported(module: nn.Module, wrong: set[str]) -> None:
    error_estimate = ErrorEstimate(residual_norms(module))
    assert error_estimate.verdict is Verdict.FAILS
    assert {g.where for g in error_estimate.residual_norms if g.relative_rms > 0.1} == wrong
    assert len(error_estimate.failures) == len(wrong)


def test_a_collapsed_solution_fails() -> None:
    """u = 0 satisfies the equation and the boundary conditions, but not the initial condition."""

    class Zero(nn.Module):
        def forward(self, points: Tensor) -> Tensor:
            return 0.0 * points[:, :1]

    error_estimate = ErrorEstimate(residual_norms(Zero()))
    assert error_estimate.verdict is Verdict.FAILS
    assert [g.where for g in error_estimate.residual_norms if g.relative_rms > 0.1] == ["at t = 0"]


@pytest.mark.parametrize("residual", [nan, 0.02, 0.97])
def test_large_residuals_give_no_error_estimate(residual: float) -> None:
    """As for sin(20πx) sin(20πy) with too few features: relative residual 0.97, relative error 9."""
    error_estimate = ErrorEstimate((ResidualNorm("u = 0", "inside", residual, residual, 1.0, 3, data=0.5),))
    assert error_estimate.verdict is Verdict.FAILS
    assert error_estimate.error.value == inf
    assert str(error_estimate.error).startswith("unknown")


@pytest.mark.parametrize(
    ("relative_rms", "alone", "confirmed"), [(0.009, True, True), (0.09, False, True), (0.11, False, False)]
)
def test_tolerance_of_residuals_with_and_without_reference(relative_rms: float, alone: bool, confirmed: bool) -> None:
    residual_norms = (ResidualNorm("u = 1", "inside", relative_rms, relative_rms, 1.0, 3, data=0.5),)
    beside = (Comparison("another", 0.001, 0.0, 1e-12, exact=False),)
    silent = (Comparison("another", 0.001, 0.0, 0.5, exact=False),)
    assert [ErrorEstimate(residual_norms, c).verdict is Verdict.HOLDS for c in ((), beside)] == [alone, confirmed]
    assert any("violated" in c for c in ErrorEstimate(residual_norms, silent).failures) is not alone
    member = MethodResult("one", torch.ones(3, 1), 0.0, "none", residual=relative_rms)
    pairs = PairComparison("one", "two", 0.001, 0.01)
    assert [Crosscheck((member,), p, ()).agrees for p in ((), (pairs,))] == [alone, confirmed]


@pytest.mark.parametrize(
    ("distance", "error", "exact", "verdict"),
    [
        (0.009, 1e-12, False, Verdict.HOLDS),
        (0.011, 1e-12, False, Verdict.DISAGREES),
        (0.011, 0.0, True, Verdict.FAILS),
        (0.05, 0.01, False, Verdict.HOLDS),  # the reference itself is no better
        (0.11, 0.09, False, Verdict.DISAGREES),  # not one digit is common to both
        (nan, 0.0, False, Verdict.DISAGREES),
    ],
)
def test_tolerance_of_a_comparison(distance: float, error: float, exact: bool, verdict: Verdict) -> None:
    assert ErrorEstimate((), (Comparison("another", distance, 0.0, error, exact),)).verdict is verdict


@pytest.mark.parametrize(("distance", "agrees"), [(0.09, True), (0.11, False)])
def test_a_pair_without_a_common_digit_disagrees(distance: float, agrees: bool) -> None:
    ones = torch.ones(3, 1)
    assert (
        compare_pair(MethodResult("a", ones * (1 + distance), 0.06, ""), MethodResult("b", ones, 0.0, "")).agrees
        is agrees
    )


def test_relative_errors() -> None:
    expected = torch.tensor([[3.0, 0.0], [4.0, 0.0]])
    found = expected + torch.tensor([[0.3, 0.0], [0.4, 0.0]])
    made = compare(found, expected, ("u", "v"), "another", 0.0)
    assert made.distance == pytest.approx(0.1)
    assert made.maximum == pytest.approx(0.4)
    assert dict(made.components) == pytest.approx({"u": 0.1, "v": 0.0})
    assert float(ErrorEstimate((), (made,)).error) == pytest.approx(0.1)


def test_a_resonance_fails() -> None:
    """u″ + π²u = 1, u(0) = u(1) = 0 has no solution: c sin πx has a residual of 1, small relative to its terms."""

    class Mode(nn.Module):
        def forward(self, points: Tensor) -> Tensor:
            return 1e6 * torch.sin(torch.pi * points)

    text = "pde A\nspace x in [0, 1]\nunknown u(x) : scalar\n∂²u/∂x² + π² u = 1\nu = 0 on boundary\n"
    error_estimate = ErrorEstimate(residual_norms(Mode(), text))
    assert max(g.relative_rms for g in error_estimate.residual_norms) < 1e-6
    assert error_estimate.verdict is Verdict.FAILS
    assert float(error_estimate.error) > 0.1


def test_scale_of_a_vanishing_normal_derivative() -> None:
    """u = cos πx has ∂u/∂y = 0 up to rounding: small relative to ∂u/∂x."""

    class Wave(nn.Module):
        def forward(self, points: Tensor) -> Tensor:
            return torch.cos(torch.pi * points[:, :1]) + 1e-14 * points[:, 1:].sin()

    text = "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n-Δu = π² cos(π x)\n∂u/∂n = 0 on boundary\n"
    assert ErrorEstimate(residual_norms(Wave(), text)).verdict is Verdict.HOLDS


def test_a_reference_without_a_correct_digit_verifies_nothing() -> None:
    error_estimate = ErrorEstimate((), (Comparison("another", 0.9, 0.0, 0.5, exact=False),))
    assert error_estimate.verdict is Verdict.DISAGREES
    assert "unverified" in error_estimate.failures[0]


def test_confidence_intervals_of_the_solution() -> None:
    good = Comparison("another", 0.05, 0.0, 1e-6, exact=False, interval=0.04)
    assert ErrorEstimate((), (good,)).verdict is Verdict.HOLDS
    assert float(ErrorEstimate((), (good,)).error) == pytest.approx(0.05, rel=1e-4)
    vague = ErrorEstimate((), (Comparison("another", 0.05, 0.0, 1e-6, exact=False, interval=0.2),))
    assert vague.verdict is Verdict.DISAGREES
    assert "no significant digits" in vague.failures[0]


def test_confidence_intervals_without_reference() -> None:
    sure, vague = (ErrorEstimate((), internal=ErrorBar(value, "its own intervals")) for value in (0.01, 0.5))
    assert (sure.verdict, float(sure.error)) == (Verdict.HOLDS, 0.01)
    assert vague.verdict is Verdict.FAILS
    assert "no significant digits" in vague.failures[0]


def test_a_solution_beyond_blow_up_fails() -> None:
    """u = 1/(1/u₀ - t) ends at t = 1/3: a network goes on smoothly with a small residual."""
    text = (
        "pde A\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = u²\n"
        "u(x, 0) = 2 + cos(2π x)\nrealize equation by residual(points=200, steps=10)\n"
    )
    solution = solve(text)
    assert solution.verdict is not Verdict.HOLDS
    assert any("breaks down" in c for c in solution.error_estimate.failures)
    json.dumps(report_json(solution), allow_nan=False)


REST = "pde A\nspace x in [0, 1]\nunknown u(x) : scalar\n"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (REST + "∂²u/∂x² = 0\nu = 0 on left\nu = 1 on right\n", Verdict.HOLDS),
        (REST + "-1e-4 ∂²u/∂x² + ∂u/∂x = 1\nu = 0 on boundary\n", Verdict.HOLDS),
    ],
    ids=["a straight line", "a layer of width 1e-4"],
)
def test_verdicts_of_textbook_problems(text: str, verdict: Verdict) -> None:
    assert solve(text).verdict is verdict


def test_three_dimensions_have_a_reference() -> None:
    """In four dimensions there is no inexpensive grid: only residuals are available, as the notes say."""
    texts = [
        f"pde A\nspace x in [0, 1]^{d}\nunknown u(x) : scalar\n-Δu = 0\nu = x₁ x₂ on boundary\n"
        "realize equation by features(n=60, bandwidth=1)\n"
        for d in (3, 4)
    ]
    found = [solve(text).error_estimate for text in texts]
    assert [[c.reference for c in t.comparisons] for t in found] == [["grid(n=12)"], []]
    assert [any("only residuals are available" in n for n in t.notes) for t in found] == [False, True]


def test_an_implicit_reference_has_a_step_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a degenerate diffusion, whose steps become too short; one that the spec names goes on."""
    monkeypatch.setattr("pdedsl.solvers.error_estimate.MAX_REFERENCE_STEPS", 3)
    text = (
        "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = Δu\nu(x, 0) = 1 + x²\n"
        "u = 1 on left\n∂u/∂n = 2 on right\n"
    )
    for more, known in (("", 0), ("evaluate { reference grid(n=8) }\n", 1)):
        plan = to_compilation(source_of(text + more)).plan
        assert isinstance(plan, SolvePlan)
        assert len(list(reference_solutions(plan, SolveOptions()))) == known


RIEMANN = "∂u/∂t + u ∂u/∂x = 0\nu(x, 0) = {}\nu = {} on left\nu = {} on right\n"


@pytest.mark.parametrize(
    ("equations", "exact"),
    [
        (RIEMANN.format("-sign(x)", 1, -1), lambda x, t: -x.sign()),
        (RIEMANN.format("sign(x)", -1, 1), lambda x, t: (x / t).clamp(-1, 1)),
        (
            "∂u/∂t + ∂u/∂x = 0\nu(x, 0) = heaviside(-x)\nu = 1 on left\n",
            lambda x, t: (x < t).to(x.dtype),
        ),
    ],
    ids=["a shock", "a fan", "a front that is carried"],
)
def test_error_estimate_of_discontinuous_solutions(equations: str, exact: Callable[..., Tensor]) -> None:
    """In L1, where the error of a shock is O(h)."""
    solution = solve("pde A\nspace x in [-1, 1]\ntime t in [0, 0.5]\nunknown u(x, t) : scalar\n" + equations)
    points = torch.rand(4000, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x, t = 2 * points[:, 0] - 1, points[:, 1] / 2
    expected = exact(x, t)
    difference = solution(torch.stack([x, t], 1))[:, 0] - expected
    error = float(difference.norm(1) / expected.norm(1))
    assert error / 3 < float(solution.error) < 30 * error


def test_discontinuous_solutions_are_judged_in_l1() -> None:
    near, far = (Comparison("another", 0.05, 0.0, 1e-12, exact=False, mean=mean) for mean in (0.009, 0.011))
    assert [ErrorEstimate((), (c,)).verdict for c in (near, far)] == [Verdict.HOLDS, Verdict.DISAGREES]
    assert float(ErrorEstimate((), (near,)).error) == pytest.approx(0.05)


@pytest.mark.parametrize(
    "axis", [ChebyshevAxis(-1, 2, 9), PiecewiseChebyshevAxis((-1.0, 0.5, 2.0), 7), FourierAxis(-1, 3, 5)]
)
def test_derivatives_of_expansions_by_coefficients_and_by_automatic_differentiation(axis: Axis) -> None:
    generator = torch.Generator().manual_seed(0)
    n = axis.modes if isinstance(axis, FourierAxis) else axis.n * (2 if isinstance(axis, PiecewiseChebyshevAxis) else 1)
    values = torch.randn(9, 2, n, 6, generator=generator, dtype=torch.float64)
    times = torch.linspace(0, 1, 9, dtype=torch.float64)
    expansion = TensorProductExpansion((axis, ChebyshevAxis(0, 1, 6)), values, times)
    points = torch.rand(20, 3, generator=generator, dtype=torch.float64) * torch.tensor([3.0, 1, 1]) - torch.eye(3)[0]
    wanted = [
        Derivative(c, orders) for c in (0, 1) for orders in ((0, 0, 0), (2, 0, 0), (1, 1, 0), (1, 0, 1), (0, 0, 2))
    ]
    by_paths = partial_derivatives(expansion, points, *map(derivative_path, wanted)).detach()
    torch.testing.assert_close(evaluate_derivatives(expansion, wanted, points), by_paths, rtol=1e-9, atol=1e-9)
