"""F as a function of t: coefficients that are bounded, or integrable, at the ends of their time interval."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from math import inf, isfinite

from sympy import Add, Dummy, Expr, Mul, Pow, S, Symbol, exp, log, tan

from pdedsl.analysis.bounds.growth import Grower, is_foreign
from pdedsl.analysis.bounds.interval import Box, RealInterval, range_of
from pdedsl.analysis.bounds.sign import box_of
from pdedsl.analysis.index_expansion import expand_indices
from pdedsl.analysis.jet import Jet
from pdedsl.analysis.problem import Problem
from pdedsl.analysis.sample_points import ranges_of
from pdedsl.symbolic.symbols import Field, atoms, free_symbols

# ---- in_time


class InTime(Enum):
    """How an expression behaves at the ends of its time interval."""

    BOUNDED = "bounded"
    INTEGRABLE = "integrable"
    UNKNOWN = "unknown"


def in_time(e: Expr, time: Symbol | None, box: Box) -> InTime:
    if time is None or time not in free_symbols(e):
        return InTime.BOUNDED
    e = e.xreplace(dict.fromkeys((f for f in atoms(e, Field) if all(a.is_Symbol for a in f.arguments)), S.One))
    others = dict.fromkeys(free_symbols(e) - {time}, S.One)
    singular = [a for a in atoms(e, Pow, log, tan) if time in free_symbols(a) and not isinstance(a, exp)]
    rough = [a for a in singular if not _is_finite(a.xreplace(others), box)]
    if not rough:
        return InTime.BOUNDED
    rest = Mul(*(f for f in Mul.make_args(e) if f not in rough))  # exp(1/√t) is not integrable, though 1/√t is
    alone = not any(rest.has(a) for a in rough)
    return InTime.INTEGRABLE if alone and all(_is_integrable(a, time, box) for a in rough) else InTime.UNKNOWN


def _is_finite(a: Expr, box: Box) -> bool:
    found = range_of(a, box)
    return found is not None and isfinite(found.low) and isfinite(found.high)


def _is_integrable(a: Expr, time: Symbol, box: Box) -> bool:
    ends = box.get(time)
    if ends is None or ends.low != 0:
        return False
    match a:
        case log(args=(inner,)):
            return bool(inner == time)
        case Pow(base=base, exp=power):
            return bool(base == time and power.is_number and power > -1)
    return False


# ---- letters
# The variables of F(x, t, u, ∇u, ∇∇u): the boxes in which they lie, growth of coefficients, dependence on x and t.


SIZE = Fraction(100)  # bound for u, ∇u and ∇∇u where bounded values are considered
LEAST = Fraction(1, 10**60)  # lower bound for positive quantities


@dataclass(frozen=True)
class JetBounds:
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
        u, wide = self.jet.u, RealInterval(-SIZE, SIZE)
        low = 1 / SIZE if u.is_positive else Fraction(0) if u.is_nonnegative else -SIZE
        letters = dict.fromkeys(self.jet.variables, wide) | {u: RealInterval(low, SIZE)}
        return {**letters, **self.box}

    @cached_property
    def whole(self) -> Box:
        """All values of the jet; a positive unknown is bounded away from zero."""
        u = self.jet.u
        low = LEAST if u.is_positive else Fraction(0) if u.is_nonnegative else -inf
        return {u: RealInterval(low, inf), **self.box}

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
        kept = [jet.in_letters(expand_indices(e, problem.spec, jet.layout)) for e in problem.partial]
        return self.is_kept and all(range_of(e, self.whole) is not None for e in kept)

    def varies(self, e: Expr) -> bool:
        """Whether an expression depends on x."""
        base = set(self.problem.spec.space.coordinates)
        return bool(free_symbols(e) & set(self.jet.coordinates)) or any(free_symbols(f) & base for f in atoms(e, Field))
