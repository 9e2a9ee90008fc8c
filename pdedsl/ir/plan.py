"""Plan: blocks with their sizes, steps and noise, ready to be built."""

from __future__ import annotations

from dataclasses import dataclass, field

from sympy import Expr, S, Symbol

from pdedsl.diagnostics import Span
from pdedsl.ir.boxes import Bounds
from pdedsl.ir.layers import RightHandSide
from pdedsl.ir.motions import Motion
from pdedsl.ir.noise import Added, Noise
from pdedsl.ir.objective import CrossEntropy, Objective
from pdedsl.ir.statement import Statement
from pdedsl.ir.terms import Shape
from pdedsl.words.diffusions import Law, Scores, Weighting
from pdedsl.words.directions import Direction
from pdedsl.words.frames import Frame
from pdedsl.words.integrators import Fixed, Integrator
from pdedsl.words.networks import Mlp, Network
from pdedsl.words.optimizers import Optimizer
from pdedsl.words.solvers import Grid, Solver


@dataclass(frozen=True)
class Shake:
    """Noise on the whole state at once: a stretch of pure diffusion."""

    noise: Added


@dataclass(frozen=True)
class Walk:
    """Steps along a field on R^d, with noise behind each: step k, in network order, starts at first + clock·k·step. An
    adaptive scheme, which chooses its steps itself, has one, and `step` is how far it goes."""

    field: tuple[Expr, ...]
    first: Expr
    steps: int
    step: Expr
    scheme: Integrator
    clock: int
    noise: Noise | None
    span: Span
    branches: tuple[Symbol, ...] = ()  # two fields that share each step, with the noise of shaking


@dataclass(frozen=True)
class Maps:
    """The residual maps of a named network, each with its own weights, with noise behind each."""

    net: Network
    step: Expr
    noise: Noise | None
    span: Span
    first: Expr = S.One  # the time of the first map, from which those of the others are counted
    clock: int = -1
    before_readout: Added | None = None
    branch: Network | None = None  # a second network, whose maps stand beside those of the first


@dataclass(frozen=True)
class Timed:
    """A network with the time as a further input, read at one time: diffusion is in its training."""

    net: Network
    time: Expr
    span: Span


@dataclass(frozen=True)
class Base:
    """A learned network of class scores."""

    net: Network
    span: Span


Part = Shake | Walk | Maps | Timed | Base


@dataclass(frozen=True)
class Family:
    """Members of one architecture, each with its own weights: parts in network order."""

    parts: tuple[Part, ...]
    members: int


@dataclass(frozen=True)
class DataPlan:
    """A model on a data space: families of members, a readout, and what is averaged with which weights."""

    families: tuple[Family, ...]  # one, or one for each depth
    dimension: int
    image: tuple[int, int, int] | None
    classes: int | None  # None: the unknown is no class probability, so there is an operator but no classifier
    readout: bool  # whether a linear operator W stands behind the parts
    samples: int
    average: Scores
    weights: Weighting  # of the members
    readout_span: Span
    objective: Objective = field(default_factory=CrossEntropy)
    bound: Expr | None = None  # ‖W‖ ≤ bound, for every weight
    box: Bounds | None = None  # in which training keeps the numbers of W

    @property
    def parts(self) -> tuple[Part, ...]:
        """Every part of every family, once."""
        return tuple(dict.fromkeys(part for family in self.families for part in family.parts))

    @property
    def members(self) -> int:
        return sum(family.members for family in self.families)


@dataclass(frozen=True)
class ImagePlan:
    """A model on the image plane: the frame and the equation in it."""

    image: tuple[int, int, int]
    stages: tuple[int, ...]
    classes: int
    close: int | None
    motion: Motion[RightHandSide]
    method: Integrator
    start: Expr
    end: Expr
    steps: int
    frame: Frame
    objective: Objective = field(default_factory=CrossEntropy)


@dataclass(frozen=True)
class OperatorPlan:
    """The evolution operator on R^d: pieces in PDE time."""

    pieces: tuple[OperatorPiece, ...]
    direction: Direction
    step: Expr
    scheme: Fixed
    samples: int
    law: Law = Law.GAUSSIAN


@dataclass(frozen=True)
class OperatorPiece:
    """The coefficients of the operator between two times."""

    start: Expr
    end: Expr
    drift: tuple[Expr, ...]
    diffusivity: tuple[tuple[Expr, ...], ...]
    shape: Shape
    index: Symbol | None = None  # of components, where the space is not written out in them
    rate: Expr = S.Zero
    source: Expr = S.Zero


@dataclass(frozen=True)
class Alternative:
    """Another method for the same statement; `obstacle` says why it does not apply, if it does not."""

    method: Solver
    obstacle: str = ""


@dataclass(frozen=True)
class Built:
    """What holds for every network N: u = base + factor · N for each component, and the axis about whose middle N is
    even or odd, with a sign for each component."""

    parts: tuple[tuple[Expr, Expr], ...]
    mirror: tuple[int, tuple[int, ...]] | None = None


@dataclass(frozen=True)
class SolvePlan:
    """A physical problem and the method that solves it, with the reason for the choice and what else there is."""

    statement: Statement
    method: Solver
    reason: str
    alternatives: tuple[Alternative, ...]
    network: Mlp  # of the unknowns
    built: Built
    reference: Grid | None = None  # that an `evaluate` block asks for
    optimizers: tuple[Optimizer, ...] = ()  # none: that of the method
    steps: int | None = None
    ansatz: tuple[str, ...] = ()  # how conditions are built into the network, for each component


Model = DataPlan | ImagePlan | SolvePlan
