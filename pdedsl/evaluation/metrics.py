"""Metrics of a report, computed from the per-sample columns of the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

import torch
from torch import nn

from pdedsl.attacks import Audit
from pdedsl.attacks.gradient_masking.checks import MaskingFinding
from pdedsl.attacks.gradient_masking.loss_landscape import Landscape
from pdedsl.config.blocks import WeightHistogram
from pdedsl.config.evaluation import Attack, Certificate, Norm, SmoothingCertificate
from pdedsl.evaluation.measure import CertificateScope, Columns, EvaluatedModel, has_lipschitz_constant
from pdedsl.evaluation.protocol import (
    AttackMeasurement,
    AuditMeasurement,
    Measurement,
    TransferMeasurement,
    eps_of,
    norm_of,
)
from pdedsl.evaluation.protocol import CertificateMeasurement as CertifiedBy
from pdedsl.evaluation.report import (
    CalibrationBin,
    CertifiedAccuracy,
    CleanMetrics,
    MaskingVerdict,
    Proportion,
    RobustAccuracy,
    TransferAccuracy,
    WeightMagnitudes,
)

CALIBRATION_BINS = 10  # of the reliability diagram
MAX_RADII = 20  # steps between 0 and the largest certified radius


@dataclass(frozen=True)
class EvaluationMetrics:
    """Metrics from `columns`, the per-sample results by the keys of their measurements."""

    measurements: Sequence[Measurement]
    columns: Mapping[str, Columns]

    def clean(self) -> CleanMetrics:
        natural = self.columns["natural"]
        classes = natural["classes"][0]
        correct = [p == y for p, y in zip(natural["predicted"], natural["label"], strict=True)]
        bins = _bins(natural["confidence"], correct)
        confusion = [[0] * classes for _ in range(classes)]
        for label, predicted in zip(natural["label"], natural["predicted"], strict=True):
            confusion[label][predicted] += 1
        return CleanMetrics(
            accuracy=Proportion.from_outcomes(correct),
            loss=sum(natural["loss"]) / len(correct),
            calibration=sum(b.accuracy.n * abs(b.accuracy.value - b.confidence) for b in bins) / len(correct),
            bins=bins,
            confusion=tuple(map(tuple, confusion)),
        )

    def masking_verdicts(self) -> tuple[MaskingVerdict, ...]:
        return tuple(
            _masking_verdict(w, self.columns[w.key]) for w in self.measurements if isinstance(w, AuditMeasurement)
        )

    def robust(self) -> tuple[RobustAccuracy, ...]:
        attacks = dict.fromkeys(w.attack for w in self.measurements if isinstance(w, AttackMeasurement))
        verdicts = {verdict.norm: verdict for verdict in self.masking_verdicts()}
        return tuple(self._robust(attack, verdicts) for attack in attacks)

    def _robust(self, attack: Attack, verdicts: Mapping[str, MaskingVerdict]) -> RobustAccuracy:
        runs = [
            self.columns[w.key] for w in self.measurements if isinstance(w, AttackMeasurement) and w.attack == attack
        ]
        norm, eps = str(norm_of(attack).value), eps_of(attack)
        distances = [
            d for run in runs for d, fooled in zip(run["distance"], run["fooled"], strict=True) if fooled and d
        ]
        return RobustAccuracy(
            attack=attack.brief,
            norm=norm,
            eps=eps,
            accuracy=Proportion.from_outcomes(
                not any(fooled) for fooled in zip(*(run["fooled"] for run in runs), strict=True)
            ),
            seeds=tuple(1.0 - sum(run["fooled"]) / len(run["fooled"]) for run in runs),
            distance=median(distances) if eps is None and distances else None,
            noise_samples=max(run["draws"][0] for run in runs),
            passes=sum(sum(run["rows"]) / len(run["rows"]) for run in runs),
            audit=verdicts[norm].verdict,
        )

    def transfers(self, name: str) -> tuple[TransferAccuracy, ...]:
        return tuple(self._transfer(w, name) for w in self.measurements if isinstance(w, TransferMeasurement))

    def _transfer(self, measurement: TransferMeasurement, name: str) -> TransferAccuracy:
        columns = self.columns[measurement.key]
        source, target = (name, measurement.source) if measurement.back else (measurement.source, name)
        on_target, on_source = (
            Proportion.from_outcomes(not f for f in columns[key]) for key in ("fooled", "source_fooled")
        )
        return TransferAccuracy(measurement.attack.brief, source, target, on_target, on_source)

    def certified(self, subject: EvaluatedModel, parts: tuple[tuple[str, float], ...]) -> tuple[CertifiedAccuracy, ...]:
        certificates = [w.certificate for w in self.measurements if isinstance(w, CertifiedBy)]
        return tuple(self._certified(certificate, subject, parts) for certificate in certificates)

    def _certified(
        self, certificate: Certificate, subject: EvaluatedModel, parts: tuple[tuple[str, float], ...]
    ) -> CertifiedAccuracy:
        columns, labels = self.columns[CertifiedBy(certificate).key], self.columns["natural"]["label"]
        correct = [c == y for c, y in zip(columns["class"], labels, strict=True)]
        radii = [radius if ok else -1.0 for radius, ok in zip(columns["radius"], correct, strict=True)]
        gaussian = isinstance(certificate, SmoothingCertificate)
        claim = _claim(certificate, subject)
        names = {"cohen" if gaussian else "constant": "radius", "lipschitz": "lipschitz", "paper": "paper"}
        return CertifiedAccuracy(
            certificate=str(certificate),
            scope=claim.value,
            sound=claim is not CertificateScope.ESTIMATE,
            sigma=subject.smoothing.std
            if subject.smoothing and (gaussian or claim is CertificateScope.ESTIMATE)
            else None,
            alpha=float(certificate.alpha) if isinstance(certificate, SmoothingCertificate) else None,
            accuracies=tuple(
                (r, Proportion.from_outcomes(radius >= r and radius > 0.0 for radius in radii))
                for r in self._reported_radii(certificate, radii)
            ),
            abstained=Proportion.from_outcomes(c < 0 for c in columns["class"]),
            medians=tuple(
                (name, _median_where(columns[key], correct)) for name, key in names.items() if key in columns
            ),
            noise_samples=sum(columns["draws"]) / len(correct) if gaussian else None,
            parts=() if gaussian or claim is CertificateScope.ESTIMATE else parts,
            violations=self._count_violations(radii) if claim is CertificateScope.NETWORK else None,
        )

    def _reported_radii(self, certificate: Certificate, radii: Sequence[float]) -> list[float]:
        """The requested radii; by default round numbers up to the largest, and the ε of the ℓ2 attacks."""
        if isinstance(certificate, SmoothingCertificate) and certificate.at:
            return sorted({float(radius) for radius in certificate.at})
        attacks = [w.attack for w in self.measurements if isinstance(w, AttackMeasurement)]
        sizes = {eps for a in attacks if norm_of(a) is Norm.TWO and (eps := eps_of(a)) is not None}
        largest = max(radii, default=0.0)
        return sorted({*_round_numbers(largest), *(eps for eps in sizes if eps <= largest)})

    def _count_violations(self, radii: Sequence[float]) -> int | None:
        """The number of samples with an adversarial example within their certified radius, up to rounding."""
        attacks = [self.columns[w.key] for w in self.measurements if isinstance(w, AttackMeasurement)]
        if not attacks:
            return None
        pairs = [zip(run["fooled"], run["euclidean"], strict=True) for run in attacks]
        within = [
            any(fooled and length < radius * (1.0 - 1e-6) for fooled, length in row)
            for radius, *row in zip(radii, *pairs, strict=True)
        ]
        return sum(within)


def _claim(certificate: Certificate, subject: EvaluatedModel) -> CertificateScope:
    if isinstance(certificate, SmoothingCertificate):
        assert subject.smoothing is not None
        return subject.smoothing.claim
    return CertificateScope.NETWORK if has_lipschitz_constant(subject.model) else CertificateScope.ESTIMATE


def _round_numbers(largest: float) -> list[float]:
    """0, h, 2h, … up to the largest radius, with a round step h."""
    if largest <= 0.0:
        return [0.0]
    step = next(s * 10.0**k for k in range(-6, 6) for s in (1.0, 2.0, 2.5, 5.0) if s * 10.0**k * MAX_RADII >= largest)
    return [round(step * k, 9) for k in range(int(largest / step) + 1)]


def _median_where(values: Sequence[float], where: Sequence[bool]) -> float:
    selected = [value for value, ok in zip(values, where, strict=True) if ok and value > 0.0]
    return median(selected) if selected else 0.0


def _bins(confidence: Sequence[float], correct: Sequence[bool]) -> tuple[CalibrationBin, ...]:
    bins = []
    for low, high in pairwise(k / CALIBRATION_BINS for k in range(CALIBRATION_BINS + 1)):
        inside = [(c, ok) for c, ok in zip(confidence, correct, strict=True) if low < c <= high]
        if inside:
            mean = sum(c for c, _ in inside) / len(inside)
            bins.append(CalibrationBin(low, high, mean, Proportion.from_outcomes(ok for _, ok in inside)))
    return tuple(bins)


def _masking_verdict(measurement: AuditMeasurement, columns: Mapping[str, Sequence[Any]]) -> MaskingVerdict:
    checks = tuple(zip(columns["check"], columns["suspicious"], columns["text"], strict=True))
    along, across = (tuple(map(tuple, columns[name])) for name in ("along", "across"))
    landscape = Landscape(tuple(columns["sizes"]), along, across)
    audit = Audit(tuple(MaskingFinding(*check) for check in checks), columns["eps"][0], landscape)
    norm, samples = str(measurement.norm.value), columns["samples"][0]
    return MaskingVerdict(norm, audit.eps, samples, audit.masked, audit.verdict, checks, landscape)


# ---- Histogram of weight magnitudes |w| and sparsity (Wang, Yuan, Shi, Osher 2020, section 7)


LOG10_RANGE = (-8.0, 2.0)  # of |w|
BINS = 40


def weight_magnitudes(modules: Sequence[nn.Module], histogram: WeightHistogram) -> WeightMagnitudes:
    """|w| of every parameter; values below 10⁻⁸ go to the first bin, values above 100 to the last."""
    sizes = torch.cat([p.detach().double().abs().flatten() for module in modules for p in module.parameters()])
    logs = sizes.clamp(10.0 ** LOG10_RANGE[0], 10.0 ** LOG10_RANGE[1]).log10()
    counts = torch.histc(logs.cpu(), BINS, *LOG10_RANGE).long().tolist()
    edges = torch.linspace(*LOG10_RANGE, BINS + 1, dtype=torch.float64).tolist()
    below = float(histogram.below)
    return WeightMagnitudes(sizes.numel(), below, int((sizes < below).sum()), tuple(edges), tuple(counts))
