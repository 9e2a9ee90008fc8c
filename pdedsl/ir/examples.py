"""Counterexamples to an axiom that can be run again on the compiled network."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Symbol


@dataclass(frozen=True)
class MapExample:
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
