"""Warnings for explicit steps that are too long for the slopes that the layers can have."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr

from pdedsl.analyse.maps.stepping import Stepping
from pdedsl.analyse.maps.system import System, slopes_of
from pdedsl.analyse.maps.words import stiffness
from pdedsl.ir.motions import First, Pair, Second
from pdedsl.ir.terms import SymmetricLayer

EXACT = 1e-9  # a step exactly at its bound is not beyond it
SHORTER = "take more steps, or a smaller bound on ‖K‖"
Warning = tuple[str, str]
"""What is wrong, and a way out."""


def stability_warning(system: System) -> Warning | None:
    """The warning for an explicit step beyond its stability bound."""
    match system.motion:
        case First():
            return _too_stiff(system)
        case Second():
            steepest = _steepest(system, 0)
            return _too_fast(system.stepping, steepest, stiffness(system.terms[0]), "leapfrog")
        case Pair():
            return _too_fast(system.stepping, *_frequency(system), "verlet")
        case _:
            assert_never(system.motion)


def _too_stiff(system: System) -> Warning | None:
    stepping, steepest = system.stepping, _steepest(system, 0)
    bound = stepping.decaying
    if bound is None or steepest is None or stepping.step is None:
        return None
    size = stepping.step * steepest
    if float(size) <= bound + EXACT:
        return None
    text = f"δt {stiffness(system.terms[0])} = {size} exceeds {bound:.4g}, the stability bound of {stepping.name}"
    return text, SHORTER


def _steepest(system: System, equation: int, sign: int = 1) -> Expr | None:
    """The steepest slope of a right-hand side that is a descent direction, or ascent for a negative sign."""
    terms = system.terms[equation]
    slopes = slopes_of(terms, system.spec)
    if slopes is None or any(sign * t.factor > 0 for t in terms if isinstance(t, SymmetricLayer)):
        return None
    steepest = slopes.high if sign > 0 else -slopes.low
    return steepest if steepest.is_finite else None


def _too_fast(stepping: Stepping, squared: Expr | None, shown: str, better: str) -> Warning | None:
    """Compares ω² with the stability bound on δt² ω²."""
    bound = stepping.swinging
    if squared is None or bound is None or stepping.step is None or squared == 0:
        return None
    size = stepping.step**2 * squared
    if float(size) <= bound + EXACT:
        return None
    if bound == 0:
        text = f"these states swing, and {stepping.name} makes them grow, however short its steps"
        return text, f"realize time by {better} or rk4"
    return f"δt² {shown} = {size} exceeds {bound:.4g}, the stability bound of {stepping.name}", SHORTER


def _frequency(system: System) -> tuple[Expr | None, str]:
    """ω² ≤ βγ for Y' = ±A(Z), Z' = ∓B(Y), with the steepest slopes β of A and γ of B."""
    for signs in ((1, -1), (-1, 1)):
        sizes = [_steepest(system, place, sign) for place, sign in enumerate(signs)]
        if sizes[0] is not None and sizes[1] is not None:
            shown = (
                stiffness(terms).replace("K", f"K{i}").replace("λ", f"λ{i}")
                for terms, i in zip(system.terms, "₁₂", strict=True)
            )
            return sizes[0] * sizes[1], " ".join(shown)
    return None, ""
