"""E418 to E423, W4xx: what the analysis of a spec finds. Terms come as they are written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.fixes import Edit, Fix, added, one_of_them, without
from pdedsl.mistakes.code import Code, Notes
from pdedsl.mistakes.english import all_of
from pdedsl.mistakes.equations import NO_BOUNDARY

BACKWARDS = Code("E418", "diffusion runs backwards in time from its data")
INDEFINITE = Code("E419", "diffusion runs backwards in some directions")
REFUTED = Code("E420", "a required axiom does not hold")
MEANINGLESS = Code("E421", "a required axiom has no meaning for the equation")
OUTFLOW = Code("E422", "a value is given where characteristics leave the domain")
LEARNED = Code("E423", "a learned diffusion may run backwards")
STEP = Code("W401", "a step of the time integration may be unstable")
CONTRADICTION = Code("W402", "the data in time and a condition on a side give different values where they meet")
UNBALANCED = Code("W403", "slopes on all sides do not balance the source: there is no solution")


def backwards(terms: str, from_start: bool, span: Span, sign: Edit | None) -> PdeError:
    """`terms` are in quotes; `from_start` if the data are given at the start of the time; `sign` changes that of the
    term, if it is one."""
    end, other = ("start", "a terminal condition") if from_start else ("end", "an initial condition")
    message = f"the diffusion {terms} runs backwards in time from its {end}: the problem is ill-posed"
    hint = f"change the sign of {terms}, or give {other} instead"
    return BACKWARDS.error(message, span, hint, fixes=_changed(terms, sign))


def growing_waves(terms: str, span: Span, sign: Edit | None) -> PdeError:
    """Of second order in time: the problem is elliptic in space and time."""
    message = f"{terms} makes the shortest waves grow fastest: the problem is ill-posed"
    return BACKWARDS.error(message, span, f"change the sign of {terms}", fixes=_changed(terms, sign))


def _changed(terms: str, sign: Edit | None) -> tuple[Fix, ...]:
    return (Fix(f"change the sign of {terms}", (sign,)),) if sign else ()


def indefinite(terms: str, span: Span) -> PdeError:
    hint = "its matrix must be positive semidefinite: all eigenvalues at least 0"
    return INDEFINITE.error(f"the diffusion {terms} runs backwards in some directions", span, hint)


def at_outflow(condition: str, outflow: Sequence[str], others: Sequence[str], span: Span) -> PdeError:
    """`outflow` are the sides of the condition where values leave, and `others` the rest of them."""
    hint, fixes = "remove it: the value there is the one that arrives", without(span)
    if others:
        plain = re.fullmatch(r"(.*\son\s)[\w, ]+", condition)  # without 'where', which has a sign of comparison
        hint = f"give it on {all_of(others)} alone: on {all_of(outflow)} the value is the one that arrives"
        fixes = one_of_them([f"{plain[1]}{all_of(others)}"] if plain else [], span)
    return OUTFLOW.error(f"'{condition}' is given where values leave the domain", span, hint, fixes=fixes)


def at_both_ends(unknown: str, enough: Sequence[str], more: Sequence[str], span: Span, alone: bool) -> PdeError:
    """At rest: values travel from one end of the characteristics to the other, in either direction. `alone` if the
    condition stands on no side but one that has too much."""
    message = f"'{unknown}' is given on {' and '.join(enough)}, which determines it on {' and '.join(more)}"
    hint, fixes = f"give {unknown} on {all_of(enough)} alone", without(span) if alone else ()
    return OUTFLOW.error(message, span, hint, fixes=fixes)


def waves_at_rest(terms: str, span: Span) -> PdeError:
    """Hadamard 1923: the problem of Dirichlet for a hyperbolic equation."""
    message = f"{terms} makes waves, which take no data on all sides: the problem is ill-posed"
    hint = "make a coordinate the time, ∂²u/∂t² = Δu, with u and ∂u/∂t at its start"
    return BACKWARDS.error(message, span, hint)


def no_inflow(unknown: str, sides: Sequence[str], span: Span, behind: int) -> PdeError:
    """No condition where characteristics enter; `behind` is where one that is zero may stand."""
    message = f"'{unknown}' has no condition on {' and '.join(sides)}, where values enter the domain"
    fixes = added(behind, f"\n{unknown} = 0 on {all_of(sides)}")
    return NO_BOUNDARY.error(message, span, f"add {unknown} = … on {all_of(sides)}", fixes=fixes)


def few_for_waves(side: str, given: int, wanted: int, span: Span) -> PdeError:
    has = {0: "no condition", 1: "1 condition"}.get(given, f"{given} conditions")
    message = f"{side} has {has}, and {wanted} {'waves travel' if wanted > 1 else 'wave travels'} inward there"
    return NO_BOUNDARY.error(message, span, f"give one for each wave that enters on {side}")


def learned_sign(terms: str, span: Span) -> PdeError:
    hint = "declare it as scalar > 0, scalar >= 0 or matrix, psd, or write relu, softplus or a square of it"
    return LEARNED.error(f"the types allow the learned diffusion {terms} to run backwards", span, hint)


def refuted(axiom: str, reason: str, witness: str, guilty: Sequence[Span], span: Span) -> PdeError:
    """`reason` and `witness` are a prover's own words; `guilty` are the places of the terms that break the axiom."""
    notes: Notes = tuple((place, "this term") for place in guilty)
    hint = f"counterexample: {witness}" if witness else ""
    return REFUTED.error(f"{axiom} does not hold: {reason.rstrip('.')}", span, hint, notes)


def meaningless(axiom: str, axioms: Sequence[str], span: Span) -> PdeError:
    message = f"{axiom} has no meaning for this equation"
    fixes = without(span, item=True)
    return MEANINGLESS.error(message, span, f"axioms here: {all_of(axioms)}", fixes=fixes)


def unstable_step(reason: str, way: str, span: Span) -> Diagnostic:
    return STEP.warning(reason, span, way)


def contradiction(side: str, data: str, where: str, start: float, end: float, span: Span) -> Diagnostic:
    """`start` is the value of the data in time where they meet the side, `end` that of the side."""
    message = f"'{data}' gives {start:g} at {where}, and '{side}' gives {end:g}: the solution jumps there"
    return CONTRADICTION.warning(message, span, "change one of the two, unless a solution that is rough there is meant")


def unbalanced(unknown: str, total: float, slopes: bool, span: Span, about: bool = False) -> Diagnostic:
    """`slopes` if some are given, otherwise all sides are periodic; `about` if the total is known to two digits."""
    shown = f"about {abs(total):.2g}" if about else f"{abs(total):.3g}"
    message = f"'{unknown}' has only slopes (Neumann conditions), and with the source they add up to {shown}, not to 0"
    hint = "no solution exists: change the source or a slope, or give a value on one side"
    if not slopes:
        message = f"'{unknown}' is periodic, and its source adds up to {abs(total):.3g}, not to 0"
        hint = "no solution exists: change the source"
    return UNBALANCED.warning(message, span, hint)
