"""Noise of a time step: random residuals whose covariance is a diffusion matrix, and additive noise."""

from __future__ import annotations

from enum import Enum

from sympy import Expr, Symbol

from pdedsl.config.methods import NoiseDistribution, NormReduction
from pdedsl.diagnostics import Span
from pdedsl.record import Record

# ---- Random residuals, recognised by the analysis


class DropoutResidual(Record):
    """Dropout: A = c diag(vᵢ²) for the drift v, with c = `strength`."""

    strength: Expr


class StochasticDepthResidual(Record):
    """Stochastic depth: A = c vvᵀ."""

    strength: Expr


class ShakeShakeResidual(Record):
    """Shake-shake: A = c (f-g)(f-g)ᵀ along ½(f+g), with the two branches f and g."""

    strength: Expr
    branches: tuple[Symbol, ...]


RandomResidual = DropoutResidual | StochasticDepthResidual | ShakeShakeResidual

# ---- Noise of a layer, in a plan


class DropoutGranularity(Enum):
    """Whether units are dropped independently or the residual branch as a whole."""

    UNITS = "units"
    LAYER = "layer"


class ConstantNoise(Record):
    """σξ with constant σ = `std`, and ξ of unit variance."""

    std: Expr
    law: NoiseDistribution
    span: Span


class StateDependentNoise(Record):
    """σ(x, t)ξ."""

    std: Expr
    law: NoiseDistribution
    span: Span


class RelativeNoise(Record):
    """a·std(x)·ξ: noise relative to the standard deviation std(x) of the state, a = `scale`."""

    scale: Expr
    across: NormReduction
    law: NoiseDistribution
    span: Span


class CorrelatedNoise(Record):
    """Lξ with LLᵀ = `covariance` = 2AΔt."""

    covariance: tuple[tuple[Expr, ...], ...]
    law: NoiseDistribution
    span: Span


class DropoutNoise(Record):
    """v z/p with z ~ Bernoulli(p), p = `keep_probability`, one z per unit or per layer."""

    keep_probability: Expr
    granularity: DropoutGranularity
    span: Span


class ShakeShakeNoise(Record):
    """Shake-shake: αf + (1-α)g with a random weight α of mean ½ and standard deviation `std`."""

    std: Expr
    span: Span


AdditiveNoise = ConstantNoise | StateDependentNoise | RelativeNoise | CorrelatedNoise
"""Noise added after a step."""
BranchNoise = DropoutNoise | ShakeShakeNoise
"""Multiplicative noise on the residual branch."""
Noise = ConstantNoise | StateDependentNoise | RelativeNoise | CorrelatedNoise | DropoutNoise | ShakeShakeNoise
