"""Time integrators of equations on feature maps: step size, stability bounds, and an adaptive Runge-Kutta run.

The local error is a root mean square over all channels of a sample; zero channels stay zero and contribute no error.
Step sizes are controlled by `numerics.step_size`, as in `runtime`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from sympy import Expr, S

from pdedsl.config import methods as words
from pdedsl.config.methods import Across, Adaptive, Fixed, Implicit
from pdedsl.ir.spec import Spec
from pdedsl.ir.system_kinds import integrator_of
from pdedsl.numerics.butcher import (
    BACKWARD_EULER,
    LEAPFROG,
    VERLET,
    EmbeddedRungeKutta,
    ImplicitRungeKutta,
    LeapfrogMethod,
    Polynomial,
    RungeKutta,
    TimeMethod,
    TruncatedBackwardEuler,
    VerletMethod,
    imaginary_stability_limit,
    real_stability_limit,
)
from pdedsl.numerics.step_size import SolverFailed, advance_time, clip_to_end, initial_step_size, next_step_size

# ---- Adaptive step sizes


Vector = tuple[float, ...]
Field = Callable[[Vector], Vector]
MAX_STEPS = 60  # attempted steps in one run


@dataclass(frozen=True)
class Tolerances:
    """Tolerances for the error of a step: atol + rtol |y|."""

    rtol: float
    atol: float


@dataclass(frozen=True)
class AdaptiveIntegration:
    """A Runge-Kutta pair with its tolerances, from 0 to `end`, on states of `width` channels."""

    method: EmbeddedRungeKutta
    tolerances: Tolerances
    end: float
    width: int

    def run(self, field: Field, y: Vector) -> Vector:
        """The final state; raises OverflowError if it is not reached in MAX_STEPS attempted steps."""
        t, k, h = 0.0, field(y), self._first(field, y)
        for _ in range(MAX_STEPS):
            h = clip_to_end(h, self.end - t)
            new, derivative, error = self._attempt(field, y, k, h)
            ratio = self._norm(error, tuple(max(abs(a), abs(b)) for a, b in zip(y, new, strict=True)))
            size = self._next(t, h, ratio)
            if ratio <= 1:
                t, y, k = advance_time(t, h, self.end), new, derivative
            if t == self.end:
                return y
            h = size
        raise OverflowError

    def _next(self, t: float, h: float, ratio: float) -> float:
        try:
            return next_step_size(t, h, ratio, self.method.order, self.end)
        except SolverFailed as failed:
            raise OverflowError from failed

    def _attempt(self, field: Field, y: Vector, k: Vector, h: float) -> tuple[Vector, Vector, Vector]:
        """The new state, its time derivative, and the error estimate."""
        stages, new = [k], y
        for row in self.method.rows:
            new = _sum(y, h, row, stages)
            stages.append(field(new))
        return new, stages[-1], _sum((0.0,) * len(y), h, self.method.error, stages)

    def _first(self, field: Field, y: Vector) -> float:
        """The first step size, by Hairer, Nørsett, Wanner I (1993), II.4."""
        k = field(y)
        d0, d1 = self._norm(y, y), self._norm(k, y)
        guess = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
        beyond = field(_sum(y, min(guess, self.end), (1.0,), [k]))
        d2 = self._norm(tuple(a - b for a, b in zip(beyond, k, strict=True)), y)
        return initial_step_size(guess, d1, d2 / guess, self.method.order)

    def _norm(self, x: Vector, size: Vector) -> float:
        rtol, atol = self.tolerances.rtol, self.tolerances.atol
        return math.hypot(*(a / (atol + rtol * abs(s)) for a, s in zip(x, size, strict=True))) / math.sqrt(self.width)


def _sum(y: Vector, h: float, row: tuple[float, ...], stages: list[Vector]) -> Vector:
    for a, k in zip(row, stages, strict=True):
        y = tuple(b + h * a * c for b, c in zip(y, k, strict=True))
    return y


# ---- Integrator of the spec


@dataclass(frozen=True)
class TimeStepping:
    """`steps` steps of length `step` by a method; both are None for adaptive methods."""

    method: TimeMethod
    step: Expr | None
    steps: int | None
    terms: int = 1  # of the series of backward Euler
    first: Expr = S.Half  # factor of the first step of leapfrog: ½ for zero initial velocity
    tolerances: Tolerances | None = None  # of an adaptive method with step size control per sample

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def polynomial(self) -> Polynomial | None:
        """The stability polynomial R of a step; None for methods that are adaptive or split the state."""
        match self.method:
            case RungeKutta(stability=r):
                return r
            case TruncatedBackwardEuler() as series:
                return series.stability(self.terms)
            case ImplicitRungeKutta() | EmbeddedRungeKutta() | VerletMethod() | LeapfrogMethod():
                return None
            case _:
                assert_never(self.method)

    @property
    def real_stability_bound(self) -> float | None:
        """The stability bound on δt λ for Y' = -λY; None for methods without a stability polynomial."""
        r = self.polynomial
        return None if r is None else real_stability_limit(r)

    @property
    def squared_imaginary_stability_bound(self) -> float | None:
        """The stability bound on δt² ω² for Y″ = -ω²Y; None for adaptive methods."""
        match self.method:
            case VerletMethod(swing=swing) | LeapfrogMethod(swing=swing):
                return swing
            case EmbeddedRungeKutta():
                return None
            case _:
                r = self.polynomial
                return None if r is None else imaginary_stability_limit(r) ** 2

    @property
    def evaluations(self) -> int | None:
        """Evaluations of the right-hand side per step; None if it is not known in advance."""
        match self.method:
            case RungeKutta(stages=stages):
                return stages
            case TruncatedBackwardEuler():
                return self.terms
            case ImplicitRungeKutta():
                return None
            case VerletMethod() | LeapfrogMethod():
                return 1
            case EmbeddedRungeKutta(rows=rows):
                return len(rows) if self.tolerances else None
            case _:
                assert_never(self.method)


def time_stepping(spec: Spec) -> TimeStepping:
    """The integrator of the spec, or the default of the planner."""
    word = integrator_of(spec).config
    match word:
        case Fixed(method=method, steps=steps) | Implicit(method=method, steps=steps):
            return TimeStepping(method, _step_size(spec, steps), steps)
        case words.BackwardEuler(steps=steps, terms=terms):
            return TimeStepping(BACKWARD_EULER, _step_size(spec, steps), steps, terms=terms)
        case words.Verlet(steps=steps):
            return TimeStepping(VERLET, _step_size(spec, steps), steps)
        case words.Leapfrog(steps=steps, start=initial):
            first = S.One if initial is words.Start.PAPER else S.Half
            return TimeStepping(LEAPFROG, _step_size(spec, steps), steps, first=first)
        case Adaptive(method=method, rtol=rtol, atol=atol, adjoint=adjoint, norm=norm):
            own = bool(method.rows) and not adjoint and norm is Across.SAMPLE
            return TimeStepping(method, None, None, tolerances=Tolerances(float(rtol), float(atol)) if own else None)
        case _:
            assert_never(word)


def _step_size(spec: Spec, steps: int | None) -> Expr | None:
    return (spec.time.end - spec.time.start) / steps if spec.time and steps else None
