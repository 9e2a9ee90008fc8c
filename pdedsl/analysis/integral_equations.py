"""Errors of problems with integrals and values at other points: equations of the first kind, weakly singular kernels,
and points outside of the domain.

An integral equation of the first kind, ∫ k(x, s) u(s) ds = f(x), is ill-posed: its compact operator has no bounded
inverse (Kress, Linear Integral Equations, theorem 15.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import floor

from sympy import Expr, S, Symbol

from pdedsl import errors
from pdedsl.analysis.sample_points import Point, points, ranges_of, value_at
from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.ir.spec import SpaceKind, Spec, Unknown
from pdedsl.symbolic.integrals import kinks
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field, Integral, Partial, atoms, atoms_outside_integrals

SAMPLES = 12  # points at which limits, kernels and arguments are evaluated
OUTSIDE_RTOL = 1e-9  # of the length of an interval, by which a point may lie outside of it
FRACTIONS = (0.0, 1.0, 0.37, 0.71)  # of a range of integration: its ends, and points inside
OFFSETS = (1e-12, 1e-6)  # fractions of a range: distances from an end at which a kernel is compared
GROWTH = 1.5  # between them; 2 for log(x - s), 1000 for (x - s)^(-1/2), 1 for a smooth kernel


def integral_equation_errors(spec: Spec) -> tuple[Diagnostic, ...]:
    if spec.space.kind is not SpaceKind.PHYSICAL:
        return ()
    found = (*_first_kind_errors(spec), *_range_errors(spec))
    return tuple(d for error in found for d in error.diagnostics)


def _first_kind_errors(spec: Spec) -> Iterator[PdeError]:
    heads = {u.head for u in spec.unknowns}
    for equation in spec.equations:
        outside = any(f.head in heads for e in equation.rhs for f in atoms_outside_integrals(e, Field))
        if outside or equation.order:
            continue
        integrals = [i for e in equation.rhs for i in atoms(e, Integral)]
        if not integrals:
            continue
        coordinates = {*spec.space.coordinates, *([spec.time.symbol] if spec.time else [])}
        volterra = any(limit.free_symbols & coordinates for i in integrals for limit in (i.lower, i.upper))
        yield errors.equations.first_kind(volterra, equation.span)


def _range_errors(spec: Spec) -> Iterator[PdeError]:
    """One error for each equation or condition."""
    relations = [(tuple(e.rhs), e.span) for e in spec.equations]
    relations += [(c.value, c.span) for c in spec.conditions if not _is_at_ends(c.value, spec)]
    relations += [((c.value,), c.span) for c in spec.integral_conditions]
    for exprs, span in relations:
        error = next((raised for e in exprs for raised in _errors_in(e, span, spec)), None)
        if error is not None:
            yield error


def _is_at_ends(exprs: Iterable[Expr], spec: Spec) -> bool:
    """Whether a condition has no integrals: its fixed arguments are checked when it is elaborated."""
    return not any(e.has(Integral) for e in exprs)


def _errors_in(expr: Expr, span: Span, spec: Spec) -> Iterator[PdeError]:
    if _is_local(expr, spec):
        return
    ranges, known = ranges_of(spec), expr.xreplace(spec.values)
    for point in points({*ranges}, ranges, SAMPLES):
        yield from _errors_at(known, point, span, spec)


def _is_local(expr: Expr, spec: Spec) -> bool:
    """Whether there are no integrals, and every unknown is evaluated at its own point and time."""
    arguments = {u.head: tuple(u.arguments) for u in spec.unknowns}
    fields = (f for f in atoms(expr, Field) if f.head in arguments)
    return not expr.has(Integral) and all(tuple(f.arguments) == arguments[f.head] for f in fields)


def _errors_at(expr: Expr, point: Point, span: Span, spec: Spec) -> Iterator[PdeError]:
    match expr:
        case Integral(body=body, variable=variable, lower=lower, upper=upper):
            ends = value_at(lower, point), value_at(upper, point)
            if ends[0] is None or ends[1] is None:
                yield errors.types.invalid_limit(span)
                return
            if _is_singular(body, variable, (ends[0], ends[1]), point):
                yield errors.equations.singular_kernel(span)
                return
            for fraction in FRACTIONS:
                inside = point | {variable: ends[0] + (ends[1] - ends[0]) * fraction}
                yield from _errors_at(body, inside, span, spec)
        case Field(head=head):
            unknown = next((u for u in spec.unknowns if u.head == head), None)
            if unknown is not None and spec.time is not None:
                yield from _before_history(unknown, expr.arguments[-1], point, span, spec)
            for own, argument in zip(unknown.arguments if unknown else (), expr.arguments, strict=False):
                yield from _outside(own, argument, point, span, spec)
        case _:
            for part in expr.args:
                yield from _errors_at(part, point, span, spec)


def _outside(own: Symbol, argument: Expr, point: Point, span: Span, spec: Spec) -> Iterator[PdeError]:
    """An argument in space outside of a nonperiodic interval; earlier times are known by the history."""
    if own == argument or own not in spec.space.coordinates:
        return
    interval = spec.space.intervals[spec.space.coordinates.index(own)]
    value, low, high = value_at(argument, point), float(interval.start), float(interval.end)
    slack = OUTSIDE_RTOL * (high - low)
    if value is not None and not interval.periodic and not low - slack <= value <= high + slack:
        yield errors.equations.outside_domain(own.name, value, low, high, span)


def _before_history(unknown: Unknown, argument: Expr, point: Point, span: Span, spec: Spec) -> Iterator[PdeError]:
    """A time before the initial time, or before the history."""
    time = spec.time
    if time is None or unknown.arguments[-1] != time.symbol or argument == time.symbol:
        return
    past = next((h for h in spec.histories if h.unknown == unknown.head), None)
    earliest = float((past.start if past else time.start).xreplace(spec.values))
    value, slack = value_at(argument, point), OUTSIDE_RTOL * float(time.end - time.start)
    if value is not None and value > float(time.end) + slack:
        yield errors.equations.outside_domain(time.name, value, earliest, float(time.end), span)
    elif value is not None and value < earliest - slack:
        text = f"{unknown.name}({', '.join(map(str, unknown.arguments))})"
        yield errors.equations.missing_history(text, f"{floor(value)}", notation(time.start), span)


def _is_singular(body: Expr, variable: Symbol, ends: tuple[float, float], point: Point) -> bool:
    """Whether the kernel, with 1 for the unknowns, is unbounded at an end of its range or at a kink."""
    kernel = body
    for kind in (Partial, Field, Integral):
        kernel = kernel.xreplace(dict.fromkeys(atoms(kernel, kind), S.One))
    low, high = ends
    inner = [value for k in kinks(kernel, variable) if (value := value_at(k, point)) is not None]
    for end, other in ((low, high), (high, low), *((k, low) for k in inner if min(ends) < k < max(ends))):
        near, far = (value_at(kernel, point | {variable: end + d * (other - end)}) for d in OFFSETS)
        if low != high and (near is None or far is None or abs(near) > GROWTH * abs(far) > 0):
            return True
    return False
