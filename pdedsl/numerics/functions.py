"""Functions of numbers that a network can compute, one row each: the name in sympy, and the torch function.

Planning refuses other functions, and emission uses the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pdedsl.numerics.activations import ACTIVATIONS

ELEMENTARY = "exp log sqrt sin cos tan asin acos atan sinh cosh tanh erf sign".split()
TENSOR_HELPERS = "pdedsl.runtime.tensor_helpers"

UNARY_FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {
        **{name: record.torch for name, record in ACTIVATIONS.items() if record.torch},
        **{name: f"torch.{name}" for name in ELEMENTARY},
        "Abs": "torch.abs",
        "Heaviside": f"{TENSOR_HELPERS}.heaviside",
    }
)
"""Of their first argument: sympy's step function has its value at 0 as a second one, ½, which is the runtime's."""

NARY_FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {"Max": f"{TENSOR_HELPERS}.maximum", "Min": f"{TENSOR_HELPERS}.minimum"}
)
"""Of several numbers at points, behind the points themselves."""
