"""Problems on meshes from files, with solutions that elements of second degree represent exactly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import pdedsl
from pdedsl.solvers.elements.driver import levels_by_elements
from tests.solvers.meshes import channel, cube, l_shape

ATOL = 1e-9  # rounding errors of sparse factorizations, amplified by the condition numbers of these small meshes


def solve(folder: Path, text: str, **options: object) -> pdedsl.Solution:
    spec = folder / "problem.pde"
    spec.write_text(f"pde Problem\n{text}", "utf-8")
    return pdedsl.solve(spec, **options)


def points_in(low: list[float], high: list[float]) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(0).uniform(low, high, (50, len(low))))


def test_all_conditions_on_physical_groups(tmp_path: Path) -> None:
    """u = x² + x y with Dirichlet, Neumann and Robin conditions; the outer normal is that of the mesh."""
    l_shape(tmp_path / "l.msh")
    text = """
space (x, y) in mesh("l.msh")
unknown u(x, y) : scalar
-Δu = -2
u = x² + x y on inlet
∂u/∂n = 2x + y on outlet
n·∇u + u = n·[2x + y, x] + x² + x y on walls
realize equation by elements(order=2)
"""
    solution = solve(tmp_path, text)
    x = points_in([-0.99, -0.99], [-0.01, 0.99])
    assert_allclose(solution(x)[:, 0], x[:, 0] ** 2 + x[:, 0] * x[:, 1], atol=ATOL)
    assert solution(torch.tensor([[-0.5, 0.5], [2.0, 0.0]])).isnan().any(1).tolist() == [False, True]
    assert_allclose(solution.integral(), 0.75, atol=ATOL)
    boundary = sum(solution.flux(part) for part in ("inlet", "outlet", "walls"))
    assert_allclose(boundary, solution.flux("boundary"), atol=ATOL)
    assert_allclose(boundary, 6, atol=ATOL)  # ∮ ∇u·n = ∫ Δu


def test_tetrahedra(tmp_path: Path) -> None:
    cube(tmp_path / "cube.msh")
    text = """
space (x, y, z) in mesh("cube.msh")
unknown u(x, y, z) : scalar
-Δu = -6
u = x² + y² on floor
n·∇u + u = n·[2x, 2y, 2z] + x² + y² + z² on sides
realize equation by elements(order=2)
"""
    solution = solve(tmp_path, text)
    x = points_in([0, 0, 0], [1, 1, 1])
    assert_allclose(solution(x)[:, 0], (x**2).sum(1), atol=ATOL)


def test_channel_flow_with_natural_outflow(tmp_path: Path) -> None:
    """Poiseuille flow; quadratic velocities and linear pressures are exact in Taylor-Hood elements."""
    channel(tmp_path / "channel.msh")
    text = """
space (x, y) in mesh("channel.msh")
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
v·∇v = Δv - ∇p
∇·v = 0
v = [4y (1 - y), 0] on inlet
v = 0 on walls
p = 0 on outlet
realize equation by elements(order=2)
"""
    solution = solve(tmp_path, text)
    x = points_in([0, 0], [2, 1])
    expected = torch.stack([4 * x[:, 1] * (1 - x[:, 1]), 0 * x[:, 0], 8 * (2 - x[:, 0])], 1)
    assert_allclose(solution(x), expected, atol=1e-7)  # Newton's method ends at relative updates of 1e-10


def test_evolution_equation(tmp_path: Path) -> None:
    channel(tmp_path / "channel.msh")
    text = """
space (x, y) in mesh("channel.msh")
time t in [0, 0.1]
unknown u(x, y, t) : scalar
∂u/∂t = Δu
u(x, y, 0) = cos(π y)
∂u/∂n = 0 on boundary
realize equation by elements(order=2)
"""
    solution = solve(tmp_path, text, tol=1e-3)
    x = torch.tensor([[0.3, 0.2, 0.1], [1.7, 0.9, 0.05]], dtype=torch.float64)
    exact = torch.exp(-(torch.pi**2) * x[:, 2]) * torch.cos(torch.pi * x[:, 1])
    assert_allclose(solution(x)[:, 0], exact, atol=1e-3)


def test_the_mesh_is_refined_at_a_corner(tmp_path: Path) -> None:
    l_shape(tmp_path / "l.msh", refinements=2)
    text = 'space (x, y) in mesh("l.msh")\nunknown u(x, y) : scalar\n-Δu = 1\nu = 0 on boundary\n'
    (tmp_path / "corner.pde").write_text(f"pde Corner\n{text}realize equation by elements\n", "utf-8")
    plan = pdedsl.compile(tmp_path / "corner.pde").plan.solver
    *_, last = (level for level, _ in zip(levels_by_elements(plan, tolerance=1e-4), range(5), strict=False))
    corners = last.module.get_buffer("geometry")
    sizes = corners[:, 1:].norm(dim=2).amax(1)
    at_corner = corners[:, 0].norm(dim=1) < 1e-12
    assert sizes[at_corner].max() < sizes.max() / 8


def test_run_folder_contains_the_mesh(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    channel(tmp_path / "meshes" / "channel.msh", 2)
    text = 'space (x, y) in mesh("meshes/channel.msh")\nunknown u(x, y) : scalar\n-Δu = 2\nu = y (1 - y) on boundary\n'
    first = solve(tmp_path, text, out=tmp_path / "run")
    (tmp_path / "meshes" / "channel.msh").unlink()
    again = pdedsl.solve(tmp_path / "run" / "spec.pde")
    x = points_in([0, 0], [2, 1])
    assert torch.equal(first(x), again(x))


def test_compiled_package_contains_the_mesh(tmp_path: Path) -> None:
    channel(tmp_path / "channel.msh", 2)
    text = 'pde P\nspace (x, y) in mesh("channel.msh")\nunknown u(x, y) : scalar\n-Δu = 2\nn·∇u + u = 0 on boundary\n'
    (tmp_path / "problem.pde").write_text(text, "utf-8")
    command = [sys.executable, "-m", "pdedsl", "compile", "problem.pde", "-o", "package"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert pdedsl.load(tmp_path / "package" / "spec.pde").hash == pdedsl.load(tmp_path / "problem.pde").hash
    assert "normal: Tensor" in (tmp_path / "package" / "model.py").read_text("utf-8")


def test_other_methods_are_refused(tmp_path: Path) -> None:
    channel(tmp_path / "channel.msh", 2)
    text = 'space (x, y) in mesh("channel.msh")\nunknown u(x, y) : scalar\n-Δu = 2\nu = 0 on boundary\n'
    with pytest.raises(pdedsl.PdeError, match="grid is not applicable: the domain is given by a mesh"):
        solve(tmp_path, f"{text}realize equation by grid\n")


def test_log_lines_of_scikit_fem_do_not_reach_the_user(tmp_path: Path) -> None:
    """It warns of the layout of arrays with more than a thousand vertices."""
    channel(tmp_path / "channel.msh", 24)
    text = 'space (x, y) in mesh("channel.msh")\nunknown u(x, y) : scalar\n-Δu = 2\nu = 0 on boundary\n'
    (tmp_path / "p.pde").write_text(f"pde P\n{text}realize equation by elements(order=1, h=1)\n", "utf-8")
    code = "import pdedsl; pdedsl.solve('p.pde')"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert (result.stdout, result.stderr) == ("", "")
