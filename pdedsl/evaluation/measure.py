"""One measurement on one batch: columns with a value per sample, from which the metrics are computed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, assert_never

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from pdedsl import attacks, certificates
from pdedsl.attacks import L2, Box, Predictor, Result, audit, evaluate_stochastic
from pdedsl.config.base import Real
from pdedsl.config.evaluation import (
    Attack,
    Certificate,
    Corruption,
    LipschitzCertificate,
    SmoothingCertificate,
)
from pdedsl.data.corruptions import corrupt
from pdedsl.evaluation.protocol import (
    AgreementMeasurement,
    AttackMeasurement,
    AuditMeasurement,
    CertificateMeasurement,
    CleanMeasurement,
    CorruptionMeasurement,
    Measurement,
    StochasticMeasurement,
    TransferMeasurement,
)
from pdedsl.frozen_model import Model, frozen_state, modules_of
from pdedsl.runtime.rng import seed_noise

# ---- Model under evaluation


class CertificateScope(Enum):
    """Scope of a certificate, stated beside the radii."""

    NETWORK = "certifies the network itself"
    SMOOTHED = "certifies the Gaussian-smoothed classifier, not the base network"
    MAJORITY_VOTE = (
        "certifies the smoothed classifier: the majority vote under the Gaussian input noise of the equation"
    )
    ESTIMATE = "estimate, not a guarantee: valid only if the network equals the exact Gaussian average of its base"


@dataclass(frozen=True)
class Smoothing:
    """Randomized smoothing: E f(x + sξ) with s = `std`, ξ ~ N(0, I) and f = `base`.

    `exact`: the evaluated network is this average, up to its finite number of noise samples.
    """

    std: float
    base: Model
    exact: bool

    @property
    def claim(self) -> CertificateScope:
        return CertificateScope.MAJORITY_VOTE if self.exact else CertificateScope.SMOOTHED


@dataclass(frozen=True)
class EvaluatedModel:
    """`sources` are the source networks of transfer attacks, by name; `surrogates` are networks with the same weights
    whose adversarial examples are transferred to the model, by name; `base` is the network before heat smoothing."""

    model: Model
    box: Box = field(default_factory=Box)
    smoothing: Smoothing | None = None
    sources: Mapping[str, Model] = field(default_factory=dict)
    surrogates: Mapping[str, Model] = field(default_factory=dict)
    base: Model | None = None

    @property
    def module(self) -> nn.Module | None:
        return self.model if isinstance(self.model, nn.Module) else None


# ---- Measurements


Columns = Mapping[str, Sequence[Any]]
"""Columns by name, each with a value per sample."""


def measure_batch(measurement: Measurement, subject: EvaluatedModel, x: Tensor, y: Tensor, seed: int) -> Columns:
    """The columns of a batch; a function of the arguments only, independent of earlier measurements."""
    models = [subject.model, *subject.sources.values(), *(() if subject.base is None else (subject.base,))]
    modules = list(dict.fromkeys(module for model in models for module in modules_of(model)))
    with frozen_state(modules, seed):
        for module in modules:
            seed_noise(module, seed, row=0)  # the same in every process
        return _measure(measurement, subject, x, y, seed)


def _measure(measurement: Measurement, subject: EvaluatedModel, x: Tensor, y: Tensor, seed: int) -> Columns:
    match measurement:
        case CleanMeasurement():
            return _measure_clean(subject.model, x, y, seed)
        case AttackMeasurement(attack=attack):
            return _measure_attack(attack, subject, x, y, seed)
        case CorruptionMeasurement(corruption=corruption, level=level):
            return _measure_corrupted(subject, x, y, corruption, level, seed)
        case TransferMeasurement(attack=attack, source=name, back=back):
            pair = (subject.model, subject.sources[name]) if back else (subject.sources[name], subject.model)
            return _measure_transfer(attack, *pair, subject, x, y, seed)
        case CertificateMeasurement(certificate=certificate):
            return _measure_certificate(certificate, subject, x, seed)
        case AuditMeasurement():
            return _measure_masking(subject, x, y, measurement, seed)
        case StochasticMeasurement():
            return _measure_stochastic(subject, x, y, measurement, seed)
        case AgreementMeasurement(samples=samples):
            return _measure_agreement(subject, x, samples, seed)
        case _:
            assert_never(measurement)


def _measure_clean(model: Model, x: Tensor, y: Tensor, seed: int) -> Columns:
    """The predicted label, its probability, and the cross-entropy."""
    logits, draws = _predict(model, x, seed)
    if int(y.max()) >= logits.shape[1]:
        raise ValueError(f"label {int(y.max())} is out of range: the model returns {logits.shape[1]} logits")
    top = logits.softmax(1).max(1)
    return {
        "label": y.tolist(),
        "predicted": top.indices.tolist(),
        "confidence": top.values.tolist(),
        "loss": cross_entropy(logits, y, reduction="none").tolist(),
        "classes": [logits.shape[1]] * len(x),
        "draws": [draws] * len(x),
    }


def _predict(model: Model, x: Tensor, seed: int) -> tuple[Tensor, int]:
    predictor = Predictor(model)
    with predictor.frozen(x, seed):
        return predictor.predict(x).double(), predictor.draws


def _measure_attack(attack: Attack, subject: EvaluatedModel, x: Tensor, y: Tensor, seed: int) -> Columns:
    result = run_attack(attack, Predictor(subject.model, eot=attack.eot), x, y, subject.box, seed)
    return {
        "fooled": result.fooled.tolist(),
        "distance": result.distances.tolist(),
        "euclidean": L2().length((result.x - x).double()).tolist(),
        "draws": [result.draws] * len(x),
        "rows": [result.rows / len(x)] * len(x),
    }


def _measure_corrupted(
    subject: EvaluatedModel, x: Tensor, y: Tensor, corruption: Corruption, level: Real, seed: int
) -> Columns:
    """Whether corrupted inputs are misclassified; all networks get the same ones."""
    corrupted = corrupt(x, corruption, level, torch.Generator(x.device).manual_seed(seed))
    logits, draws = _predict(subject.model, corrupted.clamp(*subject.box.ends(x)), seed)
    return {"fooled": (logits.argmax(1) != y).tolist(), "draws": [draws] * len(x)}


def _measure_transfer(
    attack: Attack, source: Model, target: Model, subject: EvaluatedModel, x: Tensor, y: Tensor, seed: int
) -> Columns:
    """Adversarial examples of the source network, evaluated on the target network."""
    result = run_attack(attack, Predictor(source, eot=attack.eot), x, y, subject.box, seed)
    logits, draws = _predict(target, result.x, seed)
    return {
        "fooled": (logits.argmax(1) != y).tolist(),
        "source_fooled": result.fooled.tolist(),
        "draws": [draws] * len(x),
    }


def _measure_masking(
    subject: EvaluatedModel, x: Tensor, y: Tensor, measurement: AuditMeasurement, seed: int
) -> Columns:
    """The checks of the gradient-masking audit, its ε, and the loss landscape."""
    result = audit(
        Predictor(subject.model, eot=measurement.eot),
        x,
        y,
        eps=measurement.eps,
        norm=measurement.norm.value,
        bounds=subject.box,
        surrogates=tuple(subject.surrogates.values()),
        seed=seed,
    )
    return {
        "check": [finding.name for finding in result.findings],
        "suspicious": [finding.suspicious for finding in result.findings],
        "text": [finding.text for finding in result.findings],
        "samples": [len(x)],
        "adversarial": result.fooled,
        "eps": [result.eps],
        "sizes": result.landscape.sizes,
        "along": result.landscape.along,
        "across": result.landscape.across,
    }


def _measure_stochastic(
    subject: EvaluatedModel, x: Tensor, y: Tensor, measurement: StochasticMeasurement, seed: int
) -> Columns:
    """The adaptive attacks with their successes, the curve over noise samples, and the checks."""
    result = evaluate_stochastic(
        subject.model,
        x,
        y,
        eps=measurement.eps,
        norm=measurement.norm.value,
        bounds=subject.box,
        surrogates=subject.surrogates,
        seed=seed,
    )
    return {
        "check": [finding.name for finding in result.findings],
        "suspicious": [finding.suspicious for finding in result.findings],
        "text": [finding.text for finding in result.findings],
        "samples": [len(x)],
        "adversarial": result.fooled,
        "noise samples": [number for number, _ in result.eot_curve],
        "accuracy": [accuracy for _, accuracy in result.eot_curve],
        "converged": [result.converged],
        "attack": [name for name, _ in result.found],
        "found": [number for _, number in result.found],
        "undecided": [result.undecided],
        "known noise": [result.known_noise],
    }


def _measure_agreement(subject: EvaluatedModel, x: Tensor, samples: int, seed: int) -> Columns:
    """Whether the network and its base predict the class of the Gaussian average, and their ℓ1 distances to it."""
    assert subject.base is not None
    assert subject.smoothing is not None
    generator = torch.Generator(x.device).manual_seed(seed)
    average = torch.zeros(())
    with torch.no_grad():
        for _ in range(samples):
            noise = torch.randn(x.shape, generator=generator, dtype=x.dtype, device=x.device)
            average = average + subject.base(x + subject.smoothing.std * noise).softmax(-1) / samples
        columns: dict[str, Sequence[Any]] = {}
        for name, model in (("network", subject.model), ("base", subject.base)):
            p = model(x).softmax(-1)
            columns[f"{name} agrees"] = (p.argmax(-1) == average.argmax(-1)).tolist()
            columns[f"{name} distance"] = (p - average).abs().sum(-1).tolist()
    return columns


def _measure_certificate(certificate: Certificate, subject: EvaluatedModel, x: Tensor, seed: int) -> Columns:
    match certificate:
        case SmoothingCertificate(at=()):
            assert subject.smoothing is not None
            return _gaussian(subject.smoothing, x, certificate, seed)
        case SmoothingCertificate():
            assert subject.smoothing is not None
            return _gaussian_at(subject.smoothing, x, certificate, seed)
        case LipschitzCertificate():
            return _lipschitz(subject, x, seed)
        case _:
            assert_never(certificate)


def _gaussian(smoothing: Smoothing, x: Tensor, config: SmoothingCertificate, seed: int) -> Columns:
    n0, n, alpha = config.n0, config.n, float(config.alpha)
    result = certificates.gaussian(smoothing.base, x, sigma=smoothing.std, n0=n0, n=n, alpha=alpha, seed=seed)
    return {
        "class": result.classes.tolist(),
        "radius": result.radii.tolist(),
        "lipschitz": result.lipschitz.tolist(),
        "paper": result.paper.tolist(),
        "draws": result.draws.tolist(),
    }


def _gaussian_at(smoothing: Smoothing, x: Tensor, config: SmoothingCertificate, seed: int) -> Columns:
    """Sequential test of the given radii, with as few noise samples as the decision needs."""
    radii, alpha = [float(r) for r in config.at], float(config.alpha)
    result = certificates.gaussian_at(
        smoothing.base, x, sigma=smoothing.std, radii=radii, n0=config.n0, max_samples=config.n, alpha=alpha, seed=seed
    )
    return {"class": result.classes.tolist(), "radius": result.radii.tolist(), "draws": result.draws.tolist()}


def _lipschitz(subject: EvaluatedModel, x: Tensor, seed: int) -> Columns:
    """From the Lipschitz constant of the network, or the estimate s√(π/2)(p_A − p_B) for a Gaussian average."""
    if has_lipschitz_constant(subject.model):
        result = certificates.lipschitz(subject.model, x)
        return {"class": result.classes.tolist(), "radius": result.radii.tolist()}
    assert subject.smoothing is not None
    logits, draws = _predict(subject.model, x, seed)
    top = logits.softmax(1).topk(2, dim=1)
    radii = subject.smoothing.std * math.sqrt(math.pi / 2.0) * (top.values[:, 0] - top.values[:, 1])
    return {"class": top.indices[:, 0].tolist(), "radius": radii.tolist(), "draws": [draws] * len(x)}


def has_lipschitz_constant(model: Model) -> bool:
    constant = getattr(model, "lipschitz_constant", None)
    return callable(constant) and math.isfinite(constant())


# ---- Attacks of an `evaluate` block, run by the functions of `pdedsl.attacks` with the same names and arguments


def run_attack(attack: Attack, predictor: Predictor, x: Tensor, y: Tensor, box: Box, seed: int) -> Result:
    """Run one attack of a sweep; the number of EOT samples is that of the predictor."""
    arguments = {key: _plain(value) for key, value in attack.arguments.items() if key != "eot"}
    result: Result = getattr(attacks, attack.name)(predictor, x, y, bounds=box, seed=seed, **arguments)
    return result


def _plain(value: object) -> object:
    """A fraction as a float; a list of one ε, as a sweep leaves it, as that ε; a norm as its name."""
    match value:
        case (only,):
            return _plain(only)
        case Fraction():
            return float(value)
        case Enum():
            return value.value
        case _:
            return value
