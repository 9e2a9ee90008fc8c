"""Metrics of a report, computed from the per-sample columns of the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median, stdev
from typing import Any

import torch
from torch import nn

from pdedsl.attacks import Audit, StochasticEvaluation
from pdedsl.attacks.gradient_masking.checks import MaskingFinding
from pdedsl.attacks.gradient_masking.loss_landscape import Landscape
from pdedsl.config.blocks import WeightHistogram
from pdedsl.config.evaluation import Attack, Certificate, NormOrder, SmoothingCertificate, label_of
from pdedsl.evaluation.measure import CertificateScope, Columns, EvaluatedModel, has_lipschitz_constant
from pdedsl.evaluation.protocol import (
    AgreementMeasurement,
    AttackMeasurement,
    AuditMeasurement,
    CorruptionMeasurement,
    Measurement,
    StochasticMeasurement,
    TransferMeasurement,
    eps_of,
    measurement_label,
    norm_of,
)
from pdedsl.evaluation.protocol import CertificateMeasurement as CertifiedBy
from pdedsl.evaluation.report import (
    CONFIDENCE_LEVEL,
    NOT_AUDITED,
    CalibrationBin,
    CertifiedAccuracy,
    CleanMetrics,
    CorruptedAccuracy,
    GaussianAgreement,
    MaskingVerdict,
    Proportion,
    RobustAccuracy,
    StochasticAccuracy,
    TransferAccuracy,
    WeightMagnitudes,
    WorstCaseAccuracy,
)

CALIBRATION_BINS = 10  # of the reliability diagram
MAX_RADII = 20  # steps between 0 and the largest certified radius
PAIRED_RADII = (0.25, 0.5, 1.0)  # as in the tables of Cohen, Rosenfeld, Kolter 2019
WEAK_ATTACK_LEVEL = 0.01  # of the sign test for an attack that is weaker than another
DISTANCE_RTOL = 1e-5  # rounding of the projection onto the ε-ball in single precision


def sign_test(more: int, fewer: int) -> float:
    """P(X ≥ more) for X ~ Bin(more + fewer, ½): the one-sided p-value of paired outcomes (McNemar 1947, exact)."""
    from scipy.special import betainc

    return float(betainc(more, fewer + 1, 0.5)) if more else 1.0


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

    def agreement(self, subject: EvaluatedModel) -> GaussianAgreement | None:
        measurement = next((w for w in self.measurements if isinstance(w, AgreementMeasurement)), None)
        if measurement is None or subject.smoothing is None:
            return None
        columns = self.columns[measurement.key]
        return GaussianAgreement(
            subject.smoothing.std,
            measurement.samples,
            Proportion.from_outcomes(columns["network agrees"]),
            Proportion.from_outcomes(columns["base agrees"]),
            fmean(columns["network distance"]),
            fmean(columns["base distance"]),
        )

    def outcomes(self) -> dict[str, list[float]]:
        """The value of each metric for each sample, by the name of the metric; 0 or 1 for an accuracy. Paired tests
        compare networks on the same samples, so the certified radii do not depend on the network."""
        natural = self.columns["natural"]
        outcomes_by_name = {
            "clean": [float(p == y) for p, y in zip(natural["predicted"], natural["label"], strict=True)]
        }
        for attack in self.attacks:
            measured = [w for w in self.measurements if isinstance(w, AttackMeasurement) and w.attack == attack]
            robust = _robust_outcomes([self.columns[w.key] for w in measured])
            eps = eps_of(attack)
            size = "" if eps is None else f", ε = {eps:g}"
            outcomes_by_name[f"{label_of(attack)} ({norm_of(attack).sign}{size})"] = [*map(float, robust)]
        for norm, eps in self._sizes:
            rows = zip(*self._fooled_by(norm, eps)[0].values(), strict=True)
            outcomes_by_name[f"worst case ({norm.sign}, ε = {eps:g})"] = [float(not any(row)) for row in rows]
        corrupted = [w for w in self.measurements if isinstance(w, CorruptionMeasurement)]
        by_corruption = {c.label: [float(not f) for f in self.columns[c.key]["fooled"]] for c in corrupted}
        outcomes_by_name |= by_corruption
        if len(corrupted) > 1:
            outcomes_by_name["mean over corruptions"] = [*map(fmean, zip(*by_corruption.values(), strict=True))]
        adaptive = [w for w in self.measurements if isinstance(w, StochasticMeasurement)]
        for first in {(w.norm, w.eps): w for w in adaptive}.values():
            name = f"adaptive attacks ({first.norm.sign}, ε = {first.eps:g})"
            outcomes_by_name[name] = self._robust_to_all(first)
        sizes = {eps for norm, eps in self._sizes if norm is NormOrder.TWO}
        for w in self.measurements:
            match w:
                case CertifiedBy(certificate=certificate):
                    certified = _certified_radii(self.columns[w.key], natural["label"])
                    given = isinstance(certificate, SmoothingCertificate) and certificate.at
                    for radius in sorted({*map(float, given)} if given else {*PAIRED_RADII, *sizes}):
                        name = f"{certificate.name} (ℓ2, r = {radius:g})"
                        outcomes_by_name[name] = [float(r >= radius and r > 0.0) for r in certified]
                case AgreementMeasurement():
                    for model, key in (("", "network"), (" of the base", "base")):
                        outcomes_by_name[f"agreement{model}"] = [*map(float, self.columns[w.key][f"{key} agrees"])]
                        outcomes_by_name[f"ℓ1 distance{model}"] = [*map(float, self.columns[w.key][f"{key} distance"])]
        return outcomes_by_name

    def _robust_to_all(self, measurement: StochasticMeasurement) -> list[float]:
        """For each sample of the adaptive attacks, 1 if neither these nor other attacks within ε fooled it."""
        n = len(self.columns["natural"]["label"])
        fooled = self._fooled_by(measurement.norm, measurement.eps)[0].values()
        return [float(not any(by_attack[row] for by_attack in fooled)) for row in range(n)[measurement.rows(n)]]

    def seconds(self) -> tuple[tuple[str, float], ...]:
        return tuple((measurement_label(w), sum(self.columns[w.key].get("seconds", ()))) for w in self.measurements)

    def masking_verdicts(self) -> tuple[MaskingVerdict, ...]:
        return tuple(
            _masking_verdict(w, self.columns[w.key]) for w in self.measurements if isinstance(w, AuditMeasurement)
        )

    def stochastic(self) -> tuple[StochasticAccuracy, ...]:
        runs = [w for w in self.measurements if isinstance(w, StochasticMeasurement)]
        sizes = dict.fromkeys((w.norm, w.eps) for w in runs)
        return tuple(self._stochastic([w for w in runs if (w.norm, w.eps) == size]) for size in sizes)

    def _stochastic(self, runs: Sequence[StochasticMeasurement]) -> StochasticAccuracy:
        results = [_stochastic_evaluation(w, self.columns[w.key]) for w in runs]
        first, seeds = results[0], tuple(result.accuracy for result in results)
        shown = next((result for result in results if result.masked), first)
        known = [result.known_noise for result in results if result.known_noise is not None]
        attacks: dict[str, int] = {}
        for name, number in (pair for result in results for pair in result.found):
            attacks[name] = max(number, attacks.get(name, 0))
        return StochasticAccuracy(
            norm=str(runs[0].norm.value),
            eps=runs[0].eps,
            accuracy=Proportion.from_outcomes(not any(row) for row in zip(*(r.fooled for r in results), strict=True)),
            seeds=seeds,
            interval=_interval_of_mean(seeds),
            eot_curve=first.eot_curve,
            converged=all(result.converged for result in results),
            attacks=tuple(attacks.items()),
            undecided=sum(result.undecided for result in results),
            known_noise=min(known, default=None),
            masked=shown.masked,
            verdict=shown.verdict,
            checks=tuple((f.name, f.suspicious, f.text) for f in shown.findings),
        )

    def robust(self) -> tuple[RobustAccuracy, ...]:
        verdicts = {verdict.norm: verdict for verdict in self.masking_verdicts()}
        return tuple(self._robust(attack, verdicts) for attack in self.attacks)

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
            accuracy=Proportion.from_outcomes(_robust_outcomes(runs)),
            seeds=tuple(1.0 - sum(run["fooled"]) / len(run["fooled"]) for run in runs),
            distance=median(distances) if eps is None and distances else None,
            noise_samples=max(run["draws"][0] for run in runs),
            passes=sum(sum(run["rows"]) / len(run["rows"]) for run in runs),
            audit=verdicts[norm].verdict if norm in verdicts else NOT_AUDITED,
            label=label_of(attack),
            weakness=self._weakness(attack),
        )

    # ---- Worst case over attacks

    @property
    def attacks(self) -> tuple[Attack, ...]:
        return tuple(dict.fromkeys(w.attack for w in self.measurements if isinstance(w, AttackMeasurement)))

    def _misclassified_samples(self, attack: Attack, eps: float) -> list[bool]:
        """For each sample, whether it is misclassified under an attack, with any seed, within ε."""
        runs = [
            self.columns[w.key] for w in self.measurements if isinstance(w, AttackMeasurement) and w.attack == attack
        ]
        clean = self.columns["natural"]
        misclassified = [p != y for p, y in zip(clean["predicted"], clean["label"], strict=True)]
        within = [
            [f and d <= eps * (1 + DISTANCE_RTOL) for f, d in zip(run["fooled"], run["distance"], strict=True)]
            for run in runs
        ]
        return [any(row) for row in zip(misclassified, *within, strict=True)]

    def _rivals(self, attack: Attack, eps: float) -> list[Attack]:
        """The other attacks in the same norm, with an ε of at most `eps`, or none."""
        rivals = (a for a in self.attacks if a != attack and norm_of(a) is norm_of(attack))
        return [a for a in rivals if (size := eps_of(a)) is None or size <= eps]

    def _weakness(self, attack: Attack) -> str:
        """The attack that finds most adversarial examples which this one misses, if they are significantly more."""
        eps = eps_of(attack)
        if eps is None:
            return ""
        own, weakness, largest = self._misclassified_samples(attack, eps), "", 0
        for rival in self._rivals(attack, eps):
            pairs = list(zip(own, self._misclassified_samples(rival, eps), strict=True))
            more, fewer = sum(b and not a for a, b in pairs), sum(a and not b for a, b in pairs)
            if more - fewer > largest and sign_test(more, fewer) < WEAK_ATTACK_LEVEL:
                largest, p = more - fewer, sign_test(more, fewer)
                weakness = f"{label_of(rival)} finds {more} more and {fewer} fewer, sign test p = {p:.1g}"
        return weakness

    def worst_case(self) -> tuple[WorstCaseAccuracy, ...]:
        """For each norm and ε of the attacks, in their order."""
        return tuple(self._worst_case(norm, eps) for norm, eps in self._sizes)

    @property
    def _sizes(self) -> tuple[tuple[NormOrder, float], ...]:
        return tuple(dict.fromkeys((norm_of(a), eps) for a in self.attacks if (eps := eps_of(a)) is not None))

    def _fooled_by(self, norm: NormOrder, eps: float) -> tuple[dict[str, list[bool]], list[int] | None]:
        """The misclassified samples of each attack within ε, and the samples of the audit and the adaptive attacks."""
        attacks = [a for a in self.attacks if norm_of(a) is norm and ((size := eps_of(a)) is None or size <= eps)]
        by_attack = {f"{a.brief}": self._misclassified_samples(a, eps) for a in attacks}
        n = len(self.columns["natural"]["label"])
        subsets = [w for w in self.measurements if isinstance(w, AuditMeasurement | StochasticMeasurement)]
        samples: list[set[int]] = []
        for w in subsets:
            size = self.columns[w.key]["eps"][0] if isinstance(w, AuditMeasurement) else w.eps
            if w.norm is not norm or size > eps * (1 + DISTANCE_RTOL):
                continue
            name = "audit" if isinstance(w, AuditMeasurement) else "adaptive attacks"
            attacked = range(n)[w.rows(n)]
            samples.append(set(attacked))
            fooled = by_attack.setdefault(name, [False] * n)
            for row, found in zip(attacked, self.columns[w.key]["adversarial"], strict=True):
                fooled[row] |= found
        return by_attack, sorted(set.intersection(*samples)) if samples else None

    def _worst_case(self, norm: NormOrder, eps: float) -> WorstCaseAccuracy:
        by_attack, audited = self._fooled_by(norm, eps)
        robust = [not any(row) for row in zip(*by_attack.values(), strict=True)]
        counts = {name: sum(fooled) for name, fooled in by_attack.items()}
        on_audited = {name: [f[row] for row in audited] for name, f in by_attack.items()} if audited else by_attack
        return WorstCaseAccuracy(
            str(norm.value),
            eps,
            Proportion.from_outcomes(robust),
            tuple(counts.items()),
            max(on_audited, key=lambda name: sum(on_audited[name])),  # the audit has tried its own samples only
            None if audited is None else Proportion.from_outcomes(robust[row] for row in audited),
        )

    def corrupted(self) -> tuple[CorruptedAccuracy, ...]:
        return tuple(
            CorruptedAccuracy(w.label, Proportion.from_outcomes(not fooled for fooled in self.columns[w.key]["fooled"]))
            for w in self.measurements
            if isinstance(w, CorruptionMeasurement)
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
        return tuple(self._certified_accuracy(certificate, subject, parts) for certificate in certificates)

    def _certified_accuracy(
        self, certificate: Certificate, subject: EvaluatedModel, parts: tuple[tuple[str, float], ...]
    ) -> CertifiedAccuracy:
        columns, labels = self.columns[CertifiedBy(certificate).key], self.columns["natural"]["label"]
        correct = [c == y for c, y in zip(columns["class"], labels, strict=True)]
        radii = _certified_radii(columns, labels)
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
        sizes = {eps for a in attacks if norm_of(a) is NormOrder.TWO and (eps := eps_of(a)) is not None}
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


def _certified_radii(columns: Columns, labels: Sequence[int]) -> list[float]:
    """The radius of each sample whose certified class is its label, and -1 for the others."""
    pairs = zip(columns["radius"], columns["class"], labels, strict=True)
    return [radius if predicted == label else -1.0 for radius, predicted, label in pairs]


def _robust_outcomes(runs: Sequence[Columns]) -> list[bool]:
    """For each sample, whether it is classified correctly under the attack with every seed."""
    return [not any(fooled) for fooled in zip(*(run["fooled"] for run in runs), strict=True)]


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


def _stochastic_evaluation(
    measurement: StochasticMeasurement, columns: Mapping[str, Sequence[Any]]
) -> StochasticEvaluation:
    findings = zip(columns["check"], columns["suspicious"], columns["text"], strict=True)
    return StochasticEvaluation(
        measurement.eps,
        tuple(zip(columns["noise samples"], columns["accuracy"], strict=True)),
        columns["converged"][0],
        columns["noise samples"][-1],
        tuple(zip(columns["attack"], columns["found"], strict=True)),
        tuple(columns["adversarial"]),
        columns["undecided"][0],
        columns["known noise"][0],
        tuple(MaskingFinding(*finding) for finding in findings),
    )


def _interval_of_mean(values: Sequence[float]) -> tuple[float, float] | None:
    """95 % t interval of the mean; None for one value."""
    from scipy.special import stdtrit

    if len(values) < 2:
        return None
    reach = float(stdtrit(len(values) - 1, (1.0 + CONFIDENCE_LEVEL) / 2.0)) * stdev(values) / len(values) ** 0.5
    return fmean(values) - reach, fmean(values) + reach


def _masking_verdict(measurement: AuditMeasurement, columns: Mapping[str, Sequence[Any]]) -> MaskingVerdict:
    checks = tuple(zip(columns["check"], columns["suspicious"], columns["text"], strict=True))
    along, across = (tuple(map(tuple, columns[name])) for name in ("along", "across"))
    landscape = Landscape(tuple(columns["sizes"]), along, across)
    findings, fooled = tuple(MaskingFinding(*check) for check in checks), tuple(columns["adversarial"])
    audit = Audit(findings, columns["eps"][0], landscape, fooled)
    norm, samples = str(measurement.norm.value), columns["samples"][0]
    return MaskingVerdict(norm, audit.eps, samples, audit.masked, audit.verdict, checks, landscape)


# ---- Histogram of weight magnitudes |w| and sparsity (Wang, Yuan, Shi, Osher 2020, section 7)


LOG10_RANGE = (-8.0, 2.0)  # of |w|
HISTOGRAM_BINS = 40  # four per decade


def weight_magnitudes(modules: Sequence[nn.Module], histogram: WeightHistogram) -> WeightMagnitudes:
    """|w| of every parameter; values below 10⁻⁸ go to the first bin, values above 100 to the last."""
    sizes = torch.cat([p.detach().double().abs().flatten() for module in modules for p in module.parameters()])
    logs = sizes.clamp(10.0 ** LOG10_RANGE[0], 10.0 ** LOG10_RANGE[1]).log10()
    counts = torch.histc(logs.cpu(), HISTOGRAM_BINS, *LOG10_RANGE).long().tolist()
    edges = torch.linspace(*LOG10_RANGE, HISTOGRAM_BINS + 1, dtype=torch.float64).tolist()
    below = float(histogram.below)
    return WeightMagnitudes(sizes.numel(), below, int((sizes < below).sum()), tuple(edges), tuple(counts))
