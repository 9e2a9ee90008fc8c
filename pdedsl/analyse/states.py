"""Expressions in all unknowns of a spec: whether they are affine, and their values if every unknown is constant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from sympy import Add, DiracDelta, Dummy, Expr, Integer, Mul, Rational, S, Symbol, default_sort_key

from pdedsl.analyse.jets import opened
from pdedsl.analyse.kinks import by_relu
from pdedsl.analyse.samples import (
    SMALL,
    Point,
    Ranges,
    exact_at,
    jumps_at,
    nonzero_point,
    points,
    settled,
    telling_points,
    value_at,
)
from pdedsl.analyse.writing import layout_of, multiplied_out
from pdedsl.ir.spec import Spec
from pdedsl.ir.types import Vector
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.calculus import depends
from pdedsl.symbolic.expansion import expand, multiply_out
from pdedsl.symbolic.symbols import Field, Partial

TRIES = 12


@dataclass(frozen=True)
class State:
    """A sum of products in `letters`: the values of unknowns, here or at other points, and their derivatives."""

    expr: Expr
    heads: frozenset[Symbol]

    @cached_property
    def _parts(self) -> tuple[Expr, Expr]:
        """The source, and the terms that do not have the form of a multiple of one letter."""
        source: list[Expr] = []
        rest: list[Expr] = []
        for term in Add.make_args(self.expr):
            touched = [f for f in Mul.make_args(term) if self._touches(f)]
            if not touched:
                source.append(term)
            elif len(touched) > 1 or not self._is_letter(touched[0]):
                rest.append(term)
        return Add(*source), Add(*rest)

    def _touches(self, expr: Expr) -> bool:
        return not expr.is_Atom and any(f.head in self.heads for f in atoms(expr, Field))

    def _is_letter(self, expr: Expr) -> bool:
        field = expr.body if isinstance(expr, Partial) else expr
        return isinstance(field, Field) and field.head in self.heads and not any(map(self._touches, field.arguments))

    @cached_property
    def is_affine(self) -> bool:
        """Whether its form is affine, after kinks that cancel are removed; numbers are never used."""
        rest = self._parts[1]
        return bool(rest == 0 or State(multiply_out(by_relu(rest)), self.heads)._parts[1] == 0)

    def bends(self, ranges: Ranges) -> bool:
        """Whether it is certainly not affine somewhere in range; if it is neither affine nor bends, it is not known."""
        rest = self._parts[1]
        return rest != 0 and (self._has_monomial(rest, ranges) or _bends(self._in_letters(opened(rest)), ranges))

    def _has_monomial(self, rest: Expr, ranges: Ranges) -> bool:
        """Whether it is a polynomial in letters with a monomial of degree two or more whose total coefficient is not
        identically zero."""
        found: dict[frozenset[Expr], list[Expr]] = {}
        for term in Add.make_args(rest):
            touched = [f for f in Mul.make_args(term) if self._touches(f)]
            if not all(self._is_letter(b) and n.is_Integer and n > 0 for b, n in (f.as_base_exp() for f in touched)):
                return False
            found.setdefault(frozenset(touched), []).append(term / Mul(*touched))
        return any(_is_somewhere(Add(*parts), ranges) for parts in found.values())

    @property
    def is_linear(self) -> bool:
        return self.is_affine and self.source == 0

    @cached_property
    def source(self) -> Expr:
        """Its value if every unknown is zero."""
        source, rest = self._parts
        return source if rest == 0 else expand(source + _at_zero(self._in_letters(rest)))

    @property
    def bending(self) -> Expr:
        """The terms that keep it from being affine."""
        return self._parts[1]

    @cached_property
    def at_constants(self) -> Expr:
        """Its value if every unknown is constant in space and time."""
        flat = self.expr.xreplace(dict.fromkeys(self._letters(self.expr, Partial), S.Zero))
        fields = self._letters(flat, Field)
        constants: dict[str, Symbol] = {}
        for f in fields:
            constants.setdefault(_name(f), Dummy(_name(f), **_sign(f)))
        return multiply_out(_without_still(flat.xreplace({f: constants[_name(f)] for f in fields})))

    def _letters(self, expr: Expr, kind: Any) -> list[Expr]:
        return sorted((a for a in atoms(expr, kind) if self._is_letter(a)), key=default_sort_key)

    @property
    def in_letters(self) -> Expr:
        """The expression with a symbol for each letter, and 1 for whatever is learned."""
        return settled(self._in_letters(self.expr))

    def _in_letters(self, expr: Expr) -> Expr:
        for kind in (Partial, Field):
            letters = self._letters(expr, kind)
            expr = expr.xreplace({a: Dummy(f"{kind.__name__}{k}", **_sign(a)) for k, a in enumerate(letters)})
        return expr

    @cached_property
    def letters(self) -> tuple[Expr, ...]:
        """The values and derivatives of unknowns that occur in it."""
        partials = self._letters(self.expr, Partial)
        return (*partials, *self._letters(self.expr.xreplace(dict.fromkeys(partials, S.One)), Field))

    def slope(self, letter: Expr) -> Expr:
        """The derivative with respect to one of the letters, with symbols in place of all letters."""
        changed = Dummy("changed", real=True)
        others = {p: Dummy(real=True) for p in self._letters(self.expr, Partial)}
        return self._in_letters(self.expr.xreplace({**others, letter: changed})).diff(changed)


@lru_cache(maxsize=64)  # several provers look at the same conditions
def state_of(expr: Expr, spec: Spec) -> State:
    if spec.space.explicit:
        whole = multiply_out(solenoidal(expr, spec))
    else:
        whole = multiplied_out(expr, spec, layout_of(expr, spec))
    return State(whole, frozenset(u.head for u in spec.unknowns))


def solenoidal(expr: Expr, spec: Spec) -> Expr:
    """Substitutes -∂v₁/∂x₁ - … for ∂vₙ/∂xₙ of fields that are divergence-free by type, so that ∇·v cancels."""
    free = {w.head for w in spec.learned if isinstance(w.type, Vector) and w.type.divergence_free}
    if not free or not spec.space.explicit:
        return expr
    *others, last = spec.space.coordinates
    found = [p for p in atoms(expr, Partial) if isinstance(p.body, Field) and p.body.head in free and last in p.slots]
    return expr.xreplace({p: _by_others(p, others, last) for p in found if tuple(p.body.indices) == (len(others) + 1,)})


def _by_others(partial: Partial, others: list[Symbol], last: Symbol) -> Expr:
    slots, v = list(partial.slots), partial.body
    slots.remove(last)
    components = (Field(v.head, (Integer(k),), tuple(v.arguments)) for k in range(1, len(others) + 1))
    return -Add(*(Partial(w, *slots, x) for w, x in zip(components, others, strict=True)))


def letters_of(expr: Expr, spec: Spec) -> Expr:
    """An expression with a symbol for each value and derivative of an unknown."""
    return State(expr, frozenset(u.head for u in spec.unknowns))._in_letters(expr)


def multiples(flat: Expr, constant: int | Rational) -> dict[Symbol, Rational]:
    """Values for the unknowns in an expression at constants: the constant, twice the constant, …"""
    letters = sorted(atoms(flat, Dummy), key=lambda s: s.name)
    return {s: Rational(k * constant) for k, s in enumerate(letters, 1)}


def _name(field: Field) -> str:
    return f"{field.head.name}{''.join(map(str, field.indices))}"


def _at_zero(expr: Expr) -> Expr:
    return _without_still(expr.xreplace(dict.fromkeys(atoms(expr, Dummy), S.Zero)))


def _without_still(expr: Expr) -> Expr:
    """Zero for derivatives of what does not move."""
    still = [p for p in atoms(expr, Partial) if not all(depends(p.body, s) for s in p.slots)]
    return expr.xreplace(dict.fromkeys(still, S.Zero))


def _sign(letter: Expr) -> dict[str, bool]:
    """The assumptions that follow from the type of an unknown."""
    known = {"positive": True} if letter.is_positive else {"nonnegative": True} if letter.is_nonnegative else {}
    return {"real": True, **known}


def _is_somewhere(coefficient: Expr, ranges: Ranges) -> bool:
    """Whether a coefficient is nonzero at a point; one with learned fields counts, as weights may be anything."""
    known = not coefficient.has(Field, Partial)
    return nonzero_point(coefficient, ranges) is not None if known else coefficient.is_zero is not True


def _bends(expr: Expr, ranges: Ranges) -> bool:
    """Whether G(c + a + b) + G(c) differs from G(c + a) + G(c + b) somewhere, also for b = -a; if G has no numerical
    values, whether a derivative of it still depends on a letter."""
    numbers = False
    letters = atoms(expr, Dummy)
    expr = expr.xreplace(dict.fromkeys(expr.atoms(DiracDelta), S.Zero))  # points where something jumps do not count
    drawn = points(expr.free_symbols, ranges, 6 * TRIES)
    starts = () if expr.has(Partial) else telling_points(expr, expr.free_symbols, ranges, TRIES)
    for c, a, b in zip(starts, drawn, drawn, strict=False):
        for other in (b, {s: -v for s, v in a.items()}):
            places = [_moved(c, letters, *by) for by in ((a, other), (), (a,), (other,))]
            corners = [value_at(expr, p) if _is_of_type(p) and not jumps_at(expr, p) else None for p in places]
            values = [v for v in corners if v is not None]
            numbers = numbers or len(values) == len(corners)
            if len(values) == len(corners) and _differ(values) and _surely_differ(expr, c, letters, a, other):
                return True
    return not numbers and any(expr.diff(s).free_symbols & letters for s in letters)


def _is_of_type(place: Point) -> bool:
    """Whether the letters have the signs of their types: what elu does below zero says nothing of u > 0."""
    return all(v >= 0 for s, v in place.items() if s.is_nonnegative)


def _differ(corners: list[float]) -> bool:
    both, none, one, other = corners
    return abs(both + none - one - other) > SMALL * max(1, *map(abs, corners))


def _surely_differ(expr: Expr, start: Point, letters: frozenset[Symbol], a: Point, b: Point) -> bool:
    """The same in high precision: in double precision cosh² - sinh² of large numbers has no correct digit."""
    corners = [exact_at(expr, _moved(start, letters, *by)) for by in ((a, b), (), (a,), (b,))]
    values = [v for v in corners if v is not None]
    return len(values) == len(corners) and _differ(values)


def _moved(start: Point, letters: frozenset[Symbol], *by: Point) -> Point:
    return {s: v + (sum(p[s] for p in by) if s in letters else 0) for s, v in start.items()}
