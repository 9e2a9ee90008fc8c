"""Regularity of the solution operator: ‖T(f(· + h)) - T(f)(· + h)‖ ≤ C |h| t in space, ‖T_s(f) - f‖ ≤ C s in time."""

from __future__ import annotations

from math import isfinite

from sympy import Expr

from pdedsl.analysis.axioms.hypotheses import Hypothesis, conclude
from pdedsl.analysis.axioms.structure_conditions import SpaceRegularity
from pdedsl.analysis.bounds.interval import range_of
from pdedsl.analysis.bounds.jet_bounds import JetBounds, TimeRegularity
from pdedsl.analysis.problem import Problem
from pdedsl.ir.verdicts import Proved, Undecided, Verdict


def spatial_regularity(problem: Problem, ordered: Verdict) -> Verdict:
    """‖T(f(· + h)) - T(f)(· + h)‖ ≤ C |h| t: the coefficients must be Lipschitz in x."""
    jet, found = problem.jet, JetBounds(problem)
    why = _not_covered(problem)
    if why:
        return Undecided(why)
    if problem.spec.space.boundary:
        return Undecided("a domain with a boundary is not translation invariant.")
    if not found.is_defined_before_cancellation:
        return Undecided("it could not be shown that the equation is defined for all x and u.")
    is_ordered = Hypothesis("a comparison principle holds", isinstance(ordered, Proved))
    if not found.depends_on_x(jet.expr):
        unique = Hypothesis(
            "the equation is linear, or a comparison principle holds", jet.is_affine or is_ordered.holds
        )
        retained = Hypothesis("the initial velocity is Lipschitz in x", _initial_velocity_is_lipschitz(problem, found))
        checked = (unique, retained) if problem.equation.order > 1 else (unique,)
        return conclude(
            "the coefficients do not depend on x: the solution operator commutes with translations", checked
        )
    entries = tuple(e for row in jet.matrix for e in row)
    grower = found.growth
    return conclude(
        "the coefficients are Lipschitz in x",
        (
            Hypothesis("the equation is linear", jet.is_affine),
            is_ordered,
            Hypothesis("the diffusion does not depend on x", not any(map(found.depends_on_x, entries))),
            Hypothesis("drift, reaction rate and source are Lipschitz in x", _are_lipschitz(problem, found)),
            Hypothesis("the reaction rate is bounded", grower.of(jet.rate).is_bounded),
            Hypothesis("the solution is bounded if the reaction rate depends on x", _solution_is_bounded(found)),
            Hypothesis("coefficients that depend on x are bounded in t", _are_bounded_in_time(found)),
            Hypothesis(
                "the coefficients are continuous across periodic boundaries",
                SpaceRegularity(found).coefficients_are_periodic,
            ),
        ),
    )


def _initial_velocity_is_lipschitz(problem: Problem, found: JetBounds) -> bool:
    """Initial velocities are not translated with the initial datum, so they must be Lipschitz."""
    given = [c for c in problem.spec.conditions if c.unknown == problem.equation.unknown and c.order]
    values = tuple(v.xreplace(problem.spec.values) for c in given for v in c.value)
    return all(found.growth.of(v).is_lipschitz for v in values) and SpaceRegularity(found).are_periodic(values)


def _solution_is_bounded(found: JetBounds) -> bool:
    """(c(x) - c(x + h)) u = O(|h|) for bounded u; u is unbounded for Δu + sin(x) u + x."""
    return not found.depends_on_x(found.jet.rate) or found.growth.of(found.jet.source).is_bounded


def _are_bounded_in_time(found: JetBounds) -> bool:
    """sin(x)/√t contributes C|h|√t, not C|h|t."""
    return all(found.time_regularity(e) is TimeRegularity.BOUNDED for e in found.terms if found.depends_on_x(e))


def _are_lipschitz(problem: Problem, found: JetBounds) -> bool:
    jet = problem.jet
    return all(found.growth.of(e).is_lipschitz for e in (*jet.drift, jet.rate, jet.source) if e != 0)


def temporal_regularity(problem: Problem, ordered: Verdict, constant: Verdict) -> Verdict:
    """‖T_s(f) - f‖ ≤ C s: F must be bounded along the solution, for smooth bounded f."""
    jet, found = problem.jet, JetBounds(problem)
    if problem.equation.order != 1:
        return Undecided("the bound depends on the initial velocity.")
    why = _not_covered(problem)
    if why:
        return Undecided(why)
    if problem.spec.space.boundary:
        return Undecided("near the boundary the bound requires data compatible with the boundary conditions.")
    is_ordered = Hypothesis("a comparison principle holds", isinstance(ordered, Proved))
    steady = Hypothesis(
        "the coefficients are bounded in t",
        all(found.time_regularity(e) is TimeRegularity.BOUNDED for e in found.terms),
    )
    if jet.is_affine:
        coefficients = (*jet.drift, *(e for row in jet.matrix for e in row), jet.rate, jet.source)
        flat = Hypothesis("the coefficients are bounded in x", all(found.growth.of(e).is_bounded for e in coefficients))
        return conclude("the coefficients are bounded, so ∂u/∂t is bounded", (is_ordered, steady, flat))
    settled = isinstance(constant, Proved) or jet.u not in jet.expr.free_symbols
    return conclude(
        "F does not depend on x and is bounded for bounded derivatives",
        (
            is_ordered,
            steady,
            Hypothesis("constants are preserved, or F does not depend on u", settled),
            Hypothesis("F does not depend on x", not found.depends_on_x(jet.expr)),
            Hypothesis("F is bounded for bounded derivatives", _is_bounded(jet.expr, found)),
        ),
    )


def _not_covered(problem: Problem) -> str:
    if problem.is_vector:
        return "the unknown is vector-valued: the bound depends on the coupling of its components."
    if problem.jet.is_nonlocal:
        return "nonlocal terms are not covered by the implemented theorems."
    if problem.jet.unexpanded:
        return "the equation contains the unexpanded derivative of a function of u."
    return ""


def _is_bounded(e: Expr, found: JetBounds) -> bool:
    bounds = range_of(e, found.bounded_box)
    return bounds is not None and isfinite(bounds.low) and isfinite(bounds.high)
