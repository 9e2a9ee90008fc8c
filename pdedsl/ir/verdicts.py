"""Verdicts on the axioms of an equation: proved, refuted with a counterexample, or undecided."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from sympy import Symbol

from pdedsl.diagnostics import Span, escaping
from pdedsl.record import Record

# ---- Counterexamples on feature maps


class FeatureMapCounterexample(Record):
    """Weights and feature maps that violate an axiom, for a block with at least as many channels as a state has values.

    Every operator is a multiple of the identity on these channels and zero on the others, all normalizations have the
    same scale and bias, and learned fields are zero. A state has one value for each of the first channels of each
    half, the same at every pixel, and is zero in the other channels.
    """

    operators: tuple[tuple[Symbol, float], ...]
    scale: float
    bias: float
    states: tuple[tuple[tuple[float, ...], ...], ...]  # one or two, each with one half after the other
    growth: float  # ratio of final to initial distance of two states, or norm of one


# ---- Verdicts


class Truth(StrEnum):
    """Proved, refuted or undecided."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "unknown"


class Axiom(StrEnum):
    """The properties of the solution operator that are decided."""

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


class _VerdictBase(Record):
    """The reason of a verdict, and its display in a terminal and a notebook."""

    truth: ClassVar[Truth]
    reason: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reason!r})"

    def _repr_markdown_(self) -> str:
        return f"**{self.truth}**: {escaping.markdown(self.reason)}"


class Proved(_VerdictBase):
    """Holds for all weights and data, by a theorem whose hypotheses were checked."""

    truth: ClassVar[Truth] = Truth.PROVED
    hypotheses: tuple[str, ...] = ()


class Refuted(_VerdictBase):
    """Violated: the reason, a counterexample, and the offending terms or conditions."""

    truth: ClassVar[Truth] = Truth.REFUTED
    counterexample: str
    offending: tuple[Span, ...] = field(repr=False)
    example: FeatureMapCounterexample | None = None  # the counterexample as data, to run it on the network


class Undecided(_VerdictBase):
    """Neither proved nor refuted: a hypothesis could not be checked, or no theorem applies."""

    truth: ClassVar[Truth] = Truth.UNDECIDED
    offending: tuple[Span, ...] = field(default=(), repr=False)


Verdict = Proved | Refuted | Undecided
