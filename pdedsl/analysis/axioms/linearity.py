"""Linearity of the solution operator, T(af + bg) = a T(f) + b T(g).

It holds if every term and every fixed condition is linear and homogeneous in the unknowns: the principle of
superposition (Courant and Hilbert, volume II).
"""

from __future__ import annotations

from itertools import combinations_with_replacement

from sympy import Dummy, Expr, Integer, Mul, Poly, S, Symbol, factor

from pdedsl.analysis.axioms.hypotheses import Hypothesis, conclude, undecided_terms
from pdedsl.analysis.boundary import conditions_violated_by, degenerate_conditions, fixed_conditions, quote_conditions
from pdedsl.analysis.dependence import EquationDependencies, has_constraint, is_independent, stationary_unknowns_in
from pdedsl.analysis.jet import DifferentialExpression, differential_expression
from pdedsl.analysis.problem import Problem, may_be_undefined, quote_terms, spans
from pdedsl.analysis.sample_points import Point, Ranges, find_nonzero_point, points, precise_value_at, ranges_of
from pdedsl.ir.spec import Condition, Spec
from pdedsl.ir.terms import Origin
from pdedsl.ir.types import Vector
from pdedsl.ir.verdicts import Refuted, Undecided, Verdict
from pdedsl.symbolic.complex_numbers import is_complex_field
from pdedsl.symbolic.rewrite import expand_products, substitute
from pdedsl.symbolic.symbols import Component, Field, Partial, atoms

NONZERO_AT_ZERO = "the solution operator T is not linear: T(0) ≠ 0, so T(2f) ≠ 2T(f)"
MAX_JET_VARIABLES = 30  # factoring a sum of 30 takes 2 s, one of 60 minutes
ZERO_SAMPLES = 3  # sample points at which zeros of F are computed
SUPERPOSITION_FAILS = (
    "superposition fails for the solution operator T: T(αf + βg) ≠ α T(f) + β T(g) for some α, β, f and g"
)


def linearity(problem: Problem) -> Verdict:
    if not problem.is_affine:
        return _nonlinear(problem)
    if any(s.source != 0 for s in problem.components):
        return _source_verdict(problem)
    if problem.is_undefined:
        return Undecided("it could not be shown that the equation is defined for all u.")
    verdict = _condition_verdict(problem)
    return verdict if isinstance(verdict, Refuted) else _complex_verdict(problem) or verdict


def _complex_verdict(problem: Problem) -> Verdict | None:
    """The verdict on complex coefficients α, β: T(iψ) = i T(ψ) fails for ∂ψ/∂t = conj(ψ). None if it holds, or if all
    unknowns are real."""
    spec = problem.spec
    types = [u.type for u in spec.unknowns]
    if not any(isinstance(type_, Vector) and type_.is_complex for type_ in types):
        return None
    if not commutes_with_i(problem.equation.rhs):
        if problem.equation.order and len(spec.equations) == 1:
            reason = f"{quote_terms(problem.right_hand_terms)} is linear over the real numbers only"
            return Refuted(f"{reason}.", "T(i f) ≠ i T(f) for some f", spans(problem.right_hand_terms))
        return Undecided("the equation is linear over the real numbers, but may not be over the complex numbers.")
    if not all(commutes_with_i(c.value) for c in fixed_conditions(spec)):
        return Undecided("the conditions are linear over the real numbers, but may not be over the complex numbers.")
    return None


def commutes_with_i(rows: tuple[Expr, ...]) -> bool:
    """Whether F(iψ) - F(0) = i (F(ψ) - F(0)), for rows Re F₁, Im F₁, Re F₂, …"""
    fields = {f for e in rows for f in atoms(e, Field) if is_complex_field(f)}
    if not fields:
        return True
    if len(rows) % 2:
        return False
    rotated: dict[Expr, Expr] = {f: _times_i(f) for f in fields}
    for p in (p for e in rows for p in atoms(e, Partial) if p.body in fields):
        sign, field = _times_i(p.body).as_coeff_Mul()
        rotated[p] = sign * Partial(field, *p.slots)
    zero: dict[Expr, Expr] = dict.fromkeys(rotated, S.Zero)
    rows = tuple(e - substitute(e, zero) for e in rows)
    new = [substitute(e, rotated) for e in rows]
    pairs = zip(rows[::2], rows[1::2], new[::2], new[1::2], strict=True)
    return all(expand_products(c + b) == 0 and expand_products(d - a) == 0 for a, b, c, d in pairs)


def _times_i(field: Field) -> Expr:
    """Re(iψ) = -Im ψ, Im(iψ) = Re ψ."""
    k, rest = int(field.indices[0]), tuple(field.arguments)
    return -Field(field.head, (Integer(k + 1),), rest) if k % 2 else Field(field.head, (Integer(k - 1),), rest)


def _nonlinear(problem: Problem) -> Verdict:
    offending = nonlinear_terms(problem)
    if any(has_learned(s.nonlinear_part, problem.spec, of_unknowns=True) for s in problem.components):
        return undecided_terms("{} depends on u through a learned function.", offending)
    if problem.is_implicit:
        return undecided_terms("the equation with {} is implicit in the time derivative.", offending)
    ranges, spec = ranges_of(problem.spec, problem.equation), problem.spec
    if not any(e.order for e in spec.equations) and is_independent(problem.equation, spec):
        if any(_zero_set_is_nonlinear(s, ranges) for s in problem.components):
            return Refuted(f"{quote_terms(offending)} is not linear in u.", SUPERPOSITION_FAILS, spans(offending))
        return undecided_terms("{} is nonlinear, but may vanish for sums of solutions.", offending)
    if not _is_in_evolving_unknowns(problem) or has_constraint(spec):
        return undecided_terms("{} may be linear after elimination of the stationary unknowns.", offending)
    if not EquationDependencies(problem.equation, spec).has_distinct_arguments:
        return undecided_terms("{} may be linear, since its nonlocal arguments may coincide.", offending)
    if not any(s.is_certainly_nonlinear(ranges) for s in problem.components):
        return undecided_terms("{} is linear in u at all sample points, but this is not proved.", offending)
    return Refuted(f"{quote_terms(offending)} is not linear in u.", SUPERPOSITION_FAILS, spans(offending))


def _is_in_evolving_unknowns(problem: Problem) -> bool:
    """Whether the equation contains no stationary unknown but the one that it determines pointwise, as w = u² does."""
    if stationary_unknowns_in(problem.equation, problem.spec):
        return False
    head = problem.unknown.head
    return bool(problem.equation.order) or all(_is_solved_for(head, s) for s in problem.components)


def _is_solved_for(head: Symbol, state: DifferentialExpression) -> bool:
    own = [a for a in state.jet_variables if any(f.head == head for f in atoms(a, Field))]
    return len(own) == 1 and isinstance(own[0], Field) and bool(state.derivative(own[0]).is_number)


def _zero_set_is_nonlinear(state: DifferentialExpression, ranges: Ranges) -> bool:
    """Whether F vanishes at two points of the jet space but not at their sum: the zero set of (Δu)³ = 0 is linear. If F
    is a product, a zero of a factor need not lie on a solution, as in ∂u/∂x ∂²u/∂x² = 0."""
    expression = state.in_jet_variables
    variables = sorted(atoms(expression, Dummy), key=str)
    if len(variables) > MAX_JET_VARIABLES:
        return False
    factors = [f for f in Mul.make_args(factor(expression)) if atoms(f, Dummy)]
    if sum(1 for f in factors if not f.as_base_exp()[1].is_negative) > 1:
        return False
    samples = list(points(expression.free_symbols, ranges, ZERO_SAMPLES))
    zeros: list[Point] = []
    for sample in samples:
        point = samples[0] | {s: sample[s] for s in variables}  # same x and t
        for variable in variables:
            others = expression.xreplace({s: v for s, v in point.items() if s != variable})
            zeros += [
                point | {variable: z}
                for z in _real_zeros(others, variable)
                if not z.is_negative or not variable.is_nonnegative
            ]
    sums = ({s: a[s] + b[s] if s in variables else a[s] for s in a} for a, b in combinations_with_replacement(zeros, 2))
    return any(precise_value_at(expression, point) for point in sums)


def _real_zeros(expr: Expr, variable: Symbol) -> list[Expr]:
    """The real zeros of a univariate polynomial of degree one or with rational coefficients."""
    if variable not in expr.free_symbols or not expr.is_polynomial(variable):
        return []
    poly = Poly(expr, variable)
    if poly.degree() == 1:
        zero = -poly.nth(0) / poly.nth(1)
        return [zero] if zero.is_real else []
    return list(dict.fromkeys(poly.real_roots())) if all(c.is_Rational for c in poly.coeffs()) else []


def nonlinear_terms(problem: Problem) -> list[Origin]:
    """The summands that are not linear and homogeneous in the unknowns."""
    return [p.origin for p in problem.right_hand_summands if not all(s.is_linear for s in p.components)]


def _source_verdict(problem: Problem) -> Verdict:
    offending = nonlinear_terms(problem)
    if any(has_learned(s.source, problem.spec) for s in problem.components):
        why = f"{quote_terms(offending)} does not depend on u, and whether it vanishes depends on its weights"
        return Undecided(f"{why}.", spans(offending))
    ranges = ranges_of(problem.spec, problem.equation)
    if all(find_nonzero_point(s.source, ranges) is None for s in problem.components):
        return undecided_terms("{} does not depend on u, and could not be shown to be nonzero.", offending)
    why = f"{quote_terms(offending)} is a source term: the solution operator is affine, not linear"
    return Refuted(f"{why}.", NONZERO_AT_ZERO, spans(offending))


def _condition_verdict(problem: Problem) -> Verdict:
    spec, linear = problem.spec, "every term is linear in u and its derivatives, and there is no source term"
    nonlinear = [
        c
        for c in fixed_conditions(spec)
        if any(_is_essentially_nonlinear(s, ranges_of(spec)) for s in _condition_expressions(c, spec))
    ]
    degenerate = [
        *(c for c in fixed_conditions(spec) if _is_nonlinear(c, spec) or may_be_undefined(c.domain, spec)),
        *degenerate_conditions(spec),
    ]
    if problem.equation.order:
        violated, undecided = conditions_violated_by(spec, 0)
        if nonlinear:
            why = f"{quote_conditions(nonlinear, spec)} is not linear in u"
            return Refuted(f"{why}.", SUPERPOSITION_FAILS, tuple(c.span for c in nonlinear))
        if violated:
            why = f"{quote_conditions(violated, spec)} is inhomogeneous: the solution operator is affine, not linear"
            return Refuted(f"{why}.", NONZERO_AT_ZERO, tuple(c.span for c in violated))
        if undecided:
            why = f"it could not be decided whether {quote_conditions(undecided, spec)} holds for u = 0"
            return Undecided(f"{why}.", tuple(c.span for c in undecided))
    texts = ("every term is linear and homogeneous in the unknowns", "the conditions are linear in the unknowns")
    return conclude(linear, (Hypothesis(texts[0], True), Hypothesis(texts[1], not degenerate)))


def _is_nonlinear(condition: Condition, spec: Spec) -> bool:
    return not all(s.is_affine for s in _condition_expressions(condition, spec))


def _is_essentially_nonlinear(state: DifferentialExpression, ranges: Ranges) -> bool:
    """Whether a nonlinear condition is linear in one jet variable, so that it is not equivalent to a linear one, as u³
    = 0 is to u = 0."""
    derivatives = (state.derivative(variable) for variable in state.jet_variables)
    return state.is_certainly_nonlinear(ranges) and any(
        s != 0 and (s.is_number or isinstance(s.as_coeff_Mul()[1], Component)) for s in derivatives
    )


def _condition_expressions(condition: Condition, spec: Spec) -> list[DifferentialExpression]:
    return [differential_expression(v.xreplace(spec.values), spec) for v in condition.value]


def has_learned(expr: Expr, spec: Spec, of_unknowns: bool = False) -> bool:
    """Whether an expression contains a learned field; with `of_unknowns`, one that is evaluated at an unknown."""
    heads = {w.head for w in spec.learned}
    unknowns = {u.head for u in spec.unknowns}
    fields = [f for f in atoms(expr, Field) if f.head in heads]
    if not of_unknowns:
        return bool(fields)
    return any(g.head in unknowns for f in fields for a in f.arguments for g in atoms(a, Field))
