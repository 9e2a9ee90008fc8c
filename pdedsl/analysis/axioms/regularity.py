"""Regularity: what the coefficients of an equation imply for translations in space and for small times."""

from __future__ import annotations

from math import isfinite

from sympy import Expr

from pdedsl.analysis.axioms.hypotheses import Hypothesis, concluded
from pdedsl.analysis.axioms.structure_conditions import InSpace
from pdedsl.analysis.bounds.interval import range_of
from pdedsl.analysis.bounds.jet_bounds import InTime, JetBounds
from pdedsl.analysis.problem import Problem
from pdedsl.ir.verdicts import Proved, Unknown, Verdict


def spatial_regularity(problem: Problem, ordered: Verdict) -> Verdict:
    """‖T(f(· + h)) - T(f)(· + h)‖ ≤ C |h| t: coefficients must be Lipschitz in x, also where periodic ends meet."""
    jet, found = problem.jet, JetBounds(problem)
    why = _no_rule(problem)
    if why:
        return Unknown(why)
    if problem.spec.space.boundary:
        return Unknown("a translation leaves a domain that has a boundary.")
    if not found.is_kept:
        return Unknown("it could not be shown that the equation has a value for all x and u.")
    is_ordered = Hypothesis("a comparison principle holds", isinstance(ordered, Proved))
    if not found.varies(jet.expr):
        unique = Hypothesis(
            "the equation is linear, or a comparison principle holds", jet.is_affine or is_ordered.holds
        )
        kept = Hypothesis("initial velocities are Lipschitz in x", _starts_smoothly(problem, found))
        checked = (unique, kept) if problem.equation.order > 1 else (unique,)
        return concluded("the coefficients do not depend on x: the equation commutes with translations", checked)
    entries = tuple(e for row in jet.matrix for e in row)
    grower = found.grower
    return concluded(
        "the coefficients are Lipschitz in x",
        (
            Hypothesis("the equation is linear", jet.is_affine),
            is_ordered,
            Hypothesis("the diffusion does not depend on x", not any(map(found.varies, entries))),
            Hypothesis("drift, rate and source are Lipschitz in x", _are_lipschitz(problem, found)),
            Hypothesis("the rate is bounded", grower.of(jet.rate).is_bounded),
            Hypothesis("the solution is bounded if the rate depends on x", _stays_bounded(found)),
            Hypothesis("coefficients that depend on x are bounded in time", _are_bounded_in_time(found)),
            Hypothesis("the coefficients are the same on both sides of a seam", InSpace(found).is_smooth_on_rings),
        ),
    )


def _starts_smoothly(problem: Problem, found: JetBounds) -> bool:
    """Data other than the first do not move with it: they must change little by a translation."""
    given = [c for c in problem.spec.conditions if c.unknown == problem.equation.unknown and c.order]
    values = tuple(v.xreplace(problem.spec.values) for c in given for v in c.value)
    return all(found.grower.of(v).is_lipschitz for v in values) and InSpace(found).are_whole(values)


def _stays_bounded(found: JetBounds) -> bool:
    """(c(x) - c(x + h)) u is a multiple of |h| for bounded u: for Δu + sin(x) u + x it is not."""
    return not found.varies(found.jet.rate) or found.grower.of(found.jet.source).is_bounded


def _are_bounded_in_time(found: JetBounds) -> bool:
    """sin(x)/√t moves the solution by C|h|√t."""
    return all(found.in_time(e) is InTime.BOUNDED for e in found.terms if found.varies(e))


def _are_lipschitz(problem: Problem, found: JetBounds) -> bool:
    jet = problem.jet
    return all(found.grower.of(e).is_lipschitz for e in (*jet.drift, jet.rate, jet.source) if e != 0)


def temporal_regularity(problem: Problem, ordered: Verdict, constant: Verdict) -> Verdict:
    """‖T(f) - f‖ ≤ C s after a time s: F must be bounded along the solution, for smooth bounded f."""
    jet, found = problem.jet, JetBounds(problem)
    if problem.equation.order != 1:
        return Unknown("the bound depends on the initial velocity.")
    why = _no_rule(problem)
    if why:
        return Unknown(why)
    if problem.spec.space.boundary:
        return Unknown("near the boundary the bound takes data that fit the conditions there.")
    is_ordered = Hypothesis("a comparison principle holds", isinstance(ordered, Proved))
    steady = Hypothesis(
        "the coefficients are bounded in time", all(found.in_time(e) is InTime.BOUNDED for e in found.terms)
    )
    if jet.is_affine:
        coefficients = (*jet.drift, *(e for row in jet.matrix for e in row), jet.rate, jet.source)
        flat = Hypothesis("the coefficients are bounded in x", all(found.grower.of(e).is_bounded for e in coefficients))
        return concluded("the coefficients are bounded, so u changes at a bounded rate", (is_ordered, steady, flat))
    settled = isinstance(constant, Proved) or jet.u not in jet.expr.free_symbols
    return concluded(
        "F does not depend on x and is bounded for bounded derivatives",
        (
            is_ordered,
            steady,
            Hypothesis("constants stay as they are, or F does not depend on u", settled),
            Hypothesis("F does not depend on x", not found.varies(jet.expr)),
            Hypothesis("F is bounded for bounded derivatives", _is_bounded(jet.expr, found)),
        ),
    )


def _no_rule(problem: Problem) -> str:
    if problem.is_vector:
        return "the bound for a vector depends on how its components are coupled."
    if problem.jet.nonlocal_:
        return "there is no rule for what is read at other points."
    if problem.jet.hidden:
        return "the derivative of a function of u is not worked out."
    return ""


def _is_bounded(e: Expr, found: JetBounds) -> bool:
    bounds = range_of(e, found.near)
    return bounds is not None and isfinite(bounds.low) and isfinite(bounds.high)
