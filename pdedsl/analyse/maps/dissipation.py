"""When states do not grow, for any weights: ‖Y(T)‖ ≤ ‖Y(0)‖.

States of a non-expansive network that maps 0 to 0 do not grow. Otherwise d/dt ½‖Y‖² = -Σ c⟨KY, σ(KY)⟩ - λ‖Y‖²: if
z σ(z) ≥ 0 and |σ'| ≤ L, then σ(z)² ≤ L z σ(z), and the inequality of contraction holds between Y and 0 even if σ is
not monotone.
"""

from __future__ import annotations

from typing import assert_never

from pdedsl.analyse.maps.contraction import NONEXPANSIVE, contracting, nonexpansive
from pdedsl.analyse.maps.system import System
from pdedsl.analyse.maps.words import activations, named, spans
from pdedsl.ir.motions import First
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.ir.verdicts import Proved, Unknown

DISSIPATIVE = "dissipative (‖Y‖ does not grow)"


def dissipative(system: System) -> Proved | Unknown:
    proof, at = nonexpansive(system), spans(system.all_terms)
    keeps_sign = isinstance(system.motion, First) and not any(map(gain, system.all_terms))
    if keeps_sign and system.slopes is not None and not (system.is_linear and isinstance(proof, Proved)):
        said = activations(system.all_terms, "of the sign of {its} argument{s}")
        return contracting(system, system.slopes, DISSIPATIVE, said)
    if isinstance(proof, Proved) and all(map(_keeps_zero, system.all_terms)):
        return Proved(proof.reason.replace(NONEXPANSIVE, DISSIPATIVE), (*proof.hypotheses, "0 stays 0"))
    if not isinstance(system.motion, First):
        return Unknown("only a symmetric layer of first order in time is known to dissipate.", at)
    return Unknown(f"{next(filter(None, map(gain, system.all_terms)), 'this step may be too long')}.", at)


def _keeps_zero(term: MapTerm) -> bool:
    """Whether a term is zero at Y = 0."""
    match term:
        case Reaction():
            return True
        case SymmetricLayer(norm=None, activation=sigma):
            return sigma(0.0) == 0
        case SymmetricLayer() | LearnedField() | Nonlinear():
            return False
        case _:
            assert_never(term)


def gain(term: MapTerm) -> str:
    """Why a term might add energy; empty if it cannot."""
    match term:
        case Reaction(rate=rate):
            return "" if rate <= 0 else "the reaction gives energy"
        case SymmetricLayer(norm=norm, factor=factor, activation=sigma):
            if norm is not None:
                return f"{norm.name} has a trainable bias, with which the layer pushes at Y = 0"
            if factor > 0:
                return f"{named([term])} pushes away from zero"
            return "" if sigma.keeps_sign else f"{sigma.name} need not have the sign of its argument"
        case LearnedField() | Nonlinear():
            return f"{named([term])} is not known to dissipate"
        case _:
            assert_never(term)
