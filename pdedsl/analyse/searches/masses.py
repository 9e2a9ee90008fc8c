"""Data with changing mass: d/dt ∫u = ∫F[u] on the line, by quadrature, for smooth bumps that fit the conditions."""

from __future__ import annotations

from math import isfinite

from sympy import Expr, Float, Integer, Symbol, exp

from pdedsl.analyse.jets import Jet
from pdedsl.analyse.samples import Ranges
from pdedsl.symbolic.evaluating import Layout, compiled
from pdedsl.symbolic.notation import notation
from pdedsl.symbolic.symbols import Field, Partial

NODES = 400
LEAST = 1e-3  # smaller rates do not count
WIDE = 6  # standard deviations of a bell on the whole line


def losing(jet: Jet, ranges: Ranges, time: Symbol | None) -> str:
    """A function whose mass changes, in words; empty if none is found."""
    if len(jet.coordinates) != 1 or jet.expr.has(Field) or jet.hidden or jet.higher:
        return ""
    x = jet.coordinates[0]
    ends = ranges.get(x, (Integer(-WIDE), Integer(WIDE)))
    low, high = map(float, ends)
    at = {time: _inside(ranges[time])} if time is not None and time in ranges else {}
    for u in _data(x, *ends, x in ranges, bool(jet.u.is_nonnegative)):
        coarse, fine = _rates(jet, u, x, low, high, at) or (0.0, 0.0)
        if abs(fine) > LEAST and abs(coarse - fine) < 0.05 * abs(fine):
            return f"the mass of u = {notation(u)} changes at the rate {fine:.3g}"
    return ""


def _inside(ends: tuple[Expr, Expr]) -> Float:
    return Float(0.3 * float(ends[0]) + 0.7 * float(ends[1]))


def _data(x: Symbol, low: Expr, high: Expr, bounded: bool, positive: bool) -> list[Expr]:
    lift = 1 if positive else 0
    if not bounded:
        tilt = 1 + (1 + x) ** 2 if positive else 1 + x
        return [exp(-((x - 1) ** 2)), tilt * exp(-(x**2))]
    s = (x - low) / (high - low)
    return [lift + 64 * s**3 * (1 - s) ** 3, lift + 64 * s**4 * (1 - s) ** 3]


def _rates(
    jet: Jet, u: Expr, x: Symbol, low: float, high: float, at: dict[Symbol, Float]
) -> tuple[float, float] | None:
    """∫ F[u] dx by the trapezoidal rule with NODES nodes and twice as many, for data that vanish at the ends."""
    filled = {jet.u: u} | {v: u.diff(x, len(d.slots)) for v, d in jet.back.items() if isinstance(d, Partial)}
    whole = jet.expr.xreplace(at)
    used = [v for v in filled if v in whole.free_symbols]
    if whole.free_symbols - {x, *used}:
        return None
    f = compiled(whole, Layout({s: k for k, s in enumerate((x, *used))}, 0))
    parts = [compiled(filled[v], Layout({x: 0}, 0)) for v in used]
    step = (high - low) / (2 * NODES)
    places = [low + k * step for k in range(1, 2 * NODES)]
    values = [f((y, *(part((y,)) for part in parts))) for y in places]
    found = 2 * step * sum(values[1::2]), step * sum(values)
    return found if all(map(isfinite, found)) else None
