"""What the hypotheses of comparison require of F besides ellipticity: where it is defined, how it depends on x, t, u.

Crandall, Ishii, Lions, "User's guide to viscosity solutions" (1992), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

from sympy import Add, Dummy, Expr, Pow, S, cancel, factor_terms, together

from pdedsl.analyse.in_space import InSpace
from pdedsl.analyse.in_time import InTime, in_time
from pdedsl.analyse.in_unknown import InUnknown
from pdedsl.analyse.intervals import Box, Range
from pdedsl.analyse.letters import LEAST, Letters
from pdedsl.analyse.problem import Problem
from pdedsl.analyse.ranges import range_of


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
        if all(range_of(e, self.of.whole) is not None for e in Add.make_args(settled)):
            return True
        return self._is_level_set

    @cached_property
    def _is_level_set(self) -> bool:
        """Whether ∂F/∂X is homogeneous of degree ≥ 0 in ∇u, and F singular only at ∇u = 0 (Evans and Spruck; Chen,
        Giga, Goto 1991)."""
        jet, scale = self.of.jet, Dummy("scale", positive=True)
        if any(range_of(e, away) is None for away in self._away for e in self.of.terms):
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
    def is_integrable_in_time(self) -> bool:
        return all(in_time(e, self.of.time, self.of.box) is not InTime.UNKNOWN for e in self.of.terms)


def structure_of(problem: Problem) -> Structure:
    return Structure(Letters(problem))


def _taken_out(e: Expr) -> Expr:
    """The expression with common factors taken out of roots."""
    return e.replace(lambda a: isinstance(a, Pow), lambda a: factor_terms(a.base) ** a.exp)
