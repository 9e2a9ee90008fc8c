"""Adaptive sparse polynomial interpolation at Leja points, of functions of several variables with values in R^m.

The interpolant is Σ_ν s_ν H_ν(y) over a downward closed set of multi-indices ν, with the hierarchical basis
H_ν(y) = Π_j h_{ν_j}(y_j), h_k(y) = Π_{i<k} (y - z_i)/(z_k - z_i), and the hierarchical surpluses s_ν, the errors of
the previous interpolant at the new nodes (Chkifa, Cohen, Schwab 2014). The set grows where the surplus is largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import exp, inf

import torch
from torch import Tensor

LEJA_GRID = 20_001  # points among which the next Leja point is chosen
NORMAL_EXTENT = 12.0  # the square root of the normal density is 2e-16 of its maximum there
MAX_DEGREE = 200  # of the polynomials of one variable
Index = tuple[int, ...]


@cache
def leja_points(count: int, normal: bool) -> tuple[float, ...]:
    """Leja points: 0, and then each a maximum of the product of the distances to those before it, on [-1, 1]; for a
    normal variable times the square root of its density (Narayan, Jakeman 2014)."""
    extent = NORMAL_EXTENT if normal else 1.0
    grid = torch.linspace(-extent, extent, LEJA_GRID, dtype=torch.float64)
    logarithms, points = -grid.square() / 4 if normal else torch.zeros_like(grid), [0.0]
    while len(points) < count:
        logarithms = logarithms + (grid - points[-1]).abs().log()
        points.append(float(grid[logarithms.argmax()]))
    return tuple(points)


def hierarchical_basis(y: Tensor, count: int, normal: bool) -> Tensor:
    """h₀(y), …, h_{count-1}(y): (n,) to (n, count)."""
    nodes = leja_points(count, normal)
    columns = [torch.ones_like(y)]
    for k in range(1, count):
        column = torch.ones_like(y)
        for z in nodes[:k]:
            column = column * ((y - z) / (nodes[k] - z))
        columns.append(column)
    return torch.stack(columns, -1)


@dataclass
class SparseInterpolant:
    """The nodes and surpluses of an interpolant in variables on [-1, 1], or in normal ones.

    `active` are the indices whose neighbours have been explored; the others belong to its margin.
    """

    normal: tuple[bool, ...]  # for each variable
    indices: list[Index] = field(default_factory=list)
    surpluses: list[Tensor] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)  # relative norms of the surpluses, weighted for normal variables
    active: set[Index] = field(default_factory=set)

    @property
    def dimension(self) -> int:
        return len(self.normal)

    def node(self, index: Index) -> tuple[float, ...]:
        return tuple(leja_points(k + 1, normal)[k] for k, normal in zip(index, self.normal, strict=True))

    def _weight(self, index: Index) -> float:
        """The square root of the density of the normal variables at the node, relative to that at 0."""
        nodes = zip(self.node(index), self.normal, strict=True)
        return exp(-sum(z * z for z, normal in nodes if normal) / 4)

    def missing(self) -> Iterator[Index]:
        """The indices of the reduced margin whose values are not known: all of their predecessors are active."""
        if not self.indices:
            yield (0,) * self.dimension
            return
        known = set(self.indices)
        for index in sorted(self.active):
            for j in range(self.dimension):
                neighbour = (*index[:j], index[j] + 1, *index[j + 1 :])
                if neighbour not in known and neighbour[j] < MAX_DEGREE and self._predecessors(neighbour):
                    known.add(neighbour)
                    yield neighbour

    def _predecessors(self, index: Index) -> bool:
        """Whether all predecessors of an index are active."""
        return all((*index[:j], k - 1, *index[j + 1 :]) in self.active for j, k in enumerate(index) if k)

    def add(self, index: Index, values: Tensor) -> None:
        """Adds the values (m,) at the node of an index."""
        surplus = values - self(torch.tensor([self.node(index)], dtype=torch.float64))[0] if self.indices else values
        norm, size = surplus.norm(), values.norm()
        self.indices.append(index)
        self.surpluses.append(surplus)
        self.errors.append(self._weight(index) * float(norm / size if size > 0 else norm))

    def largest_surplus(self) -> float:
        """The largest relative surplus in the margin; infinite before the neighbours of the first node are known."""
        return max((e for e, i in self._margin()), default=inf) if len(self.indices) > 1 else inf

    def activate(self) -> None:
        """Makes the index of the margin with the largest surplus active: its neighbours are missing now."""
        self.active.add(max(self._margin())[1])

    def _margin(self) -> Iterator[tuple[float, Index]]:
        return ((e, i) for e, i in zip(self.errors, self.indices, strict=True) if i not in self.active)

    # ---- Evaluation

    def basis(self, y: Tensor) -> Tensor:
        """H_ν(y) for all indices: (n, dimension) to (n, J)."""
        return self._products([self._table(j, y[:, j]) for j in range(self.dimension)])

    def _table(self, j: int, y: Tensor) -> Tensor:
        """The basis functions of one variable: (n,) to (n, K)."""
        return hierarchical_basis(y, 1 + max(i[j] for i in self.indices), self.normal[j])

    def _products(self, tables: Sequence[Tensor]) -> Tensor:
        columns = torch.tensor(self.indices)
        product = tables[0][..., columns[:, 0]]
        for j in range(1, self.dimension):
            product = product * tables[j][..., columns[:, j]]
        return product

    def __call__(self, y: Tensor) -> Tensor:
        """Values at y: (n, dimension) to (n, m)."""
        return self.basis(y) @ torch.stack(self.surpluses)

    def weights(self, y: Tensor) -> Tensor:
        """The weights c(y) of the values at the nodes, Σ_ν c_ν(y) u(z_ν): (n, dimension) to (n, J)."""
        return self.node_weights(self.basis(y))

    def node_weights(self, basis: Tensor) -> Tensor:
        """Weights of the values at the nodes, from those of the surpluses, (…, J)."""
        nodes = torch.tensor([self.node(i) for i in self.indices], dtype=torch.float64)
        matrix = self.basis(nodes).tril()  # its rows are in the order of the nodes: unit lower triangular
        flat = basis.reshape(-1, len(self.indices))
        solved = torch.linalg.solve_triangular(matrix.T, flat.T, upper=True).T
        weights: Tensor = solved.reshape(basis.shape)
        return weights

    # ---- Moments

    def mean_basis(self, y: Tensor, rules: Sequence[tuple[Tensor, Tensor] | None]) -> Tensor:
        """E H_ν over the variables with a quadrature rule (nodes, weights), at the values y of the others: (J,)."""
        return self._products(
            [
                self._table(j, y[j : j + 1])[0] if rule is None else rule[1] @ self._table(j, rule[0])
                for j, rule in enumerate(rules)
            ]
        )

    def product_basis(self, y: Tensor, rules: Sequence[tuple[Tensor, Tensor] | None]) -> Tensor:
        """E H_ν H_μ: (J, J)."""
        total = torch.ones(len(self.indices), len(self.indices), dtype=torch.float64)
        columns = torch.tensor(self.indices)
        for j, rule in enumerate(rules):
            points, weights = rule if rule is not None else (y[j : j + 1], torch.ones(1, dtype=torch.float64))
            table = self._table(j, points)
            gram = table.T @ (weights[:, None] * table)
            total = total * gram[columns[:, j][:, None], columns[:, j][None, :]]
        return total
