"""Markov property, T_{t+s} = T_{t+s,t} ∘ T_t, and locality: no delay terms, no nonlocal terms.

An equation of first order in time without delay generates a semigroup, or an evolution family if it depends on t
(Evans, section 7.4); locality is that of Alvarez, Guichard, Lions and Morel 1993. Dependence through the unknowns of
stationary equations is included, see `dependence`.
"""

from __future__ import annotations

from pdedsl.analysis.axioms.comparison import IMPLICIT, MIXED_DERIVATIVES, has_mixed_derivatives
from pdedsl.analysis.boundary import delayed_conditions, quote_conditions
from pdedsl.analysis.dependence import NonlocalDependence, delay_dependence, has_constraint, spatial_dependence
from pdedsl.analysis.problem import Problem, quote_terms, spans
from pdedsl.ir.terms import Nonlocal, Origin, TimeDerivative
from pdedsl.ir.verdicts import Proved, Refuted, Undecided, Verdict
from pdedsl.symbolic.symbols import Field, atoms


def markov(problem: Problem) -> Verdict:
    """T_{t+s} = T_{t+s,t} ∘ T_t."""
    dependences = delay_dependence(problem.equation, problem.spec)
    if _is_certain(dependences):
        offending, names = _nonlocal_terms(problem, dependences)
        counterexample = "two solutions that agree at time t but differ before t diverge afterwards"
        what = f"{names}, which depends on the past" if names else "the solution at another time"
        return Refuted(f"{quote_terms(offending)} depends on {what}.", counterexample, spans(offending))
    if dependences:
        return Undecided("it could not be decided whether the equation has delay (memory) terms.")
    order = problem.equation.order
    if problem.is_implicit:
        return Undecided(IMPLICIT)
    retained = delayed_conditions(problem.spec)
    if retained and order == 1:
        return Undecided(
            f"{quote_conditions(retained, problem.spec)} depends on the solution at another time.",
            tuple(c.span for c in retained),
        )
    if order == 1:
        hypotheses = ("first order in time", "no delay (memory) terms")
        return Proved("first order in time: the current state determines the future (semigroup property).", hypotheses)
    return Refuted(
        f"order {order} in time: the state includes ∂u/∂t, so u alone does not determine the future.",
        "two solutions with equal u and different ∂u/∂t at time t diverge afterwards",
        spans(problem.find_terms(TimeDerivative)),
    )


def locality(problem: Problem) -> Verdict:
    """Data that agree near a point have the same ∂u/∂t there."""
    dependences = spatial_dependence(problem.equation, problem.spec)
    if _is_certain(dependences):
        offending, names = _nonlocal_terms(problem, dependences)
        if not names:
            counterexample = "two functions that agree near x and differ at the other point of evaluation"
            return Refuted(f"{quote_terms(offending)} is a nonlocal term.", counterexample, spans(offending))
        counterexample = f"two functions that agree near x and differ elsewhere have different {names} at x"
        why = f"{quote_terms(offending)} is nonlocal through {names}, the solution of a stationary equation"
        return Refuted(f"{why}.", counterexample, spans(offending))
    if dependences:
        return Undecided("it could not be decided whether the equation has nonlocal terms.")
    if delay_dependence(problem.equation, problem.spec):
        return Undecided("the domain of dependence of the delay terms is not known.")
    if has_mixed_derivatives(problem):
        return Undecided(MIXED_DERIVATIVES)
    if has_constraint(problem.spec):
        return Undecided(
            "a constraint on the evolving unknowns, such as ∇·u = 0, acts globally (through a Lagrange multiplier)."
        )
    hypotheses = ("no nonlocal terms", "no unknown is determined globally (by an elliptic constraint)")
    return Proved(
        "every term is a differential operator: it depends on u and its derivatives at one point.", hypotheses
    )


def _is_certain(dependences: list[NonlocalDependence]) -> bool:
    """Whether the dependence is certain; direct and indirect dependences, or several indirect ones, may cancel."""
    return len({s.first_unknown for s in dependences}) == len({s.last_unknown for s in dependences}) == 1 and any(
        s.is_certain for s in dependences
    )


def _nonlocal_terms(problem: Problem, dependences: list[NonlocalDependence]) -> tuple[list[Origin], str]:
    """The terms with nonlocal or delayed dependence, and the names of the unknowns that mediate it."""
    sure = [s for s in dependences if s.is_certain]
    if any(s.first_unknown is None for s in sure):
        return [p.origin for p in problem.summands if any(isinstance(t, Nonlocal) for t in p.terms)], ""
    heads = {s.first_unknown for s in sure}
    offending = [
        p.origin for p in problem.summands if any(f.head in heads for s in p.components for f in atoms(s.expr, Field))
    ]
    return offending, ", ".join(sorted({h.name for h in heads if h is not None}))
