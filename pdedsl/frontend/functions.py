"""Known functions by name, each from numbers to a number or pointwise on feature maps."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from pdedsl.ir.symbols import ACTIVATIONS

Numeric = Callable[..., sp.Expr]

ELEMENTARY = "exp log sqrt sin cos tan asin acos atan sinh cosh tanh erf sign".split()

# name: (number of arguments, -1 for two or more; function)
FUNCTIONS: dict[str, tuple[int, Numeric]] = {
    **{name: (1, getattr(sp, name)) for name in ELEMENTARY},
    **{name: (1, cls) for name, cls in ACTIVATIONS.items() if name != "identity"},
    "identity": (1, lambda x: x),
    "abs": (1, sp.Abs),
    "heaviside": (1, lambda x: sp.Heaviside(x)),
    "min": (-1, sp.Min),
    "max": (-1, sp.Max),
}
RESERVED = {*FUNCTIONS, "softmax", "pi", "grad", "div", "lap", "hess", "dot", "ddot", "norm", "adj", "sum", "diff"}
