"""What is to be measured: an `evaluate` block, with a separate measurement for every ε of a sweep and every seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from pdedsl.config.blocks import EvaluateBlock
from pdedsl.config.evaluation import (
    Apgd,
    Attack,
    Autoattack,
    Boundary,
    Certificate,
    Cw,
    Ddn,
    Difgsm,
    Fab,
    Fgsm,
    Ifgsm,
    Norm,
    Pgd,
    Square,
    sizes_of,
)


@dataclass(frozen=True)
class Natural:
    """The samples as they are."""

    @property
    def key(self) -> str:
        return "natural"


@dataclass(frozen=True)
class Attacked:
    """One attack, with one ε or none, from one seed."""

    attack: Attack
    seed: int

    @property
    def key(self) -> str:
        return f"attack {self.attack.brief} seed {self.seed}"


@dataclass(frozen=True)
class Transferred:
    """Adversarial examples of one network tried on another: of `source` on this one; if `back`, the reverse."""

    attack: Attack
    source: str
    back: bool
    seed: int

    @property
    def key(self) -> str:
        ways = ("to", "from") if self.back else ("from", "to")
        return f"transfer {self.attack.brief} {ways[0]} {self.source} seed {self.seed}"


@dataclass(frozen=True)
class Certified:
    certificate: Certificate

    @property
    def key(self) -> str:
        return f"certify {self.certificate}"


@dataclass(frozen=True)
class Audited:
    """Are gradients masked around this ε? Examined at a few samples, with averages over `eot` draws.

    If no ε is given, around the typical distance of adversarial examples."""

    norm: Norm
    eps: float | None
    eot: int = 1

    @property
    def key(self) -> str:
        draws = f" eot={self.eot}" if self.eot > 1 else ""
        size = "" if self.eps is None else f" eps={self.eps:g}"
        return f"audit gradient_masking norm={self.norm.value}{size}{draws}"


Measurement = Natural | Attacked | Transferred | Certified | Audited


def measurements(block: EvaluateBlock, seeds: range) -> Iterator[Measurement]:
    """In the order of the block. The natural figures are always included: all others are read against them."""
    yield Natural()
    for chosen in block.attack:
        for attack in sweep(chosen.word):
            yield from (Attacked(attack, seed) for seed in seeds)
    for transfer in block.transfer:
        for attack in sweep(transfer.attack.word):
            for back in (False, True):
                yield Transferred(attack, transfer.source, back, seeds.start)
    for certificate in block.certify:
        yield Certified(certificate.word)
    yield from audits(block)


def audits(block: EvaluateBlock) -> Iterator[Audited]:
    """One for each norm in which there is an accuracy under attack, at the smallest ε, where most is left to doubt.

    It averages as many draws as the attack in this norm that averages the most.
    """
    attacks = [attack for chosen in block.attack for attack in sweep(chosen.word)]
    for norm in dict.fromkeys(map(norm_of, attacks)):
        same = [attack for attack in attacks if norm_of(attack) is norm]
        sizes = [eps for attack in same if (eps := eps_of(attack)) is not None]
        yield Audited(norm, min(sizes, default=None), max(attack.eot for attack in same))


def sweep(attack: Attack) -> Iterator[Attack]:
    """One attack for each ε in a list."""
    match attack:
        case Cw() | Boundary():
            yield attack
        case Ddn(eps=()) | Fab(eps=()):
            yield attack
        case Fgsm() | Pgd() | Ifgsm() | Difgsm() | Ddn() | Square() | Apgd() | Fab() | Autoattack():
            yield from (replace(attack, eps=(eps,)) for eps in attack.eps)
        case _:
            assert_never(attack)


def eps_of(attack: Attack) -> float | None:
    """The ε of one attack of a sweep; None if it searches for the nearest adversarial example instead."""
    sizes = sizes_of(attack)
    return float(sizes[0]) if sizes else None


def norm_of(attack: Attack) -> Norm:
    match attack:
        case Ddn() | Boundary():
            return Norm.TWO
        case Fgsm() | Pgd() | Ifgsm() | Difgsm() | Cw() | Square() | Apgd() | Fab() | Autoattack():
            return attack.norm
        case _:
            assert_never(attack)
