"""The noise of a step: covariance 2AΔt, as independent numbers or as a residual map that is random itself."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, sqrt

from pdedsl import mistakes
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.analysis import RandomMap
from pdedsl.ir.plan import Noise
from pdedsl.ir.representation import Stretch
from pdedsl.words.diffusions import Diffusion, Dropout, Law, Scale, ShakeShake, StochasticDepth
from pdedsl.words.diffusions import Noise as NoiseWord

TERMS = {
    "dropout": "c Σᵢ vᵢ² ∂²u/∂xᵢ² along the velocity v",
    "depth": "c Σᵢⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ along the velocity v",
    "shake": "c Σᵢⱼ (fᵢ - gᵢ)(fⱼ - gⱼ) ∂²u/∂xᵢ∂xⱼ along the velocity ½(f + g)",
}
RANDOM_MAPS: dict[type[Diffusion], str] = {Dropout: "dropout", StochasticDepth: "depth", ShakeShake: "shake"}


def noise_of(stretch: Stretch, dt: Expr, method: Diffusion | None) -> Noise:
    """What the method makes of the diffusion; a random map is the default of its own shape."""
    span = stretch.diffusion or Span(0, 1)
    wanted = RANDOM_MAPS.get(type(method)) if method else stretch.random.kind if stretch.random else None
    if wanted is not None:
        if stretch.random is None or stretch.random.kind != wanted:
            raise _another(method, wanted, span)
        if not stretch.moves:
            raise mistakes.networks.needs_velocity(_word(wanted), span)
        return _random(stretch.random, dt, span)
    law = law_of(method)
    if isinstance(method, NoiseWord) and method.scale is Scale.RELATIVE:
        return _relative(stretch, method, span)
    if stretch.shape == "isotropic" or (stretch.index and stretch.shape in ("diagonal", "dropout")):
        return _independent(stretch, dt, law, span)
    if stretch.index is not None:
        instead = _word(stretch.random.kind) if stretch.random else None
        raise mistakes.networks.noise_of_full_matrix(instead, span)
    matrix = tuple(tuple(2 * dt * e for e in row) for row in stretch.diffusivity)
    return Noise("correlated", matrix=matrix, span=span, law=law)


def law_of(method: Diffusion | None) -> Law:
    return method.kind if isinstance(method, NoiseWord) else Law.GAUSSIAN


def _random(random: RandomMap, dt: Expr, span: Span) -> Noise:
    """Δt(1-p)/(2p) = c gives p, and ½Δt Var α = c gives the standard deviation of α."""
    keep = dt / (dt + 2 * random.strength)
    match random.kind:
        case "dropout":
            return Noise("dropout", keep, span=span)
        case "depth":
            return Noise("dropout", keep, span=span, of="layer")
        case "shake":
            return Noise("shake", sqrt(2 * random.strength / dt), span=span)
        case _:
            assert_never(random.kind)


def _another(method: Diffusion | None, wanted: str, span: Span) -> PdeError:
    assert method is not None
    return mistakes.networks.another_diffusion(method.name, TERMS[wanted], span)


def _word(kind: str) -> str:
    return next(word.spelling for word, own in RANDOM_MAPS.items() if own == kind)


def _relative(stretch: Stretch, method: NoiseWord, span: Span) -> Noise:
    if stretch.shape != "isotropic" or not stretch.diffusivity[0][0].is_number:
        raise mistakes.networks.relative_noise(span)
    value = sqrt(2 * stretch.diffusivity[0][0])
    return Noise("relative", value, across=method.across, span=span, law=method.kind)


def _independent(stretch: Stretch, dt: Expr, law: Law, span: Span) -> Noise:
    """Each component with its own noise, of standard deviation √(2νΔt)."""
    std = sqrt(2 * stretch.diffusivity[0][0] * dt)
    return Noise("plain" if std.is_number else "scaled", std, span=span, law=law)
