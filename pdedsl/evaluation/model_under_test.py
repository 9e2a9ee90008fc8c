"""What is evaluated: a network, the box of valid samples, and what its equation says about noise on the input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from torch import nn

from pdedsl.attacks import Box
from pdedsl.frozen_model import Model


class Claim(Enum):
    """What a radius holds for, to be stated beside it."""

    NETWORK = "certificate of the network itself"
    AVERAGE = "certificate of the network's average over Gaussian noise on the input, not of the network itself"
    VOTE = "certificate of the majority vote over the equation's own noise on the input"
    ESTIMATE = "estimate, not a certificate: it would hold if the network were the exact Gaussian average"


@dataclass(frozen=True)
class Smoothing:
    """Gaussian noise of standard deviation `std` on the input, and the network that is averaged over it.

    `exact`: the evaluated network is that average, up to its finite number of draws.
    """

    std: float
    base: Model
    exact: bool

    @property
    def claim(self) -> Claim:
        return Claim.VOTE if self.exact else Claim.AVERAGE


@dataclass(frozen=True)
class Subject:
    """`sources` are networks by the names that transfer attacks use; `surrogates` are networks with the same weights,
    whose attacks should do no better than attacks on the network itself."""

    model: Model
    box: Box = field(default_factory=Box)
    smoothing: Smoothing | None = None
    sources: Mapping[str, Model] = field(default_factory=dict)
    surrogates: tuple[Model, ...] = ()

    @property
    def module(self) -> nn.Module | None:
        return self.model if isinstance(self.model, nn.Module) else None
