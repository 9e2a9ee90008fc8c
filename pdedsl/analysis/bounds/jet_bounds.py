"""Interval bounds for the jet variables (x, t, u, ∇u, ∇∇u) of F, and regularity of the coefficients in t."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from math import inf, isfinite

from sympy import Add, Dummy, Expr, Mul, Pow, S, Symbol, exp, log, tan

from pdedsl.analysis.bounds.growth import GrowthRules, has_unknown_regularity
from pdedsl.analysis.bounds.interval import Box, RealInterval, range_of
from pdedsl.analysis.bounds.sign import box_of
from pdedsl.analysis.index_expansion import expand_indices
from pdedsl.analysis.jet import Jet
from pdedsl.analysis.problem import Problem
from pdedsl.analysis.sample_points import ranges_of
from pdedsl.symbolic.symbols import Field, atoms, free_symbols

# ---- Regularity in t


class TimeRegularity(Enum):
    """Behaviour of an expression at the ends of its time interval."""

    BOUNDED = "bounded"
    INTEGRABLE = "integrable"
    UNKNOWN = "unknown"


def time_regularity(e: Expr, time: Symbol | None, box: Box) -> TimeRegularity:
    if time is None or time not in free_symbols(e):
        return TimeRegularity.BOUNDED
    e = e.xreplace(dict.fromkeys((f for f in atoms(e, Field) if all(a.is_Symbol for a in f.arguments)), S.One))
    others = dict.fromkeys(free_symbols(e) - {time}, S.One)
    singular = [a for a in atoms(e, Pow, log, tan) if time in free_symbols(a) and not isinstance(a, exp)]
    rough = [a for a in singular if not _is_finite(a.xreplace(others), box)]
    if not rough:
        return TimeRegularity.BOUNDED
    rest = Mul(*(f for f in Mul.make_args(e) if f not in rough))  # exp(1/√t) is not integrable, though 1/√t is
    alone = not any(rest.has(a) for a in rough)
    return (
        TimeRegularity.INTEGRABLE
        if alone and all(_is_integrable(a, time, box) for a in rough)
        else TimeRegularity.UNKNOWN
    )


def _is_finite(a: Expr, box: Box) -> bool:
    range_ = range_of(a, box)
    return range_ is not None and isfinite(range_.low) and isfinite(range_.high)


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


# ---- Bounds of the jet variables


JET_BOUND = Fraction(100)  # bound of |u|, |∇u| and |∇∇u| where bounded values are considered
POSITIVE_MIN = Fraction(1, 10**60)  # lower bound of positive quantities


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

    @cached_property
    def singular_in_time(self) -> dict[Expr, Expr]:
        """Symbols for factors that are singular at an end of the time interval."""
        if self.time is None or self.time not in free_symbols(self.jet.expr):
            return {}
        singular = [
            a for a in atoms(self.jet.expr, Pow) if free_symbols(a) == {self.time} and range_of(a, self.box) is None
        ]
        return {a: Dummy(positive=True) for a in singular}

    def time_regularity(self, e: Expr) -> TimeRegularity:
        """The regularity of an expression in t; unknown for user networks."""
        own = {w.head for w in self.problem.spec.learned if has_unknown_regularity(w)}
        unseen = any(f.head in own and self.time in free_symbols(f) for f in atoms(e, Field))
        return TimeRegularity.UNKNOWN if unseen else time_regularity(e, self.time, self.box)

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
