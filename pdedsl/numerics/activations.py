"""Activations, one record each: a formula, where torch computes it, and what proofs may use of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Any, Protocol


class Algebra(Protocol):
    """The functions of which formulas are made: of floating-point numbers here, of symbols in `symbolic`."""

    def max(self, a: Any, b: Any) -> Any: ...
    def min(self, a: Any, b: Any) -> Any: ...
    def abs(self, x: Any) -> Any: ...
    def exp(self, x: Any) -> Any: ...
    def tanh(self, x: Any) -> Any: ...
    def atan(self, x: Any) -> Any: ...
    def sin(self, x: Any) -> Any: ...
    def erf(self, x: Any) -> Any: ...
    def sqrt(self, x: Any) -> Any: ...
    def softplus(self, x: Any) -> Any: ...  # log(1 + eˣ)
    def sigmoid(self, x: Any) -> Any: ...  # 1/(1 + e⁻ˣ)


Formula = Callable[[Algebra, Any], Any]


@dataclass(frozen=True)
class Activation:
    """σ on the line.

    `monotone`: it does not decrease; `lipschitz`: an upper bound of |σ'| (∞: none); `keeps_sign`: z σ(z) ≥ 0;
    `torch`: the function of torch that is the same on tensors (none for the identity).
    """

    name: str
    formula: Formula
    torch: str
    monotone: bool
    lipschitz: float
    odd: bool = False
    bounded: bool = False
    keeps_sign: bool = True
    convex: bool = False

    def __call__(self, x: float) -> float:
        """The value at a number; what leaves the range of floating-point numbers is not a number."""
        try:
            return float(self.formula(FLOATS, x))
        except (OverflowError, ValueError):
            return math.nan

    def __reduce__(self) -> tuple[Callable[[str], Activation], tuple[str]]:
        """A record is found again by its name."""
        return named, (self.name,)


@dataclass(frozen=True)
class Paired:
    """σ on pairs of channels, and so not a function on the line: it has no formula, and stands in no equation.

    `monotone`: ⟨σ(y) - σ(z), y - z⟩ ≥ 0.
    """

    name: str
    monotone: bool
    lipschitz: float


# (a, b) ↦ (max, min) is the gradient of ½(a² + b²) - ½ min(a - b, 0)², which is not convex: where a < b it is a b. Its
# derivatives have norm 1, and the eigenvalue -1 where a < b, so that -Kᵀ maxmin(K Y) takes states apart.
MAXMIN = Paired("maxmin", monotone=False, lipschitz=1)


class Floats:
    """The algebra of floating-point numbers, without overflow where there need be none."""

    max = staticmethod(max)
    min = staticmethod(min)
    abs = staticmethod(abs)
    exp = staticmethod(math.exp)
    tanh = staticmethod(math.tanh)
    atan = staticmethod(math.atan)
    sin = staticmethod(math.sin)
    erf = staticmethod(math.erf)
    sqrt = staticmethod(math.sqrt)

    @staticmethod
    def softplus(x: float) -> float:
        return max(x, 0.0) + math.log1p(math.exp(-abs(x)))

    @staticmethod
    def sigmoid(x: float) -> float:
        return (1 + math.tanh(x / 2)) / 2


FLOATS = Floats()
_F = "torch.nn.functional"

# Of gelu, silu, mish and erf the steepest slopes are 1.12890…, 1.09984…, 1.08850… and 2/√π = 1.12837…, rounded upwards.
_ALL = (
    Activation("identity", lambda m, x: x, "", True, 1, odd=True, convex=True),
    Activation("relu", lambda m, x: m.max(0, x), "torch.relu", True, 1, convex=True),
    Activation("leaky_relu", lambda m, x: m.max(x, x / 100), f"{_F}.leaky_relu", True, 1, convex=True),
    Activation("elu", lambda m, x: m.max(0, x) + m.exp(m.min(0, x)) - 1, f"{_F}.elu", True, 1, convex=True),
    Activation("softplus", lambda m, x: m.softplus(x), f"{_F}.softplus", True, 1, keeps_sign=False, convex=True),
    Activation("sigmoid", lambda m, x: m.sigmoid(x), "torch.sigmoid", True, 0.25, bounded=True, keeps_sign=False),
    Activation("tanh", lambda m, x: m.tanh(x), "torch.tanh", True, 1, odd=True, bounded=True),
    Activation("atan", lambda m, x: m.atan(x), "torch.arctan", True, 1, odd=True, bounded=True),
    Activation("erf", lambda m, x: m.erf(x), "torch.erf", True, 1.1284, odd=True, bounded=True),
    Activation("softsign", lambda m, x: x / (1 + m.abs(x)), f"{_F}.softsign", True, 1, odd=True, bounded=True),
    Activation("hardtanh", lambda m, x: m.max(-1, m.min(1, x)), f"{_F}.hardtanh", True, 1, odd=True, bounded=True),
    Activation("sin", lambda m, x: m.sin(x), "torch.sin", False, 1, odd=True, bounded=True, keeps_sign=False),
    Activation("abs", lambda m, x: m.abs(x), "torch.abs", False, 1, keeps_sign=False, convex=True),
    Activation("gelu", lambda m, x: x * (1 + m.erf(x / m.sqrt(2))) / 2, f"{_F}.gelu", False, 1.129),
    Activation("silu", lambda m, x: x * m.sigmoid(x), f"{_F}.silu", False, 1.0999),
    Activation("mish", lambda m, x: x * m.tanh(m.softplus(x)), f"{_F}.mish", False, 1.0886),
    Activation("square", lambda m, x: x * x, "torch.square", False, inf, keeps_sign=False, convex=True),
)
ACTIVATIONS: Mapping[str, Activation] = MappingProxyType({a.name: a for a in _ALL})
OTHER_NAMES: Mapping[str, str] = MappingProxyType({"arctan": "atan"})  # the second is the one that counts


def named(name: str) -> Activation:
    return ACTIVATIONS[name]
