"""An equation ∂ⁿu/∂tⁿ = F in normal form, with its terms, its jet function F and quotations for messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Pow, Symbol

from pdedsl.analysis.bounds.interval import range_of
from pdedsl.analysis.bounds.sign import box_of
from pdedsl.analysis.index_expansion import expand_indices
from pdedsl.analysis.jet import DifferentialExpression, Jet, differential_expression, expand_chain_rule
from pdedsl.analysis.normal_form import leading_time_derivative, normal_form, unknown_of
from pdedsl.analysis.sample_points import ranges_of
from pdedsl.config.methods import Direction
from pdedsl.diagnostics import Span
from pdedsl.diagnostics.fixes import Edit
from pdedsl.ir.spec import ConditionKind, Equation, Spec, Unknown
from pdedsl.ir.terms import Generator, Origin, Term, TimeDerivative
from pdedsl.ir.types import Vector
from pdedsl.record import Record
from pdedsl.symbolic.symbols import Field

MAX_QUOTED = 5  # terms quoted in one sentence


def time_direction(spec: Spec, head: Symbol | None) -> Direction:
    kinds = {c.kind for c in spec.conditions if c.unknown == head and c.order == 0 and not c.on_boundary}
    return Direction.TERMINAL if kinds == {ConditionKind.TERMINAL} else Direction.INITIAL


class AnalyzedSummand(Record):
    """A summand and its terms, as a function of the jet of one unknown, and as differential expressions in all
    unknowns, one for each component."""

    origin: Origin
    terms: tuple[Term, ...]
    jet: Jet
    components: tuple[DifferentialExpression, ...]

    @property
    def is_time_derivative(self) -> bool:
        """Whether all of its terms are time derivatives."""
        return bool(self.terms) and all(isinstance(t, TimeDerivative) for t in self.terms)


@dataclass(frozen=True, eq=False)
class Problem:
    """∂ⁿu/∂tⁿ = F: an equation, its summands, and F, with the sign reversed for terminal conditions."""

    equation: Equation
    summands: tuple[AnalyzedSummand, ...]
    jet: Jet
    generator: Generator | None
    spec: Spec

    @cached_property
    def components(self) -> tuple[DifferentialExpression, ...]:
        """F as differential expressions in all unknowns, one for each component."""
        return tuple(differential_expression(e, self.spec) for e in self.equation.rhs)

    @cached_property
    def unknown(self) -> Unknown:
        return unknown_of(self.equation, self.spec)

    @cached_property
    def rhs(self) -> Expr:
        """F of the first component in index notation, with the sign reversed for terminal conditions."""
        return self.rows[0]

    @cached_property
    def rows(self) -> tuple[Expr, ...]:
        """F in index notation, one row for each component, with the sign reversed for terminal conditions."""
        form = normal_form(self.equation, self.spec)
        late = self.equation.order == 1 and time_direction(self.spec, self.equation.unknown) is Direction.TERMINAL
        sign = -1 if late else 1
        return tuple(sign * expand_chain_rule(form.with_dimension(e)) for e in self.equation.rhs)

    def cancelled_in(self, jet: Jet) -> tuple[Expr, ...]:
        """The cancelled partial functions, in the variables of a jet."""
        return tuple(jet.in_jet_variables(expand_indices(e, self.spec, jet.layout)) for e in self.cancelled)

    @cached_property
    def cancelled(self) -> tuple[Expr, ...]:
        """Roots, quotients and logarithms of the text that cancel in F; they restrict its domain of definition."""
        functions = partial_functions(self.equation, self.spec)
        return tuple(e for e in functions if not any(_occurs(e, right) for right in self.equation.rhs))

    @property
    def partial_functions(self) -> list[Expr]:
        """Roots, quotients and logarithms of unknowns that occur in the text."""
        return containing_unknowns(partial_functions(self.equation, self.spec), self.spec)

    @property
    def is_undefined(self) -> bool:
        """Whether a cancelled partial function may be undefined for some values of the unknowns."""
        return may_be_undefined(self.cancelled, self.spec)

    @property
    def is_affine(self) -> bool:
        return all(s.is_affine for s in self.components)

    @cached_property
    def is_implicit(self) -> bool:
        """Whether the equation is implicit in its time derivative, such as exp(∂u/∂t) = Δu."""
        form = normal_form(self.equation, self.spec)
        leading = [leading_time_derivative(form, k) for k in range(len(self.equation.rhs))]
        return any(g is not None and e.has(g) for g, e in zip(leading, self.equation.rhs, strict=True))

    @property
    def is_vector(self) -> bool:
        return isinstance(self.unknown.type, Vector)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        return tuple(t for p in self.summands for t in p.terms)

    def find_terms(self, *kinds: type[Term]) -> list[Origin]:
        """The summands with terms of these kinds."""
        return [p.origin for p in self.summands if any(isinstance(t, kinds) for t in p.terms)]

    @cached_property
    def right_hand_terms(self) -> list[Origin]:
        """The summands on the right-hand side, without the leading time derivative."""
        return [p.origin for p in self.right_hand_summands]

    @property
    def right_hand_summands(self) -> list[AnalyzedSummand]:
        return [p for p in self.summands if not p.is_time_derivative]


def partial_functions(equation: Equation, spec: Spec) -> tuple[Expr, ...]:
    """Roots, quotients and logarithms in the text of an equation: it is defined where they are."""
    return tuple(dict.fromkeys(e.xreplace(spec.values) for s in equation.summands for e in s.domain))


def containing_unknowns(exprs: tuple[Expr, ...], spec: Spec) -> list[Expr]:
    """The expressions that contain an unknown or a weight."""
    heads = {u.head for u in spec.unknowns} | {w.head for w in spec.learned}
    return [e for e in exprs if any(f.head in heads for f in e.atoms(Field))]


def may_be_undefined(exprs: tuple[Expr, ...], spec: Spec) -> bool:
    """Whether an expression may be undefined for some values of the unknowns."""
    box = box_of(ranges_of(spec))
    return any(range_of(e, box) is None for e in containing_unknowns(exprs, spec))


def _occurs(e: Expr, expression: Expr) -> bool:
    """Whether an expression is defined only where a root, quotient or logarithm is."""
    if not isinstance(e, Pow) or not e.exp.is_Rational:
        return bool(expression.has(e))
    powers = [a.exp for a in expression.atoms(Pow) if a.base == e.base]
    return any(k.is_negative if e.exp.is_negative else not k.is_Integer for k in powers)


def quote_terms(origins: list[Origin]) -> str:
    """Summands quoted as a singular subject: 'a' (with 'b' and 2 more)."""
    if not origins:
        return "the equation"
    first, *others = [f"'{o.text}'" for o in origins[:MAX_QUOTED]]
    more = len(origins) - MAX_QUOTED
    others += [f"{more} more"] if more > 0 else []
    listed = " and ".join(filter(None, (", ".join(others[:-1]), *others[-1:])))
    return f"{first} (with {listed})" if others else first


def flip_sign(origins: list[Origin], problem: Problem) -> Edit | None:
    """The edit that reverses the sign of a summand; None if there are several."""
    if len(origins) != 1:
        return None
    span, text = origins[0].span, problem.spec.source.text
    before = text[problem.equation.span.start : span.start].rstrip()
    at = problem.equation.span.start + len(before) - 1
    if before.endswith("+"):
        return Edit(Span(at, at + 1), "-")
    if not before.endswith(("-", "−")):
        return Edit(Span(span.start, span.start), "-")
    first = not before[:-1].strip() or before[:-1].rstrip().endswith("=")
    return Edit(Span(at, span.start)) if first else Edit(Span(at, at + 1), "+")


def spans(origins: Iterable[Origin]) -> tuple[Span, ...]:
    return tuple(o.span for o in origins)
