"""Attacks of an evaluation, and certificates against them. A list of eps is a sweep."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import assert_never

from pdedsl.config.base import Chance, Config, Count, Few, Forms, Natural, Nonnegative, Positive, Share, forms_of


class Norm(Enum):
    """ℓ∞ or ℓ2."""

    INF = "inf"
    TWO = "2"

    @property
    def sign(self) -> str:
        match self:
            case Norm.INF:
                return "ℓ∞"
            case Norm.TWO:
                return "ℓ2"
            case _:
                assert_never(self)


@dataclass(frozen=True, kw_only=True)
class Fgsm(Config):
    """Goodfellow, Shlens, Szegedy 2015."""

    norm: Norm = Norm.INF
    eps: tuple[Positive, ...]
    eot: Few = 1


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Steps along the gradient, of length 2.5 ε/steps where none is given; restarts begin at random points."""

    norm: Norm = Norm.INF
    eps: tuple[Positive, ...]
    step: Positive | None = None
    steps: Count = 20
    eot: Few = 1
    restarts: Count = 1


@dataclass(frozen=True, kw_only=True)
class Pgd(Steps, Config):
    """Madry et al. 2018."""


@dataclass(frozen=True, kw_only=True)
class Ifgsm(Steps, Config):
    """Kurakin, Goodfellow, Bengio 2017."""


@dataclass(frozen=True, kw_only=True)
class Difgsm(Steps, Config):
    """Xie et al. 2019: inputs are changed with a probability before each gradient."""

    probability: Share = Fraction(1, 2)


@dataclass(frozen=True, kw_only=True)
class Cw(Config):
    """Carlini, Wagner 2017; with ℓ∞ as Wang, Yuan, Shi, Osher 2020 have it, eq. 3.5."""

    norm: Norm = Norm.INF
    iterations: Count = 50
    lr: Positive = Fraction(1, 100)
    c: Positive = 1
    kappa: Nonnegative = 0
    eot: Few = 1


@dataclass(frozen=True, kw_only=True)
class Ddn(Config):
    """Rony et al. 2019."""

    steps: Count = 20
    eps: tuple[Positive, ...] = ()
    eot: Few = 1


@dataclass(frozen=True, kw_only=True)
class Boundary(Config):
    """Brendel, Rauber, Bethge 2018: decisions alone are asked for."""

    queries: Count = 1000
    step: Positive = Fraction(1, 10)
    eot: Few = 1


@dataclass(frozen=True, kw_only=True)
class Square(Config):
    """Andriushchenko et al. 2020: scores alone are asked for."""

    norm: Norm = Norm.INF
    eps: tuple[Positive, ...]
    queries: Count = 1000
    eot: Few = 1


class Ascended(Enum):
    """What APGD raises: the cross-entropy, or the difference of logits ratio."""

    CE = "ce"
    DLR = "dlr"


@dataclass(frozen=True, kw_only=True)
class Apgd(Config):
    """Croce, Hein 2020: steps of adapted length; with targets it aims at so many of the likeliest classes in turn."""

    norm: Norm = Norm.INF
    eps: tuple[Positive, ...]
    steps: Count = 100
    loss: Ascended = Ascended.CE
    targets: Natural = 0
    restarts: Count = 1
    eot: Few = 1


@dataclass(frozen=True, kw_only=True)
class Fab(Config):
    """Croce, Hein 2020: the nearest adversary, by projections to the linearised boundary, of the likeliest classes."""

    norm: Norm = Norm.INF
    eps: tuple[Positive, ...] = ()
    steps: Count = 100
    targets: Count = 9
    restarts: Count = 1
    eot: Few = 1


@dataclass(frozen=True, kw_only=True)
class Autoattack(Config):
    """Croce, Hein 2020: four attacks, the best of each sample."""

    norm: Norm = Norm.INF
    eps: tuple[Positive, ...]
    eot: Few = 1


Attack = Fgsm | Pgd | Ifgsm | Difgsm | Cw | Ddn | Boundary | Square | Apgd | Fab | Autoattack


def sizes_of(attack: Attack) -> tuple[Positive, ...]:
    """Every ε of a sweep; none where the nearest adversary is looked for instead."""
    match attack:
        case Cw() | Boundary():
            return ()
        case Fgsm() | Pgd() | Ifgsm() | Difgsm() | Ddn() | Square() | Apgd() | Fab() | Autoattack():
            return attack.eps
        case _:
            assert_never(attack)


ATTACKS: Forms[Attack] = forms_of(Attack)


@dataclass(frozen=True, kw_only=True)
class SmoothingCertificate(Config, keyword="randomized_smoothing", identifier="gaussian"):
    """A radius by randomized smoothing, right with probability 1 - alpha (Cohen, Rosenfeld, Kolter 2019).

    Of radii `at` it is asked whether they are certified, from as few draws as tell, n at most (Voráček 2024).
    """

    n0: Count = 100
    n: Count = 10000
    alpha: Chance = Fraction(1, 1000)
    at: tuple[Positive, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Lipschitz(Config):
    """A radius by the Lipschitz constant of the network."""


Certificate = SmoothingCertificate | Lipschitz
CERTIFICATES: Forms[Certificate] = forms_of(Certificate)
