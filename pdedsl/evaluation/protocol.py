"""Evaluation protocol: the measurements of an `evaluate` block, one for every ε of a sweep and every seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pdedsl.config.base import Real
from pdedsl.config.blocks import EvaluateBlock
from pdedsl.config.evaluation import (
    Attack,
    Boundary,
    Certificate,
    Corruption,
    Cw,
    Ddn,
    GradientMasking,
    NoAudit,
    NormOrder,
    StandardProtocol,
    StochasticProtocol,
    levels_of,
    sizes_of,
)

AUDIT_SAMPLES = 100  # a difference of 3 % is 3 samples; the audit costs about 20 runs of PGD on each


@dataclass(frozen=True)
class CleanMeasurement:
    """Clean accuracy, loss and calibration."""

    @property
    def key(self) -> str:
        return "natural"


@dataclass(frozen=True)
class AttackMeasurement:
    """One attack with one ε (or none, for a minimum-norm attack) and one seed."""

    attack: Attack
    seed: int

    @property
    def key(self) -> str:
        return f"attack {self.attack.brief} seed {self.seed}"


@dataclass(frozen=True)
class CorruptionMeasurement:
    """Accuracy on corrupted inputs of one strength."""

    corruption: Corruption
    level: Real

    @property
    def key(self) -> str:
        return f"corrupt {self.corruption.name} {float(self.level):g}"

    @property
    def label(self) -> str:
        """`gaussian noise, std 0.1`; `fog, severity 3`."""
        (parameter,) = self.corruption.arguments
        return f"{self.corruption.name.replace('_', ' ')}, {parameter} {float(self.level):g}"


@dataclass(frozen=True)
class TransferMeasurement:
    """Transfer attack from the network `source` to the model; if `back`, from the model to `source`."""

    attack: Attack
    source: str
    back: bool
    seed: int

    @property
    def key(self) -> str:
        return f"transfer {self.attack.brief} {'to' if self.back else 'from'} {self.source} seed {self.seed}"


@dataclass(frozen=True)
class CertificateMeasurement:
    """Certified accuracy."""

    certificate: Certificate

    @property
    def key(self) -> str:
        name = self.certificate.identifier or self.certificate.name  # independent of the keyword: seeds derive from it
        return f"certify {str(self.certificate).replace(self.certificate.name, name, 1)}"

    @property
    def label(self) -> str:
        return f"certify {self.certificate}"


@dataclass(frozen=True)
class AuditMeasurement:
    """Gradient-masking audit at radius `eps` with `eot` noise samples per gradient, on at most `samples` inputs.

    If `eps` is None, it is the median distance of adversarial examples."""

    norm: NormOrder
    eps: float | None
    eot: int = 1
    samples: int = AUDIT_SAMPLES

    @property
    def key(self) -> str:
        eps = "" if self.eps is None else f" eps={self.eps:g}"
        eot = f" eot={self.eot}" if self.eot > 1 else ""
        samples = f" samples={self.samples}" if self.samples != AUDIT_SAMPLES else ""
        return f"audit gradient_masking norm={self.norm.value}{eps}{eot}{samples}"

    def rows(self, n: int) -> slice:
        """The audited samples, evenly spaced over all n."""
        return slice(0, None, -(-n // self.samples))


@dataclass(frozen=True)
class StochasticMeasurement:
    """Adaptive attacks on a stochastic or solver-based network within `eps`, on at most `samples` inputs."""

    norm: NormOrder
    eps: float
    seed: int
    samples: int = AUDIT_SAMPLES

    @property
    def key(self) -> str:
        samples = f" samples={self.samples}" if self.samples != AUDIT_SAMPLES else ""
        return f"protocol stochastic norm={self.norm.value} eps={self.eps:g}{samples} seed {self.seed}"

    def rows(self, n: int) -> slice:
        """The attacked samples, evenly spaced over all n."""
        return slice(0, None, -(-n // self.samples))


@dataclass(frozen=True)
class AgreementMeasurement:
    """Distance of a network to the Gaussian average of its base network, over `samples` noise samples."""

    samples: int = 100  # two averages of 100 samples agree on about 95 % of Fashion-MNIST

    @property
    def key(self) -> str:
        return f"Gaussian average samples={self.samples}"


Measurement = (
    CleanMeasurement
    | AttackMeasurement
    | CorruptionMeasurement
    | TransferMeasurement
    | CertificateMeasurement
    | AuditMeasurement
    | StochasticMeasurement
    | AgreementMeasurement
)


def measurement_label(measurement: Measurement) -> str:
    """The name of a measurement for users: its key, with the keyword of today."""
    return measurement.label if isinstance(measurement, CertificateMeasurement) else measurement.key


def measurements(block: EvaluateBlock, seeds: range, stochastic: bool = False) -> Iterator[Measurement]:
    """In the order of the block. Clean accuracy is always measured. `stochastic`: the network is stochastic or contains
    adaptive solvers, so that adaptive attacks are the default."""
    yield CleanMeasurement()
    for chosen in block.attack:
        for attack in sweep(chosen.config):
            yield from (AttackMeasurement(attack, seed) for seed in seeds)
    for corruption in block.corrupt:
        yield from (CorruptionMeasurement(corruption.config, level) for level in levels_of(corruption.config))
    for transfer in block.transfer:
        for attack in sweep(transfer.attack.config):
            for back in (False, True):
                yield TransferMeasurement(attack, transfer.source, back, seeds.start)
    for certificate in block.certify:
        yield CertificateMeasurement(certificate.config)
    yield from audits(block)
    yield from adaptive_attacks(block, seeds, stochastic)


def audits(block: EvaluateBlock) -> Iterator[AuditMeasurement]:
    """One audit per norm of the attacks, at the first ε, the one that is claimed, with the largest number of EOT
    samples in this norm; none with `audit none`."""
    choice = block.audit.config if block.audit else GradientMasking()
    if isinstance(choice, NoAudit):
        return
    attacks = [attack for chosen in block.attack for attack in sweep(chosen.config)]
    for norm, eps in _claimed_sizes(block).items():
        eot = max(attack.eot for attack in attacks if norm_of(attack) is norm)
        yield AuditMeasurement(norm, eps, eot, choice.samples or AUDIT_SAMPLES)


def adaptive_attacks(block: EvaluateBlock, seeds: range, stochastic: bool) -> Iterator[StochasticMeasurement]:
    """The protocol for stochastic networks, for every norm with an ε and every seed."""
    choice = block.protocol.config if block.protocol else StochasticProtocol() if stochastic else StandardProtocol()
    if isinstance(choice, StandardProtocol):
        return
    for norm, eps in _claimed_sizes(block).items():
        if eps is not None:
            yield from (StochasticMeasurement(norm, eps, seed, choice.samples or AUDIT_SAMPLES) for seed in seeds)


def _claimed_sizes(block: EvaluateBlock) -> dict[NormOrder, float | None]:
    """The first ε in each norm of the attacks, the one that is claimed; None if there is none."""
    attacks = [attack for chosen in block.attack for attack in sweep(chosen.config)]
    sizes: dict[NormOrder, float | None] = {}
    for attack in attacks:
        eps = eps_of(attack)
        if sizes.get(norm_of(attack)) is None:
            sizes[norm_of(attack)] = eps
    return sizes


def sweep(attack: Attack) -> Iterator[Attack]:
    """One attack for each ε in a list."""
    if isinstance(attack, Cw | Boundary) or not attack.eps:
        yield attack
    else:
        yield from (replace(attack, eps=(eps,)) for eps in attack.eps)


def eps_of(attack: Attack) -> float | None:
    """The ε of one attack of a sweep; None for a minimum-norm attack."""
    sizes = sizes_of(attack)
    return float(sizes[0]) if sizes else None


def norm_of(attack: Attack) -> NormOrder:
    return NormOrder.TWO if isinstance(attack, Ddn | Boundary) else attack.norm
