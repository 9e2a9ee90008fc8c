"""Method of steps for partial differential equations with delays (Bellen, Zennaro 2003, section 3.1).

On each piece of time between the sums of delays, delayed values are known: those of the history, or of the solution on
earlier pieces. The last values of a piece are the initial values of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import torch
from sympy import Float
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.solver_plans import ChebyshevScheme, DelayedValue, DelayScheme, FourierScheme
from pdedsl.ir.spec import Interval
from pdedsl.runtime.basis.interpolation import TensorProductExpansion
from pdedsl.runtime.basis.pieces_in_time import PiecesInTime
from pdedsl.runtime.ode.step_doubling import StepBudget
from pdedsl.solvers.grid.chebyshev import solve_chebyshev
from pdedsl.solvers.grid.fourier import solve_fourier
from pdedsl.solvers.grid.grid_result import TIME_ERROR, GridResult, time_interval
from pdedsl.solvers.grid.nodal_functions import ParameterValue

Function = Callable[[Tensor], Tensor]


def solve_with_delays(
    scheme: DelayScheme,
    sizes: Sequence[int],
    parameter_values: Mapping[str, ParameterValue],
    like: Tensor,
    budget: StepBudget,
) -> GridResult:
    """The solution with these numbers of points on all pieces; its time-stepping errors add up."""
    first, last = time_interval(scheme.system)
    times, results = (first, *scheme.breaks, last), list[GridResult]()
    for start, end in pairwise(times):
        modules = [r.module for r in results]
        earlier = PiecesInTime(like.new_tensor(times[: len(modules) + 1]), modules) if modules else None
        values = {d.name: _delayed(d, earlier, scheme, first) for d in scheme.delayed}
        values |= {s.name: _start(k, earlier, scheme, start) for k, s in enumerate(scheme.system.initial)}
        piece = _on_piece(scheme.scheme, start, end)
        share = replace(budget, tolerance=budget.tolerance / (len(times) - 1))
        known = {**parameter_values, **values}
        match piece:
            case FourierScheme():
                results.append(solve_fourier(piece, sizes, known, like, share))
            case ChebyshevScheme():
                results.append(solve_chebyshev(piece, sizes, known, like, share))
    module = PiecesInTime(like.new_tensor(times), [r.module for r in results])
    metrics = {name: max(r.metrics[name] for r in results) for name in results[0].metrics}
    metrics[TIME_ERROR] = sum(r.metrics[TIME_ERROR] for r in results)
    metrics["steps"] = sum(r.metrics["steps"] for r in results)
    note = f"method of steps, {len(results)} pieces of time; the first: {results[0].notes[0]}"
    return GridResult(module, metrics, (note,), max(r.undetected_error for r in results))


def _on_piece(scheme: FourierScheme | ChebyshevScheme, start: float, end: float) -> FourierScheme | ChebyshevScheme:
    """The scheme with another time interval."""
    statement = scheme.system.statement
    intervals = (*statement.domain.intervals[:-1], Interval(Float(start, 17), Float(end, 17)))
    own = replace(statement, domain=replace(statement.domain, intervals=intervals))
    return replace(scheme, system=replace(scheme.system, statement=own))


def _delayed(delayed: DelayedValue, earlier: nn.Module | None, scheme: DelayScheme, first: float) -> Function:
    """∂^α u(x, t - τ) as a function of points (x, t)."""
    coordinates, derivative = scheme.system.coordinates, delayed.value.derivative
    history = compile_pointwise([delayed.history], coordinates)

    def value(points: Tensor) -> Tensor:
        with torch.no_grad():
            at = points.detach().clone()
            at[:, -1] -= delayed.delay
            (past,) = history(*at.unbind(-1))
            past = past.expand(len(at))
            if earlier is None:
                return past
            later = at[:, -1] > first
            solved = _derivative(earlier, delayed.component, derivative.orders, at[later])
            return past.clone().masked_scatter(later, solved)

    return value


def _derivative(module: nn.Module, component: int, orders: Sequence[int], points: Tensor) -> Tensor:
    """∂^α in space of a component of a solution on pieces."""
    assert isinstance(module, PiecesInTime)
    differentiated = [p.differentiate(tuple(orders)) for p in module.pieces if isinstance(p, TensorProductExpansion)]
    values: Tensor = PiecesInTime(module.breaks, differentiated)(points)[:, component]
    return values


def _start(k: int, earlier: nn.Module | None, scheme: DelayScheme, start: float) -> Function:
    """The initial value of a differential variable as a function of points x."""
    system = scheme.system
    initial = compile_pointwise([scheme.initial[k]], system.coordinates)
    component = system.variables[system.differential[k]][0]

    def value(points: Tensor) -> Tensor:
        with torch.no_grad():
            at = torch.cat([points.detach(), points.new_full((len(points), 1), start)], -1)
            if earlier is None:
                return initial(*at.unbind(-1))[0].expand(len(at))
            last: Tensor = earlier(at)[:, component]
            return last

    return value
