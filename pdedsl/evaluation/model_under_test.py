"""Model under evaluation: the network, the box of valid inputs, and the Gaussian smoothing of its input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from torch import nn

from pdedsl.attacks import Box
from pdedsl.frozen_model import Model


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
class ModelUnderTest:
    """`sources` are the source networks of transfer attacks, by name; `surrogates` are networks with the same weights
    whose adversarial examples the audit transfers to the model."""

    model: Model
    box: Box = field(default_factory=Box)
    smoothing: Smoothing | None = None
    sources: Mapping[str, Model] = field(default_factory=dict)
    surrogates: tuple[Model, ...] = ()

    @property
    def module(self) -> nn.Module | None:
        return self.model if isinstance(self.model, nn.Module) else None
