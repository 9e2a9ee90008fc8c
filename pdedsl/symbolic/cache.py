"""Cache for sympy's sign queries, for long-running processes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy.core import exprtools

CACHE_SIZE = 20_000  # entries


def cache_signs() -> None:
    """Caches sympy's `_monotonic_sign`, which quotients with exponentials, as in a heat kernel, call hundreds of times
    with the same argument. It returns a number or a symbol of that sign, now the same symbol every time. Affects all
    users of sympy in the process: only for long-running servers."""
    module: Any = exprtools
    if not hasattr(module._monotonic_sign, "cache_info"):
        module._monotonic_sign = lru_cache(CACHE_SIZE)(module._monotonic_sign)
