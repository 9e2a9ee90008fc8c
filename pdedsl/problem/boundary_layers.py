"""Layers of a linear operator a ∂²u + b ∂u + c u along an axis, and the breaks of the pieces that resolve them.

Solutions next to an end behave as exp(r x) with a r² + b r + c = 0: a layer of width 1/|r| is at the left end if r < 0,
at the right end if r > 0 (Roos, Stynes, Tobiska 2008, ch. I.1). Where b changes its sign, an interior layer has the
width √(a/|b′|). A layer gets a piece of several of its widths, as on the meshes of Shishkin (1988).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import isfinite, sqrt

from sympy import Expr, Symbol

from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.symbolic.evaluate import Layout, compile_function

LAYER_WIDTHS = 36.0  # of an end layer in its piece: exp(-36) is rounding
INTERIOR_WIDTHS = 9.0  # of an interior layer on each side of its center: exp(-9²/2) is rounding
MAX_PIECE = 0.125  # fraction of the axis: one piece resolves wider layers
SAMPLES = 64  # intervals in which the drift may change its sign
Coefficients = tuple[Callable[[float], float], ...]  # c, b, a


def layer_breaks(system: FirstOrderSystem) -> tuple[tuple[float, ...], ...]:
    """The breaks of each axis in space; none unless every equation is of second order along the axis."""
    return tuple(_axis_breaks(system, k) for k in range(len(system.statement.domain.space)))


def _axis_breaks(system: FirstOrderSystem, axis: int) -> tuple[float, ...]:
    interval = system.statement.domain.intervals[axis]
    orders = [{d.orders[axis] for _, d in system.jets if d.component == k} for k in range(len(system.variables))]
    if interval.periodic or system.parameters or any(max(own, default=0) != 2 for own in orders):
        return ()
    start, end = float(interval.start), float(interval.end)
    breaks: set[float] = set()
    for coefficients in _operators(system, axis):
        breaks |= set(_breaks(coefficients, start, end))
    return tuple(_drop_close_breaks(sorted(breaks), start, end))


def _operators(system: FirstOrderSystem, axis: int) -> Iterator[Coefficients]:
    """The coefficients of pure derivatives along the axis, other coordinates at the center and time at its start, of
    the equations where they are functions of the coordinate alone, not of unknowns or of constants with sliders."""
    domain = system.statement.domain
    centers = {
        x: i.start if domain.has_time and x == domain.coordinates[-1] else (i.start + i.end) / 2
        for k, (x, i) in enumerate(zip(domain.coordinates, domain.intervals, strict=True))
        if k != axis
    }
    x = domain.coordinates[axis]
    for equation in (*system.rhs, *system.constraints):
        for variable in range(len(system.variables)):
            exprs = [_coefficient(system, equation, variable, axis, order).xreplace(centers) for order in range(3)]
            if exprs[2] != 0 and not any(e.free_symbols - {x} for e in exprs):
                yield tuple(_real_function(e, x) for e in exprs)


def _coefficient(system: FirstOrderSystem, equation: Expr, variable: int, axis: int, order: int) -> Expr:
    jets = [s for s, d in system.jets if d.component == variable and d.order == d.orders[axis] == order]
    return equation.diff(jets[0]) if jets else equation * 0


def _real_function(expr: Expr, x: Symbol) -> Callable[[float], float]:
    value = compile_function(expr, Layout({x: 0}, 1))

    def evaluate(at: float) -> float:
        number = value((at,))
        return number if isfinite(number) else 0.0

    return evaluate


def _breaks(coefficients: Coefficients, start: float, end: float) -> Iterator[float]:
    most = MAX_PIECE * (end - start)
    for place, towards in ((start, 1.0), (end, -1.0)):
        width = LAYER_WIDTHS * _end_width(coefficients, place, towards)
        if 0 < width < most:
            yield place + towards * width
    _, b, a = coefficients
    step = (end - start) / SAMPLES
    places = [start + (k + 0.5) * step for k in range(SAMPLES)]
    for left, right in pairwise(places):
        if b(left) * b(right) < 0:
            center = left + (right - left) * b(left) / (b(left) - b(right))
            half = INTERIOR_WIDTHS * sqrt(abs(a(center)) * step / abs(b(right) - b(left)))
            if 0 < half < most:
                yield from (center - half, center + half)


def _end_width(coefficients: Coefficients, place: float, towards: float) -> float:
    """1/|r| of the root of largest modulus that decays into the domain; 0 if there is none."""
    c, b, a = (f(place) for f in coefficients)
    if a == 0:
        return 0.0
    root = sqrt(max(b * b - 4 * a * c, 0.0))
    rates = [-towards * (-b + sign * root) / (2 * a) for sign in (-1, 1)]
    return 1 / max(rates) if max(rates) > 0 else 0.0


def _drop_close_breaks(breaks: list[float], start: float, end: float) -> Iterator[float]:
    """Without breaks that are closer to the one before than a thousandth of the shortest piece at an end."""
    before, least = start, 1e-3 * min([x - start for x in breaks[:1]] + [end - x for x in breaks[-1:]], default=0.0)
    for x in breaks:
        if x - before > least:
            yield x
            before = x
