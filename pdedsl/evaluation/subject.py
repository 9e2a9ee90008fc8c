"""What is evaluated: a network with the samples' box, and what its equation says of noise on the input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from torch import nn

from pdedsl.attacks import Box
from pdedsl.untouched import Model


class Claim(Enum):
    """What a radius holds for, to be said beside it."""

    NETWORK = "certificate of the network itself"
    AVERAGE = "certificate of the network's average over Gaussian noise on the input, not of the network itself"
    VOTE = "certificate of the majority vote over the equation's own noise on the input"
    ESTIMATE = "estimate, not a certificate: it would hold if the network were the exact Gaussian average"


@dataclass(frozen=True)
class Smoothing:
    """Gaussian noise on the input of standard deviation `std`, and the network that is averaged over it.

    `exact`: the network that is evaluated is that average, up to the number of its draws.
    """

    std: float
    base: Model
    exact: bool

    @property
    def claim(self) -> Claim:
        return Claim.VOTE if self.exact else Claim.AVERAGE


@dataclass(frozen=True)
class Subject:
    """`sources` are networks by the names under which transfer attacks know them; `surrogates` are networks with the
    same weights whose attacks should not do better than those on the network itself."""

    model: Model
    box: Box = field(default_factory=Box)
    smoothing: Smoothing | None = None
    sources: Mapping[str, Model] = field(default_factory=dict)
    surrogates: tuple[Model, ...] = ()

    @property
    def module(self) -> nn.Module | None:
        return self.model if isinstance(self.model, nn.Module) else None
