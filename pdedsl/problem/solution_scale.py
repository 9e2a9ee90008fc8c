"""Scale of the solution, estimated from the data, by which the output of a network of order one is multiplied.

At u = 0 a residual equals its data; divided by its largest coefficient in coordinates scaled to [-1, 1] they have the
scale of u. The estimate from conditions is good, that from an equation rough, as oscillating solutions are smaller. A
scale compatible with one is taken as one, others are rounded to a power of ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, log10, prod

from sympy import Expr, Integer, S

from pdedsl.ir.boundary import Face
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.residual import Residual
from pdedsl.symbolic.domain_points import Region, region_of
from pdedsl.symbolic.evaluate import Point, evaluate_at_points

SAMPLES = 256  # resolves features of a tenth of the width of a square
CONDITION_SLACK, EQUATION_SLACK = 10, 300  # factors of uncertainty of the estimates
MAX_COORDINATES = 8  # more dimensions are not covered by the samples


def solution_scales(problem: StrongForm) -> tuple[Expr, ...]:
    """A power of ten for each component."""
    return tuple(_solution_scale(problem, k) for k in range(len(problem.components)))


def _solution_scale(problem: StrongForm, component: int) -> Expr:
    domain = problem.domain
    if len(domain.coordinates) > MAX_COORDINATES:
        return S.One
    ends = [(i.start, i.end) for i in domain.intervals]
    region = region_of(domain.coordinates, len(domain.coordinates), ends, None, domain.inequalities)
    points = region.interior(SAMPLES)
    from_conditions = max((_data_scale(r, p, region) for r, p in _conditions(problem, component, points)), default=0.0)
    is_scalar = len(problem.components) == 1
    from_equation = max((_data_scale(r, points, region) for r in problem.equations), default=0.0) if is_scalar else 0.0
    size, slack = (
        (from_conditions, CONDITION_SLACK)
        if from_equation <= EQUATION_SLACK * from_conditions
        else (from_equation, EQUATION_SLACK)
    )
    return S.One if size == 0 or 1 / slack <= size <= slack else Integer(10) ** round(log10(size))


def _conditions(problem: StrongForm, component: int, points: list[Point]) -> Iterator[tuple[Residual, list[Point]]]:
    """The conditions of one component alone, and points on their faces."""
    for condition in problem.conditions:
        on_face = _project_to_face(points, condition.place, problem.domain)
        for r in condition.residuals:
            if {d.component for d in r.derivatives} == {component}:
                yield r, on_face


def _project_to_face(points: list[Point], place: object, domain: Domain) -> list[Point]:
    if not isinstance(place, Face):
        return points
    k, interval = place.coordinate, domain.intervals[place.coordinate]
    end = float(interval.end if place.upper else interval.start)
    return [[*p[:k], end, *p[k + 1 :]] for p in points]


def _data_scale(residual: Residual, points: Sequence[Point], region: Region) -> float:
    zero = dict.fromkeys((s for s, _ in residual.jet_variables), S.Zero)
    half = [(b - a) / 2 for a, b in region.bounds]
    partials = [residual.expr.diff(s).xreplace(zero) for s, _ in residual.jet_variables]
    data, *columns = evaluate_at_points([residual.expr.xreplace(zero), *partials], region.layout, points)
    scales = [prod(h**n for h, n in zip(half, d.orders, strict=True)) for _, d in residual.jet_variables]
    coefficients = [_mean([abs(v) for v in c]) / scale for c, scale in zip(columns, scales, strict=True)]
    size, largest = max(map(abs, data), default=0.0), max(coefficients, default=0.0)
    return size / largest if isfinite(size) and isfinite(largest) and largest > 0 else 0.0


def _mean(column: Sequence[float]) -> float:
    """The mean; of a constant, that constant without rounding errors."""
    return column[0] if len(set(column)) == 1 else sum(column) / max(1, len(column))
