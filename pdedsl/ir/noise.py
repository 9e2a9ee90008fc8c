"""Noise of a step: random maps whose second moment is a diffusion, and noise as planned."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sympy import Expr, Symbol

from pdedsl.config.methods import Across, Law
from pdedsl.diagnostics import Span

# ---- random residual maps, as found by the analysis


@dataclass(frozen=True)
class DropoutResidual:
    """Dropout: A = c diag(vᵢ²) along the velocity v, with c = `strength`."""

    strength: Expr


@dataclass(frozen=True)
class StochasticDepthResidual:
    """Stochastic depth: A = c vvᵀ."""

    strength: Expr


@dataclass(frozen=True)
class ShakeShakeResidual:
    """Shake-shake: A = c (f-g)(f-g)ᵀ along ½(f+g), with the two branches f and g."""

    strength: Expr
    branches: tuple[Symbol, ...]


RandomResidual = DropoutResidual | StochasticDepthResidual | ShakeShakeResidual

# ---- noise of a layer, as planned


class DropoutGranularity(Enum):
    """What is dropped together."""

    UNITS = "units"
    LAYER = "layer"


@dataclass(frozen=True)
class ConstantNoise:
    """σξ, with constant σ = `std` and random ξ from a law with variance 1."""

    std: Expr
    law: Law
    span: Span


@dataclass(frozen=True)
class StateDependentNoise:
    """σ(x)ξ."""

    std: Expr
    law: Law
    span: Span


@dataclass(frozen=True)
class RelativeNoise:
    """a·std(x)·ξ, with the standard deviation std(x) of the state itself and a = `scale`."""

    scale: Expr
    across: Across
    law: Law
    span: Span


@dataclass(frozen=True)
class CorrelatedNoise:
    """Lξ with LLᵀ = `covariance` = 2AΔt."""

    covariance: tuple[tuple[Expr, ...], ...]
    law: Law
    span: Span


@dataclass(frozen=True)
class DropoutNoise:
    """v z/p with z ~ Bernoulli(p), p = `keep`, one z for each unit or for the whole layer."""

    keep_probability: Expr
    granularity: DropoutGranularity
    span: Span


@dataclass(frozen=True)
class ShakeShakeNoise:
    """αf + (1-α)g with a random weight α of mean ½ and standard deviation `std`."""

    std: Expr
    span: Span


AdditiveNoise = ConstantNoise | StateDependentNoise | RelativeNoise | CorrelatedNoise
"""Noise behind a map."""
BranchNoise = DropoutNoise | ShakeShakeNoise
"""Noise that a map is made of."""
Noise = ConstantNoise | StateDependentNoise | RelativeNoise | CorrelatedNoise | DropoutNoise | ShakeShakeNoise
