"""Methods in time: each is one record of `pdedsl.numerics.integrators`, whose word and signature are made here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, assert_never

from pdedsl.numerics.integrators import ADAPTIVE, EULER, EXPLICIT, Embedded, RungeKutta
from pdedsl.words.params import Few, Positive, Record, Steps
from pdedsl.words.word import Form, Forms, Word, forms_of


class Across(Enum):
    """Whether a size is one sample's own, or that of the batch."""

    SAMPLE = "sample"
    BATCH = "batch"


class Start(Enum):
    """The first step of leapfrog from rest: ½δt² F(Y), or δt² F(Y) as the paper prints it."""

    CONSISTENT = "consistent"
    PAPER = "paper"


@dataclass(frozen=True, kw_only=True)
class Fixed(Word):
    """An explicit Runge-Kutta method in steps of one length."""

    method: Annotated[RungeKutta, Record()]
    steps: Steps | None = None

    @classmethod
    def forms(cls) -> Iterable[Form[Any]]:
        return (Form(m.name, cls, (("method", m),)) for m in EXPLICIT.values())

    @property
    def name(self) -> str:
        return self.method.name


@dataclass(frozen=True, kw_only=True)
class BackwardEuler(Word):
    """Backward Euler, its inverse a series of so many terms (Zhang et al. 2017: PolyNet)."""

    steps: Steps | None = None
    terms: Few = 2


@dataclass(frozen=True, kw_only=True)
class Verlet(Word):
    """Half-steps of a pair, each half by a function of the other."""

    steps: Steps | None = None


@dataclass(frozen=True, kw_only=True)
class Leapfrog(Word):
    """Y₊ = 2Y - Y₋ + δt² F(Y)."""

    steps: Steps | None = None
    start: Start = Start.CONSISTENT


@dataclass(frozen=True, kw_only=True)
class Adaptive(Word):
    """A Runge-Kutta pair that chooses its steps by tolerances. `adjoint`: gradients by solving backwards."""

    method: Annotated[Embedded, Record()]
    rtol: Positive = Fraction(1, 1000)
    atol: Positive = Fraction(1, 1000)
    adjoint: bool = False
    norm: Across = Across.SAMPLE

    @classmethod
    def forms(cls) -> Iterable[Form[Any]]:
        return (Form(m.name, cls, (("method", m),)) for m in ADAPTIVE.values())

    @property
    def name(self) -> str:
        return self.method.name


Counted = Fixed | BackwardEuler | Verlet | Leapfrog
"""Methods with a number of steps."""
Integrator = Fixed | BackwardEuler | Verlet | Leapfrog | Adaptive
Reversible = Verlet | Leapfrog
INTEGRATORS: Forms[Integrator] = forms_of(Integrator)
ONE_STEP: tuple[str, ...] = tuple(forms_of(Fixed | BackwardEuler | Adaptive))
"""Methods that take any right-hand side."""


def is_euler(method: Integrator) -> bool:
    return isinstance(method, Fixed) and method.method == EULER


def in_steps(method: Integrator, steps: int) -> Integrator:
    """The method with a number of steps where it has none and counts them."""
    match method:
        case Fixed() | BackwardEuler() | Verlet() | Leapfrog():
            return method if method.steps is not None else replace(method, steps=steps)
        case Adaptive():
            return method
        case _:
            assert_never(method)
