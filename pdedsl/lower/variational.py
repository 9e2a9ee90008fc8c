"""Variational: -Σ c Kᵀσ(K Y) - λY is minus the gradient of Σ c ΣΦ(K Y) + ½λ‖Y‖², Φ' = σ.

Ruthotto and Haber, eq. 7 and 8. With a normalisation between K and σ the layer is the same, but not a gradient.
"""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis, EquationClass
from pdedsl.ir.motions import First
from pdedsl.ir.representation import States
from pdedsl.ir.systems import integrator_of
from pdedsl.ir.terms import SymmetricLayer
from pdedsl.ir.theorem import Theorem
from pdedsl.lower.pushes import push_of, single

THEOREM = Theorem(
    "variational: minus the gradient of an energy",
    "Ruthotto, Haber, eq. 7 and 8",
    "-Kᵀσ(KY) is minus the gradient of ΣΦ(KY), Φ' = σ; a step of Euler is a symmetric layer",
)


def accepts(analysis: Analysis) -> bool:
    facts = single(analysis)
    if facts is None or facts.kind is not EquationClass.GRADIENT_FLOW or facts.equation.order != 1:
        return False
    return all(term.norm is None for term in facts.terms if isinstance(term, SymmetricLayer))


def lower(analysis: Analysis) -> States:
    facts = single(analysis)
    assert facts is not None
    return States(THEOREM, First(push_of(facts, analysis.spec)), integrator_of(analysis.spec))
