"""Report: everything that an evaluation found, in plain values, from which all pages and tables are made.

`Report.plain()` is the JSON of `report.json`: the fields of these records by name, a Share as {"value", "low", "high",
"hits", "of"}, a number that is not finite as null, and "format", which changes whenever a name or a meaning changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from math import isfinite
from pathlib import Path

from pdedsl.attacks.gradient_masking.loss_landscape import Landscape
from pdedsl.evaluation.proportions import Share

FORMAT = 2


@dataclass(frozen=True)
class Bin:
    """Predictions whose probability is in (low, high]: their mean probability, and the share that is correct."""

    low: float
    high: float
    confidence: float
    accuracy: Share


@dataclass(frozen=True)
class Clean:
    """Figures without an attack. `confusion[i][j]`: the number of samples of class i that were predicted as j.
    `calibration` is the expected calibration error Σ n_b/n |accuracy − confidence| over the bins (Guo et al. 2017)."""

    accuracy: Share
    loss: float
    calibration: float
    bins: tuple[Bin, ...]
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MaskingVerdict:
    """An audit's verdict on the accuracies under attack in a norm: `masked` with the reasons, or no sign found.

    `eps` is where it looked: the smallest ε of the attacks in this norm, or, if they have none, the typical distance of
    adversarial examples. `landscape` is the loss around some of its samples, along the gradient and along a random
    direction."""

    norm: str
    eps: float
    samples: int
    masked: bool
    verdict: str
    checks: tuple[tuple[str, bool, str], ...]
    landscape: Landscape


@dataclass(frozen=True)
class Robust:
    """Accuracy under an attack: samples that are correct and remain correct for every seed.

    `seeds` are the accuracies under each seed by itself. `distance` is the median size of the perturbation over the
    samples that were correct and are fooled, for attacks that search for the nearest adversarial example. `passes` is
    how often a sample went through the network, forwards or backwards. `draws` is how many draws of the network's noise
    each decisive prediction averages. `doubt` is the verdict of the audit in this norm.
    """

    attack: str
    norm: str
    eps: float | None
    accuracy: Share
    seeds: tuple[float, ...]
    distance: float | None
    draws: int
    passes: float
    doubt: str


@dataclass(frozen=True)
class Transfer:
    """Adversarial examples made by attacking `maker`, tried on `taker`."""

    attack: str
    maker: str
    taker: str
    accuracy: Share
    maker_accuracy: Share


@dataclass(frozen=True)
class Certified:
    """`accuracies`: for each radius, the share of samples whose class is correct and certified to remain so within it.

    `claim` says what the radii hold for. `abstained`: the share for which no class is certified. `medians` are medians
    of the radii over samples that are certified and correct, by name: "cohen", "lipschitz" and "paper" are bounds for
    Gaussian noise of standard deviation `sigma`, with confidence 1 − alpha for each sample; "constant" is from a
    Lipschitz constant, whose origin `parts` explains. `broken` counts samples that an attack of this evaluation fooled
    within their radius, if the radii hold for the network itself and it was attacked: 0 unless something is wrong.
    """

    certificate: str
    claim: str
    sound: bool
    sigma: float | None
    alpha: float | None
    accuracies: tuple[tuple[float, Share], ...]
    abstained: Share
    medians: tuple[tuple[str, float], ...]
    draws: float | None
    parts: tuple[tuple[str, float], ...] = ()
    broken: int | None = None


@dataclass(frozen=True)
class Weights:
    """Magnitudes of all weights: how many are below a bound, and a histogram of log₁₀|w|."""

    count: int
    below: float
    small: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Complexity:
    """A bound on the empirical Rademacher complexity of the class of classifiers with ‖w‖₁ ≤ `weight` on points with
    ‖x‖∞ ≤ `radius`, and what it assumes."""

    bound: float
    weight: float
    radius: float
    dimension: int
    samples: int
    assumes: str


@dataclass(frozen=True)
class Report:
    """One network on one set of samples."""

    name: str
    title: str
    hash: str
    equation: str
    data: str
    samples: int
    seed: int
    parameters: int
    clean: Clean
    robust: tuple[Robust, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    certified: tuple[Certified, ...] = ()
    doubts: tuple[MaskingVerdict, ...] = ()
    weights: Weights | None = None
    complexity: Complexity | None = None
    axioms: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    pictures: tuple[tuple[str, str], ...] = ()
    """Names of files beside the report, and what they show."""

    def __repr__(self) -> str:
        """Every accuracy with its interval, and the audit's verdicts."""
        from pdedsl.evaluation.summary import summary

        return summary(self)

    def _repr_html_(self) -> str:
        """The page without its pictures, for a notebook."""
        from pdedsl.evaluation.pages import document
        from pdedsl.runs.document import Picture, fragment

        return fragment([e for e in document(self) if not isinstance(e, Picture)], Path())

    def plain(self) -> dict[str, object]:
        """The report as JSON values."""
        return {"format": FORMAT, **_record(self)}


def _record(record: object) -> dict[str, object]:
    assert is_dataclass(record)
    return {field.name: _plain(getattr(record, field.name)) for field in fields(record)}


def _plain(value: object) -> object:
    match value:
        case Share():
            return {"value": value.value, "low": value.low, "high": value.high, "hits": value.hits, "of": value.of}
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
