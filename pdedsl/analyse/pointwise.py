"""Activations as functions of one number, to run a recursion with."""

from __future__ import annotations

import math
from collections.abc import Callable

Function = Callable[[float], float]


def _sigmoid(x: float) -> float:
    return (1 + math.tanh(x / 2)) / 2


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


FUNCTIONS: dict[str, Function] = {
    "identity": lambda x: x,
    "relu": lambda x: max(x, 0.0),
    "leaky_relu": lambda x: max(x, 0.01 * x),
    "elu": lambda x: x if x > 0 else math.expm1(x),
    "softplus": _softplus,
    "sigmoid": _sigmoid,
    "tanh": math.tanh,
    "atan": math.atan,
    "erf": math.erf,
    "softsign": lambda x: x / (1 + abs(x)),
    "hardtanh": lambda x: max(-1.0, min(1.0, x)),
    "sin": lambda x: math.sin(x) if math.isfinite(x) else math.nan,
    "abs": abs,
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "silu": lambda x: x * _sigmoid(x),
    "mish": lambda x: x * math.tanh(_softplus(x)),
    "square": lambda x: x * x,
}
