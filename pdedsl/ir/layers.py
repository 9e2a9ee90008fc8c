"""Layers of a network on pixels, with everything needed to build them."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol

from pdedsl.diagnostics import Span
from pdedsl.numerics.activations import Activation
from pdedsl.words.networks import Convnet
from pdedsl.words.normalisations import Normalisation
from pdedsl.words.params import Real


@dataclass(frozen=True)
class Free:
    """An operator without a constraint."""


@dataclass(frozen=True)
class NormBound:
    """‖K‖ ≤ bound for every weight."""

    bound: Expr


@dataclass(frozen=True)
class WeightBox:
    """Every entry of K in [low, high], by projection."""

    low: Real
    high: Real


Constraint = Free | NormBound | WeightBox


@dataclass(frozen=True)
class Symmetric:
    """factor · Kᵀ σ(N(K Y)) with a convolution K, size × size, of the learned operator `head`."""

    head: Symbol
    factor: Expr
    size: int
    constraint: Constraint
    activation: Activation
    norm: Normalisation | None
    new_weights: bool  # whether each step has its own weights; otherwise all share one layer


@dataclass(frozen=True)
class Network:
    """factor · f(Y), or factor · f(Y, t) if it is `timed`."""

    head: Symbol
    factor: Expr
    net: Convnet
    timed: bool
    new_weights: bool


Layer = Symmetric | Network


@dataclass(frozen=True)
class RightHandSide:
    """Σ layers + reaction · Y."""

    layers: tuple[Layer, ...]
    reaction: Expr
    span: Span
