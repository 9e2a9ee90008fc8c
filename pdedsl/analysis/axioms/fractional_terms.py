"""Verdicts on equations with fractional Laplacians on periodic boxes, and their well-posedness.

-(-Δ)ˢ multiplies the Fourier mode κ by -|κ|²ˢ. For 0 < s < 1 it generates the semigroup of a stable process, so that a
linear equation with constant coefficients preserves the order of its data (Applebaum 2009, section 3.5; Droniou, Imbert
2006). For s > 1 the kernel of exp(-t(-Δ)ˢ) has negative values, since it has finite second moments equal to zero. It is
nonlocal unless s is an integer. The wrong sign amplifies the mode κ at the rate |κ|²ˢ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sympy import Add, Expr, S

from pdedsl import errors
from pdedsl.analysis.axioms.linearity import NONZERO_AT_ZERO
from pdedsl.analysis.drift_diffusion import LinearTerm, NotLinear, linear_terms
from pdedsl.analysis.problem import Problem, flip_sign, quote_terms, spans, time_direction
from pdedsl.analysis.sample_points import Ranges, find_nonzero_point, ranges_of
from pdedsl.config.methods import Direction
from pdedsl.diagnostics import Diagnostic, PdeError
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import Origin
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Undecided, Verdict
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import Field, FractionalLaplacian, Partial, atoms

NOT_COVERED = Undecided(
    "equations with fractional Laplacians are not covered by the implemented theorems for this property."
)


def has_fractional_terms(spec: Spec) -> bool:
    return any(e.has(FractionalLaplacian) for equation in spec.equations for e in equation.rhs)


def prove_with_fractional_terms(problem: Problem, applicable: tuple[Axiom, ...]) -> dict[Axiom, Verdict]:
    terms = FractionalTerms(problem)
    provers: dict[Axiom, Callable[[], Verdict]] = {
        Axiom.LINEARITY: terms.linearity,
        Axiom.CONSTANTS: terms.preserves_constants,
        Axiom.COMPARISON: terms.comparison,
        Axiom.MARKOV: terms.markov,
        Axiom.LOCALITY: terms.locality,
        Axiom.MAXIMUM_PRINCIPLE: terms.maximum_principle,
        Axiom.CONSERVATION: terms.conservation,
    }
    return {axiom: provers[axiom]() if axiom in provers else NOT_COVERED for axiom in applicable}


@dataclass(frozen=True)
class FractionalTerms:
    """The linear terms of an equation for a single scalar unknown; none if it is nonlinear, or one of a system."""

    problem: Problem

    @cached_property
    def parts(self) -> list[LinearTerm] | None:
        """Coefficients and values or derivatives of u; 1 of a source; forward in time."""
        problem, spec = self.problem, self.problem.spec
        if len(spec.unknowns) > 1 or len(problem.equation.rhs) > 1 or problem.is_implicit or spec.learned:
            return None
        sign = -1 if self._is_terminal else 1
        right = expand_products(sign * problem.equation.rhs[0].xreplace(spec.values))
        try:
            return list(linear_terms(right, frozenset(u.head for u in spec.unknowns)))
        except NotLinear:
            return None

    @property
    def _is_terminal(self) -> bool:
        late = time_direction(self.problem.spec, self.problem.equation.unknown) is Direction.TERMINAL
        return late and self.problem.equation.order == 1

    @property
    def _ranges(self) -> Ranges:
        return ranges_of(self.problem.spec, self.problem.equation)

    def _coefficients(self, kind: type[Expr] | None) -> dict[Expr, Expr]:
        """Sums of the coefficients: of fractional Laplacians, of derivatives, or (None) of 1 and of u."""
        totals: dict[Expr, Expr] = {}
        for coefficient, variable in self.parts or ():
            if (kind is None and not isinstance(variable, FractionalLaplacian | Partial)) or (
                kind is not None and isinstance(variable, kind)
            ):
                totals[variable] = totals.get(variable, S.Zero) + coefficient
        return {variable: Add(total) for variable, total in totals.items() if total != 0}

    @cached_property
    def fractional(self) -> dict[Expr, Expr]:
        return self._coefficients(FractionalLaplacian)

    @cached_property
    def derivatives(self) -> dict[Expr, Expr]:
        return self._coefficients(Partial)

    @property
    def source(self) -> Expr:
        return self._coefficients(None).get(S.One, S.Zero)

    @property
    def rate(self) -> Expr:
        return Add(*(c for v, c in self._coefficients(None).items() if v is not S.One))

    @property
    def origins(self) -> list[Origin]:
        return [p.origin for p in self.problem.summands if any(c.expr.has(FractionalLaplacian) for c in p.components)]

    def _is_nonzero(self, expr: Expr) -> bool:
        return not expr.has(Field) and find_nonzero_point(expr, self._ranges) is not None

    @property
    def _is_evolution(self) -> bool:
        return self.parts is not None and self.problem.equation.order == 1

    @property
    def _has_delay(self) -> bool:
        own = {u.head: tuple(u.arguments) for u in self.problem.spec.unknowns}
        exprs = (e for q in self.problem.spec.equations for e in q.rhs)
        return any(tuple(f.arguments) != own[f.head] for e in exprs for f in atoms(e, Field) if f.head in own)

    # ---- Verdicts

    def linearity(self) -> Verdict:
        if self.parts is None or self._has_delay:
            return NOT_COVERED
        if self.source == 0:
            hypotheses = ("every term is linear in the unknown", "periodic boundaries")
            return Proved("every term is linear in u, and there is no source term.", hypotheses)
        if not self._is_nonzero(self.source):
            return Undecided("a source term could not be shown to be nonzero.")
        offending = self._without_unknowns
        why = f"{quote_terms(offending)} is a source term: the solution operator is affine, not linear"
        return Refuted(f"{why}.", NONZERO_AT_ZERO, spans(offending))

    @property
    def _without_unknowns(self) -> list[Origin]:
        heads = {u.head for u in self.problem.spec.unknowns}
        return [
            p.origin
            for p in self.problem.summands
            if not any(f.head in heads for c in p.components for f in atoms(c.expr, Field))
        ]

    def preserves_constants(self) -> Verdict:
        if not self._is_evolution or self._has_delay:
            return NOT_COVERED
        if self.source == 0 and self.rate == 0:
            hypotheses = ("periodic boundaries", "no reaction and no source")
            return Proved("the fractional Laplacian and all derivatives of constants vanish.", hypotheses)
        if not (self._is_nonzero(self.source) or (self.source == 0 and self._is_nonzero(self.rate))):
            return Undecided("it could not be decided whether constants are stationary.")
        offending = [o for o in self.problem.right_hand_terms if o not in self.origins] or self.origins
        reason = f"{quote_terms(offending)} does not vanish for constants"
        return Refuted(f"{reason}.", "u = 1 is not stationary", spans(offending))

    def comparison(self) -> Verdict:
        if not self._is_evolution or self._has_delay or not self.fractional:
            return NOT_COVERED
        decaying = all(c.is_number and c < 0 and isinstance(v.body, Field) for v, c in self.fractional.items())
        plain = all(c.is_number for c in self.derivatives.values())
        if not (decaying and plain and self.rate.is_number):
            return NOT_COVERED
        second = [(v, c) for v, c in self.derivatives.items() if len(v.slots) > 1]
        pure = all(len(v.slots) == 2 and len({*v.slots}) == 1 and c > 0 for v, c in second)
        if pure and all(v.power < 1 for v in self.fractional):
            hypotheses = ("0 < s < 1 for every fractional Laplacian", "constant coefficients", "periodic boundaries")
            reason = f"{quote_terms(self.origins)} generates the semigroup of a stable process, which is positive"
            return Proved(f"{reason}.", hypotheses)
        if not second and len(self.fractional) == 1 and all(v.power > 1 for v in self.fractional):
            reason = f"{quote_terms(self.origins)} has a power above one, whose kernel has negative values"
            counterexample = "data concentrated at a point, u ≥ 0, have a solution that is negative elsewhere"
            return Refuted(f"{reason}.", counterexample, spans(self.origins))
        return NOT_COVERED

    def markov(self) -> Verdict:
        if self.problem.equation.order != 1 or self.problem.is_implicit or self._has_delay:
            return NOT_COVERED
        if any(not q.order for q in self.problem.spec.equations):
            return NOT_COVERED
        hypotheses = ("first order in time", "no delay (memory) terms")
        return Proved("first order in time: the current state determines the future (semigroup property).", hypotheses)

    def locality(self) -> Verdict:
        if not self._is_evolution or len(self.fractional) != 1:
            return NOT_COVERED
        ((_, coefficient),) = self.fractional.items()
        if not self._is_nonzero(coefficient):
            return NOT_COVERED
        counterexample = "two functions that agree near x and differ elsewhere have different values of (-Δ)^s at x"
        return Refuted(f"{quote_terms(self.origins)} is a nonlocal term.", counterexample, spans(self.origins))

    def maximum_principle(self) -> Verdict:
        order, constants = self.comparison(), self.preserves_constants()
        if not isinstance(constants, Proved):
            return NOT_COVERED
        if isinstance(order, Proved):
            hypotheses = dict.fromkeys((*order.hypotheses, *constants.hypotheses))
            return Proved("comparison with constants, which are solutions.", tuple(hypotheses))
        return order if isinstance(order, Refuted) else NOT_COVERED

    def conservation(self) -> Verdict:
        numbers = all(c.is_number for c in (*self.fractional.values(), *self.derivatives.values()))
        if not self._is_evolution or self._has_delay or not numbers:
            return NOT_COVERED
        if self.rate == 0 and self.source == 0:
            hypotheses = ("periodic boundaries", "constant coefficients", "no reaction and no source")
            return Proved("the mean of the fractional Laplacian and of all derivatives is zero.", hypotheses)
        if self.source == 0 and self.rate.is_number and self.rate != 0:
            offending = [o for o in self.problem.right_hand_terms if o not in self.origins] or self.origins
            return Refuted(f"{quote_terms(offending)} changes the mass ∫u dx.", "u = 1", spans(offending))
        return NOT_COVERED


# ---- Well-posedness


def fractional_errors(problems: tuple[Problem, ...]) -> tuple[Diagnostic, ...]:
    found = (error for problem in problems for error in _wrong_sign(problem))
    return tuple(d for error in found for d in error.diagnostics)


def _wrong_sign(problem: Problem) -> Iterator[PdeError]:
    """The term of the highest order is a fractional Laplacian with a positive number as its coefficient, or a second
    derivative with a negative one."""
    terms = FractionalTerms(problem)
    if problem.equation.order not in (1, 2) or not terms.fractional:
        return
    highest = max(terms.fractional, key=lambda v: v.power)
    local, first = max((len(v.slots) for v in terms.derivatives), default=0), not terms._is_terminal
    if local >= 2 * highest.power:
        diagonal = (c for v, c in terms.derivatives.items() if len(v.slots) == 2 and len({*v.slots}) == 1)
        if local == 2 and problem.equation.order == 1 and any(c.is_number and c < 0 for c in diagonal):
            offending = [o for o in problem.right_hand_terms if o not in terms.origins]
            yield errors.equations.backward_diffusion(quote_terms(offending), first, offending[0].span, None)
        return
    coefficient, offending = terms.fractional[highest], terms.origins
    if not all(isinstance(v.body, Field) for v in terms.fractional) or not (coefficient.is_number and coefficient > 0):
        return
    sign = flip_sign(offending, problem)
    if problem.equation.order == 2:
        yield errors.equations.hadamard_instability(quote_terms(offending), offending[0].span, sign)
    else:
        yield errors.equations.backward_diffusion(quote_terms(offending), first, offending[0].span, sign)
