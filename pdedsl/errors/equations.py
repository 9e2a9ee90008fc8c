"""E4xx, W4xx: equations, initial and boundary conditions, domains, exact solutions and well-posedness.

Locations and times are passed as text.
"""

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
NOT_THE_TIME = Code("E403", "`for` names a variable other than the time")
CONDITION_DURING = Code("E404", "a condition cannot have a `for` interval")
PLACE = Code("E405", "a condition must be at the initial time, the final time or the boundary")
NOT_SOLVED = Code("E406", "a condition does not prescribe the unknown or its time derivative")
GAP = Code("E407", "the time intervals of the equations leave a gap")
OVERLAP = Code("E408", "the time intervals of the equations overlap")
OUTSIDE = Code("E409", "a time interval is not contained in `time`")
NO_EQUATION = Code("E411", "an unknown has no equation")
SECOND_EQUATION = Code("E412", "an unknown has two equations on the same time interval")
SECOND_CONDITION = Code("E413", "duplicate condition, or more conditions than the equation admits")
BOTH_ENDS = Code("E414", "both an initial and a terminal condition")
NEEDLESS = Code("E415", "the order of an initial or terminal condition is not below the order of the equation in time")
NO_START = Code("E416", "an initial condition is missing")
NO_BOUNDARY = Code("E417", "a boundary condition is missing")

WITHOUT_FOR = "remove 'for …'"


def no_unknown(step: bool, span: Span) -> PdeError:
    """`step` for `Δt = 0.01`."""
    hint = STEPS if step else "define constants and functions with const or let"
    return NO_UNKNOWN.error("this equation contains no unknown", span, hint)


def terms_cancel(span: Span) -> PdeError:
    return CANCELS.error("all terms of this equation cancel", span)


def not_the_time(name: str, time: str | None, span: Span) -> PdeError:
    """`time` is the declared time variable, if any."""
    hint = f"write: for {time} in [a, b]" if time else "declare the time: time t in [0, 1]"
    return NOT_THE_TIME.error(f"'{name}' is not the time variable", span, hint, fixes=instead(name, time, span))


# ---- conditions


def boundary_condition_during(span: Span, during: Span) -> PdeError:
    fixes = without(during, WITHOUT_FOR)
    return CONDITION_DURING.error("a boundary condition must hold at all times", span, WITHOUT_FOR, fixes=fixes)


def condition_during(span: Span, during: Span) -> PdeError:
    fixes = without(during, WITHOUT_FOR)
    return CONDITION_DURING.error(
        "an initial or terminal condition holds at a single time", span, WITHOUT_FOR, fixes=fixes
    )


def no_boundary(periodic: bool, span: Span, condition: Span) -> PdeError:
    why = "it is periodic in all coordinates" if periodic else "it is unbounded"
    hint = "remove the condition"
    return PLACE.error(f"this space has no boundary: {why}", span, hint, fixes=without(condition, hint))


def not_a_side(name: str, sides: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint = perhaps(guess, f"available: {all_of(sides)}")
    return PLACE.error(f"unknown boundary face '{name}'", span, hint, fixes=instead(name, guess, span))


def not_a_place(span: Span) -> PdeError:
    hint = "write 'on left, right' for faces, 'on boundary' for the whole boundary, or 'on x² + y² = 1' for a curve"
    return PLACE.error("expected a boundary face or a curve", span, hint)


def fixes_one_variable(example: str, span: Span) -> PdeError:
    return PLACE.error("a condition must fix exactly one variable", span, f"as in {example} = …")


def neither_start_nor_end(time: str, at: str, start: str, end: str, span: Span, place: Span | None) -> PdeError:
    """`place` is the span of the time argument."""
    message = f"{time} = {at} is neither the initial nor the final time"
    hint = f"use {time} = {start} (initial condition) or {time} = {end} (terminal condition)"
    return PLACE.error(message, span, hint, fixes=one_of_them((start, end), place))


def not_on_the_boundary(variable: str, at: str, places: Sequence[str], span: Span, place: Span | None) -> PdeError:
    where = one_of(f"{variable} = {p}" for p in places)
    hint = f"the boundary is {where}" if where else f"there is no boundary in {variable}"
    message = f"{variable} = {at} is not on the boundary"
    return PLACE.error(message, span, hint, fixes=one_of_them(places, place))


def gives_no_value(span: Span) -> PdeError:
    message = "a condition must prescribe the unknown or its time derivative"
    return NOT_SOLVED.error(message, span, "as in u(x, 0) = f(x)")


# ---- Number of equations and conditions


def no_equation(unknown: str, span: Span) -> PdeError:
    return NO_EQUATION.error(f"'{unknown}' has no equation", span, f"add an equation for {unknown}")


def second_equation(unknown: str, time: str | None, span: Span) -> PdeError:
    hint = f"restrict each to a time interval with 'for {time} in [a, b]', or keep one" if time else ONE
    return SECOND_EQUATION.error(f"a second equation for '{unknown}'", span, hint, fixes=without(span))


def outside_the_time(piece: str, whole: str, span: Span) -> PdeError:
    return OUTSIDE.error(f"the time interval {piece} is not contained in {whole}", span)


def gap(time: str, start: str, end: str, span: Span, first: Span | None) -> PdeError:
    """`first` is the span of the left endpoint."""
    hint = f"start this interval at {start}"
    return GAP.error(f"no equation for {time} in [{start}, {end}]", span, hint, fixes=_moved(hint, first, start))


def gap_at_the_end(time: str, start: str, end: str, span: Span, last: Span | None) -> PdeError:
    """`last` is the span of the right endpoint."""
    hint, fixes = f"end this interval at {end}, or add another", _moved(f"end this interval at {end}", last, end)
    return GAP.error(f"no equation for {time} in [{start}, {end}]", span, hint, fixes=fixes)


def overlap(time: str, start: str, end: str, reached: str, span: Span, first: Span | None) -> PdeError:
    """`first` is the span of the left endpoint."""
    hint = f"start this interval at {reached}"
    fixes = _moved(hint, first, reached)
    return OVERLAP.error(f"two equations for {time} in [{start}, {end}]", span, hint, fixes=fixes)


def _moved(title: str, at: Span | None, new: str) -> tuple[Fix, ...]:
    return (Fix(title, (Edit(at, new),)),) if at else ()


def second_condition(unknown: str, kind: str, span: Span) -> PdeError:
    """`kind` is "initial condition", "terminal velocity", …"""
    return SECOND_CONDITION.error(f"a second {kind} for '{unknown}'", span, ONE, fixes=without(span))


def many_conditions_on(unknown: str, side: str, most: int, span: Span) -> PdeError:
    """`most` is the number of conditions that the equation admits there."""
    message, hint = f"too many conditions for '{unknown}' on {side}: the equation admits {most}", ""
    if not most:
        message, hint = f"the equation admits no condition for '{unknown}' on {side}", "remove it"
    elif most == 1:
        message, hint = f"a second condition on {side}", ONE
    return SECOND_CONDITION.error(message, span, hint or f"keep {most}", fixes=without(span))


def start_and_end(unknown: str, span: Span) -> PdeError:
    message = f"'{unknown}' has both an initial and a terminal condition"
    return BOTH_ENDS.error(message, span, ONE, fixes=without(span))


def needless_condition(order: int, span: Span) -> PdeError:
    what = f"an equation of order {order} in time" if order else "an equation without a time derivative"
    return NEEDLESS.error(f"{what} does not admit this condition", span, "remove it", fixes=without(span))


def no_start(unknown: str, kind: str, left: str, span: Span, behind: int | None) -> PdeError:
    """`behind` is where a homogeneous condition can be inserted, if it can."""
    fixes = added(behind, f"\n{left} = 0") if behind is not None else ()
    return NO_START.error(f"'{unknown}' has no {kind}", span, f"add {left} = …", fixes=fixes)


def no_condition_on(unknown: str, missing: Sequence[str], span: Span, behind: int | None) -> PdeError:
    """`missing` is empty if no face has a condition; `behind` is where a homogeneous condition can be inserted, if one
    is enough."""
    where, sides = (" and ".join(missing), all_of(missing)) if missing else ("the boundary", "boundary")
    hint = f"add {unknown} = … on {sides}"
    fixes = added(behind, f"\n{unknown} = 0 on {sides}") if behind is not None else ()
    return NO_BOUNDARY.error(f"'{unknown}' has no condition on {where}", span, hint, fixes=fixes)


def few_conditions_on(unknown: str, given: str, wanted: str, where: str, span: Span) -> PdeError:
    """The counts are texts: a condition that couples two faces counts one half on each."""
    counted = {"0": "no condition", "1": "1 condition"}.get(given, f"{given} conditions")
    message = f"'{unknown}' has {counted} on {where}; its equation needs {wanted}"
    return NO_BOUNDARY.error(message, span, "add the missing conditions")


# ---- Domains and curves (E43x)


NOT_A_LEVEL = Code("E430", "an inequality or a curve must be a known function of the coordinates")

EMPTY = Code("E431", "the domain is empty, or an inequality is redundant")
NO_POINTS = Code("E432", "a condition applies to an empty set")


def empty(span: Span) -> PdeError:
    return EMPTY.error(
        "the domain is empty: no point of the box satisfies all inequalities", span, "check the inequality signs"
    )


def cuts_nothing(text: str, span: Span, before: int | None) -> PdeError:
    """`before` is the position of `where`, if this is the only inequality."""
    fixes = without(span, item=True) if before is None else without(Span(before, span.end))
    message = f"the inequality '{text}' is redundant: its boundary does not intersect the domain"
    return EMPTY.error(message, span, "remove it, or enlarge the box", fixes=fixes)


def selects_nothing(span: Span) -> PdeError:
    hint = "compare the location with 'space'; on a curve f = g, f - g must change sign"
    return NO_POINTS.error("this condition applies to an empty set: no such points in the domain", span, hint)


def no_coordinate(span: Span) -> PdeError:
    return NOT_A_LEVEL.error("this expression contains no coordinate", span, "as in: x² + y² < 1")


def not_known(span: Span) -> PdeError:
    message = "an inequality or a curve cannot contain an unknown or a learned function"
    return NOT_A_LEVEL.error(message, span, "use coordinates, const and let")


def moving(time: str, span: Span) -> PdeError:
    hint = "the domain is fixed in time; write an initial condition as u(x, 0) = …"
    return NOT_A_LEVEL.error(f"a domain or a curve cannot depend on {time}", span, hint)


def not_physical(span: Span) -> PdeError:
    hint = "as in: space (x, y) in [-1, 1]^2 where x² + y² < 1"
    return NOT_A_LEVEL.error("inequalities need a bounded domain", span, hint)


# ---- Exact solutions and observations (E44x, W440)


SUBJECT = Code("E440", "`exact` or `observe` must name an unknown, with the arguments of its declaration")
VALUE = Code("E441", "an exact solution contains an unknown or a learned function")
TWICE = Code("E442", "a second exact solution for the same unknown")
VIOLATED = Code("E443", "an exact solution does not satisfy an equation or a condition")
UNMEASURED = Code("W440", "a learned coefficient is not identifiable without observations")


def violated(text: str, size: float, span: Span) -> PdeError:
    message = f"the exact solution does not satisfy '{text}' (residual {size:.2g})"
    return VIOLATED.error(message, span, "correct the solution, or the equation or condition")


def known_only_on_domains(word: str, span: Span) -> PdeError:
    return SUBJECT.error(f"'{word}' needs a physical domain", span, "as in: space x in [0, 1]")


def not_an_unknown(name: str | None, span: Span) -> PdeError:
    message = f"'{name}' is not an unknown" if name else "expected an unknown"
    return SUBJECT.error(message, span, "write an unknown or a component: u, u₁")


def not_at_home(name: str, span: Span) -> PdeError:
    hint = f"write {name} without arguments"
    return SUBJECT.error(
        f"'{name}' must have the arguments of its declaration", span, hint, fixes=instead("", name, span)
    )


def exact_has_unknowns(span: Span) -> PdeError:
    message = "an exact solution cannot contain an unknown or a learned function"
    return VALUE.error(message, span, "use coordinates, the time, const and let")


def twice(span: Span) -> PdeError:
    return TWICE.error("a second exact solution for the same unknown", span, ONE, fixes=without(span))


def unmeasured(name: str, unknown: str, span: Span) -> Diagnostic:
    """The equation alone does not determine the coefficient."""
    message = f"no observations: '{name}' is not identifiable"
    return UNMEASURED.warning(message, span, f'add observations: observe {unknown} from npz("points.npz")')


# ---- Well-posedness and axioms (E418 to E423, W40x); terms are quoted from the spec


BACKWARDS = Code("E418", "ill-posed problem: backward diffusion, or boundary data for a hyperbolic equation")
INDEFINITE = Code("E419", "the diffusion matrix is indefinite")
REFUTED = Code("E420", "a required axiom does not hold")
MEANINGLESS = Code("E421", "a required axiom does not apply to the equation")
OUTFLOW = Code("E422", "Dirichlet condition at an outflow boundary")
LEARNED = Code("E423", "a learned diffusion coefficient may be negative")
STEP = Code("W401", "the time step may be unstable")
INCOMPATIBLE_DATA = Code("W402", "initial and boundary data are incompatible")
UNBALANCED = Code("W403", "Neumann data and source violate the compatibility condition: there is no solution")


def backwards(terms: str, from_start: bool, span: Span, sign: Edit | None) -> PdeError:
    """`terms` are in quotes; `from_start` if there is an initial condition; `sign` changes the sign of the term."""
    data, other = ("initial", "a terminal") if from_start else ("terminal", "an initial")
    message = f"backward diffusion {terms} with {data} data: the problem is ill-posed"
    hint = f"change the sign of {terms}, or prescribe {other} condition instead"
    return BACKWARDS.error(message, span, hint, fixes=_changed(terms, sign))


def growing_waves(terms: str, span: Span, sign: Edit | None) -> PdeError:
    """Second order in time with the wrong sign: the equation is elliptic in space and time (Hadamard)."""
    message = f"high frequencies grow without bound under {terms}: the initial value problem is ill-posed"
    return BACKWARDS.error(message, span, f"change the sign of {terms}", fixes=_changed(terms, sign))


def _changed(terms: str, sign: Edit | None) -> tuple[Fix, ...]:
    return (Fix(f"change the sign of {terms}", (sign,)),) if sign else ()


def indefinite(terms: str, span: Span) -> PdeError:
    hint = "the diffusion matrix must be positive semidefinite"
    return INDEFINITE.error(f"the diffusion matrix of {terms} is indefinite", span, hint)


def at_outflow(condition: str, outflow: Sequence[str], others: Sequence[str], span: Span) -> PdeError:
    """`outflow` are the faces of the condition with outflow, `others` its remaining faces."""
    hint, fixes = "remove it: characteristics leave the domain there", without(span)
    if others:
        plain = re.fullmatch(r"(.*\son\s)[\w, ]+", condition)  # without 'where', which contains a comparison
        hint = f"prescribe it on {all_of(others)} only: characteristics leave the domain on {all_of(outflow)}"
        fixes = one_of_them([f"{plain[1]}{all_of(others)}"] if plain else [], span)
    return OUTFLOW.error(f"Dirichlet condition '{condition}' at an outflow boundary", span, hint, fixes=fixes)


def at_both_ends(unknown: str, enough: Sequence[str], more: Sequence[str], span: Span, alone: bool) -> PdeError:
    """Stationary transport with data at both ends of the characteristics. `alone` if the condition applies to
    overdetermined faces only."""
    message = f"overdetermined: '{unknown}' on {' and '.join(enough)} already determines it on {' and '.join(more)}"
    hint, fixes = f"prescribe {unknown} on {all_of(enough)} only", without(span) if alone else ()
    return OUTFLOW.error(message, span, hint, fixes=fixes)


def waves_at_rest(terms: str, span: Span) -> PdeError:
    """The Dirichlet problem for a hyperbolic equation (Hadamard 1923)."""
    message = f"the equation is hyperbolic ({terms}): the Dirichlet problem is ill-posed"
    hint = "use one coordinate as the time, ∂²u/∂t² = Δu, with initial conditions for u and ∂u/∂t"
    return BACKWARDS.error(message, span, hint)


def no_inflow(unknown: str, sides: Sequence[str], span: Span, behind: int) -> PdeError:
    """No condition on an inflow boundary; `behind` is where a homogeneous one can be inserted."""
    message = f"'{unknown}' has no condition on the inflow boundary {' and '.join(sides)}"
    fixes = added(behind, f"\n{unknown} = 0 on {all_of(sides)}")
    return NO_BOUNDARY.error(message, span, f"add {unknown} = … on {all_of(sides)}", fixes=fixes)


def few_for_waves(side: str, given: int, wanted: int, span: Span) -> PdeError:
    has = {0: "no condition", 1: "1 condition"}.get(given, f"{given} conditions")
    message = f"{side} has {has} for {wanted} incoming characteristic{'s' * (wanted > 1)}"
    return NO_BOUNDARY.error(message, span, f"prescribe one condition per incoming characteristic on {side}")


def learned_sign(terms: str, span: Span) -> PdeError:
    hint = "declare it as scalar > 0, scalar >= 0 or matrix, psd, or apply relu, softplus or a square"
    return LEARNED.error(f"the learned diffusion coefficient in {terms} may be negative", span, hint)


def refuted(axiom: str, reason: str, witness: str, guilty: Sequence[Span], span: Span) -> PdeError:
    """`reason` and `witness` come from the prover; `guilty` are the spans of the offending terms."""
    notes: Notes = tuple((place, "offending term") for place in guilty)
    hint = f"counterexample: {witness}" if witness else ""
    return REFUTED.error(f"{axiom} does not hold: {reason.rstrip('.')}", span, hint, notes)


def meaningless(axiom: str, axioms: Sequence[str], span: Span) -> PdeError:
    message = f"{axiom} does not apply to this equation"
    fixes = without(span, item=True)
    return MEANINGLESS.error(message, span, f"applicable: {all_of(axioms)}", fixes=fixes)


def unstable_step(reason: str, way: str, span: Span) -> Diagnostic:
    return STEP.warning(reason, span, way)


def incompatible_data(
    kind: str, data: str, condition: str, where: str, values: tuple[float, float], span: Span
) -> Diagnostic:
    """`kind` is "initial" or "terminal"; `values` are those of the data and of the boundary condition at `where`."""
    (first, second), jump = values, abs(values[0] - values[1])
    message = f"{kind} and boundary data are incompatible at {where} (jump {jump:.3g}): "
    message += f"'{data}' gives {first:.4g}, '{condition}' gives {second:.4g}"
    hint = "change one of the two, unless the corner singularity is intended"
    return INCOMPATIBLE_DATA.warning(message, span, hint)


def unbalanced(unknown: str, total: float, slopes: bool, span: Span, about: bool = False) -> Diagnostic:
    """`slopes` if there are Neumann conditions, otherwise the domain is periodic; `about`: two significant digits."""
    shown = f"about {abs(total):.2g}" if about else f"{abs(total):.3g}"
    message = f"Neumann data of '{unknown}' violate the compatibility condition ∫f + ∮g = 0: the sum is {shown}"
    hint = "there is no solution: change the source or a flux, or prescribe a Dirichlet condition"
    if not slopes:
        message = f"the source of '{unknown}' violates the compatibility condition ∫f = 0 (periodic): ∫f = {shown}"
        hint = "there is no solution: change the source"
    return UNBALANCED.warning(message, span, hint)
