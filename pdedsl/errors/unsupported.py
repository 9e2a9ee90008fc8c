"""E130: notations and problems of textbooks that are not supported. The hint is the nearest supported statement."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.errors.base import Code
from pdedsl.record import Record

NOT_SUPPORTED = Code("E130", "a notation or problem that is not supported")


class Feature(Record):
    """The plural name of an unsupported feature, and the nearest supported statement."""

    name: str
    nearest: str


FRACTIONAL_DERIVATIVE = Feature(
    "fractional derivatives",
    "a memory that decays exponentially, with another unknown w: ∂u/∂t = Δu - w, ∂w/∂t = u - w",
)
INTEGRAL_FUNCTION = Feature(
    "functions for integrals, means and convolutions",
    "the integral itself: ∫_Ω u dx, ∫₀ˣ u(s) ds or int(0, x, u(s), s)",
)
NOISE = Feature("stochastic terms", "noise σ dW on the characteristics is the diffusion ½σ²Δu")
JUMP_PROCESS = Feature("jump processes", "a diffusion of the same variance, ½σ²Δu")
MOVING_DOMAIN = Feature(
    "moving domains", "a fixed domain after the substitution x = s(t) ξ: ∂u/∂t = (1/s²) ∂²u/∂ξ² + (ξ/s) ∂s/∂t ∂u/∂ξ"
)
FREE_BOUNDARY = Feature(
    "free boundaries and Stefan conditions",
    "an apparent heat capacity on a fixed domain: (1 + exp(-u²/s²)/s) ∂u/∂t = Δu with a small constant s",
)
JUMP_CONDITION = Feature(
    "jump conditions",
    "u and the flux are continuous for ∇·(κ∇u) with a discontinuous κ = 1 + heaviside(x - ½)",
)
INEQUALITY = Feature(
    "relations ≤ and ≥ between terms of an equation",
    "an equation for their minimum: min(-Δu - f, u - ψ) = 0 for -Δu ≥ f above the obstacle ψ",
)
DATA_FILE = Feature(
    "files of other formats", 'a file of numpy\'s savez with arrays of the coordinates and the values: data("u0.npz")'
)

# Undeclared names by their conventional meaning; the second table is for names that are called.
NAMES = {
    **dict.fromkeys(("dW", "dB", "noise", "white_noise"), NOISE),
    **dict.fromkeys(("integral", "integrate", "Integral", "Int"), INTEGRAL_FUNCTION),
}
CALLS = {
    **dict.fromkeys(("mean", "average", "convolve", "conv", "convolution", "quad"), INTEGRAL_FUNCTION),
    **dict.fromkeys(("caputo", "Caputo", "riemann_liouville", "fractional_derivative"), FRACTIONAL_DERIVATIVE),
    **dict.fromkeys(("levy", "Levy", "poisson_process", "jump_process"), JUMP_PROCESS),
    **dict.fromkeys(("jump", "Jump"), JUMP_CONDITION),
    **dict.fromkeys(("load", "csv", "from_file"), DATA_FILE),
}


def not_supported(feature: Feature, span: Span) -> PdeError:
    return NOT_SUPPORTED(f"{feature.name} are not supported", span, f"nearest: {feature.nearest}", once=True)


def feature_of_name(name: str, is_call: bool) -> Feature | None:
    """The unsupported feature that an undeclared name denotes."""
    return NAMES.get(name) or (CALLS.get(name) if is_call else None)
