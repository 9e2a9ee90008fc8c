"""Simplicial meshes of the spatial domain of a problem, with every boundary facet attributed to its face or curve.

Boxes get structured meshes, shapes by inequalities curved triangulations or tetrahedra. The mesh belongs to the spatial
coordinates of the domain; time is left out. Boundaries have names (`Place.name`), so that conditions on faces and
curves select their facets with `facets_of`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from skfem import Mesh, MeshLine1, MeshTet1, MeshTet2, MeshTri1, MeshTri2
from sympy import DiracDelta, Expr, Heaviside, default_sort_key, sign

from pdedsl.ir.boundary import Face, LevelSet, Place
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.solvers.elements.boundary_curves import (
    Array,
    Curve,
    boundary_arcs,
    face_curve,
    level_curve,
    project_to_intersection,
)
from pdedsl.solvers.elements.tetrahedralize import tetrahedralize
from pdedsl.solvers.elements.triangulate import Indices, MeshingFailed, triangulate
from pdedsl.symbolic.mesh_domain import MeshBoundary

MAX_NODES = 3000  # in a triangulation by force equilibrium; finer meshes are its uniform refinements
JACOBIAN_POINTS = 4  # on each edge of the reference triangle, for the sign of the Jacobian of curved elements

MIN_JACOBIAN_RATIO = 0.1  # of curved elements; below, their nodes are moved toward the straight element
HALVINGS = 4  # of the displacement of nodes: afterwards an element is nearly straight


def make_mesh(
    domain: Domain, h: float, order: int = 1, interfaces: Sequence[Expr] = (), breakpoints: Sequence[Expr] = ()
) -> Mesh:
    """A mesh of the spatial domain with edges of length about h.

    A domain with a mesh has this mesh, refined if its edges are longer. Other domains are meshed here. A box in one,
    two or three dimensions has a structured mesh of intervals, triangles or tetrahedra. A plane domain by
    inequalities has a triangulation that is finer where the boundary is curved or close to another part of it; corners
    are nodes. In three dimensions, tetrahedra are finer where smooth surfaces are curved. Nodes on opposite periodic
    faces correspond to each other. The same arguments give the same mesh.

    Args:
        domain: the domain; its coordinates of space are meshed.
        h: length of edges, at most; diagonals of structured meshes are longer.
        order: 1 for straight elements, 2 for isoparametric elements of second degree (`MeshTri2`, `MeshTet2`), whose
            nodes on boundary edges lie on the curve. A straight-sided box has the same mesh type for both in 1D.
        interfaces: functions F; in one and two dimensions the points, curves F = 0 inside the domain consist of facets.
        breakpoints: functions; a boundary facet lies on one side of their zero sets, such as the end of a part of a
            face with its own condition.

    Returns:
        the mesh. `boundaries` has the facets of every face and curve, by name; a facet on the boundary has
        exactly one name.

    Raises:
        MeshingFailed: the domain is empty, or its boundary is too complicated for the size.
    """
    if domain.mesh_boundary is not None:
        return _refine_to_length(_mesh_from_file(domain.mesh_boundary, domain), domain, h)
    low, high = _box(domain)
    if len(low) == 1:
        return _interval_mesh(domain, low, high, h, (*interfaces, *breakpoints))
    if not domain.inequalities and not interfaces:
        return _box_mesh(domain, low, high, h, order, breakpoints)
    if len(low) == 2:
        return _plane_mesh(domain, low, high, h, order, interfaces, breakpoints)
    if interfaces:
        raise MeshingFailed("surfaces inside the domain are not supported in three dimensions")
    return _solid_mesh(domain, low, high, h, order)


def mesh_of(statement: StrongForm, h: float, order: int = 1) -> Mesh:
    """The mesh of a problem: its conditions on curves inside the domain and on parts of faces end at facets."""
    ends = dict.fromkeys(g for c in statement.conditions for g in c.part)
    return make_mesh(statement.domain, h, order, interfaces_of(statement), tuple(ends))


def interfaces_of(statement: StrongForm) -> tuple[Expr, ...]:
    """F of the curves F = 0 in the interior with conditions, or where coefficients of the equations jump, and of the
    point sources of an interval; none with a
    mesh from a file, which is not adapted to them."""
    domain = statement.domain
    if domain.mesh_boundary is not None:
        return ()
    exprs = [c.place.expr for c in statement.conditions if isinstance(c.place, LevelSet)]
    if len(domain.space) < 3:
        jumps = [h for e in statement.equations for h in e.expr.atoms(Heaviside, DiracDelta, sign)]
        arguments = {h.args[0] for h in jumps if h.args[0].free_symbols <= set(domain.space)}
        exprs += sorted(arguments, key=default_sort_key)
    if len(domain.space) == 1:
        places = [a for e in statement.equations for s in e.point_sources for _, a in s.places]
        exprs += [domain.space[0] - a for a in sorted(places)]
    return tuple(dict.fromkeys(e for e in exprs if e not in domain.inequalities))


def facets_of(mesh: Mesh, place: Place) -> Indices:
    """Numbers of the facets on a face or curve; none if it is no part of the boundary."""
    return np.asarray((mesh.boundaries or {}).get(place.name, np.empty(0, dtype=np.int64)))


def refine_mesh(mesh: Mesh, domain: Domain, marked: Indices | None = None, interfaces: Sequence[Expr] = ()) -> Mesh:
    """Refines the marked elements, and others as conformity requires; all if none are given. New nodes on curves are
    projected to them, and boundaries keep their names.

    Args:
        mesh: a mesh by `make_mesh` for the same domain and interfaces.
        marked: numbers of elements.

    Raises:
        MeshingFailed: a curved element has become inverted; the mesh is too coarse for its curve.
    """
    straight = _vertex_mesh(mesh)
    fine = straight.refined(1) if marked is None else straight.refined(np.asarray(marked))
    names = _inherit_boundaries(straight, mesh.boundaries or {}, fine)
    fine = replace(fine, _boundaries=None, _subdomains=None)
    if isinstance(fine, MeshLine1):
        return fine.with_boundaries(names)
    if domain.mesh_boundary is not None:
        return fine.with_boundaries(names)
    curves = _curves_by_name(domain, interfaces)
    return _curve_boundary(fine, names, curves, 2 if isinstance(mesh, MeshTri2 | MeshTet2) else 1)


# ---- Meshes from files


def _mesh_from_file(boundary: MeshBoundary, domain: Domain) -> Mesh:
    """The mesh with its parts of the boundary."""
    stored = boundary.mesh
    kind = MeshTri1 if stored.dimension == 2 else MeshTet1
    mesh = kind(np.array(stored.points).T.copy(), np.array(stored.cells, dtype=np.int64).T.copy())
    parts = {g.part: stored.parts[g.part] for g in domain.inequalities if isinstance(g, MeshBoundary)}
    return mesh.with_boundaries({n: np.sort(_facet_numbers(mesh, np.array(f))) for n, f in parts.items()})


def _refine_to_length(mesh: Mesh, domain: Domain, h: float) -> Mesh:
    while mesh.param() > h:
        mesh = refine_mesh(mesh, domain)
    return mesh


# ---- Boxes


def _box(domain: Domain) -> tuple[Array, Array]:
    intervals = domain.intervals[: len(domain.space)]
    return np.array([float(i.start) for i in intervals]), np.array([float(i.end) for i in intervals])


def _interval_mesh(domain: Domain, low: Array, high: Array, h: float, functions: Sequence[Expr]) -> Mesh:
    """Intervals where all inequalities hold, with the zeros of functions as nodes."""
    scale = float(high[0] - low[0])
    curves = [level_curve(g, domain.space, scale) for g in (*domain.inequalities, *functions)]
    zeros: list[tuple[float, Place]] = [(low[0], Face(0, False)), (high[0], Face(0, True))]
    zeros += [(z, c.place) for c in curves for z in _zeros(c, low, high)]
    ends = np.unique(np.round([z for z, _ in zeros], 14))
    cells = []
    for a, b in itertools.pairwise(ends):
        middle = np.array([[(a + b) / 2]])
        if all(c.value(middle)[0] > 0 for c in curves[: len(domain.inequalities)]):
            cells.append(np.linspace(a, b, int(np.ceil((b - a) / h - 1e-9)) + 1))  # rounding errors of the quotient
    if not cells:
        raise MeshingFailed("the domain is empty")
    points, inverse = np.unique(np.concatenate(cells), return_inverse=True)
    offsets = np.cumsum([0, *(len(c) for c in cells)])
    elements = np.concatenate(
        [np.stack([inverse[a : b - 1], inverse[a + 1 : b]]) for a, b in itertools.pairwise(offsets)], 1
    )
    mesh = MeshLine1(points[None], elements)
    names: dict[str, list[int]] = {}
    for z, place in zeros:
        vertex = int(np.abs(points - z).argmin())
        if abs(points[vertex] - z) < 1e-12 * scale:  # rounding errors of z
            names.setdefault(place.name, []).append(int(np.flatnonzero(mesh.facets[0] == vertex)[0]))
    return mesh.with_boundaries({name: np.unique(facets) for name, facets in names.items()})


def _zeros(curve: Curve, low: Array, high: Array) -> list[float]:
    """Sign changes of a function on an interval."""
    from scipy.optimize import brentq

    x = np.linspace(low[0], high[0], 2001)  # resolves features of 1/2000 of the interval
    values = curve.value(x[:, None])
    exact = [float(z) for z in x[values == 0]]
    changes = np.flatnonzero(values[1:] * values[:-1] < 0)
    return exact + [
        brentq(lambda z: float(curve.value(np.array([[z]]))[0]), x[k], x[k + 1], xtol=1e-15) for k in changes
    ]


def _box_mesh(domain: Domain, low: Array, high: Array, h: float, order: int, breakpoints: Sequence[Expr]) -> Mesh:
    """Structured mesh; breakpoints on faces are nodes of the axes."""
    axes = [_axis(a, b, h, ends) for a, b, ends in zip(low, high, _cuts(domain, low, high, breakpoints), strict=True)]
    mesh = _symmetric_triangles(*axes) if len(axes) == 2 else MeshTet1.init_tensor(*axes)
    middles = mesh.p[:, mesh.facets].mean(1)
    boundary = mesh.boundary_facets()
    names = {
        Face(k, upper).name: boundary[np.isclose(middles[k, boundary], bound, rtol=0, atol=1e-9 * (high[k] - low[k]))]
        for k in range(len(axes))
        for upper, bound in ((False, low[k]), (True, high[k]))
    }
    if order > 1:
        mesh = (MeshTri2 if len(axes) == 2 else MeshTet2).from_mesh(mesh)
    return mesh.with_boundaries(names)


def _axis(a: float, b: float, h: float, cuts: Sequence[float]) -> Array:
    """Nodes of [a, b] at distances of at most h, with cuts among them."""
    ends = np.unique([a, b, *cuts])
    pieces = [np.linspace(s, e, int(np.ceil((e - s) / h - 1e-9)) + 1) for s, e in itertools.pairwise(ends)]
    return np.unique(np.concatenate(pieces))


def _cuts(domain: Domain, low: Array, high: Array, breakpoints: Sequence[Expr]) -> list[list[float]]:
    """For each axis of a rectangle the zeros of functions on the faces parallel to it; functions of a single
    coordinate in three dimensions."""
    cuts: list[list[float]] = [[] for _ in low]
    for g in breakpoints:
        for k, x in enumerate(domain.space):
            others = [y for y in domain.space if y != x]
            fixed = [{y: domain.intervals[domain.space.index(y)].start for y in others}]
            if len(others) == 1:
                fixed.append({y: domain.intervals[domain.space.index(y)].end for y in others})
            elif g.has(*others):
                continue
            for at in fixed:
                restricted = g.subs(at)
                if restricted.has(x):
                    curve = level_curve(restricted, (x,), float(high[k] - low[k]))
                    cuts[k] += [z for z in _zeros(curve, low[k : k + 1], high[k : k + 1]) if low[k] < z < high[k]]
    return cuts


def _symmetric_triangles(x: Array, y: Array) -> MeshTri1:
    """Triangles on a grid of rectangles; diagonals point to the center, so that every triangle at a corner has a node
    inside."""
    nx, ny = len(x) - 1, len(y) - 1
    points = np.stack(np.meshgrid(x, y, indexing="ij")).reshape(2, -1)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij"))
    a, b = i * (ny + 1) + j, (i + 1) * (ny + 1) + j
    c, d = b + 1, a + 1
    rising = (2 * i < nx) == (2 * j < ny)
    first = np.where(rising, np.stack([a, b, c]), np.stack([a, b, d]))
    second = np.where(rising, np.stack([a, c, d]), np.stack([b, c, d]))
    return MeshTri1(points, np.concatenate([first, second], 1))


# ---- Plane domains


def _curves(domain: Domain, exprs: Sequence[Expr]) -> list[Curve]:
    low, high = _box(domain)
    return [level_curve(g, domain.space, float(np.linalg.norm(high - low))) for g in exprs]


def _constraints(domain: Domain) -> list[Curve]:
    """The functions that are positive in the domain: faces of the box, then inequalities."""
    low, high = _box(domain)
    faces = [face_curve(Face(k, upper), low, high) for k in range(len(low)) for upper in (False, True)]
    return [*faces, *_curves(domain, domain.inequalities)]


def _curves_by_name(domain: Domain, interfaces: Sequence[Expr]) -> dict[str, Curve]:
    return {c.place.name: c for c in (*_constraints(domain), *_curves(domain, interfaces))}


def _plane_mesh(
    domain: Domain,
    low: Array,
    high: Array,
    h: float,
    order: int,
    interfaces: Sequence[Expr],
    breakpoints: Sequence[Expr],
) -> Mesh:
    constraints = _constraints(domain)
    arcs = boundary_arcs(constraints, _curves(domain, interfaces), _curves(domain, breakpoints), low, high)
    if not any(arc.on_boundary for arc in arcs):
        raise MeshingFailed("the domain is empty")

    def inside(points: Array) -> np.ndarray:
        return np.asarray(np.min([c.value(points) for c in constraints], axis=0) > 0)

    estimate = float(np.prod(high - low)) * 1.2 / h**2  # nodes of a triangular lattice
    refinements = max(0, int(np.ceil(np.log2(max(estimate, 1.0) / MAX_NODES) / 2)))
    periodic = tuple(k for k in range(2) if domain.intervals[k].periodic)
    shape = triangulate(arcs, inside, h * 2**refinements, periodic)
    mesh = MeshTri1(shape.points.T.copy(), shape.triangles.T.copy())
    facets = _facet_numbers(mesh, shape.edges)
    names: dict[str, list[int]] = {}
    for facet, k in zip(facets.tolist(), shape.arcs.tolist(), strict=True):
        names.setdefault(arcs[k].place.name, []).append(facet)
    named = {name: np.unique(numbers) for name, numbers in names.items()}
    mesh = _curve_boundary(mesh, named, _curves_by_name(domain, interfaces), 1 if refinements else order)
    for k in range(refinements):
        mesh = refine_mesh(mesh, domain, None, interfaces)
        if k == refinements - 1 and order > 1:
            mesh = _curve_boundary(mesh, mesh.boundaries, _curves_by_name(domain, interfaces), order)
    return mesh


def _solid_mesh(domain: Domain, low: Array, high: Array, h: float, order: int) -> Mesh:
    constraints = _constraints(domain)
    part = tetrahedralize(constraints[:6], constraints[6:], low, high, h)
    mesh = MeshTet1(part.points.T.copy(), part.elements.T.copy())
    boundary = mesh.boundary_facets()
    candidates = part.on[mesh.facets[:, boundary]].all(0)  # (facets, constraints)
    middles = mesh.p[:, mesh.facets[:, boundary]].mean(1).T
    distance = np.stack([np.abs(c.distance(middles)) for c in constraints], 1)
    owner = np.where(candidates, distance, np.inf).argmin(1)
    names = {c.place.name: boundary[owner == k] for k, c in enumerate(constraints) if (owner == k).any()}
    return _curve_boundary(mesh, names, _curves_by_name(domain, ()), order)


def _facet_numbers(mesh: Mesh, edges: Indices) -> Indices:
    """Numbers of facets with the given vertices."""
    key = {tuple(f): k for k, f in enumerate(np.sort(mesh.facets, axis=0).T.tolist())}
    return np.array([key[tuple(e)] for e in np.sort(edges, axis=1).tolist()], dtype=np.int64)


def _curve_boundary(mesh: Mesh, names: Mapping[str, Indices], curves: Mapping[str, Curve], order: int) -> Mesh:
    """The mesh with vertices on curves projected to them, of the given order, with named boundaries."""
    vertices = {name: np.unique(mesh.facets[:, facets]) for name, facets in names.items()}
    mesh = replace(mesh, doflocs=_projected(mesh.p, vertices, curves))
    if order > 1:
        mesh = (MeshTri2 if mesh.dim() == 2 else MeshTet2).from_mesh(mesh)
        nodes = {name: np.unique(mesh.dofs.get_facet_dofs(facets).flatten()) for name, facets in names.items()}
        mesh = _with_nodes(mesh, _projected(mesh.doflocs, nodes, curves))
    moved = np.isin(mesh.t, np.concatenate([*vertices.values(), np.empty(0, dtype=np.int64)])).any(0)
    if (jacobian_signs(mesh, np.flatnonzero(moved)) <= 0).any():
        raise MeshingFailed("an element is inverted; use a smaller element size")
    return mesh.with_boundaries(dict(names))


def _with_nodes(mesh: Mesh, nodes: Array) -> Mesh:
    """The mesh with other nodes; those of elements that are nearly inverted move half of the way, or less."""
    displacement = nodes - mesh.doflocs
    elements = np.flatnonzero((displacement[:, mesh.dofs.element_dofs] != 0).any((0, 1)))
    for _ in range(HALVINGS):
        curved = replace(mesh, doflocs=mesh.doflocs + displacement)
        poor = elements[jacobian_signs(curved, elements) < MIN_JACOBIAN_RATIO]
        if not len(poor):
            return curved
        displacement[:, np.unique(mesh.dofs.element_dofs[:, poor])] /= 2
    return replace(mesh, doflocs=mesh.doflocs + displacement)


def _projected(points: Array, on: Mapping[str, Indices], curves: Mapping[str, Curve]) -> Array:
    """The points (d, n) moved to the curves on which they lie, by Gauss-Newton steps at intersections."""
    points = points.copy()
    member = np.zeros((points.shape[1], len(on)), dtype=bool)
    for k, numbers in enumerate(on.values()):
        member[numbers, k] = True
    places = [curves[name] for name in on]
    for kind in np.unique(member, axis=0):
        own = [c for c, chosen in zip(places, kind, strict=True) if chosen]
        rows = np.flatnonzero((member == kind).all(1))
        if len(own) == 1:
            points[:, rows] = own[0].project(points[:, rows].T).T
        elif any(isinstance(c.place, LevelSet) for c in own):
            points[:, rows] = project_to_intersection(points[:, rows].T, own).T
    for place in places:  # corners remain on faces exactly
        if isinstance(place.place, Face):
            numbers = on[place.place.name]
            points[:, numbers] = place.project(points[:, numbers].T).T
    return points


def jacobian_signs(mesh: Mesh, elements: Indices | None = None) -> Array:
    """For each element, or the given ones, the smallest Jacobian determinant divided by the largest, over points of the
    reference element; negative if the element is inverted."""
    dimension = mesh.p.shape[0]
    grid = np.stack(np.meshgrid(*[np.arange(JACOBIAN_POINTS + 1) / JACOBIAN_POINTS] * dimension)).reshape(dimension, -1)
    points = grid[:, grid.sum(0) <= 1 + 1e-9]
    determinants = mesh.mapping().detDF(points, elements)
    sign = np.sign(determinants[:, :1])
    return np.asarray((sign * determinants).min(1) / np.abs(determinants).max(1))


# ---- Refinement


def _vertex_mesh(mesh: Mesh) -> Mesh:
    """The straight mesh with the same vertices and elements."""
    if isinstance(mesh, MeshTri2):
        return MeshTri1(
            np.ascontiguousarray(mesh.p[:, : mesh.nvertices]), mesh.t
        )  # sorted vertices: edges of third degree are oriented
    if isinstance(mesh, MeshTet2):
        return MeshTet1(np.ascontiguousarray(mesh.p[:, : mesh.nvertices]), mesh.t, sort_t=False)
    return replace(mesh, _boundaries=None)


def _inherit_boundaries(coarse: Mesh, names: Mapping[str, Indices], fine: Mesh) -> dict[str, Indices]:
    """Facets of the fine mesh that lie in named facets of the coarse one, by their centroids."""
    from scipy.spatial import cKDTree

    numbers = np.unique(np.concatenate([*names.values(), np.empty(0, dtype=np.int64)])).astype(np.int64)
    owner = {int(f): [name for name, facets in names.items() if f in set(facets.tolist())] for f in numbers}
    centroids = fine.p[:, fine.facets].mean(1).T
    corners = coarse.p[:, coarse.facets[:, numbers]]  # (dimension, dimension, k): coordinates, vertices, facets
    candidates = cKDTree(centroids).query_ball_point(
        corners.mean(1).T, np.linalg.norm(corners - corners.mean(1, keepdims=True), axis=0).max(0) * (1 + 1e-9)
    )
    result: dict[str, list[int]] = {name: [] for name in names}
    for k, facet in enumerate(numbers):
        near = np.array(sorted(candidates[k]), dtype=np.int64)
        for child in near[_in_simplex(centroids[near], corners[:, :, k].T)]:
            for name in owner[int(facet)]:
                result[name].append(int(child))
    return {name: np.array(sorted(facets), dtype=np.int64) for name, facets in result.items()}


def _in_simplex(points: Array, corners: Array) -> np.ndarray:
    """Whether points (n, d) lie in the simplex of dimension d - 1 with the given corners (d, d)."""
    if len(corners) == 1:
        return np.asarray((points == corners[0]).all(1))
    edges = corners[1:] - corners[0]
    weights = np.linalg.lstsq(edges.T, (points - corners[0]).T, rcond=None)[0]
    distance = np.linalg.norm((points - corners[0]).T - edges.T @ weights, axis=0)
    tolerance = 1e-9  # relative to the facet: centroids of children have weights of at least 1/8
    size = np.linalg.norm(edges, axis=1).max()
    return np.asarray((distance < tolerance * size) & (weights > -tolerance).all(0) & (weights.sum(0) < 1 + tolerance))
