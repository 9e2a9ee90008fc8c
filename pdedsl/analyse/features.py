"""Axioms of equations on feature maps: symmetric layers, second order in time, separable pairs, neural ODEs.

Ruthotto and Haber, "Deep neural networks motivated by partial differential equations", in the form that holds:
-Kᵀσ(KY) contracts for monotone σ, and its Euler step is non-expansive while δt ‖K‖² Lip(σ) ≤ 2. With a normalisation
between K and σ, or in second order with relu, the paper's statements fail; the examples are kept here.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Rational

from pdedsl.analyse.classify import symmetric_layer
from pdedsl.analyse.oscillator import Oscillator, parting
from pdedsl.analyse.problem import Problem, named, spans
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import EquationClass, Verdict
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.symbols import Applied, Field, Layer, Transposed
from pdedsl.ir.types import Operator
from pdedsl.ir.vocabulary import ACTIVATION_FACTS, Facts

NOT_MONOTONE = (
    "K the identity on two channels, Y = (0.1, 0), Y' = (0.2, -1): "
    "one Euler step with δt = 1 takes their distance from 1.005 to 1.317"
)


@dataclass(frozen=True)
class SymmetricLayer:
    """-c Kᵀ σ(N(K Y))."""

    scale: Expr
    activation: str
    facts: Facts
    layer: str  # the normalisation, or ""
    eps: Expr | None  # of the normalisation
    bound: Expr | None  # on ‖K‖


def layer_of(equation: Equation, spec: Spec) -> SymmetricLayer | None:
    found = symmetric_layer(equation.right[0])
    if found is None:
        return None
    activation, layer, eps, inner = "identity", "", None, found.body
    while not isinstance(inner, Applied):
        if isinstance(inner, Layer) and not layer:
            layer, eps, inner = inner.name, _eps_of(inner), inner.body
        elif isinstance(inner, Layer) or layer or activation != "identity":
            return None  # a chain of activations or of layers: nothing is known of it
        else:
            activation, inner = type(inner).__name__, inner.args[0]
    operator = inner.operator.args[0] if isinstance(inner.operator, Transposed) else inner.operator
    learned = next((w for w in spec.learned if w.head == operator.head), None)
    bound = learned.type.bound if learned and isinstance(learned.type, Operator) else None
    facts = ACTIVATION_FACTS.get(activation, Facts(False, None))
    return SymmetricLayer(-equation.right[0].as_coeff_Mul()[0], activation, facts, layer, eps, bound)


def _eps_of(layer: Layer) -> Expr | None:
    return next((value for key, value in layer.settings if key.name == "eps"), None)


def method_of(spec: Spec, kind: EquationClass, order: int) -> str:
    """The integrator that will be used: the spec's, or the default of the class."""
    given = next((r.method.name for r in spec.realizations if r.part == "time"), None)
    return given or ("verlet" if kind == "hamiltonian" else "leapfrog" if order == 2 else "euler")


def step_of(spec: Spec) -> Expr | None:
    """δt, where the number of steps is given."""
    method = next((r.method for r in spec.realizations if r.part == "time"), None)
    steps = method.get("steps") if method else None
    if spec.time is None or not isinstance(steps, Expr):
        return None
    return (spec.time.end - spec.time.start) / steps


def feature_axioms(problem: Problem, kind: EquationClass) -> dict[str, Verdict]:
    equation, spec = problem.equation, problem.spec
    layer = layer_of(equation, spec)
    method = method_of(spec, kind, equation.order)
    return {
        "stability": _stability(problem, kind, layer, method),
        "energy_decay": _energy_decay(problem, kind, layer, method),
        "energy_conservation": _energy_conservation(problem, kind),
        "reversibility": _reversibility(problem, kind, method),
    }


def _stability(problem: Problem, kind: EquationClass, layer: SymmetricLayer | None, method: str) -> Verdict:
    """‖Y(T) - Y'(T)‖ ≤ ‖Y(0) - Y'(0)‖, for every weight."""
    at, term = spans(problem.pushing), named(problem.pushing)
    if kind == "hamiltonian":
        why = "the two halves turn about each other: distances may grow and shrink again"
        return Verdict("unknown", f"{why}.", guilty=at)
    if layer is None:
        return Verdict("unknown", f"nothing in the types bounds how {term} spreads its inputs.", guilty=at)
    if problem.equation.order == 2:
        return _swinging(problem, layer, method)
    if layer.layer == "tv_norm" and layer.activation == "relu":
        why = f"relu after tv_norm is not monotone, so {term} does not contract"
        return Verdict("refuted", f"{why}.", NOT_MONOTONE, at)
    if layer.layer:
        return Verdict("unknown", f"{layer.activation} after {layer.layer} need not be monotone.", guilty=at)
    if layer.activation not in ACTIVATION_FACTS:
        return Verdict("unknown", f"nothing is known of {layer.activation} as an activation.", guilty=at)
    if not layer.facts.monotone:
        witness = f"K the identity, at points where {layer.activation} decreases"
        return Verdict("refuted", f"{layer.activation} is not monotone, so {term} can push states apart.", witness, at)
    return _euler_bound(layer, method, problem.spec, at, "non-expansive")


def _swinging(problem: Problem, layer: SymmetricLayer, method: str) -> Verdict:
    """Second order in time: refuted by two states, run through the very recursion."""
    at, term = spans(problem.pushing), named(problem.pushing)
    oscillator = _oscillator(layer, problem.spec) if method == "leapfrog" else None
    if oscillator:
        witness = parting(oscillator, None if layer.bound is None else float(layer.bound))
        if witness:
            return Verdict("refuted", f"{term} drives a second-order equation: nearby states drift apart.", witness, at)
    why = "states swing, and whether two of them part by the end is not known"
    return Verdict("unknown", f"{term} drives a second-order equation: {why}.", guilty=at)


def _oscillator(layer: SymmetricLayer, spec: Spec) -> Oscillator | None:
    step = step_of(spec)
    method = next((r.method for r in spec.realizations if r.part == "time"), None)
    if step is None or spec.time is None or method is None or layer.layer not in ("", "tv_norm"):
        return None
    steps = int((spec.time.end - spec.time.start) / step)
    eps = None if layer.eps is None else float(layer.eps)
    first = 1.0 if method.get("start") == "paper" else 0.5
    return Oscillator(float(layer.scale), layer.activation, eps, float(step), steps, first)


def _euler_bound(layer: SymmetricLayer, method: str, spec: Spec, at: tuple[Span, ...], what: str) -> Verdict:
    step = step_of(spec)
    if layer.bound is None:
        why = "no bound on ‖K‖ is declared, and an explicit step may exceed 2/‖K‖²; add ‖K‖ ≤ c to the type"
        return Verdict("unknown", f"the flow is {what}, but {why}.", guilty=at)
    if method != "euler" or step is None or layer.facts.lipschitz is None:
        return Verdict("unknown", f"the flow is {what}; for {method} this is not proved.", guilty=at)
    size = step * layer.scale * layer.bound**2 * Rational(layer.facts.lipschitz)
    shown = f"δt ‖K‖² = {size} for δt = {step}"
    if size <= 2:
        return Verdict("proved", f"{layer.activation} is monotone and {shown}, at most 2: each Euler step is {what}.")
    return Verdict("unknown", f"the flow is {what}, but {shown} exceeds 2: an Euler step may not be.", guilty=at)


def _energy_decay(problem: Problem, kind: EquationClass, layer: SymmetricLayer | None, method: str) -> Verdict:
    """‖Y‖ does not grow: d/dt ½‖Y‖² = -⟨KY, σ(KY)⟩ ≤ 0 when σ is monotone and σ(0) = 0."""
    at = spans(problem.pushing)
    if layer is None or problem.equation.order != 1 or kind == "hamiltonian":
        return Verdict("unknown", "only a symmetric layer of first order in time is known to dissipate.", guilty=at)
    if layer.layer:
        return Verdict("unknown", f"{layer.layer} has a trainable bias, so the layer may push at Y = 0.", guilty=at)
    if not layer.facts.monotone or layer.activation in ("sigmoid", "softplus"):
        return Verdict("unknown", f"{layer.activation} need not have the sign of its argument.", guilty=at)
    return _euler_bound(layer, method, problem.spec, at, "dissipative (‖Y‖ does not grow)")


def _energy_conservation(problem: Problem, kind: EquationClass) -> Verdict:
    at, spec = spans(problem.pushing), problem.spec
    if kind == "gradient-flow":
        return Verdict("refuted", "a symmetric layer dissipates energy.", "any Y with K Y ≠ 0 and σ(K Y) ≠ 0", at)
    if kind in ("hamiltonian", "wave"):
        if any(spec.time.symbol in w.arguments for w in spec.learned if spec.time):
            return Verdict("unknown", "the weights depend on time, and so does the energy.", guilty=at)
        why = "the flow keeps the energy; the integrator keeps it up to a bounded error"
        return Verdict("unknown", f"{why}.", guilty=at)
    return Verdict("unknown", f"{named(problem.pushing)} has no known energy.", guilty=at)


def _reversibility(problem: Problem, kind: EquationClass, method: str) -> Verdict:
    if method == "verlet" and kind == "hamiltonian":
        why = "each half-step of Verlet adds a function of the other half, which can be subtracted again"
        return Verdict("proved", f"{why}.")
    if method == "leapfrog" and problem.equation.order == 2:
        return Verdict("proved", "leapfrog is symmetric: the last two states give the one before them.")
    at = spans(problem.pushing)
    return Verdict("unknown", f"a step of {method} has an inverse only where it is small.", guilty=at)


def stability_warning(equation: Equation, spec: Spec) -> str | None:
    """An explicit step beyond its bound."""
    layer, step = layer_of(equation, spec), step_of(spec)
    if layer is None or layer.bound is None or step is None or layer.facts.lipschitz is None:
        return None
    limit = Integer(2) if equation.order == 1 else Integer(4)
    size = step**equation.order * layer.scale * layer.bound**2 * Rational(layer.facts.lipschitz)
    if size <= limit:
        return None
    power = "δt" if equation.order == 1 else "δt²"
    return f"{power} ‖K‖² = {size} exceeds its stability bound {limit}"


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
