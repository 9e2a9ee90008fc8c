"""UFL scripts: FFCx compiles their forms, and its residuals and element matrices are those of our assembly."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import basix.ufl
import numpy as np
import pytest
import ufl
from click.testing import CliRunner
from ffcx.codegeneration.jit import compile_forms
from ffcx.compiler import compile_ufl_objects
from ffcx.options import get_options
from sympy import (
    Abs,
    E,
    Heaviside,
    Max,
    Min,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from texts import SPECS

import pdedsl
from pdedsl.cli import cli
from pdedsl.codegen.ufl import MeshFile, UflScript
from pdedsl.ir.solver_plans import ElementsPlan
from pdedsl.solvers.elements.discrete_problem import DiscreteProblem
from pdedsl.solvers.elements.driver import default_mesh, degrees_of
from pdedsl.solvers.elements.spaces import Array
from pdedsl.solvers.elements.ufl_export import boundary_markers, ufl_files
from pdedsl.symbolic.functions import ACTIVATIONS

PROBLEMS = {
    "poisson": "pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n-Δu = sin(π x)\nu = x on boundary\n",
    "robin": "pde P\nspace (x, y) in [-1, 1]^2 where x² + y² < 1\nunknown u(x, y) : scalar\n"
    "-∇·((2 + x) ∇u) + x u³ = 1\n∂u/∂n + 2 u = y on boundary\nrealize equation by elements(h=0.8)\n",
    "flow": "pde P\nspace (x, y) in [0, 2] * [0, 1]\nunknown v(x, y) : vector(2)\nunknown p(x, y) : scalar\n"
    "v·∇v = -∇p + 0.1Δv\n∇·v = 0\nv = [y (1 - y), 0] on left\nv = [0, 0] on bottom, top\np = y on right\n"
    "realize equation by elements(h=1)\n",
    "heat": "pde P\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n(1 + x) ∂u/∂t = ∂²u/∂x² + t\n"
    "u(x, 0) = max(x, 0.5)\nu = t on left\n∂u/∂n = |t| on right\n",
    "wave": "pde P\nspace (x, y) in [0, 1]^2\ntime t in [0, 1]\nunknown u(x, y, t) : scalar\n∂²u/∂t² = Δu - sin(u)\n"
    "u(x, y, 0) = 0\n∂u/∂t(x, y, 0) = sin(x)\nu = 0 on boundary\n",
    "minimal surface": "pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n∇·(∇u / √(1 + |∇u|²)) = 0\n"
    "u = x² on boundary\n",
    "interface": "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\n-∇·((1 + heaviside(x - 0.3)) ∇u) = 1\n"
    "u = 0 on boundary\n",
    "solid": "pde P\nspace (x, y, z) in [0, 1]^3\nunknown u(x, y, z) : scalar\n-Δu + u = x y\n∂u/∂n = 0 on boundary\n"
    "realize equation by elements(h=0.5)\n",
}


def plan_of(text: str) -> ElementsPlan:
    return pdedsl.compile(text).elements_plan


def script_of(plan: ElementsPlan) -> dict[str, Any]:
    """The names of the script, executed as FFCx does it."""
    names: dict[str, Any] = {"__name__": "problem"}
    exec(compile(ufl_files(plan, "problem", "A problem")["problem.py"], "problem.py", "exec"), names)
    return names


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("ffcx"), "level", logging.ERROR)


@pytest.mark.parametrize("name", PROBLEMS)
def test_forms_compile(name: str) -> None:
    script = script_of(plan_of(PROBLEMS[name]))
    assert len(script["forms"]) == (3 if name in ("heat", "wave") else 2)
    code, _ = compile_ufl_objects(script["forms"], get_options(), namespace="problem")
    assert "tabulate_tensor" in "".join(map(str, code))


# ---- Agreement with our assembly


def _nodes(points: Array, mesh_points: Array, mesh_degree: int, cell: str) -> Array:
    """Physical coordinates of reference points of one element."""
    element = basix.ufl.element("Lagrange", cell, mesh_degree)
    return np.asarray(element.tabulate(0, points)[0] @ mesh_points)


def _matching(found: Array, known: Array) -> Array:
    """For each found point the index of the same point among the known ones."""
    distances = np.linalg.norm(found[:, None] - known[None], axis=-1)
    assert distances.min(1).max() < 1e-12
    return np.asarray(distances.argmin(1))


def assemble(plan: ElementsPlan, w: Array, tmp_path: Path) -> tuple[Array, Array]:
    """Residual and Jacobian by the kernels of FFCx, on our mesh, in our numbering."""
    script = script_of(plan)
    problem = DiscreteProblem(plan.weak_form, default_mesh(plan), degrees_of(plan))
    mesh, spaces, cell = problem.mesh, problem.spaces, script["CELL"]
    (residual, jacobian), library, _ = compile_forms(
        [script["F"], script["J"]], cache_dir=tmp_path, cffi_extra_compile_args=["-O0"]
    )
    ffi = library.ffi
    markers, _ = boundary_markers(plan.weak_form, mesh)
    lagrange = {p: basix.ufl.element("Lagrange", cell, p) for p in script["DEGREES"]}
    straight = np.asarray(mesh.p[:, mesh.t[: mesh.dim() + 1]])
    total, matrix = np.zeros(spaces.size), np.zeros((spaces.size,) * 2)
    topology = basix.topology(basix.CellType[cell])[mesh.dim() - 1]
    for c in range(mesh.nelements):
        geometry = straight[:, :, c].T
        if script["MESH_DEGREE"] == 2:  # nodes in the order of basix: opposite to the vertices
            nodes = np.asarray(mesh.doflocs[:, mesh.dofs.element_dofs[:, c]]).T
            geometry = np.concatenate([geometry, nodes[[4, 5, 3]]])
        rows = []
        for k, p in enumerate(script["DEGREES"]):
            places = _nodes(lagrange[p].basix_element.points, geometry, script["MESH_DEGREE"], cell)
            own = np.asarray(spaces.bases[k].element_dofs[:, c])
            rows.append(own[_matching(places, spaces.bases[k].doflocs[:, own].T)] + spaces.offsets[k])
        dofs = np.concatenate(rows)
        coordinates = np.zeros((len(geometry), 3))
        coordinates[:, : mesh.dim()] = geometry
        facets = []
        for f, vertices in enumerate(topology):
            number = [g for g in mesh.t2f[:, c] if set(mesh.facets[:, g]) == set(mesh.t[vertices, c])]
            if markers[number[0]]:
                facets.append((f, int(markers[number[0]])))
        local, block = np.zeros(len(dofs)), np.zeros((len(dofs),) * 2)
        _tabulate(ffi, residual, local, w[dofs], coordinates, facets)
        _tabulate(ffi, jacobian, block, w[dofs], coordinates, facets)
        total[dofs] += local
        matrix[np.ix_(dofs, dofs)] += block
    return total, matrix


def _tabulate(ffi: Any, form: Any, local: Array, w: Array, coordinates: Array, facets: list[tuple[int, int]]) -> None:
    """Adds the integrals over a cell, and over its marked facets."""
    pointer = lambda a: ffi.cast("double *", a.ctypes.data)  # noqa: E731
    constants = np.zeros(1)
    offsets = [form.form_integral_offsets[k] for k in range(3)]
    for kind, (start, end) in enumerate(((offsets[0], offsets[1]), (offsets[1], offsets[2]))):
        for k in range(start, end):
            marker = form.form_integral_ids[k]
            for number in [0] if kind == 0 else [f for f, m in facets if m == marker]:
                index = np.array([number], dtype=np.intc)
                form.form_integrals[k].tabulate_tensor_float64(
                    pointer(local),
                    pointer(w),
                    pointer(constants),
                    pointer(coordinates),
                    ffi.cast("int *", index.ctypes.data),
                    ffi.NULL,
                    ffi.NULL,
                )


@pytest.mark.parametrize("name", ["robin", "flow"])
def test_assembly_agrees_with_ffcx(name: str, tmp_path: Path) -> None:
    """Equal up to rounding errors, on curved elements too: the quadrature rules are the same."""
    plan = plan_of(PROBLEMS[name])
    problem = DiscreteProblem(plan.weak_form, default_mesh(plan), degrees_of(plan))
    w = np.random.default_rng(0).uniform(0.5, 1, problem.spaces.size)
    vector, matrix = assemble(plan, w, tmp_path)
    ours = problem.assembler.residual(w), problem.assembler.jacobian(w).toarray()
    assert np.abs(ours[0] - vector).max() < 1e-12 * np.abs(vector).max()
    assert np.abs(ours[1] - matrix).max() < 1e-12 * np.abs(matrix).max()


# ---- Files


def test_command_writes_script_and_mesh(tmp_path: Path) -> None:
    import meshio

    folder = tmp_path / "disc"
    done = CliRunner().invoke(cli, ["compile", "--to", "ufl", "-o", str(folder), str(SPECS / "poisson_disc.pde")])
    assert done.exit_code == 0, done.output
    assert {p.name for p in folder.iterdir()} == {"disc.py", "disc.msh"}
    names: dict[str, Any] = {"__name__": "disc"}
    exec((folder / "disc.py").read_text("utf-8"), names)
    mesh = meshio.read(folder / names["MESH"])
    used = {m for _, markers, _ in names["essential_conditions"](names["x"], names["t"]) for m in markers}
    tags = mesh.cell_data_dict["gmsh:physical"]
    assert used == set(tags["line3"])
    middle = mesh.points[mesh.cells_dict["line3"][:, 2]]
    assert np.abs(np.linalg.norm(middle, axis=1) - 1).max() < 1e-9  # on the circle, as a projection has it
    again = CliRunner().invoke(cli, ["compile", "--to", "ufl", "-o", str(folder), str(SPECS / "poisson_disc.pde")])
    assert "--force" in again.output


@pytest.mark.parametrize(
    ("spec", "reason"), [("resnet", "E706"), ("kdv", "E604"), ("heat_100d", "one to 3 dimensions")]
)
def test_specs_without_a_weak_form(spec: str, reason: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["compile", "--to", "ufl", "-o", str(tmp_path / "out"), spec])
    assert done.exit_code == 1
    assert reason in done.output
    assert not (tmp_path / "out").exists()


def test_every_function_exists_in_ufl() -> None:
    """UFL evaluates the printed functions as sympy does."""
    form = plan_of(PROBLEMS["poisson"]).weak_form
    x, y = form.domain.space
    script = UflScript(form, (2,), MeshFile("", 1, (), ()), "", "")
    elementary = (exp, log, sqrt, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, erf)
    unary = [f(x) for f in (*ACTIVATIONS.values(), *elementary)]
    for e in (*unary, Abs(x), sign(x), Heaviside(x - y), Max(x, y, 1), Min(x, y), x**y, 1 / x, E * pi * x / 3):
        value = eval(script.print(e), {"ufl": ufl, "x": (ufl.as_ufl(0.3), ufl.as_ufl(0.6)), "abs": abs})
        assert float(value) == pytest.approx(float(e.subs({x: 0.3, y: 0.6})), rel=1e-12)
