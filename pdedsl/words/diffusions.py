"""Ways to realize diffusion: noise in the network, a term of its training, or draws of its input."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from pdedsl.words.integrators import Across
from pdedsl.words.params import Few, Many, Nonnegative, Positive, Steps
from pdedsl.words.word import Forms, Word, forms_of


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
class Noise(Word):
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
class Residual(Word):
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
class Retraining(Word):
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
class Sampling(Word):
    """Noise on the input alone (Cohen, Rosenfeld, Kolter 2019)."""

    samples: Many = 100


@dataclass(frozen=True, kw_only=True)
class Dropout(Word):
    """Hidden units dropped at random (Srivastava et al. 2014)."""

    members: Few = 1
    samples: Many = 1


@dataclass(frozen=True, kw_only=True)
class StochasticDepth(Word):
    """Residual maps dropped as a whole (Huang et al. 2016)."""

    members: Few = 1
    samples: Many = 1


@dataclass(frozen=True, kw_only=True)
class ShakeShake(Word):
    """Two branches shared at random (Gastaldi 2017)."""

    members: Few = 1
    samples: Many = 1


Diffusion = Noise | Residual | Retraining | Sampling | Dropout | StochasticDepth | ShakeShake
Drawn = Noise | Sampling | Dropout | StochasticDepth | ShakeShake
"""Those that take a number of draws."""
DIFFUSIONS: Forms[Diffusion] = forms_of(Diffusion)
