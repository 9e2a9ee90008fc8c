"""Triangulation of a polygonal or polyhedral domain with named parts of its boundary, in plain Python.

Points are located by barycentric coordinates in the cells of a uniform grid of buckets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import floor, fsum, hypot, nan
from operator import mul
from random import Random

Coordinates = tuple[float, ...]
Simplex = tuple[int, ...]

REST = "unnamed"  # the part of the boundary that belongs to no group
BARYCENTRIC_TOL = 1e-9  # rounding errors of barycentric coordinates
DEGENERATE_RTOL = 1e-12  # of the volume of a cell, relative to a cube of its diameter


class InvalidMesh(ValueError):
    """The mesh is not a triangulation of a domain; `remedy` is a suggestion."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.remedy = remedy


class SimplicialMesh:
    """Triangles in the plane or tetrahedra in space.

    Meshes are equal if their digests are: that of the content of the file.

    Args:
        digest: hash of the file.
        points: coordinates of the nodes.
        cells: d + 1 nodes of every cell.
        groups: facets, d nodes each, of named parts of the boundary. Facets in the interior are ignored.

    Raises:
        InvalidMesh: a node is in no cell, a cell has no volume, more than two cells have a common facet, or a facet is
            in no cell or in two groups.
    """

    def __init__(
        self,
        digest: str,
        points: Sequence[Coordinates],
        cells: Sequence[Simplex],
        groups: Mapping[str, Sequence[Simplex]],
    ) -> None:
        self.digest, self.points, self.cells = digest, tuple(points), tuple(cells)
        self._require_sound_cells()
        self.parts = self._named_parts(groups)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SimplicialMesh) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def dimension(self) -> int:
        return len(self.points[0])

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """The smallest box that contains the mesh."""
        return tuple((min(column), max(column)) for column in zip(*self.points, strict=True))

    # ---- Construction

    def _require_sound_cells(self) -> None:
        used = {node for cell in self.cells for node in cell}
        if len(used) < len(self.points):
            count = len(self.points) - len(used)
            raise InvalidMesh(
                f"has {count} {'node' if count == 1 else 'nodes'} outside of its cells",
                "remove them: mesh = meshio.read(file); mesh.remove_orphaned_nodes(); mesh.write(file)",
            )
        for cell in self.cells:
            corners = [self.points[i] for i in cell]
            if abs(_determinant(corners)) <= DEGENERATE_RTOL * _diameter(corners) ** self.dimension:
                raise InvalidMesh(f"has a cell without volume, with the nodes {_listed(cell)}", "mesh the domain again")
        crowded = next((f for f, owners in self._owners.items() if len(owners) > 2), None)
        if crowded is not None:
            raise InvalidMesh(f"has more than two cells with the nodes {_listed(crowded)}", "mesh the domain again")

    @cached_property
    def _owners(self) -> dict[Simplex, list[tuple[int, int]]]:
        """For every facet, by its sorted nodes, the cells that contain it and the numbers of the opposite nodes."""
        owners: dict[Simplex, list[tuple[int, int]]] = {}
        for number, cell in enumerate(self.cells):
            for k in range(len(cell)):
                owners.setdefault(tuple(sorted(cell[:k] + cell[k + 1 :])), []).append((number, k))
        return owners

    def _named_parts(self, groups: Mapping[str, Sequence[Simplex]]) -> dict[str, tuple[Simplex, ...]]:
        """The facets of the boundary by group, and under `REST` those in no group."""
        part_of: dict[Simplex, str] = {}
        for name, facets in groups.items():
            for facet in {tuple(sorted(f)) for f in facets}:
                if facet not in self._owners:
                    raise InvalidMesh(f"has a facet of '{name}' that belongs to no cell", "mesh the domain again")
                if len(self._owners[facet]) == 2:
                    continue
                if facet in part_of:
                    raise InvalidMesh(
                        f"has a facet in two groups, '{part_of[facet]}' and '{name}'",
                        "put every facet of the boundary into one physical group",
                    )
                part_of[facet] = name
        parts: dict[str, list[Simplex]] = {}
        for facet, owners in self._owners.items():
            if len(owners) == 1:
                parts.setdefault(part_of.get(facet, REST), []).append(facet)
        return {name: tuple(sorted(facets)) for name, facets in sorted(parts.items())}

    def facets_of(self, part: str) -> list[Simplex]:
        """The facets of a part of the boundary, each with the opposite node of its cell as the last one."""
        located = ((facet, *self._owners[facet][0]) for facet in self.parts[part])
        return [(*facet, self.cells[cell][k]) for facet, cell, k in located]

    # ---- Location

    def side(self, point: Sequence[float]) -> int:
        """1 in the interior, 0 on the boundary, -1 outside."""
        for number in self._buckets.get(self._bucket(point), ()):
            weights = self._barycentric(number, point)
            if min(weights) >= -BARYCENTRIC_TOL:
                at_boundary = self._boundary_facets.get(number, ())
                return 0 if any(weights[k] <= BARYCENTRIC_TOL for k in at_boundary) else 1
        return -1

    def normal(self, point: Sequence[float]) -> Coordinates:
        """The outer normal at a point of the boundary, -∇λ / |∇λ| for the barycentric coordinate λ that vanishes on its
        facet; NaN elsewhere."""
        for number in self._buckets.get(self._bucket(point), ()):
            weights = self._barycentric(number, point)
            there = [k for k in self._boundary_facets.get(number, ()) if abs(weights[k]) <= BARYCENTRIC_TOL]
            if there and min(weights) >= -BARYCENTRIC_TOL:
                k = min(there, key=lambda k: abs(weights[k]))
                shifted = ([x + (i == j) for i, x in enumerate(point)] for j in range(self.dimension))
                gradient = [self._barycentric(number, q)[k] - weights[k] for q in shifted]
                return tuple(-g / hypot(*gradient) for g in gradient)
        return (nan,) * self.dimension

    @cached_property
    def _boundary_facets(self) -> dict[int, list[int]]:
        """For every cell with facets on the boundary the numbers of the nodes opposite to them."""
        cells: dict[int, list[int]] = {}
        for owners in self._owners.values():
            if len(owners) == 1:
                cells.setdefault(owners[0][0], []).append(owners[0][1])
        return cells

    def _barycentric(self, number: int, point: Sequence[float]) -> list[float]:
        corners = [self.points[i] for i in self.cells[number]]
        total = _determinant(corners)
        return [_determinant([*corners[:k], tuple(point), *corners[k + 1 :]]) / total for k in range(len(corners))]

    @cached_property
    def _resolution(self) -> int:
        """Buckets along every axis: about one for each cell."""
        return max(1, int(float(len(self.cells)) ** (1.0 / self.dimension)))

    def _bucket(self, point: Sequence[float]) -> tuple[int, ...]:
        return tuple(
            min(max(floor((x - a) / (b - a) * self._resolution), 0), self._resolution - 1)
            for x, (a, b) in zip(point, self.bounds, strict=False)
        )

    @cached_property
    def _buckets(self) -> dict[tuple[int, ...], list[int]]:
        buckets: dict[tuple[int, ...], list[int]] = {}
        for number, cell in enumerate(self.cells):
            columns = list(zip(*(self.points[i] for i in cell), strict=True))
            first, last = self._bucket([min(c) for c in columns]), self._bucket([max(c) for c in columns])
            for key in product(*(range(a, b + 1) for a, b in zip(first, last, strict=True))):
                buckets.setdefault(key, []).append(number)
        return buckets

    # ---- Sample points

    def interior_points(self, random: Random) -> Iterator[Coordinates]:
        """Random points in random cells, without end."""
        while True:
            yield self._point_in(random.choice(self.cells), random)

    def boundary_points(self, part: str, random: Random) -> Iterator[Coordinates]:
        """Random points on random facets of a part of the boundary, without end."""
        while True:
            yield self._point_in(random.choice(self.parts[part]), random)

    def _point_in(self, simplex: Simplex, random: Random) -> Coordinates:
        weights = [random.expovariate(1.0) for _ in simplex]  # normalized, they are uniform on the simplex
        columns = zip(*(self.points[i] for i in simplex), strict=True)
        return tuple(fsum(map(mul, weights, column)) / fsum(weights) for column in columns)


def _determinant(corners: Sequence[Coordinates]) -> float:
    """d! times the signed volume of a simplex."""
    first, *others = corners
    rows = [[x - y for x, y in zip(corner, first, strict=True)] for corner in others]
    if len(rows) == 2:
        (a, b), (c, d) = rows
        return a * d - b * c
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _diameter(corners: Sequence[Coordinates]) -> float:
    return max((max(column) - min(column) for column in zip(*corners, strict=True)), default=0.0)


def _listed(nodes: Sequence[int]) -> str:
    return ", ".join(str(n + 1) for n in nodes)
