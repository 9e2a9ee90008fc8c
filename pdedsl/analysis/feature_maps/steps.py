"""Time integrators of equations on feature maps: step size and stability bounds."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, S

from pdedsl.config import methods
from pdedsl.config.methods import Adaptive, Fixed, Imex, Implicit
from pdedsl.ir.default_methods import integrator_of
from pdedsl.ir.spec import Spec
from pdedsl.numerics.butcher import (
    BACKWARD_EULER,
    LEAPFROG,
    VERLET,
    EmbeddedRungeKutta,
    ImexRungeKutta,
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
from pdedsl.record import Record

# ---- Integrator of the spec


class TimeStepping(Record):
    """`steps` steps of length `step` by a method; both are None for adaptive methods."""

    method: TimeMethod
    step: Expr | None
    steps: int | None
    terms: int = 1  # of the series of backward Euler
    first: Expr = S.Half  # factor of the first step of leapfrog: ½ for zero initial velocity

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
            case ImplicitRungeKutta() | ImexRungeKutta() | EmbeddedRungeKutta() | VerletMethod() | LeapfrogMethod():
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
            case VerletMethod() | LeapfrogMethod():
                return 1
            case EmbeddedRungeKutta() | ImplicitRungeKutta() | ImexRungeKutta():
                return None
            case _:
                assert_never(self.method)


def time_stepping(spec: Spec) -> TimeStepping:
    """The integrator of the spec, or the default of the planner."""
    word = integrator_of(spec).config
    match word:
        case (
            Fixed(method=method, steps=steps) | Implicit(method=method, steps=steps) | Imex(method=method, steps=steps)
        ):
            return TimeStepping(method, _step_size(spec, steps), steps)
        case methods.BackwardEuler(steps=steps, terms=terms):
            return TimeStepping(BACKWARD_EULER, _step_size(spec, steps), steps, terms=terms)
        case methods.Verlet(steps=steps):
            return TimeStepping(VERLET, _step_size(spec, steps), steps)
        case methods.Leapfrog(steps=steps, start=initial):
            first = S.One if initial is methods.LeapfrogStart.PAPER else S.Half
            return TimeStepping(LEAPFROG, _step_size(spec, steps), steps, first=first)
        case Adaptive(method=method):
            return TimeStepping(method, None, None)
        case _:
            assert_never(word)


def _step_size(spec: Spec, steps: int | None) -> Expr | None:
    return (spec.time.end - spec.time.start) / steps if spec.time and steps else None
