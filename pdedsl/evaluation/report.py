"""Report: everything that an evaluation found, in plain values, from which every page and table is made.

`Report.plain()` is the JSON of `report.json`: the fields of these records by their names, a Share as
{"value", "low", "high", "hits", "of"}, a number that is not finite as null, and "format", which changes when a name
or a meaning does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from math import isfinite
from pathlib import Path

from pdedsl.attacks.landscape import Landscape
from pdedsl.evaluation.shares import Share

FORMAT = 2


@dataclass(frozen=True)
class Bin:
    """Predictions whose probability is in (low, high]: their mean, and the share of them that is right."""

    low: float
    high: float
    confidence: float
    accuracy: Share


@dataclass(frozen=True)
class Clean:
    """Figures without an attack. `confusion[i][j]`: samples of class i that were called j. `calibration` is the
    expected calibration error Σ n_b/n |accuracy − confidence| over the bins (Guo et al. 2017)."""

    accuracy: Share
    loss: float
    calibration: float
    bins: tuple[Bin, ...]
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Doubt:
    """What an audit says of accuracies under attack in a norm: `masked` and the reasons, or none found.

    `eps` is where it looked, the smallest of the attacks in this norm; where they have none, the length of adversaries.
    `landscape` is the loss around some of its samples, along the gradient and along a random direction."""

    norm: str
    eps: float
    samples: int
    masked: bool
    verdict: str
    checks: tuple[tuple[str, bool, str], ...]
    landscape: Landscape


@dataclass(frozen=True)
class Robust:
    """Accuracy under an attack: samples that are right and stay right for every seed.

    `seeds` are the accuracies under each seed by itself. `distance` is the median length of the perturbation among
    samples that were right and are fooled, with attacks that look for the nearest adversary. `passes` is how often a
    sample went through the network, forwards or backwards. `draws` is how many draws of the noise of the network
    decide. `doubt` is the verdict of the audit in this norm.
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
    """Adversaries that `maker` was attacked with, tried on `taker`."""

    attack: str
    maker: str
    taker: str
    accuracy: Share
    maker_accuracy: Share


@dataclass(frozen=True)
class Certified:
    """`accuracies`: for each radius, the share of samples whose class is right and certified to stay so within it.

    `claim` says what the radii hold for. `abstained`: no class is certified. `medians` are of the radii of samples that
    are certified and right, by name: "cohen", "lipschitz" and "paper" bounds for Gaussian noise of standard deviation
    `sigma`, whose confidence is 1 − alpha for each sample; "constant" for a Lipschitz constant, of which `parts` says
    where it comes from. `broken` counts samples that an attack of this evaluation fooled within their radius, where the
    radii hold for the network and it was attacked: it is 0 unless something is wrong.
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
    """Sizes of all weights: how many are below a bound, and a histogram of log₁₀|w|."""

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
    doubts: tuple[Doubt, ...] = ()
    weights: Weights | None = None
    complexity: Complexity | None = None
    axioms: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    pictures: tuple[tuple[str, str], ...] = ()
    """Names of files beside the report, and what they show."""

    def __repr__(self) -> str:
        """Every accuracy with its interval, and what the audit says."""
        from pdedsl.evaluation.summary import summary

        return summary(self)

    def _repr_html_(self) -> str:
        """The page without its pictures, in a notebook."""
        from pdedsl.evaluation.pages import document
        from pdedsl.explanation.document import Picture, fragment

        return fragment([e for e in document(self) if not isinstance(e, Picture)], Path())

    def plain(self) -> dict[str, object]:
        """The report as JSON has it."""
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
