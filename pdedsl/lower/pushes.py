"""Shared by the theorems on feature maps: right-hand sides, and whether there is a single equation or a pair."""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.canonical import names_of, unknowns_in_order
from pdedsl.ir.representation import Push
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer


def single(analysis: Analysis) -> EquationFacts | None:
    """The equation on pixels, if there is only one, for one state."""
    spec = analysis.spec
    alone = spec.space.kind is SpaceKind.PIXELS and len(spec.unknowns) == len(analysis.equations) == 1
    return analysis.equations[0] if alone else None


def push_of(facts: EquationFacts, spec: Spec) -> Push:
    """The terms of an equation, in an order that does not depend on the names of what is learned."""
    terms = [t for t in facts.terms if isinstance(t, SymmetricLayer | LearnedField | Reaction | Nonlinear)]
    names = names_of(spec)
    return Push(tuple(sorted(terms, key=lambda term: _place(term, names))), facts.equation.span)


def _place(term: MapTerm, names: dict[object, str]) -> str:
    match term:
        case SymmetricLayer(operator=head) | LearnedField(field=head):
            return names[head]
        case _:
            return ""


def pushes_in_order(analysis: Analysis) -> tuple[Push, ...]:
    """The right-hand sides of a pair; which half moves first does not depend on their names."""
    spec = analysis.spec
    facts = {facts.equation.unknown: facts for facts in analysis.equations}
    return tuple(push_of(facts[head], spec) for head in unknowns_in_order(spec))
