"""Examples against an axiom that can be run again on what was compiled."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Symbol


@dataclass(frozen=True)
class MapExample:
    """Weights and feature maps of a block with as many channels as a state has values, or more.

    Every operator is a multiple of the identity on these channels and zero on the others, every normalisation has one
    scale and one bias, learned fields are zero. A state has a value for each of the first channels of each half, the
    same at every pixel, and is zero in the others.
    """

    operators: tuple[tuple[Symbol, float], ...]
    scale: float
    bias: float
    states: tuple[tuple[tuple[float, ...], ...], ...]  # one or two, each half after half
    growth: float  # of the distance of two states, or of the norm of one: at the end over at the start
