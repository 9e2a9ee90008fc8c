"""Evaluation report: the metrics of a model as plain values, the source of all pages and tables.

`Report.plain()` is the content of `report.json`: the fields of these records by name, a proportion k/n as {"value",
"low", "high", "hits": k, "of": n} with its 95 % Clopper-Pearson interval [low, high], a number that is not finite as
null, and "format", which changes whenever a name or a meaning changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from math import isfinite
from pathlib import Path

from pdedsl.attacks.gradient_masking.loss_landscape import Landscape
from pdedsl.evaluation.proportions import Proportion

FORMAT = 2


@dataclass(frozen=True)
class CalibrationBin:
    """Bin of the reliability diagram: mean confidence and accuracy of predictions with confidence in (low, high]."""

    low: float
    high: float
    confidence: float
    accuracy: Proportion


@dataclass(frozen=True)
class CleanMetrics:
    """Clean metrics. `confusion[i][j]`: the number of samples with true label i and predicted label j. `loss` is the
    mean cross-entropy, `calibration` the expected calibration error Σ n_b/n |accuracy − confidence| over the bins
    (Guo et al. 2017)."""

    accuracy: Proportion
    loss: float
    calibration: float
    bins: tuple[CalibrationBin, ...]
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MaskingVerdict:
    """Result of the gradient-masking audit in one norm. `checks` are (name, suspicious, evidence); `masked` if any
    check is suspicious.

    `eps` is the radius of the audit: the smallest ε of the attacks in this norm or, for minimum-norm attacks, the
    median distance of adversarial examples. `landscape` is the loss along the gradient and a random direction."""

    norm: str
    eps: float
    samples: int
    masked: bool
    verdict: str
    checks: tuple[tuple[str, bool, str], ...]
    landscape: Landscape


@dataclass(frozen=True)
class RobustAccuracy:
    """Robust accuracy: the fraction of samples classified correctly under the attack with every seed.

    `seeds` are the accuracies for each seed separately. `distance` is the median norm of the perturbation over the
    samples that were correct and became misclassified, for minimum-norm attacks. `passes` is the number of forward and
    backward passes per sample. `draws` is the number of noise samples that the final prediction of a stochastic network
    averages (1 if it is deterministic). `doubt` is the verdict of the gradient-masking audit in this norm.
    """

    attack: str
    norm: str
    eps: float | None
    accuracy: Proportion
    seeds: tuple[float, ...]
    distance: float | None
    draws: int
    passes: float
    doubt: str


@dataclass(frozen=True)
class TransferAccuracy:
    """Transfer attack: adversarial examples of the source network `maker`, evaluated on the target network `taker`."""

    attack: str
    maker: str
    taker: str
    accuracy: Proportion
    maker_accuracy: Proportion


@dataclass(frozen=True)
class CertifiedAccuracy:
    """Certified accuracy. `accuracies`: for each ℓ2 radius, the fraction of samples that are classified correctly and
    certified at this radius.

    `claim` names the certified classifier: the network or a smoothed one. `abstained` is the fraction of samples
    without a certified class. `medians` are median radii over the samples that are correct and certified, by name:
    "cohen", "lipschitz" and "paper" are bounds for Gaussian noise of standard deviation `sigma`, each valid with
    probability 1 − alpha per sample; "constant" follows from a Lipschitz constant, composed of the constants in
    `parts`. `broken` is the number of adversarial examples found within the certified radius, if the certificate is one
    of the network itself and there were attacks: 0 for a valid certificate.
    """

    certificate: str
    claim: str
    sound: bool
    sigma: float | None
    alpha: float | None
    accuracies: tuple[tuple[float, Proportion], ...]
    abstained: Proportion
    medians: tuple[tuple[str, float], ...]
    draws: float | None
    parts: tuple[tuple[str, float], ...] = ()
    broken: int | None = None


@dataclass(frozen=True)
class WeightMagnitudes:
    """Weight magnitudes: the number of weights with |w| < `below`, and a histogram of log₁₀|w|."""

    count: int
    below: float
    small: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class RademacherComplexity:
    """Upper bound on the empirical Rademacher complexity of the linear classifiers with ‖w‖₁ ≤ `weight` on points with
    ‖x‖∞ ≤ `radius`, and its assumptions."""

    bound: float
    weight: float
    radius: float
    dimension: int
    samples: int
    assumes: str


@dataclass(frozen=True)
class Report:
    """Evaluation of one network on one set of samples."""

    name: str
    title: str
    hash: str
    equation: str
    data: str
    samples: int
    seed: int
    parameters: int
    clean: CleanMetrics
    robust: tuple[RobustAccuracy, ...] = ()
    transfers: tuple[TransferAccuracy, ...] = ()
    certified: tuple[CertifiedAccuracy, ...] = ()
    doubts: tuple[MaskingVerdict, ...] = ()
    weights: WeightMagnitudes | None = None
    complexity: RademacherComplexity | None = None
    axioms: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    pictures: tuple[tuple[str, str], ...] = ()
    """File names of the plots, with their captions."""

    def __repr__(self) -> str:
        """All accuracies with confidence intervals, and the verdicts of the audits."""
        from pdedsl.evaluation.summary import summary

        return summary(self)

    def _repr_html_(self) -> str:
        """HTML without the plots, for notebooks."""
        from pdedsl.document import Picture, fragment
        from pdedsl.evaluation.pages import document

        return fragment([e for e in document(self) if not isinstance(e, Picture)], Path())

    def plain(self) -> dict[str, object]:
        """The report as JSON values."""
        return {"format": FORMAT, **_record(self)}


def _record(record: object) -> dict[str, object]:
    assert is_dataclass(record)
    return {field.name: _plain(getattr(record, field.name)) for field in fields(record)}


def _plain(value: object) -> object:
    match value:
        case Proportion():
            return {"value": value.value, "low": value.low, "high": value.high, "hits": value.k, "of": value.n}
        case Enum():
            return value.value
        case float() if not isfinite(value):
            return None
        case str() | bool() | int() | float() | None:
            return value
        case Mapping():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case Sequence():
            return [_plain(inner) for inner in value]
        case _:
            return _record(value)
