"""Finite elements: observed orders, conditions, adaptive refinement, evolution equations, error estimates."""

from __future__ import annotations

import math
from itertools import islice, pairwise

import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.solver_plans import ElementsPlan
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.dispatch import describe_module, rebuild_module
from pdedsl.solvers.elements.direct_solver import ElementsSolveFailed
from pdedsl.solvers.elements.discrete_problem import DiscreteProblem
from pdedsl.solvers.elements.driver import (
    default_mesh,
    degrees_of,
    levels_by_elements,
    make_module,
    solve_by_elements,
)
from pdedsl.solvers.elements.mesh import refine_mesh
from pdedsl.solvers.method_result import EstimateKind, SolverResult
from pdedsl.solvers.solver_method import SolveOptions

DISC = "[-1, 1]^2 where x² + y² < 1"
ANNULUS = "[-1, 1]^2 where x² + y² < 1, x² + y² > 0.16"
L_SHAPE = "polygon([[-1, -1], [0, -1], [0, 0], [1, 0], [1, 1], [-1, 1]])"
L_SHAPE_ENERGY = 0.2140758026810  # ∫ u for -Δu = 1, u = 0 on the boundary, by conformal maps (Babuška, Strouboulis)


def plan_of(text: str) -> ElementsPlan:
    plan = pdedsl.compile(text).plan
    assert isinstance(plan, SolvePlan)
    assert isinstance(plan.solver, ElementsPlan)
    return plan.solver


def plane(domain: str, statements: str, method: str, time: str = "") -> ElementsPlan:
    arguments = "x, y, t" if time else "x, y"
    head = f"pde P\nspace (x, y) in {domain}\n{time}\nunknown u({arguments}) : scalar\n"
    return plan_of(f"{head}{statements}\nrealize equation by {method}\n")


def points_of(plan: ElementsPlan) -> Tensor:
    return PointSampler(plan.problem.domain, torch.device("cpu")).inside(400, 0)


def relative_error(plan: ElementsPlan, result: SolverResult, exact: object) -> float:
    points = points_of(plan)
    values = exact(*points.T)  # type: ignore[operator]
    return float((result(points)[:, 0] - values).norm() / values.norm())


@pytest.mark.parametrize(
    ("domain", "order", "sizes"), [(DISC, 1, (0.3, 0.1)), (ANNULUS, 2, (0.3, 0.1)), (L_SHAPE, 3, (0.6, 0.2))]
)
def test_orders(domain: str, order: int, sizes: tuple[float, float]) -> None:
    """L2 orders 2 and 3 on curved shapes, 4 on polygons, for a smooth solution."""
    errors = []
    for h in sizes:
        plan = plane(domain, "-Δu = 0\nu = exp(x) cos(y) on boundary", f"elements(order={order}, h={h})")
        result = solve_by_elements(plan)
        errors.append(relative_error(plan, result, lambda x, y: torch.exp(x) * torch.cos(y)))
        if order < 4:
            assert result.error_estimates[EstimateKind.RESIDUAL] == pytest.approx(errors[-1], rel=0.5)
    assert math.log(errors[0] / errors[1], sizes[0] / sizes[1]) > order + 0.6  # meshes are not nested


@pytest.mark.parametrize("order", [1, 2])
def test_orders_around_a_spherical_hole(order: int) -> None:
    """L2 orders 2 and 3 on curved tetrahedra, with a flux through the sphere."""
    head = "pde P\nspace (x, y, z) in [0, 1]^3 where x² + y² + z² > 0.25\nunknown u(x, y, z) : scalar\n"
    plan = plan_of(
        f"{head}-Δu = 0\nu = exp(x) cos(y) on left, right, bottom, top, back, front\n"
        "∂u/∂n = 2 exp(x) (y sin(y) - x cos(y)) on x² + y² + z² = 0.25\n"
        f"realize equation by elements(order={order}, h=0.5)\n"
    )
    mesh, errors = default_mesh(plan), []
    for _ in range(2):
        problem = DiscreteProblem(plan.weak_form, mesh, degrees_of(plan))
        module = make_module(problem, problem.solve()[None], None)
        points = points_of(plan)
        exact = torch.exp(points[:, 0]) * torch.cos(points[:, 1])
        errors.append(float((module(points)[:, 0] - exact).norm() / exact.norm()))
        mesh = refine_mesh(mesh, plan.problem.domain)
    assert math.log2(errors[0] / errors[1]) > order + 0.8


def test_neumann_and_robin_conditions() -> None:
    """-∇·((1 + x) ∇u) + u = f with u = exp(x) sin(y), conditions of every kind."""
    plan = plane(
        "[0, 1]^2",
        "-∇·((1 + x) ∇u) + u = 0\n"
        "u = sin(y) on left\n∂u/∂n = e sin(y) on right\n∂u/∂n + 2 u = -exp(x) on bottom\n"
        "∂u/∂n = exp(x) cos(1) on top",
        "elements(order=3, h=0.125)",
    )
    result = solve_by_elements(plan)
    assert relative_error(plan, result, lambda x, y: torch.exp(x) * torch.sin(y)) < 1e-6


def test_points_outside_have_no_value() -> None:
    result = solve_by_elements(plane(L_SHAPE, "-Δu = 1\nu = 0 on boundary", "elements(order=1, h=0.5)"))
    values = result(torch.tensor([[0.5, -0.5], [2.0, 0.0], [-0.5, 0.5], [0.01, -0.01]], dtype=torch.float64))
    assert values.isnan().squeeze().tolist() == [True, True, False, True]


def test_adaptive_refinement_at_a_corner() -> None:
    """∫ u at the optimal rate N⁻² of second-degree elements: uniform refinement has N^(-2/3)."""
    plan = plane(L_SHAPE, "-Δu = 1\nu = 0 on boundary", "elements(order=2)")
    sizes, errors = [], []
    for result in islice(levels_by_elements(plan, tolerance=1e-4), 4):
        sizes.append(result.metrics["unknowns"])
        errors.append(abs(_integral(result) / L_SHAPE_ENERGY - 1))
    assert errors[-1] < 1e-4
    assert math.log(errors[0] / errors[-1]) / math.log(sizes[-1] / sizes[0]) > 1.6
    assert all(fine < coarse for coarse, fine in pairwise(errors))


def _integral(result: SolverResult) -> float:
    """Exact for polynomials of second degree: the mean of the edge midpoints."""
    corners = result.module.get_buffer("geometry")  # (cells, 1, x, y monomials; d), straight elements
    p, a, b = corners[:, 0], corners[:, 1], corners[:, 2]
    areas = (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).abs() / 2
    midpoints = torch.stack([p + a / 2, p + b / 2, p + (a + b) / 2])
    return float((result(midpoints.reshape(-1, 2))[:, 0].reshape(3, -1).mean(0) * areas).sum())


def test_heat_equation_with_time_dependent_boundary_values() -> None:
    plan = plane(
        "[0, 1]^2",
        "∂u/∂t = Δu\nu(x, y, 0) = exp(x) + sin(y)\nu = exp(x + t) + exp(-t) sin(y) on boundary",
        "elements(order=3, h=0.25)",
        "time t in [0, 0.5]",
    )
    result = solve_by_elements(plan)
    exact = lambda x, y, t: torch.exp(x + t) + torch.exp(-t) * torch.sin(y)  # noqa: E731
    assert relative_error(plan, result, exact) < 3e-5


def test_error_estimate_with_incompatible_initial_values() -> None:
    """u = 0 at first, and 1 on the boundary: 1 - s(x, t) s(y, t). The relative error is large for small t only."""
    plan = plane("[0, 1]^2", "∂u/∂t = Δu\nu(x, y, 0) = 0\nu = 1 on boundary", "elements(h=0.125)", "time t in [0, 0.5]")
    result = solve_by_elements(plan)

    def decay(x: Tensor, t: Tensor) -> Tensor:
        k = math.pi * torch.arange(1, 200, 2)[:, None]
        return (4 / k * torch.sin(k * x) * torch.exp(-(k**2) * t)).sum(0)

    error = relative_error(plan, result, lambda x, y, t: 1 - decay(x, t) * decay(y, t))
    estimate = result.error_estimates[EstimateKind.RESIDUAL]
    assert error / 3 < estimate < 5 * error


def test_incompatible_neumann_data() -> None:
    plan = plane("[0, 1]^2", "-Δu = 1\n∂u/∂n = 0 on boundary", "elements(order=1)")
    with pytest.raises(ElementsSolveFailed, match="net flux"):
        solve_by_elements(plan)


def test_neumann_problem_has_mean_zero() -> None:
    plan = plane("[0, 1]^2", "-Δu = 2 π² cos(π x) cos(π y)\n∂u/∂n = 0 on boundary", "elements(order=2, h=0.125)")
    exact = lambda x, y: torch.cos(math.pi * x) * torch.cos(math.pi * y)  # noqa: E731
    assert relative_error(plan, solve_by_elements(plan), exact) < 2e-3


def test_serialization() -> None:
    text = f"pde P\nspace (x, y) in {DISC}\nunknown u(x, y) : scalar\n-Δu = 4\nu = 0 on boundary\n"
    plan = pdedsl.compile(text + "realize equation by elements(order=2, h=0.4)\n").plan
    assert isinstance(plan, SolvePlan)
    assert isinstance(plan.solver, ElementsPlan)
    module = solve_by_elements(plan.solver).module
    again = rebuild_module(describe_module(module, plan.solver), dict(module.state_dict()), plan.solver, SolveOptions())
    points = points_of(plan.solver)
    assert torch.equal(again(points), module(points))
    assert module(points)[:, 0].numpy() == pytest.approx((1 - points.square().sum(1)).numpy(), abs=2e-3)


def test_order_with_a_discontinuous_coefficient() -> None:
    """A disc of conductivity 10 in a medium of conductivity 1: the mesh follows the circle, and the order is 3."""
    errors = []
    for h in (0.2, 0.1):
        plan = plane(
            "[-1, 1]^2",
            "∇·((1 + 9 heaviside(0.25 - x² - y²)) ∇u) = 0\nu = x - (9/44) x/(x² + y²) on boundary",
            f"elements(order=2, h={h})",
        )
        inner = lambda x, y: torch.where(x**2 + y**2 < 0.25, 2 * x / 11, x - 9 / 44 * x / (x**2 + y**2))  # noqa: E731
        errors.append(relative_error(plan, solve_by_elements(plan), inner))
    assert errors[1] < 1e-4
    assert math.log2(errors[0] / errors[1]) > 2.6


# ---- The biharmonic operator


@pytest.mark.parametrize("second", ["∂u/∂n = -2x on boundary", "Δu = -8x on boundary"], ids=["clamped", "supported"])
def test_plate_in_a_disc(second: str) -> None:
    """Δ²u = 0 for u = (1 - r²) x with Δu = -8x and ∂u/∂n = -2x on the circle."""
    errors = []
    for h in (0.3, 0.15):
        plan = plane(DISC, f"Δ²u = 0\nu = 0 on boundary\n{second}", f"elements(order=2, h={h})")
        errors.append(relative_error(plan, solve_by_elements(plan), lambda x, y: (1 - x**2 - y**2) * x))
    assert errors[1] < 1e-3
    assert math.log2(errors[0] / errors[1]) > 2.0


def test_deflection_of_a_clamped_square_plate() -> None:
    """The deflection of the center under a uniform load, 0.00126532 (Taylor, Govindjee 2004)."""
    plan = plane("[0, 1]^2", "Δ²u = 1\nu = 0 on boundary\n∂u/∂n = 0 on boundary", "elements(order=3, h=0.0625)")
    center = solve_by_elements(plan)(torch.tensor([[0.5, 0.5]], dtype=torch.float64))
    assert float(center) == pytest.approx(0.00126532, rel=1e-4)


# ---- Flows


def flow(domain: str, statements: str, method: str) -> ElementsPlan:
    head = f"pde F\nspace (x, y) in {domain}\nunknown v(x, y) : vector(2)\nunknown p(x, y) : scalar\n"
    return plan_of(f"{head}{statements}\nrealize equation by {method}\n")


GHIA_100 = [
    *(-0.03717, -0.04192, -0.04775, -0.06434, -0.10150, -0.15662, -0.21090, -0.20581, -0.13641),
    *(0.00332, 0.23151, 0.68717, 0.73722, 0.78871, 0.84123),
]
GHIA_100_V = [
    *(0.09233, 0.10091, 0.10890, 0.12317, 0.16077, 0.17507, 0.17527, 0.05454, -0.24533),
    *(-0.22445, -0.16914, -0.10313, -0.08864, -0.07391, -0.05906),
]


def test_lid_driven_cavity() -> None:
    """Velocities on the center lines at Re = 100, by Richardson extrapolation (Marchi, Suero, Araki 2009) and
    by a multigrid method (Ghia, Ghia, Shin 1982, tables I and II)."""
    plan = flow(
        "[0, 1]^2",
        "v·∇v = -∇p + 0.01Δv\n∇·v = 0\nv = [1, 0] on top\nv = [0, 0] on left, right, bottom",
        "elements(order=3, h=0.0625)",
    )
    result = solve_by_elements(plan)
    values = result(torch.tensor([[0.5, 0.5], [0.5, 0.9375]], dtype=torch.float64))
    assert values[:, 0].tolist() == pytest.approx([-0.209149, 0.597467], abs=1e-4)
    y = torch.tensor([7, 8, 9, 13, 22, 36, 58, 64, 79, 94, 109, 122, 123, 124, 125], dtype=torch.float64) / 128
    on_line = result(torch.stack([torch.full_like(y, 0.5), y], 1))[:, 0]
    assert on_line.tolist() == pytest.approx(GHIA_100, abs=0.01)  # the accuracy of the table
    x = torch.tensor([8, 9, 10, 12, 20, 29, 30, 64, 103, 110, 116, 121, 122, 123, 124], dtype=torch.float64) / 128
    across = result(torch.stack([x, torch.full_like(x, 0.5)], 1))[:, 1]
    assert across.tolist() == pytest.approx(GHIA_100_V, abs=0.01)
    assert any("leave out the pressure" in note for note in result.notes)


# u on x = ½ and v on y = ½ at Re = 1,000, at places with four digits (Botella, Peyret 1998, tables 9 and 10)
BOTELLA_U = {0.0625: -0.2023300, 0.1719: -0.3885691, 0.5: -0.0620561, 0.8516: 0.3372212, 0.9688: 0.5808359}
BOTELLA_V = {0.0625: 0.2807056, 0.1563: 0.3769189, 0.5: 0.0257995, 0.9063: -0.5264392, 0.9688: -0.2279225}
# v at Re = 3,200 by differences for stream function and vorticity, extrapolated (benchmarks/physics_flows.py)
DIFFERENCES_V = {0.09375: 0.43270, 0.5: 0.01426, 0.90625: -0.44343, 0.9453125: -0.56721, 0.96875: -0.43972}


def centre_lines(result: SolverResult, u: dict[float, float], v: dict[float, float]) -> tuple[list[float], list[float]]:
    half = {k: torch.full((len(places),), 0.5, dtype=torch.float64) for k, places in enumerate((u, v))}
    y, x = (torch.tensor(list(places), dtype=torch.float64) for places in (u, v))
    values = result(torch.stack([half[0], y], 1))[:, 0], result(torch.stack([x, half[1]], 1))[:, 1]
    return values[0].tolist(), values[1].tolist()


@pytest.mark.long
@pytest.mark.parametrize(
    ("reynolds", "u", "v", "levels", "tolerance"),
    [(1000, BOTELLA_U, BOTELLA_V, 5, 1e-4), (3200, {}, DIFFERENCES_V, 4, 1e-2)],
)
def test_adaptive_refinement_in_a_cavity(
    reynolds: int, u: dict[float, float], v: dict[float, float], levels: int, tolerance: float
) -> None:
    plan = flow(
        "[0, 1]^2",
        f"v·∇v = -∇p + Δv/{reynolds}\n∇·v = 0\nv = [1, 0] on top\nv = [0, 0] on left, right, bottom",
        "elements(order=3)",
    )
    result = list(islice(levels_by_elements(plan, tolerance=1e-4), levels))[-1]
    along_y, along_x = centre_lines(result, u, v)
    assert along_y == pytest.approx(list(u.values()), abs=tolerance)
    assert along_x == pytest.approx(list(v.values()), abs=tolerance)


@pytest.mark.slow
def test_dual_weighted_residuals_in_a_cavity() -> None:
    """The estimated L2 norm of the error decreases at the rate N^(-3/2) or faster, in spite of the corners."""
    plan = flow(
        "[0, 1]^2",
        "v·∇v = -∇p + 0.01Δv\n∇·v = 0\nv = [1, 0] on top\nv = [0, 0] on left, right, bottom",
        "elements(order=3)",
    )
    results = list(islice(levels_by_elements(plan, tolerance=1e-4), 5))
    sizes = [r.metrics["unknowns"] for r in results]
    errors = [r.error_estimates[EstimateKind.RESIDUAL] for r in results]
    assert math.log(errors[0] / errors[-1]) / math.log(sizes[-1] / sizes[0]) > 1.5


@pytest.mark.slow
def test_reattachment_behind_a_backward_step() -> None:
    """6.10 channel heights at Re = 800 (Gartling 1990): the channel begins at the step, with a parabola above it."""
    plan = flow(
        "[0, 15] * [-0.5, 0.5]",
        "v·∇v = -∇p + Δv/800\n∇·v = 0\nv = [24 y (0.5 - y), 0] on left where y > 0\n"
        "v = [0, 0] on left where y < 0\nv = [0, 0] on bottom, top\np = 0 on right",
        "elements(order=3, h=0.125)",
    )
    result = solve_by_elements(plan)
    x = torch.linspace(3, 9, 601, dtype=torch.float64)
    shear = result(torch.stack([x, torch.full_like(x, -0.5 + 1e-4)], 1))[:, 0]
    after = int((shear > 0).nonzero()[0])
    assert float(x[after]) == pytest.approx(6.10, rel=0.01)
    assert bool((shear[:after] < 0).all())


def test_flow_through_an_outlet() -> None:
    """Poiseuille's flow in a channel: exact for second and first degree, with p = 0 at the outlet."""
    plan = flow(
        "[0, 2] * [0, 1]",
        "v·∇v = -∇p + 0.1Δv\n∇·v = 0\nv = [4y (1 - y), 0] on left\nv = [0, 0] on bottom, top\np = 0 on right",
        "elements(order=2, h=0.5)",
    )
    points = points_of(plan)
    x, y = points.T
    exact = torch.stack([4 * y * (1 - y), 0 * y, 0.8 * (2 - x)], 1)
    assert float((solve_by_elements(plan)(points) - exact).abs().max()) < 1e-9


def test_order_of_velocity_and_pressure() -> None:
    """Kovasznay's flow at Re = 20: L2 orders 3 of the velocity and 2 of the pressure for second and first degree."""
    rate = 10 - math.sqrt(100 + 4 * math.pi**2)
    u = f"1 - exp({rate} x) cos(2π y)"
    v = f"{rate / (2 * math.pi)} exp({rate} x) sin(2π y)"
    errors = []
    for h in (0.25, 0.125):
        plan = flow(
            "[-0.5, 1] * [-0.5, 1.5]",
            f"v·∇v = -∇p + 0.05Δv\n∇·v = 0\nv = [{u}, {v}] on boundary",
            f"elements(order=2, h={h})",
        )
        points = points_of(plan)
        x, y = points.T
        growth = torch.exp(rate * x)
        velocity = torch.stack(
            [
                1 - growth * torch.cos(2 * math.pi * y),
                rate / (2 * math.pi) * growth * torch.sin(2 * math.pi * y),
            ],
            1,
        )
        pressure = -growth.square() / 2
        difference = solve_by_elements(plan)(points) - torch.cat([velocity, pressure[:, None]], 1)
        constant = difference[:, 2].mean()
        errors.append((float(difference[:, :2].norm()), float((difference[:, 2] - constant).norm())))
    orders = [math.log2(coarse / fine) for coarse, fine in zip(*errors, strict=True)]
    assert orders[0] > 2.7
    assert orders[1] > 1.8


# ---- Conditions of systems


def system(domain: str, statements: str, method: str) -> ElementsPlan:
    head = f"pde S\nspace (x, y) in {domain}\nunknown u(x, y) : scalar\nunknown v(x, y) : scalar\n"
    return plan_of(f"{head}{statements}\nrealize equation by {method}\n")


def test_absorbing_boundary() -> None:
    """∂(u + iv)/∂n - ik (u + iv) = g for the plane wave exp(ikx) in a disc."""
    plan = system(
        DISC,
        "Δu + 9 u = 0\nΔv + 9 v = 0\n∂u/∂n + 3 v = 3(1 - x) sin(3x) on boundary\n"
        "∂v/∂n - 3 u = 3(x - 1) cos(3x) on boundary",
        "elements(order=3, h=0.1)",
    )
    points = points_of(plan)
    exact = torch.stack([torch.cos(3 * points[:, 0]), torch.sin(3 * points[:, 0])], 1)
    assert float((solve_by_elements(plan)(points) - exact).norm() / exact.norm()) < 1e-4


def test_nonlinear_natural_condition() -> None:
    """∂u/∂n + u³ = 28 for u = 2 + x."""
    plan = plane(
        "[0, 1]^2",
        "-Δu = 0\nu = 2 on left\n∂u/∂n + u³ = 28 on right\n∂u/∂n = 0 on bottom, top",
        "elements(order=1, h=0.5)",
    )
    assert relative_error(plan, solve_by_elements(plan), lambda x, y: 2 + x) < 1e-9


def test_traction_on_faces() -> None:
    """Plane elasticity with λ = μ = 1, u = x² y and v = x y²: normal and shear tractions on two sides."""
    plan = system(
        "[0, 1]^2",
        "3 ∂²u/∂x² + ∂²u/∂y² + 2 ∂²v/∂x∂y = 10y\n∂²v/∂x² + 3 ∂²v/∂y² + 2 ∂²u/∂x∂y = 10x\n"
        "u = x² y on left, bottom\nv = x y² on left, bottom\n"
        "3 ∂u/∂x + ∂v/∂y = 8y on right\n∂u/∂y + ∂v/∂x = 1 + y² on right\n"
        "3 ∂v/∂y + ∂u/∂x = 8x on top\n∂u/∂y + ∂v/∂x = x² + 1 on top",
        "elements(order=3, h=0.5)",
    )
    points = points_of(plan)
    x, y = points.T
    exact = torch.stack([x**2 * y, x * y**2], 1)
    assert float((solve_by_elements(plan)(points) - exact).abs().max()) < 1e-9
