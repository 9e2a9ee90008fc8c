"""Spectral collocation of eigenproblems on boxes: Chebyshev polynomials and, on periodic axes, trigonometric ones.

The coefficients of u are restricted to the null space of the conditions, and A u = λ B u holds at as many Gauss points
as there are coefficients left (rectangular collocation: Driscoll, Hale 2016). The dense pencil is solved by the QZ
algorithm, larger ones by inversion of A - σB. Modes have norm 1 in L2; the first of their large values is positive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
import torch
from sympy import Expr

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.boundary import Face
from pdedsl.ir.eigenproblem import PencilCondition, PencilRow
from pdedsl.ir.solver_plans import EigenCollocationPlan
from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import (
    ChebyshevAxis,
    TensorProductExpansion,
    basis_functions,
    differentiate_coefficients,
)
from pdedsl.solvers.eigen.eigenpairs import (
    Array,
    Complexes,
    EigensolveFailed,
    ResolvedEigenvalues,
    kato_bounds,
    order,
    orthonormalize,
    phase,
    require_real,
    scales,
    select_resolved,
)
from pdedsl.solvers.grid.module_formats import GRID_FORMATS
from pdedsl.solvers.method_result import EigenvalueEstimate, EstimateKind, Levels, SolverResult
from pdedsl.solvers.solver_method import SolverMethod
from pdedsl.symbolic.complex_numbers import real_and_imaginary

SIZES = {
    1: (12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024),
    2: (8, 12, 16, 20, 24, 28, 32, 40, 48),
    3: (6, 8, 10, 12, 14),
}  # points per axis of the levels, by the dimension of space
MAX_UNKNOWNS = 2500  # of a dense pencil: the eigensystem takes half a minute
MAX_QZ_UNKNOWNS = 300  # above, inversion is faster
COARSE_FRACTION = 0.8  # of the points, in the discretization by which spurious eigenvalues are recognised
TAIL_COEFFICIENTS = 3  # last coefficients of an axis, which estimate the omitted ones
INFINITE_EIGENVALUE_RATIO = 1e12  # eigenvalues above, relative to ‖A‖/‖B‖, are infinite up to rounding
SpectralAxis = FourierAxis | ChebyshevAxis


# ---- Discretization


@dataclass(frozen=True)
class CollocatedPencil:
    """The matrices of A and B on the null space of the conditions, for n points per axis."""

    plan: EigenCollocationPlan
    n: int

    @cached_property
    def axes(self) -> tuple[SpectralAxis, ...]:
        problem = self.plan.problem
        axes: list[SpectralAxis] = []
        for k, interval in enumerate(problem.domain.intervals):
            start, end = float(interval.start), float(interval.end)
            periodic = interval.periodic and k not in {p.axis for p in problem.periodic}
            axes.append(
                FourierAxis(start, end - start, max(2, (self.n + 1) // 2))
                if periodic
                else ChebyshevAxis(start, end, self.n)
            )
        return tuple(axes)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(a.modes if isinstance(a, FourierAxis) else a.n for a in self.axes)

    @property
    def components(self) -> int:
        return len(self.plan.eigenproblem.rows)

    @cached_property
    def unknowns(self) -> int:
        if len(self.axes) == 1:
            return int(self.null_spaces[0][0].shape[1])
        return sum(prod(self._reduced_shape(c)) for c in range(self.components))

    def _reduced_shape(self, component: int) -> tuple[int, ...]:
        counts = self.plan.eigenproblem.reduced_counts
        assert counts is not None
        return tuple(size - m for size, m in zip(self.shape, counts[component], strict=True))

    def basis(self, axis: int, points: Array, derivative: int) -> Array:
        """∂ⁿφ at points, (points, functions)."""
        own = self.axes[axis]
        matrix = torch.eye(self.shape[axis], dtype=torch.float64)
        for _ in range(derivative):
            matrix = differentiate_coefficients(own, matrix, 0)
        return np.asarray((basis_functions(own, torch.from_numpy(points)) @ matrix).numpy())

    def _points(self, axis: int, count: int) -> Array:
        """Gauss-Chebyshev points, or equispaced ones on periodic axes."""
        own = self.axes[axis]
        if isinstance(own, FourierAxis):
            return own.start + own.period * np.arange(count) / count
        nodes = np.sin(np.pi * (2 * np.arange(count) - (count - 1)) / (2 * count))
        return own.start + (own.end - own.start) * (nodes + 1) / 2

    # ---- Conditions

    @cached_property
    def null_spaces(self) -> tuple[tuple[Complexes, ...], ...]:
        """For each component and axis, coefficients that satisfy the conditions, in columns; on an interval those of
        all components together."""
        if len(self.axes) == 1:
            whole = self._interval_null_space()
            return tuple((part,) for part in np.split(whole, self.components))
        return tuple(
            tuple(_null_space(self._axis_conditions(c, k)) for k in range(len(self.axes)))
            for c in range(self.components)
        )

    def _interval_null_space(self) -> Complexes:
        rows = [self._condition_row(c) for c in self.plan.eigenproblem.conditions if not c.row.has_eigenvalue]
        for c in range(self.components):
            block = self._periodic_rows(c, 0)
            rows += [np.pad(r, (c * self.shape[0], (self.components - 1 - c) * self.shape[0])) for r in block]
        return _null_space(np.array(rows, complex).reshape(len(rows), self.components * self.shape[0]))

    def _condition_row(self, condition: PencilCondition, slope: bool = False) -> Complexes:
        """A condition of an interval on the coefficients of all components: A, or B if `slope`."""
        row = np.zeros((self.components, self.shape[0]), complex)
        end = np.array([self._end(condition)])
        for term in condition.row.terms:
            (value,) = _evaluate((term.b if slope else term.a,), self.plan, [end])
            row[term.derivative.component] += value[0] * self.basis(0, end, term.derivative.orders[0])[0]
        return row.ravel()

    def _end(self, condition: PencilCondition) -> float:
        assert isinstance(condition.place, Face)
        interval = self.plan.problem.domain.intervals[condition.place.coordinate]
        return float(interval.end if condition.place.upper else interval.start)

    def _axis_conditions(self, component: int, axis: int) -> Complexes:
        rows: list[Complexes] = list(self._periodic_rows(component, axis))
        for condition in self.plan.eigenproblem.conditions:
            terms = condition.row.terms
            if terms[0].derivative.component == component and condition.place in (Face(axis, False), Face(axis, True)):
                end = np.array([self._end(condition)])
                rows.append(sum(complex(t.a) * self.basis(axis, end, t.derivative.orders[axis])[0] for t in terms))
        return np.array(rows, complex).reshape(len(rows), self.shape[axis])

    def _periodic_rows(self, component: int, axis: int) -> list[Complexes]:
        """u(end) = ± u(start) for the derivatives below the order of the equation."""
        problem, size = self.plan.problem, 2 if self.plan.eigenproblem.is_complex else 1
        own = [p for p in problem.periodic if p.axis == axis and p.component == component * size]
        counts = self.plan.eigenproblem.reduced_counts
        assert counts is not None
        interval = problem.domain.intervals[axis]
        ends = np.array([float(interval.start), float(interval.end)])
        tables = (self.basis(axis, ends, k) for k in range(counts[component][axis]))
        return [(t[1] - own[0].sign * t[0]).astype(complex) for t in tables] if own else []

    # ---- Matrices

    @cached_property
    def matrices(self) -> tuple[Complexes, Complexes]:
        problem = self.plan.eigenproblem
        blocks = [self._rows(k, row) for k, row in enumerate(problem.rows)]
        pairs = [block for row in blocks for block in row]
        a, b = (np.concatenate([pair[k] for pair in pairs]) for k in (0, 1))
        if not problem.is_complex:
            a, b = a.real, b.real
        return a, b

    def _rows(self, k: int, row: PencilRow) -> Iterator[tuple[Complexes, Complexes]]:
        """The rows of an equation, and those of conditions of its component that contain the eigenvalue."""
        with_eigenvalue = [
            c
            for c in self.plan.eigenproblem.conditions
            if c.row.has_eigenvalue and c.row.terms[0].derivative.component == k
        ]
        sizes = self._reduced_shape(k)
        points = [self._points(axis, n) for axis, n in enumerate(sizes)]
        grids = [g.ravel() for g in np.meshgrid(*points, indexing="ij")]
        values = _evaluate([e for t in row.terms for e in (t.a, t.b)], self.plan, grids)
        offsets = np.cumsum([0, *(prod(self._reduced_shape(c)) for c in range(self.components))])
        matrices = [np.zeros((len(grids[0]), self.unknowns), complex) for _ in range(2)]
        for term, a, b in zip(row.terms, values[::2], values[1::2], strict=True):
            component = term.derivative.component
            tables = [
                self.basis(axis, points[axis], n) @ self.null_spaces[component][axis]
                for axis, n in enumerate(term.derivative.orders)
            ]
            table = _kronecker(tables)
            own = slice(None) if len(self.axes) == 1 else slice(offsets[component], offsets[component + 1])
            for matrix, value in zip(matrices, (a, b), strict=True):
                if value.any():
                    matrix[:, own] += value[:, None] * table
        yield matrices[0], matrices[1]
        for condition in with_eigenvalue:
            whole = np.concatenate([parts[0] for parts in self.null_spaces])
            yield self._condition_row(condition)[None] @ whole, self._condition_row(condition, True)[None] @ whole

    # ---- Modes

    def coefficients(self, vectors: Complexes) -> Complexes:
        """Coefficients (modes, components, functions, …) from vectors in columns."""
        count = vectors.shape[1]
        if len(self.axes) == 1:
            return np.stack([part[0] @ vectors for part in self.null_spaces]).transpose(2, 0, 1)
        offsets = np.cumsum([0, *(prod(self._reduced_shape(c)) for c in range(self.components))])
        found = []
        for c in range(self.components):
            own = vectors[offsets[c] : offsets[c + 1]].T.reshape(count, *self._reduced_shape(c))
            for axis, space in enumerate(self.null_spaces[c]):
                own = np.moveaxis(np.tensordot(space, own, (1, axis + 1)), 0, axis + 1)
            found.append(own)
        return np.stack(found, 1)

    def quadrature(self) -> tuple[list[Array], Array]:
        """Coordinates and weights of a rule that integrates products of two modes."""
        points, weights = [], []
        for axis, size in zip(self.axes, self.shape, strict=True):
            if isinstance(axis, FourierAxis):
                points.append(axis.start + axis.period * np.arange(2 * size) / (2 * size))
                weights.append(np.full(2 * size, axis.period / (2 * size)))
            else:
                nodes, own = np.polynomial.legendre.leggauss(size + EXTRA_QUADRATURE_POINTS)
                points.append(axis.start + (axis.end - axis.start) * (nodes + 1) / 2)
                weights.append(own * (axis.end - axis.start) / 2)
        grids = [g.ravel() for g in np.meshgrid(*points, indexing="ij")]
        measure = np.asarray(_kronecker([w.astype(complex) for w in weights]).real)
        metric = self.plan.problem.domain.metric
        if metric is not None:
            measure = measure * _evaluate((metric.volume,), self.plan, grids)[0].real
        return grids, measure


EXTRA_QUADRATURE_POINTS = 8  # points more than for products of modes: coefficients in residuals are no polynomials


def _null_space(rows: Complexes) -> Complexes:
    """Orthonormal coefficients for which all rows vanish, in columns; rows are scaled to norm 1."""
    count = rows.shape[0]
    if not count:
        return np.eye(rows.shape[1], dtype=complex)
    scaled = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    _, singular, right = np.linalg.svd(scaled)
    if singular[-1] < RANK_RTOL * singular[0]:
        raise EigensolveFailed("the boundary conditions are linearly dependent")
    return np.asarray(right[count:].conj().T)


RANK_RTOL = 1e-10  # of the singular values of independent conditions


def _evaluate(exprs: Sequence[Expr], plan: EigenCollocationPlan, points: Sequence[Array]) -> list[Complexes]:
    """Complex coefficients at points; raises EigensolveFailed if one is not finite."""
    parts = [part for e in exprs for part in real_and_imaginary(e)]
    values = compile_pointwise(parts, plan.problem.domain.coordinates)(*map(torch.from_numpy, points))
    complex_values = [a.numpy() + 1j * b.numpy() for a, b in zip(values[::2], values[1::2], strict=True)]
    if not all(np.isfinite(v).all() for v in complex_values):
        raise EigensolveFailed("a coefficient is not finite at a collocation point")
    return complex_values


# ---- Eigenvalues


@dataclass(frozen=True)
class Spectrum:
    """All eigenvalues of a pencil and its eigenvectors in columns."""

    pencil: CollocatedPencil
    eigenvalues: Complexes
    vectors: Complexes


def compute_spectrum(pencil: CollocatedPencil, shift: complex | None) -> Spectrum:
    """By the QZ algorithm, or near a shift by inversion."""
    from scipy.linalg import eig, lu_factor, lu_solve

    a, b = pencil.matrices
    if shift is None or len(a) <= MAX_QZ_UNKNOWNS:
        with np.errstate(divide="ignore", invalid="ignore"):
            values, vectors = eig(a, b)
    else:
        own = shift if pencil.plan.eigenproblem.is_complex else shift.real
        inverse, vectors = eig(lu_solve(lu_factor(a - own * b), b))
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.where(inverse != 0, own + 1 / inverse, np.inf)
    limit = INFINITE_EIGENVALUE_RATIO * float(np.linalg.norm(a) / np.linalg.norm(b))
    values = np.where(np.abs(values) < limit, values, np.inf)
    return Spectrum(pencil, np.asarray(values, complex), np.asarray(vectors, complex))


def _result(plan: EigenCollocationPlan, fine: Spectrum, coarse: Spectrum) -> SolverResult:
    """The first eigenpairs with their error estimates."""
    problem, pencil = plan.eigenproblem, fine.pencil
    resolved = select_resolved(fine.eigenvalues, coarse.eigenvalues, problem.direction, plan.modes)
    more = select_resolved(fine.eigenvalues, coarse.eigenvalues, problem.direction, plan.modes + NEIGHBOUR_EIGENVALUES)
    others = fine.eigenvalues[more.indices[len(resolved.indices) :]].real
    if len(resolved.indices) < plan.modes:
        resolved = _unresolved(fine, coarse, problem.direction, plan.modes)
    values, vectors = fine.eigenvalues[resolved.indices], fine.vectors[:, resolved.indices]
    if not problem.is_complex:
        real, own = require_real(values, vectors)
        values, vectors = real.astype(complex), own.astype(complex)
    points, weights = pencil.quadrature()
    coefficients = pencil.coefficients(vectors)
    module = _normalized_module(pencil, values, coefficients, points, weights)
    relative = resolved.differences / scales(values)
    if problem.is_self_adjoint:
        relative = np.maximum(relative, resolved.unresolved)
    refinement = float(relative.max())
    estimates = {EstimateKind.REFINEMENT: max(refinement, ROUNDING)}
    bounds = _residual_bounds(plan, module, values.real, others, points, weights)
    if bounds is not None:
        estimates[EstimateKind.RESIDUAL] = float((bounds / scales(values)).max())
    else:
        estimates[EstimateKind.DECAY] = _decay(module, pencil)
    size = " × ".join(map(str, pencil.shape))
    notes = (f"collocation on {size} points, {pencil.unknowns} unknowns",)
    eigenvalues = tuple(
        EigenvalueEstimate(complex(v), float(max(d, ROUNDING * abs(v))), None if bounds is None else float(bounds[k]))
        for k, (v, d) in enumerate(zip(values, resolved.differences, strict=True))
    )
    method = replace(plan.method, n=pencil.n)
    metrics = {"n": float(pencil.n), "unknowns": float(pencil.unknowns)}
    return SolverResult(module, method, metrics, notes, error_estimates=estimates, eigenvalues=eigenvalues)


NEIGHBOUR_EIGENVALUES = 4  # further eigenvalues, for the gaps
ROUNDING = 1e-15  # smallest relative error in double precision


def _kronecker(tables: Sequence[Complexes]) -> Complexes:
    result = tables[0]
    for table in tables[1:]:
        result = np.asarray(np.kron(result, table), complex)
    return result


def _unresolved(fine: Spectrum, coarse: Spectrum, direction: complex, modes: int) -> ResolvedEigenvalues:
    """The first eigenvalues, whether or not they are resolved, with their differences."""
    finite = np.flatnonzero(np.isfinite(fine.eigenvalues))
    if len(finite) < modes:
        raise EigensolveFailed(f"the discretization has only {len(finite)} finite eigenvalues")
    indices = finite[order(fine.eigenvalues[finite], direction)][:modes]
    known = coarse.eigenvalues[np.isfinite(coarse.eigenvalues)]
    differences = np.abs(fine.eigenvalues[indices, None] - known[None, :]).min(1)
    return ResolvedEigenvalues(indices, differences, 1.0)


def _normalized_module(
    pencil: CollocatedPencil, values: Complexes, coefficients: Complexes, points: list[Array], weights: Array
) -> TensorProductExpansion:
    """The modes with norm 1 in L2, with components (Re u₁, Im u₁, …) of each mode one after the other."""
    count, components = coefficients.shape[:2]
    tables = [pencil.basis(k, np.unique(x), 0) for k, x in enumerate(points)]
    own = coefficients
    for axis, table in enumerate(tables):
        own = np.moveaxis(np.tensordot(table, own, (1, axis + 2)), 0, axis + 2)
    at_points = own.reshape(count, -1).T  # (components · points, modes)
    measure = np.tile(weights, components)
    stacked: Complexes = np.vstack([at_points, coefficients.reshape(count, -1).T])
    mixed = orthonormalize(values, stacked, _weighted(measure))
    at_points, flat = mixed[: len(at_points)], mixed[len(at_points) :]
    phases = np.array([phase(column) for column in at_points.T])
    normalized = (flat * phases).T.reshape(coefficients.shape)
    if pencil.plan.eigenproblem.is_complex:
        normalized = np.stack([normalized.real, normalized.imag], 2).reshape(count * components * 2, *pencil.shape)
    else:
        normalized = normalized.real.reshape(count * components, *pencil.shape)
    stored = torch.from_numpy(np.ascontiguousarray(normalized))[None]
    module = TensorProductExpansion(pencil.axes, torch.zeros_like(stored), None)
    module.coefficients = stored
    return module


def _weighted(measure: Array) -> Callable[[Complexes], Complexes]:
    """⟨·, ·⟩ of values at points; the coefficients below them have weight 0."""

    def multiply(column: Complexes) -> Complexes:
        result = np.zeros_like(column)
        result[: len(measure)] = measure * column[: len(measure)]
        return result

    return multiply


def _residual_bounds(
    plan: EigenCollocationPlan,
    module: TensorProductExpansion,
    values: Array,
    others: Array,
    points: list[Array],
    weights: Array,
) -> Array | None:
    """Bounds from the Rayleigh quotients and their residuals, for self-adjoint problems with a positive weight B, real
    and with one component; otherwise None. `others` are further eigenvalues, which limit the gaps."""
    problem = plan.eigenproblem
    is_weight = len(problem.rows) == 1 and all(not any(t.derivative.orders) for t in problem.rows[0].terms if t.b != 0)
    if not problem.is_self_adjoint or problem.is_complex or not is_weight:
        return None
    terms = problem.rows[0].terms
    coefficients = _evaluate([e for t in terms for e in (t.a, t.b)], plan, points)
    b = np.sum([v.real for v in coefficients[1::2]], axis=0)
    if not (b > 0).all():
        return None
    x = torch.from_numpy(np.stack(points, -1))
    applied, weighted, modes = (np.zeros((len(weights), len(values))) for _ in range(3))
    for term, a in zip(terms, coefficients[::2], strict=True):
        with torch.no_grad():
            derivative = module.differentiate(term.derivative.orders)(x).numpy()
        applied += a.real[:, None] * derivative
        if not any(term.derivative.orders):
            weighted, modes = b[:, None] * derivative, derivative
    measure = weights[:, None]
    norms = (measure * modes * weighted).sum(0)
    quotients = (measure * modes * applied).sum(0) / norms
    residuals = applied - quotients * weighted
    eta = np.sqrt((measure * residuals**2 / b[:, None]).sum(0) / norms)
    bounds: Array = kato_bounds(quotients, eta, others) + np.abs(quotients - values) + ROUNDING * np.abs(values)
    return bounds


def _decay(module: TensorProductExpansion, pencil: CollocatedPencil) -> float:
    """The norm of the last coefficients of the modes along an axis, relative to that of all: the largest one."""
    coefficients = module.coefficients[0].numpy()
    norm = np.sqrt((coefficients**2).sum())
    tails = []
    for k, axis in enumerate(pencil.axes):
        size = coefficients.shape[k + 1]
        last = list(range(size - TAIL_COEFFICIENTS, size))
        if isinstance(axis, FourierAxis):  # cosines, then sines
            last += range(axis.half - TAIL_COEFFICIENTS, axis.half)
        tails.append(np.sqrt((np.take(coefficients, last, k + 1) ** 2).sum()) / norm)
    return float(max(tails))


# ---- The method


def _sizes(plan: EigenCollocationPlan) -> Iterator[int]:
    for n in SIZES[len(plan.problem.domain.space)]:
        if CollocatedPencil(plan, n).unknowns <= MAX_UNKNOWNS:
            yield n


def levels_by_collocation(plan: EigenCollocationPlan) -> Levels:
    """Results on successively larger grids, each compared with the one before."""
    coarse: Spectrum | None = None
    shift: complex | None = None
    for n in _sizes(plan):
        pencil = CollocatedPencil(plan, n)
        if pencil.unknowns < 2 * plan.modes:
            continue
        fine = compute_spectrum(pencil, shift)
        if coarse is not None:
            result = _result(plan, fine, coarse)
            yield result
            shift = _shift([e.value for e in result.eigenvalues], plan.eigenproblem.direction)
        coarse = fine


def _shift(values: Sequence[complex], direction: complex) -> complex:
    """Near the first eigenvalue, outside of the spectrum if it has a direction."""
    spacing = abs(values[-1] - values[0]) / len(values)
    return values[0] - (direction or 1) * max(0.1 * spacing, 1e-3 * abs(values[0]))


def solve_by_collocation(plan: EigenCollocationPlan) -> SolverResult:
    """The eigenpairs on a grid of stated size."""
    pencil = CollocatedPencil(plan, plan.method.n)
    if pencil.unknowns > MAX_UNKNOWNS:
        raise EigensolveFailed(f"more than {MAX_UNKNOWNS} unknowns: use a smaller n, or elements")
    if pencil.unknowns < plan.modes:
        raise EigensolveFailed(f"the grid has fewer unknowns than the {plan.modes} modes: use a larger n")
    coarse = compute_spectrum(CollocatedPencil(plan, max(4, round(COARSE_FRACTION * plan.method.n))), None)
    return _result(plan, compute_spectrum(pencil, None), coarse)


METHOD = SolverMethod[EigenCollocationPlan](
    lambda plan, options: solve_by_collocation(plan),
    lambda plan, options: levels_by_collocation(plan),
    GRID_FORMATS,
)
