"""Obstacle problems, American options and Hamilton-Jacobi-Bellman equations against closed forms and binomial trees."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.optimize import brentq
from torch import Tensor

import pdedsl
from pdedsl.compiler import Compilation
from pdedsl.config.methods import Elements, Grid, Solver
from pdedsl.diagnostics import PdeError
from pdedsl.io import RunError
from pdedsl.runtime.basis.obstacle_solution import ContactExpansion, ContactPolynomials
from pdedsl.solvers.dispatch import solve_with
from pdedsl.solvers.elements.driver import levels_by_elements
from pdedsl.solvers.elements.ufl_export import ufl_files
from pdedsl.solvers.method_result import SolverResult
from pdedsl.solvers.plots import contact_function
from pdedsl.solvers.solver_method import SolveOptions

LINE = "pde P\nspace x in [-1, 1]\nunknown u(x) : scalar\n"
DISC_RADIUS = brentq(lambda a: -2 * a**2 * math.log(a) - 0.5 + a**2, 0.1, 0.9)  # of the contact set of ½ - r²
TOUCH = 1 - math.sqrt(3) / 2  # where the tangents from (±1, 0) touch ½ - 2x²


def compiled(text: str) -> Compilation:
    return pdedsl.compile(text)


def solve(text: str, method: Solver) -> SolverResult:
    return solve_with(compiled(text).plan_solver(method), SolveOptions())


def relative_error(values: Tensor, expected: Tensor) -> float:
    return float((values - expected).norm() / expected.norm())


def string(x: Tensor) -> Tensor:
    return torch.where(x.abs() < TOUCH, 0.5 - 2 * x**2, 4 * TOUCH * (1 - x.abs()))


def pressed(x: Tensor) -> Tensor:
    return 4 * (x.abs() - 0.5).clamp_min(0) ** 2


INTERVALS = {
    "string over a parabola": (f"{LINE}min(-Δu, u - (½ - 2x²)) = 0\nu = 0 on boundary\n", string),
    "the same, of opposite sign": (f"{LINE}max(Δu, ½ - 2x² - u) = 0\nu = 0 on boundary\n", string),
    "pressed onto a plane": (f"{LINE}min(-Δu + 8, u) = 0\nu = 1 on boundary\n", pressed),
    "known term outside": (f"{LINE}2 min(-Δu, u - 8) = -16\nu = 1 on boundary\n", pressed),
    "from below": (f"{LINE}max(-Δu - 8, u) = 0\nu = -1 on boundary\n", lambda x: -pressed(x)),
    "symmetry by a Neumann condition": (
        "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\nmin(-Δu + 8, u) = 0\n∂u/∂n = 0 on left\nu = 1 on right\n",
        pressed,
    ),
    "two obstacles": (
        "pde P\nspace x in [-2, 2]\nunknown u(x) : scalar\n"
        "max(min(-Δu - 8 sign(x), u + 1), u - 1) = 0\nu = 0 on boundary\n",
        lambda x: x.sign() * (1 - 4 * ((x.abs() - 1).abs() - 0.5).clamp_min(0) ** 2),
    ),
}


@pytest.mark.parametrize("method", [Grid(n=256), Elements(order=1, h=1 / 128)], ids=["grid", "elements"])
@pytest.mark.parametrize("name", INTERVALS)
def test_obstacles_on_intervals(name: str, method: Solver) -> None:
    """Both methods are of second order; the constants are below 10."""
    text, exact = INTERVALS[name]
    start = 0.0 if "[0, 1]" in text else -2.0 if "[-2" in text else -1.0
    x = torch.linspace(start, -start or 1.0, 501, dtype=torch.float64)
    assert relative_error(solve(text, method).module(x[:, None])[:, 0], exact(x)) < 10 / 128**2


def radial(r: Tensor) -> Tensor:
    return torch.where(r < DISC_RADIUS, 0.5 - r**2, -2 * DISC_RADIUS**2 * r.log())


def plane_points() -> Tensor:
    line = torch.linspace(-0.69, 0.69, 24, dtype=torch.float64)  # inside the unit disc
    return torch.cartesian_prod(line, line)


DISC = (
    "pde P\nspace (x, y) in [-1, 1]² where x² + y² < 1\nunknown u(x, y) : scalar\n"
    "min(-Δu, u - (½ - x² - y²)) = 0\nu = 0 on x² + y² = 1\n"
)
SQUARE = (
    "pde P\nspace (x, y) in [-1, 1]²\nunknown u(x, y) : scalar\n"
    f"min(-Δu, u - (½ - x² - y²)) = 0\nu = -{DISC_RADIUS**2:.16f} log(x² + y²) on boundary\n"
)


@pytest.mark.parametrize(
    ("text", "method"), [(DISC, Elements(order=1, h=0.05)), (SQUARE, Elements(order=1, h=0.05)), (SQUARE, Grid(n=64))]
)
def test_radial_obstacle(text: str, method: Solver) -> None:
    points = plane_points()
    error = relative_error(solve(text, method).module(points)[:, 0], radial(points.norm(dim=1)))
    assert error < 4e-3


def test_solution_on_the_coarse_mesh_starts_the_iteration() -> None:
    """The free boundary is within one coarse element, which a refinement divides in two per direction."""
    levels = levels_by_elements(compiled(DISC).plan_solver(Elements(order=1)), tolerance=1e-4)
    counts = [level.metrics["policy iterations"] for level in islice(levels, 5)]
    assert max(counts[1:]) <= 6


def test_second_order_in_the_plane() -> None:
    """The free boundary lies between nodes: an observed order above 1.5 over two refinements."""
    points = plane_points()
    errors = [
        relative_error(solve(SQUARE, Grid(n=n)).module(points)[:, 0], radial(points.norm(dim=1))) for n in (16, 64)
    ]
    assert math.log2(errors[0] / errors[1]) / 2 > 1.5


def test_mixed_derivatives() -> None:
    """The radial problem in the coordinates x = a + b, y = a - b/2."""
    text = (
        (
            "pde P\nspace (a, b) in [-½, ½]²\nunknown u(a, b) : scalar\nlet r² = (a + b)² + (a - b/2)²\n"
            "min(-(5/9 ∂²u/∂a² + 8/9 ∂²u/∂b² - 4/9 ∂²u/∂a∂b), u - (½ - r²)) = 0\n"
            f"u = max(½ - r², -{DISC_RADIUS**2:.16f} log(r²)) on boundary\n"
        )
        .replace("let r²", "let q")
        .replace("r²", "q")
    )
    line = torch.linspace(-0.5, 0.5, 21, dtype=torch.float64)
    points = torch.cartesian_prod(line, line)
    a, b = points.unbind(1)
    r = ((a + b) ** 2 + (a - b / 2) ** 2).sqrt()
    assert relative_error(solve(text, Grid(n=64)).module(points)[:, 0], radial(r)) < 3e-3


# ---- Options


def binomial_put(spot: float, rate: float, volatility: float, steps: int) -> float:
    """An American put with strike and maturity 1 in the tree of Cox, Ross and Rubinstein."""
    h = 1 / steps
    up = math.exp(volatility * math.sqrt(h))
    p, discount = (math.exp(rate * h) - 1 / up) / (up - 1 / up), math.exp(-rate * h)
    values = np.maximum(1 - spot * up ** np.arange(-steps, steps + 1, 2.0), 0)
    for n in range(steps - 1, -1, -1):
        prices = spot * up ** np.arange(-n, n + 1, 2.0)
        values = np.maximum(discount * (p * values[1:] + (1 - p) * values[:-1]), 1 - prices)
    return float(values[0])


OPTION = "pde P\nconst r = 0.05\nconst σ = 0.2\nspace S in [0, 3]\ntime t in [0, 1]\nunknown V(S, t) : scalar\n"
FORWARD = f"{OPTION}let L = ∂V/∂t - ½σ² S² ∂²V/∂S² - r S ∂V/∂S + r V\n"
BACKWARD = f"{OPTION}let L = -∂V/∂t - ½σ² S² ∂²V/∂S² - r S ∂V/∂S + r V\n"
PUT = "min(L, V - max(1 - S, 0)) = 0\nV = 1 on left\nV = 0 on right\n"


@pytest.mark.parametrize(
    ("text", "maturity"),
    [
        (f"{FORWARD}{PUT}V(S, 0) = max(1 - S, 0)\n", 1.0),
        (f"{BACKWARD}{PUT}V(S, 1) = max(1 - S, 0)\n", 0.0),
    ],
    ids=["elapsed time", "terminal condition"],
)
def test_american_put(text: str, maturity: float) -> None:
    spots = [0.85, 1.0, 1.15]
    points = torch.tensor([[s, maturity] for s in spots], dtype=torch.float64)
    values = solve(text, Grid(n=240)).module(points)[:, 0].tolist()
    trees = [(binomial_put(s, 0.05, 0.2, 1000) + binomial_put(s, 0.05, 0.2, 1001)) / 2 for s in spots]
    assert values == pytest.approx(trees, abs=1e-4)


def test_american_call_is_european() -> None:
    """Without dividends it is never exercised early (Merton 1973)."""
    text = (
        f"{FORWARD}min(L, V - max(S - 1, 0)) = 0\nV(S, 0) = max(S - 1, 0)\nV = 0 on left\nV = S - exp(-r t) on right\n"
    )
    spots = torch.tensor([0.8, 1.0, 1.3], dtype=torch.float64)
    values = solve(text, Grid(n=120)).module(torch.stack([spots, torch.ones_like(spots)], 1))[:, 0]
    d = (spots.log() + 0.05) / 0.2
    normal = torch.distributions.Normal(0.0, 1.0)
    european = spots * normal.cdf(d + 0.1) - math.exp(-0.05) * normal.cdf(d - 0.1)
    assert torch.allclose(values, european, atol=8e-4)


def test_perpetual_put() -> None:
    """V = (1 - s) (S/s)^-γ above the exercise price s = γ/(1 + γ), with γ = 2r/σ² (McKean 1965)."""
    gamma = 2.5
    price = gamma / (1 + gamma)
    text = (
        "pde P\nconst r = 0.05\nconst σ = 0.2\nspace S in [0.2, 3]\nunknown V(S) : scalar\n"
        "min(-½σ² S² ∂²V/∂S² - r S ∂V/∂S + r V, V - max(1 - S, 0)) = 0\nV = 0.8 on left\n"
        f"V = {(1 - price) * (3 / price) ** -gamma:.16f} on right\n"
    )
    spots = torch.linspace(0.2, 3, 301, dtype=torch.float64)
    exact = torch.where(spots < price, 1 - spots, (1 - price) * (spots / price) ** -gamma)
    assert relative_error(solve(text, Grid(n=560)).module(spots[:, None])[:, 0], exact) < 2e-4


# ---- Hamilton-Jacobi-Bellman equations


def test_bellman_equation() -> None:
    """The cheaper of two diffusions where u is concave, the more expensive one where it is convex."""
    text = (
        "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\n"
        "min(-Δu, -2Δu) = 4π² sin(2π x) + 4π² min(sin(2π x), 0)\nu = 0 on boundary\n"
    )
    x = torch.linspace(0, 1, 201, dtype=torch.float64)
    values = solve(text, Grid(n=256)).module(x[:, None])[:, 0]
    assert relative_error(values, (2 * math.pi * x).sin()) < 1e-4


def test_upwind_differences_are_monotone() -> None:
    """Transport dominates: the solution stays between its bounds and above the obstacle."""
    text = f"{LINE}min(-0.001 Δu + ∂u/∂x, u - (½ - 2x²)) = 0\nu = 0 on boundary\n"
    x = torch.linspace(-1, 1, 65, dtype=torch.float64)  # the nodes
    values = solve(text, Grid(n=64)).module(x[:, None])[:, 0]
    assert values[1:-1].ge(0.5 - 2 * x[1:-1] ** 2 - 1e-12).all()
    assert float(values.max()) <= 0.5 + 1e-12
    assert float(values.min()) >= -1e-12


# ---- Contact set, files, plans


@pytest.mark.parametrize(
    ("method", "kind"), [(Grid(n=64), ContactExpansion), (Elements(order=1, h=1 / 64), ContactPolynomials)]
)
def test_contact_set(method: Solver, kind: type) -> None:
    module = solve(INTERVALS["pressed onto a plane"][0], method).module
    assert isinstance(module, kind)
    contact = contact_function(module)
    assert contact is not None
    points = torch.tensor([[-0.9], [-0.55], [-0.45], [0.0], [0.45], [0.55]], dtype=torch.float64)
    assert contact(points).round().tolist() == [0, 0, 1, 1, 1, 0]


def test_contact_set_of_an_option_shrinks_in_time() -> None:
    module = solve(f"{FORWARD}{PUT}V(S, 0) = max(1 - S, 0)\n", Grid(n=120)).module
    contact = contact_function(module)
    assert contact is not None
    spots = torch.linspace(0.0, 0.99, 100, dtype=torch.float64)
    lengths = [float(contact(torch.stack([spots, torch.full_like(spots, t)], 1)).mean()) for t in (0.01, 0.1, 0.5, 1.0)]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]


@pytest.mark.parametrize("method", [Grid(n=32), Elements(order=1, h=1 / 16)], ids=["grid", "elements"])
def test_stored_solution(method: Solver, tmp_path: Path) -> None:
    text = INTERVALS["pressed onto a plane"][0] + f"realize equation by {method}\n"
    solution = pdedsl.solve(text, tmp_path / "run")
    loaded = pdedsl.solve(tmp_path / "run" / "spec.pde", tmp_path / "run", resume=True)
    points = torch.linspace(-1, 1, 41, dtype=torch.float64)[:, None]
    assert torch.equal(loaded(points), solution(points))
    before, after = (contact_function(s.result.module) for s in (solution, loaded))
    assert before is not None
    assert after is not None
    assert torch.equal(after(points), before(points))


def test_levels_meet_the_tolerance() -> None:
    """The error estimate of the last level bounds the error."""
    solution = pdedsl.solve(INTERVALS["string over a parabola"][0], tol=3e-4)
    x = torch.linspace(-1, 1, 999, dtype=torch.float64)
    assert relative_error(solution(x[:, None]).reshape(-1), string(x)) <= 3e-4


def test_boxes_are_solved_on_grids_and_shapes_by_elements() -> None:
    methods = [compiled(text).plan.candidates[0].solver.method.name for text in (SQUARE, DISC)]  # type: ignore[union-attr]
    assert methods == ["grid", "elements"]


REFUSED = [
    (
        f"{LINE}unknown v(x) : scalar\nmin(-Δu, u - v) = 0\n-Δv = 1\nu = 0 on boundary\nv = 0 on boundary\n",
        "one unknown",
    ),
    (f"{LINE}min(-Δu + u³, u) = 0\nu = 1 on boundary\n", "not linear"),
    (f"{LINE}min(Δ²u, u) = 0\nu = 1 on boundary\nΔu = 0 on boundary\n", "third and higher order"),
    ("pde P\nspace x in [0, 1] periodic\nunknown u(x) : scalar\nmin(-Δu + u, u - sin(2π x)) = 0\n", "conditions"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_grids_state_the_reason(text: str, reason: str) -> None:
    with pytest.raises(PdeError, match=reason):
        compiled(f"{text}realize equation by grid\n")


def test_elements_refuse_several_differential_operators_and_evolution() -> None:
    for text in (
        f"{LINE}min(-Δu - 1, -2Δu - 1) = 0\nu = 0 on boundary\n",
        f"{FORWARD}{PUT}V(S, 0) = max(1 - S, 0)\n",
    ):
        with pytest.raises(PdeError, match="solved on grids"):
            compiled(f"{text}realize equation by elements\n")


def test_inequalities_are_not_exported_to_ufl() -> None:
    plan = compiled(DISC).elements_plan
    with pytest.raises(RunError, match="inequalities"):
        ufl_files(plan, "disc", "")


def test_penalty_terms_are_no_inequalities() -> None:
    """A maximum beside other terms of the unknown is a nonlinear term as before."""
    text = f"{LINE}-Δu + max(u - 1, 0) = 1\nu = 0 on boundary\n"
    plan = compiled(text).plan_solver(Grid())
    assert type(plan.scheme).__name__ == "ChebyshevScheme"  # type: ignore[attr-defined]
