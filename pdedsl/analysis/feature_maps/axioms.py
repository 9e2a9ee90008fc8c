"""Axioms of discretised equations on feature maps: Φ maps the initial state to the final state.

stability            ‖Φ(Y) - Φ(Y')‖ ≤ ‖Y - Y'‖ for every weight and all Y and Y'
energy_decay         ‖Φ(Y)‖ ≤ ‖Y‖ for every weight and all Y
energy_conservation  ‖Φ(Y)‖ = ‖Y‖ for first order in time; otherwise the energy of the equation is conserved
reversibility        the final states determine the initial ones

The norm of a pair is the Euclidean norm of both components; for second order in time it is that of Y, with zero initial
velocity. Proofs hold for every width and image; a counterexample is a run with the integrator and step size of the spec
and admissible weights. After Ruthotto and Haber, "Deep neural networks motivated by partial differential equations".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from sympy import Expr

from pdedsl.analysis.classification import classify, forward_jet
from pdedsl.analysis.feature_maps.contractivity import dissipative, energy_source, nonexpansive
from pdedsl.analysis.feature_maps.counterexamples import find_changing_state, find_expanding_pair, find_growing_state
from pdedsl.analysis.feature_maps.descriptions import (
    describe_expansion,
    describe_growth,
    lipschitz_formula,
    quote_terms,
    spans,
)
from pdedsl.analysis.feature_maps.steps import TimeStepping
from pdedsl.analysis.feature_maps.system import FeatureMapSystem, eigenvalue_bounds, system_of
from pdedsl.analysis.feature_maps.terms import is_gradient_descent, is_linear, map_terms
from pdedsl.analysis.normal_form import leading_time_derivative, normal_form
from pdedsl.diagnostics import Diagnostic
from pdedsl.errors import equations, syntax
from pdedsl.ir.analysis import EquationClass, EquationFacts
from pdedsl.ir.default_methods import is_separable_pair
from pdedsl.ir.semidiscrete_systems import FirstOrderOde, SecondOrderOde, SeparableOde
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Origin, Reaction, SymmetricLayer, TimeDerivative
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Undecided, Verdict
from pdedsl.numerics.butcher import LeapfrogMethod, VerletMethod
from pdedsl.record import Record
from pdedsl.symbolic.symbols import Field, Partial, TooLarge, atoms

# ---- Verdicts


def prove_feature_map_axioms(system: FeatureMapSystem) -> dict[Axiom, Verdict]:
    return {
        Axiom.STABILITY: _stability(system),
        Axiom.ENERGY_DECAY: _energy_decay(system),
        Axiom.ENERGY_CONSERVATION: _energy_conservation(system),
        Axiom.REVERSIBILITY: _reversibility(system),
    }


def verdicts_without_network(terms: tuple[MapTerm, ...]) -> dict[Axiom, Verdict]:
    """Verdicts for equations that are neither a single equation nor a separable system."""
    why = "the equations are neither a single equation nor a separable system: no network is defined for them."
    names = (Axiom.STABILITY, Axiom.ENERGY_DECAY, Axiom.ENERGY_CONSERVATION, Axiom.REVERSIBILITY)
    return {name: Undecided(why, spans(terms)) for name in names}


def _stability(system: FeatureMapSystem) -> Verdict:
    verdict = nonexpansive(system)
    example = find_expanding_pair(system) if isinstance(verdict, Undecided) else None
    if example is None:
        return verdict
    at, term = spans(system.all_terms), quote_terms(system.all_terms)
    return Refuted(
        f"{_why(system, _cause)}, so {term} is not non-expansive.", describe_expansion(example, system), at, example
    )


def _energy_decay(system: FeatureMapSystem) -> Verdict:
    verdict = dissipative(system)
    example = find_growing_state(system) if isinstance(verdict, Undecided) else None
    if example is None:
        return verdict
    return Refuted(
        f"{_why(system, energy_source)}, so ‖Y‖ can grow.",
        describe_growth(example, system),
        spans(system.all_terms),
        example,
    )


def _energy_conservation(system: FeatureMapSystem) -> Verdict:
    terms, at = system.all_terms, spans(system.all_terms)
    if not terms:
        return Proved("Y is constant in time.", ("the right-hand side is zero",))
    if isinstance(system.ode, FirstOrderOde):
        example = find_changing_state(system)
        if example is None:
            return Undecided(f"no energy is known for {quote_terms(terms)}.", at)
        change = "increases" if example.growth > 1 else "decreases"
        return Refuted(
            f"{quote_terms(terms)} {change} ‖Y‖ for some states.", describe_growth(example, system), at, example
        )
    if not system.has_static_weights:
        return Undecided("the weights depend on time, and so does the energy.", at)
    if any(isinstance(term, LearnedField | Nonlinear) for term in terms):
        return Undecided(f"no energy is known for {quote_terms(terms)}.", at)
    fixed = isinstance(system.stepping.method, VerletMethod | LeapfrogMethod)
    conserves = "conserves it up to a bounded error" if fixed else "in general does not"
    return Undecided(f"the flow conserves the energy; {system.stepping.name} {conserves}.", at)


def _reversibility(system: FeatureMapSystem) -> Verdict:
    match system.ode, system.stepping.method:
        case SeparableOde(), VerletMethod():
            why = "each substep of the Verlet method is a shear, which is invertible"
            return Proved(f"{why}.", ("the right-hand side for each component depends on the other alone",))
        case SecondOrderOde(), LeapfrogMethod() if _depends_on_current_state_only(system):
            why = "leapfrog is time-symmetric: two consecutive states determine the preceding one"
            return Proved(f"{why}.", ("the right-hand side depends on the current Y alone, not on ∂Y/∂t",))
        case _:
            name = system.stepping.name
            return Undecided(f"a step of {name} is invertible only for small step sizes.", spans(system.all_terms))


def _depends_on_current_state_only(system: FeatureMapSystem) -> bool:
    right = system.equations[0].rhs[0]
    used = {Field(u.head, (), u.arguments) for u in system.spec.unknowns}
    heads = {u.head for u in system.spec.unknowns}
    return not right.has(Partial) and {f for f in atoms(right, Field) if f.head in heads} <= used


def _why(system: FeatureMapSystem, cause: Callable[[MapTerm], str]) -> str:
    """The reason for a counterexample: the order in time, the first offending term, or the step size."""
    if isinstance(system.ode, SecondOrderOde):
        return "solutions of an equation of second order in time oscillate"
    if isinstance(system.ode, SeparableOde):
        return "the two components are coupled"
    return next(
        filter(None, map(cause, system.all_terms)),
        f"the step size of {system.stepping.name} may exceed its stability bound",
    )


def _cause(term: MapTerm) -> str:
    match term:
        case Reaction(rate=rate) if rate > 0:
            return "the reaction is a growth term"
        case SymmetricLayer(norm=norm, activation=sigma) if norm is not None:
            return f"{sigma.name} after {norm.name} is not monotone for every weight"
        case SymmetricLayer(factor=factor) if factor > 0:
            return "a layer of this sign is gradient ascent"
        case SymmetricLayer(activation=sigma) if not sigma.monotone:
            return f"{sigma.name} is not monotone"
        case Nonlinear():
            return "no structural bound is available"
        case _:
            return ""


# ---- Stability warnings


BOUND_TOL = 1e-9  # equality with the stability bound is allowed
SMALLER_STEP_HINT = "use more steps, or a smaller bound on ‖K‖"
StabilityWarning = tuple[str, str]
"""Message and suggested fix."""


def stability_warning(system: FeatureMapSystem) -> StabilityWarning | None:
    """The warning for an explicit step size beyond its stability bound."""
    match system.ode:
        case FirstOrderOde():
            return _first_order_warning(system)
        case SecondOrderOde():
            lipschitz = _lipschitz_constant(system, 0)
            return _oscillator_warning(system.stepping, lipschitz, lipschitz_formula(system.terms[0]), "leapfrog")
        case SeparableOde():
            return _oscillator_warning(system.stepping, *_squared_frequency(system), "verlet")
        case _:
            assert_never(system.ode)


def _first_order_warning(system: FeatureMapSystem) -> StabilityWarning | None:
    stepping, lipschitz = system.stepping, _lipschitz_constant(system, 0)
    bound = stepping.real_stability_bound
    if bound is None or lipschitz is None or stepping.step is None:
        return None
    size = stepping.step * lipschitz
    if float(size) <= bound + BOUND_TOL:
        return None
    text = (
        f"δt {lipschitz_formula(system.terms[0])} = {size} exceeds {bound:.4g}, the stability bound of {stepping.name}"
    )
    return text, SMALLER_STEP_HINT


def _lipschitz_constant(system: FeatureMapSystem, equation: int, sign: int = 1) -> Expr | None:
    """The Lipschitz constant of a gradient-descent right-hand side (ascent for a negative sign); None if unknown."""
    terms = system.terms[equation]
    bounds = eigenvalue_bounds(terms, system.spec)
    if bounds is None or any(sign * t.factor > 0 for t in terms if isinstance(t, SymmetricLayer)):
        return None
    lipschitz = bounds.high if sign > 0 else -bounds.low
    return lipschitz if lipschitz.is_finite else None


def _oscillator_warning(
    stepping: TimeStepping, squared: Expr | None, formula: str, better: str
) -> StabilityWarning | None:
    """Compares ω² with the stability bound on δt² ω²."""
    bound = stepping.squared_imaginary_stability_bound
    if squared is None or bound is None or stepping.step is None or squared == 0:
        return None
    size = stepping.step**2 * squared
    if float(size) <= bound + BOUND_TOL:
        return None
    if bound == 0:
        text = f"the system is oscillatory, and {stepping.name} is unstable for it at every step size"
        return text, f"realize time by {better} or rk4"
    return f"δt² {formula} = {size} exceeds {bound:.4g}, the stability bound of {stepping.name}", SMALLER_STEP_HINT


def _squared_frequency(system: FeatureMapSystem) -> tuple[Expr | None, str]:
    """ω² ≤ βγ for Y' = ±A(Z), Z' = ∓B(Y), with the Lipschitz constants β of A and γ of B."""
    for signs in ((1, -1), (-1, 1)):
        sizes = [_lipschitz_constant(system, place, sign) for place, sign in enumerate(signs)]
        if sizes[0] is not None and sizes[1] is not None:
            formula = (
                lipschitz_formula(terms).replace("K", f"K{i}").replace("λ", f"λ{i}")
                for terms, i in zip(system.terms, "₁₂", strict=True)
            )
            return sizes[0] * sizes[1], " ".join(formula)
    return None, ""


# ---- Analysis result


class Findings(Record):
    """Facts about the equations, verdicts on the axioms, and diagnostics."""

    equations: tuple[EquationFacts, ...]
    axioms: dict[Axiom, Verdict]
    diagnostics: tuple[Diagnostic, ...]


def analyze_feature_maps(spec: Spec) -> Findings:
    terms = {equation: map_terms(equation, spec) for equation in spec.equations}
    facts = tuple(_facts(equation, equation_terms, spec) for equation, equation_terms in terms.items())
    system = system_of(spec)
    if system is None:
        return Findings(
            facts, verdicts_without_network(tuple(t for equation_terms in terms.values() for t in equation_terms)), ()
        )
    return Findings(facts, prove_feature_map_axioms(system), _warnings(system))


def _facts(equation: Equation, terms: tuple[MapTerm, ...], spec: Spec) -> EquationFacts:
    kind, text = _class(equation, terms, spec), spec.source.quote(equation.span)
    linear = all(is_linear(term, spec) for term in terms)
    every = (*_time_derivative_terms(equation, spec), *terms)
    return EquationFacts(equation, text, kind, linear, every, None, None, _recognised_structures(equation, terms, spec))


def _class(equation: Equation, terms: tuple[MapTerm, ...], spec: Spec) -> EquationClass:
    frame = normal_form(equation, spec)
    try:
        return classify(frame, forward_jet(frame), terms)
    except TooLarge:
        raise syntax.expression_too_large(equation.span) from None


def _time_derivative_terms(equation: Equation, spec: Spec) -> tuple[TimeDerivative, ...]:
    """The summands that contain ∂ⁿY/∂tⁿ."""
    leading = leading_time_derivative(normal_form(equation, spec), 0)
    summands = [s for s in equation.summands if leading is not None and any(_has(e, leading) for e in s.exprs)]
    origins = [Origin("-" * s.negated + spec.source.quote(s.span), s.span) for s in summands]
    return tuple(TimeDerivative(equation.order, origin) for origin in origins)


def _has(expr: Expr, part: Expr) -> bool:
    return bool(expr.has(part))


def _recognised_structures(equation: Equation, terms: tuple[MapTerm, ...], spec: Spec) -> tuple[str, ...]:
    """Recognised structures that a realization can use."""
    shapes = {
        "symmetric layer": is_gradient_descent(terms),
        "separable system": is_separable_pair(spec),
        "time splitting": equation.interval is not None,
    }
    return tuple(name for name, is_present in shapes.items() if is_present)


def _warnings(system: FeatureMapSystem) -> tuple[Diagnostic, ...]:
    warning = stability_warning(system)
    if warning is None:
        return ()
    method = system.spec.realize.time
    return (equations.unstable_step(*warning, method.line if method else system.equations[0].span),)
