"""Boundary of a plane domain as smooth arcs between corners: boundary representation for mesh generation.

The domain is the set where every constraint g is positive: the inequalities of the spec and the faces of its box. The
boundary on g = 0 is the part of this curve where the other constraints are nonnegative. Curves are traced by marching
squares and Newton's method; corners are intersections of two curves, and kinks of one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from contourpy import contour_generator
from numpy.typing import NDArray
from sympy import Expr, Max, Min, Mul, Symbol

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.boundary import Face, LevelSet, Place
from pdedsl.symbolic.rewrite import expand

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

TRACE_CELLS = 400  # marching squares resolves features of 1/400 of the box
TRACE_MARGIN = 0.02  # of the box: a curve that touches a face is traced across it
NEWTON_STEPS = 50  # quadratic convergence needs fewer; more at singular points of the curve
NEWTON_RTOL = 1e-14  # of the diameter of the box: rounding errors of the projection
ON_CURVE_RTOL = 1e-9  # of the diameter: above the rounding errors of coordinates and of g, below any feature
MAX_TURN = 0.1  # radians between samples of an arc: enough for its curvature
KINK_TURN = 0.35  # radians that remain at a kink when the distance of samples tends to zero
KINK_RTOL = 1e-9  # of the diameter: the distance of the samples between which a kink lies
BISECTIONS = 32  # from TRACE_CELLS to KINK_RTOL


@dataclass(frozen=True)
class Curve:
    """The zero set of a function of the points of space (n, d), and the place that it is."""

    place: Place
    value: Function
    gradient: Function
    scale: float  # the diameter of the box
    corners: Array | None = None  # (n, 2) of a polygonal curve; None if the function is not piecewise linear

    def distance(self, points: Array) -> Array:
        """First-order approximation g/‖∇g‖ of the signed distance, positive inside."""
        return np.asarray(self.value(points) / np.maximum(np.linalg.norm(self.gradient(points), axis=1), 1e-300))

    def project(self, points: Array) -> Array:
        """The points (n, d) moved to the zero set by Newton's method along the gradient."""
        points = np.array(points, dtype=float)
        if isinstance(self.place, Face):
            points -= self.value(points)[:, None] * self.gradient(points)
            return points
        for _ in range(NEWTON_STEPS):
            value, gradient = self.value(points), self.gradient(points)
            step = (value / np.maximum((gradient**2).sum(1), 1e-300))[:, None] * gradient
            points -= step
            if not np.abs(step).max(initial=0.0) > NEWTON_RTOL * self.scale:
                break
        return points

    def directions(self, points: Array) -> Array:
        """Unit vectors of the gradient: inner normals of the boundary."""
        gradient = self.gradient(points)
        return np.asarray(gradient / np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1e-300))


@lru_cache(maxsize=256)
def level_curve(expr: Expr, space: tuple[Symbol, ...], scale: float) -> Curve:
    """The level set expr = 0."""
    derivatives = [expr.diff(x) for x in space]
    value, gradient = compile_pointwise([expr], space), compile_pointwise(derivatives, space)
    return Curve(
        LevelSet(expr),
        lambda points: value(*_columns(points))[0].numpy(),
        lambda points: torch.stack(gradient(*_columns(points)), 1).numpy(),
        scale,
        _polygonal_corners(expr, space),
    )


def _polygonal_corners(expr: Expr, space: tuple[Symbol, ...]) -> Array | None:
    """Intersections of the lines of a function that is built from linear functions by maxima and minima: its zero set
    has no other corners. None for other functions."""
    leaves = _linear_leaves(expr, space)
    if leaves is None or len(space) != 2 or len(leaves) < 2:
        return None
    lines = np.unique(
        [[float(g.coeff(x)) for x in space] + [float(g.subs(dict.fromkeys(space, 0)))] for g in leaves], axis=0
    )
    points = [
        np.linalg.solve(pair[:, :2], -pair[:, 2])
        for pair in map(np.array, itertools.combinations(lines, 2))
        if abs(np.linalg.det(pair[:, :2])) > 1e-12 * np.prod(np.linalg.norm(pair[:, :2], axis=1))  # not parallel
    ]
    return np.array(points).reshape(-1, 2)


def is_polygonal(expr: Expr, space: tuple[Symbol, ...]) -> bool:
    """Whether a function is built from linear functions by maxima and minima."""
    return _linear_leaves(expr, space) is not None


def _linear_leaves(expr: Expr, space: tuple[Symbol, ...]) -> list[Expr] | None:
    sign, body = expr.as_coeff_Mul() if isinstance(expr, Mul) else (1, expr)
    if isinstance(body, Max | Min):
        parts = [_linear_leaves(a, space) for a in body.args]
        return None if any(p is None for p in parts) else [g for p in parts if p is not None for g in p]
    leaf = expand(sign * body)
    is_linear = not any(leaf.diff(x, y) != 0 for x in space for y in space) and not leaf.has(Max, Min)
    return [leaf] if is_linear else None


def face_curve(face: Face, low: Array, high: Array) -> Curve:
    """A face of the box: x - a or b - x."""
    k, sign = face.coordinate, -1.0 if face.upper else 1.0
    bound = high[k] if face.upper else low[k]
    normal = sign * np.eye(len(low))[k]
    return Curve(
        face,
        lambda points: np.asarray(sign * (points[:, k] - bound)),
        lambda points: np.broadcast_to(normal, points.shape),
        float(np.linalg.norm(high - low)),
    )


def project_to_intersection(points: Array, curves: Sequence[Curve]) -> Array:
    """The points (n, d) moved to a common zero of several functions, by Gauss-Newton steps."""
    points = np.array(points, dtype=float)
    for _ in range(NEWTON_STEPS):
        values = np.stack([c.value(points) for c in curves], 1)
        gradients = np.stack([c.gradient(points) for c in curves], 1)  # (n, curves, d)
        step = (np.linalg.pinv(gradients) @ values[:, :, None])[:, :, 0]
        points -= step
        if not np.abs(step).max(initial=0.0) > NEWTON_RTOL * curves[0].scale:
            break
    return points


def _columns(points: Array) -> tuple[torch.Tensor, ...]:
    return tuple(torch.tensor(np.ascontiguousarray(column)) for column in points.T)


@dataclass(frozen=True)
class Arc:
    """A smooth piece of a curve: samples (n, 2), closed if the first and the last are equal; `curve` is None for a
    straight edge between two samples of a polygon."""

    place: Place
    samples: Array
    curve: Curve | None
    on_boundary: bool = True  # otherwise a curve inside the domain

    @property
    def is_closed(self) -> bool:
        return bool((self.samples[0] == self.samples[-1]).all())

    @property
    def lengths(self) -> Array:
        """Arc length of each sample from the first."""
        steps = np.linalg.norm(np.diff(self.samples, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def project(self, points: Array) -> Array:
        return points if self.curve is None else self.curve.project(points)

    def curvature(self) -> Array:
        """|dθ/ds| at the samples, the larger one of both sides."""
        if self.curve is None or self.curve.corners is not None or isinstance(self.place, Face):
            return np.zeros(len(self.samples))
        # Directions a little inside the arc: at a kink the gradient is not defined.
        middles = self.curve.project((self.samples[1:] + self.samples[:-1]) / 2)
        turns = _turns(self.curve.directions(middles))
        steps = np.diff(self.lengths)
        curvature = turns / ((steps[1:] + steps[:-1]) / 2)
        if not len(curvature):
            return np.zeros(len(self.samples))
        padded = np.concatenate([curvature[:1], curvature[:1], curvature, curvature[-1:], curvature[-1:]])
        return np.asarray(np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:]))[: len(self.samples)]


def _turns(directions: Array) -> Array:
    return np.asarray(np.arccos(np.clip((directions[1:] * directions[:-1]).sum(1), -1.0, 1.0)))


def boundary_arcs(
    constraints: Sequence[Curve],
    interfaces: Sequence[Curve],
    breakpoints: Sequence[Curve],
    low: Array,
    high: Array,
) -> list[Arc]:
    """The arcs of the boundary, and those of interfaces inside the domain, between their intersections.

    Arcs also end where a function of `breakpoints` changes its sign.
    """
    arcs = []
    for number, curve in enumerate((*constraints, *interfaces)):
        others = [c for c in (*constraints, *interfaces, *breakpoints) if c is not curve]
        on_boundary = number < len(constraints)
        for samples in _trace(curve, low, high):
            for piece in _split(samples, curve, others):
                if _is_in_domain(piece, curve, constraints, on_boundary):
                    arcs.append(Arc(curve.place, piece, curve, on_boundary))
    return arcs


def _trace(curve: Curve, low: Array, high: Array) -> Iterator[Array]:
    """Samples of the connected components of a curve; components end at kinks."""
    if isinstance(curve.place, Face):
        k = curve.place.coordinate
        line = np.linspace(low[1 - k], high[1 - k], TRACE_CELLS + 1)
        samples = np.empty((len(line), 2))
        samples[:, 1 - k], samples[:, k] = line, high[k] if curve.place.upper else low[k]
        yield samples
        return
    margin = TRACE_MARGIN * (high - low)
    x, y = (np.linspace(low[k] - margin[k], high[k] + margin[k], TRACE_CELLS + 1) for k in range(2))
    grid = np.stack(np.meshgrid(x, y), -1)
    values = np.ma.masked_invalid(curve.value(grid.reshape(-1, 2)).reshape(grid.shape[:2]))
    cell = float(np.hypot(x[1] - x[0], y[1] - y[0]))
    for contour in contour_generator(x, y, values).lines(0.0):
        samples = _clean(np.asarray(contour, dtype=float), curve, cell)
        if len(samples) > 2 and curve.corners is not None:
            yield from _straight_pieces(samples, curve, cell)
        elif len(samples) > 2:
            yield from _split_at_kinks(_sample_finely(samples, curve), curve)


def _clean(line: Array, curve: Curve, cell: float) -> Array:
    """Samples moved to the curve, without repeated ones."""
    samples = curve.project(line)
    good = (np.abs(curve.distance(samples)) < ON_CURVE_RTOL * curve.scale) & (
        np.linalg.norm(samples - line, axis=1) < 2 * cell
    )
    is_closed = bool((line[0] == line[-1]).all() and good[0])
    samples = np.asarray(samples[good])
    if len(samples) < 3:
        return samples
    steps = np.linalg.norm(np.diff(samples, axis=0), axis=1)
    samples = samples[np.concatenate([[True], steps > 1e-3 * cell])]  # marching squares repeats points at its nodes
    if is_closed and np.linalg.norm(samples[-1] - samples[0]) < 1e-3 * cell:
        samples = samples[:-1]
    return np.concatenate([samples, samples[:1]]) if is_closed else samples


def _straight_pieces(samples: Array, curve: Curve, cell: float) -> Iterator[Array]:
    """The edges of a polygonal curve between its corners."""
    assert curve.corners is not None
    is_closed = bool((samples[0] == samples[-1]).all())
    on_curve = np.abs(curve.value(curve.corners)) < ON_CURVE_RTOL * curve.scale
    cuts = set()
    for corner in curve.corners[on_curve]:
        distance = np.linalg.norm(samples - corner, axis=1)
        nearest = int(distance.argmin())
        if distance[nearest] < cell:
            samples[nearest] = corner
            cuts.add(nearest)
            if is_closed and nearest in (0, len(samples) - 1):
                samples[0] = samples[-1] = corner
                cuts |= {0}
                cuts -= {len(samples) - 1}
    for piece in _pieces(samples, sorted(cuts), is_closed):
        yield np.linspace(piece[0], piece[-1], max(len(piece), 3))


def _sample_finely(samples: Array, curve: Curve) -> Array:
    """Inserts samples where the normal turns; at a kink until it is located."""
    for _ in range(BISECTIONS):
        turns = _turns(curve.directions(samples))
        steps = np.linalg.norm(np.diff(samples, axis=0), axis=1)
        coarse = np.flatnonzero((turns > MAX_TURN) & (steps > KINK_RTOL * curve.scale))
        if not len(coarse):
            break
        samples = np.insert(samples, coarse + 1, curve.project((samples[coarse] + samples[coarse + 1]) / 2), axis=0)
    return samples


def _split_at_kinks(samples: Array, curve: Curve) -> Iterator[Array]:
    """The smooth pieces; of the two samples at a kink one remains."""
    is_closed = bool((samples[0] == samples[-1]).all())
    turns = _turns(curve.directions(samples))
    steps = np.linalg.norm(np.diff(samples, axis=0), axis=1)
    kinks = np.flatnonzero((steps <= 2 * KINK_RTOL * curve.scale) & (turns > KINK_TURN))
    keep = np.ones(len(samples), dtype=bool)
    keep[[k + 1 if k + 2 < len(samples) else k for k in kinks]] = False
    is_kink = np.zeros(len(samples), dtype=bool)
    is_kink[[k if k + 2 < len(samples) else k + 1 for k in kinks]] = True
    if is_closed:
        is_kink[0] |= is_kink[-1]
    yield from _pieces(samples[keep], np.flatnonzero(is_kink[keep]).tolist(), is_closed)


def _pieces(samples: Array, cuts: Sequence[int], is_closed: bool) -> Iterator[Array]:
    """The polylines between the samples with the numbers `cuts`."""
    inner = [c for c in cuts if 0 < c < len(samples) - 1]
    if is_closed and cuts:
        first = cuts[0]
        samples = np.concatenate([samples[first:-1], samples[: first + 1]])
        inner = [c - first for c in cuts[1:] if c < len(samples) - 1]
    ends = [0, *inner, len(samples) - 1]
    for a, b in itertools.pairwise(ends):
        if b > a:
            yield samples[a : b + 1]


def _split(samples: Array, curve: Curve, others: Sequence[Curve]) -> Iterator[Array]:
    """The pieces of an arc between its intersections with other curves."""
    is_closed = bool((samples[0] == samples[-1]).all())
    for other in others:
        samples = _insert_intersections(samples, curve, other)
    cuts: set[int] = set()
    for other in others:
        signs = _signs(other, samples)
        cuts |= _closed_cuts(signs[:-1]) if is_closed else _open_cuts(signs)
    yield from _pieces(samples, sorted(cuts), is_closed)


def _signs(other: Curve, samples: Array) -> NDArray[np.int64]:
    """The sign of the other curve's function, zero within the tolerance."""
    with np.errstate(invalid="ignore"):
        distance = np.nan_to_num(other.distance(samples), nan=-np.inf)
    return np.where(np.abs(distance) < ON_CURVE_RTOL * other.scale, 0, np.sign(distance)).astype(np.int64)


def _open_cuts(signs: NDArray[np.int64]) -> set[int]:
    """The samples where a sign changes, and the ends of a common piece of both curves; not where they only touch."""
    zeros = np.flatnonzero(signs == 0)
    cuts: set[int] = set()
    if len(zeros) in (0, len(signs)):
        return cuts
    for run in np.split(zeros, np.flatnonzero(np.diff(zeros) > 1) + 1):
        a, b = int(run[0]), int(run[-1])
        is_inside = a > 0 and b < len(signs) - 1
        if a != b or (is_inside and signs[a - 1] != signs[b + 1]):
            cuts |= {a, b}
    return cuts


def _closed_cuts(signs: NDArray[np.int64]) -> set[int]:
    """The same for the samples of a closed arc, the last one left out."""
    nonzero = np.flatnonzero(signs)
    if not len(nonzero):
        return set()
    first = int(nonzero[0])
    return {(k + first) % len(signs) for k in _open_cuts(np.append(np.roll(signs, -first), signs[first]))}


def _insert_intersections(samples: Array, curve: Curve, other: Curve) -> Array:
    """The arc with its intersections with another curve as samples."""
    signs = _signs(other, samples)
    crossings = np.flatnonzero(signs[1:] * signs[:-1] < 0)
    points = [_intersection(samples[k], samples[k + 1], curve, other) for k in crossings]
    return np.insert(samples, crossings + 1, np.array(points), axis=0) if points else samples


def _intersection(start: Array, end: Array, curve: Curve, other: Curve) -> Array:
    """The point between two samples of a curve where another one changes its sign: bisection, then Newton's method."""
    a, b = start, end
    sign = np.sign(other.value(a[None])[0])
    for _ in range(BISECTIONS):
        middle = curve.project(((a + b) / 2)[None])[0]
        if np.sign(other.value(middle[None])[0]) == sign:
            a = middle
        else:
            b = middle
    point = (a + b) / 2
    for _ in range(3):
        jacobian = np.stack([curve.gradient(point[None])[0], other.gradient(point[None])[0]])
        values = np.array([curve.value(point[None])[0], other.value(point[None])[0]])
        if not np.isfinite(jacobian).all() or abs(np.linalg.det(jacobian)) < 1e-8 * np.linalg.norm(jacobian) ** 2:
            break  # nearly tangent: Newton's method would leave the point
        point = point - np.linalg.solve(jacobian, values)
    for face in (curve, other):
        if isinstance(face.place, Face):
            point = face.project(point[None])[0]
    return point


def _is_in_domain(piece: Array, curve: Curve, constraints: Sequence[Curve], on_boundary: bool) -> bool:
    """Whether the other constraints are nonnegative on a piece; of identical boundaries the first is taken."""
    points = np.concatenate([piece[1:-1], curve.project(piece[:2].mean(0)[None])])
    is_later = False
    for constraint in constraints:
        if constraint is curve:
            is_later = True
            continue
        distance = constraint.distance(points)
        extreme = distance[np.abs(distance).argmax()]  # the sign is constant on the piece
        if abs(extreme) < ON_CURVE_RTOL * constraint.scale:
            if not on_boundary or not is_later:
                return False
        elif not extreme > 0:
            return False
    return True
