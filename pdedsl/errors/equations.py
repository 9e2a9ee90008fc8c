"""E4xx: equations and conditions, each alone and against each other. Places and times come as text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, added, instead, one_of_them, without
from pdedsl.errors.base import ONE, Code, Notes, all_of, one_of, perhaps
from pdedsl.errors.syntax import STEPS

# ---- equations


NO_UNKNOWN = Code("E401", "an equation contains no unknown")
CANCELS = Code("E402", "the terms of an equation cancel")
NOT_THE_TIME = Code("E403", "`for` names something that is not the time")
CONDITION_DURING = Code("E404", "a condition has a `for`")
PLACE = Code("E405", "a condition is not at the start, the end or the boundary")
NOT_SOLVED = Code("E406", "a condition does not give the value of the unknown or of its derivative")
GAP = Code("E407", "the pieces in time leave a gap")
OVERLAP = Code("E408", "the pieces in time overlap")
OUTSIDE = Code("E409", "a piece lies outside the time")
NO_EQUATION = Code("E411", "an unknown has no equation")
SECOND_EQUATION = Code("E412", "an unknown has two equations for the same time")
SECOND_CONDITION = Code("E413", "a condition is given twice")
BOTH_ENDS = Code("E414", "an initial and a terminal condition are both given")
NEEDLESS = Code("E415", "a condition in time is of an order that the equation does not have")
NO_START = Code("E416", "an initial condition is missing")
NO_BOUNDARY = Code("E417", "a boundary condition is missing")

WITHOUT_FOR = "remove 'for …'"


def no_unknown(step: bool, span: Span) -> PdeError:
    """`step` for `Δt = 0.01`."""
    hint = STEPS if step else "define names with const or let"
    return NO_UNKNOWN.error("this equation contains no unknown", span, hint)


def terms_cancel(span: Span) -> PdeError:
    return CANCELS.error("this equation says nothing: its terms cancel", span)


def not_the_time(name: str, time: str | None, span: Span) -> PdeError:
    """`time` is the declared one, if any."""
    hint = f"write: for {time} in [a, b]" if time else "declare one: time t in [0, 1]"
    return NOT_THE_TIME.error(f"'{name}' is not the time", span, hint, fixes=instead(name, time, span))


# ---- conditions


def boundary_condition_during(span: Span, during: Span) -> PdeError:
    fixes = without(during, WITHOUT_FOR)
    return CONDITION_DURING.error("a boundary condition holds at all times", span, WITHOUT_FOR, fixes=fixes)


def condition_during(span: Span, during: Span) -> PdeError:
    fixes = without(during, WITHOUT_FOR)
    return CONDITION_DURING.error("this condition holds at one time only", span, WITHOUT_FOR, fixes=fixes)


def no_boundary(periodic: bool, span: Span, condition: Span) -> PdeError:
    why = "every side is periodic" if periodic else "only a bounded domain has one"
    hint = "remove the condition"
    return PLACE.error(f"this space has no boundary: {why}", span, hint, fixes=without(condition, hint))


def not_a_side(name: str, sides: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint = perhaps(guess, f"sides: {all_of(sides)}")
    return PLACE.error(f"'{name}' is not a side of this domain", span, hint, fixes=instead(name, guess, span))


def not_a_place(span: Span) -> PdeError:
    hint = "name sides, as in 'on left, right', all of them by 'on boundary', or a curve, as in 'on x² + y² = 1'"
    return PLACE.error("this is neither a side nor a curve", span, hint)


def fixes_one_variable(example: str, span: Span) -> PdeError:
    return PLACE.error("a condition must fix exactly one variable", span, f"as in {example} = …")


def neither_start_nor_end(time: str, at: str, start: str, end: str, span: Span, place: Span | None) -> PdeError:
    """`place` is where the time stands among the arguments."""
    message = f"a condition at {time} = {at}, which is neither the start nor the end of the time"
    hint = f"use {time} = {start} (initial) or {time} = {end} (terminal)"
    return PLACE.error(message, span, hint, fixes=one_of_them((start, end), place))


def not_on_the_boundary(variable: str, at: str, places: Sequence[str], span: Span, place: Span | None) -> PdeError:
    where = one_of(f"{variable} = {p}" for p in places)
    hint = f"the boundary is {where}" if where else f"there is no boundary in {variable}"
    message = f"a condition at {variable} = {at}, which is not on the boundary"
    return PLACE.error(message, span, hint, fixes=one_of_them(places, place))


def gives_no_value(span: Span) -> PdeError:
    message = "a condition must give the value of the unknown or of its time derivative"
    return NOT_SOLVED.error(message, span, "as in u(x, 0) = f(x)")


# ---- what each unknown needs


def no_equation(unknown: str, span: Span) -> PdeError:
    return NO_EQUATION.error(f"'{unknown}' has no equation", span, f"write an equation for {unknown}")


def second_equation(unknown: str, time: str | None, span: Span) -> PdeError:
    hint = f"give each its time with 'for {time} in [a, b]', or keep one" if time else ONE
    return SECOND_EQUATION.error(f"a second equation for '{unknown}'", span, hint, fixes=without(span))


def outside_the_time(piece: str, whole: str, span: Span) -> PdeError:
    return OUTSIDE.error(f"{piece} lies outside the time {whole}", span)


def gap(time: str, start: str, end: str, span: Span, first: Span | None) -> PdeError:
    """`first` is where the start of the piece is written."""
    hint = f"start this piece at {start}"
    return GAP.error(f"no equation for {time} in [{start}, {end}]", span, hint, fixes=_moved(hint, first, start))


def gap_at_the_end(time: str, start: str, end: str, span: Span, last: Span | None) -> PdeError:
    """`last` is where the end of the piece is written."""
    hint, fixes = f"end this piece at {end}, or add one", _moved(f"end this piece at {end}", last, end)
    return GAP.error(f"no equation for {time} in [{start}, {end}]", span, hint, fixes=fixes)


def overlap(time: str, start: str, end: str, reached: str, span: Span, first: Span | None) -> PdeError:
    """`first` is where the start of the piece is written."""
    hint = f"start this piece at {reached}"
    fixes = _moved(hint, first, reached)
    return OVERLAP.error(f"two equations for {time} in [{start}, {end}]", span, hint, fixes=fixes)


def _moved(title: str, at: Span | None, new: str) -> tuple[Fix, ...]:
    return (Fix(title, (Edit(at, new),)),) if at else ()


def second_condition(unknown: str, kind: str, span: Span) -> PdeError:
    """`kind` is "initial condition", "terminal velocity", …"""
    return SECOND_CONDITION.error(f"a second {kind} for '{unknown}'", span, ONE, fixes=without(span))


def many_conditions_on(unknown: str, side: str, most: int, span: Span) -> PdeError:
    """`most` is how many its equation takes there."""
    message, hint = f"the equation takes {most} conditions for '{unknown}' on {side}, and this is one more", ""
    if not most:
        message, hint = f"the equation takes no condition for '{unknown}' on {side}", "remove it"
    elif most == 1:
        message, hint = f"a second condition on {side}", ONE
    return SECOND_CONDITION.error(message, span, hint or f"keep {most} of them", fixes=without(span))


def start_and_end(unknown: str, span: Span) -> PdeError:
    message = f"'{unknown}' has both an initial and a terminal condition"
    return BOTH_ENDS.error(message, span, ONE, fixes=without(span))


def needless_condition(order: int, span: Span) -> PdeError:
    what = f"an equation of order {order} in time" if order else "an equation without a time derivative"
    return NEEDLESS.error(f"{what} takes no such condition", span, "remove it", fixes=without(span))


def no_start(unknown: str, kind: str, left: str, span: Span, behind: int | None) -> PdeError:
    """`behind` is where one that is zero may stand, if it may."""
    fixes = added(behind, f"\n{left} = 0") if behind is not None else ()
    return NO_START.error(f"'{unknown}' has no {kind}", span, f"add {left} = …", fixes=fixes)


def no_condition_on(unknown: str, missing: Sequence[str], span: Span, behind: int | None) -> PdeError:
    """`missing` is empty where no side has one; `behind` is where one that is zero may stand, if one is enough."""
    where, sides = (" and ".join(missing), all_of(missing)) if missing else ("the boundary", "boundary")
    hint = f"add {unknown} = … on {sides}"
    fixes = added(behind, f"\n{unknown} = 0 on {sides}") if behind is not None else ()
    return NO_BOUNDARY.error(f"'{unknown}' has no condition on {where}", span, hint, fixes=fixes)


def few_conditions_on(unknown: str, given: str, wanted: str, where: str, span: Span) -> PdeError:
    """The counts are texts: a condition that joins two sides is half a one on each."""
    counted = {"0": "no condition", "1": "1 condition"}.get(given, f"{given} conditions")
    takes = f"takes {wanted} there"
    return NO_BOUNDARY.error(f"'{unknown}' has {counted} on {where}, and its equation {takes}", span, "add the others")


# ---- geometry
# E43x: shapes, curves and the parts of a boundary.


NOT_A_LEVEL = Code("E430", "an inequality or a curve is not given by a known function of the coordinates")

EMPTY = Code("E431", "a shape is empty, or an inequality of it cuts nothing off")
NO_POINTS = Code("E432", "a condition selects no points")


def empty(span: Span) -> PdeError:
    return EMPTY.error("no point of the box satisfies all inequalities", span, "check their signs")


def cuts_nothing(text: str, span: Span, before: int | None) -> PdeError:
    """`before` is where `where` stands, if this is the only inequality."""
    fixes = without(span, item=True) if before is None else without(Span(before, span.end))
    message = f"'{text}' cuts nothing off: no part of its edge lies in the domain"
    return EMPTY.error(message, span, "remove it, or make the box or the shape larger", fixes=fixes)


def selects_nothing(span: Span) -> PdeError:
    hint = "check the place against 'space'; a curve is one across which left - right changes its sign"
    return NO_POINTS.error("this condition selects no points of the domain", span, hint)


def no_coordinate(span: Span) -> PdeError:
    return NOT_A_LEVEL.error("this contains no coordinate", span, "as in: x² + y² < 1")


def not_known(span: Span) -> PdeError:
    message = "an inequality or a curve cannot contain an unknown or a learned function"
    return NOT_A_LEVEL.error(message, span, "use coordinates, const and let")


def moving(time: str, span: Span) -> PdeError:
    hint = "the domain is the same at all times; the start is written: u(x, 0) = …"
    return NOT_A_LEVEL.error(f"a shape or a curve cannot depend on {time}", span, hint)


def not_physical(span: Span) -> PdeError:
    hint = "as in: space (x, y) in [-1, 1]^2 where x² + y² < 1"
    return NOT_A_LEVEL.error("only a bounded domain is cut by inequalities", span, hint)


# ---- known
# E44x, W440: known solutions and measurements.


SUBJECT = Code("E440", "`exact` or `observe` does not name an unknown at its own variables")
VALUE = Code("E441", "a known solution is not a known function")
TWICE = Code("E442", "a known solution is given twice")
VIOLATED = Code("E443", "a known solution does not satisfy an equation or a condition")
UNMEASURED = Code("W440", "something is learned along with a solution, and nothing is measured")


def violated(text: str, size: float, span: Span) -> PdeError:
    message = f"this is not a solution: it misses '{text}' by {size:.2g}"
    return VIOLATED.error(message, span, "correct it, or the equation or condition that it misses")


def known_only_on_domains(word: str, span: Span) -> PdeError:
    return SUBJECT.error(f"'{word}' belongs to equations on a physical domain", span, "as in: space x in [0, 1]")


def not_an_unknown(name: str | None, span: Span) -> PdeError:
    message = f"'{name}' is not an unknown" if name else "this is not an unknown"
    return SUBJECT.error(message, span, "name an unknown, or a component: u, u₁")


def not_at_home(name: str, span: Span) -> PdeError:
    hint = f"write {name} alone"
    return SUBJECT.error(
        f"'{name}' does not have the arguments of its declaration", span, hint, fixes=instead("", name, span)
    )


def exact_has_unknowns(span: Span) -> PdeError:
    message = "a known solution cannot contain an unknown or a learned function"
    return VALUE.error(message, span, "use coordinates, the time, const and let")


def twice(span: Span) -> PdeError:
    return TWICE.error("a second known solution for the same unknown", span, ONE, fixes=without(span))


def unmeasured(name: str, unknown: str, span: Span) -> Diagnostic:
    """The equation may hold for every value of it."""
    message = f"nothing is measured, so any '{name}' may do"
    return UNMEASURED.warning(message, span, f'add measurements: observe {unknown} from npz("points.npz")')


# ---- proofs
# E418 to E423, W4xx: what the analysis of a spec finds. Terms come as they are written.


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
