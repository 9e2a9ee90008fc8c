"""E4xx: equations and conditions, each alone and against each other. Places and times come as text."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.fixes import Edit, Fix, added, instead, one_of_them, without
from pdedsl.mistakes.code import Code
from pdedsl.mistakes.english import ONE, all_of, one_of, perhaps
from pdedsl.mistakes.syntax import STEPS

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
