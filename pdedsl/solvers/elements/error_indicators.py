"""Implicit residual error estimator: the residual equation in the space of one degree more.

With the solution w of degree p, the correction e of one Newton step in the space of degree p + 1 estimates the error
(Bank, Weiser 1985; Ainsworth, Oden 2000, ch. 5). For an evolution equation the correction of the stationary problem
with the source -M ∂w/∂t is the error of the elliptic reconstruction (Makridakis, Nochetto 2003).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from skfem import Basis

from pdedsl.solvers.elements.discrete_problem import DiscreteProblem, factorize
from pdedsl.solvers.elements.spaces import MAX_DEGREE, Array, Indices

MARKED_FRACTION = 0.5  # of the squared estimate, in the marked elements (Dörfler 1996)


@dataclass(frozen=True)
class ErrorIndicators:
    """Relative L2 norm of the error of all components, and the indicator of each cell: the squared energy norm of the
    error. In flows it is that of the velocity, plus the squared L2 norm, both relative to their sums: the energy norm
    alone is largest at corners, where it does not decrease if the boundary values are discontinuous.
    """

    relative_error: float
    cells: Array

    def mark(self) -> Indices:
        """The smallest set of cells with `MARKED_FRACTION` of the sum of squares."""
        order = np.argsort(-self.cells)
        total = np.cumsum(self.cells[order])
        return order[: int(np.searchsorted(total, MARKED_FRACTION * total[-1])) + 1]


def enrich(problem: DiscreteProblem) -> DiscreteProblem | None:
    """The same problem with elements of one degree more; None if there are none."""
    degrees = tuple(p + 1 for p in problem.degrees)
    limit = MAX_DEGREE[problem.mesh.dim()]
    return DiscreteProblem(problem.form, problem.mesh, degrees) if max(degrees) <= limit else None


def prolongate(w: Array, coarse: DiscreteProblem, fine: DiscreteProblem) -> Array:
    """The same functions in a space of higher degree, on the same mesh."""
    result = np.zeros(fine.spaces.size)
    for k, (low, high) in enumerate(zip(coarse.spaces.bases, fine.spaces.bases, strict=True)):
        own = slice(coarse.spaces.offsets[k], coarse.spaces.offsets[k + 1])
        values = _change_basis(low, high) @ w[own][low.element_dofs]  # (functions, cells)
        result[high.element_dofs + fine.spaces.offsets[k]] = values
    return result


def _change_basis(low: Basis, high: Basis) -> Array:
    """Coefficients of the basis functions of an element in those of an element of higher degree."""
    points = lattice(high.mesh.dim(), high.elem.maxdeg)
    tables = [
        np.stack([b.elem.lbasis(points, i)[0] * np.ones(points.shape[1]) for i in range(b.Nbfun)], 1)
        for b in (low, high)
    ]
    return np.asarray(np.linalg.lstsq(tables[1], tables[0], rcond=None)[0])


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
    old = prolongate(w, problem, fine)
    start = fine.impose(old, time)
    residual, jacobian = fine.assembler.residual(start, time), fine.assembler.jacobian(start, time)
    if rate is not None:
        mass = fine.assembler.mass_matrix(time)
        residual = residual + mass @ prolongate(rate, problem, fine)
        jacobian = jacobian + decay * mass
    new = start.copy()
    new[fine.free] -= factorize(jacobian[fine.free][:, fine.free])(residual[fine.free])
    new = fine.with_zero_mean(new) if rate is None else new
    return _indicators(fine, new, new - old)


def _indicators(fine: DiscreteProblem, solution: Array, error: Array) -> ErrorIndicators:
    q, form, d = fine.spaces.cells, fine.form, fine.mesh.dim()
    values, errors = q.evaluate(solution), q.evaluate(error)
    energy, values_only, squares, size = np.zeros(len(q.weights)), np.zeros(len(q.weights)), 0.0, 0.0
    is_flow = any(t.is_multiplier for t in form.trials)
    for k, trial in enumerate(form.trials):
        value, own = values[(1 + d) * k], errors[(1 + d) * k : (1 + d) * (k + 1)]
        if not trial.is_multiplier:
            energy += sum((part**2 * q.weights).sum(1) for part in own[1:])
            values_only += (own[0] ** 2 * q.weights).sum(1)
        elif fine.has_discontinuous_data:
            continue
        if trial.component is not None and trial.time_order == 0:
            squares += float((own[0] ** 2 * q.weights).sum())
            size += float((value**2 * q.weights).sum())
    cells = energy / max(energy.sum(), 1e-300) + values_only / max(values_only.sum(), 1e-300) if is_flow else energy
    return ErrorIndicators(float(np.sqrt(squares / max(size, 1e-300))), cells)
