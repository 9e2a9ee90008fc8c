"""Elementary functions available in torch: the name in sympy and the torch function.

Planning rejects other functions, and code generation uses the same table.
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
"""Applied to the first argument: the second one of sympy's Heaviside is its value at 0, ½ as in the runtime."""

NARY_FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {"Max": f"{TENSOR_HELPERS}.maximum", "Min": f"{TENSOR_HELPERS}.minimum"}
)
"""Functions of several scalars; their first argument is the points."""

TORCH_OPERATIONS = frozenset({"Add", "Mul", "Pow", *UNARY_FUNCTIONS, *NARY_FUNCTIONS})
"""The operations of generated code, by the names of sympy's classes."""
