"""Methods in time: each is one record of `pdedsl.numerics.butcher`, whose word and signature are made here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum, StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, assert_never, get_args, get_type_hints

from pdedsl.config.base import (
    Config,
    Few,
    Form,
    Forms,
    Located,
    Many,
    Nonnegative,
    Paired,
    Positive,
    Record,
    Sampled,
    Steps,
    Whole,
    Width,
    forms_of,
)
from pdedsl.numerics.butcher import ADAPTIVE, EULER, EXPLICIT, EmbeddedRungeKutta, RungeKutta

# ---- integrators


class Across(Enum):
    """Whether a size is one sample's own, or that of the batch."""

    SAMPLE = "sample"
    BATCH = "batch"


class Start(Enum):
    """The first step of leapfrog from rest: ½δt² F(Y), or δt² F(Y) as the paper prints it."""

    CONSISTENT = "consistent"
    PAPER = "paper"


@dataclass(frozen=True, kw_only=True)
class Fixed(Config):
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
class BackwardEuler(Config):
    """Backward Euler, its inverse a series of so many terms (Zhang et al. 2017: PolyNet)."""

    steps: Steps | None = None
    terms: Few = 2


@dataclass(frozen=True, kw_only=True)
class Verlet(Config):
    """Half-steps of a pair, each half by a function of the other."""

    steps: Steps | None = None


@dataclass(frozen=True, kw_only=True)
class Leapfrog(Config):
    """Y₊ = 2Y - Y₋ + δt² F(Y)."""

    steps: Steps | None = None
    start: Start = Start.CONSISTENT


@dataclass(frozen=True, kw_only=True)
class Adaptive(Config):
    """A Runge-Kutta pair that chooses its steps by tolerances. `adjoint`: gradients by solving backwards."""

    method: Annotated[EmbeddedRungeKutta, Record()]
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


# ---- diffusions
# Ways to realize diffusion: noise in the network, a term of its training, or draws of its input.


class Scale(Enum):
    """The size of noise: that of the equation, or a multiple of the state's own."""

    EXACT = "exact"
    RELATIVE = "relative"


class Law(Enum):
    GAUSSIAN = "gaussian"
    LAPLACE = "laplace"


class Scores(Enum):
    """What is averaged or differentiated: class probabilities, or the scores before their softmax."""

    PROBABILITIES = "probabilities"
    LOGITS = "logits"


class Weighting(Enum):
    """How much each member counts."""

    EQUAL = "equal"
    LEARNED = "learned"


class Training(Enum):
    """Members by the loss of their mean, or each by its own."""

    JOINT = "joint"
    APART = "apart"


class Laplacian(Enum):
    """Δg by random differences, squared as the paper prints them or as a product of two, or exactly."""

    BIASED = "biased"
    UNBIASED = "unbiased"
    EXACT = "exact"


class InTime(Enum):
    """∂g/∂t by forward differentiation, or by central differences."""

    FORWARD = "forward"
    CENTRAL = "central"


class Instants(Enum):
    """The residual at all times, or at one of them for each sample."""

    ALL = "all"
    ONE = "one"


class Weights(Enum):
    """Where a step of retraining starts."""

    WARM = "warm"
    FRESH = "fresh"


class Gradient(Enum):
    """‖∇v‖² without bias, or in the scale of the published code."""

    UNBIASED = "unbiased"
    PAPER = "paper"


class InSpace(Enum):
    """∇v by forward differentiation, or by differences."""

    FORWARD = "forward"
    DIFFERENCES = "differences"


@dataclass(frozen=True, kw_only=True)
class Noise(Config):
    """Noise behind each step, averaged over members and draws (Wang, Yuan, Shi, Osher 2020)."""

    members: Few = 1
    samples: Many = 1
    scale: Scale = Scale.EXACT
    kind: Law = Law.GAUSSIAN
    across: Across = Across.SAMPLE
    average: Scores = Scores.PROBABILITIES
    weights: Weighting = Weighting.EQUAL
    training: Training = Training.JOINT

    @property
    def idle(self) -> frozenset[str]:
        return frozenset(() if self.scale is Scale.RELATIVE else {"across"})


@dataclass(frozen=True, kw_only=True)
class ResidualPenalty(Config, identifier="residual"):
    """‖∂g/∂t - νΔg‖² as a term of the loss (Wang, Tao, Bao, Shi 2020, section 4)."""

    weight: Nonnegative = Fraction(1, 20)
    h: Positive = Fraction(1, 10)
    tau: Positive = Fraction(1, 10000)
    probes: Few = 1
    times: tuple[Nonnegative, ...] = (0, 1)
    jitter: Nonnegative = Fraction(1, 5)
    estimator: Laplacian = Laplacian.BIASED
    derivative: InTime = InTime.FORWARD
    of: Scores = Scores.PROBABILITIES
    instants: Instants = Instants.ALL

    @property
    def idle(self) -> frozenset[str]:
        tau = {"tau"} if self.derivative is InTime.FORWARD else set()
        instants = {"instants"} if len(self.times) == 1 else set()
        return frozenset(tau | instants | ({"h", "probes"} if self.estimator is Laplacian.EXACT else set()))


@dataclass(frozen=True, kw_only=True)
class HeatSmoothing(Config, identifier="retraining"):
    """Heat smoothing by steps of implicit Euler, each a training (Campbell, Finlay, Oberman 2020)."""

    steps: Steps = 5
    weight: Positive = Fraction(1, 2)
    probes: Few = 10
    delta: Positive = Fraction(1, 10)
    start: Weights = Weights.WARM
    estimator: Gradient = Gradient.UNBIASED
    derivative: InSpace = InSpace.FORWARD

    @property
    def idle(self) -> frozenset[str]:
        return frozenset({"delta"} if self.derivative is InSpace.FORWARD else ())


@dataclass(frozen=True, kw_only=True)
class RandomizedSmoothing(Config, identifier="sampling"):
    """Noise on the input alone (Cohen, Rosenfeld, Kolter 2019)."""

    samples: Many = 100


@dataclass(frozen=True, kw_only=True)
class Dropout(Config):
    """Hidden units dropped at random (Srivastava et al. 2014)."""

    members: Few = 1
    samples: Many = 1


@dataclass(frozen=True, kw_only=True)
class StochasticDepth(Config):
    """Residual maps dropped as a whole (Huang et al. 2016)."""

    members: Few = 1
    samples: Many = 1


@dataclass(frozen=True, kw_only=True)
class ShakeShake(Config):
    """Two branches shared at random (Gastaldi 2017)."""

    members: Few = 1
    samples: Many = 1


Diffusion = Noise | ResidualPenalty | HeatSmoothing | RandomizedSmoothing | Dropout | StochasticDepth | ShakeShake
Drawn = Noise | RandomizedSmoothing | Dropout | StochasticDepth | ShakeShake
"""Those that take a number of draws."""
DIFFUSIONS: Forms[Diffusion] = forms_of(Diffusion)


# ---- solvers
# Ways to solve a physical equation.


@dataclass(frozen=True, kw_only=True)
class Pinn(Config, identifier="residual"):
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
class Grid(Config):
    """The reference solver on n points a side: a Fourier series, collocation, finite volumes or differences."""

    n: Width = 128
    extent: Positive | None = None


@dataclass(frozen=True, kw_only=True)
class MonteCarlo(Config, identifier="paths"):
    """Means over random paths at single points, with intervals of 95 % (Feynman-Kac; Øksendal, chapters 8 and 9)."""

    samples: Sampled = 10_000
    steps: Paired = 32


@dataclass(frozen=True, kw_only=True)
class RandomFeatures(Config, identifier="features"):
    """n sines of random frequencies, weighed by least squares (Rahimi, Recht 2007; Dong, Li 2021).

    The bandwidth of the frequencies is found, one for each coordinate, if it is left out; `weight` is that of
    conditions beside equations.
    """

    n: Annotated[int, Whole(1, most=20_000)] | None = None
    points: Many | None = None
    bandwidth: Positive | None = None
    weight: Positive = 30


Solver = RandomFeatures | Pinn | Grid | MonteCarlo
SOLVERS: Forms[Solver] = forms_of(Solver)


# ---- realizations
# `realize PART by METHOD`: what a spec says of each part of its equation.


@dataclass(frozen=True, kw_only=True)
class Realizations:
    """The methods that were chosen, each at most once."""

    time: Located[Integrator] | None = None
    convection: Located[Integrator] | None = None
    reaction: Located[Integrator] | None = None
    diffusion: Located[Diffusion] | None = None
    equation: Located[Solver] | None = None

    def written(self) -> list[tuple[str, Located[Any]]]:
        """Parts and methods in the order of the text."""
        found = [(f.name, method) for f in fields(self) if (method := getattr(self, f.name)) is not None]
        return sorted(found, key=lambda pair: pair[1].line)


def _parts() -> Mapping[str, Forms[Any]]:
    """The words of each part, from the types of the fields."""
    hints = get_type_hints(Realizations)
    return MappingProxyType({f.name: forms_of(_words(hints[f.name])) for f in fields(Realizations)})


def _words(hint: Any) -> Any:
    chosen = next(arg for arg in get_args(hint) if get_args(arg))
    return get_args(chosen)[0]


PARTS = _parts()


# ---- directions
# Which datum of an evolution is given.


class Direction(StrEnum):
    """The first datum, or the last."""

    INITIAL = "initial"
    TERMINAL = "terminal"
