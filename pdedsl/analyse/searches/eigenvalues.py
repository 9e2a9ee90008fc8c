"""The search for a point at which a symmetric matrix has a negative eigenvalue, and the equation a real value."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mpmath import eigsy
from mpmath import matrix as mp_matrix
from sympy import Add, Expr, Rational, Symbol

from pdedsl.analyse.intervals import LINE
from pdedsl.analyse.matrices import Rows, blocks_of
from pdedsl.analyse.roots import places_between_roots
from pdedsl.analyse.samples import (
    MAX_TERMS,
    SMALL,
    Point,
    Ranges,
    exact_at,
    have_values,
    is_inside,
    points,
    settled,
    telling_points,
    value_at,
)
from pdedsl.analyse.signs import box_of, shown
from pdedsl.analyse.writing import Layout
from pdedsl.symbolic.symbols import Field

STEPS = [Rational(k, 8) for k in range(-32, 33)]
QUARTERS = [Rational(355 * k, 226) for k in (-3, -1, 1, 3)]  # approximately odd multiples of π/2


def negative_eigenvalue(
    rows: Rows,
    parts: tuple[Expr, ...],
    free: frozenset[Symbol],
    ranges: Ranges,
    layout: Layout,
    levels: tuple[Expr, ...] = (),
) -> str:
    """Where it is, in words; empty if none is found. The equation has a value where all of its `parts` have one. `free`
    are the symbols that an example may choose, `levels` the functions that are positive in the domain."""
    whole = tuple(map(settled, parts))
    symbols = {s for row in (*rows, levels, whole) for e in row for s in e.free_symbols}
    if any(e.has(Field) for row in rows for e in row) or not symbols <= free:
        return ""
    if any(len(Add.make_args(e)) > MAX_TERMS for e in whole):
        return ""
    near = (*_on_the_diagonal(symbols, ranges, layout), *_between_roots(rows, symbols, ranges))
    about = Add(*{row[i] for i, row in enumerate(rows)}, *whole)
    for point in (*near, *telling_points(about, symbols, ranges)):
        if _least(rows, point, value_at, -SMALL) is None:
            continue
        for place in (p for p in (_rounded(point, ranges), point) if is_inside(p, levels)):
            least = _least(rows, place, exact_at, SMALL if len(rows) > 1 else 0)
            if least and have_values(whole, place):
                told = {s: v for s, v in place.items() if any(s in e.free_symbols for row in rows for e in row)}
                return f"eigenvalue {least:.3g}" + (f" at {shown(told, place is point)}" if told else "")
    return ""


def _rounded(point: Point, ranges: Ranges) -> Point:
    """The point rounded as it is printed, if that is in range, so that the printed point is the one checked."""
    short = {s: Rational(f"{float(v):.3g}") for s, v in point.items()}
    inside = all(ranges[s][0] <= v <= ranges[s][1] for s, v in short.items() if s in ranges)
    return short if inside else point


def _on_the_diagonal(symbols: set[Symbol], ranges: Ranges, layout: Layout) -> Iterator[Point]:
    """Points with all coordinates equal, where sums over them are largest and smallest."""
    if not symbols & set(layout.coordinates) or ranges.keys() & set(layout.coordinates):
        return
    other = next(points(symbols - set(layout.coordinates), ranges))
    for s in QUARTERS if layout.base is None else (*QUARTERS, *STEPS):
        place = {x: Rational(str(float(v))) for x, v in layout.diagonal(s).items() if x in symbols}
        yield {**other, **place}


def _between_roots(rows: Rows, symbols: set[Symbol], ranges: Ranges) -> Iterator[Point]:
    """Points at which diagonal entries that are polynomials in one variable take each of their signs."""
    box = box_of(ranges)
    for e in {row[i] for i, row in enumerate(rows) if len(row[i].free_symbols) == 1}:
        (x,) = e.free_symbols
        other = next(points(symbols - {x}, ranges))
        for place in places_between_roots(e, x, box.get(x, LINE)):
            if not x.is_nonnegative or place >= 0:
                yield {**other, x: place}


def _least(rows: Rows, point: Point, evaluate: Callable[[Expr, Point], float | None], margin: float) -> float | None:
    """The least eigenvalue at a point, if it is below -margin times the largest of 1 and the entries."""
    found = {e: evaluate(e, point) for e in {e for row in rows for e in row}}
    values = [v for v in found.values() if v is not None]
    if len(values) < len(found):
        return None
    blocks = blocks_of(rows)
    least = min(_of_block([[found[rows[i][j]] or 0.0 for j in block] for i in block]) for block in blocks)
    return least if least < -margin * max(1.0, *map(abs, values)) else None


def _of_block(numbers: list[list[float]]) -> float:
    return numbers[0][0] if len(numbers) == 1 else float(min(eigsy(mp_matrix(numbers), eigvals_only=True)))
