"""Interval bounds for the jet variables (x, t, u, ∇u, ∇∇u) of F, and boundedness of the coefficients in t."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import inf, isfinite

from sympy import Add, Expr, Pow, S, Symbol, exp, log, tan

from pdedsl.analysis.bounds.growth import GrowthRules, has_unknown_regularity
from pdedsl.analysis.bounds.interval import Box, RealInterval, range_of
from pdedsl.analysis.bounds.sign import box_of
from pdedsl.analysis.index_expansion import expand_indices
from pdedsl.analysis.jet import Jet
from pdedsl.analysis.problem import Problem
from pdedsl.analysis.sample_points import ranges_of
from pdedsl.record import Record
from pdedsl.symbolic.symbols import Field, atoms, free_symbols

# ---- Boundedness in t


def is_bounded_in_time(e: Expr, time: Symbol | None, box: Box) -> bool:
    """Whether every power, logarithm and tangent of t in an expression is bounded on its time interval."""
    if time is None or time not in free_symbols(e):
        return True
    e = e.xreplace(dict.fromkeys((f for f in atoms(e, Field) if all(a.is_Symbol for a in f.arguments)), S.One))
    others = dict.fromkeys(free_symbols(e) - {time}, S.One)
    singular = [a for a in atoms(e, Pow, log, tan) if time in free_symbols(a) and not isinstance(a, exp)]
    ranges = [range_of(a.xreplace(others), box) for a in singular]
    return all(r is not None and isfinite(r.low) and isfinite(r.high) for r in ranges)


# ---- Bounds of the jet variables


JET_BOUND = Fraction(100)  # bound of |u|, |∇u| and |∇∇u| where bounded values are considered
POSITIVE_MIN = Fraction(1, 10**60)  # lower bound of positive quantities


class JetBounds(Record):
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
    def growth(self) -> GrowthRules:
        bounded = bool(self.problem.spec.space.intervals)
        return GrowthRules(frozenset(self.jet.coordinates), self.box, self.problem.spec, bounded)

    @cached_property
    def terms(self) -> tuple[Expr, ...]:
        return tuple(Add.make_args(self.jet.expr))

    @cached_property
    def bounded_box(self) -> Box:
        """Bounded values of the jet; a positive unknown is bounded away from zero."""
        u, wide = self.jet.u, RealInterval(-JET_BOUND, JET_BOUND)
        low = 1 / JET_BOUND if u.is_positive else Fraction(0) if u.is_nonnegative else -JET_BOUND
        variables = dict.fromkeys(self.jet.variables, wide) | {u: RealInterval(low, JET_BOUND)}
        return {**variables, **self.box}

    @cached_property
    def full_box(self) -> Box:
        """All values of the jet; a positive unknown is bounded away from zero."""
        u = self.jet.u
        low = POSITIVE_MIN if u.is_positive else Fraction(0) if u.is_nonnegative else -inf
        return {u: RealInterval(low, inf), **self.box}

    @cached_property
    def bounded_u_box(self) -> Box:
        """Bounded values of u, and all values of its derivatives."""
        return {self.jet.u: self.bounded_box[self.jet.u], **self.box}

    def is_bounded_in_time(self, e: Expr) -> bool:
        """Whether an expression is bounded in t; False for user networks."""
        own = {w.head for w in self.problem.spec.learned if has_unknown_regularity(w)}
        unseen = any(f.head in own and self.time in free_symbols(f) for f in atoms(e, Field))
        return not unseen and is_bounded_in_time(e, self.time, self.box)

    @property
    def is_defined_before_cancellation(self) -> bool:
        """Whether cancelled roots, quotients and logarithms are defined for all values of the jet."""
        return all(range_of(e, self.full_box) is not None for e in self.problem.cancelled_in(self.jet))

    @property
    def is_defined(self) -> bool:
        """Whether all roots, quotients and logarithms are defined for all values of the unknowns, cancelled or not."""
        problem, jet = self.problem, self.jet
        retained = [
            jet.in_jet_variables(expand_indices(e, problem.spec, jet.layout)) for e in problem.partial_functions
        ]
        return self.is_defined_before_cancellation and all(range_of(e, self.full_box) is not None for e in retained)

    def depends_on_x(self, e: Expr) -> bool:
        """Whether an expression depends on x."""
        base = set(self.problem.spec.space.coordinates)
        return bool(free_symbols(e) & set(self.jet.coordinates)) or any(free_symbols(f) & base for f in atoms(e, Field))
