"""Theorems by which two states never move apart, for any weights; their hypotheses are checked here.

Contraction of a gradient flow: -F = Σ c Kᵀσ(K·) + λ is the gradient of a convex function, β-Lipschitz, and therefore
⟨F(y) - F(z), y - z⟩ ≤ -|F(y) - F(z)|²/β (Baillon, Haddad 1977). An Euler step is non-expansive if δt β ≤ 2, a step of
another method if `contracts` says so. A linear step is R(-hS) with a symmetric S.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from sympy import Expr, Rational

from pdedsl.analyse.maps.oscillation import swing, turn
from pdedsl.analyse.maps.polynomials import above, decays, series_decays
from pdedsl.analyse.maps.system import Slopes, System
from pdedsl.analyse.maps.words import activations, named, spans, stiffness
from pdedsl.ir.motions import First, Pair, Second
from pdedsl.ir.terms import Reaction, SymmetricLayer
from pdedsl.ir.verdicts import Proved, Unknown
from pdedsl.numerics.contractivity import contracts
from pdedsl.numerics.integrators import EULER, Embedded, Leapfrog, RungeKutta, Series, Verlet

NONEXPANSIVE = "non-expansive"
NO_BOUND = "no bound on ‖K‖ is declared, and an explicit step may exceed 2/‖K‖²; add ‖K‖ ≤ c to the type"
SHORT = Rational(1, 1000)  # a step so short that every method that can contract does


def nonexpansive(system: System) -> Proved | Unknown:
    """‖Y(T) - Y'(T)‖ ≤ ‖Y(0) - Y'(0)‖ for every weight."""
    match system.motion:
        case First():
            return _flow(system)
        case Second():
            return swing(system)
        case Pair():
            return turn(system)
        case _:
            assert_never(system.motion)


def _flow(system: System) -> Proved | Unknown:
    slopes, terms, at = system.slopes, system.all_terms, spans(system.all_terms)
    if slopes is None:
        return Unknown(_unbounded(system), at)
    if system.is_linear and slopes.high.is_finite and slopes.low.is_finite:
        return _linear(system, slopes)
    if not slopes.low >= 0:
        return Unknown(f"{named(terms)} is not the gradient of a convex function for every weight.", at)
    between = f"{named(terms)} has slopes in [{-slopes.high}, {-slopes.low}]"
    return contracting(system, slopes, NONEXPANSIVE, activations(terms, "monotone") if _descends(system) else between)


def _descends(system: System) -> bool:
    """Whether every term alone is minus the gradient of a convex function."""
    return all(
        (isinstance(term, Reaction) and term.rate <= 0)
        or (isinstance(term, SymmetricLayer) and term.factor < 0 and term.activation.monotone)
        for term in system.all_terms
    )


def _linear(system: System, slopes: Slopes) -> Proved | Unknown:
    """Decides |R(-hS)| ≤ 1 for all eigenvalues of S in [low, high]."""
    stepping, at = system.stepping, spans(system.all_terms)
    if stepping.step is None:
        return Unknown(f"the flow is linear; how {stepping.name} steps it is not known.", at)
    low, high = stepping.step * slopes.low, stepping.step * slopes.high
    shown = f"δt {stiffness(system.all_terms)} in [{low}, {high}]"
    if not _amplifies_nothing(system, low, high):
        return Unknown(f"|R| ≤ 1 does not hold for {stepping.name} and all {shown}.", at)
    reason = f"the equation is linear, and |R| ≤ 1 for {shown}: each step of {stepping.name} is {NONEXPANSIVE}"
    return Proved(f"{reason}.", ("a linear equation with a symmetric operator S", f"{shown}", "|R(-δt S)| ≤ 1"))


def _amplifies_nothing(system: System, low: Expr, high: Expr) -> bool:
    match system.stepping.method:
        case RungeKutta() as method:
            return decays(method, low, high)
        case Series():
            return series_decays(system.stepping.terms, low, high)
        case Embedded() | Verlet() | Leapfrog():
            return False
        case _:
            assert_never(system.stepping.method)


def contracting(system: System, slopes: Slopes, what: str, said: str) -> Proved | Unknown:
    """By circle contractivity with β = high."""
    stepping, terms, at = system.stepping, system.all_terms, spans(system.all_terms)
    if not slopes.high.is_finite:
        return Unknown(f"the flow is {what}, but {NO_BOUND}.", at)
    if stepping.step is None or not _contracts(system, SHORT):
        return Unknown(f"the flow is {what}; for {stepping.name} this is not proved.", at)
    size = stepping.step * slopes.high
    shown = f"δt {stiffness(terms)} = {size} for δt = {stepping.step}"
    article, step = ("an", "Euler step") if stepping.method == EULER else ("a", f"step of {stepping.name}")
    if _contracts(system, size):
        checked = (said, f"δt β = {size} with the steepest slope β = {slopes.high}", "M + 2B/(δt β) is semidefinite")
        return Proved(f"{said} and {shown}, at most 2: each {step} is {what}.", checked)
    return Unknown(f"the flow is {what}, but {shown} exceeds 2: {article} {step} may not be.", at)


def _contracts(system: System, size: Expr) -> bool:
    match system.stepping.method:
        case RungeKutta() as method:
            bound = above(size)
            return contracts(method, Fraction(int(bound.p), int(bound.q)))
        case Series():
            return system.stepping.terms == 1 and bool(size <= 2)
        case Embedded() | Verlet() | Leapfrog():
            return False
        case _:
            assert_never(system.stepping.method)


def _unbounded(system: System) -> str:
    """Why there is no bound on the slopes."""
    for term in system.all_terms:
        if isinstance(term, SymmetricLayer) and term.norm is not None:
            return f"{term.activation.name} after {term.norm.name} need not be monotone."
    return f"nothing in the types bounds how {named(system.all_terms)} spreads its inputs."
