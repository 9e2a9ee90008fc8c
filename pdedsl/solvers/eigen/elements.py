"""Finite elements for eigenproblems: the pencil of the weak form, by shifted inversion on adaptively refined meshes.

Lanczos' method applies to symmetric pencils with semidefinite B, Arnoldi's to others (Lehoucq, Sorensen, Yang 1998).
The eigenvalues in the space of one degree more estimate the errors, and the differences of the modes mark elements.

In H(curl) the gradients are eigenfunctions of ∇×∇× with the eigenvalue 0. With Nédélec elements these eigenvalues are
zero up to rounding errors, and left out; the others have no spurious modes (Boffi 2010, sec. 5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csc_matrix
from skfem import Mesh
from sympy import Expr, S, Symbol

from pdedsl.ir.solver_plans import EigenElementsPlan
from pdedsl.ir.weak_form import WeakForm
from pdedsl.solvers.eigen.eigenpairs import (
    Array,
    Complexes,
    EigensolveFailed,
    order,
    orthonormalize,
    phase,
    require_real,
    scales,
)
from pdedsl.solvers.elements.direct_solver import Factorization
from pdedsl.solvers.elements.discrete_problem import DiscreteProblem
from pdedsl.solvers.elements.driver import (
    ELEMENTS_FORMATS,
    component_trials,
    default_mesh,
    degrees_of,
    first_mesh,
    make_mode_module,
    next_mesh,
)
from pdedsl.solvers.elements.error_indicators import ErrorIndicators, enrich, interpolate
from pdedsl.solvers.elements.spaces import Indices
from pdedsl.solvers.method_result import EigenvalueEstimate, EstimateKind, Levels, SolverResult
from pdedsl.solvers.solver_method import SolverMethod

MAX_DENSE = 1500  # unknowns of the first mesh, whose whole spectrum determines the shift
GRADIENT_RTOL = 1e-8  # of the eigenvalues of gradients, relative to those of the elements: rounding errors are smaller
GRADIENT_SHIFT = 0.9  # of the first eigenvalue: next to it, and positive
EXTRA_EIGENVALUES = 4  # eigenvalues besides the modes: those next to the shift are not always the first ones
SYMMETRY_RTOL = 1e-10  # rounding errors of the assembly are smaller
CLUSTER_RTOL = 1e-3  # of discrete eigenvalues of one multiple eigenvalue on coarse meshes
SAFETY_FACTOR = 1.25  # on errors from differences of three levels: the grid convergence index of Roache (1994)
ROUNDING = 1e-14  # smallest relative error of a sparse eigensolver


# ---- Pencil


def split_form(form: WeakForm, eigenvalue: Sequence[Symbol]) -> tuple[WeakForm, WeakForm]:
    """The weak forms of A and B of A - λB."""
    zero = dict.fromkeys(eigenvalue, S.Zero)

    def apply(change: Callable[[Expr], Expr]) -> WeakForm:
        equations = (replace(w, fluxes=tuple(map(change, w.fluxes)), source=change(w.source)) for w in form.equations)
        integrals = (replace(b, integrand=change(b.integrand)) for b in form.boundary_integrals)
        return replace(form, equations=tuple(equations), boundary_integrals=tuple(integrals))

    return apply(lambda e: e.xreplace(zero)), apply(lambda e: -e.diff(eigenvalue[0]).xreplace(zero))


@dataclass(frozen=True)
class GalerkinPencil:
    """The matrices of A and B in the space of a discrete problem without its essential degrees of freedom."""

    plan: EigenElementsPlan
    problem: DiscreteProblem

    @cached_property
    def _parts(self) -> tuple[DiscreteProblem, DiscreteProblem]:
        eigenvalue = self.plan.problem.eigenvalue
        assert eigenvalue is not None
        a, b = split_form(self.problem.form, eigenvalue.parts)
        return replace(self.problem, form=a), replace(self.problem, form=b)

    @cached_property
    def free_indices(self) -> tuple[Indices, ...]:
        """The free indices of real functions; or of real parts, and of imaginary parts in the same order."""
        free = self.problem.free
        if not self.plan.eigenproblem.is_complex:
            return (free,)
        offsets = self.problem.spaces.offsets
        trial = np.searchsorted(offsets, free, side="right") - 1
        return free[trial % 2 == 0], free[trial % 2 == 1]

    @cached_property
    def matrices(self) -> tuple[csc_matrix, csc_matrix]:
        zero = np.zeros(self.problem.spaces.size)
        pair = [part.assembler.jacobian(zero) for part in self._parts]
        columns = self.free_indices[0]
        if len(self.free_indices) == 2:
            a, b = (m[columns][:, columns] + 1j * m[self.free_indices[1]][:, columns] for m in pair)
        else:
            a, b = (m[columns][:, columns] for m in pair)
        sign = -1 if b.diagonal().real.sum() < 0 else 1
        return csc_matrix(sign * a), csc_matrix(sign * b)

    @cached_property
    def is_symmetric(self) -> bool:
        def symmetric(m: csc_matrix) -> bool:
            return bool(abs(m - m.T).max() <= SYMMETRY_RTOL * abs(m).max())

        return not self.plan.eigenproblem.is_complex and all(map(symmetric, self.matrices))

    @cached_property
    def gram(self) -> csc_matrix:
        """The L2 inner product of the components."""
        trials = self.problem.form.trials
        matrix = self._parts[0].assembler.gram_matrix.tolil()
        offsets = self.problem.spaces.offsets
        for k, trial in enumerate(trials):
            if trial.component is None:
                matrix[offsets[k] : offsets[k + 1]] = 0
        columns = self.free_indices[0]
        return csc_matrix(matrix)[columns][:, columns]

    def expand(self, vector: Complexes) -> list[Array]:
        """A vector of free indices as functions of the discrete problem."""
        result = np.zeros(self.problem.spaces.size)
        for indices, part in zip(self.free_indices, (vector.real, vector.imag), strict=False):
            result[indices] = part
        return [result]


def compute_eigenpairs(pencil: GalerkinPencil, count: int, shift: complex | None) -> tuple[Complexes, Complexes]:
    """The first eigenpairs of a pencil: all of a small one, otherwise those next to the shift."""
    from scipy.linalg import eig
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs, eigsh

    a, b = pencil.matrices
    size, direction = a.shape[0], pencil.plan.eigenproblem.direction
    has_gradients = pencil.problem.form.has_edge_elements
    wanted = count + EXTRA_EIGENVALUES
    if size < wanted + 2 or (shift is None and size <= MAX_DENSE):
        with np.errstate(divide="ignore", invalid="ignore"):
            values, vectors = eig(a.toarray(), b.toarray())
        values = np.where(np.abs(values) < INFINITE_EIGENVALUE_RATIO * abs(a).max() / abs(b).max(), values, np.inf)
    else:
        near = shift if shift is not None else -direction * float(np.median(np.abs(a.diagonal() / b.diagonal()))) * 1e-3
        near = near if pencil.plan.eigenproblem.is_complex else near.real
        order_of = pencil.problem.elimination_order.select(pencil.free_indices[0])
        solve = Factorization(csc_matrix(a - near * b), order_of).solve
        inverse = LinearOperator(a.shape, matvec=solve, dtype=a.dtype)
        start = np.ones(size) + np.linspace(0, 1, size)  # fixed, so that results are reproducible
        if has_gradients and shift is None:
            raise EigensolveFailed("the first mesh is too fine for modes in H(curl): use a coarser one")
        try:
            method = eigsh if pencil.is_symmetric else eigs
            if has_gradients:  # with the eigenvalues λ/(λ - σ)², which are zero for gradients
                twice = LinearOperator(a.shape, matvec=lambda v: solve(a @ solve(v)), dtype=a.dtype)
                _, vectors = method(a, wanted, b, sigma=near, OPinv=twice, v0=start)
                values = np.array([(v.conj() @ (a @ v)) / (v.conj() @ (b @ v)) for v in vectors.T])
            else:
                values, vectors = method(a, wanted, b, sigma=near, OPinv=inverse, v0=start)
        except (ArpackNoConvergence, ArpackError) as error:
            raise EigensolveFailed(f"the eigensolver did not converge ({error})") from None
    finite = np.flatnonzero(np.isfinite(values))
    if has_gradients:
        finite = finite[np.abs(values[finite]) > GRADIENT_RTOL * np.median(np.abs(a.diagonal() / b.diagonal()))]
    chosen = finite[order(np.asarray(values, complex)[finite], direction)][:count]
    if len(chosen) < count:
        raise EigensolveFailed(f"the discretization has only {len(chosen)} finite eigenvalues")
    return np.asarray(values[chosen], complex), np.asarray(vectors[:, chosen], complex)


INFINITE_EIGENVALUE_RATIO = 1e12  # eigenvalues above, relative to the entries of A and B, are infinite up to rounding


# ---- One level


@dataclass(frozen=True)
class EigenLevel:
    """Eigenpairs on a mesh, their error estimates, and the indicators of the elements."""

    pencil: GalerkinPencil
    eigenvalues: Complexes
    vectors: Complexes
    estimates: Array | None  # of the absolute errors, by the enriched space
    indicators: ErrorIndicators | None


def solve_level(plan: EigenElementsPlan, mesh: Mesh, shift: complex | None) -> EigenLevel:
    pencil = GalerkinPencil(plan, DiscreteProblem(plan.weak_form, mesh, degrees_of(plan)))
    values, vectors = compute_eigenpairs(pencil, plan.modes, shift)
    if not plan.eigenproblem.is_complex:
        real, own = require_real(values, vectors)
        values, vectors = real.astype(complex), own.astype(complex)
    vectors = orthonormalize(values, vectors, lambda v: pencil.gram @ v)
    fine = enrich(pencil.problem)
    if fine is None:
        return EigenLevel(pencil, values, vectors, None, None)
    rich = GalerkinPencil(plan, fine)
    near = next_shift(plan, values)
    better, functions = compute_eigenpairs(rich, plan.modes + 1, near)
    estimates = np.abs(values[:, None] - better[None, :]).min(1)
    return EigenLevel(pencil, values, vectors, estimates, _indicators(pencil, rich, values, vectors, better, functions))


def next_shift(plan: EigenElementsPlan, values: Complexes) -> complex:
    """Outside of the spectrum, next to the first eigenvalue; in H(curl) between the gradients and the modes."""
    if plan.weak_form.has_edge_elements:
        return complex(GRADIENT_SHIFT * values[0])
    direction, spacing = plan.eigenproblem.direction, abs(values[-1] - values[0]) / len(values)
    return complex(values[0] - (direction or 1) * max(0.3 * spacing, 0.05 * abs(values[0]), 1e-6 * abs(values[-1])))


def _indicators(
    coarse: GalerkinPencil,
    fine: GalerkinPencil,
    values: Complexes,
    vectors: Complexes,
    better: Complexes,
    functions: Complexes,
) -> ErrorIndicators:
    """The squared energy norms, cell by cell, of the parts of modes that are orthogonal to the eigenfunctions of nearly
    the same eigenvalues in the enriched space; relative to the eigenvalues."""
    q, d = fine.problem.spaces.cells, fine.problem.mesh.dim()
    cells, squares = np.zeros(len(q.weights)), 0.0
    scale = scales(values)
    for k, value in enumerate(values):
        near = np.abs(better - value) <= max(CLUSTER_RTOL, 2 * np.abs(better - value).min() / scale[k]) * scale[k]
        span, _ = np.linalg.qr(functions[:, near])
        own = np.concatenate(
            [interpolate(w, coarse.problem, fine.problem)[:, None] for w in coarse.expand(vectors[:, k])], 1
        )
        start = own[fine.free_indices[0], 0] + (1j * own[fine.free_indices[1], 0] if len(fine.free_indices) == 2 else 0)
        product = fine.gram @ span
        coefficients = np.linalg.lstsq(span.conj().T @ product, product.conj().T @ start, rcond=None)[0]
        error = start - span @ coefficients
        for part in fine.expand(error):
            jets = q.evaluate(part)
            for trial in range(len(fine.problem.form.trials)):
                for gradient in jets[(1 + d) * trial + 1 : (1 + d) * (trial + 1)]:
                    cells += (gradient**2 * q.weights).sum(1) / scale[k]
        squares += float(abs(error.conj() @ (fine.gram @ error)))
    return ErrorIndicators(float(np.sqrt(squares / len(values))), cells)


def make_result(plan: EigenElementsPlan, history: Sequence[EigenLevel]) -> SolverResult:
    """The result of the last level; its errors by the enriched space and by the previous levels."""
    level, pencil = history[-1], history[-1].pencil
    scale = scales(level.eigenvalues)
    estimates: dict[EstimateKind, float] = {}
    errors = np.full(plan.modes, np.nan)
    if level.estimates is not None:
        errors = level.estimates
        estimates[EstimateKind.RESIDUAL] = max(float((errors / scale).max()), ROUNDING)
    if len(history) > 1:
        differences = _differences(history[-2], level)
        ratio = 1.0
        if len(history) > 2:
            rate = differences.max() / max(_differences(history[-3], history[-2]).max(), np.finfo(float).tiny)
            ratio = min(1.0, SAFETY_FACTOR * rate / (1 - rate)) if rate < 1 else 1.0
        errors = np.fmax(errors, ratio * differences)
        estimates[EstimateKind.REFINEMENT] = max(float((ratio * differences / scale).max()), ROUNDING)
    modes = [w for column in _with_phases(pencil, level.vectors).T for w in pencil.expand(column)]
    module = make_mode_module(pencil.problem, modes)
    eigenvalues = tuple(
        EigenvalueEstimate(complex(v), float(np.nan_to_num(max(e, ROUNDING * abs(v)), nan=np.inf)))
        for v, e in zip(level.eigenvalues, errors, strict=True)
    )
    cells, size = pencil.problem.mesh.nelements, pencil.problem.spaces.size
    notes = (f"{cells:,} elements, {size:,} unknowns",)
    metrics = {"elements": float(cells), "unknowns": float(size)}
    return SolverResult(module, plan.method, metrics, notes, error_estimates=estimates, eigenvalues=eigenvalues)


def _differences(coarse: EigenLevel, fine: EigenLevel) -> Array:
    return np.asarray(np.abs(fine.eigenvalues[:, None] - coarse.eigenvalues[None, :]).min(1))


def _with_phases(pencil: GalerkinPencil, vectors: Complexes) -> Complexes:
    """The first of the large values of each mode, in the order of the coordinates, is positive."""
    q, d = pencil.problem.spaces.cells, pencil.problem.mesh.dim()
    places = np.lexsort([x.ravel() for x in reversed(q.coordinates)])
    trials = component_trials(pencil.problem)
    result = vectors.copy()
    for k, column in enumerate(vectors.T):
        (whole,) = pencil.expand(column)
        jets = q.evaluate(whole)
        values = [jets[(1 + d) * t].ravel()[places] for t in trials]
        if pencil.plan.eigenproblem.is_complex:
            values = [a + 1j * b for a, b in zip(values[::2], values[1::2], strict=True)]
        result[:, k] *= phase(np.concatenate(values).astype(complex))
    return result


# ---- The method


def levels_by_elements(plan: EigenElementsPlan) -> Levels:
    """Eigenpairs on successively finer meshes."""
    mesh: Mesh | None = first_mesh(plan)
    history: list[EigenLevel] = []
    shift: complex | None = None
    while mesh is not None:
        level = solve_level(plan, mesh, shift)
        history.append(level)
        yield make_result(plan, history)
        shift = next_shift(plan, level.eigenvalues)
        mesh = next_mesh(plan, mesh, level.indicators)


def solve_by_elements(plan: EigenElementsPlan) -> SolverResult:
    """Eigenpairs on a mesh with edges of length `h`."""
    level = solve_level(plan, first_mesh(replace(plan, method=replace(plan.method, h=None))), None)
    shift = next_shift(plan, level.eigenvalues)
    return make_result(plan, [level, solve_level(plan, default_mesh(plan), shift)])


METHOD = SolverMethod[EigenElementsPlan](
    lambda plan, options: solve_by_elements(plan),
    lambda plan, options: levels_by_elements(plan),
    ELEMENTS_FORMATS,
)
