"""Analysis → Representation: the theorems in the order in which they are tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from pdedsl import mistakes
from pdedsl.diagnostics import PdeError
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.representation import Representation
from pdedsl.ir.spec import SpaceKind, Spec
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
from pdedsl.lower import (
    central_differences,
    characteristics,
    collocation,
    feynman_kac,
    hamiltonian,
    one_step,
    variational,
)
from pdedsl.lower.stretches import VALUES


@dataclass(frozen=True)
class Rule:
    """A theorem: whether its hypotheses hold, and the representation that follows."""

    accepts: Callable[[Analysis], bool]
    lower: Callable[[Analysis], Representation]


RULES = (
    Rule(collocation.accepts, collocation.lower),
    Rule(characteristics.accepts, characteristics.lower),
    Rule(feynman_kac.accepts, feynman_kac.lower),
    Rule(hamiltonian.accepts, hamiltonian.lower),
    Rule(central_differences.accepts, central_differences.lower),
    Rule(variational.accepts, variational.lower),
    Rule(one_step.accepts, one_step.lower),
)


def lower(analysis: Analysis) -> Representation:
    """The representation by the first theorem that applies."""
    for rule in RULES:
        if rule.accepts(analysis):
            return rule.lower(analysis)
    raise _no_theorem(analysis)


def _no_theorem(analysis: Analysis) -> PdeError:
    spec = analysis.spec
    if spec.space.kind is SpaceKind.PIXELS:
        return _no_motion(spec)
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
    """The error for the first term that does not belong to ∂u/∂t = b·∇u + A:∇∇u + c u + f."""
    for term in facts.terms:
        match term:
            case TimeDerivative() | Transport() | Diffusion() | Reaction() | Source():
                continue
            case Nonlinear() | Nonlocal() | HigherOrder() | Coupling() | SymmetricLayer() | LearnedField():
                return mistakes.networks.no_term(term.origin.text, term.origin.span)
            case _:
                assert_never(term)
    return mistakes.networks.no_equation(facts.equation.span)


def _no_motion(spec: Spec) -> PdeError:
    """Why equations on feature maps are neither one equation of first or second order nor a separable pair."""
    count = Counter(equation.unknown for equation in spec.equations)
    for equation in spec.equations:
        if equation.order not in (1, 2):
            return mistakes.pixels.order_in_time(equation.order, equation.span)
        if count[equation.unknown] > 1:
            return mistakes.pixels.pieces_in_time(equation.span)
    return mistakes.pixels.no_separable_pair(spec.equations[-1].span)
