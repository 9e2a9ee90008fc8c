"""Terms, bounds and counterexamples as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pdedsl.analysis.feature_maps.system import FeatureMapSystem
from pdedsl.diagnostics import Span
from pdedsl.ir.terms import MapTerm, Reaction, SymmetricLayer
from pdedsl.ir.verdicts import FeatureMapCounterexample

MAX_QUOTED = 5  # terms quoted in one sentence
PRIME = "'"


def quote_terms(terms: Sequence[MapTerm]) -> str:
    """Terms as written in the spec; of many, the first few."""
    texts = list(dict.fromkeys(f"'{term.origin.text}'" for term in terms))
    more = len(texts) - MAX_QUOTED
    formula = ", ".join(texts[:MAX_QUOTED])
    return f"{formula} and {more} more" if more > 0 else formula or "the equation"


def spans(terms: Sequence[MapTerm]) -> tuple[Span, ...]:
    return tuple(dict.fromkeys(term.origin.span for term in terms))


def lipschitz_formula(terms: Sequence[MapTerm]) -> str:
    """Σ c ‖K‖² Lip(σ) + λ as text."""
    layers = [term for term in terms if isinstance(term, SymmetricLayer)]
    lipschitz = " Lip(σ)" * any(layer.activation.lipschitz != 1 for layer in layers)
    scales = "c" * any(abs(layer.factor) != 1 for layer in layers)
    size = f"{'Σ' * (len(layers) > 1)}{scales}‖K‖²{lipschitz}"
    names = [size] * bool(layers) + ["λ"] * any(isinstance(term, Reaction) for term in terms)
    return names[0] if len(names) == 1 else f"({' + '.join(names)})" if names else "0"


def activations(terms: Sequence[MapTerm], property_: str) -> str:
    """A property of all activations: `tanh is monotone`, `relu and tanh are monotone`."""
    names = sorted({term.activation.name for term in terms if isinstance(term, SymmetricLayer)})
    if not names:
        return "the reaction is dissipative"
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} {property_}"


# ---- Counterexamples


def describe_expansion(example: FeatureMapCounterexample, system: FeatureMapSystem) -> str:
    one, other = example.states
    states = f"{_state(one, system)} and {_state(other, system, PRIME)}"
    ends = f"their final distance is {_format_factor(example.growth)} times the initial one"
    return f"{_weights(example)}{states}: integrated {_integrator(system)}, {ends}"


def describe_growth(example: FeatureMapCounterexample, system: FeatureMapSystem) -> str:
    (state,) = example.states
    ends = "the final state is not zero"
    if math.isfinite(example.growth):
        ends = f"the final norm is {_format_factor(example.growth)} times the initial one"
    return f"{_weights(example)}{_state(state, system)}: integrated {_integrator(system)}, {ends}"


def _integrator(system: FeatureMapSystem) -> str:
    return f"by {system.stepping.name} with δt = {system.stepping.step}"


def _weights(example: FeatureMapCounterexample) -> str:
    """`K = 0.75 times the identity, `."""
    parts = [f"{head} = {k:g}" for head, k in example.operators]
    of = " and ".join(parts) + " times the identity" * any(k for _, k in example.operators)
    norm = f"scale {example.scale:g} and bias {example.bias:g} in N" * ((example.scale, example.bias) != (1, 0))
    return "".join(f"{part}, " for part in (of, norm) if part)


def _state(components: tuple[tuple[float, ...], ...], system: FeatureMapSystem, mark: str = "") -> str:
    """`Y = 1`, or `Y = (1, 0)` on two channels, and `Y = 1, Z = 0` of a pair."""
    names = (str(symbol) + mark for symbol in system.state_symbols)
    return ", ".join(f"{name} = {_vector(values)}" for name, values in zip(names, components, strict=True))


def _vector(y: tuple[float, ...]) -> str:
    return f"({', '.join(f'{a:g}' for a in y)})" if len(y) > 1 else f"{y[0]:g}"


def _format_factor(growth: float) -> str:
    """The factor, with enough digits to distinguish it from one."""
    change = abs(growth - 1)
    digits = max(4, 2 - math.floor(math.log10(change))) if change else 4
    return f"{growth:.{digits}g}"
