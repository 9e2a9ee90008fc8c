"""Expansion of index notation in components.

A space of up to 16 dimensions is expanded completely. In a larger one, only functions of the first k coordinates
and of z = (xₖ₊₁ + … + xₙ)/√m, m = n - k, are considered, at points where the last m coordinates are equal: there
xᵢ = z/√m and ∂/∂xᵢ = ∂/∂z /√m for i > k, so that Σᵢ has m equal terms besides the first k. A counterexample among these
functions is one in general; a proof needs rules in index notation. A symbolic dimension is represented by three.
"""

from __future__ import annotations

from functools import lru_cache

from sympy import Add, Expr, Integer, Symbol, sqrt

from pdedsl.ir.spec import Spec
from pdedsl.record import Record
from pdedsl.symbolic.rewrite import MAX_TERMS, expand_products, max_terms
from pdedsl.symbolic.symbols import Component, Contraction, Field, Partial, atoms

MAX_FULL_DIMENSION = 16  # largest dimension that is expanded completely
CACHE_SIZE = 500  # expressions; the provers share them
MIN_COORDINATES = 3  # expanded coordinates in a larger space, at least
OTHER = Symbol("other", integer=True)  # index of any of the last m coordinates


class CoordinateLayout(Record):
    """The coordinates of an expansion; if m > 0, the last one represents m coordinates."""

    base: Symbol | None  # None if the space has named coordinates
    coordinates: tuple[Symbol, ...]
    m: int = 0

    @property
    def first(self) -> int:
        return len(self.coordinates) - bool(self.m)

    def is_complete(self, spec: Spec) -> bool:
        """Whether every coordinate of the space is expanded."""
        return self.base is None or (isinstance(spec.space.dimension, int) and not self.m)


def layout_of(expr: Expr, spec: Spec, dimension: int | None = None) -> CoordinateLayout:
    """The layout for an expression; `dimension` is the one that represents a symbolic dimension."""
    space = spec.space
    if space.explicit:
        return CoordinateLayout(None, space.coordinates)
    base, n = space.coordinates[0], space.dimension
    if not isinstance(n, int):
        count = dimension or max(MIN_COORDINATES, _largest_named_index(expr, base))
    else:
        count = n if n <= MAX_FULL_DIMENSION else max(MIN_COORDINATES, _largest_named_index(expr, base))
    shown = tuple(coordinate(base, i) for i in range(1, count + 1))
    m = n - count if isinstance(n, int) else 0
    return CoordinateLayout(base, (*shown, Symbol(f"{base.name}_rest", real=True)) if m else shown, m)


def _largest_named_index(expr: Expr, base: Symbol) -> int:
    """The largest index of a coordinate that occurs explicitly."""
    numbers = (int(c.args[1]) for c in atoms(expr, Component) if c.args[0] == base and c.args[1].is_Integer)
    return max(numbers, default=0)


def coordinate(base: Symbol, i: int) -> Symbol:
    return Symbol(f"{base.name}_{i}", real=True)


def expand_indices(expr: Expr, spec: Spec, layout: CoordinateLayout | None = None) -> Expr:
    """The expression in components; one in named coordinates is unchanged."""
    layout = layout or layout_of(expr, spec)
    if layout.base is None:
        return expr
    n = spec.space.dimension
    if not isinstance(n, int):
        ones = [c for c in atoms(expr, Contraction) if c.body == 1]
        expr = expr.xreplace(dict.fromkeys(ones, n))
    return _expand_cached(expr, layout)


def expand_in_components(expr: Expr, spec: Spec, layout: CoordinateLayout) -> Expr:
    """A sum of products in components. Numerical factors are split off, so that cached expansions are reused for other
    factors: in the summands of an equation, and after edits of a number."""
    split = [term.as_coeff_Mul() for term in Add.make_args(expr)]
    written = [(c, expand_indices(rest, spec, layout)) for c, rest in split]
    if sum(max_terms(rest) for _, rest in written) > MAX_TERMS:
        return expand_products(expand_indices(expr, spec, layout))
    return Add(*(c * a for c, rest in written for a in Add.make_args(expand_products(rest))))


@lru_cache(maxsize=CACHE_SIZE)
def _expand_cached(e: Expr, layout: CoordinateLayout) -> Expr:
    return _expand(e, layout)


def _expand(e: Expr, layout: CoordinateLayout) -> Expr:
    if isinstance(e, Contraction):
        terms = [_expand(e.body.xreplace({e.index: Integer(i)}), layout) for i in range(1, layout.first + 1)]
        if layout.m:
            terms.append(layout.m * _expand(e.body.xreplace({e.index: OTHER}), layout))
        return Add(*terms)
    if isinstance(e, Component) and e.args[0] == layout.base:
        return _coordinate(e, layout)
    if isinstance(e, Partial):
        others = sum(isinstance(s, Component) and s.args[1] == OTHER for s in e.slots)
        slots = (_slot(s, layout) for s in e.slots)
        return (
            Partial(_expand(e.body, layout), *slots) / sqrt(layout.m) ** others
            if others
            else Partial(_expand(e.body, layout), *slots)
        )
    if isinstance(e, Field):
        return in_coordinates(e, layout)
    if not e.args:
        return e
    return e.func(*(_expand(a, layout) for a in e.args))


def in_coordinates(field: Field, layout: CoordinateLayout) -> Field:
    """The field with its argument, the position, replaced by coordinates."""
    if layout.base is None or layout.base not in field.arguments:
        return field
    at = [c for a in field.arguments for c in (layout.coordinates if a == layout.base else (a,))]
    return Field(field.head, tuple(field.indices), tuple(at))


def _slot(slot: Expr, layout: CoordinateLayout) -> Expr:
    """The variable with respect to which a derivative is taken."""
    if isinstance(slot, Component) and slot.args[1] == OTHER:
        return layout.coordinates[-1]
    return _expand(slot, layout)


def _coordinate(e: Component, layout: CoordinateLayout) -> Expr:
    assert layout.base is not None
    if e.args[1] == OTHER:
        return layout.coordinates[-1] / sqrt(layout.m)
    return coordinate(layout.base, int(e.args[1])) if e.args[1].is_Integer else e
