"""Triangulation of a plane domain bounded by arcs: nodes on the arcs by arc length, nodes inside by the force
equilibrium of DistMesh on Delaunay triangulations.

P.-O. Persson and G. Strang, A simple mesh generator in MATLAB, SIAM Review 46, 2004. Here the nodes on the boundary are
placed first and stay fixed; an edge of the boundary that is missing in the triangulation is bisected, as by
J. Ruppert, J. Algorithms 18, 1995. No random numbers are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdedsl.io import RunError
from pdedsl.ir.boundary import Face
from pdedsl.solvers.elements.boundary_curves import Arc, Array

Indices = NDArray[np.int64]

EDGE_ANGLE = 0.4  # radians of curvature along an edge: 16 edges on a circle
ELEMENTS_ACROSS = 2.0  # between two parts of the boundary
MIN_GAP_SIZE = 0.1  # of h: the smallest size required by a gap alone, so that acute corners end
GRADATION = 0.3  # largest gradient of the element size
SIZE_CLASS = 1.1  # ratio of sizes in a class: well below the variation of edges in a mesh
RAY_STEPS = 24  # samples along a ray that measures the width of a gap
FORCE_ITERATIONS = 60  # the quality of triangles hardly changes afterwards
FORCE_SCALE = 1.2  # Persson and Strang: bars are compressed
TIME_STEP = 0.2  # Persson and Strang: of the explicit Euler steps
RETRIANGULATE = 0.1  # of the element size: movement after which the triangulation is computed again
MIN_NODE_DISTANCE = 0.6  # of the element size, from the boundary
CONFORMITY_ROUNDS = 20  # insertions of midpoints until all boundary edges are edges of triangles
MIN_TRIANGLE_QUALITY = 1e-6  # 4√3 area/Σ length²: below, three nodes of a straight line


class MeshingFailed(RunError):
    """The boundary could not be recovered, or an element is inverted."""


@dataclass(frozen=True)
class Triangulation:
    """Points (n, 2), triangles (m, 3), and the edges (k, 2) on arcs with the numbers (k,) of their arcs."""

    points: Array
    triangles: Indices
    edges: Indices
    arcs: Indices


def triangulate(
    arcs: Sequence[Arc], inside: Callable[[Array], NDArray[np.bool_]], h: float, periodic: Sequence[int] = ()
) -> Triangulation:
    """Triangulates the domain bounded by arcs with elements of size h, smaller where the boundary is curved or narrow.

    Args:
        arcs: boundary and interior curves; they intersect at end points only.
        inside: whether points (n, 2) are in the domain.
        h: length of edges.
        periodic: axes whose upper face gets the nodes of the lower face.

    Raises:
        MeshingFailed: an edge of the boundary is missing in every triangulation.
    """
    size = _ElementSize.of(arcs, inside, h)
    points, edges, owner = _boundary_nodes(arcs, size, periodic)
    for _ in range(CONFORMITY_ROUNDS):
        polygon = points[edges[[arcs[k].on_boundary for k in owner]]]
        interior = _smooth(points, _initial_nodes(points, edges, polygon, size), polygon, size)
        all_points = np.concatenate([points, interior])
        triangles = _delaunay(all_points, polygon)
        missing = _missing_edges(edges, triangles)
        if not len(missing):
            return _compact(all_points, triangles, edges, owner)
        points, edges, owner = _bisect(points, edges, owner, missing, arcs)
    raise MeshingFailed("the triangulation does not contain the boundary; use a smaller element size")


# ---- Element size


@dataclass(frozen=True)
class _ElementSize:
    """h(x) = min(h, min_b (h_b + GRADATION ‖x - b‖)) over sources b with sizes h_b < h, of which the nearest one of
    every class of similar sizes counts."""

    h: float
    sources: Array
    sizes: Array

    @classmethod
    def of(cls, arcs: Sequence[Arc], inside: Callable[[Array], NDArray[np.bool_]], h: float) -> _ElementSize:
        points, sizes = [], []
        for arc in arcs:
            radius = EDGE_ANGLE / np.maximum(arc.curvature(), 1e-300)
            local = np.minimum(np.minimum(h, radius), _gap_sizes(arc, inside, h))
            points.append(arc.samples)
            sizes.append(np.minimum(local, arc.lengths[-1]))
        sources, local = np.concatenate(points), np.concatenate(sizes)
        small = local < h * (1 - 1e-9)
        return cls(h, *_thin(sources[small], local[small]))

    def __call__(self, points: Array) -> Array:
        result = np.full(len(points), self.h)
        for tree, sizes in self._classes:
            distance, nearest = tree.query(points)
            result = np.minimum(result, sizes[nearest] + GRADATION * distance)
        return result

    @cached_property
    def _classes(self) -> list[tuple[Any, Array]]:
        """Trees of the sources and their sizes, by classes whose sizes differ by a factor of at most SIZE_CLASS."""
        from scipy.spatial import cKDTree

        if not len(self.sizes):
            return []
        number = np.floor(np.log(self.sizes / self.sizes.min()) / np.log(SIZE_CLASS)).astype(int)
        return [(cKDTree(self.sources[number == k]), self.sizes[number == k]) for k in np.unique(number)]


def _thin(points: Array, sizes: Array) -> tuple[Array, Array]:
    """Sources in ascending size, without those that a smaller source within a quarter of its size represents."""
    from scipy.spatial import cKDTree

    order = np.argsort(sizes, kind="stable")
    points, sizes = points[order], sizes[order]
    if not len(points):
        return points, sizes
    alive = np.ones(len(points), dtype=bool)
    tree = cKDTree(points)
    for k in range(len(points)):
        if alive[k]:
            near = np.array(tree.query_ball_point(points[k], sizes[k] / 4))
            alive[near[near > k]] = False
    return points[alive], sizes[alive]


def _gap_sizes(arc: Arc, inside: Callable[[Array], NDArray[np.bool_]], h: float) -> Array:
    """Width of the domain along both normals, divided by ELEMENTS_ACROSS; infinite if it is wide."""
    samples = arc.samples
    tangent = np.gradient(samples, axis=0)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-300)
    normal = np.stack([-tangent[:, 1], tangent[:, 0]], 1)
    reach = ELEMENTS_ACROSS * h * np.linspace(0, 1, RAY_STEPS + 1)[1:]
    width = np.full(len(samples), np.inf)
    for sign in (-1.0, 1.0):
        rays = samples[:, None] + sign * reach[None, :, None] * normal[:, None]
        within = inside(rays.reshape(-1, 2)).reshape(len(samples), -1)
        # A ray that starts outside belongs to the other side of the arc.
        leaves = within[:, 0] & ~within.all(1)
        width = np.where(leaves, np.minimum(width, reach[np.argmin(within, axis=1)]), width)
    # Near a corner the width along the normal tends to zero without a gap.
    to_end = np.minimum(arc.lengths, arc.lengths[-1] - arc.lengths)
    is_corner = (width > to_end / 4) & (not arc.is_closed)
    return np.where(is_corner, np.inf, np.maximum(width / ELEMENTS_ACROSS, MIN_GAP_SIZE * h))


# ---- Nodes


def _boundary_nodes(arcs: Sequence[Arc], size: _ElementSize, periodic: Sequence[int]) -> tuple[Array, Indices, Indices]:
    """Nodes (n, 2) on the arcs at equal quantiles of ∫ ds/h, edges (k, 2) and the arc (k,) of each edge."""
    nodes_of = [_nodes_on(arc, size) for arc in arcs]
    for k, arc in enumerate(arcs):
        if isinstance(arc.place, Face) and arc.place.upper and arc.place.coordinate in periodic:
            nodes_of[k] = _corresponding_nodes(arc, arcs, nodes_of)
    points: list[Array] = []
    edges: list[Indices] = []
    owner: list[Indices] = []
    count = 0
    for number, nodes in enumerate(nodes_of):
        points.append(nodes)
        ids = count + np.arange(len(nodes))
        edges.append(np.stack([ids[:-1], ids[1:]], 1))
        owner.append(np.full(len(nodes) - 1, number))
        count += len(nodes)
    merged, ids = _merge(np.concatenate(points))
    return merged, ids[np.concatenate(edges)], np.concatenate(owner)


def _nodes_on(arc: Arc, size: _ElementSize) -> Array:
    """Nodes from the first to the last sample of an arc."""
    s = arc.lengths
    fine = np.linspace(0, s[-1], max(200, len(s)))
    at = np.stack([np.interp(fine, s, arc.samples[:, k]) for k in range(2)], 1)
    density = 1 / size(at)
    total = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(fine))])
    n = max(3 if arc.is_closed else 1, int(np.ceil(total[-1] - 1e-9)))  # rounding errors of the sum
    where = np.interp(np.linspace(0, total[-1], n + 1), total, fine)
    nodes = np.stack([np.interp(where, s, arc.samples[:, k]) for k in range(2)], 1)
    nodes = arc.project(nodes)
    nodes[0], nodes[-1] = arc.samples[0], arc.samples[-1]
    return nodes


def _corresponding_nodes(arc: Arc, arcs: Sequence[Arc], nodes_of: Sequence[Array]) -> Array:
    """The nodes of the arc on the opposite face with the same ends."""
    assert isinstance(arc.place, Face)
    axis = arc.place.coordinate
    for other, nodes in zip(arcs, nodes_of, strict=True):
        is_opposite = other.place == Face(axis, upper=False)
        if is_opposite and np.allclose(other.samples[[0, -1], 1 - axis], arc.samples[[0, -1], 1 - axis]):
            shifted = nodes.copy()
            shifted[:, axis] = arc.samples[0, axis]
            return shifted
    raise MeshingFailed("the domain is not periodic: opposite faces differ")


def _merge(points: Array) -> tuple[Array, Indices]:
    """The distinct points, and the number of each in them; corners of two arcs agree up to rounding errors."""
    from scipy.spatial import cKDTree

    tolerance = 1e-8 * float(np.ptp(points, axis=0).max())
    ids = np.arange(len(points))
    for a, b in sorted(cKDTree(points).query_pairs(tolerance)):
        ids[b] = min(ids[b], ids[a])
    distinct, inverse = np.unique(ids, return_inverse=True)
    return points[distinct], inverse


def _initial_nodes(points: Array, edges: Indices, polygon: Array, size: _ElementSize) -> Array:
    """Hexagonal lattices with spacings h, h/2, h/4, …, each where the element size is about its spacing."""
    low, high = points.min(0), points.max(0)
    smallest = float(size.sizes.min()) if len(size.sizes) else size.h
    levels = int(np.ceil(np.log2(size.h / smallest))) if smallest < size.h else 0
    nodes = []
    for level in range(levels + 1):
        spacing = size.h / 2**level
        lattice = _hexagonal(low, high, spacing)
        ratio = size(lattice) / spacing
        above, below = ratio > 0.75, ratio <= 1.5
        nodes.append(lattice[(above | (level == levels)) & (below | (level == 0))])
    return _remove_close(np.concatenate(nodes), points, edges, polygon, size)


def _hexagonal(low: Array, high: Array, spacing: float) -> Array:
    y = np.arange(low[1], high[1] + spacing, spacing * np.sqrt(3) / 2)
    x = np.arange(low[0], high[0] + spacing, spacing)
    grid = np.stack(np.meshgrid(x, y), -1)
    grid[1::2, :, 0] += spacing / 2
    return np.asarray(grid.reshape(-1, 2))


def _remove_close(nodes: Array, points: Array, edges: Indices, polygon: Array, size: _ElementSize) -> Array:
    """The nodes in the polygon that are neither close to nodes or middles of edges on arcs nor to earlier nodes."""
    from scipy.spatial import cKDTree

    nodes = nodes[in_polygon(nodes, polygon)]
    if not len(nodes):
        return nodes
    fixed = np.concatenate([points, points[edges].mean(1)])
    distance, _ = cKDTree(fixed).query(nodes)
    nodes = nodes[distance > MIN_NODE_DISTANCE * size(nodes)]
    alive, sizes = np.ones(len(nodes), dtype=bool), size(nodes)
    if len(nodes) > 1:
        for a, b in sorted(cKDTree(nodes).query_pairs(MIN_NODE_DISTANCE * float(sizes.max()))):
            if alive[a] and alive[b] and np.linalg.norm(nodes[a] - nodes[b]) < MIN_NODE_DISTANCE * sizes[b]:
                alive[b] = False
    return nodes[alive]


def in_polygon(points: Array, polygon: Array) -> NDArray[np.bool_]:
    """Whether points (n, 2) are inside closed polygons with edges (k, 2, 2), by the number of crossings of a ray."""
    result = np.zeros(len(points), dtype=bool)
    (x0, y0), (x1, y1) = polygon[:, 0].T, polygon[:, 1].T
    for a in range(0, len(points), 4096):  # bounds the memory
        x, y = points[a : a + 4096, 0, None], points[a : a + 4096, 1, None]
        crosses = (y0 > y) != (y1 > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            right = x < x0 + (y - y0) / (y1 - y0) * (x1 - x0)
        result[a : a + 4096] = (crosses & right).sum(1) % 2 == 1
    return result


def _smooth(fixed: Array, nodes: Array, polygon: Array, size: _ElementSize) -> Array:
    """DistMesh: repulsive forces along the edges move the nodes until they are in equilibrium."""
    anchor = np.full(nodes.shape, np.inf)
    bars = np.empty((0, 2), dtype=np.int64)
    for iteration in range(FORCE_ITERATIONS):
        if not len(nodes):
            return nodes
        local = size(nodes)
        if (np.linalg.norm(nodes - anchor, axis=1) > RETRIANGULATE * local).any():
            nodes = nodes[in_polygon(nodes, polygon)] if iteration else nodes
            anchor = nodes.copy()
            bars = _edges_of(_delaunay(np.concatenate([fixed, nodes]), polygon))
        points = np.concatenate([fixed, nodes])
        vectors = points[bars[:, 0]] - points[bars[:, 1]]
        lengths = np.linalg.norm(vectors, axis=1)
        wanted = size(points[bars].mean(1))
        wanted = wanted * FORCE_SCALE * np.sqrt((lengths**2).sum() / (wanted**2).sum())
        forces = (np.maximum(wanted - lengths, 0) / np.maximum(lengths, 1e-300))[:, None] * vectors
        total = np.zeros_like(points)
        np.add.at(total, bars[:, 0], forces)
        np.add.at(total, bars[:, 1], -forces)
        move = TIME_STEP * total[len(fixed) :]
        nodes = nodes + move
        if np.linalg.norm(move, axis=1).max() < 1e-3 * size.h:  # Persson and Strang's criterion
            break
    return nodes[in_polygon(nodes, polygon)]


# ---- Triangles


def _delaunay(points: Array, polygon: Array) -> Indices:
    """Delaunay triangles with centroids in the polygon, counterclockwise, without degenerate ones."""
    from scipy.spatial import Delaunay

    triangles = np.asarray(Delaunay(points).simplices, dtype=np.int64)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    lengths = ((b - a) ** 2 + (c - b) ** 2 + (a - c) ** 2).sum(1)
    good = (4 * np.sqrt(3) * np.abs(area) > MIN_TRIANGLE_QUALITY * lengths) & in_polygon((a + b + c) / 3, polygon)
    triangles = np.where((area < 0)[:, None], triangles[:, [0, 2, 1]], triangles)
    return np.asarray(triangles[good])


def _edges_of(triangles: Indices) -> Indices:
    pairs = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    return np.unique(pairs, axis=0)


def _missing_edges(edges: Indices, triangles: Indices) -> Indices:
    """Numbers of the edges that are not in the triangulation."""
    present = set(map(tuple, _edges_of(triangles).tolist()))
    return np.array([k for k, e in enumerate(np.sort(edges, axis=1).tolist()) if tuple(e) not in present], dtype=int)


def _bisect(
    points: Array, edges: Indices, owner: Indices, numbers: Indices, arcs: Sequence[Arc]
) -> tuple[Array, Indices, Indices]:
    """Bisects edges, with the new nodes on the arcs."""
    middles = points[edges[numbers]].mean(1)
    middles = np.concatenate([arcs[owner[k]].project(m[None]) for k, m in zip(numbers, middles, strict=True)])
    ids = len(points) + np.arange(len(numbers))
    first, second = edges[numbers].copy(), edges[numbers].copy()
    first[:, 1], second[:, 0] = ids, ids
    rest = np.delete(edges, numbers, axis=0)
    return (
        np.concatenate([points, middles]),
        np.concatenate([rest, first, second]),
        np.concatenate([np.delete(owner, numbers), owner[numbers], owner[numbers]]),
    )


def _compact(points: Array, triangles: Indices, edges: Indices, owner: Indices) -> Triangulation:
    """Without points that belong to no triangle."""
    used, inverse = np.unique(triangles, return_inverse=True)
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    return Triangulation(points[used], inverse.reshape(triangles.shape), number[edges], owner)
