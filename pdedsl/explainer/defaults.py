"""Default values of options that the spec does not set and that affect the network."""

from __future__ import annotations

from typing import Any

from pdedsl.config.base import Config, Located, format_value
from pdedsl.config.methods import Dropout, HeatSmoothing, Noise, ResidualPenalty, ShakeShake, StochasticDepth
from pdedsl.config.networks import Mlp, Resnet
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.default_methods import integrator_of
from pdedsl.ir.spec import Learned, SpaceKind, Spec, Unknown
from pdedsl.ir.terms import Convection
from pdedsl.ir.types import Simplex, Vector


def defaults(analysis: Analysis) -> list[str]:
    """A line for each method and network with arguments at their defaults."""
    spec = analysis.spec
    rows = [_row("time", integrator_of(spec), spec)] if _takes_time_steps(analysis) and not spec.realize.time else []
    for part, method in spec.realize.in_source_order():
        resolved = integrator_of(spec) if method is spec.realize.time and _takes_time_steps(analysis) else method
        rows.append(_row(part, resolved, spec))
    fields: list[Unknown | Learned] = [*spec.unknowns, *spec.learned]
    nets = [(w.name, w.net) for w in fields if w.net and set(w.net.config.arguments) - w.net.given]
    return [row for row in rows if row] + [f"{name} = {net}" for name, net in nets]


def _row(part: str, method: Located[Any], spec: Spec) -> str:
    omitted = method.given | _without_effect(method.config, spec)
    values = [f"{k}={format_value(v)}" for k, v in method.config.effective.items() if k not in omitted]
    return f"{part} by {method.config.name}: {', '.join(values)}" if values else ""


def _without_effect(config: Config, spec: Spec) -> frozenset[str]:
    """Arguments without effect: those of an average over a single member or sample."""
    if not isinstance(config, Noise | Dropout | StochasticDepth | ShakeShake):
        return frozenset()
    if not isinstance(spec.unknowns[0].type, Simplex):
        return frozenset({"members", "samples", "average", "weights", "training"})
    depths = any(w.net and isinstance(w.net.config, Resnet) and len(w.net.config.depth) > 1 for w in spec.learned)
    if config.members > 1 or depths:
        return frozenset()
    return frozenset({"weights", "training"} | ({"average"} if config.samples == 1 else set()))


def _takes_time_steps(analysis: Analysis) -> bool:
    """Whether the equation is integrated in time with a number of steps that no named network determines."""
    spec = analysis.spec
    match spec.space.kind:
        case SpaceKind.PIXELS:
            return True
        case SpaceKind.PHYSICAL:
            return False
    named = [w for w in spec.learned if isinstance(w.type, Vector) and w.net and not isinstance(w.net.config, Mlp)]
    if not spec.learned and not spec.realize.time:
        return False  # chosen by the plan
    trained = spec.realize.diffusion is not None and isinstance(
        spec.realize.diffusion.config, ResidualPenalty | HeatSmoothing
    )
    has_convection = any(isinstance(term, Convection) for facts in analysis.equations for term in facts.terms)
    return has_convection and not named and not trained and not spec.realize.convection
