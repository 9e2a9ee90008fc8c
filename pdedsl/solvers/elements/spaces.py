"""Spaces of Lagrange elements on one mesh: a scalar space for each trial function, with a common quadrature rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from skfem import (
    Basis,
    ElementLineP1,
    ElementLineP2,
    ElementLinePp,
    ElementTetN1,
    ElementTetP1,
    ElementTetP2,
    ElementTriN1,
    ElementTriN2,
    ElementTriN3,
    ElementTriP1,
    ElementTriP2,
    ElementTriP3,
    ElementTriP4,
    FacetBasis,
    Mesh,
)
from skfem.assembly import Dofs
from skfem.element import DiscreteField, Element

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MAX_DEGREE = {1: 8, 2: 4, 3: 2}  # of the elements of scikit-fem, by the dimension of space


def lagrange_element(dimension: int, degree: int) -> Element:
    """Continuous piecewise polynomials; in one dimension of any degree, with hierarchical bubbles."""
    match dimension, degree:
        case 1, 1:
            return ElementLineP1()
        case 1, 2:
            return ElementLineP2()
        case 1, _:
            return ElementLinePp(degree)
        case 2, _:
            return (ElementTriP1, ElementTriP2, ElementTriP3, ElementTriP4)[degree - 1]()
        case _:
            return (ElementTetP1, ElementTetP2)[degree - 1]()


class ElementTriN3OnFacets(ElementTriN3):  # type: ignore[misc]
    """Nédélec's element of third order, also at points that differ from cell to cell, as on facets."""

    def gbasis(self, mapping: Any, points: Array, i: int, tind: Any = None) -> tuple[DiscreteField]:
        if points.ndim == 2:
            return super().gbasis(mapping, points, i, tind)  # type: ignore[no-any-return]
        patterns, inverse = np.unique(points.transpose(1, 0, 2).round(12), axis=0, return_inverse=True)
        value, curl = np.empty(points.shape), np.empty(points.shape[1:])
        for k, pattern in enumerate(patterns):
            rows = np.flatnonzero(inverse.ravel() == k)
            (part,) = super().gbasis(mapping, pattern, i, np.asarray(tind)[rows])
            value[:, rows], curl[rows] = np.asarray(part), part.curl
        return (DiscreteField(value=value, curl=curl),)


def edge_element(dimension: int, order: int) -> Element:
    """Nédélec's elements of the first kind, with continuous tangential components."""
    return ElementTetN1() if dimension == 3 else (ElementTriN1, ElementTriN2, ElementTriN3OnFacets)[order - 1]()


@dataclass(frozen=True)
class Quadrature:
    """Quadrature points of elements or facets, (cells, points), and the basis functions there.

    `shapes[k]` are the basis functions of trial function k and their derivatives, (1 + d, cells, points, functions).
    """

    coordinates: Array  # (d, cells, points)
    normals: Array | None  # (d, cells, points), on facets
    weights: Array  # (cells, points)
    shapes: tuple[Array, ...]
    dofs: tuple[Indices, ...]  # (functions, cells), in the numbering of the whole system

    def evaluate(self, vector: Array) -> list[Array]:
        """Values and derivatives of every trial function, (cells, points) each."""
        jets = []
        for shape, dofs in zip(self.shapes, self.dofs, strict=True):
            local = vector[dofs].T[:, :, None]  # (cells, functions, 1)
            jets += [(part @ local)[..., 0] for part in shape]
        return jets


@dataclass(frozen=True)
class ElementSpaces:
    """The product of the spaces of all trial functions. The components of a vector field in H(curl) follow one another
    and have the same basis functions; the derivatives ∂ⱼEᵢ are the antisymmetric parts ½ (∂ⱼEᵢ - ∂ᵢEⱼ).
    """

    mesh: Mesh
    degrees: tuple[int, ...]
    edge_components: tuple[int | None, ...]  # of each trial function, None for continuous ones

    @cached_property
    def bases(self) -> tuple[Any, ...]:
        by_kind = {kind: Basis(self.mesh, self._element(*kind), intorder=self.quadrature_order) for kind in self._kinds}
        return tuple(by_kind[kind] for kind in self._kinds)

    @cached_property
    def _kinds(self) -> tuple[tuple[int, bool], ...]:
        """Degree, and whether it is a component of a field in H(curl)."""
        return tuple((p, c is not None) for p, c in zip(self.degrees, self.edge_components, strict=True))

    @cached_property
    def quadrature_order(self) -> int:
        """Exact for products of two basis functions with linear coefficients, on affine elements."""
        return 2 * max(self.degrees) + 1

    def _element(self, degree: int, is_edge: bool) -> Element:
        return (edge_element if is_edge else lagrange_element)(self.mesh.dim(), degree)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """First index of each trial function, and the size of the system; the indices of a field in H(curl) belong to
        its last component."""
        counts = {kind: Dofs(self.mesh, self._element(*kind)).N for kind in self._kinds}  # without any basis function
        last = self.mesh.dim() - 1
        sizes = (counts[k] if c in (None, last) else 0 for k, c in zip(self._kinds, self.edge_components, strict=True))
        return tuple(int(n) for n in np.cumsum([0, *sizes]))

    @property
    def size(self) -> int:
        return self.offsets[-1]

    @cached_property
    def cells(self) -> Quadrature:
        return self._quadrature(self.bases)

    def facets(self, numbers: Indices) -> Quadrature:
        """Quadrature on facets of the boundary, by their numbers in the mesh."""
        by_kind = {
            kind: FacetBasis(self.mesh, self._element(*kind), facets=numbers, intorder=self.quadrature_order)
            for kind in self._kinds
        }
        return self._quadrature([by_kind[kind] for kind in self._kinds])

    def _quadrature(self, bases: Sequence[Any]) -> Quadrature:
        first = bases[0]
        kinds = list(zip(map(id, bases), self.edge_components, strict=True))
        shapes = {kind: _shapes(b, kind[1]) for kind, b in zip(kinds, bases, strict=True)}
        return Quadrature(
            np.asarray(first.global_coordinates()),
            np.asarray(first.normals) if isinstance(first, FacetBasis) else None,
            np.asarray(first.dx),
            tuple(shapes[kind] for kind in kinds),
            tuple(b.element_dofs.astype(np.int64) + o for b, o in zip(bases, self.offsets, strict=False)),
        )

    def facet_dofs(self, trial: int, facets: Indices) -> Indices:
        """Indices of the basis functions of a trial function that do not vanish on facets."""
        dofs: Indices = self.bases[trial].get_dofs(facets).all().astype(np.int64) + self.offsets[trial]
        return dofs

    def dof_locations(self, dofs: Indices, trial: int) -> Array:
        """(d, n)"""
        return np.asarray(self.bases[trial].doflocs)[:, dofs - self.offsets[trial]]


def _shapes(basis: Any, component: int | None) -> Array:
    """Values and derivatives of basis functions, (1 + d, cells, points, functions)."""
    if component is None:
        parts = [np.stack([np.asarray(f[0]), *np.asarray(f[0].grad)]) for f in basis.basis]
    else:
        parts = [np.stack([np.asarray(f[0])[component], *_half_curl(f[0].curl, component)]) for f in basis.basis]
    return np.ascontiguousarray(np.stack(parts, -1))


def _half_curl(curl: Any, component: int) -> list[Array]:
    """½ (∂ⱼEᵢ - ∂ᵢEⱼ) for the component i and all j."""
    curl, zero = np.asarray(curl), 0 * np.asarray(curl)
    if curl.ndim == 2:  # ∂₁E₂ - ∂₂E₁ in the plane
        return [zero, -curl / 2] if component == 0 else [curl / 2, zero]
    other, third = (component + 1) % 3, (component + 2) % 3
    result = [zero[0], zero[0], zero[0]]
    result[other], result[third] = -curl[third] / 2, curl[other] / 2
    return result
