"""Hamiltonian splitting: ∂Y/∂t = f(Z), ∂Z/∂t = g(Y), stepped one half at a time.

Ruthotto and Haber, eq. 10: with f = K₁ᵀσ(K₁ Z) and g = -K₂ᵀσ(K₂ Y) it conserves ΣΦ(K₁ Z) + ΣΦ(K₂ Y), Φ' = σ, and
half-steps are symplectic Euler (Hairer, Lubich, Wanner, section I.1.2). Any such pair can be run backwards (RevNet).
"""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis
from pdedsl.ir.motions import Pair
from pdedsl.ir.representation import States
from pdedsl.ir.spec import SpaceKind
from pdedsl.ir.systems import integrator_of, is_separable_pair
from pdedsl.ir.theorem import Theorem
from pdedsl.lower.pushes import pushes_in_order

THEOREM = Theorem(
    "Hamiltonian splitting: each half is pushed by the other",
    "Ruthotto, Haber, eq. 10",
    "a half-step of Verlet moves one half by a function of the other, and can be undone",
)


def accepts(analysis: Analysis) -> bool:
    spec = analysis.spec
    return spec.space.kind is SpaceKind.PIXELS and is_separable_pair(spec)


def lower(analysis: Analysis) -> States:
    first, second = pushes_in_order(analysis)
    return States(THEOREM, Pair(first, second), integrator_of(analysis.spec))
