"""Contractivity of discretised equations on feature maps, ‖Φ(Y) - Φ(Y')‖ ≤ ‖Y - Y'‖, and dissipativity, ‖Φ(Y)‖ ≤ ‖Y‖.

Linear: a step of Y' = -SY with symmetric S is R(-hS), non-expansive if |R(-x)| ≤ 1 for every x that is h times an
eigenvalue of S (Hairer, Wanner, chapter IV.2). Y″ = -SY with zero initial velocity is a polynomial in h²S for leapfrog,
and Re R(ihω)ᴺ with S = ω² for a one-step method. These bounds are proved in exact arithmetic.

Gradient flow: -F = Σ c Kᵀσ(K·) + λ is the gradient of a convex function, β-Lipschitz, and therefore
⟨F(y) - F(z), y - z⟩ ≤ -|F(y) - F(z)|²/β (Baillon, Haddad 1977). An Euler step is non-expansive if δt β ≤ 2, a step of
another method by circle contractivity (`contracts`).

Dissipativity: a non-expansive map with Φ(0) = 0 does not increase ‖Y‖. Otherwise d/dt ½‖Y‖² = -Σ c⟨KY, σ(KY)⟩ - λ‖Y‖²:
if z σ(z) ≥ 0 and |σ'| ≤ L, then σ(z)² ≤ L z σ(z), and the inequality above holds between Y and 0 for nonmonotone σ.
"""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import assert_never

from sympy import Expr, Poly, Rational, Symbol, ceiling, floor

from pdedsl.analysis.feature_maps.descriptions import activations, lipschitz_formula, quote_terms, spans
from pdedsl.analysis.feature_maps.system import EigenvalueBounds, FeatureMapSystem
from pdedsl.ir.semidiscrete_systems import FirstOrderOde, SecondOrderOde, SeparableOde
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.ir.verdicts import Proved, Undecided
from pdedsl.numerics.butcher import (
    EULER,
    EmbeddedRungeKutta,
    ImexRungeKutta,
    ImplicitRungeKutta,
    LeapfrogMethod,
    RungeKutta,
    TruncatedBackwardEuler,
    VerletMethod,
)
from pdedsl.numerics.stability import is_contractive, to_fraction

# ---- Stability functions


X = Symbol("x")
ROUNDING_GRID = 10**12  # irrational ends are rounded outwards to multiples of its inverse
MAX_EXACT_EXPONENT = 200  # larger powers are compared by logarithms
LOG_TOL = 1e-9  # for rounding errors of logarithms
MAX_DEGREE = 24  # of the polynomial of a whole network


def stability_coefficients(method: RungeKutta) -> list[Rational]:
    """The coefficients 1, bᵀ1, bᵀA1, … of the stability function R, as fractions."""
    b = [to_fraction(x) for x in method.weights]
    rows = [[to_fraction(x) for x in row] for row in ((), *method.rows)]
    vector, coefficients = [Fraction(1)] * len(b), [Fraction(1)]
    for _ in b:
        coefficients.append(sum((p * q for p, q in zip(b, vector, strict=True)), Fraction(0)))
        vector = [sum((a * v for a, v in zip(row, vector, strict=False)), Fraction(0)) for row in rows]
    return [Rational(c.numerator, c.denominator) for c in coefficients]


def is_stable_on_real_interval(method: RungeKutta, low: Expr, high: Expr) -> bool:
    """Whether |R(-x)| ≤ 1 for all x in [low, high]."""
    terms = [c * (-1) ** k for k, c in enumerate(stability_coefficients(method))]
    return is_at_most_one(Poly(terms[::-1], X), low, high)


def is_implicitly_stable(method: ImplicitRungeKutta, low: Expr, high: Expr) -> bool:
    """Whether |R(-x)| ≤ 1 for R = P/Q and all x in [low, high], with unique stages: Q(-x) = det(I + xA) ≥ ½."""
    p, q = (
        Poly([to_rational(c) * (-1) ** k for k, c in enumerate(polynomial)][::-1], X) for polynomial in method.stability
    )
    if not (low.is_finite and high.is_finite):
        return False
    ends = round_down(low), round_up(high)
    return is_nonnegative_on(q - Rational(1, 2), *ends) and is_nonnegative_on(q**2 - p**2, *ends)


def to_rational(coefficient: float) -> Rational:
    fraction = to_fraction(coefficient)
    return Rational(fraction.numerator, fraction.denominator)


def is_stable_on_imaginary_interval(method: RungeKutta, squared: Expr) -> bool:
    """Whether |R(iy)| ≤ 1 for all y² up to `squared`: with x = y², R(iy) = E(x) + iy O(x)."""
    c = stability_coefficients(method)
    even = Poly([v * (-1) ** k for k, v in enumerate(c[0::2])][::-1], X)
    odd = Poly([v * (-1) ** k for k, v in enumerate(c[1::2])][::-1], X)
    return is_nonnegative_on(1 - even**2 - Poly(X, X) * odd**2, Rational(0), round_up(squared))


def series_is_stable(terms: int, low: Expr, high: Expr) -> bool:
    """Whether |1 - x + … + (-x)ⁿ| ≤ 1 for all x in [low, high], n = terms.

    The sum is (1 - (-x)ⁿ⁺¹)/(1 + x). For 0 ≤ x ≤ 1 it always holds; for x > 1 it fails if n is even, as it needs
    xⁿ ≤ 1, and may hold if n is odd, as it needs xⁿ⁺¹ ≤ 2 + x.
    """
    if low < 0 or not high.is_finite:
        return False
    if high <= 1 or terms % 2 == 0:
        return bool(high <= 1)
    if terms > MAX_EXACT_EXPONENT:
        return (terms + 1) * log(high) < log(2 + high) - LOG_TOL
    return bool(round_up(high) ** (terms + 1) <= 2 + round_up(high))


def leapfrog_is_stable(steps: int, first: Expr, low: Expr, high: Expr) -> bool:
    """Whether |P_N(x)| ≤ 1 for all x = h²ω² in [low, high], P₀ = 1, P₁ = 1 - first·x, P₊ = (2 - x)P - P₋.

    For first = ½ it is cos Nθ with cos θ = 1 - x/2, which is at most 1 for 0 ≤ x ≤ 4, whatever N is.
    """
    if first == Rational(1, 2) and low >= 0 and high <= 4:
        return True
    if steps > MAX_DEGREE:
        return False
    before, now = Poly(1, X), Poly(1 - first * X, X)
    for _ in range(steps - 1):
        before, now = now, Poly(2 - X, X) * now - before
    return is_at_most_one(now, low, high)


def is_at_most_one(p: Poly, low: Expr, high: Expr) -> bool:
    return bool(low.is_finite and high.is_finite) and is_nonnegative_on(1 - p**2, round_down(low), round_up(high))


def is_nonnegative_on(q: Poly, a: Rational, b: Rational) -> bool:
    """Whether q ≥ 0 on [a, b]: no root of odd order lies inside, and a nonzero value inside is positive."""
    if a == b or q.is_ground:
        return bool(q.eval(a) >= 0)
    for factor, order in q.sqf_list()[1]:
        if order % 2 and factor.count_roots(a, b) > (factor.eval(a) == 0) + (factor.eval(b) == 0):
            return False
    n = q.degree() + 2
    inside = (q.eval(a + (b - a) * Rational(k, n)) for k in range(1, n))
    return bool(next(value for value in inside if value != 0) > 0)


def round_down(x: Expr) -> Rational:
    return x if x.is_Rational else Rational(floor(x * ROUNDING_GRID), ROUNDING_GRID)


def round_up(x: Expr) -> Rational:
    return x if x.is_Rational else Rational(ceiling(x * ROUNDING_GRID), ROUNDING_GRID)


# ---- Linear oscillators


def oscillator_verdict(system: FeatureMapSystem) -> Proved | Undecided:
    """Y″ = -SY with zero initial velocity and the same symmetric S in all steps: a polynomial in S."""
    stepping, bounds = system.stepping, system.eigenvalue_bounds
    why = "its solutions oscillate, and no bound on their distance is available"
    undecided = Undecided(
        f"{quote_terms(system.all_terms)} defines a second-order equation: {why}.", spans(system.all_terms)
    )
    if bounds is None or not system.is_linear or not system.has_static_weights or stepping.step is None:
        return undecided
    low, high = stepping.step**2 * bounds.low, stepping.step**2 * bounds.high
    if not (low.is_finite and high.is_finite and _is_power_bounded(system, low, high)):
        return undecided
    within = f"the eigenvalues of δt² S lie in [{low}, {high}]"
    reason = f"the equation is linear with time-independent weights, and {within}"
    checked = ("linear equation with a symmetric operator S", "S does not depend on t", "zero initial velocity", within)
    return Proved(f"{reason}: {stepping.name} does not increase the norm of any state.", checked)


def _is_power_bounded(system: FeatureMapSystem, low: Expr, high: Expr) -> bool:
    match system.stepping.method:
        case LeapfrogMethod():
            return leapfrog_is_stable(system.stepping.steps or 1, system.stepping.first, low, high)
        case RungeKutta() as method:
            return bool(low >= 0) and is_stable_on_imaginary_interval(method, high)
        case _:
            return False


# ---- Contractivity


NONEXPANSIVE = "non-expansive"
NO_BOUND = "no bound on ‖K‖ is declared, and an explicit step may exceed 2/‖K‖²; add ‖K‖ ≤ c to the type"
SMALL_STEP = Rational(1, 1000)  # every conditionally contractive method is contractive for it


def nonexpansive(system: FeatureMapSystem) -> Proved | Undecided:
    """‖Y(T) - Y'(T)‖ ≤ ‖Y(0) - Y'(0)‖ for every weight."""
    match system.ode:
        case FirstOrderOde():
            return _first_order_verdict(system)
        case SecondOrderOde():
            return oscillator_verdict(system)
        case SeparableOde():
            at = spans(system.all_terms)
            return Undecided("the two components are coupled: distances between states may grow.", at)
        case _:
            assert_never(system.ode)


def _first_order_verdict(system: FeatureMapSystem) -> Proved | Undecided:
    bounds, terms, at = system.eigenvalue_bounds, system.all_terms, spans(system.all_terms)
    if bounds is None:
        return Undecided(_missing_bound(system), at)
    if system.is_linear and bounds.high.is_finite and bounds.low.is_finite:
        return _linear_verdict(system, bounds)
    if not bounds.low >= 0:
        return Undecided(f"{quote_terms(terms)} is not minus the gradient of a convex function for every weight.", at)
    between = f"the derivative of {quote_terms(terms)} has eigenvalues in [{-bounds.high}, {-bounds.low}]"
    return contractivity_verdict(
        system, bounds, NONEXPANSIVE, activations(terms, "monotone") if _is_convex_gradient_descent(system) else between
    )


def _is_convex_gradient_descent(system: FeatureMapSystem) -> bool:
    """Whether every term is minus the gradient of a convex function."""
    return all(
        (isinstance(term, Reaction) and term.rate <= 0)
        or (isinstance(term, SymmetricLayer) and term.factor < 0 and term.activation.monotone)
        for term in system.all_terms
    )


def _linear_verdict(system: FeatureMapSystem, bounds: EigenvalueBounds) -> Proved | Undecided:
    """Decides |R(-hS)| ≤ 1 for all eigenvalues of S in [low, high]."""
    stepping, at = system.stepping, spans(system.all_terms)
    if stepping.step is None:
        return Undecided(f"the flow is linear; the step sizes of {stepping.name} are not known in advance.", at)
    low, high = stepping.step * bounds.low, stepping.step * bounds.high
    formula = f"δt {lipschitz_formula(system.all_terms)} in [{low}, {high}]"
    if not _is_linearly_stable(system, low, high):
        return Undecided(f"|R| ≤ 1 does not hold for {stepping.name} and all {formula}.", at)
    bound = f"the stability function satisfies |R| ≤ 1 for {formula}"
    reason = f"the equation is linear, and {bound}: each step of {stepping.name} is {NONEXPANSIVE}"
    return Proved(f"{reason}.", ("linear equation with a symmetric operator S", f"{formula}", "|R(-δt S)| ≤ 1"))


def _is_linearly_stable(system: FeatureMapSystem, low: Expr, high: Expr) -> bool:
    match system.stepping.method:
        case RungeKutta() as method:
            return is_stable_on_real_interval(method, low, high)
        case TruncatedBackwardEuler():
            return series_is_stable(system.stepping.terms, low, high)
        case ImplicitRungeKutta() as implicit:
            return is_implicitly_stable(implicit, low, high)
        case ImexRungeKutta() | EmbeddedRungeKutta() | VerletMethod() | LeapfrogMethod():
            return False
        case _:
            assert_never(system.stepping.method)


def contractivity_verdict(
    system: FeatureMapSystem, bounds: EigenvalueBounds, property_: str, hypothesis: str
) -> Proved | Undecided:
    """Circle contractivity with β = high."""
    stepping, terms, at = system.stepping, system.all_terms, spans(system.all_terms)
    if not bounds.high.is_finite:
        return Undecided(f"the flow is {property_}, but {NO_BOUND}.", at)
    if stepping.step is None or not _contracts(system, SMALL_STEP):
        return Undecided(f"the flow is {property_}; for {stepping.name} this is not proved.", at)
    size = stepping.step * bounds.high
    formula = f"δt {lipschitz_formula(terms)} = {size} for δt = {stepping.step}"
    article, step = ("an", "Euler step") if stepping.method == EULER else ("a", f"step of {stepping.name}")
    if _contracts(system, size):
        checked = (
            hypothesis,
            f"δt β = {size} with the Lipschitz constant β = {bounds.high}",
            "M + 2B/(δt β) is positive semidefinite",
        )
        if isinstance(stepping.method, ImplicitRungeKutta):
            reason = f"{hypothesis} and {formula}, for which {stepping.name} is contractive (Dahlquist, Jeltsch 1979)"
            return Proved(f"{reason}: each {step} is {property_}.", (*checked, "the stages are solved to rounding"))
        return Proved(f"{hypothesis} and {formula}, at most 2: each {step} is {property_}.", checked)
    bound = "is too large" if isinstance(stepping.method, ImplicitRungeKutta) else "exceeds 2"
    return Undecided(f"the flow is {property_}, but {formula} {bound}: {article} {step} may not be.", at)


def _contracts(system: FeatureMapSystem, size: Expr) -> bool:
    match system.stepping.method:
        case RungeKutta() | ImplicitRungeKutta() as method:
            bound = round_up(size)
            return is_contractive(method, Fraction(int(bound.p), int(bound.q)))
        case TruncatedBackwardEuler():
            return system.stepping.terms == 1 and bool(size <= 2)
        case ImexRungeKutta() | EmbeddedRungeKutta() | VerletMethod() | LeapfrogMethod():
            return False
        case _:
            assert_never(system.stepping.method)


def _missing_bound(system: FeatureMapSystem) -> str:
    """Why there are no eigenvalue bounds."""
    for term in system.all_terms:
        if isinstance(term, SymmetricLayer) and term.norm is not None:
            return f"{term.activation.name} after {term.norm.name} need not be monotone."
    return f"the declared types imply no bound on the derivative of {quote_terms(system.all_terms)}."


# ---- Dissipativity


DISSIPATIVE = "dissipative (‖Y‖ does not grow)"


def dissipative(system: FeatureMapSystem) -> Proved | Undecided:
    proof, at = nonexpansive(system), spans(system.all_terms)
    keeps_sign = isinstance(system.ode, FirstOrderOde) and not any(map(energy_source, system.all_terms))
    if keeps_sign and system.eigenvalue_bounds is not None and not (system.is_linear and isinstance(proof, Proved)):
        hypothesis = activations(system.all_terms, "sign-preserving")
        return contractivity_verdict(system, system.eigenvalue_bounds, DISSIPATIVE, hypothesis)
    if isinstance(proof, Proved) and all(map(_vanishes_at_zero, system.all_terms)):
        return Proved(
            proof.reason.replace(NONEXPANSIVE, DISSIPATIVE),
            (*proof.hypotheses, "the right-hand side is zero for Y = 0"),
        )
    if not isinstance(system.ode, FirstOrderOde):
        return Undecided("dissipation is proved only for symmetric layers of first order in time.", at)
    return Undecided(
        f"{next(filter(None, map(energy_source, system.all_terms)), 'the step size may exceed the stability bound')}.",
        at,
    )


def _vanishes_at_zero(term: MapTerm) -> bool:
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


def energy_source(term: MapTerm) -> str:
    """Why a term might add energy; empty if it cannot."""
    match term:
        case Reaction(rate=rate):
            return "" if rate <= 0 else "the reaction is a growth term"
        case SymmetricLayer(norm=norm, factor=factor, activation=sigma):
            if norm is not None:
                return f"{norm.name} has a trainable bias, and the layer may not vanish at Y = 0"
            if factor > 0:
                return f"{quote_terms([term])} increases ‖Y‖"
            return "" if sigma.keeps_sign else f"{sigma.name} need not preserve the sign of its argument"
        case LearnedField() | Nonlinear():
            return f"{quote_terms([term])} is not known to be dissipative"
        case _:
            assert_never(term)
