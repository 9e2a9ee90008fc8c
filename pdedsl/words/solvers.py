"""Ways to solve a physical equation."""

from __future__ import annotations

from dataclasses import dataclass

from pdedsl.words.params import Many, Positive, Width
from pdedsl.words.word import Forms, Word, forms_of


@dataclass(frozen=True, kw_only=True)
class Collocation(Word, spelled="residual"):
    """A network that satisfies the equation at sampled points (Raissi, Perdikaris, Karniadakis 2019)."""

    points: Many = 10000
    initial: Many = 100
    boundary: Many = 100


@dataclass(frozen=True, kw_only=True)
class Grid(Word):
    """Differences on a grid of n points a side."""

    n: Width = 128
    extent: Positive | None = None


Solver = Collocation | Grid
SOLVERS: Forms[Solver] = forms_of(Solver)
