"""Methods of `realize PART by METHOD`: time integrators, realizations of diffusion, and solvers on physical domains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from enum import Enum, StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, get_args, get_type_hints

from pdedsl.config.base import (
    Choice,
    Config,
    DoublingSteps,
    Form,
    Forms,
    IntegerBounds,
    Located,
    MonteCarloSamples,
    Nonnegative,
    Positive,
    Preset,
    SampleCount,
    SmallCount,
    Steps,
    Value,
    Width,
    forms_of,
)
from pdedsl.numerics.butcher import (
    ADAPTIVE,
    EULER,
    EXPLICIT,
    GRID_METHODS,
    IMEX,
    IMPLICIT,
    EmbeddedRungeKutta,
    GridMethod,
    ImexRungeKutta,
    ImplicitRungeKutta,
    RungeKutta,
)
from pdedsl.record import Record

# ---- Time integrators


Tableau = RungeKutta | ImplicitRungeKutta | ImexRungeKutta | EmbeddedRungeKutta


class NormReduction(Enum):
    """Whether a norm is taken per sample or over the batch."""

    SAMPLE = "sample"
    BATCH = "batch"


class LeapfrogStart(Enum):
    """The first leapfrog step from zero velocity: ½δt² F(Y), or δt² F(Y) as printed in the paper."""

    CONSISTENT = "consistent"
    PAPER = "paper"


class RungeKuttaMethod(Config):
    """A Runge-Kutta method of `numerics.butcher`; the name of each record is a keyword."""

    records: ClassVar[Mapping[str, Tableau]]
    method: Annotated[Tableau, Preset()]

    @classmethod
    def forms(cls) -> Iterable[Form[Any]]:
        return (Form(m.name, cls, (("method", m),)) for m in cls.records.values())

    @property
    def name(self) -> str:
        return self.method.name


class Fixed(RungeKuttaMethod):
    """An explicit Runge-Kutta method with a fixed step."""

    records = EXPLICIT
    method: Annotated[RungeKutta, Preset()]
    steps: Steps | None = None


class Implicit(RungeKuttaMethod):
    """An implicit Runge-Kutta method with a fixed step; its stages are solved to rounding."""

    records = IMPLICIT
    method: Annotated[ImplicitRungeKutta, Preset()]
    steps: Steps | None = None


class Imex(RungeKuttaMethod):
    """An implicit-explicit Runge-Kutta method with a fixed step for ∂Y/∂t = cY + F(Y): cY is implicit, F explicit."""

    records = IMEX
    method: Annotated[ImexRungeKutta, Preset()]
    steps: Steps | None = None


class BackwardEuler(Config):
    """Backward Euler, the implicit solve truncated to a Neumann series of `terms` terms (Zhang et al. 2017)."""

    steps: Steps | None = None
    terms: SmallCount = 2


class Verlet(Config):
    """Verlet method for a separable pair: alternating steps of the two components."""

    steps: Steps | None = None


class Leapfrog(Config):
    """Leapfrog: Y₊ = 2Y - Y₋ + δt² F(Y)."""

    steps: Steps | None = None
    start: LeapfrogStart = LeapfrogStart.CONSISTENT


class Adaptive(RungeKuttaMethod):
    """Embedded Runge-Kutta pair with adaptive step size. `adjoint`: gradients by the adjoint method."""

    records = ADAPTIVE
    method: Annotated[EmbeddedRungeKutta, Preset()]
    rtol: Positive = Fraction(1, 1000)
    atol: Positive = Fraction(1, 1000)
    adjoint: bool = False
    norm: NormReduction = NormReduction.SAMPLE


FixedStepMethod = Fixed | Implicit | Imex | BackwardEuler | Verlet | Leapfrog
"""Methods with a fixed number of steps."""
Integrator = FixedStepMethod | Adaptive
Reversible = Verlet | Leapfrog
INTEGRATORS: Forms[Integrator] = forms_of(Integrator)
ONE_STEP: tuple[str, ...] = tuple(forms_of(Fixed | Implicit | BackwardEuler | Adaptive))
"""Methods for any right-hand side."""


def is_euler(method: Integrator) -> bool:
    return isinstance(method, Fixed) and method.method == EULER


def in_steps(method: Integrator, steps: int) -> Integrator:
    """The method with a number of steps, if it has fixed steps and none is given."""
    return method if isinstance(method, Adaptive) or method.steps is not None else replace(method, steps=steps)


# ---- Realizations of diffusion


class NoiseScale(Enum):
    """The standard deviation of the noise: that of the equation, or relative to the state."""

    EXACT = "exact"
    RELATIVE = "relative"


class NoiseDistribution(Enum):
    GAUSSIAN = "gaussian"
    LAPLACE = "laplace"


class Scores(Enum):
    """Class probabilities, or logits."""

    PROBABILITIES = "probabilities"
    LOGITS = "logits"


class EnsembleWeighting(Enum):
    """Weights of the ensemble members."""

    EQUAL = "equal"
    LEARNED = "learned"


class EnsembleTraining(Enum):
    """Ensemble training: by the loss of the mean prediction, or independently."""

    JOINT = "joint"
    APART = "apart"


class LaplacianEstimator(Enum):
    """Δg by random finite differences, squared (biased) or as a product of two (unbiased), or exact."""

    BIASED = "biased"
    UNBIASED = "unbiased"
    EXACT = "exact"


class TimeDifferentiation(Enum):
    """∂g/∂t by forward-mode differentiation, or by central differences."""

    FORWARD = "forward"
    CENTRAL = "central"


class ResidualTimes(Enum):
    """The residual at all times, or at one random time per sample."""

    ALL = "all"
    ONE = "one"


class InitialWeights(Enum):
    """Initial weights of a retraining step: those of the previous step, or new ones."""

    WARM = "warm"
    FRESH = "fresh"


class GradientNormEstimator(Enum):
    """‖∇v‖² unbiased, or in the scale of the published code."""

    UNBIASED = "unbiased"
    PAPER = "paper"


class SpatialDifferentiation(Enum):
    """∇v by forward-mode differentiation, or by finite differences."""

    FORWARD = "forward"
    DIFFERENCES = "differences"


class Noise(Config):
    """Noise injection after each step, averaged over ensemble members and samples (Wang, Yuan, Shi, Osher 2020)."""

    members: SmallCount = 1
    samples: SampleCount = 1
    scale: NoiseScale = NoiseScale.EXACT
    kind: NoiseDistribution = NoiseDistribution.GAUSSIAN
    across: NormReduction = NormReduction.SAMPLE
    average: Scores = Scores.PROBABILITIES
    weights: EnsembleWeighting = EnsembleWeighting.EQUAL
    training: EnsembleTraining = EnsembleTraining.JOINT

    @property
    def idle(self) -> frozenset[str]:
        return frozenset(() if self.scale is NoiseScale.RELATIVE else {"across"})


class ResidualPenalty(Config, identifier="residual"):
    """Residual penalty: ‖∂g/∂t - νΔg‖² in the training loss (Wang, Tao, Bao, Shi 2020, section 4)."""

    weight: Nonnegative = Fraction(1, 20)
    h: Positive = Fraction(1, 10)
    tau: Positive = Fraction(1, 10000)
    probes: SmallCount = 1
    times: tuple[Nonnegative, ...] = (0, 1)
    jitter: Nonnegative = Fraction(1, 5)
    estimator: LaplacianEstimator = LaplacianEstimator.BIASED
    derivative: TimeDifferentiation = TimeDifferentiation.FORWARD
    of: Scores = Scores.PROBABILITIES
    instants: ResidualTimes = ResidualTimes.ALL

    @property
    def idle(self) -> frozenset[str]:
        tau = {"tau"} if self.derivative is TimeDifferentiation.FORWARD else set()
        instants = {"instants"} if len(self.times) == 1 else set()
        return frozenset(tau | instants | ({"h", "probes"} if self.estimator is LaplacianEstimator.EXACT else set()))


class HeatSmoothingForm(Enum):
    """Loss of heat smoothing."""

    REGRESSION = "regression"
    VARIATIONAL = "variational"


class HeatSmoothing(Config, identifier="retraining"):
    """Heat smoothing: the Gaussian average of a trained network by retraining, without sampling.

    `regression` fits the network to the base network at noisy inputs, one sample per input and step; the minimiser is
    the Gaussian average. `variational` takes implicit Euler steps of the heat equation with a penalty on the gradient
    (Campbell, Finlay, Oberman 2020); it is implied by any of its arguments, which are all but `start`.
    """

    form: HeatSmoothingForm | None = None
    steps: Steps = 5
    weight: Positive = Fraction(1, 2)
    probes: SmallCount = 10
    delta: Positive = Fraction(1, 10)
    start: InitialWeights = InitialWeights.WARM
    estimator: GradientNormEstimator = GradientNormEstimator.UNBIASED
    derivative: SpatialDifferentiation = SpatialDifferentiation.FORWARD

    @property
    def is_variational(self) -> bool:
        params = self.signature()
        implied = any(getattr(self, key) != params[key].default for key in VARIATIONAL_ARGUMENTS)
        return self.form is HeatSmoothingForm.VARIATIONAL or (self.form is None and implied)

    @property
    def idle(self) -> frozenset[str]:
        if not self.is_variational:
            return VARIATIONAL_ARGUMENTS
        return frozenset({"form", *(["delta"] if self.derivative is SpatialDifferentiation.FORWARD else [])})

    @property
    def effective(self) -> dict[str, Value]:
        form: dict[str, Value] = {} if self.is_variational else {"form": HeatSmoothingForm.REGRESSION}
        return form | super().effective


VARIATIONAL_ARGUMENTS = frozenset({"steps", "weight", "probes", "delta", "estimator", "derivative"})


class RandomizedSmoothing(Config, identifier="sampling"):
    """Randomized smoothing: Gaussian noise on the input only, one sample per input in training (Cohen, Rosenfeld,
    Kolter 2019)."""

    samples: SampleCount = 100
    training_samples: SampleCount = 1

    @property
    def idle(self) -> frozenset[str]:
        """The default is not part of the hash."""
        return frozenset({"training_samples"} if self.training_samples == 1 else ())


class Dropout(Config):
    """Dropout of hidden units (Srivastava et al. 2014)."""

    members: SmallCount = 1
    samples: SampleCount = 1


class StochasticDepth(Config):
    """Stochastic depth: whole residual branches are dropped (Huang et al. 2016)."""

    members: SmallCount = 1
    samples: SampleCount = 1


class ShakeShake(Config):
    """Shake-shake: two branches mixed by random convex weights (Gastaldi 2017)."""

    members: SmallCount = 1
    samples: SampleCount = 1


Diffusion = Noise | ResidualPenalty | HeatSmoothing | RandomizedSmoothing | Dropout | StochasticDepth | ShakeShake
SampledDiffusion = Noise | RandomizedSmoothing | Dropout | StochasticDepth | ShakeShake
"""Realizations with a number of noise samples."""
DIFFUSIONS: Forms[Diffusion] = forms_of(Diffusion)


# ---- Solvers on physical domains


class Pinn(Config, identifier="residual"):
    """Physics-informed neural network (Raissi, Perdikaris, Karniadakis 2019).

    `points`, `initial` and `boundary` are the numbers of collocation points in the domain and per condition; `weight`
    is the weight of conditions that are not hard constraints; by default it is balanced with the equations. `steps` are
    Gauss-Newton steps, used if no optimizer is given; by default they end when the loss stagnates, after at most 1000.
    With `causal`, later times have less weight while earlier residuals are large (Wang, Sankaran, Perdikaris 2024).
    With `probes`, Adam uses that many random directions for second derivatives, in two independent sets, so that the
    loss is unbiased (Hutchinson 1990).
    """

    points: SampleCount = 10000
    initial: SampleCount = 100
    boundary: SampleCount = 100
    steps: Steps | None = None
    weight: Positive | None = None
    causal: Nonnegative = 0
    probes: SmallCount | None = None


class Grid(Config):
    """Grid method with n points per dimension: Fourier, Chebyshev collocation, finite volumes or finite differences.

    `integrator` is the method in time, with adaptive steps: by default ETDRK4 on Fourier grids, Radau IIA on others.
    """

    n: Width = 128
    extent: Positive | None = None
    integrator: Annotated[GridMethod, Choice(tuple(GRID_METHODS.items()))] | None = None


class Elements(Config):
    """Finite elements of Lagrange type (Brenner, Scott 2008), for ∇×(a ∇×E) of Nédélec type (Monk 2003), with adaptive
    refinement of the mesh.

    `order` is the degree of the polynomials, one less for a pressure (Taylor, Hood 1973); `h` is the length of the
    edges of the first mesh, by default a fraction of the size of the domain.
    """

    order: Annotated[int, IntegerBounds(1, maximum=4)] = 2
    h: Positive | None = None


class MonteCarlo(Config, identifier="paths"):
    """Monte Carlo estimates at query points, with 95 % confidence intervals (Feynman-Kac; Øksendal, ch. 8 and 9)."""

    samples: MonteCarloSamples = 10_000
    steps: DoublingSteps = 32


class RandomFeatures(Config, identifier="features"):
    """n random Fourier features, coefficients by linear least squares (Rahimi, Recht 2007; Dong, Li 2021).

    By default a bandwidth of the frequencies is selected for each coordinate; `weight` is the weight of conditions
    relative to equations.
    """

    n: Annotated[int, IntegerBounds(1, maximum=20_000)] | None = None
    points: SampleCount | None = None
    bandwidth: Positive | None = None
    weight: Positive = 30


class HeatKernelQuadrature(Config):
    """Convolution with the heat kernel by Gauss-Legendre quadrature with n nodes per variable; chosen by the compiler,
    where a problem has this solution."""

    n: Width = 128


Solver = RandomFeatures | Pinn | Grid | Elements | MonteCarlo
PlannedSolver = Solver | HeatKernelQuadrature
"""The solvers in specs, and those that only the compiler chooses."""
SOLVERS: Forms[Solver] = forms_of(Solver)


# ---- Realizations of a spec


class Realizations(Record, kw_only=True):
    """The chosen method of each part of the equation."""

    time: Located[Integrator] | None = None
    convection: Located[Integrator] | None = None
    reaction: Located[Integrator] | None = None
    diffusion: Located[Diffusion] | None = None
    equation: Located[Solver] | None = None

    def in_source_order(self) -> list[tuple[str, Located[Any]]]:
        """Parts and methods in source order."""
        methods = [(f.name, method) for f in fields(self) if (method := getattr(self, f.name)) is not None]
        return sorted(methods, key=lambda pair: pair[1].line)


def _parts() -> Mapping[str, Forms[Any]]:
    """The methods of each part, from the types of the fields."""
    hints = get_type_hints(Realizations)
    return MappingProxyType({f.name: forms_of(_method_classes(hints[f.name])) for f in fields(Realizations)})


def _method_classes(hint: Any) -> Any:
    chosen = next(arg for arg in get_args(hint) if get_args(arg))
    return get_args(chosen)[0]


PARTS = _parts()


# ---- Direction of time


class Direction(StrEnum):
    """Initial or terminal condition."""

    INITIAL = "initial"
    TERMINAL = "terminal"
