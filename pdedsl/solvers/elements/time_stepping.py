"""Time steps M ∂w/∂t + r(w, t) = 0 by RODASP, a Rosenbrock method of order 4(3) with adaptive step size.

L-stable, stiffly accurate, and without order reduction for parabolic problems with boundary values that depend on time;
essential conditions and constraints are algebraic equations (Hairer, Wanner 1996, sec. IV.7 and VI.4; Steinebach 1995).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csc_matrix, diags_array

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.solvers.elements.assembly import evaluate
from pdedsl.solvers.elements.direct_solver import ElementsSolveFailed, Factorization
from pdedsl.solvers.elements.discrete_problem import DiscreteProblem
from pdedsl.solvers.elements.spaces import Array

# ---- Coefficients of RODASP


GAMMA = 0.25  # on the diagonal: the method is L-stable
ALPHA = (0.0, 0.75, 0.21, 0.63, 1.0, 1.0)  # times of the stages
GAMMAS = (0.25, -0.5, -0.023504, -0.0362, 0.0, 0.0)  # of the time derivative
A = (
    (),
    (3.0,),
    (1.831036793486759, 0.4955183967433795),
    (2.304376582692669, -0.05249275245743001, -1.176798761832782),
    (-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401),
    (-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1.0),
)
C = (
    (),
    (-12.0,),
    (-8.791795173947035, -2.207865586973518),
    (10.81793056857153, 6.780270611428266, 19.53485944642410),
    (34.19095006749676, 15.49671153725963, 54.74760875964130, 14.16005392148534),
    (34.62605830930532, 15.30084976114473, 56.99955578662667, 18.40807009793095, -5.714285714285717),
)
ORDER = 4  # of the method; its error estimate is that of the embedded method of order 3
SAFETY, MIN_FACTOR, MAX_FACTOR = 0.9, 0.2, 5.0  # of the step size
SAME_STEP = (1.0, 1.5)  # factors for which a step size is retained, with its factorization
FIRST_STEP = 1e-4  # relative to the time interval
MIN_STEP = 1e-12  # relative to the time interval
MAX_STEPS = 20_000  # beyond it, the tolerance is not attainable in a reasonable time


@dataclass(frozen=True)
class TimeSteps:
    """Times and coefficients (steps, size), in the order of the steps, and the sum of the local error estimates."""

    times: Array
    states: Array
    error: float


@dataclass(frozen=True)
class Rosenbrock:
    """Adaptive steps of a discrete problem; `tolerance` bounds the local error relative to each trial function."""

    problem: DiscreteProblem
    tolerance: float

    @cached_property
    def mass(self) -> csc_matrix:
        """The mass matrix, with zero rows for algebraic equations."""
        rows = np.zeros(self.problem.spaces.size)
        rows[self.problem.free] = 1.0
        return (diags_array(rows) @ self.problem.assembler.mass_matrix()).tocsc()

    def rate(self, w: Array, t: float) -> Array:
        """M ∂w/∂t, and the residual of essential conditions."""
        value = -self.problem.assembler.residual(w, t)
        fixed = self.problem.essential_dofs
        value[fixed] = self.problem.essential_values(t)[0][fixed] - w[fixed]
        return value

    def rate_in_time(self, w: Array, t: float) -> Array:
        """∂/∂t of `rate` for a fixed w."""
        value = -self.problem.assembler.time_derivative(w, t)
        fixed = self.problem.essential_dofs
        value[fixed] = self.problem.essential_values(t)[1][fixed]
        return value

    def matrix(self, w: Array, t: float, h: float) -> csc_matrix:
        """M/(hγ) - ∂rate/∂w"""
        size, fixed = self.problem.spaces.size, np.zeros(self.problem.spaces.size)
        fixed[self.problem.essential_dofs] = 1.0
        jacobian = diags_array(1 - fixed) @ self.problem.assembler.jacobian(w, t) + diags_array(fixed)
        return csc_matrix(self.mass / (h * GAMMA) + jacobian, shape=(size, size))

    def step(self, w: Array, t: float, h: float, solve: Callable[[Array], Array]) -> tuple[Array, Array]:
        """w at t + h, and the difference to the embedded method of third order."""
        stages: list[Array] = []
        explicit = self.rate_in_time(w, t)
        for a, c, alpha, gamma in zip(A, C, ALPHA, GAMMAS, strict=True):
            state = w + sum((x * u for x, u in zip(a, stages, strict=True)), np.zeros_like(w))
            coupling = sum((x / h * u for x, u in zip(c, stages, strict=True)), np.zeros_like(w))
            right = self.rate(state, t + alpha * h) + self.mass @ coupling + gamma * h * explicit
            stages.append(solve(right))
        return state + stages[-1], stages[-1]

    def integrate(self, start: Array, first: float, last: float) -> TimeSteps:
        """From the first to the last time, backward if the last is smaller."""
        span, t, w = last - first, first, start
        h = FIRST_STEP * span
        times, states, total = [t], [w], 0.0
        solve, factorized = None, 0.0
        autonomous = self.problem.assembler.is_linear_and_autonomous
        scales = self._scales(w)
        while abs(last - t) > MIN_STEP * abs(span):
            h = np.sign(span) * min(abs(h), abs(last - t))
            if solve is None or h != factorized or not autonomous:
                solve, factorized = Factorization(self.matrix(w, t, h), self.problem.elimination_order).solve, h
            following, difference = self.step(w, t, h, solve)
            scales = np.maximum(scales, self._scales(following))
            error = self._norm(difference, scales)
            factor = SAFETY * (self.tolerance / max(error, 1e-300)) ** (1 / ORDER) if np.isfinite(error) else MIN_FACTOR
            if error <= self.tolerance:
                t, w, total = t + h, following, total + error
                times.append(t)
                states.append(w)
            if not SAME_STEP[0] <= factor <= SAME_STEP[1] or error > self.tolerance:
                h *= min(max(factor, MIN_FACTOR), MAX_FACTOR)
            if abs(h) < MIN_STEP * abs(span):
                raise ElementsSolveFailed(f"the step size underflows at t = {t:.6g}")
            if len(times) > MAX_STEPS:
                raise ElementsSolveFailed(f"more than {MAX_STEPS:,} time steps")
        return TimeSteps(np.array(times), np.stack(states), total)

    def _slices(self) -> list[slice]:
        """The indices of trial functions with a time derivative; steps do not control the error of the others."""
        offsets = self.problem.spaces.offsets
        trials = [k for k in self.problem.form.differential if offsets[k] < offsets[k + 1]]
        return [slice(offsets[k], offsets[k + 1]) for k in trials]

    def _scales(self, w: Array) -> Array:
        return np.array([max(float(np.abs(w[own]).max(initial=0.0)), 1e-30) for own in self._slices()])

    def _norm(self, difference: Array, scales: Array) -> float:
        """Root mean square of the coefficients, relative to the largest so far, of the worst trial function."""
        norms = [np.sqrt(np.mean(difference[own] ** 2)) / s for own, s in zip(self._slices(), scales, strict=True)]
        return float(max(norms))


def initial_state(problem: DiscreteProblem, time: float) -> Array:
    """L2 projection of the initial values, with essential conditions imposed; zero for algebraic trial functions."""
    q, domain = problem.spaces.cells, problem.form.domain
    load, metric = np.zeros(problem.spaces.size), domain.metric
    for k, value in enumerate(problem.form.initial):
        if value is not None:
            weighted = value if metric is None else metric.volume * value
            function = compile_pointwise((weighted,), domain.coordinates)
            values = evaluate(function, [*q.coordinates, np.full(q.weights.shape, time)])[0]
            local = np.einsum("cqf,cq->fc", q.shapes[k][0], values * q.weights)
            load += np.bincount(q.dofs[k].ravel(), local.ravel(), len(load))
    fixed = problem.essential_values(time)[0]
    gram, free = problem.assembler.gram_matrix, problem.free
    state = problem.impose(np.zeros_like(load), time)
    state[free] = problem.factorize(gram).solve(
        (load - gram @ (fixed * np.isin(np.arange(len(load)), problem.essential_dofs)))[free]
    )
    return state
