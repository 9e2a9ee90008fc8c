"""Nédélec elements for ∇×(a ∇×E): observed orders, conditions, eigenproblems without spurious modes, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import meshio
import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.diagnostics import PdeError
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.solver_plans import EigenElementsPlan, ElementsPlan
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.dispatch import describe_module, rebuild_module
from pdedsl.solvers.eigen.elements import levels_by_elements
from pdedsl.solvers.elements.driver import solve_by_elements
from pdedsl.solvers.method_result import EstimateKind, SolverResult
from pdedsl.solvers.solver_method import SolveOptions

SQUARE, DISC, CUBE = "(x, y) in [0, 1]²", "(x, y) in [-1, 1]² where x² + y² < 1", "(x, y, z) in [0, 1]³"
L_SHAPE = "(x, y) in polygon([[-1, -1], [0, -1], [0, 0], [1, 0], [1, 1], [-1, 1]])"
SINES = "∇×(∇×E) + E = (1 + π²) [sin(π y), sin(π x)]\ncross(n, E) = 0 on boundary"


def plan_of(space: str, statements: str, method: str) -> ElementsPlan:
    coordinates = space.partition(")")[0].strip("(")
    size = coordinates.count(",") + 1
    time = "time t in [0, 1]\n" if "∂t" in statements else ""
    head = f"pde M\nspace {space}\n{time}unknown E({coordinates}{', t' if time else ''}) : vector({size})\n"
    plan = pdedsl.compile(f"{head}{statements}\nrealize equation by {method}\n").plan
    assert isinstance(plan, SolvePlan)
    assert isinstance(plan.solver, ElementsPlan)
    return plan.solver


def relative_error(plan: ElementsPlan, result: SolverResult, exact: Callable[..., list[Tensor]]) -> float:
    points = PointSampler(plan.problem.domain, torch.device("cpu")).inside(300, 0)
    values = torch.stack(exact(*points.T), 1)
    return float((result(points) - values).norm() / values.norm())


@pytest.mark.parametrize("order", [1, 2, 3])
def test_orders_in_a_conducting_square(order: int) -> None:
    """L2 order k of elements of order k; the error estimate has an efficiency near one."""
    errors = []
    for h in (0.25, 0.125):
        plan = plan_of(SQUARE, SINES, f"elements(order={order}, h={h})")
        result = solve_by_elements(plan)
        errors.append(relative_error(plan, result, lambda x, y: [torch.sin(math.pi * y), torch.sin(math.pi * x)]))
        if order < 3:
            assert result.error_estimates[EstimateKind.RESIDUAL] == pytest.approx(errors[-1], rel=0.1)
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_order_in_a_disc() -> None:
    """Curved elements, with a prescribed tangential trace."""
    errors = []
    for h in (0.4, 0.2):
        statements = "∇×(∇×E) + E = [0, 2 sin(x)]\ncross(n, E) = x sin(x) - y exp(y) on boundary"
        plan = plan_of(DISC, statements, f"elements(order=2, h={h})")
        errors.append(relative_error(plan, solve_by_elements(plan), lambda x, y: [torch.exp(y), torch.sin(x)]))
    assert math.log2(errors[0] / errors[1]) > 1.8
    assert errors[1] < 2e-3


CUBE_FIELDS = {
    "tangential trace": (
        "∇×(∇×E) + E = (1 + π²) [sin(π y), sin(π z), sin(π x)]\n"
        "cross(n, E) = cross(n, [sin(π y), sin(π z), sin(π x)]) on boundary",
        lambda *x: [torch.sin(math.pi * x[(k + 1) % 3]) for k in range(3)],
    ),
    "trace of the curl": (
        "∇×(∇×E) + E = [(1 + π²) cos(π y), 0, 0]\ncross(n, ∇×E) = cross(n, [0, 0, π sin(π y)]) on boundary",
        lambda x, y, z: [torch.cos(math.pi * y), 0 * x, 0 * x],
    ),
}


@pytest.mark.parametrize("name", CUBE_FIELDS)
def test_order_in_a_cube(name: str) -> None:
    statements, exact = CUBE_FIELDS[name]
    errors = []
    for h in (0.5, 0.25):
        plan = plan_of(CUBE, statements, f"elements(order=1, h={h})")
        assert plan.elements == "Nédélec elements of order 1"
        errors.append(relative_error(plan, solve_by_elements(plan), exact))
    assert math.log2(errors[0] / errors[1]) > 0.8


def test_field_on_a_mesh_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tangential trace and curl on parts of the boundary of two triangles, refined."""
    monkeypatch.chdir(tmp_path)
    points, walls, opening = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1], [2, 3], [3, 0]], [[1, 2]]
    groups = [[1] * 3, [2], [3] * 2]
    written = meshio.Mesh(
        points,
        [("line", walls), ("line", opening), ("triangle", [[0, 1, 2], [0, 2, 3]])],
        cell_data={"gmsh:physical": groups, "gmsh:geometrical": groups},
        field_data={"wall": [1, 1], "opening": [2, 1], "all": [3, 2]},
    )
    meshio.write("square.msh", written, file_format="gmsh22", binary=False)
    conditions = "cross(n, E) = cross(n, [exp(y), sin(x)]) on wall\n∇×E = cos(1) - exp(y) on opening"
    statements = f"∇×(∇×E) + E = [0, 2 sin(x)]\n{conditions}"
    plan = plan_of('(x, y) in mesh("square.msh")', statements, "elements(order=2, h=0.3)")
    assert relative_error(plan, solve_by_elements(plan), lambda x, y: [torch.exp(y), torch.sin(x)]) < 5e-3


def test_natural_conditions_and_a_variable_coefficient() -> None:
    """∇×((1 + x) ∇×E) + E = f for E = [exp(y), sin(x)]: tangential trace, curl, and impedance."""
    statements = (
        "∇×((1 + x) ∇×E) + E = [-x exp(y), 2 sin(x) - cos(x) + exp(y) + x sin(x)]\n"
        "cross(n, E) = 0 on left\n∇×E = cos(1) - exp(y) on right\n"
        "∇×E + cross(n, E) = cos(x) on bottom\ncross(n, E) = -exp(1) on top"
    )
    errors = []
    for h in (0.5, 0.25):
        plan = plan_of(SQUARE, statements, f"elements(order=2, h={h})")
        errors.append(relative_error(plan, solve_by_elements(plan), lambda x, y: [torch.exp(y), torch.sin(x)]))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)


def test_wave_in_a_conducting_square() -> None:
    """∂²E/∂t² + ∇×∇×E = 0 for E = cos(π t) [sin(π y), 0]."""
    plan = plan_of(
        SQUARE,
        "∂²E/∂t² + ∇×(∇×E) = 0\nE(x, y, 0) = [sin(π y), 0]\n∂E/∂t(x, y, 0) = 0\ncross(n, E) = 0 on boundary",
        "elements(order=2, h=0.25)",
    )
    assert (
        relative_error(
            plan, solve_by_elements(plan), lambda x, y, t: [torch.cos(math.pi * t) * torch.sin(math.pi * y), 0 * x]
        )
        < 0.03
    )


def test_serialization() -> None:
    plan = plan_of(SQUARE, SINES, "elements(order=2, h=0.5)")
    module = solve_by_elements(plan).module
    again = rebuild_module(describe_module(module, plan), dict(module.state_dict()), plan, SolveOptions())
    points = torch.rand(50, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert torch.equal(again(points), module(points))


# ---- Eigenproblems


def eigenvalues(space: str, modes: int, order: int, levels: int) -> tuple[list[float], list[float]]:
    """The eigenvalues of ∇×∇× in a cavity and their error estimates."""
    statements = "unknown λ : eigenvalue\n∇×(∇×E) = λ E\ncross(n, E) = 0 on boundary\n" + f"solve {{ modes {modes} }}"
    plan = plan_of(space, statements, f"elements(order={order})")
    assert isinstance(plan, EigenElementsPlan)
    found = list(islice(levels_by_elements(plan), levels))[-1].eigenvalues
    return [e.value.real for e in found], [e.error for e in found]


def test_cavity_modes_of_a_square() -> None:
    """m² + n² in [0, π]² with their multiplicities: neither spurious modes nor gradients."""
    values, errors = eigenvalues("(x, y) in [0, π]²", 8, 2, 2)
    for value, error, exact in zip(values, errors, [1, 1, 2, 4, 4, 5, 5, 8], strict=True):
        assert value == pytest.approx(exact, rel=1e-3)
        assert abs(value - exact) < 3 * error


def test_cavity_modes_of_an_l_shape() -> None:
    """The first mode is not in H¹, and continuous elements converge to other values (Dauge 2004, benchmark)."""
    values, _ = eigenvalues(L_SHAPE, 5, 2, 4)
    assert values == pytest.approx([1.475621824, 3.534031367, 9.869604401, 9.869604401, 11.38947940], rel=1e-3)


def test_cavity_modes_of_a_cube() -> None:
    """l² + m² + n² with at most one zero, the mode (1, 1, 1) twice."""
    values, errors = eigenvalues("(x, y, z) in [0, π]³", 5, 1, 2)
    for value, error, exact in zip(values, errors, [2, 2, 2, 3, 3], strict=True):
        assert value == pytest.approx(exact, rel=0.03)
        assert abs(value - exact) < 3 * error


def test_classification() -> None:
    explanation = pdedsl.explain(f"pde M\nspace {SQUARE}\nunknown E(x, y) : vector(2)\n{SINES}\n")
    assert "with ∇×∇×, elliptic for fields without divergence" in str(explanation)


# ---- Refusals


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ("∇×(∇×E) = [1, 0]\ncross(n, E) = 0 on boundary", "up to gradients"),
        ("∇×(∇×E) + E + ∂E/∂x = 0\ncross(n, E) = 0 on boundary", "first derivatives"),
        ("∇×(∇×E) + E = 0\nn·E = 0 on boundary", "tangential"),
        ("∇×(∇×E) + E = [δ(x - 0.5) δ(y - 0.5), 0]\ncross(n, E) = 0 on boundary", "point sources"),
    ],
)
def test_refused(statements: str, reason: str) -> None:
    with pytest.raises(PdeError, match=reason):
        plan_of(SQUARE, statements, "elements")
