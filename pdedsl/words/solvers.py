"""Ways to solve a physical equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pdedsl.words.params import Few, Many, Nonnegative, Paired, Positive, Sampled, Steps, Whole, Width
from pdedsl.words.word import Forms, Word, forms_of


@dataclass(frozen=True, kw_only=True)
class Collocation(Word, spelled="residual"):
    """A network that satisfies the equation at sampled points (Raissi, Perdikaris, Karniadakis 2019).

    `initial` and `boundary` are the points on each place of a condition, and `weight` its weight, where it is not built
    into the network: balanced with the equations if it is left out. `steps` are those of Gauss-Newton, where no
    optimizer is chosen: if they are left out, it goes on until the loss falls no further, for at most 1000 steps. With
    `causal`, later times have less weight while residuals before them are large (Wang, Sankaran, Perdikaris 2024). With
    `probes`, steps of Adam see second derivatives along so many random directions twice, whose product is an unbiased
    loss, instead of along each coordinate (Hutchinson 1990).
    """

    points: Many = 10000
    initial: Many = 100
    boundary: Many = 100
    steps: Steps | None = None
    weight: Positive | None = None
    causal: Nonnegative = 0
    probes: Few | None = None


@dataclass(frozen=True, kw_only=True)
class Grid(Word):
    """The reference solver on n points a side: a Fourier series, collocation, finite volumes or differences."""

    n: Width = 128
    extent: Positive | None = None


@dataclass(frozen=True, kw_only=True)
class Paths(Word):
    """Means over random paths at single points, with intervals of 95 % (Feynman-Kac; Øksendal, chapters 8 and 9)."""

    samples: Sampled = 10_000
    steps: Paired = 32


@dataclass(frozen=True, kw_only=True)
class Features(Word):
    """n sines of random frequencies, weighed by least squares (Rahimi, Recht 2007; Dong, Li 2021).

    The bandwidth of the frequencies is found, one for each coordinate, if it is left out; `weight` is that of
    conditions beside equations.
    """

    n: Annotated[int, Whole(1, most=20_000)] | None = None
    points: Many | None = None
    bandwidth: Positive | None = None
    weight: Positive = 30


Solver = Features | Collocation | Grid | Paths
SOLVERS: Forms[Solver] = forms_of(Solver)
