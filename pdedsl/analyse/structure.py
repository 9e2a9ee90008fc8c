"""What the hypotheses of comparison require of F besides ellipticity: where it is defined, how it depends on x, t, u.

Crandall, Ishii, Lions, "User's guide to viscosity solutions" (1992), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

from sympy import Abs, Add, Dummy, Expr, Heaviside, Mul, Pow, S, cancel, factor_terms, log, sign, together

from pdedsl.analyse.in_space import InSpace
from pdedsl.analyse.in_time import InTime
from pdedsl.analyse.in_unknown import InUnknown, is_tame
from pdedsl.analyse.intervals import Box, Range
from pdedsl.analyse.letters import LEAST, Letters
from pdedsl.analyse.problem import Problem
from pdedsl.analyse.ranges import range_of
from pdedsl.analyse.signs import nonnegative
from pdedsl.symbolic.atoms import atoms, free_symbols


@dataclass(frozen=True)
class Structure:
    """F of an equation of first order in time, checked against the hypotheses."""

    of: Letters

    @cached_property
    def in_unknown(self) -> InUnknown:
        return InUnknown(self.of)

    @cached_property
    def in_space(self) -> InSpace:
        return InSpace(self.of)

    @cached_property
    def has_values(self) -> bool:
        """Whether F is defined for every jet; a singularity only at ∇u = 0 is admitted for level-set equations."""
        settled = self.in_unknown.lower.xreplace(self.of.singular_in_time)
        hidden = [a for e in self.of.problem.domain(self.of.jet) for a in Add.make_args(e)]
        if not all(map(self._is_defined, self.in_unknown.densities)) or not all(map(self._has_value, hidden)):
            return False
        return all(map(self._has_value, Add.make_args(settled))) or self._is_level_set

    def _has_value(self, e: Expr) -> bool:
        """Whether it is defined, and no logarithm is infinite, but for z log z."""
        box, factors = self.of.whole, {f.as_base_exp()[0] for f in Mul.make_args(e)}
        inner = [a.args[0] for a in atoms(e, log) if free_symbols(a) != {self.of.time}]
        finite = ((found := range_of(z, box)) is not None and (found.low > 0 or z in factors) for z in inner)
        return range_of(e, box) is not None and all(finite)

    @cached_property
    def keeps_sign(self) -> bool:
        """Whether u = 0 does not decrease, or F is linear and has the same form for u < 0."""
        jet = self.of.jet
        if jet.is_affine:
            return True
        lower = (e for e in Add.make_args(self.in_unknown.lower) if not free_symbols(e) & set(jet.second))
        at_zero = Add(*lower).xreplace(dict.fromkeys((jet.u, *jet.p), S.Zero))
        return nonnegative(at_zero, self.of.box)

    def _is_defined(self, slope: Expr) -> bool:
        """Whether β has a value for all u, by its slope: that of √u is unbounded at 0, where √u has one if u ≥ 0."""
        u, box = self.of.jet.u, self.of.whole
        settled = slope.xreplace(self.of.singular_in_time)
        if range_of(settled, box) is not None:
            return True
        return u.is_nonnegative and is_tame(slope, u) and range_of(settled, {**box, u: Range(LEAST, inf)}) is not None

    @cached_property
    def _is_level_set(self) -> bool:
        """Whether ∂F/∂X is homogeneous of degree ≥ 0 in ∇u, and F singular only at ∇u = 0 (Evans and Spruck; Chen,
        Giga, Goto 1991)."""
        jet, scale = self.of.jet, Dummy("scale", positive=True)
        if any(range_of(e, away) is None for away in self._away for e in self.of.terms):
            return False
        second = set(jet.second)
        if not all(self._has_value(e) for e in self.of.terms if not free_symbols(e) & second):
            return False
        values = [e for row in jet.matrix for e in row]
        for e in values:
            scaled = _taken_out(e.xreplace({p: scale * p for p in jet.p}))
            ratio = cancel(together(scaled / e)) if e != 0 else S.One
            power = ratio.as_base_exp()
            if ratio != 1 and not (power[0] == scale and power[1].is_nonnegative):
                return False
        return True

    @property
    def _away(self) -> list[Box]:
        """Boxes that cover all nonzero gradients: in each, one component is nonzero."""
        ends = (Range(LEAST, inf), Range(-inf, -LEAST))
        return [{**self.of.whole, p: side} for p in self.of.jet.p for side in ends]

    @cached_property
    def is_continuous(self) -> bool:
        """Whether F has no jump in ∇u and ∇∇u; z sign(z) has none, and one in front of ∂²u/∂xᵢ² that depends on ∂u/∂xᵢ
        alone belongs to a flux."""
        return all(map(self._joins, self.of.terms))

    def _joins(self, term: Expr) -> bool:
        jet, powers = self.of.jet, [f.as_base_exp() for f in Mul.make_args(term)]
        jumps = [a.args[0] for a in term.atoms(sign, Heaviside) if free_symbols(a) & {*jet.p, *jet.second}]
        small = {base for base, power in powers if power.is_positive}
        if all(z in small or Abs(z) in small for z in jumps):
            return True
        others = [(jet.variable_set - {p}, term / jet.x[i, i]) for i, p in enumerate(jet.p)]
        return any(not (free_symbols(rest) & apart or self.of.varies(rest)) for apart, rest in others)

    @cached_property
    def is_integrable_in_time(self) -> bool:
        return all(self.of.in_time(e) is not InTime.UNKNOWN for e in self.of.terms)


def structure_of(problem: Problem) -> Structure:
    return Structure(Letters(problem))


def _taken_out(e: Expr) -> Expr:
    """The expression with common factors taken out of roots."""
    return e.replace(lambda a: isinstance(a, Pow), lambda a: factor_terms(a.base) ** a.exp)
