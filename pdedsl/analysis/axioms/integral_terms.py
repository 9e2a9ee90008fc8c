"""Verdicts on equations with integrals: Volterra, Fredholm and integro-differential equations, and normalizations.

∫₀ˣ k(x, s) u(s) ds is linear and nonlocal; over time, ∫₀ᵗ k(t, s) u(s) ds is a memory, so that the solution at time t
does not determine the solution at later times. An integral is certain to matter only if it is the only one of its
equation, linear in the unknown, with a kernel that is not zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, Integer, Mul, S, Symbol

from pdedsl.analysis.axioms.linearity import NONZERO_AT_ZERO
from pdedsl.analysis.boundary import conditions_violated_by, quote_conditions
from pdedsl.analysis.jet import expand_chain_rule
from pdedsl.analysis.problem import Problem, quote_terms, spans
from pdedsl.analysis.sample_points import Ranges, find_nonzero_point, ranges_of
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import Origin
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Undecided, Verdict
from pdedsl.symbolic.calculus import integrate
from pdedsl.symbolic.rewrite import expand_products, rebuild
from pdedsl.symbolic.symbols import Field, Integral, Partial, atoms

NOT_COVERED = Undecided("equations with integrals are not covered by the implemented theorems for this property.")


def has_integrals(spec: Spec) -> bool:
    """Whether an equation or a condition contains an integral that has no closed form."""
    exprs = (*(e for q in spec.equations for e in q.rhs), *(v for c in spec.conditions for v in c.value))
    return bool(spec.integral_conditions) or any(e.has(Integral) for e in exprs)


def prove_with_integrals(problem: Problem, applicable: tuple[Axiom, ...]) -> dict[Axiom, Verdict]:
    terms = IntegralTerms(problem)
    proved = {
        Axiom.LINEARITY: terms.linearity,
        Axiom.CONSTANTS: terms.preserves_constants,
        Axiom.MARKOV: terms.markov,
        Axiom.LOCALITY: terms.locality,
    }
    return {axiom: proved[axiom]() if axiom in proved else NOT_COVERED for axiom in applicable}


@dataclass(frozen=True)
class Decomposition:
    """The terms of an expression: known ones, those linear in the unknowns, and all others."""

    source: Expr
    linear: tuple[Expr, ...]
    others: tuple[Expr, ...]


def decompose(expr: Expr, heads: frozenset[Symbol]) -> Decomposition:
    source, linear, others = [], [], []
    for term in Add.make_args(expand_products(expr)):
        inside = [f for f in Mul.make_args(term) if _has_unknown(f, heads)]
        if not inside:
            source.append(term)
        elif len(inside) == 1 and _is_linear(inside[0], heads):
            linear.append(term)
        else:
            others.append(term)
    return Decomposition(Add(*source), tuple(linear), tuple(others))


def _has_unknown(expr: Expr, heads: frozenset[Symbol]) -> bool:
    return any(f.head in heads for f in atoms(expr, Field))


def _is_linear(factor: Expr, heads: frozenset[Symbol]) -> bool:
    """Whether a factor is an unknown, a derivative of one, or an integral that is linear in the unknowns."""
    match factor:
        case Integral(body=body):
            parts = decompose(body, heads)
            return parts.source == 0 and not parts.others
        case Partial(body=body):
            return isinstance(body, Field)
        case _:
            return isinstance(factor, Field)


@dataclass(frozen=True)
class IntegralTerms:
    """The provers of an equation of a spec with integrals."""

    problem: Problem

    @property
    def spec(self) -> Spec:
        return self.problem.spec

    @property
    def heads(self) -> frozenset[Symbol]:
        return frozenset(u.head for u in self.spec.unknowns)

    @property
    def parts(self) -> tuple[Decomposition, ...]:
        return tuple(decompose(e, self.heads) for e in self.problem.equation.rhs)

    @property
    def is_single(self) -> bool:
        return len(self.spec.equations) == 1 and not self.problem.is_vector

    def _origins(self, part: type[Expr] | None) -> list[Origin]:
        """The summands with integrals, or (None) those without unknowns."""
        summands = self.problem.summands
        if part is None:
            return [p.origin for p in summands if not any(_has_unknown(s.expr, self.heads) for s in p.components)]
        return [p.origin for p in summands if any(s.expr.has(part) for s in p.components)]

    # ---- Linearity

    def linearity(self) -> Verdict:
        conditions = [v for c in self.spec.conditions for v in c.value if c.on_boundary or c.order]
        conditions += [c.value for c in self.spec.integral_conditions]
        every = (*(e for q in self.spec.equations for e in q.rhs), *conditions)
        if any(decompose(e, self.heads).others for e in every):
            return Undecided("an equation or a condition with integrals is nonlinear in the unknowns.")
        if any(e.has(Integral) or self.spec.integral_conditions for e in conditions):
            homogeneous = all(decompose(e, self.heads).source == 0 for e in conditions)
            if not homogeneous:
                return Undecided("the conditions with integrals are inhomogeneous.")
        elif self.problem.equation.order:
            violated, undecided = conditions_violated_by(self.spec, 0)
            if violated and self.is_single:
                why = f"{quote_conditions(violated, self.spec)} is inhomogeneous: the solution operator is affine"
                return Refuted(f"{why}, not linear.", NONZERO_AT_ZERO, tuple(c.span for c in violated))
            if violated or undecided:
                return Undecided("it could not be decided whether the conditions hold for u = 0.")
        if any(p.source != 0 for p in self.parts):
            return self._source_verdict()
        hypotheses = ("every term and every integrand is linear in the unknowns", "the conditions are linear")
        return Proved("every term is linear in u, and there is no source term.", hypotheses)

    def _source_verdict(self) -> Verdict:
        offending = self._origins(None)
        known = not any(p.source.has(Field, Integral) for p in self.parts)
        certain = known and any(find_nonzero_point(p.source, self.ranges) is not None for p in self.parts)
        if not (self.is_single and certain and offending):
            return Undecided("a source term could not be shown to be nonzero.", spans(offending))
        why = f"{quote_terms(offending)} is a source term: the solution operator is affine, not linear"
        return Refuted(f"{why}.", NONZERO_AT_ZERO, spans(offending))

    @property
    def ranges(self) -> Ranges:
        return ranges_of(self.spec, self.problem.equation)

    # ---- Constants

    def preserves_constants(self) -> Verdict:
        """F at constants: integrals of the kernels."""
        if not self.is_single or self.problem.equation.order != 1:
            return NOT_COVERED
        (right,) = self.problem.equation.rhs
        at_one = expand_products(self._at_constant(right))
        if at_one == 0:
            return Undecided("constants solve the equation, but uniqueness of the solution is not proved.")
        if at_one.has(Field) or find_nonzero_point(at_one, self.ranges) is None:
            return Undecided("it could not be decided whether constants solve the equation.")
        offending = self.problem.right_hand_terms
        return Refuted(
            f"{quote_terms(offending)} does not vanish for u = 1.", "u = 1 is not stationary", spans(offending)
        )

    def _at_constant(self, expr: Expr) -> Expr:
        match expr:
            case Partial(body=Field(head=head)) if head in self.heads:
                return S.Zero
            case Partial():
                return self._at_constant(expand_chain_rule(expr)) if expand_chain_rule(expr) != expr else expr
            case Field(head=head) if head in self.heads:
                return S.One
            case Integral(body=body, variable=variable, lower=lower, upper=upper):
                return integrate(self._at_constant(body), variable, lower, upper)
            case _:
                return rebuild(expr, [self._at_constant(a) for a in expr.args]) if expr.args else expr

    # ---- Memory and locality

    def markov(self) -> Verdict:
        order = self.problem.equation.order
        if order != 1:
            return NOT_COVERED
        integrals = self._certain_integral(in_time=True)
        if integrals:
            offending = self._origins(Integral)
            counterexample = "two solutions that agree at time t but differ before t diverge afterwards"
            reason = f"{quote_terms(offending)} depends on the solution at earlier times (memory)"
            return Refuted(f"{reason}.", counterexample, spans(offending))
        exprs = (*(e for q in self.spec.equations for e in q.rhs), *(v for c in self.spec.conditions for v in c.value))
        if any(self._has_memory(f) for e in exprs for f in atoms(e, Field)):
            return Undecided("it could not be decided whether the equation has memory terms.")
        if self.problem.is_implicit or any(not q.order for q in self.spec.equations):
            return NOT_COVERED
        hypotheses = ("first order in time", "all integrals are over space, at the current time")
        return Proved(
            "first order in time, and all integrals are at one time: the state determines the future.", hypotheses
        )

    def locality(self) -> Verdict:
        if self.problem.equation.order != 1 or not self._certain_integral(in_time=False):
            return NOT_COVERED
        offending = self._origins(Integral)
        counterexample = "two functions that agree near x and differ elsewhere in the range of integration"
        return Refuted(f"{quote_terms(offending)} is a nonlocal term.", counterexample, spans(offending))

    def _has_memory(self, field: Field) -> bool:
        unknown = next((u for u in self.spec.unknowns if u.head == field.head), None)
        if unknown is None or self.spec.time is None:
            return False
        pairs = zip(field.arguments, unknown.arguments, strict=True)
        time = self.spec.time.symbol
        return any(a != own for a, own in pairs if own == time or time in a.free_symbols)

    def _certain_integral(self, in_time: bool) -> bool:
        """Whether the only integral of the only equation is linear in u at other times (points), with a kernel that is
        not zero."""
        if not self.is_single:
            return False
        (parts,) = self.parts
        own = [term for term in parts.linear if term.has(Integral)]
        nonlocal_terms = [t for t in (*parts.linear, *parts.others) if self._is_nonlocal(t)]
        if len(own) != 1 or len(nonlocal_terms) != 1:
            return False
        integral = next(iter(atoms(own[0], Integral)))
        fields = atoms(integral.body, Field)
        if len(atoms(own[0], Integral)) != 1 or len(fields) != 1 or atoms(integral.body, Partial):
            return False
        (field,) = fields
        pairs = list(zip(field.arguments, self.problem.unknown.arguments, strict=True))
        if any(a not in (x, integral.variable) for a, x in pairs):
            return False
        moved, time = [x for a, x in pairs if a != x], self.spec.time.symbol if self.spec.time else None
        if not moved or (moved != [time] if in_time else time in moved):
            return False
        kernel = (own[0] / integral * integral.body / field).xreplace({integral.variable: self._inside(integral)})
        weight = kernel * (integral.upper - integral.lower)
        return not kernel.has(Field, Integral) and find_nonzero_point(weight, self.ranges) is not None

    def _inside(self, integral: Integral) -> Expr:
        """A point in the range of integration."""
        return integral.lower + (integral.upper - integral.lower) / Integer(3)

    def _is_nonlocal(self, term: Expr) -> bool:
        own = {u.head: tuple(u.arguments) for u in self.spec.unknowns}
        return any(tuple(f.arguments) != own[f.head] for f in atoms(term, Field) if f.head in own)
