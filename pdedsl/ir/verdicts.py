"""Counterexamples to an axiom that can be run again on the compiled network."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from sympy import Symbol

from pdedsl.diagnostics import Span, escaping

# ---- examples


@dataclass(frozen=True)
class FeatureMapCounterexample:
    """Weights and feature maps for a block with at least as many channels as a state has values.

    Every operator is a multiple of the identity on these channels and zero on the others, all normalisations have the
    same scale and bias, and learned fields are zero. A state has one value for each of the first channels of each
    half, the same at every pixel, and is zero in the other channels.
    """

    operators: tuple[tuple[Symbol, float], ...]
    scale: float
    bias: float
    states: tuple[tuple[tuple[float, ...], ...], ...]  # one or two, each with one half after the other
    growth: float  # ratio of end to start, of the distance of two states or of the norm of one


# ---- verdicts
# Verdicts: what is known about an axiom, and why. A prover without an applicable rule returns `Unknown`.


class Truth(StrEnum):
    """What is known about an axiom, in a word."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "unknown"


class Axiom(StrEnum):
    """The properties that are decided for equations."""

    LINEARITY = "linearity"
    CONSTANTS = "preserves_constants"
    COMPARISON = "comparison"
    MARKOV = "markov"
    LOCALITY = "locality"
    SPATIAL_REGULARITY = "spatial_regularity"
    TEMPORAL_REGULARITY = "temporal_regularity"
    STABILITY = "stability"
    ENERGY_DECAY = "energy_decay"
    ENERGY_CONSERVATION = "energy_conservation"
    REVERSIBILITY = "reversibility"
    MAXIMUM_PRINCIPLE = "maximum_principle"
    CONSERVATION = "conservation"


@dataclass(frozen=True)
class _VerdictBase:
    """What all verdicts have: a reason, and how a terminal and a notebook show it."""

    truth: ClassVar[Truth]
    reason: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reason!r})"

    def _repr_markdown_(self) -> str:
        return f"**{self.truth}**: {escaping.markdown(self.reason)}"


@dataclass(frozen=True, repr=False)
class Proved(_VerdictBase):
    """It holds for every weight and all data: why, and the hypotheses of the theorem, each of which was checked."""

    truth: ClassVar[Truth] = Truth.PROVED
    hypotheses: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Refuted(_VerdictBase):
    """It fails: why, an example that shows it, and the terms or conditions that are to blame."""

    truth: ClassVar[Truth] = Truth.REFUTED
    counterexample: str
    offending: tuple[Span, ...] = field(repr=False)
    example: FeatureMapCounterexample | None = None  # the example in a form that can be run again


@dataclass(frozen=True, repr=False)
class Undecided(_VerdictBase):
    """Neither proved nor refuted: which hypothesis could not be checked, or that there is no rule."""

    truth: ClassVar[Truth] = Truth.UNDECIDED
    offending: tuple[Span, ...] = field(default=(), repr=False)


Verdict = Proved | Refuted | Undecided
