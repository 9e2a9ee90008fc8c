"""E4xx, W4xx: equations, initial and boundary conditions, domains, exact solutions and well-posedness.

Locations and times are passed as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, insert, remove, replace_by, replace_word
from pdedsl.errors.base import KEEP_ONE, Code, Notes, did_you_mean, join_comma, join_or
from pdedsl.errors.syntax import TIME_STEPS_HINT

MISSING_UNKNOWN = Code("E401", "an equation contains no unknown")
CANCELS = Code("E402", "the terms of an equation cancel")
NOT_TIME = Code("E403", "`for` names a variable other than the time")
CONDITION_WITH_INTERVAL = Code("E404", "a condition cannot have a `for` interval")
INVALID_LOCATION = Code("E405", "a condition must be at the initial time, the final time or the boundary")
INVALID_CONDITION = Code("E406", "a condition does not prescribe the unknown or its time derivative")
GAP = Code("E407", "the time intervals of the equations leave a gap")
OVERLAP = Code("E408", "the time intervals of the equations overlap")
OUTSIDE_TIME = Code("E409", "a time interval is not contained in `time`")
MISSING_EQUATION = Code("E411", "an unknown has no equation")
DUPLICATE_EQUATION = Code("E412", "an unknown has two equations on the same time interval")
TOO_MANY_CONDITIONS = Code("E413", "duplicate condition, or more conditions than the equation admits")
INITIAL_AND_TERMINAL = Code("E414", "both an initial and a terminal condition")
CONDITION_ORDER = Code(
    "E415", "the order of an initial or terminal condition is not below the order of the equation in time"
)
MISSING_INITIAL = Code("E416", "an initial condition is missing")
MISSING_BOUNDARY = Code("E417", "a boundary condition is missing")

REMOVE_FOR = "remove 'for …'"


vector_normalization = INVALID_CONDITION.at(
    "a normalization is one scalar condition", "write one line for each component, as in: ∫_Ω u₁ dx = 1"
)


invalid_history = INVALID_CONDITION.at(
    "a history prescribes an unknown by a known function, before the initial time", "as in: u(t) = 1 for t in [-1, 0]"
)
discontinuous_history = INVALID_CONDITION.at(
    "the initial value differs from the history at the initial time", "remove it: the history prescribes it"
)


def missing_unknown(step: bool, span: Span) -> PdeError:
    """`step` for `Δt = 0.01`."""
    hint = TIME_STEPS_HINT if step else "define constants and functions with const or let"
    return MISSING_UNKNOWN("this equation contains no unknown", span, hint)


terms_cancel = CANCELS.at("all terms of this equation cancel")


def not_the_time(name: str, time: str | None, span: Span) -> PdeError:
    """`time` is the declared time variable, if any."""
    hint = f"write: for {time} in [a, b]" if time else "declare the time: time t in [0, 1]"
    return NOT_TIME(f"'{name}' is not the time variable", span, hint, fixes=replace_word(name, time, span))


# ---- Conditions


def boundary_condition_with_interval(span: Span, interval: Span) -> PdeError:
    fixes = remove(interval, REMOVE_FOR)
    return CONDITION_WITH_INTERVAL("a boundary condition must hold at all times", span, REMOVE_FOR, fixes=fixes)


def condition_with_interval(span: Span, interval: Span) -> PdeError:
    fixes = remove(interval, REMOVE_FOR)
    return CONDITION_WITH_INTERVAL(
        "an initial or terminal condition holds at a single time", span, REMOVE_FOR, fixes=fixes
    )


def no_boundary(periodic: bool, span: Span, condition: Span) -> PdeError:
    reason = "it is periodic in all coordinates" if periodic else "it is unbounded"
    hint = "remove the condition"
    return INVALID_LOCATION(f"this space has no boundary: {reason}", span, hint, fixes=remove(condition, hint))


def unknown_face(name: str, faces: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint = did_you_mean(guess, f"available: {join_comma(faces)}")
    return INVALID_LOCATION(f"unknown boundary face '{name}'", span, hint, fixes=replace_word(name, guess, span))


def curve_on_mesh(names: Sequence[str], span: Span) -> PdeError:
    message = "conditions on curves are not supported on a mesh"
    return INVALID_LOCATION(message, span, f"parts of its boundary are: {join_comma(names)}")


def condition_at_axis(name: str, at: str, span: Span) -> PdeError:
    hint = "remove it: bounded solutions are regular there"
    return INVALID_LOCATION(f"{name} = {at} is not part of the boundary", span, hint, fixes=remove(span, hint))


invalid_location = INVALID_LOCATION.at(
    "expected a boundary face or a curve",
    "write 'on left, right' for faces, 'on boundary' for the whole boundary, or 'on x² + y² = 1' for a curve",
)
fixes_one_variable = INVALID_LOCATION.of("a condition must fix exactly one variable", "as in {example} = …")


def not_at_initial_or_final_time(
    time: str, at: str, nearest: str, kind: str, end: str, endpoint: Span | None, span: Span, location: Span | None
) -> PdeError:
    """`location` is the span of the time argument, `endpoint` that of the `end` of the interval beyond which it is, if
    it is outside; `nearest` is the nearest time for a condition, which is then of this `kind`."""
    message = f"{time} = {at} is neither the initial nor the final time"
    hint, fixes = f"use {time} = {nearest} ({kind} condition)", replace_by([nearest], location)
    if endpoint is not None:
        hint = f"{hint}, or {end} the time interval at {at}"
        fixes = (*fixes, Fix(f"{end} the time interval at {at}", (Edit(endpoint, at),)))
    return INVALID_LOCATION(message, span, hint, fixes=fixes)


def not_on_the_boundary(variable: str, at: str, places: Sequence[str], span: Span, location: Span | None) -> PdeError:
    where = join_or(f"{variable} = {p}" for p in places)
    hint = f"the boundary is {where}" if where else f"there is no boundary in {variable}"
    message = f"{variable} = {at} is not on the boundary"
    return INVALID_LOCATION(message, span, hint, fixes=replace_by(places, location))


invalid_condition = INVALID_CONDITION.at(
    "a condition must prescribe the unknown or its time derivative", "as in u(x, 0) = f(x)"
)


# ---- Number of equations and conditions


def missing_equation(unknown: str, time: str | None, span: Span) -> PdeError:
    """`time` is the time variable, if there is one."""
    example = f", as in: ∂{unknown}/∂{time} = …" if time else ""
    return MISSING_EQUATION(f"'{unknown}' has no equation", span, f"add an equation for {unknown}{example}")


def duplicate_equation(unknown: str, time: str | None, span: Span) -> PdeError:
    hint = f"restrict each to a time interval with 'for {time} in [a, b]', or keep one" if time else KEEP_ONE
    return DUPLICATE_EQUATION(f"a second equation for '{unknown}'", span, hint, fixes=remove(span))


def outside_time_interval(interval: str, time: str, span: Span) -> PdeError:
    return OUTSIDE_TIME(f"the time interval {interval} is not contained in {time}", span)


def time_gap(time: str, start: str, end: str, span: Span, first: Span | None) -> PdeError:
    """`first` is the span of the left endpoint."""
    hint = f"start this interval at {start}"
    return GAP(f"no equation for {time} in [{start}, {end}]", span, hint, fixes=_replace_endpoint(hint, first, start))


def time_gap_at_end(time: str, start: str, end: str, span: Span, last: Span | None) -> PdeError:
    """`last` is the span of the right endpoint."""
    hint = f"end this interval at {end}, or add another"
    fixes = _replace_endpoint(f"end this interval at {end}", last, end)
    return GAP(f"no equation for {time} in [{start}, {end}]", span, hint, fixes=fixes)


def time_overlap(time: str, start: str, end: str, reached: str, span: Span, first: Span | None) -> PdeError:
    """`first` is the span of the left endpoint."""
    hint = f"start this interval at {reached}"
    fixes = _replace_endpoint(hint, first, reached)
    return OVERLAP(f"two equations for {time} in [{start}, {end}]", span, hint, fixes=fixes)


def _replace_endpoint(title: str, at: Span | None, new: str) -> tuple[Fix, ...]:
    return (Fix(title, (Edit(at, new),)),) if at else ()


def duplicate_condition(unknown: str, kind: str, span: Span) -> PdeError:
    """`kind` is "initial condition", "terminal velocity", …"""
    return TOO_MANY_CONDITIONS(f"a second {kind} for '{unknown}'", span, KEEP_ONE, fixes=remove(span))


def too_many_conditions(
    unknown: str, face: str, limit: int, condition: str, others: Sequence[str], span: Span
) -> PdeError:
    """`limit` is the number of conditions that the equation admits there; `others` are faces of the condition that need
    it."""
    only = _on_faces(condition, others)
    if only:
        message, hint = f"a second condition on {face}", f"prescribe it on {join_comma(others)} only"
        return TOO_MANY_CONDITIONS(message, span, hint, fixes=replace_by([only], span))
    message, hint = f"too many conditions for '{unknown}' on {face}: the equation admits {limit}", ""
    if not limit:
        message, hint = f"the equation admits no condition for '{unknown}' on {face}", "remove it"
    elif limit == 1:
        message, hint = f"a second condition on {face}", KEEP_ONE
    return TOO_MANY_CONDITIONS(message, span, hint or f"keep {limit}", fixes=remove(span))


initial_and_terminal = INITIAL_AND_TERMINAL.of(
    "'{unknown}' has both an initial and a terminal condition", KEEP_ONE, fixes=remove
)


def condition_order(order: int, span: Span) -> PdeError:
    what = f"an equation of order {order} in time" if order else "an equation without a time derivative"
    return CONDITION_ORDER(f"{what} does not admit this condition", span, "remove it", fixes=remove(span))


def missing_initial_condition(unknown: str, kind: str, left: str, span: Span, insert_at: int | None) -> PdeError:
    """A homogeneous condition can be inserted at `insert_at`, unless it is None."""
    fixes = insert(insert_at, f"\n{left} = 0") if insert_at is not None else ()
    return MISSING_INITIAL(f"'{unknown}' has no {kind}", span, f"add {left} = …", fixes=fixes)


def missing_boundary_condition(unknown: str, missing: Sequence[str], span: Span, insert_at: int | None) -> PdeError:
    """`missing` is empty if no face has a condition; a homogeneous condition can be inserted at `insert_at`, unless it
    is None."""
    where, faces = (" and ".join(missing), join_comma(missing)) if missing else ("the boundary", "boundary")
    hint = f"add {unknown} = … on {faces}"
    fixes = insert(insert_at, f"\n{unknown} = 0 on {faces}") if insert_at is not None else ()
    return MISSING_BOUNDARY(f"'{unknown}' has no condition on {where}", span, hint, fixes=fixes)


def too_few_conditions(
    unknown: str, count: str, expected: str, where: str, example: str, span: Span, insert_at: int
) -> PdeError:
    """The counts are texts: a condition that couples two faces counts one half on each. `example` is the missing
    condition, if there is one, which can be inserted at `insert_at`."""
    counted = {"0": "no condition", "1": "1 condition"}.get(count, f"{count} conditions")
    message = f"'{unknown}' has {counted} on {where}; its equation needs {expected}"
    hint = f"add a condition, as in: {example}" if example else "add the missing conditions"
    return MISSING_BOUNDARY(message, span, hint, fixes=insert(insert_at, f"\n{example}") if example else ())


# ---- Domains and curves (E43x)


INVALID_LEVEL_SET = Code("E430", "an inequality or a curve must be a known function of the coordinates")

EMPTY_DOMAIN = Code("E431", "the domain is empty, or an inequality is redundant")
EMPTY_SET = Code("E432", "a condition applies to an empty set")


empty_domain = EMPTY_DOMAIN.at(
    "the domain is empty: no point of the box satisfies all inequalities", "check the inequality signs"
)


def redundant_inequality(text: str, span: Span, before: int | None) -> PdeError:
    """`before` is the position of `where`, if this is the only inequality."""
    fixes = remove(span, item=True) if before is None else remove(Span(before, span.end))
    message = f"the inequality '{text}' is redundant: its boundary does not intersect the domain"
    return EMPTY_DOMAIN(message, span, "remove it, or enlarge the box", fixes=fixes)


empty_location = EMPTY_SET.at(
    "this condition applies to an empty set: no such points in the domain",
    "compare the location with 'space'; on a curve f = g, f - g must change sign",
)
no_coordinate = INVALID_LEVEL_SET.at("this expression contains no coordinate", "as in: x² + y² < 1")
unknown_in_level_set = INVALID_LEVEL_SET.at(
    "an inequality or a curve cannot contain an unknown or a learned function", "use coordinates, const and let"
)
time_dependent_domain = INVALID_LEVEL_SET.of(
    "a domain or a curve cannot depend on {time}",
    "the domain is fixed in time; write an initial condition as u(x, 0) = …",
)
inequality_without_domain = INVALID_LEVEL_SET.at(
    "inequalities need a bounded domain", "as in: space (x, y) in [-1, 1]^2 where x² + y² < 1"
)


# ---- Exact solutions and observations (E44x, W440)


NOT_AN_UNKNOWN = Code("E440", "`exact` or `observe` must name an unknown, with the arguments of its declaration")
INVALID_EXACT_SOLUTION = Code("E441", "an exact solution contains an unknown or a learned function")
DUPLICATE_EXACT_SOLUTION = Code("E442", "a second exact solution for the same unknown")
VIOLATED = Code("E443", "an exact solution does not satisfy an equation or a condition")
NOT_IDENTIFIABLE = Code("W440", "a learned coefficient is not identifiable without observations")


def exact_solution_violated(text: str, size: float, span: Span) -> PdeError:
    message = f"the exact solution does not satisfy '{text}' (residual {size:.2g})"
    return VIOLATED(message, span, "correct the solution, or the equation or condition")


needs_physical_domain = NOT_AN_UNKNOWN.of("'{name}' needs a physical domain", "as in: space x in [0, 1]")


def not_an_unknown(name: str | None, span: Span) -> PdeError:
    message = f"'{name}' is not an unknown" if name else "expected an unknown"
    return NOT_AN_UNKNOWN(message, span, "write an unknown or a component: u, u₁")


def arguments_differ(name: str, span: Span) -> PdeError:
    hint = f"write {name} without arguments"
    return NOT_AN_UNKNOWN(
        f"'{name}' must have the arguments of its declaration", span, hint, fixes=replace_word("", name, span)
    )


exact_has_unknowns = INVALID_EXACT_SOLUTION.at(
    "an exact solution cannot contain an unknown or a learned function", "use coordinates, the time, const and let"
)
duplicate_exact_solution = DUPLICATE_EXACT_SOLUTION.at(
    "a second exact solution for the same unknown", KEEP_ONE, fixes=remove
)


def not_identifiable(name: str, unknown: str, span: Span) -> Diagnostic:
    """The equation alone does not determine the coefficient."""
    message = f"no observations: '{name}' is not identifiable"
    return NOT_IDENTIFIABLE.warning(message, span, f'add observations: observe {unknown} from npz("points.npz")')


# ---- Well-posedness and axioms (E418 to E426, W40x); terms are quoted from the spec


ILL_POSED = Code("E418", "ill-posed problem: backward diffusion, or boundary data for a hyperbolic equation")
INDEFINITE = Code("E419", "the diffusion matrix is indefinite")
REFUTED = Code("E420", "a required axiom does not hold")
NOT_APPLICABLE = Code("E421", "a required axiom does not apply to the equation")
OUTFLOW = Code("E422", "Dirichlet condition at an outflow boundary")
LEARNED_SIGN = Code("E423", "a diffusion coefficient that is learned, or a parameter, may be negative")
FIRST_KIND = Code("E424", "an integral equation of the first kind is ill-posed")
OUTSIDE_DOMAIN = Code("E425", "an unknown is evaluated outside of its domain")
SINGULAR_KERNEL = Code("E426", "a weakly singular kernel is not supported")
IMPROPER_INEQUALITY = Code("E427", "an inequality is ill-posed, or its data violate its bounds")
UNSTABLE_STEP = Code("W401", "the time step may be unstable")
INCOMPATIBLE_DATA = Code("W402", "initial and boundary data are incompatible")
INCOMPATIBLE_NEUMANN_DATA = Code(
    "W403", "Neumann data and source violate the compatibility condition: there is no solution"
)


def backward_diffusion(
    terms: str, from_start: bool, span: Span, sign: Edit | None, moved: tuple[str, Edit] | None = None
) -> PdeError:
    """`terms` are in quotes; `from_start` if there is an initial condition; `sign` changes the sign of the term, and
    `moved` the time of the condition, with its left-hand side."""
    data, other = ("initial", "a terminal") if from_start else ("terminal", "an initial")
    message = f"backward diffusion {terms} with {data} data: the problem is ill-posed"
    hint = f"change the sign of {terms}, or prescribe {other} condition instead"
    if moved is None:
        return ILL_POSED(message, span, hint, fixes=_change_sign(terms, sign))
    left, edit = moved
    fixes = (*_change_sign(terms, sign), Fix(f"prescribe {left}", (edit,)))
    return ILL_POSED(message, span, f"{hint}, {left} = …", fixes=fixes)


def hadamard_instability(terms: str, span: Span, sign: Edit | None) -> PdeError:
    """Second order in time with the wrong sign: the equation is elliptic in space and time (Hadamard)."""
    message = f"high frequencies grow without bound under {terms}: the initial value problem is ill-posed"
    return ILL_POSED(message, span, f"change the sign of {terms}", fixes=_change_sign(terms, sign))


def _change_sign(terms: str, sign: Edit | None) -> tuple[Fix, ...]:
    return (Fix(f"change the sign of {terms}", (sign,)),) if sign else ()


def first_kind(volterra: bool, span: Span) -> PdeError:
    """`∫ k(x, s) u(s) ds = f(x)`: u occurs only in integrals."""
    hint = "regularize it: add a small multiple of the unknown, as in 0.001 u + ∫₀¹ k(x, s) u(s) ds = f(x)"
    if volterra:
        hint = "differentiate it: ∫₀ˣ k(x, s) u(s) ds = f gives k(x, x) u + ∫₀ˣ ∂k/∂x u(s) ds = ∂f/∂x"
    return FIRST_KIND("integral equation of the first kind: the problem is ill-posed", span, hint)


def outside_domain(name: str, value: float, low: float, high: float, span: Span) -> PdeError:
    message = f"an unknown is evaluated at {name} = {value:.3g}, outside of [{low:g}, {high:g}]"
    return OUTSIDE_DOMAIN(message, span, "enlarge the domain, change the argument or the limits, or make it periodic")


def missing_history(name: str, earliest: str, start: str, span: Span) -> PdeError:
    hint = f"add the history, as in: {name} = 1 for t in [{earliest}, {start}]"
    return OUTSIDE_DOMAIN(f"'{name}' is evaluated before the initial time, where it has no history", span, hint)


singular_kernel = SINGULAR_KERNEL.at(
    "the kernel is unbounded in the range of integration: weakly singular kernels are not supported",
    "nearest: substitute s = x - σ² for 1/√(x - s), as in 2 ∫₀^√x u(x - σ²) dσ",
)
improper_inequality = IMPROPER_INEQUALITY.at(
    "the terms of the minimum or maximum have opposite signs: the problem is ill-posed",
    "in min(-Δu - f, u - ψ) = 0 both terms increase with u: change the sign of one of them",
)


def violated_bound(place: str, span: Span) -> PdeError:
    """A prescribed value beyond an obstacle; `place` are the coordinates of a point."""
    message = f"the prescribed value violates the bounds of the inequality at {place}: there is no solution"
    return IMPROPER_INEQUALITY(message, span, "change the value, or the obstacle")


indefinite_diffusion = INDEFINITE.of(
    "the diffusion matrix of {terms} is indefinite", "the diffusion matrix must be positive semidefinite"
)


def _on_faces(condition: str, faces: Sequence[str]) -> str:
    """A condition `… on FACES` on other faces; empty if it has another form."""
    plain = re.fullmatch(r"(.*\son\s)[\w, ]+", condition)  # without 'where', which contains a comparison
    return f"{plain[1]}{join_comma(faces)}" if plain and faces else ""


def outflow_condition(
    condition: str, outflow: Sequence[str], others: Sequence[str], inflow: Sequence[str], span: Span
) -> PdeError:
    """`outflow` are the faces of the condition with outflow, `others` its remaining faces, `inflow` the opposite faces
    without a condition."""
    hint, fixes = "remove it: characteristics leave the domain there", remove(span)
    if others:
        hint = f"prescribe it on {join_comma(others)} only: characteristics leave the domain on {join_comma(outflow)}"
    only = _on_faces(condition, others or inflow)
    if inflow and not others:
        hint = f"prescribe it on {join_comma(inflow)}, where characteristics enter the domain"
    if only:
        fixes = replace_by([only], span)
    return OUTFLOW(f"Dirichlet condition '{condition}' at an outflow boundary", span, hint, fixes=fixes)


def overdetermined(
    unknown: str, determining: Sequence[str], determined: Sequence[str], span: Span, only_there: bool
) -> PdeError:
    """Stationary transport with data at both ends of the characteristics. `only_there` if the condition applies to
    overdetermined faces only."""
    message = f"overdetermined: '{unknown}' on {' and '.join(determining)} determines it on {' and '.join(determined)}"
    hint, fixes = f"prescribe {unknown} on {join_comma(determining)} only", remove(span) if only_there else ()
    return OUTFLOW(message, span, hint, fixes=fixes)


# The Dirichlet problem for a hyperbolic equation (Hadamard 1923).
hyperbolic_dirichlet = ILL_POSED.of(
    "the equation is hyperbolic ({terms}): the Dirichlet problem is ill-posed",
    "use one coordinate as the time, ∂²u/∂t² = Δu, with initial conditions for u and ∂u/∂t",
)


def missing_inflow_condition(unknown: str, faces: Sequence[str], span: Span, insert_at: int) -> PdeError:
    """No condition on an inflow boundary; `insert_at` is where a homogeneous one can be inserted."""
    message = f"'{unknown}' has no condition on the inflow boundary {' and '.join(faces)}"
    fixes = insert(insert_at, f"\n{unknown} = 0 on {join_comma(faces)}")
    return MISSING_BOUNDARY(message, span, f"add {unknown} = … on {join_comma(faces)}", fixes=fixes)


def too_few_for_characteristics(face: str, count: int, expected: int, span: Span) -> PdeError:
    has = {0: "no condition", 1: "1 condition"}.get(count, f"{count} conditions")
    message = f"{face} has {has} for {expected} incoming characteristic{'s' * (expected > 1)}"
    return MISSING_BOUNDARY(message, span, f"prescribe one condition per incoming characteristic on {face}")


learned_sign = LEARNED_SIGN.of(
    "the diffusion coefficient in {terms} may be negative",
    "declare it as scalar > 0, scalar >= 0 or matrix, psd, apply relu, softplus or a square, or choose an interval of "
    "positive numbers for a parameter",
)


def axiom_refuted(axiom: str, reason: str, witness: str, offending: Sequence[Span], span: Span) -> PdeError:
    """`reason` and `witness` come from the prover; `offending` are the spans of the offending terms."""
    notes: Notes = tuple((location, "offending term") for location in offending)
    hint = f"counterexample: {witness}" if witness else ""
    return REFUTED(f"{axiom} does not hold: {reason.rstrip('.')}", span, hint, notes)


def axiom_not_applicable(axiom: str, axioms: Sequence[str], span: Span) -> PdeError:
    message = f"{axiom} does not apply to this equation"
    fixes = remove(span, item=True)
    return NOT_APPLICABLE(message, span, f"applicable: {join_comma(axioms)}", fixes=fixes)


def unstable_step(reason: str, hint: str, span: Span) -> Diagnostic:
    return UNSTABLE_STEP.warning(reason, span, hint)


def incompatible_data(
    kind: str, data: str, condition: str, where: str, values: tuple[float, float], span: Span
) -> Diagnostic:
    """`kind` is "initial" or "terminal"; `values` are those of the data and of the boundary condition at `where`."""
    (first, second), jump = values, abs(values[0] - values[1])
    message = f"{kind} and boundary data are incompatible at {where} (jump {jump:.3g}): "
    message += f"'{data}' gives {first:.4g}, '{condition}' gives {second:.4g}"
    hint = "change one of the two, unless the corner singularity is intended"
    return INCOMPATIBLE_DATA.warning(message, span, hint)


def incompatible_neumann_data(
    unknown: str, total: float, has_neumann: bool, span: Span, approximate: bool = False
) -> Diagnostic:
    """`has_neumann` if there are Neumann conditions, else the domain is periodic; `approximate`: two digits."""
    shown = f"about {abs(total):.2g}" if approximate else f"{abs(total):.3g}"
    message = f"Neumann data of '{unknown}' violate the compatibility condition ∫f + ∮g = 0: the sum is {shown}"
    hint = "there is no solution: change the source or a flux, or prescribe a Dirichlet condition"
    if not has_neumann:
        message = f"the source of '{unknown}' violates the compatibility condition ∫f = 0 (periodic): ∫f = {shown}"
        hint = "there is no solution: change the source"
    return INCOMPATIBLE_NEUMANN_DATA.warning(message, span, hint)
