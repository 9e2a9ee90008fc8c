"""Deterministic sample points of a domain, of its faces and of level sets in it.

A domain is the part of a box where every g is positive, sampled by rejection; a set is taken to be empty if no trial is
accepted (not a proof). Points of a level set F = 0 are found by Newton's method along the gradient,
x ← x - F ∇F/‖∇F‖², and count only if F changes sign there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import islice
from math import isfinite, sqrt

from sympy import Expr, Symbol

from pdedsl.numerics.simplicial_mesh import SimplicialMesh
from pdedsl.record import Record
from pdedsl.symbolic.evaluate import Layout, Point, PointFunction, compile_function
from pdedsl.symbolic.mesh_domain import MeshBoundary

MAX_TRIALS = 4000  # random points, of which a thin domain contains few
NEWTON_STARTS = 400  # of the projection onto a surface
NEWTON_STARTS_HIGH_DIMENSION = 8  # a step costs a gradient with many components
HIGH_DIMENSION = 17  # above it, coordinates are not explicit
MAX_NEWTON_STEPS = 60  # linear convergence at singular points of a surface
SURFACE_RTOL = 1e-9  # relative to the size of the box: distance to a surface or to the closed domain
SAMPLING_SCALES = (
    1.0,
    0.5,
    0.2,
    0.1,
    0.05,
    0.02,
)  # around the centre of the box: in high dimensions a ball fills little of a box
DIFFERENCE_STEP = 1e-5  # relative to the size of the box


class Region(Record):
    """A box, given by the bounds of its coordinates, and the functions that are positive in the domain."""

    layout: Layout
    bounds: tuple[tuple[float, float], ...]
    inequalities: tuple[Expr, ...] = ()

    @cached_property
    def levels(self) -> tuple[PointFunction, ...]:
        return tuple(compile_function(g, self.layout) for g in self.inequalities)

    @cached_property
    def mesh(self) -> SimplicialMesh | None:
        return next((g.mesh for g in self.inequalities if isinstance(g, MeshBoundary)), None)

    @cached_property
    def size(self) -> float:
        return max(b - a for a, b in self.bounds)

    def where(self, *more: Expr) -> Region:
        return replace(self, inequalities=(*self.inequalities, *more))

    # ---- Points
    def interior(self, count: int) -> list[Point]:
        return list(islice(self._accepted(self._interior_samples(), self.levels), count))

    def face(self, k: int, upper: bool, count: int) -> list[Point]:
        """Points of a face at which every g is positive."""
        return list(_face(self, k, upper, count))

    def surface(self, level: Expr, count: int) -> list[Point]:
        """Points of F = 0 in the closed domain."""
        return list(_surface(self, level, count))

    def face_points(self, k: int, upper: bool) -> Iterator[Point]:
        if self.mesh is not None:  # its boundary consists of its own parts
            return iter(())
        end = self.bounds[k][upper]
        ends = (*self.bounds[:k], (end, end), *self.bounds[k + 1 :])
        return self._accepted(self._samples(ends), self.levels)

    def surface_points(self, level: Expr) -> Iterator[Point]:
        if isinstance(level, MeshBoundary):
            rng = random.Random(0)
            return self._with_time(level.mesh.boundary_points(level.part, rng), rng)
        return self._newton_points(level)

    def _newton_points(self, level: Expr) -> Iterator[Point]:
        others = [g for g, e in zip(self.levels, self.inequalities, strict=True) if e != level]
        f = compile_function(level, self.layout)
        starts = islice(
            self._samples(self.bounds),
            NEWTON_STARTS if len(self.bounds) <= HIGH_DIMENSION else NEWTON_STARTS_HIGH_DIMENSION,
        )
        return (
            p for start in starts if (p := _newton_point(f, start, self)) is not None and _in_closure(others, p, self)
        )

    def _accepted(self, points: Iterator[Point], levels: Sequence[PointFunction]) -> Iterator[Point]:
        for point in islice(points, MAX_TRIALS):
            if all(g(point) > 0 for g in levels):
                yield point

    def _interior_samples(self) -> Iterator[Point]:
        if self.mesh is None:
            return self._samples(self.bounds)
        rng = random.Random(0)
        return self._with_time(self.mesh.interior_points(rng), rng)

    def _with_time(self, places: Iterator[tuple[float, ...]], rng: random.Random) -> Iterator[Point]:
        """Points of space with random times."""
        for place in places:
            yield [*place, *(a + (b - a) * rng.random() for a, b in self.bounds[len(place) :])]

    def _samples(self, ends: Sequence[tuple[float, float]]) -> Iterator[Point]:
        rng = random.Random(0)
        centre = [(a + b) / 2 for a, b in ends]
        k = 0
        while True:
            scale = SAMPLING_SCALES[k % len(SAMPLING_SCALES)] if len(ends) > 3 else 1.0
            yield [m + scale * (b - a) * (rng.random() - 0.5) for m, (a, b) in zip(centre, ends, strict=True)]
            k += 1

    # ---- Gradients
    def gradient(self, f: PointFunction, point: Point) -> list[float]:
        """∇f in space, by central differences."""
        step = DIFFERENCE_STEP * self.size
        return [_central_difference(f, point, k, step) for k in range(self.layout.dimension)]

    def contains(self, point: Point) -> bool:
        """Whether a point lies in the closed box, up to the tolerance."""
        slack = SURFACE_RTOL * self.size
        return all(a - slack <= x <= b + slack for x, (a, b) in zip(point, self.bounds, strict=True))


# Cached, since several stages use the same points.
@lru_cache(maxsize=64)
def _face(region: Region, k: int, upper: bool, count: int) -> tuple[Point, ...]:
    return tuple(islice(region.face_points(k, upper), count))


@lru_cache(maxsize=64)
def _surface(region: Region, level: Expr, count: int) -> tuple[Point, ...]:
    return tuple(islice(region.surface_points(level), count))


def region_of(
    coordinates: Sequence[Symbol],
    dimension: int,
    ends: Sequence[tuple[Expr, Expr]],
    time: Symbol | None,
    inside: Sequence[Expr] = (),
) -> Region:
    """The region of space and time, for coordinates or a single symbol for the position."""
    places = {x: k for k, x in enumerate(coordinates)} | ({time: dimension} if time is not None else {})
    return Region(Layout(places, dimension), tuple((float(a), float(b)) for a, b in ends), tuple(inside))


def _central_difference(f: PointFunction, point: Point, k: int, step: float) -> float:
    return (f(_shift(point, k, step)) - f(_shift(point, k, -step))) / (2 * step)


def _shift(point: Point, k: int, step: float) -> Point:
    return [x + step * (j == k) for j, x in enumerate(point)]


def _newton_point(f: PointFunction, start: Point, region: Region) -> Point | None:
    """A point of the surface by Newton's method, if it lies in the box and F changes sign there."""
    point = list(start)
    for _ in range(MAX_NEWTON_STEPS):
        gradient = region.gradient(f, point)
        square = sum(s * s for s in gradient)
        if not isfinite(square) or square == 0:
            return None
        step = f(point) / square
        if abs(step) * sqrt(square) < 0.1 * SURFACE_RTOL * region.size:
            return point if region.contains(point) and _changes_sign(f, point, gradient, square, region) else None
        point = [x - step * s for x, s in zip(point, gradient, strict=False)] + list(point[len(gradient) :])
    return None


def _changes_sign(f: PointFunction, point: Point, gradient: Sequence[float], square: float, region: Region) -> bool:
    step = 10 * DIFFERENCE_STEP * region.size / sqrt(square)
    ahead = [x + step * s for x, s in zip(point, gradient, strict=False)] + list(point[len(gradient) :])
    behind = [x - step * s for x, s in zip(point, gradient, strict=False)] + list(point[len(gradient) :])
    return f(ahead) * f(behind) < 0


def _in_closure(levels: Sequence[PointFunction], point: Point, region: Region) -> bool:
    """Whether every g is nonnegative at a point, up to the error of the point."""
    return all(_is_nonnegative(g, point, region) for g in levels)


def _is_nonnegative(g: PointFunction, point: Point, region: Region) -> bool:
    value = g(point)
    return value >= 0 or abs(value) <= SURFACE_RTOL * region.size * (
        1 + sqrt(sum(s * s for s in region.gradient(g, point)))
    )
