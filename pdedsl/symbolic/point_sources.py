"""Point sources: the decomposition of an expression into a function and Σ strength · Π δ(xₖ - aₖ).

f(x) δ(x - a) = f(a) δ(x - a) for a continuous f (Gel'fand, Shilov 1964, Generalized Functions, vol. 1, section I.1.3).
"""

from __future__ import annotations

from sympy import Add, Expr, Mul, S, Symbol

from pdedsl.record import Record
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import PointSource, atoms


class Concentrated(Record):
    """strength · Π δ(x - a) over the coordinates x with their places a; the strength is that at the places."""

    strength: Expr
    places: tuple[tuple[Symbol, Expr], ...]


class NoDecomposition(Exception):
    """A product of δ with itself, a derivative, an integral or a nonlinear function of δ."""


def split_point_sources(expr: Expr) -> tuple[Expr, tuple[Concentrated, ...]]:
    """The function, and the concentrated terms, one for each place; raises NoDecomposition."""
    if not expr.has(PointSource):
        return expr, ()
    regular, strengths = [], dict[tuple[tuple[Symbol, Expr], ...], list[Expr]]()
    for term in Add.make_args(expand_products(expr)):
        factors = Mul.make_args(term)
        sources = [f for f in factors if isinstance(f, PointSource)]
        if not sources:
            regular.append(term)
            continue
        places = tuple(sorted(((s.coordinate, s.place) for s in sources), key=str))
        if len({x for x, _ in places}) < len(places):
            raise NoDecomposition
        strength = Mul(*(f for f in factors if not isinstance(f, PointSource)))
        strengths.setdefault(places, []).append(strength.xreplace(dict(places)))
    found = tuple(Concentrated(s, at) for at, terms in strengths.items() if (s := Add(*terms)) != 0)
    if any(e.has(PointSource) for e in (*regular, *(c.strength for c in found))):
        raise NoDecomposition
    return Add(*regular), found


def without_point_sources(expr: Expr) -> Expr:
    """The expression with zero in place of δ."""
    return expr.xreplace(dict.fromkeys(atoms(expr, PointSource), S.Zero))
