"""Known functions by name, each from numbers to a number or pointwise on feature maps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import sympy as sp

from pdedsl.numerics.activations import ACTIVATIONS as RECORDS
from pdedsl.numerics.activations import OTHER_NAMES
from pdedsl.symbolic.activations import ACTIVATIONS, formula_of
from pdedsl.symbolic.replacing import exponential

Numeric = Callable[..., sp.Expr]

ELEMENTARY = "log sqrt sin cos tan asin acos atan sinh cosh tanh erf sign".split()
RELU, SOFTPLUS = ACTIVATIONS["relu"], ACTIVATIONS["softplus"]

# On numbers these are composed of known functions; on feature maps they are separate layers.
COMPOSED: dict[str, Numeric] = {
    "softsign": partial(formula_of, RECORDS["softsign"]),
    "hardtanh": lambda x: 1 - RELU(2 - RELU(x + 1)),
    "mish": lambda x: x * sp.tanh(SOFTPLUS(x)),
}
# name: (number of arguments, -1 for two or more; function)
FUNCTIONS: dict[str, tuple[int, Numeric]] = {
    **{name: (1, getattr(sp, name)) for name in ELEMENTARY},
    "exp": (1, exponential),
    **{name: (1, cls) for name, cls in ACTIVATIONS.items()},
    **{name: (1, partial(formula_of, RECORDS[name])) for name in ("identity", "abs", "square")},
    **{name: (1, function) for name, function in COMPOSED.items()},
    "heaviside": (1, lambda x: sp.Heaviside(x)),
    "min": (-1, sp.Min),
    "max": (-1, sp.Max),
}
FUNCTIONS.update({other: FUNCTIONS[name] for other, name in OTHER_NAMES.items()})
OPERATORS = "grad div lap hess dot ddot norm adj sum diff pow".split()
RESERVED = {*FUNCTIONS, "softmax", "pi", *OPERATORS}


def pointwise(name: str) -> Numeric:
    """The function as it acts on feature maps."""
    return ACTIVATIONS[name] if name in COMPOSED else FUNCTIONS[name][1]
