"""The library in JavaScript, in Node: its solutions are those of the grids in Python; its estimates bound errors."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from pdedsl.compiler import Compilation, check, generate
from pdedsl.diagnostics import Source
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import Domain
from pdedsl.ir.solver_plans import ChebyshevScheme, FourierScheme, GridPlan
from pdedsl.runtime.ode.step_doubling import StepBudget
from pdedsl.solvers.grid.driver import solve_on_one_grid

HERE = Path(__file__).parent
GALLERY = sorted((HERE.parent / "gallery").glob("*.pde"))
RTOL = 1e-9  # both take the same steps: only rounding differs, amplified by the condition of collocation
POINTS = 40

ROBIN = """pde P
space (x, y) in [0, 1]^2
time t in [0, 0.05]
unknown u(x, y, t) : scalar
∂u/∂t = 0.02Δu + 5 u - 5 u³
u(x, y, 0) = cos(π x) (1 + y)
∂u/∂n = 0 on left, right
u = cos(π x) on bottom
∂u/∂n + u = 0 on top
realize equation by grid(n=21)
"""
PROBLEMS = {
    "nonlinear with all types of conditions, iterative": ROBIN,
    "nonlinear with all types of conditions, direct": ROBIN.replace("n=21", "n=12"),
    "sdirk2": ROBIN.replace("n=21", "n=10, integrator=sdirk2"),
    "variable coefficients": """pde P
space (x, y) in [0, 1]^2
unknown u(x, y) : scalar
-∇·((2 + x y) ∇u) + ∂u/∂x + u³ = exp(x) y
u = x on left, bottom
∂u/∂n + 2 u = y on right
∂u/∂n = 0 on top
realize equation by grid(n=24)
""",
    "periodic in one direction": """pde P
space (x, y) in [0, 1] periodic * [0, 2]
unknown u(x, y) : scalar
-Δu + u = exp(sin(2π x)) y
u = 0 on boundary
realize equation by grid(n=24)
""",
    "nonlinear wave": """pde P
space x in [0, 1]
time t in [0, 0.2]
unknown u(x, t) : scalar
∂²u/∂t² = Δu - sin(u) + x
u(x, 0) = sin(π x)
∂u/∂t(x, 0) = 0
u = 0 on boundary
realize equation by grid(n=16)
""",
    "incompressible flow": """pde P
space (x, y) in [0, 2π]^2 periodic
time t in [0, 1]
unknown v(x, y, t) : vector(2)
unknown p(x, y, t) : scalar
∂v/∂t + v·∇v = -∇p + 0.1Δv
∇·v = 0
v(x, y, 0) = [sin(x) cos(y) + 0.1 sin(2 y), -cos(x) sin(y)]
realize equation by grid(n=16)
""",
    "coupled system on a collocation grid": """pde P
space (x, y) in [0, 1]^2
time t in [0, 0.2]
unknown a(x, y, t) : scalar
unknown b(x, y, t) : scalar
∂a/∂t = 0.1Δa - a b² + x/10
∂b/∂t = 0.05Δb + a b² - 0.1 b
a(x, y, 0) = 1
b(x, y, 0) = cos(π x) cos(π y)
∂a/∂n = 0 on boundary
∂b/∂n = 0 on boundary
realize equation by grid(n=16)
""",
    "spherical coordinates": """pde P
space r in spherical [0, 1]
time t in [0, 0.1]
unknown u(r, t) : scalar
∂u/∂t = Δu + 1
u(r, 0) = 0
∂u/∂n + u = 0 on boundary
realize equation by grid(n=12)
""",
    "functions": """pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = 0.1Δu + erf(3x) exp(-t) + max(x, 0.3) + |x - 0.5|³ + tanh(u)
u(x, 0) = sin(π x)
u = 0 on boundary
realize equation by grid(n=20)
""",
}


def compiled(text: str) -> Compilation:
    return generate(check(Source(text, "p.pde")))


def points_of(domain: Domain) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    fractions = torch.rand(POINTS, len(domain.intervals), generator=generator, dtype=torch.float64)
    start, end = (torch.tensor([float(getattr(i, k)) for i in domain.intervals]) for k in ("start", "end"))
    return start + (end - start) * fractions


def in_python(compilation: Compilation, points: Tensor) -> Tensor:
    assert isinstance(compilation.plan, SolvePlan)
    plan = compilation.plan.solver if isinstance(compilation.plan.solver, GridPlan) else compilation.plan.grid
    assert plan is not None
    assert isinstance(plan.scheme, FourierScheme | ChebyshevScheme)
    with torch.no_grad():
        values: Tensor = solve_on_one_grid(plan, StepBudget(plan.scheme.tolerance))(points)
    return values


def in_node(tmp_path: Path, jobs: list[tuple[str, dict[str, Any], list[list[float]]]]) -> list[dict[str, Any]]:
    requests = []
    for k, (module, options, points) in enumerate(jobs):
        path = tmp_path / f"problem{k}.mjs"
        path.write_text(module, "utf-8")
        requests.append({"module": str(path), "options": options, "points": points})
    run = subprocess.run(
        ["node", HERE / "library.mjs"], input=json.dumps(requests), capture_output=True, text=True, check=True
    )
    answers: list[dict[str, Any]] = json.loads(run.stdout)
    return answers


def require_same_solution(text: str, tmp_path: Path) -> None:
    compilation = compiled(text)
    points = points_of(compilation.javascript_plan.grid.problem.domain)
    expected = in_python(compilation, points)
    (answer,) = in_node(tmp_path, [(compilation.javascript(), {}, points.tolist())])
    assert "failure" not in answer, answer
    values = torch.tensor(answer["values"], dtype=torch.float64)
    assert float((values - expected).abs().max()) <= RTOL * float(expected.abs().max())


def test_the_library_in_the_package_is_built_from_its_sources() -> None:
    subprocess.run(["node", "library.mjs", "--check"], cwd=HERE.parent, check=True, capture_output=True)


@pytest.mark.parametrize("name", PROBLEMS)
def test_further_problems_are_solved_as_in_python(name: str, tmp_path: Path) -> None:
    require_same_solution(PROBLEMS[name], tmp_path)


def test_the_value_of_a_parameter_is_that_of_the_constant(tmp_path: Path) -> None:
    text = next(p for p in GALLERY if p.stem.endswith("burgers")).read_text("utf-8").replace("n=256", "n=64")
    changed = compiled(text.replace("ν = 0.03", "ν = 0.07"))
    points = points_of(changed.javascript_plan.grid.problem.domain)
    expected = in_python(changed, points)
    (answer,) = in_node(tmp_path, [(compiled(text).javascript(), {"parameters": [0.07]}, points.tolist())])
    assert float((torch.tensor(answer["values"], dtype=torch.float64) - expected).abs().max()) <= RTOL


EXACT = """pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = 0.1Δu - 0.1 exp(x) cos(t) - exp(x) sin(t)
u(x, 0) = exp(x)
u = exp(x) cos(t) on boundary
"""


def test_the_error_estimate_bounds_the_error(tmp_path: Path) -> None:
    """u = eˣ cos t; the time steps of a loose tolerance dominate, then few points in space."""
    module = compiled(EXACT).javascript()
    points = points_of(compiled(EXACT).javascript_plan.grid.problem.domain)
    exact = points[:, :1].exp() * points[:, 1:].cos()
    settings = [{"n": 16, "tolerance": 1e-3}, {"n": 16, "preview": True}, {"n": 4}, {"n": 16}]
    jobs = [(module, {**options, "estimate": True}, points.tolist()) for options in settings]
    for options, answer in zip(settings, in_node(tmp_path, jobs), strict=True):
        values = torch.tensor(answer["values"], dtype=torch.float64)
        error = float((values - exact).norm() / exact.norm())
        assert error <= max(3 * answer["error"], 1e-9), options
        assert answer["error"] <= 0.05, options


def test_failures_have_a_reason(tmp_path: Path) -> None:
    bratu = next(p for p in GALLERY if p.stem.endswith("bratu")).read_text("utf-8").replace("n=24", "n=10")
    jobs = [(compiled(bratu).javascript(), {"parameters": [9.0]}, [[0.5, 0.5]])]
    answers = in_node(tmp_path, jobs)
    assert answers[0]["failure"] == "Newton's method did not converge"
