"""Layers of a network on pixels, with everything needed to build them."""

from __future__ import annotations

from dataclasses import dataclass, field

from sympy import Expr, S, Symbol

from pdedsl.config.base import Real
from pdedsl.config.methods import (
    Direction,
    Fixed,
    Gradient,
    Grid,
    InSpace,
    Instants,
    Integrator,
    InTime,
    Laplacian,
    Law,
    Scores,
    Solver,
    Weighting,
    Weights,
)
from pdedsl.config.networks import Convnet, Frame, Mlp, Network, Normalisation
from pdedsl.config.training import Box, Optimizer
from pdedsl.diagnostics import Span
from pdedsl.ir.noise import AdditiveNoise, Noise
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.semidiscrete_systems import OdeSystem
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import MatrixStructure
from pdedsl.numerics.activations import Activation

# ---- layers


@dataclass(frozen=True)
class Unconstrained:
    """An operator without a constraint."""


@dataclass(frozen=True)
class NormBound:
    """‖K‖ ≤ bound for every weight."""

    bound: Expr


@dataclass(frozen=True)
class BoxConstraint:
    """Every entry of K in [low, high], by projection."""

    low: Real
    high: Real


Constraint = Unconstrained | NormBound | BoxConstraint


@dataclass(frozen=True)
class SymmetricConvolution:
    """factor · Kᵀ σ(N(K Y)) with a convolution K, size × size, of the learned operator `head`."""

    head: Symbol
    factor: Expr
    size: int
    constraint: Constraint
    activation: Activation
    norm: Normalisation | None
    weights_per_step: bool  # whether each step has its own weights; otherwise all share one layer


@dataclass(frozen=True)
class ConvolutionalField:
    """factor · f(Y), or factor · f(Y, t) if it is `timed`."""

    head: Symbol
    factor: Expr
    net: Convnet
    time_dependent: bool
    weights_per_step: bool


Layer = SymmetricConvolution | ConvolutionalField


@dataclass(frozen=True)
class RightHandSide:
    """Σ layers + reaction · Y."""

    layers: tuple[Layer, ...]
    reaction: Expr
    span: Span


# ---- objective
# Objective: what training minimises, as determined by the realization of the diffusion.


MAX_EXACT_LAPLACIAN_DIMENSION = 64
"""Dimensions up to which the Laplacian is taken exactly: it costs as many rows as there are."""


@dataclass(frozen=True)
class CrossEntropy:
    """-log u_y(x, T). `apart`: for each member of an ensemble by itself instead of for their mean."""

    per_member: bool = False


@dataclass(frozen=True)
class Margin:
    """τ·CE((s - 2√2 ε e_y)/τ, y) with τ = `temperature` (Prach, Brau, Buttazzo, Lampert, CVPR 2024, section 4).

    1-Lipschitz scores s certify the radius (s_y - max s_B)/√2, so the margin 2√2 ε asks for a radius of 2ε.
    """

    eps: float
    temperature: float


@dataclass(frozen=True)
class ResidualPenalty:
    """L₁ + weight·L₂ (Wang, Tao, Bao, Shi, section 4), for a network g(x, t) with a channel for the time.

    L₁ = mean of -log g_y(x, t_k) over `times`; L₂ = mean of ‖∂g/∂t - νΔg‖² at x + ε, with ε uniform in
    [-jitter, jitter]. ν is `diffusivity`; after training, g is evaluated at time `end`. `instants` ONE: L₂ at a single
    time, drawn for each sample at each step: the same mean, at a cost divided by the number of times.
    """

    diffusivity: float
    end: float
    weight: float
    h: float
    tau: float
    probes: int
    times: tuple[float, ...]
    jitter: float
    estimator: Laplacian
    derivative: InTime
    of: Scores
    instants: Instants = Instants.ALL


@dataclass(frozen=True)
class HeatSmoothing:
    """Steps of implicit Euler for f_t = νΔf by retraining (Campbell, Finlay, Oberman 2020).

    After training by cross-entropy, step k of n minimises ½‖v - f_k‖² + weight·½hs²‖∇v‖², where s² = `variance` is the
    variance of the desired Gaussian average, h = 1/n. weight = ½ gives that variance; weight w gives 2ws². `delta` is
    used by differences only.
    """

    variance: float
    steps: int
    weight: float
    probes: int
    delta: float
    start: Weights
    estimator: Gradient
    derivative: InSpace = InSpace.FORWARD


Objective = CrossEntropy | Margin | ResidualPenalty | HeatSmoothing


# ---- boxes
# `constrain K in [a, b]`: the box in which training keeps the weights of an operator.


Bounds = tuple[Real, Real]


def weight_boxes(spec: Spec) -> list[tuple[Box, Span]]:
    """Every box with its place in the text, in the order of the text."""
    train = spec.train
    return list(zip(train.constrain, train.places["constrain"], strict=True)) if train and train.constrain else []


def weight_box_span(name: str, spec: Spec) -> Span:
    """Where the first box of an operator stands."""
    return next(span for box, span in weight_boxes(spec) if box.operator == name)


def weight_box(name: str, spec: Spec) -> Bounds | None:
    """The intersection of all boxes given for an operator, empty if low > high; None if there are none."""
    own = [box for box, _ in weight_boxes(spec) if box.operator == name]
    return (max(box.low for box in own), min(box.high for box in own)) if own else None


# ---- plan
# Plan: blocks with their sizes, steps and noise, ready to be built.


@dataclass(frozen=True)
class NoiseStep:
    """Noise added to the whole state in one step: a stretch of pure diffusion."""

    noise: AdditiveNoise


@dataclass(frozen=True)
class SdeSteps:
    """Steps along a field on R^d, with noise after each: step k, in network order, starts at first + clock·k·step. For
    an adaptive scheme, which chooses its own steps, `steps` is 1 and `step` is the whole length."""

    drift: tuple[Expr, ...]
    start: Expr
    steps: int
    step: Expr
    scheme: Integrator
    time_sign: int
    noise: Noise | None
    span: Span
    branches: tuple[Symbol, ...] = ()  # two fields that share each step, for shake-shake noise


@dataclass(frozen=True)
class ResidualBlocks:
    """The residual maps of a named network, each with its own weights, with noise after each."""

    net: Network
    step: Expr
    noise: Noise | None
    span: Span
    start: Expr = S.One  # the time of the first map; the others follow in steps
    time_sign: int = -1
    before_readout: AdditiveNoise | None = None
    branch: Network | None = None  # a second network, whose maps are parallel to those of the first


@dataclass(frozen=True)
class TimeConditioned:
    """A network with time as an additional input, evaluated at one time: the diffusion is in its training."""

    net: Network
    time: Expr
    span: Span


@dataclass(frozen=True)
class BaseNetwork:
    """A learned network that gives class scores."""

    net: Network
    span: Span


Part = NoiseStep | SdeSteps | ResidualBlocks | TimeConditioned | BaseNetwork


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
    head: int | None
    system: OdeSystem[RightHandSide]
    method: Integrator
    start: Expr
    end: Expr
    steps: int
    frame: Frame
    objective: Objective = field(default_factory=CrossEntropy)


@dataclass(frozen=True)
class OperatorPlan:
    """The evolution operator on R^d, with pieces in the time of the equation."""

    segments: tuple[OperatorSegment, ...]
    direction: Direction
    step: Expr
    scheme: Fixed
    samples: int
    law: Law = Law.GAUSSIAN


@dataclass(frozen=True)
class OperatorSegment:
    """The coefficients of the operator between two times."""

    start: Expr
    end: Expr
    drift: tuple[Expr, ...]
    diffusivity: tuple[tuple[Expr, ...], ...]
    structure: MatrixStructure
    index: Symbol | None = None  # of the generic component, if the space is not written out
    rate: Expr = S.Zero
    source: Expr = S.Zero


@dataclass(frozen=True)
class Alternative:
    """Another method for the same statement; `obstacle` says why it does not apply, and is empty if it does."""

    method: Solver
    obstacle: str = ""


@dataclass(frozen=True)
class HardConstraints:
    """What is built in for every network N: u = base + factor · N for each component, and the axis about whose middle N
    is even or odd, with a sign for each component."""

    parts: tuple[tuple[Expr, Expr], ...]
    symmetry: tuple[int, tuple[int, ...]] | None = None


@dataclass(frozen=True)
class SolvePlan:
    """A physical problem and the method that solves it, with the reason for the choice and the alternatives."""

    problem: StrongForm
    method: Solver
    reason: str
    alternatives: tuple[Alternative, ...]
    network: Mlp  # for the unknowns
    hard_constraints: HardConstraints
    reference: Grid | None = None  # requested by an `evaluate` block
    optimizers: tuple[Optimizer, ...] = ()  # empty: the default of the method
    steps: int | None = None
    ansatz: tuple[str, ...] = ()  # how conditions are built into the network, for each component


Model = DataPlan | ImagePlan | SolvePlan
