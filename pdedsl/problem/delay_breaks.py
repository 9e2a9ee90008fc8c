"""Breaks of the time interval of a problem with delays u(t - τ), and the system on the pieces between them.

The solution is smooth between the breaks: sums of delays after the initial time (method of steps; Bellen, Zennaro 2003,
Numerical Methods for Delay Differential Equations, ch. 2).
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Symbol

from pdedsl.diagnostics import NOWHERE
from pdedsl.ir.first_order_system import FirstOrderSystem, LearnedParameter
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import DelayedValue
from pdedsl.ir.spec import Learned
from pdedsl.ir.types import Scalar
from pdedsl.problem.first_order_system import GridNotApplicable

MAX_PIECES = 64  # of the time interval: the equations of all pieces are solved together


def delay_breaks(problem: StrongForm) -> tuple[tuple[float, ...], ...]:
    """For each axis, the sums of delays in its interior; raises GridNotApplicable if there are too many."""
    delays = _delays(problem)
    if not delays:
        return tuple(() for _ in problem.domain.space)
    interval = problem.domain.intervals[-1]
    start, end = float(interval.start), float(interval.end)
    breaks, pending = set[float](), [start]
    while pending:
        time = pending.pop()
        for later in (round(time + delay, 12) for delay in delays):  # sums in another order are the same break
            if later < end and later not in breaks:
                breaks.add(later)
                pending.append(later)
        if len(breaks) >= MAX_PIECES:
            raise GridNotApplicable(f"more than {MAX_PIECES} sums of delays in the time interval")
    return (tuple(sorted(breaks)),)


def _delays(problem: StrongForm) -> set[float]:
    """τ of the values at t - τ, and of the limits t - τ of integrals, before the initial time."""
    time, delays = problem.domain.coordinates[-1], set[float]()
    for residual in problem.residuals:
        for _, term in residual.nonlocal_terms:
            past = [v for _, v in term.values if v.history is not None]
            for value in past:
                if value.derivative.orders[-1]:
                    raise GridNotApplicable("delayed derivatives (neutral equations) are not supported")
                _require_differential(problem, value.derivative.component)
            places: list[Expr] = [v.point[-1] for v in past]
            places += [end for r in term.ranges for end in (r.lower, r.upper)] if past else []
            shifts = (time - place for place in places)
            delays |= {float(s) for s in shifts if s.is_number and s > 0}
    return delays


# ---- With space: delayed values are known functions on each piece


def delayed_system(system: FirstOrderSystem) -> tuple[FirstOrderSystem, tuple[DelayedValue, ...]]:
    """The system with delayed and initial values as known functions, and the delayed values; raises GridNotApplicable
    for other terms with memory."""
    problem, space = system.statement, system.statement.domain.space
    if any(j for _, j in system.variables):
        raise GridNotApplicable("delays need equations of first order in time")
    if system.backward:
        raise GridNotApplicable("a problem with delays cannot be solved backward in time")
    time, delayed = problem.domain.coordinates[-1], list[DelayedValue]()
    parameters, known = list(system.parameters), list(problem.parameters)
    for symbol, term in system.nonlocal_terms:
        (variable, value), *others = term.values
        is_point = not others and not term.ranges and term.integrand == variable and value.point[:-1] == space
        if not is_point or value.history is None:
            raise GridNotApplicable("with space only delays u(x, t - τ) are supported, no integrals over time")
        delay = time - value.point[-1]
        if not (delay.is_number and delay > 0):
            raise GridNotApplicable("with space only constant delays are supported")
        history = value.history.xreplace({time: time + delay})
        name = f"delayed {len(delayed)}"
        delayed.append(
            DelayedValue(name, float(delay), system.variables[value.derivative.component][0], value, history)
        )
        parameters.append(LearnedParameter(symbol, name, (), ()))
        known.append(_known_function(name, problem.domain.coordinates))
    starts = [Symbol(f"start_{k}", real=True) for k in range(len(system.differential))]
    for start in starts:
        parameters.append(LearnedParameter(start, start.name, (), ()))
        known.append(_known_function(start.name, space))
    return replace(
        system,
        statement=replace(problem, parameters=tuple(known)),
        parameters=tuple(parameters),
        initial=tuple(starts),
        nonlocal_terms=(),
    ), tuple(delayed)


def _known_function(name: str, arguments: tuple[Symbol, ...]) -> Learned:
    params = tuple(a.name for a in arguments)
    return Learned(name, name, Symbol(name, real=True), Scalar(), params, arguments, None, NOWHERE)


def _require_differential(problem: StrongForm, component: int) -> None:
    derivatives = (d for e in problem.equations for d in e.derivatives if d.component == component)
    if not any(d.order for d in derivatives):
        raise GridNotApplicable("a delay needs an equation with the derivative of its unknown")
