"""Representation: an equation with a theorem applied, before any step size or layer is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Symbol

from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import RandomMap
from pdedsl.ir.motions import Motion
from pdedsl.ir.terms import Direction, MapTerm
from pdedsl.words.integrators import Integrator
from pdedsl.words.word import Chosen


@dataclass(frozen=True)
class Theorem:
    """What turns an equation into a scheme, where it is proved, and what it says in one sentence."""

    name: str
    source: str
    says: str


@dataclass(frozen=True)
class Stretch:
    """A piece of the path in network order: the first layer stands at time `first`, the last at `last`.

    Where the space is not written out in components, drift and diffusivity hold one expression each, the component of
    number `index` and the entry of the diagonal there.
    """

    first: Expr
    last: Expr
    drift: tuple[Expr, ...]
    diffusivity: tuple[tuple[Expr, ...], ...]
    shape: Literal["none", "isotropic", "diagonal", "full", "dropout", "depth", "shake"]
    convection: Span | None
    diffusion: Span | None
    random: RandomMap | None = None  # for the last three shapes
    index: Symbol | None = None

    @property
    def length(self) -> Expr:
        return abs(self.last - self.first)

    @property
    def moves(self) -> bool:
        return any(b != 0 for b in self.drift)


@dataclass(frozen=True)
class Paths:
    """u = E f(X): the data f averaged over paths that pass the stretches (characteristics, Feynman-Kac)."""

    theorem: Theorem
    direction: Direction
    stretches: tuple[Stretch, ...]
    data: Expr
    data_span: Span


@dataclass(frozen=True)
class Push:
    """Σ terms: the right-hand side of an equation on feature maps."""

    terms: tuple[MapTerm, ...]
    span: Span


@dataclass(frozen=True)
class States:
    """Feature maps that evolve."""

    theorem: Theorem
    motion: Motion[Push]
    method: Chosen[Integrator]


Representation = Paths | States
