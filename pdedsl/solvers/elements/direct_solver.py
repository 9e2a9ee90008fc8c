"""Sparse LU factorization PAPᵀ = LU of finite element systems, ordered by nested dissection of the mesh.

The elements are bisected recursively along the longer side of their bounding box. A basis function whose elements are
on both sides belongs to the separator, which is eliminated after both sides (A. George, SIAM J. Numer. Anal. 10, 1973):
O(n log n) nonzeros in two dimensions. Within a separator, functions with a zero on the diagonal, such as pressures,
follow the others, whose elimination makes their pivots nonzero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from pdedsl.io import RunError
from pdedsl.solvers.elements.spaces import Array, Indices

LEAF_ELEMENTS = 2  # larger leaves have more fill-in, smaller ones no less
PIVOT_THRESHOLD = 1e-3  # of a diagonal entry, relative to its column: row interchanges destroy the order


class ElementsSolveFailed(RunError):
    """The solver failed; the message is the reason."""


@dataclass(frozen=True)
class EliminationOrder:
    """For each basis function the last leaf of its subtree of the dissection, and the height of the subtree."""

    last: Indices
    height: Indices

    def select(self, indices: Indices) -> EliminationOrder:
        """The order of some of the functions."""
        return EliminationOrder(self.last[indices], self.height[indices])

    def permutation(self, matrix: csc_matrix) -> Indices:
        return np.lexsort((matrix.diagonal() == 0, self.height, self.last))


def dissect(centroids: Array, dofs: Sequence[Indices], size: int) -> EliminationOrder:
    """Nested dissection of n elements with centroids (d, n); `dofs` are the numbers (functions, n) of the basis
    functions of the elements, for each trial function."""
    leaves, levels = _bisect(centroids)
    low, high = np.full(size, len(leaves)), np.zeros(size, dtype=np.int64)
    for own in dofs:
        leaf = np.broadcast_to(leaves, own.shape)
        np.minimum.at(low, own, leaf)
        np.maximum.at(high, own, leaf)
    difference, height = low ^ high, np.zeros(size, dtype=np.int64)
    for level in range(levels):  # the number of bits below the common prefix of all leaves
        height[difference >> level > 0] = level + 1
    return EliminationOrder((high >> height) + 1 << height, height)


def _bisect(centroids: Array) -> tuple[Indices, int]:
    """The number of the leaf of each element, and the number of bisections."""
    count = centroids.shape[1]
    levels = max(0, int(np.ceil(np.log2(count / LEAF_ELEMENTS))))
    part, order = np.zeros(count, dtype=np.int64), np.arange(count)
    for _ in range(levels):
        starts = np.flatnonzero(np.diff(part[order], prepend=-1))
        sizes = np.diff(starts, append=count)
        grouped = centroids[:, order]
        widths = np.maximum.reduceat(grouped, starts, 1) - np.minimum.reduceat(grouped, starts, 1)
        axis = np.repeat(widths.argmax(0), sizes)
        order = order[np.lexsort((grouped[axis, np.arange(count)], part[order]))]
        position = np.arange(count) - np.repeat(starts, sizes)
        part[order] = 2 * part[order] + (position >= np.repeat(sizes // 2, sizes))
    return part, levels


class Factorization:
    """The factorization of a matrix; raises ElementsSolveFailed if it is singular."""

    def __init__(self, matrix: csc_matrix, order: EliminationOrder) -> None:
        self._permutation = order.permutation(matrix)
        permuted = matrix[self._permutation][:, self._permutation].tocsc()
        try:
            self._lu: Any = splu(
                permuted, permc_spec="NATURAL", diag_pivot_thresh=PIVOT_THRESHOLD, options={"SymmetricMode": True}
            )
        except RuntimeError as reason:
            raise ElementsSolveFailed("the discrete system is singular: the solution is not unique") from reason

    @property
    def nonzeros(self) -> int:
        """Of L and U."""
        return int(self._lu.nnz)

    def solve(self, right: Array) -> Array:
        """A⁻¹ b"""
        return self._solve(right, "N")

    def solve_transposed(self, right: Array) -> Array:
        """A⁻ᵀ b"""
        return self._solve(right, "T")

    def _solve(self, right: Array, kind: str) -> Array:
        solution = np.empty_like(right)
        solution[self._permutation] = self._lu.solve(right[self._permutation], kind)
        return solution
