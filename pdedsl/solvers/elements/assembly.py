"""Assembly of a weak form: residual vector, Jacobian and mass matrix, with derivatives of the integrands by sympy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy.sparse import coo_matrix, csc_matrix
from skfem import Mesh
from sympy import Expr, S, Symbol

from pdedsl.codegen.pointwise import PointwiseFunction, compile_pointwise
from pdedsl.ir.boundary import Place
from pdedsl.ir.problem import Domain
from pdedsl.ir.weak_form import WeakForm
from pdedsl.solvers.elements.mesh import facets_of
from pdedsl.solvers.elements.spaces import Array, ElementSpaces, Indices, Quadrature

# ---- Functions of integrands


@dataclass(frozen=True)
class Integrands:
    """Functions of one region: entries (test trial, test derivative, integrand), and their derivatives by jets.

    The test derivative is 0 for v and 1 + i for ∂v/∂xᵢ.
    """

    symbols: tuple[Symbol, ...]  # coordinates, time, normal, jets
    time: Symbol
    jets: tuple[tuple[int, int, Symbol], ...]  # trial function, derivative, symbol
    entries: tuple[tuple[int, int, Expr], ...]

    @cached_property
    def function(self) -> PointwiseFunction:
        return compile_pointwise([e for *_, e in self.entries], self.symbols)

    @cached_property
    def jacobian_entries(self) -> tuple[tuple[int, int, int, int, Expr], ...]:
        """Test trial, test derivative, trial, derivative, and the coefficient."""
        return tuple(
            (test, a, trial, b, derivative)
            for test, a, e in self.entries
            for trial, b, s in self.jets
            if s in e.free_symbols and (derivative := e.diff(s)) != 0
        )

    @cached_property
    def jacobian(self) -> PointwiseFunction:
        return compile_pointwise([e for *_, e in self.jacobian_entries], self.symbols)

    @cached_property
    def time_derivative(self) -> tuple[tuple[int, int, Expr], ...]:
        """∂/∂t of the integrands, for fixed trial functions."""
        return tuple((k, a, d) for k, a, e in self.entries if (d := e.diff(self.time)) != 0)


def evaluate(function: PointwiseFunction, arguments: Sequence[Array]) -> list[Array]:
    return [v.numpy() for v in function(*(torch.from_numpy(np.ascontiguousarray(a)) for a in arguments))]


# ---- Regions


@dataclass(frozen=True)
class RegionIntegrals:
    """The domain or a part of its boundary: its quadrature, and the integrands on it."""

    quadrature: Quadrature
    integrands: Integrands

    def arguments(self, vector: Array, time: float, dimension: int) -> list[Array]:
        q = self.quadrature
        shape = q.weights.shape
        normals = list(q.normals) if q.normals is not None else [np.zeros(shape)] * dimension
        return [*q.coordinates, np.full(shape, time), *normals, *q.evaluate(vector)]


class Assembler:
    """Residual r(w, t), Jacobian ∂r/∂w and mass matrix M of M ∂w/∂t + r(w, t) = 0, before essential conditions."""

    def __init__(self, form: WeakForm, spaces: ElementSpaces, facets: Sequence[Indices]) -> None:
        """`facets` are those of each boundary integral."""
        self.form, self.spaces = form, spaces
        self._linear_part: tuple[csc_matrix, Array] | None = None
        self.dimension = len(form.domain.space)
        volume = [
            (e.trial, a, integrand)
            for e in form.equations
            for a, integrand in enumerate((e.source, *e.fluxes))
            if integrand != 0
        ]
        self.regions = [RegionIntegrals(spaces.cells, self._integrands(volume))]
        for integral, numbers in zip(form.boundary_integrals, facets, strict=True):
            if len(numbers):
                entries = [(integral.trial, 0, integral.integrand)]
                self.regions.append(RegionIntegrals(spaces.facets(numbers), self._integrands(entries)))

    def _integrands(self, entries: Sequence[tuple[int, int, Expr]]) -> Integrands:
        form, domain = self.form, self.form.domain
        time = domain.coordinates[-1] if domain.has_time else Symbol("time_of_stationary_problem", real=True)
        jets = tuple((k, a, s) for k, own in enumerate(form.jet_symbols) for a, s in enumerate(own))
        symbols = (*domain.space, time, *form.normal, *(s for *_, s in jets))
        return Integrands(symbols, time, jets, tuple(entries))

    @cached_property
    def is_linear_and_autonomous(self) -> bool:
        """Whether r is affine in w, with a matrix and an inhomogeneity that do not depend on time."""
        exprs = (
            *(e for region in self.regions for *_, e in region.integrands.entries),
            *(load.strength for load in self.form.point_loads),
        )
        return self.form.is_linear and not any(self.regions[0].integrands.time in e.free_symbols for e in exprs)

    def residual(self, vector: Array, time: float = 0.0) -> Array:
        if self.is_linear_and_autonomous:
            if self._linear_part is None:
                zero = np.zeros(self.spaces.size)
                self._linear_part = self._assemble_jacobian(zero, time), self._assemble_residual(zero, time)
            matrix, inhomogeneity = self._linear_part
            return np.asarray(matrix @ vector + inhomogeneity)
        return self._assemble_residual(vector, time)

    def jacobian(self, vector: Array, time: float = 0.0) -> csc_matrix:
        if self.is_linear_and_autonomous:
            self.residual(vector, time)
            assert self._linear_part is not None
            return self._linear_part[0]
        return self._assemble_jacobian(vector, time)

    def _assemble_residual(self, vector: Array, time: float) -> Array:
        total = np.zeros(self.spaces.size)
        for region in self.regions:
            values = evaluate(region.integrands.function, region.arguments(vector, time, self.dimension))
            for (test, a, _), value in zip(region.integrands.entries, values, strict=True):
                self._add_vector(total, region.quadrature, test, a, value)
        return total + self._point_load_vector(time, [load.strength for load in self.form.point_loads])

    @cached_property
    def _point_values(self) -> list[Array]:
        """The values of all basis functions at the point of each point source."""
        spaces, found = self.spaces, []
        for load in self.form.point_loads:
            values = np.zeros(spaces.size)
            own = slice(spaces.offsets[load.trial], spaces.offsets[load.trial + 1])
            values[own] = spaces.bases[load.trial].probes(np.array(load.point)[:, None]).toarray()[0]
            found.append(values)
        return found

    def _point_load_vector(self, time: float, strengths: Sequence[Expr]) -> Array:
        """Σ strength · v(point)."""
        total, t = np.zeros(self.spaces.size), self.form.domain.coordinates[-1:]
        for values, strength in zip(self._point_values, strengths, strict=True):
            (factor,) = evaluate(compile_pointwise([strength], t), [np.array([time])])
            total += float(factor[0]) * values
        return total

    def _add_vector(self, total: Array, q: Quadrature, test: int, derivative: int, value: Array) -> None:
        local = np.einsum("cqf,cq->fc", q.shapes[test][derivative], value * q.weights)
        total += np.bincount(q.dofs[test].ravel(), local.ravel(), len(total))

    def time_derivative(self, vector: Array, time: float) -> Array:
        """∂r/∂t for a fixed w."""
        total = np.zeros(self.spaces.size)
        for region in self.regions:
            entries = region.integrands.time_derivative
            if entries:
                function = compile_pointwise([e for *_, e in entries], region.integrands.symbols)
                values = evaluate(function, region.arguments(vector, time, self.dimension))
                for (test, a, _), value in zip(entries, values, strict=True):
                    self._add_vector(total, region.quadrature, test, a, value)
        clock = self.regions[0].integrands.time
        return total + self._point_load_vector(time, [load.strength.diff(clock) for load in self.form.point_loads])

    def _assemble_jacobian(self, vector: Array, time: float) -> csc_matrix:
        blocks: list[tuple[Array, Indices, Indices]] = []
        for region in self.regions:
            entries = region.integrands.jacobian_entries
            if entries:
                values = evaluate(region.integrands.jacobian, region.arguments(vector, time, self.dimension))
                blocks += _element_matrices(region.quadrature, entries, values)
        return self._matrix(blocks)

    def mass_matrix(self, time: float = 0.0) -> csc_matrix:
        """Coefficients of ∂w/∂t."""
        masses = [(e.trial, 0, k, 0, m) for e in self.form.equations for k, m in enumerate(e.masses) if m != 0]
        if not masses:
            return csc_matrix((self.spaces.size,) * 2)
        region = self.regions[0]
        function = compile_pointwise([m for *_, m in masses], region.integrands.symbols)
        values = evaluate(function, region.arguments(np.zeros(self.spaces.size), time, self.dimension))
        return self._matrix(list(_element_matrices(region.quadrature, masses, values)))

    @cached_property
    def gram_matrix(self) -> csc_matrix:
        """∫ u v of every trial function, with the volume element."""
        q, domain = self.spaces.cells, self.form.domain
        entries = [(k, 0, k, 0, S.One) for k in range(len(self.form.trials))]
        weight = np.ones(q.weights.shape)
        if domain.metric is not None:
            (weight,) = evaluate(compile_pointwise([domain.metric.volume], domain.space), list(q.coordinates))
        return self._matrix(list(_element_matrices(q, entries, [weight] * len(entries))))

    def _matrix(self, blocks: Sequence[tuple[Array, Indices, Indices]]) -> csc_matrix:
        data, rows, columns = (
            np.concatenate([np.ravel(part) for part in parts]) for parts in zip(*blocks, strict=True)
        )
        return coo_matrix((data, (rows, columns)), shape=(self.spaces.size,) * 2).tocsc()


def _element_matrices(
    q: Quadrature, entries: Sequence[tuple[int, int, int, int, Expr]], values: Sequence[Array]
) -> Iterator[tuple[Array, Indices, Indices]]:
    """Element matrices (cells, i, j) with the indices of rows and columns, one for each pair of trial functions."""
    pairs: dict[tuple[int, int], dict[int, Array]] = {}
    for (test, a, trial, b, _), value in zip(entries, values, strict=True):
        terms = pairs.setdefault((test, trial), {})
        term = (value * q.weights)[..., None] * q.shapes[trial][b]
        terms[a] = terms[a] + term if a in terms else term
    for (test, trial), terms in pairs.items():
        matrices = sum(q.shapes[test][a].transpose(0, 2, 1) @ term for a, term in terms.items())
        shape = matrices.shape
        rows = np.broadcast_to(q.dofs[test].T[:, :, None], shape)
        columns = np.broadcast_to(q.dofs[trial].T[:, None, :], shape)
        yield matrices, rows, columns


# ---- Boundary


def boundary_facets(domain: Domain, mesh: Mesh, place: Place, part: Sequence[Expr]) -> Indices:
    """Numbers of the facets on a place whose midpoints satisfy every g > 0 of the part."""
    facets = facets_of(mesh, place).astype(np.int64)
    if part and len(facets):
        middle = list(mesh.p[:, mesh.facets[:, facets]].mean(1))
        positive = [v > 0 for v in evaluate(compile_pointwise(list(part), domain.space), middle)]
        facets = facets[np.all(positive, axis=0)]
    return facets
