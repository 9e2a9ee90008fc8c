"""Aliases of keywords: earlier names that a spec may still use. The formatter writes the keyword.

`residual` is resolved by its part: a physics-informed network for the equation, a penalty in the training loss for
the diffusion.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Aliases = Mapping[str, str]
NONE: Aliases = MappingProxyType({})

METHODS: Mapping[str, Aliases] = MappingProxyType(
    {
        "equation": {"residual": "pinn", "features": "random_features", "paths": "monte_carlo"},
        "diffusion": {
            "residual": "residual_penalty",
            "sampling": "randomized_smoothing",
            "retraining": "heat_smoothing",
        },
    }
)
"""Of `realize PART by METHOD`, by part."""
AXIOMS: Aliases = MappingProxyType({"constants": "preserves_constants", "semigroup": "markov"})
ENTRIES: Mapping[str, Aliases] = MappingProxyType(
    {"network": {"open": "stem", "close": "head"}, "evaluate": {"weights": "plot"}}
)
"""Of the entries of a block, by block."""
VALUES: Mapping[tuple[str, str], Aliases] = MappingProxyType(
    {
        ("evaluate", "certify"): {"gaussian": "randomized_smoothing"},
        ("evaluate", "plot"): {"weights": "weight_histogram", "histogram": "weight_histogram"},
    }
)
"""Of the values of an entry, by block and entry."""


def canonical_path(words: tuple[str, ...]) -> tuple[str, ...]:
    """The components of a `--set` path with every alias replaced by its keyword."""
    match words:
        case ("realize", part, *rest):
            methods = METHODS.get(part, NONE)
            return ("realize", part, *(methods.get(keyword, keyword) for keyword in rest))
        case (block, entry, *rest) if block in ENTRIES:
            key = ENTRIES[block].get(entry, entry)
            values = VALUES.get((block, key), NONE)
            return (block, key, *(values.get(keyword, keyword) for keyword in rest))
        case _:
            return words
