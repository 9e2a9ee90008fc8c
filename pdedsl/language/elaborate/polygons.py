"""Polygons as inequalities: `space (x, y) in polygon([[0, 0], [1, 0], [0, 1]])`.

A polygon is its bounding box with the half planes of its edges on the convex hull, without its pockets: the polygons
between an edge of the hull (the lid) and the boundary. With h > 0 in the half plane of an edge and g > 0 in a pocket,
an inequality h > 0 for every edge on the hull, and min(h_lid, -g) > 0 for every pocket, describe it; pockets are
described likewise (convex differences: Tor and Middleditch, ACM Transactions on Graphics 3, 1984).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from sympy import Expr, Max, Min, Symbol

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Interval, LevelFunction
from pdedsl.language import ast as t
from pdedsl.language.elaborate.environment import Environment

Vertex = tuple[Expr, Expr]
MAX_VERTICES = 64  # of a polygon: its inequalities are sampled, and the polygon is tested for intersections of edges


def polygon_vertices(call: t.Call, env: Environment) -> tuple[Vertex, ...]:
    """The vertices of a simple polygon, counterclockwise from the leftmost lowest one, without those on edges."""
    if len(call.args) != 1 or call.named or not isinstance(call.args[0], t.ListExpr):
        raise errors.types.invalid_polygon(call.span)
    rows = call.args[0].items
    if any(not isinstance(row, t.ListExpr) or len(row.items) != 2 for row in rows):
        raise errors.types.invalid_polygon(call.span)
    if len(rows) > MAX_VERTICES:
        raise errors.types.too_many_vertices(MAX_VERTICES, call.span)
    vertices: list[Vertex] = []
    for row in rows:
        assert isinstance(row, t.ListExpr)
        vertices.append((env.number(row.items[0]), env.number(row.items[1])))
    if len(vertices) > 1 and vertices[0] == vertices[-1]:
        vertices.pop()
    return _normalize(vertices, call.span)


def _normalize(vertices: Sequence[Vertex], span: Span) -> tuple[Vertex, ...]:
    count = len(vertices)
    area = sum(_cross((0, 0), a, b) for a, b in zip(vertices, [*vertices[1:], *vertices[:1]], strict=True))
    if count < 3 or area == 0 or len(set(vertices)) < count:
        raise errors.types.degenerate_polygon(span)
    edges = [(vertices[k], vertices[(k + 1) % count]) for k in range(count)]
    for (i, one), (j, other) in combinations(enumerate(edges), 2):
        if j - i in (1, count - 1):
            continue
        if _intersect(*one, *other):
            raise errors.types.self_intersecting_polygon(span)
    ordered = list(vertices) if area > 0 else list(reversed(vertices))
    corners = [v for k, v in enumerate(ordered) if _cross(ordered[k - 1], v, ordered[(k + 1) % count]) != 0]
    first = corners.index(min(corners, key=lambda v: (float(v[0]), float(v[1]))))
    return tuple(corners[first:] + corners[:first])


def _cross(a: Sequence[Expr | int], b: Sequence[Expr | int], c: Sequence[Expr | int]) -> float:
    """Twice the signed area of a triangle; positive if it is counterclockwise. Zero up to rounding errors."""
    (ax, ay), (bx, by), (cx, cy) = ((float(p[0]), float(p[1])) for p in (a, b, c))
    first, second = (bx - ax) * (cy - ay), (by - ay) * (cx - ax)
    return 0.0 if abs(first - second) <= 1e-12 * (abs(first) + abs(second)) else first - second


def _intersect(a: Vertex, b: Vertex, c: Vertex, d: Vertex) -> bool:
    """Whether two closed segments intersect."""
    orientations = _cross(a, b, c), _cross(a, b, d), _cross(c, d, a), _cross(c, d, b)
    if orientations[0] * orientations[1] < 0 and orientations[2] * orientations[3] < 0:
        return True
    triples = ((a, b, c), (a, b, d), (c, d, a), (c, d, b))
    return any(
        orientation == 0 and _is_between(*triple) for orientation, triple in zip(orientations, triples, strict=True)
    )


def _is_between(a: Vertex, b: Vertex, point: Vertex) -> bool:
    return all(min(float(a[k]), float(b[k])) <= float(point[k]) <= max(float(a[k]), float(b[k])) for k in range(2))


def bounding_box(vertices: Sequence[Vertex]) -> tuple[Interval, Interval]:
    x, y = (sorted((v[k] for v in vertices), key=float) for k in range(2))
    return Interval(x[0], x[-1]), Interval(y[0], y[-1])


def polygon_levels(vertices: Sequence[Vertex], coordinates: Sequence[Symbol], span: Span) -> tuple[LevelFunction, ...]:
    """The functions that are positive in the polygon, for its bounding box."""
    box = bounding_box(vertices)
    parts = _parts(vertices, coordinates, None, box)
    return tuple(LevelFunction(expr, span) for expr in dict.fromkeys(parts))


def _parts(
    vertices: Sequence[Vertex],
    coordinates: Sequence[Symbol],
    lid: int | None,
    box: tuple[Interval, Interval] | None,
) -> Iterator[Expr]:
    """Functions that are all positive in a polygon. Its edge with the number `lid` is moved outwards, so that the lid
    belongs to the pocket. Half planes of faces of the box are left out."""
    hull = _hull(vertices)
    count = len(vertices)
    for i, j in zip(hull, [*hull[1:], hull[0] + count], strict=True):
        start, end = vertices[i % count], vertices[j % count]
        half_plane = _half_plane(start, end, coordinates)
        is_face = box is not None and _on_face(start, end, box)
        if j == i + 1:
            if i == lid:
                at = [dict(zip(coordinates, v, strict=True)) for v in vertices]
                half_plane += max((half_plane.subs(point) for point in at), key=float)
            if not is_face:
                yield half_plane
            continue
        pocket = [vertices[k % count] for k in range(j, i - 1, -1)]
        inside = list(_parts(pocket, coordinates, None if is_face else len(pocket) - 1, box if is_face else None))
        outside = Max(*(-g for g in inside))
        yield outside if is_face else Min(half_plane, outside)


def _hull(vertices: Sequence[Vertex]) -> list[int]:
    """Numbers of the vertices on the boundary of the convex hull, in ascending order; vertices are counterclockwise."""
    count = len(vertices)
    order = sorted(range(count), key=lambda k: (float(vertices[k][0]), float(vertices[k][1])))
    chains: list[list[int]] = []
    for numbers in (order, order[::-1]):  # Andrew's monotone chains
        chain: list[int] = []
        for k in numbers:
            while len(chain) > 1 and _cross(vertices[chain[-2]], vertices[chain[-1]], vertices[k]) < 0:
                chain.pop()
            chain.append(k)
        chains.append(chain)
    return sorted({*chains[0], *chains[1]})


def _half_plane(start: Vertex, end: Vertex, coordinates: Sequence[Symbol]) -> Expr:
    """A linear function that is positive on the left of an edge."""
    x, y = coordinates
    return ((end[0] - start[0]) * (y - start[1]) - (end[1] - start[1]) * (x - start[0])).expand()


def _on_face(start: Vertex, end: Vertex, box: tuple[Interval, Interval]) -> bool:
    return any(start[k] == end[k] and start[k] in (box[k].start, box[k].end) for k in range(2))
