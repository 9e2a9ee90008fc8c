"""Tetrahedral meshes of boxes with smooth surfaces inside: isosurface stuffing of a graded body-centered cubic lattice.

Where a surface g = 0 cuts an edge close to a vertex, the vertex moves to the cut; tetrahedra that are still cut are
replaced by their parts with g > 0 (F. Labelle, J. R. Shewchuk, Isosurface stuffing, ACM Trans. Graphics 26, 2007). Here
the lattice is graded by bisection of longest edges, and a vertex on faces moves in these faces only, so that surfaces
may cross faces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from skfem import MeshTet1

from pdedsl.solvers.elements.boundary_curves import ON_CURVE_RTOL, Array, Curve
from pdedsl.solvers.elements.triangulate import Indices, MeshingFailed

SURFACE_ANGLE = 0.6  # radians between the normals of a surface in an element: about ten edges on a great circle
SNAP_FRACTION = 0.3  # of an edge: between the values of Labelle and Shewchuk for long and short edges of the lattice
GRADING_ROUNDS = 30  # three bisections of longest edges halve an element
MAX_ELEMENTS = 100_000  # of a graded lattice; beyond, the systems exceed the memory
BISECTIONS = 45  # of an edge: up to rounding errors
POOR_QUALITY = 0.4  # of elements whose vertices are smoothed: that of most elements of the lattice is above
SMOOTHING_ROUNDS = 3  # later ones hardly change the quality
SMOOTHING_STEPS = (1.0, 0.5, 0.25)  # toward the mean of the neighbours
EDGES = np.array(list(combinations(range(4), 2)))


@dataclass(frozen=True)
class Tetrahedra:
    """Points (n, 3), elements (m, 4), and for each point the surfaces on which it lies, (n, surfaces)."""

    points: Array
    elements: Indices
    on: np.ndarray


def tetrahedralize(faces: Sequence[Curve], surfaces: Sequence[Curve], low: Array, high: Array, h: float) -> Tetrahedra:
    """Tetrahedra of the part of the box [low, high] where all surfaces have positive values, with edges of about h,
    shorter at curved surfaces.

    Args:
        faces: of the box; those without points where all surfaces are positive are left out.
        surfaces: smooth, with positive values inside the domain.

    Raises:
        MeshingFailed: the domain is empty, or a surface is not smooth, or too curved.
    """
    active = _reached_faces(faces, surfaces, low, high, h)
    margins = h * ~np.array(active).reshape(3, 2)  # a lattice that extends beyond the domain has no face there
    low, high = low - margins[:, 0], high + margins[:, 1]
    mesh = _graded(_body_centered_lattice(low, high, h), surfaces)
    on = np.stack(
        [a & (np.abs(f.value(mesh.p.T)) < ON_CURVE_RTOL * f.scale) for f, a in zip(faces, active, strict=True)], 1
    )
    part = Tetrahedra(mesh.p.T.copy(), mesh.t.T.astype(np.int64), on)
    for surface in surfaces:
        part = _cut(part, surface)
    if not len(part.elements):
        raise MeshingFailed("the domain is empty")
    return Tetrahedra(_smooth(part, [*faces, *surfaces]), part.elements, part.on)


# ---- Lattice


def _reached_faces(faces: Sequence[Curve], surfaces: Sequence[Curve], low: Array, high: Array, h: float) -> list[bool]:
    """Whether a face has points in the domain, on a lattice of spacing at most h/4."""
    axes = [np.linspace(a, b, 4 * int(np.ceil((b - a) / h)) + 1) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    inside = np.all([s.distance(grid) > ON_CURVE_RTOL * s.scale for s in surfaces], axis=0)
    return [bool(inside[np.abs(f.value(grid)) < ON_CURVE_RTOL * f.scale].any()) for f in faces]


def _body_centered_lattice(low: Array, high: Array, h: float) -> MeshTet1:
    """Corners and centers of cells: two centers and an edge of the face between them are a tetrahedron; a face of the
    box and the center of its cell are two."""
    counts = np.maximum(np.ceil((high - low) / h - 1e-9).astype(int), 1)  # rounding errors of the quotient
    axes = [np.linspace(a, b, n + 1) for a, b, n in zip(low, high, counts, strict=True)]
    corners = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    centers = np.stack(np.meshgrid(*[(a[1:] + a[:-1]) / 2 for a in axes], indexing="ij"), -1).reshape(-1, 3)
    corner = np.arange(len(corners)).reshape(counts + 1)
    center = len(corners) + np.arange(len(centers)).reshape(counts)
    elements = []
    for axis in range(3):
        own, cells = np.moveaxis(corner, axis, 0), np.moveaxis(center, axis, 0)
        square = [own[:, :-1, :-1], own[:, 1:, :-1], own[:, 1:, 1:], own[:, :-1, 1:]]
        for k in range(4):
            ends = [square[k][1:-1], square[(k + 1) % 4][1:-1]]
            elements.append(np.stack([*ends, cells[:-1], cells[1:]], -1).reshape(-1, 4))
        for side in (0, -1):
            for triangle in ((0, 1, 2), (0, 2, 3)):
                elements.append(np.stack([*(square[k][side] for k in triangle), cells[side]], -1).reshape(-1, 4))
    return MeshTet1(np.concatenate([corners, centers]).T.copy(), np.concatenate(elements).T.copy())


def _graded(mesh: MeshTet1, surfaces: Sequence[Curve]) -> MeshTet1:
    """Bisects the elements in which the normal of a surface turns, until it turns by at most SURFACE_ANGLE."""
    for _ in range(GRADING_ROUNDS):
        corners = mesh.p[:, mesh.t].transpose(2, 1, 0)  # (elements, 4, 3)
        diameter = np.linalg.norm(corners[:, EDGES[:, 0]] - corners[:, EDGES[:, 1]], axis=2).max(1)
        marked = np.zeros(mesh.nelements, dtype=bool)
        for surface in surfaces:
            distance = surface.distance(corners.reshape(-1, 3)).reshape(-1, 4)
            near = np.flatnonzero(np.abs(distance).min(1) < diameter)
            normals = surface.directions(surface.project(corners[near].reshape(-1, 3))).reshape(-1, 4, 3)
            cosines = (normals[:, EDGES[:, 0]] * normals[:, EDGES[:, 1]]).sum(2).min(1)
            marked[near] |= cosines < np.cos(SURFACE_ANGLE)
        if not marked.any():
            return mesh
        mesh = mesh.refined(np.flatnonzero(marked))
        if mesh.nelements > MAX_ELEMENTS:
            break
    raise MeshingFailed("the surfaces are not smooth, or too curved for a mesh")


# ---- Cuts


def _cut(part: Tetrahedra, surface: Curve) -> Tetrahedra:
    """The part with positive values of a surface."""
    points, elements, on = part.points.copy(), part.elements, part.on
    edges = np.unique(np.sort(elements[:, EDGES].reshape(-1, 2), axis=1), axis=0)
    sign = _signs(surface, points)
    cut = edges[sign[edges[:, 0]] * sign[edges[:, 1]] < 0]
    where = _intersections(surface, points, cut)
    is_snapped = _snap(points, on, cut, where)
    sign[is_snapped] = 0
    on = np.concatenate([on, (sign == 0)[:, None]], 1)
    remains = ~is_snapped[cut].any(1)
    cut, where = cut[remains], where[remains]
    ends = points[cut]
    added = ends[:, 0] + where[:, None] * (ends[:, 1] - ends[:, 0])
    on_added = on[cut[:, 0]] & on[cut[:, 1]]
    on_added[:, -1] = True
    number = {(int(a), int(b)): len(points) + k for k, (a, b) in enumerate(cut)}
    kept = elements[(sign[elements] >= 0).all(1)]
    middle = surface.value(points[kept].mean(1))
    kept = kept[(sign[kept] > 0).any(1) | (middle > 0)]
    crossed = elements[(sign[elements] < 0).any(1) & (sign[elements] > 0).any(1)]
    pieces = [np.array(_positive_part(e, sign, number), dtype=np.int64) for e in np.sort(crossed, axis=1).tolist()]
    everything = np.concatenate([kept, *pieces])
    used, inverse = np.unique(everything, return_inverse=True)
    return Tetrahedra(
        np.concatenate([points, added])[used], inverse.reshape(-1, 4), np.concatenate([on, on_added])[used]
    )


def _signs(surface: Curve, points: Array) -> Indices:
    distance = surface.distance(points)
    return np.where(np.abs(distance) < ON_CURVE_RTOL * surface.scale, 0, np.sign(distance)).astype(np.int64)


def _intersections(surface: Curve, points: Array, edges: Indices) -> Array:
    """t of the zeros a + t (b - a) on edges with a sign change, by bisection."""
    a, b = points[edges[:, 0]], points[edges[:, 1]]
    rises = surface.value(b) > 0
    low, high = np.zeros(len(edges)), np.ones(len(edges))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        is_beyond = (surface.value(a + middle[:, None] * (b - a)) > 0) == rises
        low, high = np.where(is_beyond, low, middle), np.where(is_beyond, middle, high)
    return np.asarray((low + high) / 2)


def _snap(points: Array, on: np.ndarray, edges: Indices, where: Array) -> np.ndarray:
    """Moves vertices to the nearest cut within SNAP_FRACTION of an edge in the same faces and surfaces; whether they
    moved."""
    own = np.concatenate([edges[:, 0], edges[:, 1]])
    other = np.concatenate([edges[:, 1], edges[:, 0]])
    fraction = np.concatenate([where, 1 - where])
    allowed = (fraction < SNAP_FRACTION) & ~(on[own] & ~on[other]).any(1)
    own, other, fraction = own[allowed], other[allowed], fraction[allowed]
    step = fraction[:, None] * (points[other] - points[own])
    order = np.lexsort((np.linalg.norm(step, axis=1), own))
    moved, first = np.unique(own[order], return_index=True)
    points[moved] += step[order][first]
    result = np.zeros(len(points), dtype=bool)
    result[moved] = True
    return result


def _positive_part(
    element: Sequence[int], sign: Indices, number: dict[tuple[int, int], int]
) -> list[tuple[int, int, int, int]]:
    """Tetrahedra of the part with positive values of a cut element with ascending vertices. Quadrilaterals in its faces
    have the diagonal from the smaller positive vertex, in both elements of a face."""
    positive = [v for v in element if sign[v] > 0]
    zero = [v for v in element if sign[v] == 0]
    negative = [v for v in element if sign[v] < 0]

    def cut(p: int, n: int) -> int:
        return number[min(p, n), max(p, n)]

    a, *rest = positive
    match rest, negative:
        case [], _:
            (x, y, z) = (*zero, *(cut(a, n) for n in negative))
            return [(a, x, y, z)]
        case [b], [n]:
            (z,) = zero
            return [(a, b, cut(b, n), z), (a, cut(b, n), cut(a, n), z)]
        case [b], [n, m]:
            an, am, bn, bm = cut(a, n), cut(a, m), cut(b, n), cut(b, m)
            return [(a, b, bn, bm), (a, an, bn, bm), (a, an, bm, am)]
        case [b, c], [n]:
            an, bn, cn = cut(a, n), cut(b, n), cut(c, n)
            return [(a, b, c, cn), (a, b, bn, cn), (a, an, bn, cn)]
        case _:
            raise AssertionError(element)


# ---- Quality


def _smooth(part: Tetrahedra, surfaces: Sequence[Curve]) -> Array:
    """Moves vertices of poor elements toward the mean of their neighbours, on a surface along it, if the worst of their
    elements improves (smart Laplacian smoothing, L. Freitag 1997)."""
    points, elements = part.points.copy(), _oriented(part.points, part.elements)
    order = np.argsort(elements.ravel(), kind="stable")
    starts = np.searchsorted(elements.ravel()[order], np.arange(len(points) + 1))
    for _ in range(SMOOTHING_ROUNDS):
        poor = np.unique(elements[mean_ratio(points[elements]) < POOR_QUALITY])
        for v in poor[part.on[poor].sum(1) <= 1]:
            star = elements[order[starts[v] : starts[v + 1]] // 4]
            own = np.flatnonzero(part.on[v])
            neighbours = np.unique(star[star != v])
            neighbours = neighbours[part.on[neighbours][:, own].all(1)]
            start, worst = points[v].copy(), mean_ratio(points[star]).min()
            for step in SMOOTHING_STEPS:
                trial = start + step * (points[neighbours].mean(0) - start)
                points[v] = surfaces[own[0]].project(trial[None])[0] if len(own) else trial
                if mean_ratio(points[star]).min() > worst:
                    break
            else:
                points[v] = start
    return points


def _oriented(points: Array, elements: Indices) -> Indices:
    """Elements with positive volume."""
    corners = points[elements]
    is_negative = np.linalg.det(corners[:, 1:] - corners[:, :1]) < 0
    return np.where(is_negative[:, None], elements[:, [1, 0, 2, 3]], elements)


def mean_ratio(corners: Array) -> Array:
    """Quality of tetrahedra (n, 4, 3): ±12 (3 |V|)^(2/3) / Σ length² with the sign of the volume V, 1 for regular ones
    (Liu, Joe 1994)."""
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    squares = ((corners[:, EDGES[:, 0]] - corners[:, EDGES[:, 1]]) ** 2).sum((1, 2))
    return np.asarray(np.sign(volumes) * 12 * (3 * np.abs(volumes)) ** (2 / 3) / squares)
