"""Preservation of constants, T(C) = C: the right-hand side is zero if every unknown is constant, and every constant
satisfies the conditions.

Then the constant is a solution, and by uniqueness T(C). The unknown of a stationary equation takes the constant value
that the equation determines.
"""

from __future__ import annotations

from sympy import Add, Dummy, Expr, Rational, Symbol

from pdedsl.analysis.axioms.hypotheses import undecided_terms
from pdedsl.analysis.axioms.linearity import has_learned
from pdedsl.analysis.boundary import conditions_violated_by, degenerate_conditions, fixed_conditions, quote_conditions
from pdedsl.analysis.boundary_flux import depends_on_position
from pdedsl.analysis.bounds.interval import range_of
from pdedsl.analysis.bounds.sign import box_of, format_point, positive, vanishes
from pdedsl.analysis.dependence import stationary_unknowns_in
from pdedsl.analysis.jet import differential_expression, multiples_of_constant
from pdedsl.analysis.normal_form import unknown_of
from pdedsl.analysis.problem import Problem, containing_unknowns, partial_functions, quote_terms, spans
from pdedsl.analysis.sample_points import find_nonzero_point, precise_value_at, ranges_of
from pdedsl.ir.spec import Condition, Equation, Spec
from pdedsl.ir.terms import Origin
from pdedsl.ir.verdicts import Proved, Refuted, Undecided, Verdict
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Field, Partial, atoms

ZERO_AT_CONSTANTS = "the right-hand side is zero if every unknown is constant"
STATIONARY_UNSOLVED = "the stationary equations could not be solved for constant data."
STATIONARY_UNDETERMINED = (
    "a stationary unknown that constants do not determine, such as a pressure, may balance the other terms."
)
TRIAL_CONSTANTS = (*(Rational(k) for k in (1, 2, -1, 3, 1000, -1000)), Rational(1, 2))


def preserves_constants(problem: Problem) -> Verdict:
    if problem.jet.singular:
        return Undecided("it could not be shown that the equation is defined where ∇u = 0.")
    rates = [_eliminate_stationary(s.at_constants, problem.spec) for s in problem.components]
    nonzero = [r for r in rates if r is not None and not vanishes(r)]
    violated, undecided = _violated_conditions(problem.spec)
    obstruction = STATIONARY_UNSOLVED if None in rates else _stationary_obstruction(problem, undecided, bool(nonzero))
    if obstruction and not violated:
        return Undecided(obstruction)
    verdict = _nonzero_rate_verdict(problem, nonzero) if nonzero and not obstruction else None
    if verdict and (isinstance(verdict, Refuted) or not violated):
        return verdict
    if violated:
        why = f"{quote_conditions(violated, problem.spec)} does not hold for every constant"
        first = next((c for c in TRIAL_CONSTANTS if conditions_violated_by(problem.spec, c)[0]), None)
        counterexample = (
            "some constant is not a steady solution"
            if first is None
            else f"u ≡ {notation(first)} is not a steady solution"
        )
        return Refuted(f"{why}.", counterexample, tuple(c.span for c in violated))
    if undecided:
        why = f"it could not be decided whether {quote_conditions(undecided, problem.spec)} holds for every constant"
        return Undecided(f"{why}.", tuple(c.span for c in undecided))
    if degenerate := degenerate_conditions(problem.spec):
        why = f"{quote_conditions(degenerate, problem.spec)} may be degenerate at some boundary points or times"
        return Undecided(f"{why}.", tuple(c.span for c in degenerate))
    if not _is_defined(problem):
        return Undecided("it could not be shown that the equation is defined for every constant.")
    hypotheses = ("every constant satisfies the boundary conditions",) if problem.spec.space.boundary else ()
    differs = all(term.has(Partial) for s in problem.components for term in Add.make_args(s.expr))
    why = "every term contains a derivative of u" if differs else "the terms cancel for constant u"
    return Proved(f"{why}, so constants are preserved.", (ZERO_AT_CONSTANTS, *hypotheses))


def _stationary_obstruction(problem: Problem, undecided: list[Condition], nonzero: bool) -> str:
    """Why the stationary unknowns may not be determined for constant data; "" if they are."""
    stationary = stationary_unknowns_in(problem.equation, problem.spec)
    if any(c.unknown in stationary for c in undecided) or not _are_determined(stationary, problem):
        return STATIONARY_UNSOLVED
    undetermined = any(vanishes(b) for e in stationary.values() for b in _residuals_at_constants(e, problem.spec))
    return (
        STATIONARY_UNDETERMINED
        if nonzero and undetermined and not _is_translation_invariant_and_periodic(problem)
        else ""
    )


def _is_defined(problem: Problem) -> bool:
    """Whether roots, quotients and logarithms are defined for all constants: in this equation, in the stationary ones
    and in the conditions."""
    spec = problem.spec
    functions = [e for a in spec.equations if a is problem.equation or not a.order for e in partial_functions(a, spec)]
    functions += [e for c in fixed_conditions(spec) for e in c.domain]
    flat = (differential_expression(e, spec).at_constants for e in containing_unknowns(tuple(functions), spec))
    return all(range_of(e, box_of(ranges_of(spec, problem.equation))) is not None for e in flat)


def _cancelled_at_constants(problem: Problem) -> list[Expr]:
    """Cancelled subexpressions that restrict the domain of definition, for constants."""
    return [differential_expression(e, problem.spec).at_constants for e in problem.cancelled]


def _violated_conditions(spec: Spec) -> tuple[list[Condition], list[Condition]]:
    """The conditions that constants violate, and the undecided ones; conditions on stationary unknowns are among the
    latter, as these are determined by the others."""
    violated, undecided = conditions_violated_by(spec, None)
    stationary = [u for u in spec.unknowns if not any(e.order and unknown_of(e, spec) == u for e in spec.equations)]
    heads, names = {u.head for u in stationary}, {u.name for u in stationary}
    on_stationary = {c for c in violated if c.unknown in heads or _constants_in(c, spec) & names}
    return [c for c in violated if c not in on_stationary], [*undecided, *on_stationary]


def _constants_in(condition: Condition, spec: Spec) -> set[str]:
    return {
        s.name
        for v in condition.value
        for s in atoms(differential_expression(v.xreplace(spec.values), spec).at_constants, Dummy)
    }


def _eliminate_stationary(rate: Expr, spec: Spec) -> Expr | None:
    """∂u/∂t for constants, with the stationary unknowns eliminated; None if that fails."""
    variables = {s.name: s for s in atoms(rate, Dummy)}
    definitions = {unknown_of(e, spec).head.name: e for e in spec.equations if e.order == 0}
    for _ in definitions:  # w may depend on v, and v on u
        for name in (s.name for s in atoms(rate, Dummy) if s.name in definitions):
            residual = differential_expression(definitions[name].rhs[0], spec).at_constants
            own = {s: variables.setdefault(s.name, s) for s in atoms(residual, Dummy)}
            solved = _solve_affine(residual.xreplace(own), variables[name])
            if solved is None:
                return None
            rate = expand(rate.xreplace({variables[name]: solved}))
    return None if any(s.name in definitions for s in atoms(rate, Dummy)) else rate


def _are_determined(stationary: dict[Symbol, Equation], problem: Problem) -> bool:
    """Whether the stationary unknowns are determined for constants: they are constant, or not differentiated."""
    partials = [p for e in (problem.equation, *stationary.values()) for right in e.rhs for p in atoms(right, Partial)]
    return all(_is_constant(head, e, problem.spec) for head, e in stationary.items()) or not any(
        f.head in stationary for p in partials for f in atoms(p, Field)
    )


def _is_constant(head: Symbol, equation: Equation, spec: Spec) -> bool:
    """Whether a stationary unknown may be constant if the others are: not for Δw = u or w = x."""
    residuals = _residuals_at_constants(equation, spec)
    variables = {s.name: s for b in residuals for s in atoms(b, Dummy)}
    solved = (b if b == 0 else _solve_affine(b, variables.get(head.name, Dummy())) for b in residuals)
    return all(v is not None and {*v.free_symbols} <= {*atoms(v, Dummy)} for v in solved)


def _is_translation_invariant_and_periodic(problem: Problem) -> bool:
    """Whether the equation is translation invariant on a periodic box: there the derivatives of an undetermined unknown
    have mean zero and cannot cancel a constant rate."""
    space = problem.spec.space
    is_periodic = bool(space.intervals) and all(interval.periodic for interval in space.intervals)
    return is_periodic and problem.is_affine and not depends_on_position(problem.equation, problem)


def _residuals_at_constants(equation: Equation, spec: Spec) -> list[Expr]:
    """The residuals of a stationary equation for constants."""
    return [expand(differential_expression(right, spec).at_constants) for right in equation.rhs]


def _solve_affine(residual: Expr, variable: Symbol) -> Expr | None:
    """The solution of an equation that is affine in a symbol."""
    derivative = residual.coeff(variable)
    rest = expand(residual - derivative * variable)
    return None if derivative == 0 or not derivative.is_number or variable in rest.free_symbols else -rest / derivative


def _nonzero_rate_verdict(problem: Problem, rates: list[Expr]) -> Verdict:
    offending = _nonvanishing_terms(problem)
    why = f"{quote_terms(offending)} does not vanish for constant u"
    if any(has_learned(r, problem.spec) for r in rates):
        if any(_is_nonzero_for_every_weight(r, problem) for r in rates):
            return Refuted(f"{why}.", "u ≡ 1 is not a steady solution for any weights", spans(offending))
        return undecided_terms("whether {} vanishes for constant u depends on the weights.", offending)
    for rate in rates:
        counterexample = _find_nonsteady_constant(rate, problem)
        if counterexample:
            return Refuted(f"{why}.", counterexample, spans(offending))
    return undecided_terms("it could not be decided whether {} vanishes for constant u.", offending)


def _is_nonzero_for_every_weight(rate: Expr, problem: Problem) -> bool:
    """Whether F has one strict sign at u = 1, for every weight."""
    box, value = box_of(ranges_of(problem.spec, problem.equation)), rate.xreplace(multiples_of_constant(rate, 1))
    return positive(value, box) or positive(expand(-value), box)


def _nonvanishing_terms(problem: Problem) -> list[Origin]:
    """The terms that do not vanish for constants."""
    nonzero = [p.origin for p in problem.right_hand_summands if any(s.at_constants != 0 for s in p.components)]
    return nonzero or problem.right_hand_terms


def _find_nonsteady_constant(rate: Expr, problem: Problem) -> str:
    """Constants, a point and the nonzero rate of change there, as text; "" if none is found."""
    ranges = ranges_of(problem.spec, problem.equation)
    for constant in TRIAL_CONSTANTS:
        chosen = multiples_of_constant(rate, constant)
        if constant < 0 and (problem.jet.u.is_nonnegative or any(s.is_nonnegative for s in chosen)):
            continue
        constants = {s.name: v for s, v in chosen.items()}
        domain = [
            e.xreplace({s: constants.get(s.name, constant) for s in atoms(e, Dummy)})
            for e in _cancelled_at_constants(problem)
        ]
        value = rate.xreplace(chosen)
        point = find_nonzero_point(value, ranges, defined=domain)
        if point is not None:
            values = [f"{s.name} = {notation(v)}" for s, v in chosen.items()]
            at = f" at {format_point(point)}" if point else ""
            return f"{', '.join(values) or 'u = 0'} changes at rate {precise_value_at(value, point):.3g}{at}"
    return ""
