"""Volterra, Fredholm and integro-differential equations, nonlocal conditions and shifts, against closed forms."""

from __future__ import annotations

import pytest
import torch

import pdedsl
from pdedsl.diagnostics import PdeError
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.error_estimate import ResidualAudit, Verdict, pde_residual_norm
from pdedsl.solvers.grid.grid_result import IllPosedProblem

LINE = "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\n"
PERIOD = "pde P\nspace x in [0, 1] periodic\nunknown u(x) : scalar\n"
ROD = "pde P\nspace x in [0, 1]\ntime t in [0, 1/2]\nunknown u(x, t) : scalar\n"
RING = "pde P\nspace x in [0, 1] periodic\ntime t in [0, 1/2]\nunknown u(x, t) : scalar\n"
SQUARE = "pde P\nspace (x, y) in [0, 1]²\nunknown u(x, y) : scalar\n"

PROBLEMS = {
    "Volterra integro-differential": (
        "pde P\nspace x in [0, 5]\nunknown u(x) : scalar\n∂u/∂x + u = ∫₀ˣ exp(s - x) u(s) ds\nu(0) = 1\n"
        "exact u = exp(-x) cosh(x)\n"
    ),
    "Volterra, second kind": (
        "pde P\nspace x in [0, 6]\nunknown u(x) : scalar\nu = x + ∫₀ˣ (s - x) u(s) ds\nexact u = sin(x)\n"
    ),
    "Volterra, lower limit": f"{LINE}u = exp(x) - exp(1) + exp(x) + ∫_x^1 u(s) ds\nexact u = exp(x)\n",
    "Volterra, nonlinear": f"{LINE}u = x - x³/3 + ∫₀ˣ u(s)² ds\nexact u = x\n",
    "Fredholm, degenerate kernel": f"{LINE}u = 2/3 x + ∫₀¹ x s u(s) ds\nexact u = x\n",
    "Fredholm, constant kernel": f"{LINE}u = sin(π x/2) + ½ ∫₀¹ u dx\nexact u = sin(π x/2) + 2/π\n",
    "Fredholm, exponential kernel": (
        f"{LINE}u = exp(x) - ½ (exp(x + 1) - 1)/(x + 1) + ½ ∫₀¹ exp(x s) u(s) ds\nexact u = exp(x)\n"
    ),
    "Fredholm, nonlinear": f"{LINE}u = x - ¼ + ∫₀¹ s u(s)² ds\nexact u = x\n",
    "kernel with a kink": f"{LINE}u = x/2 + x³/6 + ∫₀¹ min(x, s) u(s) ds\nexact u = x\n",
    "kernel with a jump": f"{LINE}u = x - x²/2 + ∫₀¹ heaviside(x - s) u(s) ds\nexact u = x\n",
    "derivative in the integrand": (f"{LINE}u = exp(x) - x + ∫₀¹ x ∂u/∂x(s) ds/(exp(1) - 1)\nexact u = exp(x)\n"),
    "derivative of an integral": (f"{LINE}∂(∫₀ˣ exp(x - s) u(s) ds)/∂x = exp(x) + x exp(x)\nexact u = exp(x)\n"),
    "nested integrals": (
        "pde P\nspace x in [0, 2]\nunknown u(x) : scalar\nu = 1 + ∫₀ˣ ∫₀ˢ u(r) dr ds\nexact u = cosh(x)\n"
    ),
    "system": (
        f"{LINE}unknown v(x) : scalar\nu = 1 + ∫₀ˣ v(s) ds\n∂v/∂x = u\nv(0) = 0\nexact u = cosh(x)\nexact v = sinh(x)\n"
    ),
    "nonlocal boundary condition": (f"{LINE}-∂²u/∂x² = 2\nu(0) = ∫₀¹ u dx\nu(1) = ½\nexact u = 5/6 + 2/3 x - x²\n"),
    "nonlinear nonlocal boundary condition": (
        f"{LINE}-∂²u/∂x² = 2\nu(0) = ∫₀¹ u(s)² ds - 1/30\nu(1) = 0\nexact u = x - x²\n"
    ),
    "convolution": f"{PERIOD}u + ∫₀¹ cos(2π (x - s)) u(s) ds = 3/2 sin(2π x) + 1\nexact u = sin(2π x) + 1\n",
    "convolution, the other way": (
        f"{PERIOD}u + ∫₀¹ cos(2π s) u(x - s) ds = 3/2 sin(2π x) + 1\nexact u = sin(2π x) + 1\n"
    ),
    "shift": f"{PERIOD}-Δu + u(x - ¼) = 4π² sin(2π x) - cos(2π x)\nexact u = sin(2π x)\n",
    "reflection": f"{LINE}-Δu + u(1 - x) = (π² + 1) sin(π x)\nu = 0 on boundary\nexact u = sin(π x)\n",
    "domain of a square": (
        f"{SQUARE}-Δu + ∫_Ω u dx = 2π² sin(π x) sin(π y) + 4/π²\nu = 0 on boundary\nexact u = sin(π x) sin(π y)\n"
    ),
    "line in a square": (
        f"{SQUARE}-Δu + ∫₀ˣ u(s, y) ds = 2π² sin(π x) sin(π y) + (1 - cos(π x)) sin(π y)/π\nu = 0 on boundary\n"
        "exact u = sin(π x) sin(π y)\n"
    ),
    "stationary Fokker-Planck": (
        "pde P\nspace x in [-4, 4]\nunknown p(x) : scalar\n∂(x p)/∂x + ½ ∂²p/∂x² = 0\nx p + ½ ∂p/∂x = 0 on boundary\n"
        "∫_Ω p dx = 1\nexact p = exp(-x²)/(√π erf(4))\n"
    ),
    "Neumann problem with a mean": (
        f"{LINE}-Δu = π² cos(π x)\nn·∇u = 0 on boundary\n∫₀¹ u dx = 2\nexact u = cos(π x) + 2\n"
    ),
    "periodic problem with a mean": f"{PERIOD}-Δu = 4π² cos(2π x)\n∫_Ω u dx = 3\nexact u = cos(2π x) + 3\n",
    "heat and its mean": (
        f"{RING}∂u/∂t = 1/20 Δu + ∫₀¹ u dx\nu(x, 0) = 1 + sin(2π x)\nexact u = exp(t) + exp(-π² t/5) sin(2π x)\n"
    ),
    "heat, nonlocal source": (
        f"{ROD}∂u/∂t = Δu + π² sin(π x) ∫₀¹ 2 sin(π s) u(s, t) ds\nu(x, 0) = sin(π x)\nu = 0 on boundary\n"
        "exact u = sin(π x)\n"
    ),
    "heat, nonlinear nonlocal source": (
        f"{ROD}∂u/∂t = Δu + (π² - 1 - exp(-2 t)/2) u + u ∫₀¹ u(s, t)² ds\nu(x, 0) = sin(π x)\nu = 0 on boundary\n"
        "exact u = exp(-t) sin(π x)\n"
    ),
    "heat, kernel of time": (
        f"{ROD}∂u/∂t = Δu + (π² - 1) u + ∫₀¹ exp(t) u(s, t) ds - 2/π\nu(x, 0) = sin(π x)\nu = 0 on boundary\n"
        "exact u = exp(-t) sin(π x)\n"
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_closed_form(name: str) -> None:
    solution = pdedsl.solve(pdedsl.load(f"{PROBLEMS[name]}solve {{ tolerance 1e-10 }}\n"))
    assert solution.error.value < 1e-10, name
    assert solution.verdict is Verdict.HOLDS


def test_audit_evaluates_integrals() -> None:
    """Residuals of u = x, and of u = 1 + x with a wrong source, by quadrature of the audit."""
    plan = pdedsl.compile(pdedsl.load(f"{LINE}u = 2/3 x + ∫₀¹ x s u(s) ds\n")).plan
    sampler = PointSampler(plan.problem.domain)
    for function, size in ((lambda p: p, 0.0), (lambda p: 1 + p, 1.0)):
        audit = ResidualAudit(plan.problem, function, sampler, 0, {})
        norm = pde_residual_norm(audit, torch.tensor([[0.0], [0.5]], dtype=torch.float64))
        assert norm.tolist() == pytest.approx([size, 0.75 * size], abs=1e-12)  # 1 + x - 2/3 x - x (½ + ⅓) = 1 - x/2


def test_an_eigenvalue_has_no_unique_solution() -> None:
    with pytest.raises(IllPosedProblem):
        pdedsl.solve(pdedsl.load(f"{LINE}u = 1 + ∫₀¹ u dx\n"))


def test_emitted_residuals_vanish() -> None:
    """The emitted code contains the integrals: its residuals vanish for the exact solution."""
    compilation = pdedsl.compile(pdedsl.load(PROBLEMS["Volterra integro-differential"]))
    scope: dict[str, object] = {}
    exec(compilation.python(), scope)  # our own generated code
    points = torch.linspace(0, 5, 11, dtype=torch.float64)[:, None]
    residual = scope["residual_1"](scope["exact"], points)  # type: ignore[operator]
    other = scope["residual_1"](lambda x: 1 + x, points)  # type: ignore[operator]
    assert residual.abs().max() < 1e-12
    assert other.abs().max() > 1


HASHES = (
    ("u = 1 + ½ ∫₀¹ x u(s) ds", "u = 1 + ½ ∫₀¹ x u(r) dr", True),
    ("u = 1 + ½ ∫₀¹ x u(s) ds", "u = 1 + int(0, 1, x u(σ)/2, σ)", True),
    ("u = 1 + ½ ∫₀¹ u(s) ds", "u = 1 + ½ ∫_Ω u dx", True),
    ("u = 1 + ∫₀ˣ (u(s) + s) ds", "u = 1 + x²/2 + ∫₀ˣ u(s) ds", True),
    ("u = 1 + ½ ∫₀¹ x u(s) ds", "u = 1 + ½ ∫₀¹ s u(s) ds", False),
    ("u = 1 + ½ ∫₀ˣ u(s) ds", "u = 1 + ½ ∫₀¹ u(s) ds", False),
    ("u = 1 + ∫₀ˣ ∫₀ˢ u(r) dr ds", "u = 1 + ∫₀ˣ ∫₀ʳ u(s) ds dr", True),
    ("u = 1 + ∫₀ˣ ∫₀ˢ s u(r) dr ds", "u = 1 + ∫₀ˣ ∫₀ˢ r u(r) dr ds", False),
)


@pytest.mark.parametrize(("one", "other", "equal"), HASHES)
def test_hash_under_renaming(one: str, other: str, equal: bool) -> None:
    first, second = (pdedsl.load(f"{LINE}{equation}\n").hash for equation in (one, other))
    assert (first == second) is equal


def test_other_methods_are_refused() -> None:
    with pytest.raises(PdeError) as error:
        pdedsl.compile(pdedsl.load(f"{LINE}u = 1 + ½ ∫₀¹ u dx\nrealize equation by pinn\n"))
    assert error.value.diagnostics[0].code == "E613"
