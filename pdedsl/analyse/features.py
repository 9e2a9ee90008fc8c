"""Axioms of equations on feature maps: symmetric layers, second order in time, separable pairs, neural ODEs.

Ruthotto and Haber, "Deep neural networks motivated by partial differential equations", in the form that holds:
-Kᵀσ(KY) contracts for monotone σ, and its Euler step is non-expansive while δt ‖K‖² Lip(σ) ≤ 2. With a normalisation
between K and σ, or in second order with relu, the paper's statements fail; `spreading` and `oscillator` find examples.

Sums: A = cKᵀσ(K·) is cocoercive, ⟨Ay - Az, y - z⟩ ≥ |Ay - Az|²/β with β = c ‖K‖² Lip(σ), and so is λ ≥ 0 with β = λ. By
Cauchy and Schwarz the sum is with the sum of the β, so an Euler step of it is non-expansive while δt Σβ ≤ 2.
"""

from __future__ import annotations

from math import inf

from sympy import Expr

from pdedsl.analyse.descent import Descent, SymmetricLayer, descent_of
from pdedsl.analyse.oscillator import Oscillator, parting
from pdedsl.analyse.problem import Problem, named, spans
from pdedsl.analyse.spreading import Spreading, spread
from pdedsl.analyse.steps import EXACT, Stepping, stepping_of
from pdedsl.ir.analysis import EquationClass
from pdedsl.ir.spec import Spec
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Unknown, Verdict
from pdedsl.symbolic.symbols import Applied, Field, Partial
from pdedsl.words.integrators import Integrator, Leapfrog, Reversible, Start, Verlet, is_euler


def feature_axioms(problem: Problem, kind: EquationClass) -> dict[Axiom, Verdict]:
    equation, spec = problem.equation, problem.spec
    descent = descent_of(equation, spec)
    stepping = stepping_of(spec)
    return {
        Axiom.STABILITY: _stability(problem, kind, descent, stepping),
        Axiom.ENERGY_DECAY: _energy_decay(problem, kind, descent, stepping),
        Axiom.ENERGY_CONSERVATION: _energy_conservation(problem, kind, descent, stepping.method),
        Axiom.REVERSIBILITY: _reversibility(problem, kind, stepping.method),
    }


def _stability(problem: Problem, kind: EquationClass, descent: Descent | None, stepping: Stepping) -> Verdict:
    """‖Y(T) - Y'(T)‖ ≤ ‖Y(0) - Y'(0)‖, for every weight."""
    at, term = spans(problem.pushing), named(problem.pushing)
    if kind is EquationClass.HAMILTONIAN:
        why = "the two halves turn about each other: distances may grow and shrink again"
        return Unknown(f"{why}.", guilty=at)
    if descent is None:
        return Unknown(f"nothing in the types bounds how {term} spreads its inputs.", guilty=at)
    if problem.equation.order == 2:
        return _swinging(problem, descent, stepping)
    growth = _growth(descent, stepping)
    if growth:
        return Refuted(f"{growth}, so {term} can push states apart.", _alone(descent), at)
    spreading = [v for v in (_spreading(layer, descent, problem, stepping) for layer in descent.layers) if v]
    refuted = next((v for v in spreading if v.truth == "refuted"), None)
    return refuted or (spreading[0] if spreading else _euler_bound(descent, stepping, problem, "non-expansive"))


def _growth(descent: Descent, stepping: Stepping) -> str:
    """Why the reaction alone makes distances grow; nothing if it does not."""
    bound, step = stepping.decaying, stepping.step
    if descent.reaction.is_negative:
        return "the reaction grows"
    if bound is not None and step is not None and float(step * descent.reaction) > bound + EXACT:
        return f"δt λ = {step * descent.reaction} exceeds {bound:.4g}, and a step of the reaction overshoots"
    return ""


def _alone(descent: Descent) -> str:
    """The weights with which nothing but the reaction is left."""
    return "K = 0 and any two states" if descent.layers else "any two states"


def _spreading(layer: SymmetricLayer, descent: Descent, problem: Problem, stepping: Stepping) -> Verdict | None:
    """Why a layer need not contract. A reaction may make up for it, so the examples are for λ = 0, where the other
    operators may be zero."""
    at, term = spans(problem.pushing), named(problem.pushing)
    if layer.layer == "tv_norm" and layer.activation == "relu" and _widest(problem.spec) > 1:
        why = f"relu after tv_norm is not monotone, so {term} does not contract"
    elif layer.layer:
        return Unknown(f"{layer.activation} after {layer.layer} need not be monotone.", guilty=at)
    elif not layer.facts.monotone:
        why = f"{layer.activation} is not monotone, so {term} can push states apart"
    else:
        return None
    witness = ""
    if descent.reaction == 0 and all(other.largest != 0 for other in descent.layers):
        eps = None if layer.eps is None else float(layer.eps)
        witness = spread(Spreading(float(layer.scale), layer.activation, eps, stepping), layer.largest)
    others = "" if len(descent.layers) == 1 else "the other operators zero, "
    return Refuted(f"{why}.", others + witness, at) if witness else Unknown(f"{why}.", guilty=at)


def _widest(spec: Spec) -> float:
    """Channels of the widest stage."""
    return max(spec.network.stages) if spec.network else inf


def _swinging(problem: Problem, descent: Descent, stepping: Stepping) -> Verdict:
    """Second order in time: refuted by two states, run through the very recursion, all operators but one zero."""
    at, term = spans(problem.pushing), named(problem.pushing)
    for layer in descent.layers if isinstance(stepping.method, Leapfrog) else ():
        oscillator = _oscillator(layer, descent.reaction, stepping)
        witness = parting(oscillator, layer.largest) if oscillator else ""
        if witness:
            return Refuted(f"{term} drives a second-order equation: nearby states drift apart.", witness, at)
    why = "states swing, and whether two of them part by the end is not known"
    return Unknown(f"{term} drives a second-order equation: {why}.", guilty=at)


def _oscillator(layer: SymmetricLayer, reaction: Expr, stepping: Stepping) -> Oscillator | None:
    if stepping.step is None or stepping.steps is None or layer.layer not in ("", "tv_norm"):
        return None
    eps = None if layer.eps is None else float(layer.eps)
    first = 1.0 if stepping.method == Leapfrog(steps=stepping.steps, start=Start.PAPER) else 0.5
    return Oscillator(
        float(layer.scale), layer.activation, eps, float(stepping.step), stepping.steps, first, float(reaction)
    )


def _euler_bound(
    descent: Descent, stepping: Stepping, problem: Problem, what: str, activations: str = "monotone"
) -> Verdict:
    at, step, stiffness = spans(problem.pushing), stepping.step, descent.stiffness
    if any(layer.bound is None for layer in descent.layers):
        why = "no bound on ‖K‖ is declared, and an explicit step may exceed 2/‖K‖²; add ‖K‖ ≤ c to the type"
        return Unknown(f"the flow is {what}, but {why}.", guilty=at)
    if not is_euler(stepping.method) or step is None or stiffness is None:
        return Unknown(f"the flow is {what}; for {stepping.name} this is not proved.", guilty=at)
    shown = f"δt {descent.shown} = {step * stiffness} for δt = {step}"
    if step * stiffness <= 2:
        return Proved(f"{_said(descent, activations)} and {shown}, at most 2: each Euler step is {what}.")
    return Unknown(f"the flow is {what}, but {shown} exceeds 2: an Euler step may not be.", guilty=at)


def _said(descent: Descent, activations: str) -> str:
    names = sorted({layer.activation for layer in descent.layers})
    if not names:
        return "the reaction pulls back"
    verb, their, plural = ("is", "its", "") if len(names) == 1 else ("are", "their", "s")
    return f"{' and '.join(names)} {verb} {activations.format(its=their, s=plural)}"


def _energy_decay(problem: Problem, kind: EquationClass, descent: Descent | None, stepping: Stepping) -> Verdict:
    """‖Y‖ does not grow: d/dt ½‖Y‖² = -Σ⟨KY, σ(KY)⟩ - λ‖Y‖² ≤ 0 when z σ(z) ≥ 0 and λ ≥ 0.

    A step of Euler takes ‖Y‖² to ‖Y‖² - 2δt⟨z, σ(z)⟩ + δt²‖Kᵀσ(z)‖², and σ(z)² ≤ L z σ(z) for slopes up to L.
    """
    at = spans(problem.pushing)
    if descent is None or problem.equation.order != 1 or kind is EquationClass.HAMILTONIAN:
        return Unknown("only a symmetric layer of first order in time is known to dissipate.", guilty=at)
    growth = _growth(descent, stepping)
    if growth:
        return Refuted(f"{growth}, so ‖Y‖ can grow.", _alone(descent), at)
    for layer in descent.layers:
        if layer.layer:
            return Unknown(f"{layer.layer} has a trainable bias, so the layer may push at Y = 0.", guilty=at)
        if not layer.facts.keeps_sign:
            return Unknown(f"{layer.activation} need not have the sign of its argument.", guilty=at)
    return _euler_bound(
        descent, stepping, problem, "dissipative (‖Y‖ does not grow)", "of the sign of {its} argument{s}"
    )


def _energy_conservation(problem: Problem, kind: EquationClass, descent: Descent | None, method: Integrator) -> Verdict:
    at, spec = spans(problem.pushing), problem.spec
    if kind is EquationClass.GRADIENT_FLOW:
        return Refuted("a symmetric layer dissipates energy.", "any Y with K Y ≠ 0 and σ(K Y) ≠ 0", at)
    if kind in (EquationClass.HAMILTONIAN, EquationClass.WAVE):
        if any(spec.time.symbol in w.arguments for w in spec.learned if spec.time):
            return Unknown("the weights depend on time, and so does the energy.", guilty=at)
        if descent is not None or kind is EquationClass.HAMILTONIAN:
            kept = "keeps it up to a bounded error" if isinstance(method, Reversible) else "need not"
            why = f"the flow keeps the energy; {method.name} {kept}"
            return Unknown(f"{why}.", guilty=at)
    return Unknown(f"{named(problem.pushing)} has no known energy.", guilty=at)


def _reversibility(problem: Problem, kind: EquationClass, method: Integrator) -> Verdict:
    if isinstance(method, Verlet) and kind is EquationClass.HAMILTONIAN:
        why = "each half-step of Verlet adds a function of the other half, which can be subtracted again"
        return Proved(f"{why}.")
    if isinstance(method, Leapfrog) and problem.equation.order == 2 and not problem.equation.right[0].has(Partial):
        return Proved("leapfrog is symmetric: the last two states give the one before them.")
    at = spans(problem.pushing)
    return Unknown(f"a step of {method.name} has an inverse only where it is small.", guilty=at)


def has_features(spec: Spec) -> bool:
    """Whether the equations act on feature maps rather than on functions of the data."""
    return spec.space.kind == "pixels"


def is_linear_map(expr: Expr, spec: Spec) -> bool:
    """Whether an expression in feature maps is linear: sums and multiples of operators and of the maps."""
    if isinstance(expr, Applied):
        return is_linear_map(expr.body, spec)
    if expr.is_Add:
        return all(is_linear_map(a, spec) for a in expr.args)
    coefficient, rest = expr.as_coeff_Mul()
    if coefficient != 1:
        return is_linear_map(rest, spec)
    return isinstance(expr, Field) and expr.head in {u.head for u in spec.unknowns}
