"""Whether two expressions agree where letters are replaced in them, by their values: nothing is rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose, isnan
from random import Random

from sympy import Expr, Symbol

from pdedsl.symbolic.evaluating import Layout, Point, Valued, compiled
from pdedsl.symbolic.symbols import Contraction

Put = Mapping[Expr, Expr]
"""Letters, and what is put in their place."""


def same(one: Expr, other: Expr, there: Put | None = None, at: Put | None = None, sign: int = 1) -> bool:
    """Whether `one`, with `at` put in, is ±`other` with `there` put in, to ten digits at four random points: what
    differs less is not worth two series. Where one of them has no value, they are compared as they are written."""
    at, there = _used(one, at), _used(other, there)
    if sign == 1 and at == there and one == other:
        return True
    if one.has(Contraction) or other.has(Contraction):
        return _written_alike(one, other, there, at, sign)
    inside = (e.free_symbols for e in (one, other, *at.values(), *there.values()))
    symbols = sorted(set[Symbol]().union(*inside), key=str)
    layout = Layout({s: k for k, s in enumerate(symbols)}, len(symbols))
    left, right = _seen(one, at, layout), _seen(other, there, layout)
    random = Random(0)
    for point in [[random.random() for _ in symbols] for _ in range(4)]:
        a, b = left(point), sign * right(point)
        if isnan(a) or isnan(b):
            return _written_alike(one, other, there, at, sign)
        if not isclose(a, b, rel_tol=1e-10):
            return False
    return True


def _used(expr: Expr, put: Put | None) -> dict[Expr, Expr]:
    return {letter: value for letter, value in (put or {}).items() if letter in expr.free_symbols}


def _written_alike(one: Expr, other: Expr, there: Put, at: Put, sign: int) -> bool:
    return bool(one.xreplace(at) == sign * other.xreplace(there))


def _seen(expr: Expr, put: Put, layout: Layout) -> Valued:
    """The value at the image of a point: with -x for x, that at -x."""
    value, moved = compiled(expr, layout), [(layout.places[s], compiled(put[s], layout)) for s in put]

    def at(point: Point) -> float:
        image = list(point)
        for k, where in moved:
            image[k] = where(point)
        return value(image)

    return at if moved else value
