"""The steps that a network on pixels takes in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from sympy import Expr, Integer, Rational, S

from pdedsl.ir.spec import Setting, Spec
from pdedsl.ir.vocabulary import DEFAULT_METHODS, DEFAULT_STEPS
from pdedsl.numerics.integrators import (
    METHODS,
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


@dataclass(frozen=True)
class Stepping:
    """`steps` steps of length `step` by a method; both are None where the method chooses them."""

    method: Method
    step: Expr | None
    steps: int | None
    terms: int = 1  # of a series
    first: Expr = S.Half  # of the first push of leapfrog: ½ is consistent with rest

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def polynomial(self) -> Polynomial | None:
        """R of a step; None for methods that choose their steps or split the state."""
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
        """The bound on δt λ for Y' = -λY; None for methods that are not made for it."""
        r = self.polynomial
        return None if r is None else decaying(r)

    @property
    def swinging(self) -> float | None:
        """The bound on δt² ω² for Y″ = -ω²Y; None for methods that choose their steps."""
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
        """Of the right-hand side, in a step."""
        match self.method:
            case RungeKutta(stages=stages):
                return stages
            case Series():
                return self.terms
            case Verlet() | Leapfrog():
                return 1
            case Embedded():
                return None
            case _:
                assert_never(self.method)


def stepping_of(spec: Spec, kind: str) -> Stepping:
    """What the spec says, with the defaults of the planner."""
    setting = next((r.method for r in spec.realizations if r.part == "time"), None) or Setting(DEFAULT_METHODS[kind])
    method = METHODS[setting.name]
    terms, start = setting.get("terms"), setting.get("start")
    first = S.One if start == "paper" else Rational(1, 2)
    given = {"terms": int(terms) if isinstance(terms, Expr) else 1, "first": first}
    if spec.time is None or isinstance(method, Embedded):
        return Stepping(method, None, None, **given)
    wanted = setting.get("steps")
    steps = wanted if isinstance(wanted, Expr) else Integer(DEFAULT_STEPS)
    return Stepping(method, (spec.time.end - spec.time.start) / steps, int(steps), **given)
