"""What an equation reads at other times or points: directly, or through unknowns of stationary equations, which stand
for what these imply. w = u(x, t - 1) is memory by another name; Δw = w - u gives w = (1 - Δ)⁻¹u, a mean over all space.

A sight is sure if at some point the place is certainly another one, and its coefficient certainly nonzero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Symbol, Tuple, pi, sin

from pdedsl.analyse.frames import unknown_of
from pdedsl.analyse.positivity import strictly_positive
from pdedsl.analyse.samples import Ranges, nonzero_point, ranges_of
from pdedsl.analyse.signs import box_of
from pdedsl.analyse.states import State, state_of
from pdedsl.analyse.writing import in_coordinates, layout_of
from pdedsl.ir.spec import Equation, Spec, Unknown
from pdedsl.symbolic.expansion import expand
from pdedsl.symbolic.symbols import Component, Field, Partial


@dataclass(frozen=True)
class Sight:
    """Something read elsewhere, directly or `by` way of the unknown of a stationary equation."""

    sure: bool
    by: Symbol | None


@dataclass(frozen=True)
class Reader:
    """An equation, and the values and derivatives of unknowns that occur in it."""

    equation: Equation
    spec: Spec

    @cached_property
    def head(self) -> Symbol:
        return unknown_of(self.equation, self.spec).head

    @cached_property
    def states(self) -> tuple[State, ...]:
        return tuple(state_of(e, self.spec) for e in self.equation.right)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        heads = {u.head for u in self.spec.unknowns}
        found = (f for e in self.equation.right for f in e.atoms(Field) if f.head in heads)
        return tuple(dict.fromkeys(sorted(found, key=str)))

    @cached_property
    def read(self) -> tuple[Symbol, ...]:
        """The other unknowns that occur in it."""
        return tuple(dict.fromkeys(f.head for f in self.fields if f.head != self.head))

    @cached_property
    def ranges(self) -> Ranges:
        return ranges_of(self.spec, self.equation)

    def place(self, field: Field) -> Tuple:
        """The arguments of a field, in the coordinates of the states."""
        return in_coordinates(field, layout_of(self.equation.right[0], self.spec)).arguments

    def counts(self, head: Symbol, arguments: Tuple | None = None, below: int | None = None) -> bool:
        """Whether F certainly depends on an unknown (at these arguments, by derivatives of order less than `below`)."""
        return any(self._moves(s, a) for s in self.states for a in s.letters if _is_of(a, head, arguments, below))

    def _moves(self, state: State, letter: Expr) -> bool:
        slope, box = state.slope(letter), box_of(self.ranges)
        if nonzero_point(slope, self.ranges) is not None:
            return True
        return strictly_positive(slope, box) or strictly_positive(expand(-slope), box)

    def order_in(self, head: Symbol) -> int:
        """The order of the highest derivative of an unknown in space."""
        time = self.spec.time.symbol if self.spec.time else None
        partials = (p for e in self.equation.right for p in e.atoms(Partial) if _has(p, head))
        return max((len([s for s in p.slots if s != time]) for p in partials), default=0)


def _has(expr: Expr, head: Symbol) -> bool:
    return any(f.head == head for f in expr.atoms(Field))


def _is_of(letter: Expr, head: Symbol, arguments: Tuple | None, below: int | None) -> bool:
    field, order = (letter.body, len(letter.slots)) if isinstance(letter, Partial) else (letter, 0)
    there = arguments is None or field.arguments == arguments
    return bool(field.head == head and there and (below is None or order < below))


# ---- places


def _is_elsewhere(field: Field, unknown: Unknown, reader: Reader, in_time: bool) -> bool | None:
    """Whether a field is read at another time, or at another point; None if that is not known."""
    time = reader.spec.time.symbol if reader.spec.time else None
    pairs = zip(field.arguments, unknown.arguments, strict=True)
    gaps = [_gap(given, own, reader) for given, own in pairs if given != own and (own == time) == in_time]
    if all(g == 0 for g in gaps):
        return False
    return True if any(nonzero_point(g, reader.ranges) is not None for g in gaps) else None


def _gap(given: Expr, own: Symbol, reader: Reader) -> Expr:
    """Given minus own; in a periodic coordinate, a function of it that vanishes at multiples of the period."""
    own_components = {c: own for c in given.atoms(Component) if c.args[0] == own}
    space, gap = reader.spec.space, expand(given.xreplace(own_components) - own)
    if own not in space.coordinates or not space.sides:
        return gap
    if not space.sides[space.coordinates.index(own)].periodic:
        return gap
    start, end = reader.ranges[own]
    return sin(pi * gap / (end - start))


# ---- sights


def memory(equation: Equation, spec: Spec) -> list[Sight]:
    """What is read at another time."""
    return list(_seen(Reader(equation, spec), True, True, None, frozenset()))


def distance(equation: Equation, spec: Spec) -> list[Sight]:
    """What is read at another point, or determined by values over all of space."""
    return list(_seen(Reader(equation, spec), False, True, None, frozenset()))


def reads_at_rest(equation: Equation, spec: Spec) -> bool:
    """Whether an equation contains another unknown that does not evolve in time."""
    return any(_given(head, spec) is not None for head in Reader(equation, spec).read)


def _seen(reader: Reader, in_time: bool, sure: bool, by: Symbol | None, path: frozenset[Symbol]) -> Iterator[Sight]:
    spec = reader.spec
    for field in reader.fields:
        unknown = next(u for u in spec.unknowns if u.head == field.head)
        away = _is_elsewhere(field, unknown, reader, in_time)
        if away is not False:
            yield Sight(sure and away is True and reader.counts(field.head, reader.place(field)), by)
    for head in (h for h in reader.read if h not in path):
        given = _given(head, spec)
        if given is None:
            continue
        known = sure and reader.counts(head)
        for giver in given:
            yield from () if in_time else _spread(reader, giver, head, known, by)
            yield from _seen(giver, in_time, known, by or head, path | {head, reader.head})
        if not given and not in_time:
            yield from (Sight(known and free, by or head) for free in _constraints(head, spec))


def _constraints(head: Symbol, spec: Spec) -> Iterator[bool]:
    """For each stationary equation with derivatives, whether the unknown is absent from it: such equations determine an
    unknown that no equation is solved for, as ∇·u = 0 determines the pressure."""
    for reader in (Reader(e, spec) for e in spec.equations if not e.order):
        if any(reader.order_in(f.head) for f in reader.fields):
            yield all(f.head != head for f in reader.fields)


def _given(head: Symbol, spec: Spec) -> list[Reader] | None:
    """The stationary equations for an unknown; None if it evolves."""
    readers = [Reader(e, spec) for e in spec.equations]
    if any(r.head == head and r.equation.order for r in readers):
        return None
    return [r for r in readers if r.head == head]


def _spread(reader: Reader, giver: Reader, head: Symbol, sure: bool, by: Symbol | None) -> Iterator[Sight]:
    """An unknown with derivatives in its own equation, or with a circular definition, is not determined pointwise."""
    order = giver.order_in(head)
    if order and giver.read:
        yield Sight(sure and reader.counts(head, below=order) and any(map(giver.counts, giver.read)), by or head)
    elif any(_given(h, reader.spec) is not None for h in giver.read) and _comes_back(giver, head, frozenset()):
        yield Sight(False, by or head)


def _comes_back(reader: Reader, head: Symbol, path: frozenset[Symbol]) -> bool:
    """Whether the definition of an unknown is circular, through other unknowns."""
    for other in (h for h in reader.read if h not in path):
        if other == head:
            return True
        if any(_comes_back(r, head, path | {other}) for r in _given(other, reader.spec) or ()):
            return True
    return False
