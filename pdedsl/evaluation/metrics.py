"""The columns of measurements → the figures of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from pdedsl.attacks import Audit
from pdedsl.attacks.gradient_masking.checks import Finding
from pdedsl.attacks.gradient_masking.loss_landscape import Landscape
from pdedsl.config.evaluation import Attack, Certificate, Norm, SmoothingCertificate
from pdedsl.evaluation.measure import Columns, knows_constant
from pdedsl.evaluation.model_under_test import Claim, Subject
from pdedsl.evaluation.proportions import Share
from pdedsl.evaluation.protocol import Attacked, Audited, Measurement, Transferred, eps_of, norm_of
from pdedsl.evaluation.protocol import Certified as CertifiedBy
from pdedsl.evaluation.report import Bin, Certified, Clean, MaskingVerdict, Robust, Transfer

BINS = 10
RADII = 20


@dataclass(frozen=True)
class Figures:
    """Columns by the keys of their measurements, in the order in which the measurements were requested."""

    measurements: Sequence[Measurement]
    columns: Mapping[str, Columns]

    def clean(self) -> Clean:
        natural = self.columns["natural"]
        classes = natural["classes"][0]
        right = [p == y for p, y in zip(natural["predicted"], natural["label"], strict=True)]
        bins = _bins(natural["confidence"], right)
        confusion = [[0] * classes for _ in range(classes)]
        for label, predicted in zip(natural["label"], natural["predicted"], strict=True):
            confusion[label][predicted] += 1
        return Clean(
            accuracy=Share.among(right),
            loss=sum(natural["loss"]) / len(right),
            calibration=sum(b.accuracy.of * abs(b.accuracy.value - b.confidence) for b in bins) / len(right),
            bins=bins,
            confusion=tuple(map(tuple, confusion)),
        )

    def doubts(self) -> tuple[MaskingVerdict, ...]:
        return tuple(_doubt(w, self.columns[w.key]) for w in self.measurements if isinstance(w, Audited))

    def robust(self) -> tuple[Robust, ...]:
        attacks = dict.fromkeys(w.attack for w in self.measurements if isinstance(w, Attacked))
        doubts = {doubt.norm: doubt for doubt in self.doubts()}
        return tuple(self._robust(attack, doubts) for attack in attacks)

    def _robust(self, attack: Attack, doubts: Mapping[str, MaskingVerdict]) -> Robust:
        runs = [self.columns[w.key] for w in self.measurements if isinstance(w, Attacked) and w.attack == attack]
        norm, eps = str(norm_of(attack).value), eps_of(attack)
        lengths = [d for run in runs for d, fooled in zip(run["distance"], run["fooled"], strict=True) if fooled and d]
        return Robust(
            attack=attack.brief,
            norm=norm,
            eps=eps,
            accuracy=Share.among(not any(fooled) for fooled in zip(*(run["fooled"] for run in runs), strict=True)),
            seeds=tuple(1.0 - sum(run["fooled"]) / len(run["fooled"]) for run in runs),
            distance=median(lengths) if eps is None and lengths else None,
            draws=max(run["draws"][0] for run in runs),
            passes=sum(sum(run["rows"]) / len(run["rows"]) for run in runs),
            doubt=doubts[norm].verdict,
        )

    def transfers(self, name: str) -> tuple[Transfer, ...]:
        return tuple(self._transfer(w, name) for w in self.measurements if isinstance(w, Transferred))

    def _transfer(self, what: Transferred, name: str) -> Transfer:
        columns = self.columns[what.key]
        maker, taker = (name, what.source) if what.back else (what.source, name)
        stays, made = (Share.among(not f for f in columns[key]) for key in ("fooled", "maker_fooled"))
        return Transfer(what.attack.brief, maker, taker, stays, made)

    def certified(self, subject: Subject, parts: tuple[tuple[str, float], ...]) -> tuple[Certified, ...]:
        wanted = [w.certificate for w in self.measurements if isinstance(w, CertifiedBy)]
        return tuple(self._certified(certificate, subject, parts) for certificate in wanted)

    def _certified(self, certificate: Certificate, subject: Subject, parts: tuple[tuple[str, float], ...]) -> Certified:
        columns, labels = self.columns[CertifiedBy(certificate).key], self.columns["natural"]["label"]
        right = [c == y for c, y in zip(columns["class"], labels, strict=True)]
        held = [radius if ok else -1.0 for radius, ok in zip(columns["radius"], right, strict=True)]
        noisy = isinstance(certificate, SmoothingCertificate)
        claim = _claim(certificate, subject)
        names = {"cohen" if noisy else "constant": "radius", "lipschitz": "lipschitz", "paper": "paper"}
        return Certified(
            certificate=str(certificate),
            claim=claim.value,
            sound=claim is not Claim.ESTIMATE,
            sigma=subject.smoothing.std if subject.smoothing and (noisy or claim is Claim.ESTIMATE) else None,
            alpha=float(certificate.alpha) if isinstance(certificate, SmoothingCertificate) else None,
            accuracies=tuple(
                (r, Share.among(radius >= r and radius > 0.0 for radius in held))
                for r in self._radii(certificate, held)
            ),
            abstained=Share.among(c < 0 for c in columns["class"]),
            medians=tuple((name, _median_where(columns[key], right)) for name, key in names.items() if key in columns),
            draws=sum(columns["draws"]) / len(right) if noisy else None,
            parts=() if noisy or claim is Claim.ESTIMATE else parts,
            broken=self._broken(held) if claim is Claim.NETWORK else None,
        )

    def _radii(self, certificate: Certificate, held: Sequence[float]) -> list[float]:
        """The radii asked for; by default round steps up to the largest, and the ε of attacks in the same norm."""
        if isinstance(certificate, SmoothingCertificate) and certificate.at:
            return sorted({float(radius) for radius in certificate.at})
        attacks = [w.attack for w in self.measurements if isinstance(w, Attacked)]
        sizes = {eps for a in attacks if norm_of(a) is Norm.TWO and (eps := eps_of(a)) is not None}
        return sorted({*_steps(max(held, default=0.0)), *(eps for eps in sizes if eps <= max(held, default=0.0))})

    def _broken(self, held: Sequence[float]) -> int | None:
        """The number of samples that any attack fooled within the radius certified for them, up to rounding."""
        attacks = [self.columns[w.key] for w in self.measurements if isinstance(w, Attacked)]
        if not attacks:
            return None
        pairs = [zip(run["fooled"], run["euclidean"], strict=True) for run in attacks]
        within = [
            any(fooled and length < radius * (1.0 - 1e-6) for fooled, length in row)
            for radius, *row in zip(held, *pairs, strict=True)
        ]
        return sum(within)


def _claim(certificate: Certificate, subject: Subject) -> Claim:
    if isinstance(certificate, SmoothingCertificate):
        assert subject.smoothing is not None
        return subject.smoothing.claim
    return Claim.NETWORK if knows_constant(subject.model) else Claim.ESTIMATE


def _steps(top: float) -> list[float]:
    """0, and round steps up to the largest radius."""
    if top <= 0.0:
        return [0.0]
    step = next(s * 10.0**k for k in range(-6, 6) for s in (1.0, 2.0, 2.5, 5.0) if s * 10.0**k * RADII >= top)
    return [round(step * k, 9) for k in range(int(top / step) + 1)]


def _median_where(values: Sequence[float], where: Sequence[bool]) -> float:
    kept = [value for value, ok in zip(values, where, strict=True) if ok and value > 0.0]
    return median(kept) if kept else 0.0


def _bins(confidence: Sequence[float], right: Sequence[bool]) -> tuple[Bin, ...]:
    found = []
    for low, high in pairwise(k / BINS for k in range(BINS + 1)):
        inside = [(c, ok) for c, ok in zip(confidence, right, strict=True) if low < c <= high]
        if inside:
            mean = sum(c for c, _ in inside) / len(inside)
            found.append(Bin(low, high, mean, Share.among(ok for _, ok in inside)))
    return tuple(found)


def _doubt(what: Audited, columns: Mapping[str, Sequence[Any]]) -> MaskingVerdict:
    checks = tuple(zip(columns["check"], columns["suspicious"], columns["text"], strict=True))
    along, across = (tuple(map(tuple, columns[name])) for name in ("along", "across"))
    landscape = Landscape(tuple(columns["sizes"]), along, across)
    found = Audit(tuple(Finding(*check) for check in checks), columns["eps"][0], landscape)
    norm, samples = str(what.norm.value), columns["samples"][0]
    return MaskingVerdict(norm, found.eps, samples, found.masked, found.verdict, checks, landscape)
