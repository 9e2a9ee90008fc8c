"""Right-hand sides on feature maps that run down an energy: symmetric layers and a linear reaction.

-Σ c Kᵀσ(K Y) - λY is minus the gradient of Σ c ΣΦ(K Y) + ½λ‖Y‖², Φ' = σ (Ruthotto and Haber, eq. 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from sympy import Add, Expr, Rational

from pdedsl.analyse.classify import gradient_terms
from pdedsl.ir.boxes import Bounds, box_of
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.types import Operator
from pdedsl.numerics.activations import ACTIVATIONS, Activation
from pdedsl.symbolic.symbols import Applied, Field, Layer


@dataclass(frozen=True)
class SymmetricLayer:
    """-c Kᵀ σ(N(K Y))."""

    scale: Expr
    activation: str
    facts: Activation
    layer: str  # the normalisation, or ""
    eps: Expr | None  # of the normalisation
    bound: Expr | None  # on ‖K‖
    box: Bounds | None  # of the weights

    @property
    def stiffness(self) -> Expr | None:
        """c ‖K‖² Lip(σ)."""
        if self.bound is None or not isfinite(self.facts.lipschitz):
            return None
        return self.scale * self.bound**2 * Rational(str(self.facts.lipschitz))

    @property
    def largest(self) -> float | None:
        """How large K may be as a multiple of the identity; None if nothing bounds it."""
        sizes = [] if self.bound is None else [float(self.bound)]
        if self.box is not None:
            sizes.append(float(self.box[1]) if self.box[0] <= 0 <= self.box[1] else 0.0)
        return min(sizes, default=None)


@dataclass(frozen=True)
class Descent:
    """-Σ c Kᵀ σ(N(K Y)) - λY."""

    layers: tuple[SymmetricLayer, ...]
    reaction: Expr  # λ

    @property
    def stiffness(self) -> Expr | None:
        """Σ c ‖K‖² Lip(σ) + λ; None where a bound is missing."""
        sizes = [layer.stiffness for layer in self.layers]
        return None if None in sizes else Add(self.reaction, *sizes)

    @property
    def shown(self) -> str:
        """The same in letters."""
        slopes = " Lip(σ)" * any(layer.facts.lipschitz != 1 for layer in self.layers)
        scales = "c" * any(layer.scale != 1 for layer in self.layers)
        size = f"{'Σ' * (len(self.layers) > 1)}{scales}‖K‖²{slopes}"
        names = [size] * bool(self.layers) + ["λ"] * (self.reaction != 0)
        return names[0] if len(names) == 1 else f"({' + '.join(names)})"


def descent_of(equation: Equation, spec: Spec) -> Descent | None:
    """The right-hand side as symmetric layers and a reaction, if it is nothing else."""
    found = gradient_terms(equation, spec)
    layers = [_layer_of(scale, layer, spec) for scale, layer in found[0]] if found else [None]
    if found is None or None in layers:
        return None
    return Descent(tuple(filter(None, layers)), found[1])


def _layer_of(scale: Expr, symmetric: Applied, spec: Spec) -> SymmetricLayer | None:
    activation, layer, eps, inner = "identity", "", None, symmetric.body
    while not isinstance(inner, Applied):
        if isinstance(inner, Layer) and not layer:
            layer, eps, inner = inner.name, _eps_of(inner), inner.body
        elif isinstance(inner, Layer) or layer or activation != "identity":
            return None  # a chain of activations or of layers: nothing is known of it
        else:
            activation, inner = type(inner).__name__, inner.args[0]
    operator = inner.operator if isinstance(inner.operator, Field) else inner.operator.args[0]
    learned = next((w for w in spec.learned if w.head == operator.head), None)
    bound = learned.type.bound if learned and isinstance(learned.type, Operator) else None
    facts = ACTIVATIONS.get(activation)
    if facts is None:
        return None
    return SymmetricLayer(scale, activation, facts, layer, eps, bound, box_of(operator.head.name, spec))


def _eps_of(layer: Layer) -> Expr | None:
    return next((value for key, value in layer.settings if key.name == "eps"), None)
