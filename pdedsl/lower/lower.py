"""Analysis → Representation: the rules in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable

from pdedsl import mistakes
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.representation import Representation
from pdedsl.lower.paths import to_paths
from pdedsl.lower.states import to_states


def _on_data(analysis: Analysis) -> bool:
    return analysis.spec.space.kind == "data"


def _on_pixels(analysis: Analysis) -> bool:
    return analysis.spec.space.kind == "pixels"


RULES: tuple[tuple[Callable[[Analysis], bool], Callable[[Analysis], Representation]], ...] = (
    (_on_data, to_paths),
    (_on_pixels, to_states),
)


def lower(analysis: Analysis) -> Representation:
    """The equation with the first theorem that fits."""
    for fits, apply in RULES:
        if fits(analysis):
            return apply(analysis)
    raise mistakes.networks.physical(analysis.spec.space.span)
