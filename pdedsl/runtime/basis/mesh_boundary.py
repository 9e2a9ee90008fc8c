"""Domains with a mesh as functions of points: the side of the boundary, and outer normals on a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch
from torch import Tensor

from pdedsl.runtime.basis.piecewise_polynomials import PiecewisePolynomials

MAX_PAIRS = 1 << 20  # of a point and a facet that are compared at once: 100 MB


class MeshDomain:
    """The domain of a mesh and a part of its boundary.

    Args:
        points: nodes, (n, d).
        cells: node numbers, (cells, d + 1).
        facets: node numbers of the part, then the opposite node of the adjacent cell, (facets, d + 1).
    """

    def __init__(
        self,
        points: Sequence[Sequence[float]],
        cells: Sequence[Sequence[int]],
        facets: Sequence[Sequence[int]],
    ) -> None:
        self.points = torch.tensor(points, dtype=torch.float64)
        self.cells, self.facets = torch.tensor(cells), torch.tensor(facets)

    def side(self, x: Tensor) -> Tensor:
        """1 at points (n, d) of the closed domain, up to rounding; -1 outside."""
        return torch.where(self._cells.contains(x), 1.0, -1.0).to(x)

    def normals(self, x: Tensor) -> Tensor:
        """The outer normals (n, d) of the facets that contain the points."""
        at = x.detach().cpu().double()
        batches = torch.split(at, max(1, MAX_PAIRS // len(self.facets)))
        return torch.cat([self._normals[self._containing_facets(b)] for b in batches]).to(x)

    @cached_property
    def _cells(self) -> PiecewisePolynomials:
        corners = self.points[self.cells]
        geometry = torch.cat([corners[:, :1], corners[:, 1:] - corners[:, :1]], 1)
        return PiecewisePolynomials(geometry, (), {}, {}, ())

    @cached_property
    def _edges(self) -> Tensor:
        """The edges from the first corner of every facet, (facets, d - 1, d)."""
        corners = self.points[self.facets]
        return corners[:, 1:-1] - corners[:, :1]

    @cached_property
    def _normals(self) -> Tensor:
        edges, corners = self._edges, self.points[self.facets]
        if edges.shape[1] == 1:
            normals = torch.stack([edges[:, 0, 1], -edges[:, 0, 0]], 1)
        else:
            normals = torch.linalg.cross(edges[:, 0], edges[:, 1])
        inward = ((corners[:, -1] - corners[:, 0]) * normals).sum(1, keepdim=True) > 0
        unit = normals / normals.norm(dim=1, keepdim=True)
        return torch.where(inward, -unit, unit)

    def _containing_facets(self, x: Tensor) -> Tensor:
        """The numbers of the facets with the smallest distance from their plane and, relative to their size, from their
        edges, which are both zero at points of a facet."""
        offsets = x[:, None] - self.points[self.facets[:, 0]]  # (n, facets, d)
        inverses = torch.linalg.pinv(self._edges.transpose(1, 2))  # (facets, d - 1, d)
        weights = torch.einsum("fkd,nfd->nfk", inverses, offsets)
        distances = (offsets * self._normals).sum(2).abs()
        outside = torch.relu(-torch.minimum(weights.amin(2), 1 - weights.sum(2)))
        sizes = self._edges.norm(dim=2).amax(1)
        nearest: Tensor = (distances + outside * sizes).argmin(1)
        return nearest
