"""What a process that answers many questions remembers of sympy's work."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy.core import exprtools

CACHE_SIZE = 20_000  # signs, of which an edit in an editor changes few


def cache_signs() -> None:
    """Let sympy remember the signs of sums that it has searched for: quotients with exponentials, as in a heat kernel,
    ask for the same ones hundreds of times. A sign is a number or a symbol that has it; it is now the same symbol every
    time. For processes of our own, as it concerns every user of sympy in them."""
    module: Any = exprtools
    if not hasattr(module._monotonic_sign, "cache_info"):
        module._monotonic_sign = lru_cache(CACHE_SIZE)(module._monotonic_sign)
