"""Evaluation of expressions at deterministic pseudorandom sample points: it can refute a claim, but never prove it.

Points have rational coordinates. Results in double precision are confirmed in higher precision.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import isfinite

from sympy import Add, Derivative, DiracDelta, Dummy, Expr, Float, Heaviside, Pow, Rational, S, Symbol, sign

from pdedsl.analysis.bounds.relu_form import kinks
from pdedsl.ir.spec import Equation, Spec
from pdedsl.symbolic.evaluate import Layout, PointFunction, compile_function
from pdedsl.symbolic.rewrite import substitute
from pdedsl.symbolic.symbols import Component, Contraction, Field, Partial, atoms
from pdedsl.symbolic.sympy_errors import try_sympy

Ranges = dict[Symbol, tuple[Expr, Expr]]
Point = dict[Symbol, Rational]
SAMPLES = 48  # of a search for a counterexample
HALF_WIDTHS = (Rational(1), Rational(3), Rational(1, 8), Rational(10))
SUBDIVISIONS = 1024  # of an interval, for sampled coordinates
ROUNDING_RTOL = 1e-9  # above the rounding errors of double precision in sums of MAX_TERMS terms
DIGITS = 30  # decimal digits of precise evaluation: twice those of double precision
MIN_PRECISION_BITS = 60  # values of lower precision are treated as zero
MAX_TERMS = 500  # longer sums are not evaluated
KINK_OFFSETS = tuple(Rational(k, 8) for k in (-1, 1, -8, 8, -24, 24))  # offsets from a kink
FAR_FACTOR = 1000  # on sample points, for the behaviour at infinity
MAX_POWER = 1000  # largest exponent to which fractions are raised exactly


def ranges_of(spec: Spec, equation: Equation | None = None) -> Ranges:
    """The intervals of the coordinates of a physical domain, and the time interval of an equation."""
    ranges = dict(zip(spec.space.coordinates, ((s.start, s.end) for s in spec.space.intervals), strict=False))
    if spec.time:
        interval = equation.interval if equation else None
        ranges[spec.time.symbol] = interval or (spec.time.start, spec.time.end)
    return {s: (a.xreplace(spec.values), b.xreplace(spec.values)) for s, (a, b) in ranges.items()}


def points(symbols: set[Symbol], ranges: Ranges, samples: int = SAMPLES) -> Iterator[Point]:
    """Random points; symbols without a range are sampled from small, medium and large intervals in turn."""
    draw = random.Random(0)
    ordered = sorted(symbols, key=_order)
    for k in range(samples if ordered else 1):
        spread = HALF_WIDTHS[k % len(HALF_WIDTHS)]
        yield {s: _between(ranges.get(s) or _symmetric_interval(s, spread), draw) for s in ordered}


def level_functions(spec: Spec) -> tuple[Expr, ...]:
    """The level functions, positive in an irregular domain."""
    return tuple(level.expr.xreplace(spec.values) for level in spec.space.inequalities)


def is_inside(point: Point, levels: tuple[Expr, ...]) -> bool:
    """Whether a point of the bounding box lies in the domain."""
    values = [value_at(level, point) for level in levels]
    return all(v is not None and v > 0 for v in values)


def _symmetric_interval(symbol: Symbol, size: Rational) -> tuple[Expr, Expr]:
    return (Rational(0) if symbol.is_nonnegative else -size), size


def _order(symbol: Symbol) -> tuple[str, int]:
    return symbol.name, symbol.dummy_index if isinstance(symbol, Dummy) else 0


def _between(ends: tuple[Expr, Expr], draw: random.Random) -> Rational:
    a, b = (Rational(round(float(e) * SUBDIVISIONS), SUBDIVISIONS) for e in ends)
    return a + (b - a) * Rational(draw.randint(1, SUBDIVISIONS - 1), SUBDIVISIONS)


def value_at(expr: Expr, point: Point) -> float | None:
    """The value in double precision; None if it is not finite or contains fields."""
    symbols, at = _function(expr)
    if at is None or any(s not in point for s in symbols):
        return None
    value = at([float(point[s]) for s in symbols])
    return value if isfinite(value) else None


@lru_cache(maxsize=256)
def _function(expr: Expr) -> tuple[tuple[Symbol, ...], PointFunction | None]:
    symbols = tuple(expr.free_symbols)
    if expr.has(Component, Contraction, Field, Partial):
        return symbols, None
    return symbols, compile_function(expr, Layout({s: k for k, s in enumerate(symbols)}, 0))


def precise_value_at(expr: Expr, point: Point) -> float | None:
    """The same value in high precision; zero if too few of its digits are reliable."""
    return _digits(_substitute(expr, point))


def are_defined_at(exprs: Iterable[Expr], point: Point) -> bool:
    """Whether all are defined and continuous at a point."""
    return all(precise_value_at(e, point) is not None and not is_discontinuity(e, point) for e in exprs)


def is_discontinuity(e: Expr, point: Point) -> bool:
    """Whether a point lies on a discontinuity: sign(x)² is 1 except at x = 0."""
    return any(value_at(a.args[0], point) == 0 for a in e.atoms(sign, Heaviside, DiracDelta))


def _digits(value: Expr) -> float | None:
    digits = value.evalf(DIGITS)
    return 0.0 if isinstance(digits, Float) and digits._prec < MIN_PRECISION_BITS else _real(digits)


def _substitute(expr: Expr, point: Point) -> Expr:
    """The expression at a point: in fractions, or in 30-digit floats if large powers would make these huge."""
    powers = (power.exp for power in atoms(expr, Pow))
    vast = any(exponent.is_Integer and abs(exponent) > MAX_POWER for exponent in powers)
    values = {s: Float(point[s], DIGITS) if vast else point[s] for s in expr.free_symbols if s in point}
    return substitute(expr, values)


def _real(value: Expr) -> float | None:
    number = try_sympy(lambda: float(value))
    return number if number is not None and abs(number) < float("inf") else None


def search_points(expr: Expr, symbols: set[Symbol], ranges: Ranges, samples: int = SAMPLES) -> Iterator[Point]:
    """Random points, points near kinks of an expression, and distant points."""
    yield from points(symbols, ranges, samples)
    free = symbols - set(ranges)
    for symbol, place in kinks(expr, symbols):
        for point, step in zip(points(symbols, ranges, len(KINK_OFFSETS)), KINK_OFFSETS, strict=False):
            if _is_allowed(symbol, place + step, ranges):
                yield {**point, symbol: place + step}
    if free:
        yield from (
            {s: FAR_FACTOR * v if s in free else v for s, v in p.items()} for p in points(symbols, ranges, samples // 4)
        )


def _is_allowed(symbol: Symbol, value: Rational, ranges: Ranges) -> bool:
    low, high = ranges.get(symbol, (Rational(0) if symbol.is_nonnegative else value, value))
    return bool(low <= value <= high)


def find_nonzero_point(expr: Expr, ranges: Ranges, samples: int = 8, defined: Iterable[Expr] = ()) -> Point | None:
    """A point at which an expression is certainly nonzero and all of `defined` are defined; None if none is found, or
    there are too many terms."""
    if len(Add.make_args(expr)) > MAX_TERMS or expr.has(Derivative):  # of a learned function: it has no value
        return None
    others = tuple(map(with_unit_fields, defined))
    symbols = expr.free_symbols.union(*(e.free_symbols for e in others))
    for point in search_points(expr, symbols, ranges, samples):
        if _is_nonzero(expr, point) and not is_discontinuity(expr, point) and are_defined_at(others, point):
            return point
    return None


def with_unit_fields(e: Expr) -> Expr:
    """The expression with 1 for every field, which does not affect where it is defined."""
    for kind in (Partial, Field):
        e = e.xreplace(dict.fromkeys(atoms(e, kind), S.One))
    return e


def _is_nonzero(expr: Expr, point: Point) -> bool:
    """Exact if the value is a rational number, otherwise by its reliable digits."""
    value = _substitute(expr, point)
    if value.is_Rational:
        return bool(value != 0)
    return value_at(expr, point) is not None and bool(_digits(value))
