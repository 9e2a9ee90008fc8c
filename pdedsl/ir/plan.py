"""Plan: the network, its training objective or the solution method, with all sizes and step counts.

`DataPlan` is a model on a data space (characteristics, Feynman-Kac), `ImagePlan` a network of feature maps, `SolvePlan`
a boundary value problem with its solver, `OperatorPlan` the evolution operator on R^d.
"""

from __future__ import annotations

from dataclasses import field, replace

from sympy import Expr, S, Symbol

from pdedsl.config.base import Real
from pdedsl.config.methods import (
    Direction,
    EnsembleWeighting,
    Fixed,
    GradientNormEstimator,
    Grid,
    InitialWeights,
    Integrator,
    LaplacianEstimator,
    NoiseDistribution,
    PlannedSolver,
    ResidualTimes,
    Scores,
    SpatialDifferentiation,
    TimeDifferentiation,
)
from pdedsl.config.networks import Convnet, Frame, Mlp, Network, Normalization
from pdedsl.config.training import CrossEntropy, Loss, Mart, Mixed, Trades, WeightBox
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.ansatz import HardConstraints
from pdedsl.ir.family import Family
from pdedsl.ir.noise import AdditiveNoise, Noise
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.semidiscrete_systems import OdeSystem
from pdedsl.ir.solver_plans import GridPlan, PinnPlan, SolverPlan
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import MatrixStructure
from pdedsl.numerics.activations import Activation
from pdedsl.record import Record

# ---- Layers on feature maps


class Unconstrained(Record):
    """No constraint on the operator."""


class NormBound(Record):
    """Operator norm ‖K‖ ≤ bound, for all values of the parameters."""

    bound: Expr


class BoxConstraint(Record):
    """Every entry of K in [low, high], enforced by projection after each step."""

    low: Real
    high: Real


Constraint = Unconstrained | NormBound | BoxConstraint


class SymmetricConvolution(Record):
    """factor · Kᵀ σ(N(K Y)), with a size × size convolution K for the learned operator `head` (Ruthotto, Haber)."""

    head: Symbol
    factor: Expr
    size: int
    constraint: Constraint
    activation: Activation
    norm: Normalization | None
    weights_per_step: bool  # otherwise all steps share the weights


class ConvolutionalField(Record):
    """factor · f(Y), or factor · f(Y, t) if `time_dependent`, with a convolutional network f."""

    head: Symbol
    factor: Expr
    net: Convnet
    time_dependent: bool
    weights_per_step: bool


Layer = SymmetricConvolution | ConvolutionalField


class RightHandSide(Record):
    """Σ layers + reaction · Y."""

    layers: tuple[Layer, ...]
    reaction: Expr
    span: Span


# ---- Training objective


MAX_EXACT_LAPLACIAN_DIMENSION = 64
"""The exact Laplacian needs one forward-mode pass per dimension."""


class MemberCrossEntropy(Record):
    """Cross-entropy -log u_y(x, T) of each ensemble member separately."""


AdversarialLoss = Trades | Mart | Mixed
"""Losses at a sample x and at its adversarial example x′."""


class ResidualPenalty(Record):
    """L₁ + weight·L₂ (Wang, Tao, Bao, Shi, section 4), for a network g(x, t) with time as an additional input channel.

    L₁ = mean of -log g_y(x, t_k) over `times`; L₂ = mean of ‖∂g/∂t - νΔg‖² at x + ε, with ε uniform in
    [-jitter, jitter]. ν is `diffusivity`; after training, g is evaluated at time `end`. With `instants`
    ONE, L₂ is evaluated at one random time per sample and step: an unbiased estimate at 1/len(times) of the cost.
    """

    diffusivity: float
    end: float
    weight: float
    h: float
    tau: float
    probes: int
    times: tuple[float, ...]
    jitter: float
    estimator: LaplacianEstimator
    derivative: TimeDifferentiation
    of: Scores
    instants: ResidualTimes = ResidualTimes.ALL


class HeatSmoothing(Record):
    """Heat smoothing: implicit Euler steps for f_t = νΔf by retraining (Campbell, Finlay, Oberman 2020).

    After training by cross-entropy, step k of n minimises ½‖v - f_k‖² + weight·½hs²‖∇v‖², where s² = `variance` is the
    variance of the desired Gaussian average, h = 1/n. weight = ½ gives that variance; weight w gives 2ws². `delta` is
    the step of finite differences.
    """

    variance: float
    steps: int
    weight: float
    probes: int
    delta: float
    start: InitialWeights
    estimator: GradientNormEstimator
    derivative: SpatialDifferentiation = SpatialDifferentiation.FORWARD


class GaussianRegression(Record):
    """Regression on the Gaussian average of the base network f, s² = `variance`.

    After training by cross-entropy, v minimises the mean of -Σ f_c(x + sξ) log v_c(x), ξ standard normal. The minimiser
    is v = E f(x + sξ), the solution of the heat equation at x.
    """

    variance: float
    start: InitialWeights


Retraining = HeatSmoothing | GaussianRegression
"""Objectives of a second phase, with the trained network as a teacher."""
Objective = Loss | MemberCrossEntropy | ResidualPenalty | Retraining


# ---- Box constraints: `constrain K in [a, b]`


Bounds = tuple[Real, Real]


def weight_boxes(spec: Spec) -> list[tuple[WeightBox, Span]]:
    """Every box constraint with its span, in the order of the text."""
    train = spec.train
    return list(zip(train.constrain, train.places["constrain"], strict=True)) if train and train.constrain else []


def weight_box_span(name: str, spec: Spec) -> Span:
    """The span of the first box constraint on an operator."""
    return next(span for box, span in weight_boxes(spec) if box.operator == name)


def weight_box(name: str, spec: Spec) -> Bounds | None:
    """The intersection of all box constraints on an operator (empty if low > high), or None."""
    own = [box for box, _ in weight_boxes(spec) if box.operator == name]
    return (max(box.low for box in own), min(box.high for box in own)) if own else None


# ---- Plans


class NoiseStep(Record):
    """Noise added to the state in one step: a segment of pure diffusion."""

    noise: AdditiveNoise


class SdeSteps(Record):
    """Euler-Maruyama or Runge-Kutta steps along a drift on R^d: step k, in network order, begins at time
    start + time_sign·k·step. For an adaptive scheme `steps` is 1 and `step` is the length of the time interval."""

    drift: tuple[Expr, ...]
    start: Expr
    steps: int
    step: Expr
    scheme: Integrator
    time_sign: int
    noise: Noise | None
    span: Span
    branches: tuple[Symbol, ...] = ()  # two fields mixed in each step by shake-shake


class ResidualBlocks(Record):
    """The residual blocks of a standard architecture (ResNet, …), with noise after each block."""

    net: Network
    step: Expr
    noise: Noise | None
    span: Span
    start: Expr = S.One  # the time of the first block
    time_sign: int = -1
    before_readout: AdditiveNoise | None = None
    branch: Network | None = None  # the second branch of shake-shake


class TimeConditioned(Record):
    """A network with time as an additional input, evaluated at one time; the diffusion enters through the loss."""

    net: Network
    time: Expr
    span: Span


class BaseNetwork(Record):
    """A learned network that returns logits."""

    net: Network
    span: Span


Part = NoiseStep | SdeSteps | ResidualBlocks | TimeConditioned | BaseNetwork


class MemberArchitecture(Record):
    """Ensemble members of one architecture with separate weights; parts are in network order."""

    parts: tuple[Part, ...]
    members: int


class DataPlan(Record):
    """A model on a data space: ensemble members, a readout, and the average over members and samples."""

    architectures: tuple[MemberArchitecture, ...]  # one, or one per depth
    dimension: int
    image: tuple[int, int, int] | None
    classes: int | None  # None: not a classifier, only an evolution operator
    readout: bool  # whether a linear operator W follows the parts
    samples: int  # of the noise, per input
    training_samples: int
    average: Scores
    weights: EnsembleWeighting  # of the ensemble members
    readout_span: Span
    operator: OperatorPlan | PdeError = field(repr=False)  # or the reason why there is none
    objective: Objective = field(default_factory=CrossEntropy)
    bound: Expr | None = None  # ‖W‖ ≤ bound for every weight
    box: Bounds | None = None  # box constraint on the entries of W
    reference: GridPlan | None = field(default=None, repr=False)  # on a truncated domain, for an `evaluate` block

    @property
    def parts(self) -> tuple[Part, ...]:
        """Every part of every architecture, once."""
        return tuple(dict.fromkeys(part for own in self.architectures for part in own.parts))

    @property
    def members(self) -> int:
        return sum(own.members for own in self.architectures)

    @property
    def is_random(self) -> bool:
        """Whether a part draws noise."""
        return any(
            isinstance(p, NoiseStep)
            or (isinstance(p, SdeSteps | ResidualBlocks) and p.noise)
            or (isinstance(p, ResidualBlocks) and p.before_readout)
            for p in self.parts
        )


class ImagePlan(Record):
    """A network of feature maps: stem, stages in which the equation is integrated, and head."""

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


class OperatorPlan(Record):
    """The evolution operator on R^d; segments are in the order of PDE time."""

    segments: tuple[OperatorSegment, ...]
    direction: Direction
    step: Expr
    scheme: Fixed
    samples: int
    law: NoiseDistribution = NoiseDistribution.GAUSSIAN


class OperatorSegment(Record):
    """The coefficients of the generator between two times."""

    start: Expr
    end: Expr
    drift: tuple[Expr, ...]
    diffusivity: tuple[tuple[Expr, ...], ...]
    structure: MatrixStructure
    index: Symbol | None = None  # of the generic component, in a symbolic dimension
    rate: Expr = S.Zero
    source: Expr = S.Zero

    @property
    def is_constant(self) -> bool:
        """Whether all coefficients are numbers."""
        matrix = (e for row in self.diffusivity for e in row)
        return all(e.is_number for e in (*self.drift, *matrix, self.rate, self.source))


class Alternative(Record):
    """Another method for the same problem; `obstacle` is the reason why it does not apply, empty if it does."""

    method: PlannedSolver
    obstacle: str = ""


class Candidate(Record):
    """A method with its complete plan, the reason for its use, and the predicted CPU time of a first accurate level.

    Sizes stated in the spec are fixed: then it is not `refinable`."""

    solver: SolverPlan
    reason: str
    seconds: float
    refinable: bool = True

    @property
    def text(self) -> str:
        """The method; without sizes, if these are refined."""
        return self.solver.name if self.refinable else self.solver.text


class SolvePlan(Record):
    """A boundary value problem, the candidates for its solution in the order in which they are tried, and the methods
    that are not among them.

    The solution should have a relative L2 error of at most `tolerance`, within `budget` seconds of CPU time."""

    problem: StrongForm
    candidates: tuple[Candidate, ...]
    tolerance: float
    budget: float
    alternatives: tuple[Alternative, ...]
    network: Mlp  # for the unknowns, in the generated code
    hard_constraints: HardConstraints
    grid: GridPlan | None = field(repr=False)  # for the problem, if a grid scheme applies
    reference: Grid | None = None  # requested by an `evaluate` block
    family: Family | None = field(default=None, repr=False)  # the plan is that of the member at its center

    @property
    def solver(self) -> SolverPlan:
        """The plan of the first candidate."""
        return self.candidates[0].solver

    @property
    def reason(self) -> str:
        return self.candidates[0].reason

    @property
    def method(self) -> PlannedSolver:
        return self.solver.method

    @property
    def ansatz(self) -> tuple[str, ...]:
        """The ansatz of a PINN in words."""
        return self.solver.ansatz if isinstance(self.solver, PinnPlan) else ()

    def on_grid(self, method: Grid) -> GridPlan:
        """The plan of a reference solution on a grid."""
        assert self.grid is not None
        return replace(self.grid, method=method)


Model = DataPlan | ImagePlan | SolvePlan
