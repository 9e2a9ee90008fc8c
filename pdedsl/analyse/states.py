"""Expressions in all unknowns of a spec: are they affine, and what are they where every unknown is a constant?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from sympy import Add, Dummy, Expr, Integer, Mul, S, Symbol, default_sort_key, expand

from pdedsl.analyse.samples import SMALL, Point, points, value_at
from pdedsl.analyse.writing import written_out
from pdedsl.ir.spec import Spec
from pdedsl.symbolic.calculus import depends
from pdedsl.symbolic.expansion import multiply_out
from pdedsl.symbolic.symbols import Field, Partial

TRIES = 12


@dataclass(frozen=True)
class State:
    """A sum of products, in which the values of unknowns, here or elsewhere, and their derivatives are letters."""

    expr: Expr
    heads: frozenset[Symbol]

    @cached_property
    def _parts(self) -> tuple[Expr, Expr]:
        """The source, and what is not by its form a multiple of one letter."""
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
        return not expr.is_Atom and any(f.head in self.heads for f in expr.atoms(Field))

    def _is_letter(self, expr: Expr) -> bool:
        field = expr.body if isinstance(expr, Partial) else expr
        return isinstance(field, Field) and field.head in self.heads and not any(map(self._touches, field.arguments))

    @cached_property
    def is_affine(self) -> bool:
        rest = self._parts[1]
        if rest == 0 or self._has_lone_monomial(rest):
            return bool(rest == 0)
        return not _bends(self._in_letters(rest))

    def _has_lone_monomial(self, rest: Expr) -> bool:
        """Whether it is a polynomial in letters, of degree two or more, with a monomial that nothing can cancel."""
        found: Counter[frozenset[Expr]] = Counter()
        for term in Add.make_args(rest):
            touched = [f for f in Mul.make_args(term) if self._touches(f)]
            if not all(self._is_letter(b) and n.is_Integer and n > 0 for b, n in (f.as_base_exp() for f in touched)):
                return False
            found[frozenset(touched)] += 1
        return 1 in found.values()

    @property
    def is_linear(self) -> bool:
        return self.is_affine and self.source == 0

    @cached_property
    def source(self) -> Expr:
        """What is left where every unknown is zero."""
        source, rest = self._parts
        return source if rest == 0 else expand(source + _at_zero(self._in_letters(rest)))

    @property
    def bending(self) -> Expr:
        """What keeps it from being affine."""
        return self._parts[1]

    @cached_property
    def at_constants(self) -> Expr:
        """Its value where every unknown is a constant, the same here and elsewhere."""
        flat = self.expr.xreplace(dict.fromkeys(self._letters(self.expr, Partial), S.Zero))
        fields = self._letters(flat, Field)
        constants: dict[str, Symbol] = {}
        for name in (_name(f) for f in fields):
            constants.setdefault(name, Dummy(name, real=True))
        flat = flat.xreplace({f: constants[_name(f)] for f in fields})
        still = [p for p in flat.atoms(Partial) if not all(depends(p.body, s) for s in p.slots)]
        return multiply_out(flat.xreplace(dict.fromkeys(still, S.Zero)))

    def _letters(self, expr: Expr, kind: type[Expr]) -> list[Expr]:
        return sorted((a for a in expr.atoms(kind) if self._is_letter(a)), key=default_sort_key)

    def _in_letters(self, expr: Expr) -> Expr:
        for kind in (Partial, Field):
            letters = self._letters(expr, kind)
            expr = expr.xreplace({a: Dummy(f"{kind.__name__}{k}", real=True) for k, a in enumerate(letters)})
        return expr


def state_of(expr: Expr, spec: Spec) -> State:
    return State(multiply_out(written_out(expr, spec)), frozenset(u.head for u in spec.unknowns))


def letters_of(expr: Expr, spec: Spec) -> Expr:
    """An expression with a symbol for each value and derivative of an unknown."""
    return State(expr, frozenset(u.head for u in spec.unknowns))._in_letters(expr)


def multiples(flat: Expr, constant: int) -> dict[Symbol, Integer]:
    """A constant, twice of it, … for the unknowns of an expression at constants."""
    letters = sorted(flat.atoms(Dummy), key=lambda s: s.name)
    return {s: Integer(k * constant) for k, s in enumerate(letters, 1)}


def _name(field: Field) -> str:
    return f"{field.head.name}{''.join(map(str, field.indices))}"


def _at_zero(expr: Expr) -> Expr:
    return expr.xreplace(dict.fromkeys(expr.atoms(Dummy), S.Zero))


def _bends(expr: Expr) -> bool:
    """Whether G(c + a + b) + G(c) differs from G(c + a) + G(c + b) somewhere; by slopes where there are no numbers."""
    numbers = False
    letters = expr.atoms(Dummy)
    drawn = points(expr.free_symbols, {}, 3 * TRIES)
    for c, a, b in zip(drawn, drawn, drawn, strict=True):
        corners = [value_at(expr, _moved(c, letters, *by)) for by in ((a, b), (), (a,), (b,))]
        if any(v is None for v in corners):
            continue
        numbers = True
        both, none, one, other = (v or 0.0 for v in corners)
        if abs(both + none - one - other) > SMALL * max(1, abs(both), abs(none), abs(one), abs(other)):
            return True
    return not numbers and any(expr.diff(s).free_symbols & letters for s in letters)


def _moved(start: Point, letters: set[Symbol], *by: Point) -> Point:
    return {s: v + (sum(p[s] for p in by) if s in letters else 0) for s, v in start.items()}
