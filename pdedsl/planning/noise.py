"""The noise of a step: covariance 2AΔt, as added random numbers or as a random residual map."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, sqrt

from pdedsl import errors
from pdedsl.config.methods import (
    Diffusion,
    Dropout,
    HeatSmoothing,
    Law,
    RandomizedSmoothing,
    ResidualPenalty,
    Scale,
    ShakeShake,
    StochasticDepth,
)
from pdedsl.config.methods import Noise as NoiseWord
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


def noise_of(stretch: SdeSegment, dt: Expr, method: Diffusion | None) -> Noise:
    """The noise by which a method realizes the diffusion; by default, the random map with this diffusion, if any."""
    span = stretch.diffusion_span or Span(0, 1)
    random = _random_residual(stretch, method, span)
    if random is None:
        return _additive_noise(stretch, dt, method, span)
    if not stretch.has_drift:
        raise errors.methods.needs_velocity(_keyword(random), span)
    return _branch_noise(random, dt, span)


def _random_residual(stretch: SdeSegment, method: Diffusion | None, span: Span) -> RandomResidual | None:
    """The random map that realizes the diffusion, which must be its second moment."""
    if method is None:
        return stretch.random_residual
    wanted = _required_residual(method)
    if wanted is None:
        return None
    map_, term = wanted
    if not isinstance(stretch.random_residual, map_):
        raise errors.methods.incompatible_diffusion(method.name, term, span)
    return stretch.random_residual


def _required_residual(method: Diffusion) -> tuple[type[RandomResidual], str] | None:
    """The random map of a method, and the diffusion that it produces."""
    match method:
        case Dropout():
            return DropoutResidual, "c Σᵢ vᵢ² ∂²u/∂xᵢ² along the velocity v"
        case StochasticDepth():
            return StochasticDepthResidual, "c Σᵢⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ along the velocity v"
        case ShakeShake():
            return ShakeShakeResidual, "c Σᵢⱼ (fᵢ - gᵢ)(fⱼ - gⱼ) ∂²u/∂xᵢ∂xⱼ along the velocity ½(f + g)"
        case NoiseWord() | ResidualPenalty() | HeatSmoothing() | RandomizedSmoothing():
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


def law_of(method: Diffusion | None) -> Law:
    return method.kind if isinstance(method, NoiseWord) else Law.GAUSSIAN


def is_exact_in_one_step(stretch: SdeSegment, method: Diffusion | None) -> bool:
    """Whether one step is exact: a sum of Gaussian variables is Gaussian; other laws do not have this property."""
    return stretch.is_constant and not (stretch.has_diffusion and law_of(method) is not Law.GAUSSIAN)


def _additive_noise(stretch: SdeSegment, dt: Expr, method: Diffusion | None, span: Span) -> AdditiveNoise:
    """Random numbers added after a step: independent, relative to the state, or correlated."""
    law = law_of(method)
    if isinstance(method, NoiseWord) and method.scale is Scale.RELATIVE:
        return _relative_noise(stretch, method, span)
    if stretch.structure is MatrixStructure.ISOTROPIC or (
        stretch.index and stretch.structure is MatrixStructure.DIAGONAL
    ):
        return _independent_noise(stretch, dt, law, span)
    if stretch.index is not None:
        raise errors.methods.noise_with_full_matrix(
            _keyword(stretch.random_residual) if stretch.random_residual else None, span
        )
    return CorrelatedNoise(tuple(tuple(2 * dt * e for e in row) for row in stretch.diffusivity), law, span)


def _relative_noise(stretch: SdeSegment, method: NoiseWord, span: Span) -> RelativeNoise:
    if stretch.structure is not MatrixStructure.ISOTROPIC or not stretch.diffusivity[0][0].is_number:
        raise errors.methods.relative_noise(span)
    if stretch.index is None and len(stretch.drift) == 1:
        raise errors.methods.relative_noise_in_one_dimension(span)
    return RelativeNoise(_standard_deviation(2 * stretch.diffusivity[0][0], span), method.across, method.kind, span)


def _independent_noise(stretch: SdeSegment, dt: Expr, law: Law, span: Span) -> ConstantNoise | StateDependentNoise:
    """Independent noise for each component, of standard deviation √(2νΔt)."""
    std = _standard_deviation(2 * stretch.diffusivity[0][0] * dt, span)
    return ConstantNoise(std, law, span) if std.is_number else StateDependentNoise(std, law, span)


def _standard_deviation(variance: Expr, span: Span) -> Expr:
    """A standard deviation; the check is for numbers beyond floating point, whose sign the analysis does not know."""
    std = sqrt(variance)
    if std.is_number and not std.is_real:
        raise errors.syntax.expression_too_large(span)
    return std
