"""The variables of F(x, t, u, ∇u, ∇∇u): the boxes in which they lie, growth of coefficients, dependence on x and t."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf

from sympy import Add, Dummy, Expr, Pow, Symbol

from pdedsl.analyse.growth import Grower, is_foreign
from pdedsl.analyse.in_time import InTime, in_time
from pdedsl.analyse.intervals import Box, Range
from pdedsl.analyse.jets import Jet
from pdedsl.analyse.problem import Problem
from pdedsl.analyse.ranges import range_of
from pdedsl.analyse.samples import ranges_of
from pdedsl.analyse.signs import box_of
from pdedsl.analyse.writing import written_out
from pdedsl.symbolic.atoms import atoms, free_symbols
from pdedsl.symbolic.symbols import Field

SIZE = Fraction(100)  # bound for u, ∇u and ∇∇u where bounded values are considered
LEAST = Fraction(1, 10**60)  # lower bound for positive quantities


@dataclass(frozen=True)
class Letters:
    """F(x, t, u, ∇u, ∇∇u) of an equation, with boxes for its variables."""

    problem: Problem

    @property
    def jet(self) -> Jet:
        return self.problem.jet

    @cached_property
    def box(self) -> Box:
        return box_of(ranges_of(self.problem.spec, self.problem.equation))

    @property
    def time(self) -> Symbol | None:
        return self.problem.spec.time.symbol if self.problem.spec.time else None

    @cached_property
    def grower(self) -> Grower:
        bounded = bool(self.problem.spec.space.sides)
        return Grower(frozenset(self.jet.coordinates), self.box, self.problem.spec, bounded)

    @cached_property
    def terms(self) -> tuple[Expr, ...]:
        return tuple(Add.make_args(self.jet.expr))

    @cached_property
    def near(self) -> Box:
        """Bounded values of the jet; a positive unknown is bounded away from zero."""
        u, wide = self.jet.u, Range(-SIZE, SIZE)
        low = 1 / SIZE if u.is_positive else Fraction(0) if u.is_nonnegative else -SIZE
        letters = dict.fromkeys(self.jet.variables, wide) | {u: Range(low, SIZE)}
        return {**letters, **self.box}

    @cached_property
    def whole(self) -> Box:
        """All values of the jet; a positive unknown is bounded away from zero."""
        u = self.jet.u
        low = LEAST if u.is_positive else Fraction(0) if u.is_nonnegative else -inf
        return {u: Range(low, inf), **self.box}

    @cached_property
    def near_u(self) -> Box:
        """Bounded values of u, and all values of its derivatives."""
        return {self.jet.u: self.near[self.jet.u], **self.box}

    @cached_property
    def singular_in_time(self) -> dict[Expr, Expr]:
        """Symbols for factors that are unbounded at an end of the time interval."""
        if self.time is None or self.time not in free_symbols(self.jet.expr):
            return {}
        rough = [
            a for a in atoms(self.jet.expr, Pow) if free_symbols(a) == {self.time} and range_of(a, self.box) is None
        ]
        return {a: Dummy(positive=True) for a in rough}

    def in_time(self, e: Expr) -> InTime:
        """How an expression behaves in time; nothing is known of a foreign network."""
        own = {w.head for w in self.problem.spec.learned if is_foreign(w)}
        unseen = any(f.head in own and self.time in free_symbols(f) for f in atoms(e, Field))
        return InTime.UNKNOWN if unseen else in_time(e, self.time, self.box)

    @property
    def is_kept(self) -> bool:
        """Whether roots, poles and logarithms that cancelled have values everywhere, for all values of the jet."""
        return all(range_of(e, self.whole) is not None for e in self.problem.domain(self.jet))

    @property
    def is_defined(self) -> bool:
        """Whether roots, poles and logarithms have values for all values of the unknowns, also those that cancelled."""
        problem, jet = self.problem, self.jet
        kept = [jet.in_letters(written_out(e, problem.spec, jet.layout)) for e in problem.partial]
        return self.is_kept and all(range_of(e, self.whole) is not None for e in kept)

    def varies(self, e: Expr) -> bool:
        """Whether an expression depends on x."""
        base = set(self.problem.spec.space.coordinates)
        return bool(free_symbols(e) & set(self.jet.coordinates)) or any(free_symbols(f) & base for f in atoms(e, Field))
