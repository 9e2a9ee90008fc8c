"""Attacks and certificates of an evaluation. A list of eps is a sweep."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Annotated, assert_never

from pdedsl.config.base import (
    Config,
    Count,
    Forms,
    IntegerBounds,
    Natural,
    Nonnegative,
    Positive,
    Probability,
    Real,
    SmallCount,
    UnitInterval,
    forms_of,
)


class NormOrder(Enum):
    """ℓ∞ or ℓ2."""

    INF = "inf"
    TWO = "2"

    @property
    def sign(self) -> str:
        match self:
            case NormOrder.INF:
                return "ℓ∞"
            case NormOrder.TWO:
                return "ℓ2"
            case _:
                assert_never(self)


class Fgsm(Config):
    """FGSM (Goodfellow, Shlens, Szegedy 2015)."""

    norm: NormOrder = NormOrder.INF
    eps: tuple[Positive, ...]
    eot: SmallCount = 1


class IteratedAttack(Config):
    """Iterated gradient steps; the default `step` is 2.5 ε/steps; restarts begin at random points."""

    norm: NormOrder = NormOrder.INF
    eps: tuple[Positive, ...]
    step: Positive | None = None
    steps: Count = 20
    eot: SmallCount = 1
    restarts: Count = 1


class Pgd(IteratedAttack):
    """PGD (Madry et al. 2018)."""


class Ifgsm(IteratedAttack):
    """I-FGSM (Kurakin, Goodfellow, Bengio 2017)."""


class Difgsm(IteratedAttack):
    """DI²-FGSM with random input diversity before each gradient (Xie et al. 2019)."""

    probability: UnitInterval = Fraction(1, 2)


class Cw(Config):
    """Carlini-Wagner attack (2017); the ℓ∞ version of Wang, Yuan, Shi, Osher 2020, eq. 3.5."""

    norm: NormOrder = NormOrder.INF
    iterations: Count = 50
    lr: Positive = Fraction(1, 100)
    c: Positive = 1
    kappa: Nonnegative = 0
    eot: SmallCount = 1


class Ddn(Config):
    """DDN, decoupled direction and norm (Rony et al. 2019)."""

    steps: Count = 20
    eps: tuple[Positive, ...] = ()
    eot: SmallCount = 1


class Boundary(Config):
    """Boundary attack, decision-based (Brendel, Rauber, Bethge 2018)."""

    queries: Count = 1000
    step: Positive = Fraction(1, 10)
    eot: SmallCount = 1


class Square(Config):
    """Square attack, score-based (Andriushchenko et al. 2020)."""

    norm: NormOrder = NormOrder.INF
    eps: tuple[Positive, ...]
    queries: Count = 1000
    eot: SmallCount = 1


class ApgdLoss(Enum):
    """The loss of APGD: cross-entropy, or difference of logits ratio (DLR)."""

    CE = "ce"
    DLR = "dlr"


class Apgd(Config):
    """APGD, PGD with adaptive step size (Croce, Hein 2020); targeted at the `targets` most likely classes if given."""

    norm: NormOrder = NormOrder.INF
    eps: tuple[Positive, ...]
    steps: Count = 100
    loss: ApgdLoss = ApgdLoss.CE
    targets: Natural = 0
    restarts: Count = 1
    eot: SmallCount = 1


class Fab(Config):
    """FAB: nearest adversarial example by projection onto the linearized decision boundary (Croce, Hein 2020)."""

    norm: NormOrder = NormOrder.INF
    eps: tuple[Positive, ...] = ()
    steps: Count = 100
    targets: Count = 9
    restarts: Count = 1
    eot: SmallCount = 1


class AutoattackVersion(Enum):
    """Versions of AutoAttack: `plus` has more restarts, `rand` is for stochastic networks, with 20 noise samples per
    gradient."""

    STANDARD = "standard"
    PLUS = "plus"
    RAND = "rand"


class Autoattack(Config):
    """AutoAttack (Croce, Hein 2020): the worst case of several attacks per sample."""

    norm: NormOrder = NormOrder.INF
    eps: tuple[Positive, ...]
    eot: SmallCount = 1
    version: AutoattackVersion = AutoattackVersion.STANDARD

    @property
    def idle(self) -> frozenset[str]:
        """The default is not part of the hash."""
        return frozenset({"version"} if self.version is AutoattackVersion.STANDARD else ())


Attack = Fgsm | Pgd | Ifgsm | Difgsm | Cw | Ddn | Boundary | Square | Apgd | Fab | Autoattack


def sizes_of(attack: Attack) -> tuple[Positive, ...]:
    """Every ε of a sweep; none for minimal-norm attacks."""
    match attack:
        case Cw() | Boundary():
            return ()
        case Fgsm() | Pgd() | Ifgsm() | Difgsm() | Ddn() | Square() | Apgd() | Fab() | Autoattack():
            return attack.eps
        case _:
            assert_never(attack)


def label_of(attack: Attack) -> str:
    """The name of an attack in papers, with its number of steps or queries: PGD-20, Square-1000."""
    match attack:
        case Fgsm():
            name = "FGSM"
        case Pgd(steps=steps):
            name = f"PGD-{steps}"
        case Ifgsm(steps=steps):
            name = f"I-FGSM-{steps}"
        case Difgsm(steps=steps):
            name = f"DI²-FGSM-{steps}"
        case Cw(iterations=steps):
            name = f"C&W-{steps}"
        case Ddn(steps=steps):
            name = f"DDN-{steps}"
        case Boundary(queries=queries):
            name = f"Boundary-{queries}"
        case Square(queries=queries):
            name = f"Square-{queries}"
        case Apgd(steps=steps, loss=loss, targets=targets):
            name = f"APGD-{'T' if targets else loss.name}-{steps}"
        case Fab(steps=steps):
            name = f"FAB-{steps}"
        case Autoattack(version=AutoattackVersion.STANDARD):
            name = "AutoAttack"
        case Autoattack(version=version):
            name = f"AutoAttack {version.value}"
        case _:
            assert_never(attack)
    restarts = getattr(attack, "restarts", 1)
    name += f", {restarts} restarts" if restarts > 1 else ""
    return name + (f", EOT-{attack.eot}" if attack.eot > 1 else "")


ATTACKS: Forms[Attack] = forms_of(Attack)


class GaussianNoise(Config):
    """Gaussian noise on the input: x + std·ξ with ξ ~ N(0, I)."""

    std: tuple[Positive, ...]


class UniformNoise(Config):
    """Random noise in the ℓ∞ ball: every component is uniform in [-eps, eps]."""

    eps: tuple[Positive, ...]


class ImageCorruption(Config):
    """A corruption of images in [0, 1] by severities from 1 to 5."""

    severity: tuple[Annotated[int, IntegerBounds(1, maximum=5)], ...] = (1, 2, 3, 4, 5)


class ShotNoise(ImageCorruption):
    """Poisson noise of photon counts."""


class ImpulseNoise(ImageCorruption):
    """Salt-and-pepper noise."""


class DefocusBlur(ImageCorruption):
    """Convolution with a disc."""


class MotionBlur(ImageCorruption):
    """Convolution with a line segment of random direction."""


class ZoomBlur(ImageCorruption):
    """Mean of magnified images."""


class Fog(ImageCorruption):
    """Mixture with a random field of spectrum 1/k²."""


class Brightness(ImageCorruption):
    """A constant is added to all pixels."""


class Contrast(ImageCorruption):
    """Deviations from the mean of the image are reduced."""


class ElasticTransform(ImageCorruption):
    """Displacement by a smooth random field (Simard, Steinkraus, Platt 2003)."""


class Pixelate(ImageCorruption):
    """Reduction of the resolution by means over blocks."""


class JpegCompression(ImageCorruption):
    """Quantization of the cosine transform of 8 × 8 blocks (Wallace 1992)."""


NoiseOnInput = GaussianNoise | UniformNoise
ImageCorruptionKind = (
    ShotNoise
    | ImpulseNoise
    | DefocusBlur
    | MotionBlur
    | ZoomBlur
    | Fog
    | Brightness
    | Contrast
    | ElasticTransform
    | Pixelate
    | JpegCompression
)
Corruption = NoiseOnInput | ImageCorruptionKind
CORRUPTIONS: Forms[Corruption] = forms_of(Corruption)


def levels_of(corruption: Corruption) -> tuple[Real, ...]:
    """The strengths: standard deviations, ℓ∞ radii or severities."""
    match corruption:
        case GaussianNoise(std=levels) | UniformNoise(eps=levels):
            return levels
        case ImageCorruption(severity=severities):
            return tuple(map(Fraction, severities))


class SmoothingCertificate(Config, keyword="randomized_smoothing", identifier="gaussian"):
    """Certified radius by randomized smoothing, with failure probability alpha (Cohen, Rosenfeld, Kolter 2019).

    With `at`, a sequential test decides the given radii with at most n noise samples (Voráček 2024).
    """

    n0: Count = 100
    n: Count = 10000
    alpha: Probability = Fraction(1, 1000)
    at: tuple[Positive, ...] = ()


class LipschitzCertificate(Config, keyword="lipschitz"):
    """Certified radius by the Lipschitz constant of the network."""


Certificate = SmoothingCertificate | LipschitzCertificate
CERTIFICATES: Forms[Certificate] = forms_of(Certificate)


class GradientMasking(Config):
    """Gradient-masking audit of the attacks, on `samples` test samples; 100 by default."""

    samples: Count | None = None


class NoAudit(Config, keyword="none"):
    """No gradient-masking audit."""


AuditChoice = GradientMasking | NoAudit


class StochasticProtocol(Config, keyword="stochastic"):
    """Adaptive attacks for stochastic and solver-based networks, on `samples` test samples; 100 by default. Default for
    such networks."""

    samples: Count | None = None


class StandardProtocol(Config, keyword="standard"):
    """The attacks of the block only. Default for deterministic networks."""


Protocol = StochasticProtocol | StandardProtocol
PROTOCOLS: Forms[Protocol] = forms_of(Protocol)
