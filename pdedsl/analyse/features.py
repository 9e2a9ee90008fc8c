"""Axioms of equations on feature maps: symmetric layers, second order in time, separable pairs, neural ODEs.

Ruthotto and Haber, "Deep neural networks motivated by partial differential equations", in the form that holds:
-Kᵀσ(KY) contracts for monotone σ, and its Euler step is non-expansive while δt ‖K‖² Lip(σ) ≤ 2. With a normalisation
between K and σ, or in second order with relu, the paper's statements fail; the examples are kept here.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, S

from pdedsl.analyse.classify import is_separable_pair, symmetric_layer
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import EquationClass, Verdict
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.symbols import Applied, Field, Layer
from pdedsl.ir.types import Operator
from pdedsl.ir.vocabulary import ACTIVATION_FACTS, Facts

REVERSIBLE = {"verlet", "leapfrog"}
NOT_MONOTONE = (
    "K the identity on two channels, Y = (0.1, 0), Y' = (0.2, -1): "
    "one Euler step with δt = 1 takes their distance from 1.005 to 1.317"
)
RELU_OSCILLATOR = "x'' = -relu(x), x(0) = A, x'(0) = 0: two starts part like (T - π/2)|A - A'|"
PHASES = "x'' = -tanh(x): the period grows with the amplitude, so two starts drift out of phase"


@dataclass(frozen=True)
class SymmetricLayer:
    """-c Kᵀ σ(N(K Y))."""

    scale: Expr
    activation: str
    facts: Facts
    layer: str  # the normalisation, or ""
    bound: Expr | None  # on ‖K‖
    in_time: bool  # whether K depends on time


def layer_of(equation: Equation, spec: Spec) -> SymmetricLayer | None:
    found = symmetric_layer(equation.right[0])
    if found is None:
        return None
    activation, layer, inner = "identity", "", found.body
    while not isinstance(inner, Applied):
        if isinstance(inner, Layer):
            layer, inner = inner.name, inner.body
        else:
            activation, inner = type(inner).__name__, inner.args[0]
    learned = next((w for w in spec.learned if w.head == inner.operator.head), None)
    bound = learned.type.bound if learned and isinstance(learned.type, Operator) else None
    facts = ACTIVATION_FACTS.get(activation, Facts(False, None))
    scale = -equation.right[0].as_coeff_Mul()[0]
    in_time = bool(learned and learned.params)
    return SymmetricLayer(scale, activation, facts, layer, bound, in_time)


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


def feature_axioms(equation: Equation, kind: EquationClass, spec: Spec) -> dict[str, Verdict]:
    layer = layer_of(equation, spec)
    method = method_of(spec, kind, equation.order)
    return {
        "stability": _stability(equation, kind, layer, method, spec),
        "energy_decay": _energy_decay(equation, kind, layer, method, spec),
        "energy_conservation": _energy_conservation(equation, kind, layer, spec),
        "reversibility": _reversibility(equation, kind, method),
    }


def _stability(equation: Equation, kind: EquationClass, layer: SymmetricLayer | None, method: str, spec: Spec) -> Verdict:
    """‖Y(T) - Y'(T)‖ ≤ ‖Y(0) - Y'(0)‖, for every weight."""
    at = (equation.span,)
    if kind == "hamiltonian":
        return Verdict("unknown", "the two halves turn about each other: distances may grow and shrink again.", guilty=at)
    if layer is None:
        return Verdict("unknown", "the field is learned, and nothing in its type bounds how it spreads its inputs.", guilty=at)
    if equation.order == 2:
        if layer.activation == "identity" and not layer.layer:
            return Verdict("unknown", "a linear oscillator swings; its positions are bounded only from rest.", guilty=at)
        witness = RELU_OSCILLATOR if layer.activation == "relu" else PHASES
        return Verdict("refuted", "second order in time with a nonlinear activation: nearby states drift apart.", witness, at)
    if layer.layer:
        if layer.activation == "relu" and layer.layer == "tv_norm":
            return Verdict("refuted", "relu after tv_norm is not monotone, so the layer does not contract.", NOT_MONOTONE, at)
        return Verdict("unknown", f"{layer.activation} after {layer.layer} need not be monotone.", guilty=at)
    if not layer.facts.monotone:
        witness = f"K the identity, at points where {layer.activation} decreases"
        return Verdict("refuted", f"{layer.activation} is not monotone, so the layer can push states apart.", witness, at)
    return _euler_bound(layer, method, spec, at, "non-expansive")


def _euler_bound(layer: SymmetricLayer, method: str, spec: Spec, at: tuple[Span, ...], what: str) -> Verdict:
    step = step_of(spec)
    if layer.bound is None:
        why = "no bound on ‖K‖ is declared, and an explicit step may exceed 2/‖K‖²; add ‖K‖ ≤ c to the type"
        return Verdict("unknown", f"the flow is {what}, but {why}.", guilty=at)
    if method != "euler" or step is None or layer.facts.lipschitz is None:
        return Verdict("unknown", f"the flow is {what}; for {method} this is not proved.", guilty=at)
    size = step * layer.scale * layer.bound**2 * S(str(layer.facts.lipschitz))
    shown = f"δt ‖K‖² = {size} for δt = {step}"
    if size <= 2:
        return Verdict("proved", f"{layer.activation} is monotone and {shown}, at most 2: each Euler step is {what}.")
    return Verdict("unknown", f"the flow is {what}, but {shown} exceeds 2: an Euler step may not be.", guilty=at)


def _energy_decay(equation: Equation, kind: EquationClass, layer: SymmetricLayer | None, method: str, spec: Spec) -> Verdict:
    """‖Y‖ does not grow: d/dt ½‖Y‖² = -⟨KY, σ(KY)⟩ ≤ 0 when σ is monotone and σ(0) = 0."""
    at = (equation.span,)
    if layer is None or equation.order != 1 or kind == "hamiltonian":
        return Verdict("unknown", "only a symmetric layer of first order in time is known to dissipate.", guilty=at)
    if layer.layer:
        return Verdict("unknown", f"{layer.layer} has a trainable bias, so the layer may push at Y = 0.", guilty=at)
    if not layer.facts.monotone or layer.activation in ("sigmoid", "softplus"):
        return Verdict("unknown", f"{layer.activation} need not have the sign of its argument.", guilty=at)
    return _euler_bound(layer, method, spec, at, "dissipative (‖Y‖ does not grow)")


def _energy_conservation(
    equation: Equation, kind: EquationClass, layer: SymmetricLayer | None, spec: Spec
) -> Verdict:
    at = (equation.span,)
    if kind == "gradient-flow":
        return Verdict("refuted", "a symmetric layer dissipates energy.", "any Y with K Y ≠ 0 and σ(K Y) ≠ 0", at)
    if kind in ("hamiltonian", "wave"):
        if any(spec.time.symbol in w.arguments for w in spec.learned if spec.time):
            return Verdict("unknown", "the weights depend on time, and so does the energy.", guilty=at)
        return Verdict("unknown", "the flow keeps the energy; the integrator keeps it up to a bounded error.", guilty=at)
    return Verdict("unknown", "the field is learned and has no known energy.", guilty=at)


def _reversibility(equation: Equation, kind: EquationClass, method: str) -> Verdict:
    at = (equation.span,)
    if method == "verlet" and kind == "hamiltonian":
        return Verdict("proved", "each half-step of Verlet adds a function of the other half, which can be subtracted again.")
    if method == "leapfrog" and equation.order == 2:
        return Verdict("proved", "leapfrog is symmetric: the last two states give the one before them.")
    return Verdict("unknown", f"a step of {method} has an inverse only where it is small.", guilty=at)


def stability_warning(equation: Equation, spec: Spec) -> str | None:
    """An explicit step beyond its bound."""
    layer, step = layer_of(equation, spec), step_of(spec)
    if layer is None or layer.bound is None or step is None or layer.facts.lipschitz is None:
        return None
    limit = Integer(2) if equation.order == 1 else Integer(4)
    size = step**equation.order * layer.scale * layer.bound**2 * S(str(layer.facts.lipschitz))
    if size <= limit:
        return None
    power = "δt" if equation.order == 1 else "δt²"
    return f"{power} ‖K‖² = {size} exceeds its stability bound {limit}"


def has_features(spec: Spec) -> bool:
    """Whether the equations act on feature maps rather than on functions of the data."""
    return spec.space.kind == "pixels" and (
        is_separable_pair(spec) or any(e.right[0].has(Applied) or _learned(e, spec) for e in spec.equations)
    )


def _learned(equation: Equation, spec: Spec) -> bool:
    heads = {w.head for w in spec.learned}
    return any(f.head in heads for f in equation.right[0].atoms(Field))
