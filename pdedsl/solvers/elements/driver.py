"""`elements(order)`: finite elements for the weak form, on one mesh or on adaptively refined meshes.

Stationary problems are refined where the implicit residual estimator is large (Dörfler marking, red-green-blue
refinement); evolution equations uniformly, with time steps of a smaller tolerance on each level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
import torch
from skfem import Basis, Mesh, MeshTet2, MeshTri2
from torch import Tensor

from pdedsl.ir.solver_plans import ElementsPlan
from pdedsl.runtime.basis.obstacle_solution import ContactPolynomials
from pdedsl.runtime.basis.piecewise_polynomials import PiecewisePolynomials, monomials
from pdedsl.solvers.elements.boundary_curves import is_polygonal
from pdedsl.solvers.elements.direct_solver import ElementsSolveFailed
from pdedsl.solvers.elements.discrete_problem import DiscreteProblem
from pdedsl.solvers.elements.error_indicators import ErrorIndicators, enrich, estimate_error, lattice
from pdedsl.solvers.elements.mesh import interfaces_of, mesh_of, refine_mesh
from pdedsl.solvers.elements.obstacle import solve_obstacle
from pdedsl.solvers.elements.spaces import MAX_DEGREE, Array, lagrange_element
from pdedsl.solvers.elements.time_stepping import Rosenbrock, TimeSteps, initial_state
from pdedsl.solvers.grid.grid_result import TIME_ERROR
from pdedsl.solvers.method_result import EstimateKind, Levels, SolverResult
from pdedsl.solvers.solver_method import ModuleFormat, SolverMethod, StoredModule

FIRST_CELLS = {1: 16, 2: 8, 3: 4}  # per dimension on the first level, by the dimension of space
DEFAULT_CELLS = {1: 128, 2: 32, 3: 8}  # per dimension, for a single mesh
MAX_DOFS = {1: 2_000_000, 2: 900_000, 3: 60_000}  # fill-in of the largest sparse factorization: about 2 GB
GROWTH = 2.0  # of the number of elements from level to level, at least
TIME_TOL = 1e-6  # local error of time steps, for a single mesh
TIME_FRACTION = 0.02  # of the tolerance, for the local error of the time steps on the first level
SAMPLED_TIMES = 3  # times at which the residual estimator of an evolution equation is evaluated


def solve_by_elements(
    plan: ElementsPlan, *, device: torch.device | str = "cpu", dtype: torch.dtype = torch.float64
) -> SolverResult:
    """The solution on a mesh with edges of length `h`, with the residual error estimate.

    Raises `ElementsSolveFailed` if the discrete system is singular, or Newton's method or the time steps fail, and
    `MeshingFailed` if the domain has no mesh.
    """
    level = _solve(plan, default_mesh(plan), TIME_TOL, None)
    return level.result(plan, device, dtype)


def default_mesh(plan: ElementsPlan) -> Mesh:
    """The mesh of a solution on a single mesh."""
    return mesh_of(plan.problem, _edge_length(plan, DEFAULT_CELLS), _geometry_order(plan))


def levels_by_elements(
    plan: ElementsPlan,
    *,
    tolerance: float,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float64,
) -> Levels:
    """Solutions on successively finer meshes, until the limit of the sparse factorization. The tolerance of the time
    steps decreases with the spatial error."""
    mesh: Mesh | None = first_mesh(plan)
    level, number = None, 0
    while mesh is not None:
        try:
            level = _solve(plan, mesh, TIME_FRACTION * tolerance / 2**number, level)
        except ElementsSolveFailed:
            if level is not None or number > 2:  # the first meshes may be too coarse for Newton's method
                raise
        if level is not None:
            yield level.result(plan, device, dtype)
        marked = level.indicators if level is not None and level.steps is None else None
        mesh = next_mesh(plan, mesh, marked)
        number += 1


def first_mesh(plan: ElementsPlan) -> Mesh:
    """The mesh of the first level."""
    return mesh_of(plan.problem, _edge_length(plan, FIRST_CELLS), _geometry_order(plan))


def next_mesh(plan: ElementsPlan, mesh: Mesh, marked: ErrorIndicators | None) -> Mesh | None:
    """The mesh of the next level, refined where the indicators are large, or everywhere; None beyond the limit of the
    sparse factorization."""
    interfaces = interfaces_of(plan.problem)
    fine = refine_mesh(mesh, plan.problem.domain, None if marked is None else marked.mark(), interfaces)
    while marked is not None and fine.nelements < GROWTH * mesh.nelements:
        indicators = _interpolate_indicators(marked, mesh, fine)
        fine = refine_mesh(fine, plan.problem.domain, indicators.mark(), interfaces)
    return None if _count_dofs(plan, fine) > MAX_DOFS[fine.dim()] else fine


def _edge_length(plan: ElementsPlan, cells: dict[int, int]) -> float:
    if plan.method.h is not None:
        return float(plan.method.h)
    if plan.problem.domain.mesh_boundary is not None:
        return inf
    intervals = plan.problem.domain.intervals[: len(plan.problem.domain.space)]
    return max(float(i.end - i.start) for i in intervals) / cells[len(intervals)]


def _geometry_order(plan: ElementsPlan) -> int:
    """Curved elements for curved boundaries, of first degree too: no point of the domain is outside of the mesh."""
    domain = plan.problem.domain
    curves = (*domain.inequalities, *interfaces_of(plan.problem))
    straight = len(domain.space) == 1 or domain.mesh_boundary is not None
    return 1 if straight or all(is_polygonal(g, domain.space) for g in curves) else 2


def degrees_of(plan: ElementsPlan) -> tuple[int, ...]:
    return plan.weak_form.degrees(min(plan.method.order, MAX_DEGREE[len(plan.problem.domain.space)]))


def _count_dofs(plan: ElementsPlan, mesh: Mesh) -> int:
    """Of the system of the error estimate, if there is one, otherwise of the solution."""
    problem = DiscreteProblem(plan.weak_form, mesh, degrees_of(plan))
    return (enrich(problem) or problem).spaces.size


# ---- One level


@dataclass(frozen=True)
class MeshSolution:
    """The solution on one mesh: coefficients of a stationary solution, or time steps."""

    problem: DiscreteProblem
    states: Array  # (times, size)
    steps: TimeSteps | None
    indicators: ErrorIndicators | None
    contact: Array | None = None  # 1 at the nodes where an obstacle is active
    policies: int = 0  # iterations of an obstacle problem

    def result(self, plan: ElementsPlan, device: torch.device | str, dtype: torch.dtype) -> SolverResult:
        if self.contact is None:
            module = make_module(self.problem, self.states, self.steps).to(device, dtype)
        else:
            functions = [self.states, self.contact[None]]
            module = _piecewise_polynomials(self.problem, (0,), functions, None, ContactPolynomials).to(device, dtype)
        cells, size = self.problem.mesh.nelements, self.problem.spaces.size
        metrics = {"elements": float(cells), "unknowns": float(size)}
        notes = [f"{cells:,} elements, {size:,} unknowns"]
        if self.steps is not None:
            metrics |= {"steps": float(len(self.steps.times) - 1), TIME_ERROR: self.steps.error}
            notes.append(f"{len(self.steps.times) - 1} time steps")
        if self.contact is not None:
            metrics["policy iterations"] = float(self.policies)
            notes.append(f"{self.policies} policy iterations")
        estimates: dict[EstimateKind, float] = {}
        if self.indicators is not None:
            error = self.indicators.relative_error + (self.steps.error if self.steps is not None else 0.0)
            estimates[EstimateKind.RESIDUAL] = error
            notes.append(f"residual error estimate {error:.1g}, by elements of one degree higher")
        not_integrable = self.problem.not_integrable
        if not_integrable:
            notes.append("the estimates leave out the pressure, which is not square-integrable at corners")
        return SolverResult(
            module,
            plan.method,
            metrics,
            tuple(notes),
            error_estimates=estimates,
            is_irregular=self.contact is not None,
            not_integrable=not_integrable,
        )


def _solve(plan: ElementsPlan, mesh: Mesh, time_tolerance: float, coarse: MeshSolution | None) -> MeshSolution:
    problem = DiscreteProblem(plan.weak_form, mesh, degrees_of(plan))
    if plan.weak_form.constraint is not None:
        w, contact, count = solve_obstacle(problem, None if coarse is None else _interpolate(coarse, problem))
        return MeshSolution(problem, w[None], None, None, contact, count)
    if not plan.weak_form.differential:
        start = None if coarse is None or plan.weak_form.is_linear else _interpolate(coarse, problem)
        w = problem.solve(start)
        return MeshSolution(problem, w[None], None, estimate_error(problem, w))
    interval = plan.problem.domain.intervals[-1]
    first, last = float(interval.start), float(interval.end)
    if plan.weak_form.is_backward:
        first, last = last, first
    steps = Rosenbrock(problem, time_tolerance).integrate(initial_state(problem, first), first, last)
    states = np.stack([problem.with_zero_mean(w) for w in steps.states])
    return MeshSolution(problem, states, steps, _estimate_in_time(problem, steps))


def _estimate_in_time(problem: DiscreteProblem, steps: TimeSteps) -> ErrorIndicators | None:
    """The estimate in L2 of space and time, by the trapezoidal rule at some times; None for equations of second order
    in time, whose errors accumulate."""
    if any(t.time_order for t in problem.form.trials) or problem.form.defined_up_to_constant:
        return None
    numbers = np.unique(np.linspace(1, len(steps.times) - 1, SAMPLED_TIMES + 1).astype(int)[1:])
    indicators = []
    for n in numbers:
        rate = _difference_quotient(steps, int(n))
        decay = 1 / (steps.times[-1] - steps.times[0])
        indicators.append(estimate_error(problem, steps.states[n], rate, float(steps.times[n]), decay))
    known = [i for i in indicators if i is not None]
    if len(known) < len(indicators):
        return None
    times = steps.times[numbers]
    middles = np.concatenate([steps.times[:1], (times[1:] + times[:-1]) / 2, steps.times[-1:]])
    norms = np.array([i.norm for i in known])
    errors = norms * [i.relative_error for i in known]
    error, size = (float(np.sqrt(np.abs(np.diff(middles)) @ v**2)) for v in (errors, norms))
    return replace(known[-1], relative_error=error / max(size, 1e-150))


def _difference_quotient(steps: TimeSteps, n: int) -> Array:
    """∂w/∂t at a step, by the derivative of the interpolation at the nearest steps."""
    low = max(0, min(n - 2, len(steps.times) - 5))
    window = np.arange(low, min(low + 5, len(steps.times)))
    t = (steps.times[window] - steps.times[n]) / (steps.times[window[-1]] - steps.times[window[0]])
    powers = np.vander(t, increasing=True)
    weights = np.linalg.solve(powers.T, np.eye(len(t))[1])
    return np.asarray(weights @ steps.states[window] / (steps.times[window[-1]] - steps.times[window[0]]))


def _interpolate(coarse: MeshSolution, fine: DiscreteProblem) -> Array | None:
    """The solution of the coarse mesh in the fine space, as the start of Newton's method; None in H(curl)."""
    if fine.form.has_edge_elements:
        return None
    module = make_module(coarse.problem, coarse.states, None, all_trials=True)
    start = np.zeros(fine.spaces.size)
    for k in range(len(fine.form.trials)):
        own = slice(fine.spaces.offsets[k], fine.spaces.offsets[k + 1])
        points = torch.from_numpy(np.asarray(fine.spaces.bases[k].doflocs).T.copy())
        start[own] = np.nan_to_num(module(points)[:, k].numpy())
    return start


def _interpolate_indicators(coarse: ErrorIndicators, mesh: Mesh, fine: Mesh) -> ErrorIndicators:
    """Indicators of a cell divided among the cells of a refinement in proportion to their size."""
    centroids = torch.from_numpy(fine.p[:, fine.t[: fine.dim() + 1]].mean(1).T.copy())
    parents = PiecewisePolynomials(geometry_of(mesh), (), {}, {}, ()).locate(centroids)
    volumes = np.abs(fine.mapping().detDF(np.full((fine.dim(), 1), 1 / 3), np.arange(fine.nelements))).ravel()
    total = np.bincount(parents, volumes, mesh.nelements)
    return ErrorIndicators(coarse.relative_error, coarse.cells[parents] * volumes / total[parents])


# ---- Modules


def make_module(
    problem: DiscreteProblem, states: Array, steps: TimeSteps | None, all_trials: bool = False
) -> PiecewisePolynomials:
    """The components of the problem, or all trial functions, as functions of points."""
    chosen = range(len(problem.form.trials)) if all_trials else component_trials(problem)
    ascending = slice(None, None, -1 if steps is not None and steps.times[0] > steps.times[-1] else 1)
    times = None if steps is None else torch.from_numpy(steps.times[ascending].copy())
    return _piecewise_polynomials(problem, chosen, [states[ascending]], times)


def make_mode_module(problem: DiscreteProblem, modes: Sequence[Array]) -> PiecewisePolynomials:
    """The components of several functions, one after the other."""
    return _piecewise_polynomials(problem, component_trials(problem), [w[None] for w in modes], None)


def component_trials(problem: DiscreteProblem) -> list[int]:
    """The trial functions that are components of the problem."""
    return [k for k, t in enumerate(problem.form.trials) if t.component is not None and t.time_order == 0]


def _piecewise_polynomials(
    problem: DiscreteProblem,
    chosen: Sequence[int],
    functions: Sequence[Array],
    times: Tensor | None,
    kind: type[PiecewisePolynomials] = PiecewisePolynomials,
) -> PiecewisePolynomials:
    """The chosen trial functions of each of several functions (times, size)."""
    if problem.form.has_edge_elements:
        return _piecewise_fields(problem, chosen, functions, times)
    spaces = problem.spaces
    bases = {problem.degrees[k]: spaces.bases[k] for k in chosen}
    own = [slice(spaces.offsets[k], spaces.offsets[k + 1]) for k in chosen]
    return kind(
        geometry_of(problem.mesh),
        [problem.degrees[k] for k in chosen] * len(functions),
        {p: _shapes(problem.mesh.dim(), p) for p in bases},
        {p: torch.from_numpy(b.element_dofs.T.astype(np.int64)) for p, b in bases.items()},
        [torch.from_numpy(w[:, part].copy()) for w in functions for part in own],
        times,
    )


def _piecewise_fields(
    problem: DiscreteProblem, chosen: Sequence[int], functions: Sequence[Array], times: Tensor | None
) -> PiecewisePolynomials:
    """Components of fields in H(curl) as polynomials on every cell: on curved cells of one degree more."""
    spaces, mesh = problem.spaces, problem.mesh
    d, offsets = mesh.dim(), spaces.offsets
    degree = problem.degrees[0] + isinstance(mesh, MeshTri2 | MeshTet2)
    points = lattice(d, degree)
    table = monomials(torch.from_numpy(points.T.copy()), degree).numpy()
    basis = Basis(mesh, spaces.bases[0].elem, quadrature=(points, np.ones(points.shape[1])))
    values = np.stack([np.asarray(f[0]) for f in basis.basis], -1)  # (d, cells, points, functions)
    coefficients = []
    for w in functions:
        for k in chosen:
            component = problem.form.trials[k].edge_component
            assert component is not None
            own = w[:, spaces.bases[0].element_dofs.T + offsets[k]]  # (times, cells, functions)
            nodal = np.einsum("cpf,tcf->tcp", values[component], own)
            coefficients.append(torch.from_numpy(nodal.reshape(len(w), -1).copy()))
    numbers = torch.arange(mesh.nelements * points.shape[1]).reshape(mesh.nelements, -1)
    shapes = torch.from_numpy(np.linalg.inv(table).T.copy())
    degrees = [degree] * len(coefficients)
    return PiecewisePolynomials(geometry_of(mesh), degrees, {degree: shapes}, {degree: numbers}, coefficients, times)


def geometry_of(mesh: Mesh) -> Tensor:
    """Coefficients of monomials in the map from the reference element, (cells, monomials, d)."""
    degree, d = (2 if isinstance(mesh, MeshTri2 | MeshTet2) else 1), mesh.dim()
    points = lattice(d, degree)
    images = np.asarray(mesh.mapping().F(points))  # (d, cells, points)
    table = monomials(torch.from_numpy(points.T.copy()), degree).numpy()
    return torch.from_numpy(np.linalg.solve(table, images.transpose(1, 2, 0)))


def _shapes(dimension: int, degree: int) -> Tensor:
    """Coefficients of monomials in the basis functions, (functions, monomials)."""
    element = lagrange_element(dimension, degree)  # a new one: some keep their values at as many other points
    points = lattice(dimension, degree)
    table = monomials(torch.from_numpy(points.T.copy()), degree).numpy()
    values = np.stack([element.lbasis(points, i)[0] * np.ones(points.shape[1]) for i in range(table.shape[1])], 1)
    return torch.from_numpy(np.linalg.solve(table, values).T.copy())


# ---- The method


def _rebuild(stored: StoredModule[Any]) -> PiecewisePolynomials:
    return _rebuild_as(PiecewisePolynomials, stored)


def _rebuild_contact(stored: StoredModule[Any]) -> PiecewisePolynomials:
    return _rebuild_as(ContactPolynomials, stored)


def _rebuild_as(kind: type[PiecewisePolynomials], stored: StoredModule[Any]) -> PiecewisePolynomials:
    degrees, tensors = stored.form["degrees"], stored.tensors
    shapes, dofs = ({p: tensors[f"{name}_{p}"] for p in set(degrees)} for name in ("shapes", "dofs"))
    coefficients = [tensors[f"coefficients_{c}"] for c in range(len(degrees))]
    return kind(tensors["geometry"], degrees, shapes, dofs, coefficients, tensors.get("times"))


ELEMENTS_FORMATS: tuple[ModuleFormat[Any], ...] = (
    ModuleFormat(
        "elements with contact set",
        ContactPolynomials,
        _rebuild_contact,
        lambda module: {"degrees": list(module.degrees)},
    ),
    ModuleFormat("elements", PiecewisePolynomials, _rebuild, lambda module: {"degrees": list(module.degrees)}),
)
METHOD = SolverMethod[ElementsPlan](
    lambda plan, options: solve_by_elements(plan, device=options.device),
    lambda plan, options: levels_by_elements(plan, tolerance=options.tolerance, device=options.device),
    ELEMENTS_FORMATS,
)
