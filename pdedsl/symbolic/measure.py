"""The size of an expression."""

from __future__ import annotations

from functools import lru_cache

from sympy.core.basic import Basic


@lru_cache(maxsize=1 << 16)
def measure(expr: Basic) -> tuple[int, int]:
    """Nodes and depth of an expression; shared parts are measured once but counted at each occurrence."""
    size, depth = 1, 0
    for arg in expr.args:
        nodes, below = measure(arg)
        size, depth = size + nodes, max(depth, below)
    return size, depth + 1
