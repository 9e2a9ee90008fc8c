"""Activations by name, with what is known of each: plain data for the proofs of monotonicity and stability.

−Kᵀσ(K Y) is a contraction in continuous time for a monotone σ (Ruthotto, Haber 2018, theorem 1), and its Euler steps
are non-expansive for δt‖K‖² ≤ 2/L with the Lipschitz constant L of σ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import final

import torch
from torch import Tensor, nn
from torch.nn import functional


@final
@dataclass(frozen=True)
class Activation:
    """σ applied to each number; `lipschitz` is an upper bound of |σ′|, `odd` means σ(−x) = −σ(x)."""

    name: str
    function: Callable[[Tensor], Tensor]
    monotone: bool
    lipschitz: float
    odd: bool

    def __call__(self, x: Tensor) -> Tensor:
        return self.function(x)


def _identity(x: Tensor) -> Tensor:
    return x


# Specs write these names; the language has the same table. The constants of gelu (Φ(√2) + √2 φ(√2) = 1.12890…), silu
# (1.09984…), mish (1.08850…) and erf (2/√π = 1.12837…) are rounded upwards.
_KNOWN = (
    Activation("identity", _identity, monotone=True, lipschitz=1.0, odd=True),
    Activation("relu", functional.relu, monotone=True, lipschitz=1.0, odd=False),
    Activation("leaky_relu", functional.leaky_relu, monotone=True, lipschitz=1.0, odd=False),
    Activation("elu", functional.elu, monotone=True, lipschitz=1.0, odd=False),
    Activation("softplus", functional.softplus, monotone=True, lipschitz=1.0, odd=False),
    Activation("sigmoid", torch.sigmoid, monotone=True, lipschitz=0.25, odd=False),
    Activation("tanh", torch.tanh, monotone=True, lipschitz=1.0, odd=True),
    Activation("atan", torch.arctan, monotone=True, lipschitz=1.0, odd=True),
    Activation("erf", torch.erf, monotone=True, lipschitz=1.1284, odd=True),
    Activation("softsign", functional.softsign, monotone=True, lipschitz=1.0, odd=True),
    Activation("hardtanh", functional.hardtanh, monotone=True, lipschitz=1.0, odd=True),
    Activation("sin", torch.sin, monotone=False, lipschitz=1.0, odd=True),
    Activation("abs", torch.abs, monotone=False, lipschitz=1.0, odd=False),
    Activation("gelu", functional.gelu, monotone=False, lipschitz=1.129, odd=False),
    Activation("silu", functional.silu, monotone=False, lipschitz=1.0999, odd=False),
    Activation("mish", functional.mish, monotone=False, lipschitz=1.0886, odd=False),
    Activation("square", torch.square, monotone=False, lipschitz=math.inf, odd=False),
)

ACTIVATIONS: Mapping[str, Activation] = MappingProxyType({known.name: known for known in _KNOWN})


def activation(name: str) -> Activation:
    """The activation of that name; the error lists the names there are."""
    if name not in ACTIVATIONS:
        raise ValueError(f"unknown activation {name!r}; known are {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]


@final
class Pointwise(nn.Module):
    """The activation of that name as a module, to stand in a sequence of layers."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.activation = activation(name)

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(x)

    def extra_repr(self) -> str:
        return self.activation.name
