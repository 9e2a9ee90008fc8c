"""Values at scattered points from a file of numpy's savez, and their piecewise linear interpolant of order 2.

The interpolant is linear on the triangles of the Delaunay triangulation (de Berg et al. 2008, ch. 9). Points are
inserted from left to right, each connected to the edges of the convex hull that it sees; edges are flipped until the
circumcircle of no triangle contains the opposite point (Lawson 1977). Signs of determinants are exact. Files are read
without numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import isqrt
from pathlib import Path
from typing import ClassVar, TypeVar

from pdedsl.numerics.grid_data import InvalidArray, find_file, read_finite_array

Point = tuple[float, float]
Triangle = tuple[int, int, int]  # counterclockwise

MAX_POINTS = 20_000  # the triangulation is computed in Python
FILTER = 1e-13  # of the magnitude of the products in a determinant: above, its sign in double precision is exact
HULL_RTOL = 1e-6  # of the extent of the points, by which a point may lie outside of the hull: single-precision rounding


@dataclass(frozen=True)
class ScatteredSource:
    """An array of a file at scattered points: the names of the arrays of their coordinates."""

    file: str
    digest: str
    name: str
    axes: tuple[str, ...]
    max_derivatives: ClassVar[int] = 1  # the gradient is constant on each triangle


@dataclass(frozen=True)
class ScatteredInterpolant:
    """The piecewise linear interpolant of values at points of the plane."""

    points: tuple[Point, ...]
    values: tuple[float, ...]

    @cached_property
    def triangles(self) -> tuple[Triangle, ...]:
        return triangulate(self.points)

    @cached_property
    def coefficients(self) -> tuple[tuple[float, float, float], ...]:
        """(c, a, b) of c + a x + b y on each triangle."""
        return tuple(map(self._linear, self.triangles))

    def _linear(self, triangle: Triangle) -> tuple[float, float, float]:
        (x0, y0), (x1, y1), (x2, y2) = (self.points[k] for k in triangle)
        f0, f1, f2 = (self.values[k] for k in triangle)
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        a = ((f1 - f0) * (y2 - y0) - (f2 - f0) * (y1 - y0)) / area
        b = ((f2 - f0) * (x1 - x0) - (f1 - f0) * (x2 - x0)) / area
        return f0 - a * x0 - b * y0, a, b

    @property
    def bounds(self) -> tuple[float, float]:
        return min(self.values), max(self.values)

    def __call__(self, point: Sequence[float], orders: Sequence[int]) -> float:
        """The value, or a first derivative, at a point; outside of the hull, that of the nearest triangle."""
        c, a, b = self.coefficients[self.locate(point)[0]]
        match tuple(orders):
            case (0, 0):
                return c + a * point[0] + b * point[1]
            case (1, 0):
                return a
            case _:
                return b

    def locate(self, point: Sequence[float]) -> tuple[int, float]:
        """The triangle with the largest smallest barycentric coordinate, and that coordinate: negative outside."""
        x, y = point
        i, j = self._cell_of(x, y)
        best, largest = 0, float("-inf")
        for k in self.cells[i][j] or range(len(self.triangles)):
            inside = min(self._barycentric(k, x, y))
            if inside > largest:
                best, largest = k, inside
            if inside >= 0:
                break
        return best, largest

    def _barycentric(self, k: int, x: float, y: float) -> tuple[float, float, float]:
        (x0, y0), (x1, y1), (x2, y2) = (self.points[v] for v in self.triangles[k])
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        second = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / area
        third = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / area
        return 1 - second - third, second, third

    @cached_property
    def box(self) -> tuple[Point, Point]:
        xs, ys = zip(*self.points, strict=True)
        return (min(xs), min(ys)), (max(xs), max(ys))

    @cached_property
    def cells(self) -> list[list[list[int]]]:
        """For each cell of a grid on the bounding box the triangles whose own bounding boxes meet it."""
        cells: list[list[list[int]]] = [[[] for _ in range(self.cell_count)] for _ in range(self.cell_count)]
        for k, triangle in enumerate(self.triangles):
            xs, ys = zip(*(self.points[v] for v in triangle), strict=True)
            (i0, j0), (i1, j1) = self._cell_of(min(xs), min(ys)), self._cell_of(max(xs), max(ys))
            for i in range(i0, i1 + 1):
                for j in range(j0, j1 + 1):
                    cells[i][j].append(k)
        return cells

    @cached_property
    def cell_count(self) -> int:
        """Along each axis."""
        return max(1, isqrt(len(self.triangles)))

    def _cell_of(self, x: float, y: float) -> tuple[int, int]:
        (left, bottom), (right, top) = self.box
        n = self.cell_count
        i, j = int(n * (x - left) / (right - left)), int(n * (y - bottom) / (top - bottom))
        return min(max(i, 0), n - 1), min(max(j, 0), n - 1)

    def covers(self, point: Sequence[float]) -> bool:
        """Whether a point lies in the hull, up to rounding."""
        return self.locate(point)[1] >= -HULL_RTOL


# ---- Delaunay triangulation


def orientation(a: Point, b: Point, c: Point) -> int:
    """1 if a, b, c are counterclockwise, -1 if clockwise, 0 if collinear."""
    left, right = (b[0] - a[0]) * (c[1] - a[1]), (b[1] - a[1]) * (c[0] - a[0])
    determinant = left - right
    if abs(determinant) > FILTER * (abs(left) + abs(right)):
        return 1 if determinant > 0 else -1
    (ax, ay), (bx, by), (cx, cy) = ((Fraction(x), Fraction(y)) for x, y in (a, b, c))
    exact = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return (exact > 0) - (exact < 0)


def is_in_circumcircle(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether d is inside of the circle through a, b, c, which are counterclockwise."""
    rows = [(p[0] - d[0], p[1] - d[1]) for p in (a, b, c)]
    determinant, size = _circle_determinant(rows)
    if abs(determinant) > 10 * FILTER * size:
        return bool(determinant > 0)
    x, y = Fraction(d[0]), Fraction(d[1])
    return _circle_determinant([(Fraction(p[0]) - x, Fraction(p[1]) - y) for p in (a, b, c)])[0] > 0


Number = TypeVar("Number", float, Fraction)


def _circle_determinant(rows: Sequence[tuple[Number, Number]]) -> tuple[Number, Number]:
    """The determinant of (x, y, x² + y²), and the sum of the magnitudes of its products."""
    (ax, ay), (bx, by), (cx, cy) = rows
    aa, bb, cc = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    products = (aa * bx * cy, -aa * by * cx, -bb * ax * cy, bb * ay * cx, cc * ax * by, -cc * ay * bx)
    return sum(products, start=0 * aa), sum(map(abs, products), start=0 * aa)


def triangulate(points: Sequence[Point]) -> tuple[Triangle, ...]:
    """The Delaunay triangulation; raises InvalidArray if all points are collinear, or two coincide."""
    order = sorted(range(len(points)), key=lambda k: points[k])
    if any(points[a] == points[b] for a, b in pairwise(order)):
        raise InvalidArray("two points coincide")
    apex = next((n for n in range(2, len(order)) if orientation(*(points[order[k]] for k in (0, n - 1, n)))), None)
    if apex is None:
        raise InvalidArray("all points are on a line")
    return tuple(_Triangulation(points, order, apex).triangles())


class _Triangulation:
    """Triangles by their directed edges: `opposite[a, b]` is the third vertex of the triangle to the left of a → b. The
    convex hull is a cycle, counterclockwise."""

    def __init__(self, points: Sequence[Point], order: Sequence[int], apex: int) -> None:
        self.points, self.opposite = points, dict[tuple[int, int], int]()
        line, top = list(order[:apex]), order[apex]
        if orientation(points[line[0]], points[line[-1]], points[top]) < 0:
            line.reverse()
        for a, b in pairwise(line):
            self._add(a, b, top)
        hull = [*line, top]
        self.after = dict(zip(hull, (*hull[1:], hull[0]), strict=True))
        self.before = {b: a for a, b in self.after.items()}
        self.last = top
        for k in order[apex + 1 :]:
            self._insert(k)

    def triangles(self) -> list[Triangle]:
        return [(a, b, c) for (a, b), c in self.opposite.items() if a < b and a < c]

    def _add(self, a: int, b: int, c: int) -> None:
        self.opposite[a, b], self.opposite[b, c], self.opposite[c, a] = c, a, b

    def _sees(self, k: int, a: int, b: int) -> bool:
        return orientation(self.points[a], self.points[b], self.points[k]) < 0

    def _insert(self, k: int) -> None:
        """Connects a point to the edges of the hull that it sees: they are next to the point inserted before it."""
        first = last = self.last
        while self._sees(k, self.before[first], first):
            first = self.before[first]
        while self._sees(k, last, self.after[last]):
            last = self.after[last]
        edges, at = [], first
        while at != last:
            edges.append((self.after[at], at))
            at = self.after[at]
        for b, a in edges:
            self._add(b, a, k)
        self.after[first], self.after[k], self.before[k], self.before[last] = k, last, first, k
        self.last = k
        self._legalize(k, edges)

    def _legalize(self, k: int, edges: list[tuple[int, int]]) -> None:
        """Flips edges opposite to a point until all circumcircles are empty."""
        while edges:
            a, b = edges.pop()
            d = self.opposite.get((b, a))
            if d is None or not is_in_circumcircle(*(self.points[v] for v in (a, b, k, d))):
                continue
            del self.opposite[a, b], self.opposite[b, a]
            self._add(k, a, d)
            self._add(d, b, k)
            edges += [(a, d), (d, b)]


# ---- Points of a file


@lru_cache(maxsize=32)
def load_scattered(source: ScatteredSource) -> ScatteredInterpolant:
    """The interpolant of a checked file."""
    return make_scattered(find_file(source.file, source.digest), source.name, source.axes)


def make_scattered(path: Path, name: str, axes: Sequence[str]) -> ScatteredInterpolant:
    """The interpolant; raises InvalidArray with the name of the array and the reason."""
    values, columns = read_finite_array(path, name).values, [read_finite_array(path, a).values for a in axes]
    if len(columns) != 2:
        raise InvalidArray("scattered points are supported in two coordinates")
    if len(values) > MAX_POINTS:
        raise InvalidArray(f"'{name}' has more than {MAX_POINTS:,} scattered points")
    if len(values) < 3:
        raise InvalidArray(f"'{name}' has fewer than three points")
    interpolant = ScatteredInterpolant(tuple(zip(*columns, strict=True)), tuple(values))
    interpolant.triangles  # noqa: B018  # raises InvalidArray for points on a line
    return interpolant


def is_scattered(path: Path, name: str, axes: Sequence[str]) -> bool:
    """Whether an array has a value for each of a list of points, by one-dimensional arrays of the same length."""
    shapes = [read_finite_array(path, n).shape for n in (name, *axes)]
    return len(axes) > 1 and all(len(s) == 1 for s in shapes) and len(set(shapes)) == 1
