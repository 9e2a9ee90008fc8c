"""Analysis → Representation: the theorems in the order in which they are tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pdedsl import mistakes
from pdedsl.diagnostics import PdeError
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.representation import Representation
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.lower import central_differences, hamiltonian, one_step, variational
from pdedsl.lower.paths import to_paths


@dataclass(frozen=True)
class Rule:
    """A theorem: whether its hypotheses hold, and what follows."""

    accepts: Callable[[Analysis], bool]
    lower: Callable[[Analysis], Representation]


def _on_data(analysis: Analysis) -> bool:
    return analysis.spec.space.kind is SpaceKind.DATA


RULES = (
    Rule(_on_data, to_paths),
    Rule(hamiltonian.accepts, hamiltonian.lower),
    Rule(central_differences.accepts, central_differences.lower),
    Rule(variational.accepts, variational.lower),
    Rule(one_step.accepts, one_step.lower),
)


def lower(analysis: Analysis) -> Representation:
    """The equation with the first theorem that applies."""
    for rule in RULES:
        if rule.accepts(analysis):
            return rule.lower(analysis)
    raise _no_theorem(analysis)


def _no_theorem(analysis: Analysis) -> PdeError:
    spec = analysis.spec
    return _no_motion(spec) if spec.space.kind is SpaceKind.PIXELS else mistakes.networks.physical(spec.space.span)


def _no_motion(spec: Spec) -> PdeError:
    """Why equations on feature maps are neither one equation of first or second order nor a separable pair."""
    count = Counter(equation.unknown for equation in spec.equations)
    for equation in spec.equations:
        if equation.order not in (1, 2):
            return mistakes.pixels.order_in_time(equation.order, equation.span)
        if count[equation.unknown] > 1:
            return mistakes.pixels.pieces_in_time(equation.span)
    return mistakes.pixels.no_separable_pair(spec.equations[-1].span)
