"""Verification of a declared exact solution: residuals of equations and conditions at fixed sample points.

A residual is compared with the magnitude of its terms, at the same point and over the domain, so that rounding errors
are ignored in any units. A violation is discarded if the terms cancel symbolically, or in high precision at all sample
points. Equations and conditions with an unknown or learned field without a known value, or with values from a file,
which are interpolated, are not checked; of a family, one generic member is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sympy import Add, DiracDelta, Expr, Heaviside, Rational, S, Symbol

from pdedsl import errors
from pdedsl.analysis.point_sources import source_violation
from pdedsl.analysis.sample_points import precise_value_at
from pdedsl.diagnostics import Diagnostic, Span
from pdedsl.ir.boundary import Face, LevelSet, normal_components
from pdedsl.ir.family import generic_values
from pdedsl.ir.spec import Condition, ConditionKind, Spec
from pdedsl.symbolic.calculus import differentiate, integrate
from pdedsl.symbolic.data_functions import DataFunction
from pdedsl.symbolic.domain_points import Region, region_of
from pdedsl.symbolic.evaluate import Point, compile_function, evaluate_at_points
from pdedsl.symbolic.integrals import fractional_laplacian_of_waves
from pdedsl.symbolic.point_sources import without_point_sources
from pdedsl.symbolic.rewrite import expand, expression_size, rebuild, substitute
from pdedsl.symbolic.symbols import Field, FractionalLaplacian, Integral, Partial, PointSource

SAMPLES = 16  # points per equation or condition: a wrong formula fails at almost every point
RESIDUAL_RTOL = 1e-8  # relative to the magnitude of the terms
MAX_EXPANDED_OPERATIONS = 500  # larger expressions are not expanded
MAX_PRECISE_NODES = 20_000  # larger expressions are evaluated in double precision only
Fixed = dict[Expr, Expr]  # the coordinate that is constant on a face, and its value
Row = tuple[Sequence[Expr], Fixed, Sequence[Point]]  # terms of a residual, and sample points


def exact_solution_errors(spec: Spec) -> tuple[Diagnostic, ...]:
    """An error for each equation and condition that the exact solution violates."""
    if not spec.exact:
        return ()
    region, place = space_time_region(spec), spec.exact[0].span
    rows: dict[Span, list[Row]] = {}
    for span, row in (*_equation_rows(spec, region), *_condition_rows(spec, region)):
        rows.setdefault(span, []).append(row)
    sizes = {span: _violation(own, region) for span, own in rows.items()}
    for span, size in _source_violations(spec):
        sizes[span] = max(sizes[span], size)
    worst = ((spec.source.quote(span), size) for span, size in sizes.items())
    return tuple(
        d
        for text, size in worst
        if size
        for d in errors.equations.exact_solution_violated(text, size, place).diagnostics
    )


def _violation(rows: list[Row], region: Region) -> float:
    """The largest residual above rounding error; zero if there is none."""
    known = [row for row in rows if not any(term.has(Field, DataFunction) for term in row[0])]
    residuals = [(*_residual(terms, points, region), terms, fixed, points) for terms, fixed, points in known]
    for size, point, terms, fixed, points in sorted(residuals, key=lambda one: -one[0]):
        rounded = bool(size) and _is_rounding(terms, point, size, region)
        if size and not (rounded and (_cancels(terms, fixed) or _vanishes(terms, points, region))):
            return size
    return 0.0


def space_time_region(spec: Spec) -> Region:
    space, time = spec.space, spec.time
    ends = [(s.start, s.end) for s in space.intervals] + ([(time.start, time.end)] if time else [])
    inside = [g.expr for g in space.inequalities]
    return region_of(space.coordinates, len(space.intervals), ends, time.symbol if time else None, inside)


def _is_rounding(terms: Sequence[Expr], point: Point, size: float, region: Region) -> bool:
    """Whether the double-precision sum of the terms at a point is dominated by rounding errors."""
    exact = _high_precision_sum(terms, point, region)
    return exact is None or abs(exact) < size / 2


def _vanishes(terms: Sequence[Expr], points: Sequence[Point], region: Region) -> bool:
    """Whether the sum vanishes at all points in high precision: symbolic expansion does not cancel quotients."""
    return all(_high_precision_sum(terms, point, region) == 0 for point in points)


def _high_precision_sum(terms: Sequence[Expr], point: Point, region: Region) -> float | None:
    """The sum of the terms in high precision; None if that takes too long."""
    if sum(expression_size(t)[0] for t in terms) > MAX_PRECISE_NODES:
        return None
    return precise_value_at(Add(*terms), {x: Rational(point[k]) for x, k in region.layout.places.items()})


def _cancels(terms: Sequence[Expr], fixed: Fixed) -> bool:
    """Whether the terms sum to zero after expansion; long expressions are not expanded."""
    on_face = [t.xreplace(fixed) for t in terms]
    return sum(t.count_ops() for t in on_face) <= MAX_EXPANDED_OPERATIONS and bool(expand(Add(*on_face)) == 0)


def _residual(terms: Sequence[Expr], points: Sequence[Point], region: Region) -> tuple[float, Point]:
    """The largest absolute residual and its location; zero if it is within rounding error."""
    place: Point = ()
    worst, inside = 0.0, region.interior(SAMPLES)
    parts = [part for term in terms for part in Add.make_args(term)]
    rows = list(zip(*evaluate_at_points(parts, region.layout, [*inside, *points]), strict=True))
    anywhere = max(filter(math.isfinite, map(_size, rows[: len(inside)])), default=0.0)
    for point, terms_at_point in zip(points, rows[len(inside) :], strict=True):
        total, size = abs(math.fsum(terms_at_point)), _size(terms_at_point)
        if math.isfinite(size) and total > max(worst, RESIDUAL_RTOL * max(size, anywhere)):
            worst, place = total, point
    return worst, place


def _size(found: Sequence[float]) -> float:
    return math.fsum(map(abs, found))


@lru_cache(maxsize=64)  # a condition is often the same on several faces
def _substitute_solution(expr: Expr, spec: Spec) -> Expr:
    """The expression with the exact solution substituted for the unknowns."""
    own = {u.head: tuple(u.arguments) for u in spec.unknowns} | {w.head: tuple(w.arguments) for w in spec.learned}
    known = _values(spec)

    def of(e: Expr) -> Expr:
        match e:
            case Partial(body=Field() as body, slots=slots) if _key(body) in known:
                value = known[_key(body)]
                for slot in slots:
                    value = differentiate(value, slot, chain=True)
                return substitute(value, dict(zip(own[body.head], body.arguments, strict=True)))
            case Field() if _key(e) in known:
                value = substitute(known[_key(e)], dict(zip(own[e.head], e.arguments, strict=True)))
                return _with_history(value, e, spec)
            case Partial(body=body, slots=slots) if not isinstance(body, Field):
                inner = of(body)
                for slot in slots:
                    inner = differentiate(inner, slot, chain=True)
                return inner
            case Field() | Partial():
                return e
            case FractionalLaplacian(body=body, power=power):
                value = fractional_laplacian_of_waves(of(body), power, spec.space.coordinates)
                return e if value is None else value  # an equation that still contains a field is not checked
            case Integral(body=body, variable=variable, lower=lower, upper=upper):
                return integrate(of(body), variable, lower, upper)
            case _:
                return rebuild(e, [of(a) for a in e.args]) if e.args else e

    return of(expr.xreplace({**spec.values, **generic_values(spec)}))


def _with_history(value: Expr, field: Field, spec: Spec) -> Expr:
    """The value of an exact solution, and that of its history at earlier times."""
    past = next((h for h in spec.histories if h.unknown == field.head), None)
    if past is None or spec.time is None or field.arguments[-1] == spec.time.symbol:
        return value
    before = past.value[_key(field)[1] - 1].xreplace({spec.time.symbol: field.arguments[-1]})
    elapsed = field.arguments[-1] - spec.time.start
    return value * Heaviside(elapsed) + before * Heaviside(-elapsed)


def _key(f: Field) -> tuple[Symbol, int]:
    return f.head, int(f.indices[0]) if f.indices and f.indices[0].is_Integer else 1


def _values(spec: Spec) -> dict[tuple[Symbol, int], Expr]:
    generic = generic_values(spec)
    return {(e.unknown, k): v.xreplace(generic) for e in spec.exact for k, v in enumerate(e.value, e.component or 1)}


# ---- Residuals


def _source_violations(spec: Spec) -> Iterator[tuple[Span, float]]:
    """The violations of the strengths of point sources."""
    for e in spec.equations:
        for k in range(len(e.rhs)):
            terms = [s.exprs[k] for s in e.summands]
            if any(term.has(PointSource) for term in terms):
                yield e.span, source_violation(terms, lambda expr: _substitute_solution(expr, spec), spec)


def _equation_rows(spec: Spec, region: Region) -> Iterator[tuple[Span, Row]]:
    points = region.interior(SAMPLES)
    for e in spec.equations:
        on_face = [p for p in points if e.interval is None or float(e.interval[0]) <= p[-1] <= float(e.interval[1])]
        for k in range(len(e.summands[0].exprs)):
            terms = [s.exprs[k] for s in e.summands]
            values = [_substitute_solution(without_point_sources(term), spec) for term in terms]
            if any(term.has(PointSource) for term in terms):  # kinks of the solution, at which no point lies
                values = [v.xreplace(dict.fromkeys(v.atoms(DiracDelta), S.Zero)) for v in values]
            yield e.span, (values, {}, on_face)


def _condition_rows(spec: Spec, region: Region) -> Iterator[tuple[Span, Row]]:
    for normalization in spec.integral_conditions:
        terms = [_substitute_solution(term, spec) for term in Add.make_args(normalization.value)]
        yield normalization.span, (terms, {}, region.interior(1))
    for c in spec.conditions:
        for row in _initial_rows(c, spec, region) if not c.on_boundary else _boundary_rows(c, spec, region):
            yield c.span, row


def _initial_rows(c: Condition, spec: Spec, region: Region) -> Iterator[Row]:
    time, upper = spec.time, c.kind is ConditionKind.TERMINAL
    assert time is not None
    points = region.face(region.layout.dimension, upper, SAMPLES)
    known = _values(spec)
    for k, prescribed in enumerate(c.value, c.component or 1):
        value = known.get((c.unknown, k))
        if value is not None:
            for _ in range(c.order):
                value = differentiate(value, time.symbol, chain=True)
            yield (
                [value, -_substitute_solution(prescribed, spec)],
                {time.symbol: time.end if upper else time.start},
                points,
            )


def _boundary_rows(c: Condition, spec: Spec, region: Region) -> Iterator[Row]:
    parts, space = [compile_function(g.expr, region.layout) for g in c.part], spec.space
    sampled = range(len(space.intervals)) if space.explicit else (0, len(space.intervals) - 1)  # two, by symmetry
    for place in c.places:
        match place:
            case Face(coordinate=k, upper=upper):
                if k not in sampled:
                    continue
                points = region.face(k, upper, 4 * SAMPLES if parts else SAMPLES)
                fixed = {space.coordinates[k]: space.end(place)} if space.explicit else {}
            case LevelSet(expr=level):
                points, fixed = region.surface(level, SAMPLES), {}
        chosen = [p for p in points if all(g(p) > 0 for g in parts)]
        for v in c.value:
            if isinstance(place, Face) or space.explicit or not normal_components(v, space.coordinates):
                terms = Add.make_args(place.with_normal(v, space.coordinates))
                yield [_substitute_solution(term, spec) for term in terms], fixed, chosen
