"""The noise of a step: covariance 2AΔt, as added random numbers or as a random residual map."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, sqrt

from pdedsl import errors
from pdedsl.config.methods import (
    Diffusion,
    Dropout,
    Law,
    Residual,
    Retraining,
    Sampling,
    Scale,
    ShakeShake,
    StochasticDepth,
)
from pdedsl.config.methods import Noise as NoiseWord
from pdedsl.diagnostics import Span
from pdedsl.ir.noise import (
    Added,
    Correlated,
    Dropped,
    DroppedMaps,
    DroppedUnits,
    Dropping,
    Inside,
    Noise,
    Plain,
    RandomMap,
    Relative,
    Scaled,
    Shared,
    SharedBranches,
)
from pdedsl.ir.representation import SdeSegment
from pdedsl.ir.terms import Shape


def noise_of(stretch: SdeSegment, dt: Expr, method: Diffusion | None) -> Noise:
    """The noise by which a method realizes the diffusion; by default, the random map with this diffusion, if any."""
    span = stretch.diffusion or Span(0, 1)
    random = _random_map(stretch, method, span)
    if random is None:
        return _added(stretch, dt, method, span)
    if not stretch.moves:
        raise errors.methods.needs_velocity(_word(random), span)
    return _inside(random, dt, span)


def _random_map(stretch: SdeSegment, method: Diffusion | None, span: Span) -> RandomMap | None:
    """The random map that realizes the diffusion, which must be its second moment."""
    if method is None:
        return stretch.random
    wanted = _wanted(method)
    if wanted is None:
        return None
    map_, term = wanted
    if not isinstance(stretch.random, map_):
        raise errors.methods.another_diffusion(method.name, term, span)
    return stretch.random


def _wanted(method: Diffusion) -> tuple[type[RandomMap], str] | None:
    """The random map of a method, and the diffusion that it produces."""
    match method:
        case Dropout():
            return DroppedUnits, "c Σᵢ vᵢ² ∂²u/∂xᵢ² along the velocity v"
        case StochasticDepth():
            return DroppedMaps, "c Σᵢⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ along the velocity v"
        case ShakeShake():
            return SharedBranches, "c Σᵢⱼ (fᵢ - gᵢ)(fⱼ - gⱼ) ∂²u/∂xᵢ∂xⱼ along the velocity ½(f + g)"
        case NoiseWord() | Residual() | Retraining() | Sampling():
            return None
        case _:
            assert_never(method)


def _word(random: RandomMap) -> str:
    match random:
        case DroppedUnits():
            return Dropout.spelling
        case DroppedMaps():
            return StochasticDepth.spelling
        case SharedBranches():
            return ShakeShake.spelling
        case _:
            assert_never(random)


def _inside(random: RandomMap, dt: Expr, span: Span) -> Inside:
    """Δt(1-p)/(2p) = c gives p, and ½Δt Var α = c gives the standard deviation of α."""
    match random:
        case DroppedUnits(strength=c):
            return Dropped(dt / (dt + 2 * c), Dropping.UNITS, span)
        case DroppedMaps(strength=c):
            return Dropped(dt / (dt + 2 * c), Dropping.LAYER, span)
        case SharedBranches(strength=c):
            return Shared(_root(2 * c / dt, span), span)
        case _:
            assert_never(random)


def law_of(method: Diffusion | None) -> Law:
    return method.kind if isinstance(method, NoiseWord) else Law.GAUSSIAN


def takes_one_step(stretch: SdeSegment, method: Diffusion | None) -> bool:
    """Whether one step is exact: a sum of Gaussian variables is Gaussian; other laws do not have this property."""
    return stretch.is_constant and not (stretch.diffuses and law_of(method) is not Law.GAUSSIAN)


def _added(stretch: SdeSegment, dt: Expr, method: Diffusion | None, span: Span) -> Added:
    """Random numbers added after a step: independent, relative to the state, or correlated."""
    law = law_of(method)
    if isinstance(method, NoiseWord) and method.scale is Scale.RELATIVE:
        return _relative(stretch, method, span)
    if stretch.shape is Shape.ISOTROPIC or (stretch.index and stretch.shape is Shape.DIAGONAL):
        return _independent(stretch, dt, law, span)
    if stretch.index is not None:
        raise errors.methods.noise_of_full_matrix(_word(stretch.random) if stretch.random else None, span)
    return Correlated(tuple(tuple(2 * dt * e for e in row) for row in stretch.diffusivity), law, span)


def _relative(stretch: SdeSegment, method: NoiseWord, span: Span) -> Relative:
    if stretch.shape is not Shape.ISOTROPIC or not stretch.diffusivity[0][0].is_number:
        raise errors.methods.relative_noise(span)
    if stretch.index is None and len(stretch.drift) == 1:
        raise errors.methods.relative_on_a_line(span)
    return Relative(_root(2 * stretch.diffusivity[0][0], span), method.across, method.kind, span)


def _independent(stretch: SdeSegment, dt: Expr, law: Law, span: Span) -> Plain | Scaled:
    """Independent noise for each component, of standard deviation √(2νΔt)."""
    std = _root(2 * stretch.diffusivity[0][0] * dt, span)
    return Plain(std, law, span) if std.is_number else Scaled(std, law, span)


def _root(variance: Expr, span: Span) -> Expr:
    """A standard deviation; the check is for numbers beyond floating point, whose sign the analysis does not know."""
    std = sqrt(variance)
    if std.is_number and not std.is_real:
        raise errors.syntax.too_large(span)
    return std
