"""Implicit residual error estimator: the residual equation in the space of one degree more.

With the solution w of degree p, the correction e of one Newton step in the space of degree p + 1 estimates the error
(Bank, Weiser 1985; Ainsworth, Oden 2000, ch. 5). For an evolution equation the correction of the stationary problem
with the source -M ∂w/∂t is the error of the elliptic reconstruction (Makridakis, Nochetto 2003).

In stationary flows, errors are transported far from their origin. There the indicators are dual-weighted residuals
(Becker, Rannacher 2001): ‖e‖² = r(z - Iz) for the residual r, the solution z of the adjoint problem with the right-hand
side e, and its interpolant Iz of degree p; the terms belong to basis functions (Richter, Wick 2015).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from skfem import Basis

from pdedsl.ir.weak_form import MAX_EDGE_ORDER
from pdedsl.solvers.elements.direct_solver import Factorization
from pdedsl.solvers.elements.discrete_problem import DiscreteProblem
from pdedsl.solvers.elements.spaces import MAX_DEGREE, Array, Indices, lagrange_element

MARKED_FRACTION = 0.5  # of the squared estimate, in the marked elements (Dörfler 1996)


@dataclass(frozen=True)
class ErrorIndicators:
    """Relative L2 norm of the error of all components, and the indicator of each cell: the squared energy norm of the
    error, or in stationary flows the contribution to the squared L2 norm of the error of the velocity.
    """

    relative_error: float
    cells: Array
    norm: float = 1.0  # of the solution, in L2

    def mark(self) -> Indices:
        """The smallest set of cells with `MARKED_FRACTION` of the sum of squares."""
        order = np.argsort(-self.cells)
        total = np.cumsum(self.cells[order])
        return order[: int(np.searchsorted(total, MARKED_FRACTION * total[-1])) + 1]


def enrich(problem: DiscreteProblem) -> DiscreteProblem | None:
    """The same problem with elements of one degree more; None if there are none."""
    degrees = tuple(p + 1 for p in problem.degrees)
    limit = (MAX_EDGE_ORDER if problem.form.has_edge_elements else MAX_DEGREE)[problem.mesh.dim()]
    return DiscreteProblem(problem.form, problem.mesh, degrees) if max(degrees) <= limit else None


def interpolate(w: Array, old: DiscreteProblem, new: DiscreteProblem) -> Array:
    """The interpolants in a space of other degrees on the same mesh; the same functions if these are higher."""
    result = np.zeros(new.spaces.size)
    if old.form.has_edge_elements:
        return _embed(w, old, new)
    for k, (source, target) in enumerate(zip(old.spaces.bases, new.spaces.bases, strict=True)):
        own = slice(old.spaces.offsets[k], old.spaces.offsets[k + 1])
        values = _change_basis(source, target) @ w[own][source.element_dofs]  # (functions, cells)
        result[target.element_dofs + new.spaces.offsets[k]] = values
    return result


def _embed(w: Array, old: DiscreteProblem, new: DiscreteProblem) -> Array:
    """Coefficients of fields in H(curl) in a space that contains them, by the L2 projection on every cell."""
    result, d, q = np.zeros(new.spaces.size), new.mesh.dim(), new.spaces.cells
    for k in range(0, len(new.form.trials), d):
        source = Basis(old.mesh, old.spaces.bases[k].elem, intorder=new.spaces.quadrature_order)
        own = w[old.spaces.offsets[k] : old.spaces.offsets[k + d]]
        field = np.asarray(source.interpolate(own))  # (d, cells, points)
        shapes = [q.shapes[k + i][0] for i in range(d)]
        mass = sum((s * q.weights[:, :, None]).transpose(0, 2, 1) @ s for s in shapes)
        load = sum(np.einsum("cqf,cq->cf", s, f * q.weights) for s, f in zip(shapes, field, strict=True))
        result[q.dofs[k].T] = np.linalg.solve(mass, load[:, :, None])[:, :, 0]
    return result


def _change_basis(source: Basis, target: Basis) -> Array:
    """Coefficients in the basis functions of an element of the interpolants of those of another element."""
    points = lattice(target.mesh.dim(), target.elem.maxdeg)
    tables = []
    for b in (source, target):  # new elements: those of scikit-fem keep their values at as many other points
        element = lagrange_element(target.mesh.dim(), b.elem.maxdeg)
        tables.append(np.stack([element.lbasis(points, i)[0] * np.ones(points.shape[1]) for i in range(b.Nbfun)], 1))
    return np.asarray(np.linalg.solve(tables[1], tables[0]))


def lattice(dimension: int, degree: int) -> Array:
    """(d, n): points of the reference simplex that determine polynomials of a degree."""
    grid = np.stack(np.meshgrid(*[np.arange(degree + 1)] * dimension, indexing="ij")).reshape(dimension, -1)
    return grid[:, grid.sum(0) <= degree] / degree


def estimate_error(
    problem: DiscreteProblem, w: Array, rate: Array | None = None, time: float = 0.0, decay: float = 0.0
) -> ErrorIndicators | None:
    """Error indicators of a solution; for an evolution equation `rate` is ∂w/∂t, and `decay` · M is added to the
    stationary operator, which may be singular. None if there are no elements of one degree more."""
    fine = enrich(problem)
    if fine is None:
        return None
    old = interpolate(w, problem, fine)
    start = fine.impose(old, time)
    residual, jacobian = fine.assembler.residual(start, time), fine.assembler.jacobian(start, time)
    if rate is not None:
        mass = fine.assembler.mass_matrix(time)
        residual = residual + mass @ interpolate(rate, problem, fine)
        jacobian = jacobian + decay * mass
    new, factorization = start.copy(), fine.factorize(jacobian)
    new[fine.free] -= factorization.solve(residual[fine.free])
    new = fine.with_zero_mean(new) if rate is None else new
    error = new - old
    is_stationary_flow = rate is None and any(t.is_multiplier for t in fine.form.trials)
    cells = (
        _dual_weighted(problem, fine, residual, error, factorization) if is_stationary_flow else _energy(fine, error)
    )
    size = _norm(fine, new)
    return ErrorIndicators(_norm(fine, error) / max(size, 1e-150), cells, size)


def _norm(fine: DiscreteProblem, function: Array) -> float:
    """L2 norm of the components, without a pressure that is not square-integrable."""
    q, d = fine.spaces.cells, fine.mesh.dim()
    values = q.evaluate(function)[:: 1 + d]
    chosen = [
        k
        for k, t in enumerate(fine.form.trials)
        if t.component is not None and t.time_order == 0 and t.component not in fine.not_integrable
    ]
    return float(np.sqrt(sum(float((values[k] ** 2 * q.weights).sum()) for k in chosen)))


def _energy(fine: DiscreteProblem, error: Array) -> Array:
    """The squared norm of the gradients of the error in every cell, without multipliers; of point sources, whose energy
    is infinite in several dimensions, times the squared length of the cell, as for the L2 norm; in H(curl) of the error
    and its curl."""
    q, d = fine.spaces.cells, fine.mesh.dim()
    errors, energy = q.evaluate(error), np.zeros(len(q.weights))
    for k, trial in enumerate(fine.form.trials):
        if not trial.is_multiplier:
            first = (1 + d) * k + (trial.edge_component is None)
            energy += sum((part**2 * q.weights).sum(1) for part in errors[first : (1 + d) * (k + 1)])
    return energy * q.weights.sum(1) ** (2 / d) if fine.form.point_loads else energy


def _dual_weighted(
    problem: DiscreteProblem, fine: DiscreteProblem, residual: Array, error: Array, factorization: Factorization
) -> Array:
    """|r(φᵢ) (z - Iz)ᵢ|, in equal parts for the cells of each basis function φᵢ; z is dual to the velocity's error."""
    right, bases, offsets = fine.assembler.gram_matrix @ error, fine.spaces.bases, fine.spaces.offsets
    for k, trial in enumerate(fine.form.trials):
        if trial.is_multiplier:
            right[offsets[k] : offsets[k + 1]] = 0
    z = np.zeros(len(right))
    z[fine.free] = factorization.solve_transposed(right[fine.free])
    weights = np.zeros(len(right))
    weights[fine.free] = (z - interpolate(interpolate(z, fine, problem), problem, fine))[fine.free]
    terms = np.abs(residual * weights)
    numbers = [b.element_dofs + o for b, o in zip(bases, offsets, strict=False)]
    count = sum(np.bincount(own.ravel(), minlength=len(right)) for own in numbers)
    return np.asarray(sum((terms / count)[own].sum(0) for own in numbers))
