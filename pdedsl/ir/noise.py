"""Noise of a time step: random residuals whose covariance is a diffusion matrix, and additive noise."""

from __future__ import annotations

from enum import Enum

from sympy import Expr, Symbol

from pdedsl.config.methods import Across, Law
from pdedsl.diagnostics import Span
from pdedsl.frozen_dataclass import dataclass

# ---- Random residuals, recognised by the analysis


@dataclass(frozen=True)
class DropoutResidual:
    """Dropout: A = c diag(vᵢ²) for the drift v, with c = `strength`."""

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

# ---- Noise of a layer, in a plan


class DropoutGranularity(Enum):
    """Whether units are dropped independently or the residual branch as a whole."""

    UNITS = "units"
    LAYER = "layer"


@dataclass(frozen=True)
class ConstantNoise:
    """σξ with constant σ = `std`, and ξ of unit variance."""

    std: Expr
    law: Law
    span: Span


@dataclass(frozen=True)
class StateDependentNoise:
    """σ(x, t)ξ."""

    std: Expr
    law: Law
    span: Span


@dataclass(frozen=True)
class RelativeNoise:
    """a·std(x)·ξ: noise relative to the standard deviation std(x) of the state, a = `scale`."""

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
    """v z/p with z ~ Bernoulli(p), p = `keep_probability`, one z per unit or per layer."""

    keep_probability: Expr
    granularity: DropoutGranularity
    span: Span


@dataclass(frozen=True)
class ShakeShakeNoise:
    """Shake-shake: αf + (1-α)g with a random weight α of mean ½ and standard deviation `std`."""

    std: Expr
    span: Span


AdditiveNoise = ConstantNoise | StateDependentNoise | RelativeNoise | CorrelatedNoise
"""Noise added after a step."""
BranchNoise = DropoutNoise | ShakeShakeNoise
"""Multiplicative noise on the residual branch."""
Noise = ConstantNoise | StateDependentNoise | RelativeNoise | CorrelatedNoise | DropoutNoise | ShakeShakeNoise
