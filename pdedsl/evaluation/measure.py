"""One measurement on one batch: a few numbers for each sample, from which all figures are computed afterwards."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from torch import Tensor
from torch.nn.functional import cross_entropy

from pdedsl import certificates
from pdedsl.attacks import L2, Predictor, audit
from pdedsl.config.evaluation import Attack, Certificate, Lipschitz, SmoothingCertificate
from pdedsl.evaluation.attacks import attacked, eot_of
from pdedsl.evaluation.model_under_test import Smoothing, Subject
from pdedsl.evaluation.protocol import Attacked, Audited, Certified, Measurement, Natural, Transferred
from pdedsl.frozen_model import Model, modules_of, untouched
from pdedsl.runtime.rng import seed_noise

Columns = Mapping[str, Sequence[Any]]
"""Names with a value for each sample."""


def measured(what: Measurement, subject: Subject, x: Tensor, y: Tensor, seed: int) -> Columns:
    """The columns of a batch: a function of the arguments alone, whatever was measured before."""
    models = [subject.model, *subject.sources.values()]
    modules = list(dict.fromkeys(module for model in models for module in modules_of(model)))
    with untouched(modules, seed):
        for module in modules:
            seed_noise(module, seed)
        return _measured(what, subject, x, y, seed)


def _measured(what: Measurement, subject: Subject, x: Tensor, y: Tensor, seed: int) -> Columns:
    match what:
        case Natural():
            return _natural(subject.model, x, y, seed)
        case Attacked(attack=attack):
            return _attacked(attack, subject, x, y, seed)
        case Transferred(attack=attack, source=name, back=back):
            pair = (subject.model, subject.sources[name]) if back else (subject.sources[name], subject.model)
            return _transferred(attack, *pair, subject, x, y, seed)
        case Certified(certificate=certificate):
            return _certified(certificate, subject, x, seed)
        case Audited():
            return _audited(subject, x, y, what, seed)
        case _:
            assert_never(what)


def _natural(model: Model, x: Tensor, y: Tensor, seed: int) -> Columns:
    """The predicted class, its probability, and the cross-entropy of the true class."""
    scores, draws = _predicted(model, x, seed)
    if int(y.max()) >= scores.shape[1]:
        raise ValueError(f"there is a class {int(y.max())}, counted from 0, and the model knows {scores.shape[1]}")
    sure = scores.softmax(1).max(1)
    return {
        "label": y.tolist(),
        "predicted": sure.indices.tolist(),
        "confidence": sure.values.tolist(),
        "loss": cross_entropy(scores, y, reduction="none").tolist(),
        "classes": [scores.shape[1]] * len(x),
        "draws": [draws] * len(x),
    }


def _predicted(model: Model, x: Tensor, seed: int) -> tuple[Tensor, int]:
    predictor = Predictor(model)
    with predictor.attacked(x, seed):
        return predictor.fresh(x).double(), predictor.draws


def _attacked(attack: Attack, subject: Subject, x: Tensor, y: Tensor, seed: int) -> Columns:
    result = attacked(attack, Predictor(subject.model, eot=eot_of(attack)), x, y, subject.box, seed)
    return {
        "fooled": result.fooled.tolist(),
        "distance": result.distances.tolist(),
        "euclidean": L2().length((result.x - x).double()).tolist(),
        "draws": [result.draws] * len(x),
        "rows": [result.rows / len(x)] * len(x),
    }


def _transferred(
    attack: Attack, maker: Model, taker: Model, subject: Subject, x: Tensor, y: Tensor, seed: int
) -> Columns:
    """Adversarial examples that one network produced, tried on another that took no part in producing them."""
    result = attacked(attack, Predictor(maker, eot=eot_of(attack)), x, y, subject.box, seed)
    scores, draws = _predicted(taker, result.x, seed)
    return {
        "fooled": (scores.argmax(1) != y).tolist(),
        "maker_fooled": result.fooled.tolist(),
        "draws": [draws] * len(x),
    }


def _audited(subject: Subject, x: Tensor, y: Tensor, what: Audited, seed: int) -> Columns:
    """A row for each check of the audit, the ε used, and the curves of the loss landscape."""
    predictor = Predictor(subject.model, eot=what.eot)
    norm, near = what.norm.value, subject.surrogates
    found = audit(predictor, x, y, eps=what.eps, norm=norm, bounds=subject.box, surrogates=near, seed=seed)
    return {
        "check": [finding.name for finding in found.findings],
        "suspicious": [finding.suspicious for finding in found.findings],
        "text": [finding.text for finding in found.findings],
        "samples": [len(x)],
        "eps": [found.eps],
        "sizes": found.landscape.sizes,
        "along": found.landscape.along,
        "across": found.landscape.across,
    }


def _certified(certificate: Certificate, subject: Subject, x: Tensor, seed: int) -> Columns:
    match certificate:
        case SmoothingCertificate(at=()):
            assert subject.smoothing is not None
            return _by_noise(subject.smoothing, x, certificate, seed)
        case SmoothingCertificate():
            assert subject.smoothing is not None
            return _by_bets(subject.smoothing, x, certificate, seed)
        case Lipschitz():
            return _by_constant(subject, x, seed)
        case _:
            assert_never(certificate)


def _by_noise(smoothing: Smoothing, x: Tensor, asked: SmoothingCertificate, seed: int) -> Columns:
    n0, n, alpha = asked.n0, asked.n, float(asked.alpha)
    found = certificates.gaussian(smoothing.base, x, sigma=smoothing.std, n0=n0, n=n, alpha=alpha, seed=seed)
    return {
        "class": found.classes.tolist(),
        "radius": found.radii.tolist(),
        "lipschitz": found.lipschitz.tolist(),
        "paper": found.paper.tolist(),
        "draws": found.draws.tolist(),
    }


def _by_bets(smoothing: Smoothing, x: Tensor, asked: SmoothingCertificate, seed: int) -> Columns:
    """Decide the given radii only, with no more draws per sample than that takes."""
    radii, alpha = [float(r) for r in asked.at], float(asked.alpha)
    found = certificates.gaussian_at(
        smoothing.base, x, sigma=smoothing.std, radii=radii, n0=asked.n0, most=asked.n, alpha=alpha, seed=seed
    )
    return {"class": found.classes.tolist(), "radius": found.radii.tolist(), "draws": found.draws.tolist()}


def _by_constant(subject: Subject, x: Tensor, seed: int) -> Columns:
    """By the constant that the network knows; else by that of a Gaussian average, which the network should be."""
    if knows_constant(subject.model):
        found = certificates.lipschitz(subject.model, x)
        return {"class": found.classes.tolist(), "radius": found.radii.tolist()}
    assert subject.smoothing is not None
    scores, draws = _predicted(subject.model, x, seed)
    top = scores.softmax(1).topk(2, dim=1)
    radii = subject.smoothing.std * math.sqrt(math.pi / 2.0) * (top.values[:, 0] - top.values[:, 1])
    return {"class": top.indices[:, 0].tolist(), "radius": radii.tolist(), "draws": [draws] * len(x)}


def knows_constant(model: Model) -> bool:
    constant = getattr(model, "lipschitz_constant", None)
    return callable(constant) and math.isfinite(constant())
