"""Breaks of the time interval of a problem with delays u(t - τ) and without space.

The solution is smooth between the breaks: sums of delays after the initial time (method of steps; Bellen, Zennaro 2003,
Numerical Methods for Delay Differential Equations, ch. 2).
"""

from __future__ import annotations

from sympy import Expr

from pdedsl.ir.problem import StrongForm
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
                if value.derivative.order:
                    raise GridNotApplicable("delayed derivatives (neutral equations) are not supported")
                _require_differential(problem, value.derivative.component)
            places: list[Expr] = [v.point[-1] for v in past]
            places += [end for r in term.ranges for end in (r.lower, r.upper)] if past else []
            shifts = (time - place for place in places)
            delays |= {float(s) for s in shifts if s.is_number and s > 0}
    return delays


def _require_differential(problem: StrongForm, component: int) -> None:
    derivatives = (d for e in problem.equations for d in e.derivatives if d.component == component)
    if not any(d.order for d in derivatives):
        raise GridNotApplicable("a delay needs an equation with the derivative of its unknown")
