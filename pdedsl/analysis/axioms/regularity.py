"""Regularity of the solution operator: ‖T(f(· + h)) - T(f)(· + h)‖ ≤ C |h| t in space, ‖T_s(f) - f‖ ≤ C s in time.

The axioms are those of Alvarez, Guichard, Lions, Morel 1993. In space: an equation without x commutes with
translations; otherwise by continuous dependence on Lipschitz coefficients (Jakobsen, Karlsen 2002). In time: f ± Cs is
a super- and a subsolution if |F| ≤ C for f (Crandall, Ishii, Lions 1992, section 8).
"""

from __future__ import annotations

from math import isfinite

from sympy import Expr

from pdedsl.analysis.axioms.hypotheses import Hypothesis, conclude
from pdedsl.analysis.axioms.structure_conditions import SpaceRegularity
from pdedsl.analysis.bounds.interval import range_of
from pdedsl.analysis.bounds.jet_bounds import JetBounds
from pdedsl.analysis.problem import Problem
from pdedsl.ir.verdicts import Proved, Undecided, Verdict


def spatial_regularity(problem: Problem, ordered: Verdict) -> Verdict:
    """‖T(f(· + h)) - T(f)(· + h)‖ ≤ C |h| t: the coefficients must be Lipschitz in x."""
    jet, bounds = problem.jet, JetBounds(problem)
    why = _not_covered(problem)
    if why:
        return Undecided(why)
    if problem.spec.space.boundary:
        return Undecided("a domain with a boundary is not translation invariant.")
    if not bounds.is_defined_before_cancellation:
        return Undecided("it could not be shown that the equation is defined for all x and u.")
    is_ordered = Hypothesis("a comparison principle holds", isinstance(ordered, Proved))
    if not bounds.depends_on_x(jet.expr):
        unique = Hypothesis(
            "the equation is linear, or a comparison principle holds", jet.is_affine or is_ordered.holds
        )
        velocity = Hypothesis("the initial velocity is Lipschitz in x", _initial_velocity_is_lipschitz(problem, bounds))
        checked = (unique, velocity) if problem.equation.order > 1 else (unique,)
        return conclude(
            "the coefficients do not depend on x: the solution operator commutes with translations", checked
        )
    entries = tuple(e for row in jet.matrix for e in row)
    growth = bounds.growth
    return conclude(
        "the coefficients are Lipschitz in x",
        (
            Hypothesis("the equation is linear", jet.is_affine),
            is_ordered,
            Hypothesis("the diffusion does not depend on x", not any(map(bounds.depends_on_x, entries))),
            Hypothesis("drift, reaction rate and source are Lipschitz in x", _are_lipschitz(problem, bounds)),
            Hypothesis("the reaction rate is bounded", growth.of(jet.rate).is_bounded),
            Hypothesis("the solution is bounded if the reaction rate depends on x", _solution_is_bounded(bounds)),
            Hypothesis("coefficients that depend on x are bounded in t", _are_bounded_in_time(bounds)),
            Hypothesis(
                "the coefficients are continuous across periodic boundaries",
                SpaceRegularity(bounds).coefficients_are_periodic,
            ),
        ),
    )


def _initial_velocity_is_lipschitz(problem: Problem, bounds: JetBounds) -> bool:
    """Initial velocities are not translated with the initial datum, so they must be Lipschitz."""
    velocities = [c for c in problem.spec.conditions if c.unknown == problem.equation.unknown and c.order]
    values = tuple(v.xreplace(problem.spec.values) for c in velocities for v in c.value)
    return all(bounds.growth.of(v).is_lipschitz for v in values) and SpaceRegularity(bounds).are_periodic(values)


def _solution_is_bounded(bounds: JetBounds) -> bool:
    """(c(x) - c(x + h)) u = O(|h|) for bounded u; u is unbounded for Δu + sin(x) u + x."""
    return not bounds.depends_on_x(bounds.jet.rate) or bounds.growth.of(bounds.jet.source).is_bounded


def _are_bounded_in_time(bounds: JetBounds) -> bool:
    """sin(x)/√t contributes C|h|√t, not C|h|t."""
    return all(bounds.is_bounded_in_time(e) for e in bounds.terms if bounds.depends_on_x(e))


def _are_lipschitz(problem: Problem, bounds: JetBounds) -> bool:
    jet = problem.jet
    return all(bounds.growth.of(e).is_lipschitz for e in (*jet.drift, jet.rate, jet.source) if e != 0)


def temporal_regularity(problem: Problem, ordered: Verdict, constant: Verdict) -> Verdict:
    """‖T_s(f) - f‖ ≤ C s: F must be bounded along the solution, for smooth bounded f."""
    jet, bounds = problem.jet, JetBounds(problem)
    if problem.equation.order != 1:
        return Undecided("the bound depends on the initial velocity.")
    why = _not_covered(problem)
    if why:
        return Undecided(why)
    if problem.spec.space.boundary:
        return Undecided("near the boundary the bound requires data compatible with the boundary conditions.")
    is_ordered = Hypothesis("a comparison principle holds", isinstance(ordered, Proved))
    bounded_in_t = Hypothesis(
        "the coefficients are bounded in t",
        all(map(bounds.is_bounded_in_time, bounds.terms)),
    )
    if jet.is_affine:
        coefficients = (*jet.drift, *(e for row in jet.matrix for e in row), jet.rate, jet.source)
        bounded_in_x = Hypothesis(
            "the coefficients are bounded in x", all(bounds.growth.of(e).is_bounded for e in coefficients)
        )
        return conclude("the coefficients are bounded, so ∂u/∂t is bounded", (is_ordered, bounded_in_t, bounded_in_x))
    preserved = isinstance(constant, Proved) or jet.u not in jet.expr.free_symbols
    return conclude(
        "the right-hand side does not depend on x and is bounded for bounded derivatives",
        (
            is_ordered,
            bounded_in_t,
            Hypothesis("constants are preserved, or the right-hand side does not depend on u", preserved),
            Hypothesis("the right-hand side does not depend on x", not bounds.depends_on_x(jet.expr)),
            Hypothesis("the right-hand side is bounded for bounded derivatives", _is_bounded(jet.expr, bounds)),
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


def _is_bounded(e: Expr, jet_bounds: JetBounds) -> bool:
    bounds = range_of(e, jet_bounds.bounded_box)
    return bounds is not None and isfinite(bounds.low) and isfinite(bounds.high)
