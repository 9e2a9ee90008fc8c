"""Systems of ordinary differential equations dw/dt = F(w, t): adaptive integrators of scipy with dense output.

An integration by Radau IIA with a loose tolerance yields the magnitude of each variable, for its absolute tolerance,
and the integral of the spectral radius of ∂F/∂w. An explicit method needs steps within its region of stability; if
these are many more than the steps of Radau IIA, the system is stiff and is solved by Radau IIA of order 5, otherwise by
DOP853 of order 8 (Hairer, Nørsett, Wanner 1993; Hairer, Wanner 1996). LSODA, which switches between methods of Adams
and backward differentiation formulas, is a second, independent method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.integrate import DOP853, LSODA, OdeSolution, OdeSolver, Radau, trapezoid
from sympy import S
from torch import Tensor

from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.solver_plans import OdeScheme
from pdedsl.runtime.basis.chebyshev import chebyshev_points
from pdedsl.runtime.basis.interpolation import PiecewiseChebyshev
from pdedsl.runtime.ode.step_doubling import MaxStepsExceeded, StepBudget, StepSizeUnderflow
from pdedsl.solvers.grid.grid_result import TIME_ERROR, GridResult, time_interval
from pdedsl.solvers.grid.nodal_functions import CompiledExpressions, ParameterValue, compile_expressions, nodal_values

Array = NDArray[np.float64]

LOOSE_RTOL = 1e-3  # of the integration that yields magnitudes and stiffness
LOOSE_ATOL = 1e-8  # relative to the largest initial value: variables may start at 0 and remain small
MIN_RTOL = 1e-13  # scipy accepts no tolerance below 100 units of rounding
LOCAL_FRACTION = 0.01  # local tolerance relative to the global one: the errors of all steps accumulate
SECOND_FRACTION = 0.01  # tolerance of LSODA relative to the first method, whose error the difference is then
SUBINTERVALS = 4  # of a step, at whose ends two methods are compared: interpolation between steps has an error, too
MIN_TOLERANCE = MIN_RTOL / LOCAL_FRACTION
STABILITY_RADIUS = 6.0  # DOP853 is stable for real hλ in [-6.1, 0] (Hairer, Nørsett, Wanner 1993)
STIFFNESS_RATIO = 20.0  # steps for stability over steps for accuracy: an implicit step costs about as much as ten
MIN_STABILITY_STEPS = 1000  # fewer steps of an explicit method are cheap
DENSE_POINTS = {DOP853: 8, Radau: 4}  # coefficients of the polynomial between two steps


@dataclass(frozen=True)
class OdeProblem:
    """dw/dt = F(w, t) and ∂F/∂w, as functions of arrays."""

    system: FirstOrderSystem
    parameter_values: Mapping[str, ParameterValue]
    like: Tensor

    def rhs(self, t: float, w: Array) -> Array:
        return self._evaluate(self._rhs, t, w)

    def jacobian(self, t: float, w: Array) -> Array:
        return self._evaluate(self._partials, t, w).reshape(len(w), len(w))

    @property
    def times(self) -> tuple[float, float]:
        """The first and the last time of the integration: the end comes first in terminal-value problems."""
        first, last = time_interval(self.system)
        return (last, first) if self.system.backward else (first, last)

    @cached_property
    def start(self) -> Array:
        return self._evaluate(compile_expressions(self.system, self.system.initial), self.times[0], None)

    @cached_property
    def outputs(self) -> list[int]:
        """The variables that are components of the solution, in their order."""
        return [self.system.variables.index((k, 0)) for k in range(len(self.system.statement.components))]

    @cached_property
    def _rhs(self) -> CompiledExpressions:
        return compile_expressions(self.system, self.system.rhs)

    @cached_property
    def _partials(self) -> CompiledExpressions:
        symbols = {d.component: s for s, d in self.system.jets}
        return compile_expressions(
            self.system,
            [f.diff(symbols[k]) if k in symbols else S.Zero for f in self.system.rhs for k in self.system.differential],
        )

    def _evaluate(self, expressions: CompiledExpressions, t: float, w: Array | None) -> Array:
        with torch.no_grad():
            time = self.like.new_tensor(t)
            state = self.like.new_tensor(w) if w is not None else self.like.new_zeros(0)
            jets = [state[self.system.jet_derivatives[s].component] for s in expressions.jets]
            values = expressions(jets, nodal_values(self.system, self.parameter_values, [], time))
            result: Array = torch.stack(values).double().cpu().numpy()
            return result


@dataclass(frozen=True)
class Trajectory:
    """The states at the steps of an integrator, and the polynomials between them."""

    times: Array
    states: Array
    dense: OdeSolution


def integrate_ode(
    problem: OdeProblem, method: type[OdeSolver], rtol: float, atol: Array, max_steps: int | None = None
) -> Trajectory:
    """Raises StepSizeUnderflow at a singularity of the solution, MaxStepsExceeded after `max_steps` steps."""
    first, last = problem.times
    implicit = {} if method is DOP853 else {"jac": problem.jacobian}
    with np.errstate(all="ignore"):  # a failed trial step may overflow; it is repeated with a shorter one
        solver = method(problem.rhs, first, problem.start, last, rtol=max(rtol, MIN_RTOL), atol=atol, **implicit)
        times, states, polynomials = [first], [problem.start], []
        while solver.status == "running":
            if max_steps is not None and len(times) > max_steps:
                raise MaxStepsExceeded(f"more than {max_steps} steps in time")
            solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise StepSizeUnderflow(f"no step size satisfies the tolerance: singularity near t = {solver.t:.6g}")
            times.append(solver.t)
            states.append(solver.y.copy())
            polynomials.append(solver.dense_output())
    return Trajectory(np.array(times), np.array(states), OdeSolution(times, polynomials))


@dataclass(frozen=True)
class OdeCharacter:
    """The largest magnitude of each variable, and whether the system is stiff."""

    magnitudes: Array
    stiff: bool

    def absolute_tolerance(self, rtol: float) -> Array:
        return rtol * self.magnitudes

    @property
    def method(self) -> type[OdeSolver]:
        method: type[OdeSolver] = Radau if self.stiff else DOP853
        return method


def characterize(problem: OdeProblem, max_steps: int | None = None) -> OdeCharacter:
    """Magnitudes and stiffness by Radau IIA with a loose tolerance."""
    scale = max(float(np.abs(problem.start).max()), float(np.abs(problem.rhs(problem.times[0], problem.start)).max()))
    atol = np.full(len(problem.start), LOOSE_ATOL * (scale or 1.0))
    loose = integrate_ode(problem, Radau, LOOSE_RTOL, atol, max_steps)
    steps = np.abs(np.diff(loose.times))
    pairs = zip(loose.times[1:], loose.states[1:], strict=True)
    radii = np.array([np.abs(np.linalg.eigvals(problem.jacobian(t, w))).max() for t, w in pairs])
    stability_steps = float((steps * radii).sum()) / STABILITY_RADIUS
    stiff = stability_steps > max(MIN_STABILITY_STEPS, STIFFNESS_RATIO * len(steps))
    return OdeCharacter(np.maximum(np.abs(loose.states).max(0), atol), stiff)


def solve_ode(
    scheme: OdeScheme, parameter_values: Mapping[str, ParameterValue], like: Tensor, budget: StepBudget
) -> GridResult:
    """The solution with the relative tolerance of the budget; its error is estimated by LSODA.

    Raises StepSizeUnderflow if the solution has a singularity.
    """
    problem = OdeProblem(scheme.system, parameter_values, like)
    character = characterize(problem, budget.max_steps)
    rtol = LOCAL_FRACTION * budget.tolerance
    atol = character.absolute_tolerance(max(rtol, MIN_RTOL))
    trajectory = integrate_ode(problem, character.method, rtol, atol, budget.max_steps)
    second = integrate_ode(problem, LSODA, SECOND_FRACTION * rtol, SECOND_FRACTION * atol, budget.max_steps)
    steps = np.abs(np.diff(trajectory.times))
    metrics = {
        "steps": float(len(steps)),
        "smallest step": float(steps.min()),
        "largest step": float(steps.max()),
        TIME_ERROR: _relative_difference(trajectory, second, problem.outputs),
    }
    name = "Radau IIA of order 5: the system is stiff" if character.stiff else "DOP853"
    note = f"{name}, {len(steps)} steps, Δt from {steps.min():.2g} to {steps.max():.2g}"
    return GridResult(_expansion(trajectory, character.method, problem, like), metrics, (note,), metrics[TIME_ERROR])


def _relative_difference(one: Trajectory, other: Trajectory, outputs: list[int]) -> float:
    """The largest relative L2 difference of a component, by the trapezoidal rule on fractions of the steps."""
    count = len(one.times)
    times = np.interp(np.arange(SUBINTERVALS * (count - 1) + 1) / SUBINTERVALS, np.arange(count), one.times)
    values = one.dense(times).T[:, outputs]
    squares = (values - other.dense(times).T[:, outputs]) ** 2
    difference, norm = (np.abs(trapezoid(s, times, axis=0)) for s in (squares, values**2))
    return float(np.sqrt((difference / np.maximum(norm, 1e-300)).max()))


def _expansion(
    trajectory: Trajectory, method: type[OdeSolver], problem: OdeProblem, like: Tensor
) -> PiecewiseChebyshev:
    """The polynomials between the steps, in increasing time."""
    breaks = np.sort(trajectory.times)
    nodes = (chebyshev_points(DENSE_POINTS[method], torch.zeros((), dtype=torch.float64)).numpy() + 1) / 2
    places = breaks[:-1, None] + np.diff(breaks)[:, None] * nodes
    pieces = trajectory.dense.interpolants if breaks[0] == trajectory.times[0] else trajectory.dense.interpolants[::-1]
    values = np.stack([p(t).T[:, problem.outputs] for p, t in zip(pieces, places, strict=True)])
    return PiecewiseChebyshev(like.new_tensor(breaks), like.new_tensor(values))
