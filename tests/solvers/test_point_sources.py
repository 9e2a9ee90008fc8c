"""Point sources δ(x - a) against closed forms, which the compiler checks too, and series."""

from __future__ import annotations

from math import exp, pi, sin, sinh

import numpy as np
import pytest
import torch
from skfem import MeshLine1

import pdedsl
from pdedsl.solvers.elements.discrete_problem import DiscreteProblem
from pdedsl.solvers.elements.error_indicators import enrich, interpolate
from pdedsl.solvers.error_estimate import Verdict

LINE = "space x in [0, 1]\nunknown u(x) : scalar\n"
ROD = "space x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
PLANE = "space (x, y) in [-1, 1]²\nunknown u(x, y) : scalar\n"
ZERO = "u = 0 on boundary\n"
LOG = "log((x - 0.3)² + (y + ¼)²)"

# Problems with an exact solution, and the largest relative error.
EXACT = {
    "string": (f"{LINE}-Δu = δ(x - 0.3)\n{ZERO}exact u = min(x, 0.3) (1 - max(x, 0.3))\n", 1e-10),
    "scaled argument, two sources": (
        f"{LINE}-Δu = δ(4x - 1) - 3δ(x - ¾)\n{ZERO}"
        "exact u = ¼ min(x, ¼) (1 - max(x, ¼)) - 3min(x, ¾) (1 - max(x, ¾))\n",
        1e-10,
    ),
    "strength at the place": (
        f"{LINE}const a = ½\n-2Δu = 4x² delta(x - a)\n{ZERO}exact u = ½ min(x, a) (1 - max(x, a))\n",
        1e-10,
    ),
    "screened, Robin condition": (
        f"{LINE}-Δu + 4u = 4exp(1) dirac(x - ½)\nu = 1 on left\n∂u/∂n + 2u = 0 on right\nexact u = exp(1 - 2|x - ½|)\n",
        1e-10,
    ),
    "beam with a load": (
        f"{LINE}∂⁴u/∂x⁴ = 48δ(x - ½)\n{ZERO}∂²u/∂x² = 0 on boundary\nexact u = min(x, 1 - x) (3 - 4min(x, 1 - x)²)\n",
        1e-8,
    ),
    "variable coefficient": (
        f"{LINE}-∂((1 + x) ∂u/∂x)/∂x = δ(x - ½)\n{ZERO}exact u = log(1 + min(x, ½)) log(2/(1 + max(x, ½)))/log(2)\n",
        1e-8,
    ),
    "growing kink": (
        f"{ROD}∂u/∂t = Δu - |x - ½| + 2t δ(x - ½)\nu(x, 0) = 0\nu = -½t on boundary\nexact u = -t |x - ½|\n",
        1e-6,
    ),
    "line in the plane": (
        f"{PLANE}-Δu + u = δ(x) (4 - y²) - |x| - ½|x| (4 - y²)\nu = -½|x| (4 - y²) on boundary\n"
        "exact u = -½|x| (4 - y²)\n",
        1e-8,
    ),
    "fundamental solution in the plane": (
        f"{PLANE}-Δu = δ(x - 0.3) δ(y + ¼) + 4\nu = -{LOG}/(4π) - x² - y² on boundary\n"
        f"exact u = -{LOG}/(4π) - x² - y²\n",
        1e-6,
    ),
    "anisotropic": (
        f"{PLANE}-4∂²u/∂x² - ∂²u/∂y² = 16π δ(x) δ(y)\nu = -2log(x²/4 + y²) on left, right, bottom\n"
        "∂u/∂y = -4y/(x²/4 + y²) on top\nexact u = -2log(x²/4 + y²)\n",
        1e-6,
    ),
    "space": (
        "space (x, y, z) in [-1, 1]³\nunknown u(x, y, z) : scalar\n-Δu = 4π δ(x) δ(y) δ(z)\n"
        "u = 1/√(x² + y² + z²) on boundary\nexact u = 1/√(x² + y² + z²)\nsolve {\n  tolerance 1e-3\n}\n",
        1e-3,
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_exact_solution(name: str) -> None:
    text, tolerance = EXACT[name]
    solution = pdedsl.solve(f"pde P\n{text}")
    assert solution.result.method.name == "grid"
    assert solution.verdict is Verdict.HOLDS
    assert solution.error.value <= tolerance


def test_elements_on_an_interval_are_exact_with_the_load_at_a_node() -> None:
    text = f"pde P\n{LINE}-Δu = δ(x - 0.3)\n{ZERO}realize equation by elements\n"
    solution = pdedsl.solve(text)
    x = torch.linspace(0, 1, 21, dtype=torch.float64)
    exact = torch.minimum(x, x.new_tensor(0.3)) * (1 - torch.maximum(x, x.new_tensor(0.3)))
    assert solution.verdict is Verdict.HOLDS
    assert float((solution(x=x) - exact).abs().max()) < 1e-12


def green_function(x: float, y: float, a: float, b: float) -> float:
    """Of -Δ on the unit square: a series of products of sines and hyperbolic sines."""
    low, high = min(y, b), max(y, b)
    terms = (
        2 * sin(k * x) * sin(k * a) * sinh(k * low) * sinh(k * (1 - high)) / (k * sinh(k))
        for k in (n * pi for n in range(1, 60))
    )
    return sum(terms)


def test_elements_in_the_plane_agree_with_the_series() -> None:
    text = "pde P\nspace (x, y) in [0, 1]²\nunknown u(x, y) : scalar\n-Δu = δ(x - 0.3) δ(y - 0.4)\nu = 0 on boundary\n"
    by_elements, by_splitting = (pdedsl.solve(text + f"realize equation by {m}\n") for m in ("elements", "grid"))
    assert by_elements.verdict is Verdict.HOLDS
    for x, y in ((0.1, 0.2), (0.7, 0.6), (0.5, 0.9)):
        expected = green_function(x, y, 0.3, 0.4)
        assert abs(float(by_elements(x=x, y=y)) - expected) < 2e-4 * 0.05  # of a maximum near the source of about 0.05
        assert abs(float(by_splitting(x=x, y=y)) - expected) < 1e-6


@pytest.mark.parametrize("method", ["grid", "elements"])
def test_heat_equation_agrees_with_the_series(method: str) -> None:
    text = f"pde P\n{ROD}∂u/∂t = Δu + δ(x - 0.3)\nu(x, 0) = 0\n{ZERO}realize equation by {method}\n"
    solution = pdedsl.solve(text + "solve {\n  tolerance 1e-3\n}\n")
    for x in (0.1, 0.6):
        terms = (
            2 * sin(k * x) * sin(0.3 * k) * (1 - exp(-0.2 * k**2)) / k**2 for k in (n * pi for n in range(1, 2000))
        )
        assert abs(float(solution(x=x, t=0.2)) - sum(terms)) < 1e-4


def test_equal_sources_have_the_same_hash() -> None:
    one, other = (
        pdedsl.compile(f"pde P\n{LINE}-Δu = {source}\n{ZERO}").spec for source in ("½δ(x - ½)", "delta(2x - 1)")
    )
    assert one.hash == other.hash


def test_strength_of_a_family() -> None:
    text = f"pde P\n{LINE}parameter q in [1, 2]\n-Δu = q δ(x - ½)\n{ZERO}"
    solution = pdedsl.solve(text)
    assert abs(float(solution(x=0.5, q=1.5)) - 0.375) < 1e-4


def test_residual_in_the_space_of_one_degree_more_is_zero_for_an_exact_solution() -> None:
    """Elements of third degree have as many points on a lattice as in their quadrature."""
    text = f"pde P\n{LINE}-Δu = 1\n{ZERO}realize equation by elements\n"
    plan = pdedsl.compile(text).plan.candidates[0].solver
    mesh = MeshLine1(np.linspace(0, 1, 5)[None], np.array([[0, 1, 2, 3], [1, 2, 3, 4]]))
    mesh = mesh.with_boundaries({"left": np.array([0]), "right": np.array([4])})
    problem = DiscreteProblem(plan.weak_form, mesh, (2,))
    fine = enrich(problem)
    assert fine is not None
    residual = fine.assembler.residual(interpolate(problem.solve(), problem, fine))
    assert float(np.abs(residual[fine.free]).max()) < 1e-12
