"""Analysis → Representation: the theorems in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from pdedsl import mistakes
from pdedsl.diagnostics import PdeError
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.representation import Representation
from pdedsl.ir.spec import SpaceKind
from pdedsl.ir.terms import (
    Coupling,
    Diffusion,
    HigherOrder,
    LearnedField,
    Nonlinear,
    Nonlocal,
    Reaction,
    Source,
    SymmetricLayer,
    TimeDerivative,
    Transport,
)
from pdedsl.lower import characteristics, feynman_kac
from pdedsl.lower.states import to_states
from pdedsl.lower.stretches import VALUES


@dataclass(frozen=True)
class Rule:
    """A theorem: whether its hypotheses hold, and what follows."""

    accepts: Callable[[Analysis], bool]
    lower: Callable[[Analysis], Representation]


def _on_pixels(analysis: Analysis) -> bool:
    return analysis.spec.space.kind is SpaceKind.PIXELS


RULES = (
    Rule(characteristics.accepts, characteristics.lower),
    Rule(feynman_kac.accepts, feynman_kac.lower),
    Rule(_on_pixels, to_states),
)


def lower(analysis: Analysis) -> Representation:
    """The equation with the first theorem that applies."""
    for rule in RULES:
        if rule.accepts(analysis):
            return rule.lower(analysis)
    raise _no_theorem(analysis)


def _no_theorem(analysis: Analysis) -> PdeError:
    spec = analysis.spec
    if spec.space.kind is SpaceKind.PHYSICAL:
        return mistakes.networks.physical(spec.space.span)
    if len(spec.unknowns) > 1:
        return mistakes.networks.several_unknowns([u.name for u in spec.unknowns], spec.unknowns[1].span)
    unknown = spec.unknowns[0]
    if not isinstance(unknown.type, VALUES):
        return mistakes.networks.no_number(unknown.name, str(unknown.type), unknown.span)
    for facts in analysis.equations:
        if facts.generator is None:
            return _no_generator(facts)
    raise AssertionError("a linear equation for one unknown on a data space has a theorem")


def _no_generator(facts: EquationFacts) -> PdeError:
    """The first term that is not of ∂u/∂t = b·∇u + A:∇∇u + c u + f."""
    for term in facts.terms:
        match term:
            case TimeDerivative() | Transport() | Diffusion() | Reaction() | Source():
                continue
            case Nonlinear() | Nonlocal() | HigherOrder() | Coupling() | SymmetricLayer() | LearnedField():
                return mistakes.networks.no_term(term.origin.text, term.origin.span)
            case _:
                assert_never(term)
    return mistakes.networks.no_equation(facts.equation.span)
