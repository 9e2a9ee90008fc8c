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
    ElementTetP1,
    ElementTetP2,
    ElementTriP1,
    ElementTriP2,
    ElementTriP3,
    ElementTriP4,
    FacetBasis,
    Mesh,
)
from skfem.element import Element

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
    """The product of the spaces of all trial functions."""

    mesh: Mesh
    degrees: tuple[int, ...]

    @cached_property
    def bases(self) -> tuple[Any, ...]:
        by_degree = {p: Basis(self.mesh, self._element(p), intorder=self.quadrature_order) for p in set(self.degrees)}
        return tuple(by_degree[p] for p in self.degrees)

    @cached_property
    def quadrature_order(self) -> int:
        """Exact for products of two basis functions with linear coefficients, on affine elements."""
        return 2 * max(self.degrees) + 1

    def _element(self, degree: int) -> Element:
        return lagrange_element(self.mesh.dim(), degree)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """First index of each trial function, and the size of the system."""
        return tuple(int(n) for n in np.cumsum([0, *(b.N for b in self.bases)]))

    @property
    def size(self) -> int:
        return self.offsets[-1]

    @cached_property
    def cells(self) -> Quadrature:
        return self._quadrature(self.bases)

    def facets(self, numbers: Indices) -> Quadrature:
        """Quadrature on facets of the boundary, by their numbers in the mesh."""
        by_degree = {
            p: FacetBasis(self.mesh, self._element(p), facets=numbers, intorder=self.quadrature_order)
            for p in set(self.degrees)
        }
        return self._quadrature([by_degree[p] for p in self.degrees])

    def _quadrature(self, bases: Sequence[Any]) -> Quadrature:
        first, shapes = bases[0], {}
        for b in bases:
            if id(b) not in shapes:
                parts = [np.stack([np.asarray(f[0]), *np.asarray(f[0].grad)]) for f in b.basis]
                shapes[id(b)] = np.ascontiguousarray(np.stack(parts, -1))
        return Quadrature(
            np.asarray(first.global_coordinates()),
            np.asarray(first.normals) if isinstance(first, FacetBasis) else None,
            np.asarray(first.dx),
            tuple(shapes[id(b)] for b in bases),
            tuple(b.element_dofs.astype(np.int64) + o for b, o in zip(bases, self.offsets, strict=False)),
        )

    def facet_dofs(self, trial: int, facets: Indices) -> Indices:
        """Indices of the basis functions of a trial function that do not vanish on facets."""
        dofs: Indices = self.bases[trial].get_dofs(facets).all().astype(np.int64) + self.offsets[trial]
        return dofs

    def dof_locations(self, dofs: Indices, trial: int) -> Array:
        """(d, n)"""
        return np.asarray(self.bases[trial].doflocs)[:, dofs - self.offsets[trial]]
