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
    """Noise added to the whole state in one step: a stretch of pure diffusion."""

    noise: Added


@dataclass(frozen=True)
class Walk:
    """Steps along a field on R^d, with noise after each: step k, in network order, starts at first + clock·k·step. For
    an adaptive scheme, which chooses its own steps, `steps` is 1 and `step` is the whole length."""

    field: tuple[Expr, ...]
    first: Expr
    steps: int
    step: Expr
    scheme: Integrator
    clock: int
    noise: Noise | None
    span: Span
    branches: tuple[Symbol, ...] = ()  # two fields that share each step, for shake-shake noise


@dataclass(frozen=True)
class Maps:
    """The residual maps of a named network, each with its own weights, with noise after each."""

    net: Network
    step: Expr
    noise: Noise | None
    span: Span
    first: Expr = S.One  # the time of the first map; the others follow in steps
    clock: int = -1
    before_readout: Added | None = None
    branch: Network | None = None  # a second network, whose maps are parallel to those of the first


@dataclass(frozen=True)
class Timed:
    """A network with time as an additional input, evaluated at one time: the diffusion is in its training."""

    net: Network
    time: Expr
    span: Span


@dataclass(frozen=True)
class Base:
    """A learned network that gives class scores."""

    net: Network
    span: Span


Part = Shake | Walk | Maps | Timed | Base


@dataclass(frozen=True)
class Family:
    """Members of one architecture, each with its own weights; parts are in network order."""

    parts: tuple[Part, ...]
    members: int


@dataclass(frozen=True)
class DataPlan:
    """A model on a data space: families of members, a readout, and what is averaged, with which weights."""

    families: tuple[Family, ...]  # one, or one per depth
    dimension: int
    image: tuple[int, int, int] | None
    classes: int | None  # None: the unknown is not a class probability, so there is an operator but no classifier
    readout: bool  # whether a linear operator W follows the parts
    samples: int
    average: Scores
    weights: Weighting  # of the members
    readout_span: Span
    objective: Objective = field(default_factory=CrossEntropy)
    bound: Expr | None = None  # ‖W‖ ≤ bound for every weight
    box: Bounds | None = None  # in which training keeps the entries of W

    @property
    def parts(self) -> tuple[Part, ...]:
        """Every part of every family, once."""
        return tuple(dict.fromkeys(part for family in self.families for part in family.parts))

    @property
    def members(self) -> int:
        return sum(family.members for family in self.families)


@dataclass(frozen=True)
class ImagePlan:
    """A model on the image plane: the frame of the network, and the equation inside it."""

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
    """The evolution operator on R^d, with pieces in the time of the equation."""

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
    index: Symbol | None = None  # of the generic component, if the space is not written out
    rate: Expr = S.Zero
    source: Expr = S.Zero


@dataclass(frozen=True)
class Alternative:
    """Another method for the same statement; `obstacle` says why it does not apply, and is empty if it does."""

    method: Solver
    obstacle: str = ""


@dataclass(frozen=True)
class Built:
    """What is built in for every network N: u = base + factor · N for each component, and the axis about whose middle N
    is even or odd, with a sign for each component."""

    parts: tuple[tuple[Expr, Expr], ...]
    mirror: tuple[int, tuple[int, ...]] | None = None


@dataclass(frozen=True)
class SolvePlan:
    """A physical problem and the method that solves it, with the reason for the choice and the alternatives."""

    statement: Statement
    method: Solver
    reason: str
    alternatives: tuple[Alternative, ...]
    network: Mlp  # for the unknowns
    built: Built
    reference: Grid | None = None  # requested by an `evaluate` block
    optimizers: tuple[Optimizer, ...] = ()  # empty: the default of the method
    steps: int | None = None
    ansatz: tuple[str, ...] = ()  # how conditions are built into the network, for each component


Model = DataPlan | ImagePlan | SolvePlan
