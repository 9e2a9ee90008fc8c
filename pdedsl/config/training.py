"""Training: data augmentation, adversarial training, regularizers, losses, optimizers, schedules, precision."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Annotated

from pdedsl.config.base import (
    Config,
    Count,
    Forms,
    IntegerBounds,
    Natural,
    Nonnegative,
    Positive,
    Probability,
    Rate,
    Real,
    SmallCount,
    UnitInterval,
    forms_of,
)
from pdedsl.config.evaluation import NormOrder
from pdedsl.record import Record

# ---- training


class Crop(Config):
    """Random crop after zero-padding by `pad` pixels."""

    pad: Annotated[int, IntegerBounds(1, maximum=128)] = 4


class Flip(Config):
    """Random horizontal flip with probability ½."""


class GaussianAugmentation(Config, keyword="gaussian"):
    """Gaussian noise: x + std·n with n ~ N(0, I); values are not clipped to [0, 1]."""

    std: Positive


Augmentation = Crop | Flip | GaussianAugmentation
AUGMENTATIONS: Forms[Augmentation] = forms_of(Augmentation)


class FgsmAdversary(Config, keyword="fgsm"):
    """FGSM: one step of size eps along the (normalized) gradient (Goodfellow et al. 2015)."""

    norm: NormOrder = NormOrder.INF
    eps: Positive
    eot: SmallCount = 1


class PgdAdversary(Config, keyword="pgd"):
    """PGD from a random start (Madry et al. 2018); the default `step` is 2.5 eps/steps."""

    norm: NormOrder = NormOrder.INF
    eps: Positive
    step: Positive | None = None
    steps: Count = 10
    eot: SmallCount = 1


class IfgsmAdversary(Config, keyword="ifgsm"):
    """I-FGSM: PGD from the sample itself (Kurakin et al. 2017)."""

    norm: NormOrder = NormOrder.INF
    eps: Positive
    step: Positive | None = None
    steps: Count = 10
    eot: SmallCount = 1


Adversary = FgsmAdversary | PgdAdversary | IfgsmAdversary
ADVERSARIES: Forms[Adversary] = forms_of(Adversary)


class SmoothInTime(Config):
    """weight · ∫ φ_τ(∂_t θ) dt (Ruthotto, Haber 2018, eq. 13)."""

    weight: Nonnegative


class Weights(Config):
    """L2 penalty: weight · ½‖θ‖²."""

    weight: Nonnegative


Regularizer = SmoothInTime | Weights
REGULARIZERS: Forms[Regularizer] = forms_of(Regularizer)


class CrossEntropy(Config):
    """Cross-entropy: -log of the probability of the label; with label smoothing, the target is mixed with the uniform
    distribution (Szegedy et al. 2016)."""

    label_smoothing: UnitInterval = 0

    @property
    def idle(self) -> frozenset[str]:
        """The default is not part of the hash."""
        return frozenset(() if self.label_smoothing else {"label_smoothing"})


class Margin(Config):
    """Cross-entropy with a margin: the true-class logit minus 2√2 eps, at a temperature (Prach et al., CVPR 2024)."""

    eps: Positive
    temperature: Positive = Fraction(1, 4)


class Trades(Config):
    """TRADES: cross-entropy at x plus beta times KL(p(x) ‖ p(x′)), x′ by PGD on the divergence (Zhang et al. 2019)."""

    beta: Positive = 6


class Mart(Config):
    """MART: boosted cross-entropy at x′ plus beta times KL(p(x) ‖ p(x′)) weighted by 1 - p_y(x) (Wang et al. 2020)."""

    beta: Positive = 5


class Mixed(Config):
    """Cross-entropy at x and at the adversarial example x′, with the weights `clean` and 1 - `clean` (Goodfellow et al.
    2015)."""

    clean: UnitInterval = Fraction(1, 2)


Loss = CrossEntropy | Margin | Trades | Mart | Mixed
LOSSES: Forms[Loss] = forms_of(Loss)


class Precision(Enum):
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    BFLOAT16 = "bfloat16"


class WeightBox(Record):
    """`constrain K in [a, b]`: box constraint on the weights of an operator, by clipping."""

    operator: str
    low: Real
    high: Real


class Ema(Config):
    """Exponential moving average of the weights in the last phase; after t steps the decay is at most
    (1 + t)/(10 + t), so that the initial weights are forgotten."""

    decay: Probability = Fraction(999, 1000)


class Swa(Config):
    """Stochastic weight averaging: the mean of the weights after all steps of the last phase beyond the fraction
    `start` (Izmailov et al. 2018)."""

    start: UnitInterval = Fraction(3, 4)


WeightAverage = Ema | Swa
WEIGHT_AVERAGES: Forms[WeightAverage] = forms_of(WeightAverage)


class Awp(Config):
    """Adversarial weight perturbation: the gradient at w + gamma ‖w‖ g/‖g‖ with the gradient g of the loss at w, for
    each weight matrix (Wu, Xia, Wang 2020)."""

    gamma: Positive = Fraction(1, 200)


WeightPerturbation = Awp
WEIGHT_PERTURBATIONS: Forms[WeightPerturbation] = forms_of(WeightPerturbation)


class ValidationSelection(Config, keyword="validation"):
    """The weights with the highest accuracy on the validation samples; with `patience`, early stopping after so many
    validations without a higher one (Prechelt 1998)."""

    patience: Count | None = None


class RobustSelection(Config, keyword="robust"):
    """The weights with the highest accuracy on adversarial examples of the validation samples, computed by the
    `adversary` of the training (Rice, Wong, Kolter 2020); `patience` as for `validation`."""

    patience: Count | None = None


Selection = ValidationSelection | RobustSelection
SELECTIONS: Forms[Selection] = forms_of(Selection)


# ---- optimizers
# Optimizers and schedules of their learning rate.


class Sgd(Config):
    """Stochastic gradient descent."""

    lr: Rate = Fraction(1, 10)
    momentum: UnitInterval = 0
    weight_decay: Nonnegative = 0
    nesterov: bool = False


class Adam(Config):
    """Adam (Kingma, Ba 2015)."""

    lr: Rate = Fraction(1, 1000)
    weight_decay: Nonnegative = 0


class Adamw(Config):
    """AdamW (Loshchilov, Hutter 2019)."""

    lr: Rate = Fraction(1, 1000)
    weight_decay: Nonnegative = Fraction(1, 100)


class Lbfgs(Config):
    """L-BFGS, full-batch, with its own number of steps (Liu, Nocedal 1989)."""

    steps: Count = 1000
    lr: Rate = 1
    history: SmallCount = 50


Optimizer = Sgd | Adam | Adamw | Lbfgs
OPTIMIZERS: Forms[Optimizer] = forms_of(Optimizer)


class WarmedSchedule(Config):
    """A schedule after a linear warm-up; the default is not part of the hash."""

    @property
    def idle(self) -> frozenset[str]:
        return frozenset(() if getattr(self, "warmup", 0) else {"warmup"})


class Step(WarmedSchedule):
    """Multiplies the learning rate by `factor` at the given epochs, or every `every` epochs."""

    at: tuple[Natural, ...] = ()
    every: Count | None = None
    factor: Positive = Fraction(1, 10)
    warmup: Natural = 0


class Cosine(Config):
    """Cosine decay of the learning rate after a linear warm-up (Loshchilov, Hutter 2017)."""

    warmup: Natural = 0


class ConstantRate(WarmedSchedule, keyword="constant"):
    """Constant learning rate."""

    warmup: Natural = 0


Schedule = Step | Cosine | ConstantRate
SCHEDULES: Forms[Schedule] = forms_of(Schedule)
