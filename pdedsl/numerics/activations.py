"""Activation functions, one record each: the formula, the torch function, and the properties used in proofs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from math import inf
from types import MappingProxyType
from typing import Any

from pdedsl.record import Record


class Algebra(Record):
    """The functions that formulas are built from: on floating-point numbers here, on symbols in `symbolic`."""

    max: Callable[[Any, Any], Any]
    min: Callable[[Any, Any], Any]
    abs: Callable[[Any], Any]
    exp: Callable[[Any], Any]
    tanh: Callable[[Any], Any]
    atan: Callable[[Any], Any]
    sin: Callable[[Any], Any]
    erf: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]
    softplus: Callable[[Any], Any]  # log(1 + eˣ)
    sigmoid: Callable[[Any], Any]  # 1/(1 + e⁻ˣ)


Formula = Callable[[Algebra, Any], Any]


class Activation(Record):
    """An activation σ of one real variable.

    `monotone`: σ is nondecreasing; `lipschitz`: an upper bound on |σ'| (∞: none); `lower` and `upper`: bounds of σ;
    `positive`: σ > 0; `keeps_sign`: z σ(z) ≥ 0; `smooth`: twice differentiable, with bounded σ''; `rising`: σ' > 0;
    `torch`: the torch function that computes it on tensors (empty for the identity).
    """

    name: str
    formula: Formula
    torch: str
    monotone: bool
    lipschitz: float
    lower: float = -inf
    upper: float = inf
    odd: bool = False
    positive: bool = False
    keeps_sign: bool = True
    convex: bool = False
    smooth: bool = False
    rising: bool = False

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.lower) and math.isfinite(self.upper)

    def __call__(self, x: float) -> float:
        """The value at a number; NaN on overflow, or where σ is undefined."""
        try:
            return float(self.formula(FLOATS, x))
        except (OverflowError, ValueError):
            return math.nan

    def __reduce__(self) -> tuple[Callable[[str], Activation], tuple[str]]:
        """Pickles a record by its name."""
        return activation_named, (self.name,)


class PairwiseActivation(Record):
    """σ on pairs of channels, so not a function of one variable: it has no formula, and cannot occur in an equation.

    `monotone`: ⟨σ(y) - σ(z), y - z⟩ ≥ 0.
    """

    name: str
    monotone: bool
    lipschitz: float


# (a, b) ↦ (max, min) is the gradient of ½(a² + b²) - ½ min(a - b, 0)², which is not convex: for a < b it equals a b.
# Its Jacobian has norm 1, and an eigenvalue -1 for a < b, so that -Kᵀ maxmin(K Y) is expansive.
MAXMIN = PairwiseActivation("maxmin", monotone=False, lipschitz=1)


FLOATS = Algebra(
    *(max, min, abs, math.exp, math.tanh, math.atan, math.sin, math.erf, math.sqrt),
    softplus=lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))),  # without avoidable overflow
    sigmoid=lambda x: (1 + math.tanh(x / 2)) / 2,
)
_F = "torch.nn.functional"

IDENTITY = Activation("identity", lambda m, x: x, "", True, 1, odd=True, convex=True, smooth=True, rising=True)
RELU = Activation("relu", lambda m, x: m.max(0, x), "torch.relu", True, 1, lower=0, convex=True)
ABS = Activation("abs", lambda m, x: m.abs(x), "torch.abs", False, 1, lower=0, keeps_sign=False, convex=True)
SQUARE = Activation(
    "square", lambda m, x: x * x, "torch.square", False, inf, lower=0, keeps_sign=False, convex=True, smooth=True
)

# The maximal derivatives of gelu, silu, mish and erf are 1.12890…, 1.09984…, 1.08850… and 2/√π = 1.12837…, rounded up;
# the least values of gelu, silu and mish are -0.16997…, -0.27846… and -0.30884…, rounded down.
_ALL = (
    IDENTITY,
    RELU,
    Activation("leaky_relu", lambda m, x: m.max(x, x / 100), f"{_F}.leaky_relu", True, 1, convex=True, rising=True),
    Activation(
        "elu",
        lambda m, x: m.max(0, x) + m.exp(m.min(0, x)) - 1,
        f"{_F}.elu",
        True,
        1,
        lower=-1,
        convex=True,
        rising=True,
    ),
    Activation(
        "softplus",
        lambda m, x: m.softplus(x),
        f"{_F}.softplus",
        True,
        1,
        lower=0,
        positive=True,
        keeps_sign=False,
        convex=True,
        smooth=True,
        rising=True,
    ),
    Activation(
        "sigmoid",
        lambda m, x: m.sigmoid(x),
        "torch.sigmoid",
        True,
        0.25,
        lower=0,
        upper=1,
        positive=True,
        keeps_sign=False,
        smooth=True,
        rising=True,
    ),
    Activation(
        "tanh", lambda m, x: m.tanh(x), "torch.tanh", True, 1, lower=-1, upper=1, odd=True, smooth=True, rising=True
    ),
    Activation(
        "atan",
        lambda m, x: m.atan(x),
        "torch.arctan",
        True,
        1,
        lower=-1.5708,
        upper=1.5708,
        odd=True,
        smooth=True,
        rising=True,
    ),
    Activation(
        "erf", lambda m, x: m.erf(x), "torch.erf", True, 1.1284, lower=-1, upper=1, odd=True, smooth=True, rising=True
    ),
    Activation(
        "softsign", lambda m, x: x / (1 + m.abs(x)), f"{_F}.softsign", True, 1, lower=-1, upper=1, odd=True, rising=True
    ),
    Activation("hardtanh", lambda m, x: m.max(-1, m.min(1, x)), f"{_F}.hardtanh", True, 1, lower=-1, upper=1, odd=True),
    Activation(
        "sin", lambda m, x: m.sin(x), "torch.sin", False, 1, lower=-1, upper=1, odd=True, keeps_sign=False, smooth=True
    ),
    ABS,
    Activation(
        "gelu", lambda m, x: x * (1 + m.erf(x / m.sqrt(2))) / 2, f"{_F}.gelu", False, 1.129, lower=-0.17, smooth=True
    ),
    Activation("silu", lambda m, x: x * m.sigmoid(x), f"{_F}.silu", False, 1.0999, lower=-0.2785, smooth=True),
    Activation("mish", lambda m, x: x * m.tanh(m.softplus(x)), f"{_F}.mish", False, 1.0886, lower=-0.3089, smooth=True),
    SQUARE,
)
ACTIVATIONS: Mapping[str, Activation] = MappingProxyType({a.name: a for a in _ALL})
OTHER_NAMES: Mapping[str, str] = MappingProxyType({"arctan": "atan"})  # alias → canonical name


def activation_named(name: str) -> Activation:
    return ACTIVATIONS[name]
