"""Noise of a time step, with covariance 2AΔt: additive noise, or a random residual (dropout, shake-shake)."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, sqrt

from pdedsl import errors
from pdedsl.config.methods import (
    Diffusion,
    Dropout,
    HeatSmoothing,
    NoiseDistribution,
    NoiseScale,
    RandomizedSmoothing,
    ResidualPenalty,
    ShakeShake,
    StochasticDepth,
)
from pdedsl.config.methods import Noise as NoiseConfig
from pdedsl.diagnostics import Span
from pdedsl.ir.noise import (
    AdditiveNoise,
    BranchNoise,
    ConstantNoise,
    CorrelatedNoise,
    DropoutGranularity,
    DropoutNoise,
    DropoutResidual,
    Noise,
    RandomResidual,
    RelativeNoise,
    ShakeShakeNoise,
    ShakeShakeResidual,
    StateDependentNoise,
    StochasticDepthResidual,
)
from pdedsl.ir.representation import SdeSegment
from pdedsl.ir.terms import MatrixStructure


def noise_of(segment: SdeSegment, dt: Expr, method: Diffusion | None) -> Noise:
    """The noise of a step; by default a random residual with this diffusion matrix, if there is one."""
    span = segment.diffusion_span or Span(0, 1)
    random = _random_residual(segment, method, span)
    if random is None:
        return _additive_noise(segment, dt, method, span)
    if not segment.has_drift:
        raise errors.methods.needs_velocity(_keyword(random), span)
    return _branch_noise(random, dt, span)


def _random_residual(segment: SdeSegment, method: Diffusion | None, span: Span) -> RandomResidual | None:
    """The random residual of a method, whose covariance must be the diffusion."""
    if method is None:
        return segment.random_residual
    required = _required_residual(method)
    if required is None:
        return None
    residual, term = required
    if not isinstance(segment.random_residual, residual):
        raise errors.methods.incompatible_diffusion(method.name, term, span)
    return segment.random_residual


def _required_residual(method: Diffusion) -> tuple[type[RandomResidual], str] | None:
    """The random residual of a method, and its diffusion term."""
    match method:
        case Dropout():
            return DropoutResidual, "c Σᵢ vᵢ² ∂²u/∂xᵢ² with drift v"
        case StochasticDepth():
            return StochasticDepthResidual, "c Σᵢⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ with drift v"
        case ShakeShake():
            return ShakeShakeResidual, "c Σᵢⱼ (fᵢ - gᵢ)(fⱼ - gⱼ) ∂²u/∂xᵢ∂xⱼ with drift ½(f + g)"
        case NoiseConfig() | ResidualPenalty() | HeatSmoothing() | RandomizedSmoothing():
            return None
        case _:
            assert_never(method)


def _keyword(random: RandomResidual) -> str:
    match random:
        case DropoutResidual():
            return Dropout.keyword
        case StochasticDepthResidual():
            return StochasticDepth.keyword
        case ShakeShakeResidual():
            return ShakeShake.keyword
        case _:
            assert_never(random)


def _branch_noise(random: RandomResidual, dt: Expr, span: Span) -> BranchNoise:
    """Δt(1-p)/(2p) = c gives p, and ½Δt Var α = c gives the standard deviation of α."""
    match random:
        case DropoutResidual(strength=c):
            return DropoutNoise(dt / (dt + 2 * c), DropoutGranularity.UNITS, span)
        case StochasticDepthResidual(strength=c):
            return DropoutNoise(dt / (dt + 2 * c), DropoutGranularity.LAYER, span)
        case ShakeShakeResidual(strength=c):
            return ShakeShakeNoise(_standard_deviation(2 * c / dt, span), span)
        case _:
            assert_never(random)


def law_of(method: Diffusion | None) -> NoiseDistribution:
    return method.kind if isinstance(method, NoiseConfig) else NoiseDistribution.GAUSSIAN


def is_exact_in_one_step(segment: SdeSegment, method: Diffusion | None) -> bool:
    """Whether one step is exact: constant coefficients and Gaussian noise, whose sums are Gaussian."""
    return segment.is_constant and not (segment.has_diffusion and law_of(method) is not NoiseDistribution.GAUSSIAN)


def _additive_noise(segment: SdeSegment, dt: Expr, method: Diffusion | None, span: Span) -> AdditiveNoise:
    """Noise added after a step: independent, relative to the state, or correlated."""
    law = law_of(method)
    if isinstance(method, NoiseConfig) and method.scale is NoiseScale.RELATIVE:
        return _relative_noise(segment, method, span)
    if segment.structure is MatrixStructure.ISOTROPIC or (
        segment.index and segment.structure is MatrixStructure.DIAGONAL
    ):
        return _independent_noise(segment, dt, law, span)
    if segment.index is not None:
        raise errors.methods.noise_with_full_matrix(
            _keyword(segment.random_residual) if segment.random_residual else None, span
        )
    return CorrelatedNoise(tuple(tuple(2 * dt * e for e in row) for row in segment.diffusivity), law, span)


def _relative_noise(segment: SdeSegment, method: NoiseConfig, span: Span) -> RelativeNoise:
    if segment.structure is not MatrixStructure.ISOTROPIC or not segment.diffusivity[0][0].is_number:
        raise errors.methods.relative_noise(span)
    if segment.index is None and len(segment.drift) == 1:
        raise errors.methods.relative_noise_in_one_dimension(span)
    return RelativeNoise(_standard_deviation(2 * segment.diffusivity[0][0], span), method.across, method.kind, span)


def _independent_noise(
    segment: SdeSegment, dt: Expr, law: NoiseDistribution, span: Span
) -> ConstantNoise | StateDependentNoise:
    """Independent noise for each component, of standard deviation √(2νΔt)."""
    std = _standard_deviation(2 * segment.diffusivity[0][0] * dt, span)
    return ConstantNoise(std, law, span) if std.is_number else StateDependentNoise(std, law, span)


def _standard_deviation(variance: Expr, span: Span) -> Expr:
    """A standard deviation; not real if a number beyond the floating-point range has unknown sign."""
    std = sqrt(variance)
    if std.is_number and not std.is_real:
        raise errors.syntax.expression_too_large(span)
    return std
