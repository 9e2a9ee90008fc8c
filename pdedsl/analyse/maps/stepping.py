"""The steps that a network on pixels takes in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from sympy import Expr, S

from pdedsl.analyse.maps.adapting import Tolerances
from pdedsl.ir.spec import Spec
from pdedsl.ir.systems import integrator_of
from pdedsl.numerics.integrators import (
    BACKWARD_EULER,
    LEAPFROG,
    VERLET,
    Embedded,
    Leapfrog,
    Method,
    Polynomial,
    RungeKutta,
    Series,
    Verlet,
    decaying,
    swinging,
)
from pdedsl.words import integrators as words
from pdedsl.words.integrators import Across, Adaptive, Fixed


@dataclass(frozen=True)
class Stepping:
    """`steps` steps of length `step` by a method; both are None for adaptive methods."""

    method: Method
    step: Expr | None
    steps: int | None
    terms: int = 1  # of the series of backward Euler
    first: Expr = S.Half  # factor of the first push of leapfrog: ½ is consistent with a start at rest
    tolerances: Tolerances | None = None  # of an adaptive method that chooses steps for each sample by our own rule

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def polynomial(self) -> Polynomial | None:
        """The stability polynomial R of a step; None for methods that are adaptive or split the state."""
        match self.method:
            case RungeKutta(stability=r):
                return r
            case Series() as series:
                return series.stability(self.terms)
            case Embedded() | Verlet() | Leapfrog():
                return None
            case _:
                assert_never(self.method)

    @property
    def decaying(self) -> float | None:
        """The stability bound on δt λ for Y' = -λY; None for methods without a stability polynomial."""
        r = self.polynomial
        return None if r is None else decaying(r)

    @property
    def swinging(self) -> float | None:
        """The stability bound on δt² ω² for Y″ = -ω²Y; None for adaptive methods."""
        match self.method:
            case Verlet(swing=swing) | Leapfrog(swing=swing):
                return swing
            case Embedded():
                return None
            case _:
                r = self.polynomial
                return None if r is None else swinging(r) ** 2

    @property
    def evaluations(self) -> int | None:
        """Evaluations of the right-hand side per step; None if steps are not chosen by our own rule."""
        match self.method:
            case RungeKutta(stages=stages):
                return stages
            case Series():
                return self.terms
            case Verlet() | Leapfrog():
                return 1
            case Embedded(rows=rows):
                return len(rows) if self.tolerances else None
            case _:
                assert_never(self.method)


def stepping_of(spec: Spec) -> Stepping:
    """The steps that the spec asks for, with the planner's defaults."""
    word = integrator_of(spec).word
    match word:
        case Fixed(method=method, steps=steps):
            return Stepping(method, _step(spec, steps), steps)
        case words.BackwardEuler(steps=steps, terms=terms):
            return Stepping(BACKWARD_EULER, _step(spec, steps), steps, terms=terms)
        case words.Verlet(steps=steps):
            return Stepping(VERLET, _step(spec, steps), steps)
        case words.Leapfrog(steps=steps, start=start):
            first = S.One if start is words.Start.PAPER else S.Half
            return Stepping(LEAPFROG, _step(spec, steps), steps, first=first)
        case Adaptive(method=method, rtol=rtol, atol=atol, adjoint=adjoint, norm=norm):
            own = bool(method.rows) and not adjoint and norm is Across.SAMPLE
            return Stepping(method, None, None, tolerances=Tolerances(float(rtol), float(atol)) if own else None)
        case _:
            assert_never(word)


def _step(spec: Spec, steps: int | None) -> Expr | None:
    return (spec.time.end - spec.time.start) / steps if spec.time and steps else None
