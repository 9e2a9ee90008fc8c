"""Lipschitz bounds in ℓ2 for the parts of a network, valid for all weights: the basis of `certify lipschitz`.

A part is bounded if its structure implies a bound for all weights; ∞ means that no structural bound is available. The
bounds of successive parts multiply.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from torch import nn

from pdedsl.numerics.activations import IDENTITY
from pdedsl.numerics.butcher import BACKWARD_EULER, real_stability_limit
from pdedsl.numerics.stability import is_contractive
from pdedsl.runtime.activations import MaxMin
from pdedsl.runtime.image_fields import LearnedField, terms_of
from pdedsl.runtime.linear_operators import norm_bound
from pdedsl.runtime.nonexpansive_layers import ConvexPotentialLayer, NonexpansiveLinear, PatchChannels, ZeroPadChannels
from pdedsl.runtime.ode.explicit import BackwardEuler, ExplicitRungeKutta, TimeGrid
from pdedsl.runtime.pde_blocks import FirstOrderBlock, LeapfrogBlock, SecondOrderBlock, VerletBlock
from pdedsl.runtime.standardization import Centre
from pdedsl.runtime.symmetric_layer import SymmetricLayer, TotalVariationNorm

UNBOUNDED = math.inf
ProvableMethod = ExplicitRungeKutta | BackwardEuler


class LipschitzBound(NamedTuple):
    """A part of a network, its Lipschitz constant, and the reason for it."""

    part: str
    constant: float
    why: str


class ConvexGradientBound(NamedTuple):
    """-F is the gradient of a convex function, and `high`-Lipschitz; `linear`: F is also linear. `why` is the reason if
    there is no bound: then `high` is ∞."""

    high: float
    linear: bool
    why: str


def compose_bounds(parts: tuple[LipschitzBound, ...]) -> float:
    """The Lipschitz constant of all parts in sequence."""
    return UNBOUNDED if any(math.isinf(p.constant) for p in parts) else math.prod(p.constant for p in parts)


# ---- PDE blocks


def block_bound(block: nn.Module) -> tuple[float, str]:
    """1 if every step is proved non-expansive for all weights: see `numerics.stability`."""
    match block:
        case FirstOrderBlock(integrator=ExplicitRungeKutta() | BackwardEuler() as method, field=field, steps=steps):
            return _steps_bound(method, field, steps)
        case LeapfrogBlock() | SecondOrderBlock():
            return UNBOUNDED, "an equation of second order in time is not contractive"
        case VerletBlock():
            return UNBOUNDED, "a coupled pair has no Lipschitz bound"
        case _:
            return UNBOUNDED, "the steps of this method are not proved non-expansive"


def _steps_bound(method: ProvableMethod, field: LearnedField, steps: TimeGrid) -> tuple[float, str]:
    sizes = []
    for j in range(steps.count):
        gradient_bound = layer_gradient_bound(field.layer(j))
        size = steps.h * gradient_bound.high
        if math.isinf(size):
            return UNBOUNDED, gradient_bound.why
        if not _is_nonexpansive(method, gradient_bound, size):
            return UNBOUNDED, f"the step size is too large: δt β = {size:g}, β the Lipschitz constant of the field"
        sizes.append(size)
    return 1.0, f"{steps.count} steps with δt β ≤ {max(sizes):g}, β the Lipschitz constant of the field"


def _is_nonexpansive(method: ProvableMethod, gradient_bound: ConvexGradientBound, size: float) -> bool:
    """Whether a step with δt β = size is non-expansive. Rounded to nine digits, far below the round-off in ‖K‖ ≤ c."""
    exact = Fraction(size).limit_denominator(10**9)
    match method:
        case ExplicitRungeKutta(method=tableau):
            linear, nonlinear = tableau.stability, is_contractive(tableau, exact)
        case BackwardEuler(terms=terms):
            linear, nonlinear = BACKWARD_EULER.stability(terms), terms == 1 and exact <= 2
    return nonlinear or (gradient_bound.linear and exact <= real_stability_limit(linear))


def layer_gradient_bound(layer: nn.Module) -> ConvexGradientBound:
    """For -F = Σ c Kᵀσ(K·) + λ with c, λ ≥ 0, σ non-decreasing and L-Lipschitz, ‖K‖ ≤ b: at most Σ c L b² + λ."""
    high, linear = 0.0, True
    for factor, term in terms_of(layer):
        match term:
            case None:
                lack = "a positive reaction is expansive" if factor > 0 else ""
                high -= factor
            case SymmetricLayer():
                lack = _reason_unbounded(term, factor)
                bound = norm_bound(term.operator) or UNBOUNDED
                high -= factor * term.sign * term.activation.record.lipschitz * bound**2
                linear = linear and term.activation.record is IDENTITY
            case _:
                lack = f"no structural bound for a {type(term).__name__}"
        if lack:
            return ConvexGradientBound(UNBOUNDED, False, lack)
    return ConvexGradientBound(high, linear, "")


def _reason_unbounded(layer: SymmetricLayer, factor: float) -> str:
    """Why a layer is not minus the Lipschitz gradient of a convex function; empty if it is."""
    record = layer.activation.record
    if isinstance(layer.norm, TotalVariationNorm):
        return f"{record.name} after tv_norm need not be monotone"
    if not isinstance(layer.norm, nn.Identity):
        return f"{record.name} after batch_norm need not be monotone"
    if factor * layer.sign > 0:
        return "a layer +Kᵀσ(K Y) is gradient ascent"
    if not record.monotone:
        return f"{record.name} is not monotone"
    return "" if norm_bound(layer.operator) is not None else "no bound on ‖K‖ is declared"


# ---- Layers around the PDE blocks


def module_bound(layer: nn.Module) -> tuple[float, str]:
    """The Lipschitz constant of a layer; for several in sequence, the product."""
    match layer:
        case nn.Sequential():
            bounds = [module_bound(inner) for inner in layer]
            missing = next((why for constant, why in bounds if math.isinf(constant)), None)
            if missing is not None:
                return UNBOUNDED, missing
            return math.prod(c for c, _ in bounds), ", ".join(dict.fromkeys(why for _, why in bounds if why))
        case Centre() | nn.Flatten() | nn.Identity():
            return 1.0, ""
        case PatchChannels(side=1):
            return 1.0, ""
        case PatchChannels():
            return 1.0, "patches as channels"
        case ZeroPadChannels():
            return 1.0, "zeros as channels"
        case NonexpansiveLinear():
            bound = norm_bound(layer.operator)
            assert bound is not None
            return bound, f"‖C‖ ≤ {bound:g}"
        case ConvexPotentialLayer():
            return 1.0, "convex potential layers with ‖W‖ ≤ 1"
        case MaxMin():
            return 1.0, "maxmin"
        case nn.ReLU():
            return 1.0, "relu"
        case nn.modules.batchnorm._BatchNorm():
            return UNBOUNDED, "batch norm has no Lipschitz bound for all statistics"
        case _:
            return UNBOUNDED, f"the weights of {type(layer).__name__} are not bounded"


def network_bounds(
    opening: nn.Module, stages: nn.ModuleList, connectors: nn.ModuleList, classifier: nn.Module
) -> Iterator[LipschitzBound]:
    """All parts, in the order of the network."""
    yield LipschitzBound("opening", *module_bound(opening))
    for k, (stage, connector) in enumerate(zip(stages, connectors, strict=True), start=1):
        yield LipschitzBound(f"equation {k}", *block_bound(stage))
        yield LipschitzBound(f"connector {k}", *module_bound(connector))
    yield LipschitzBound("head", *module_bound(classifier))
