"""The parts of expressions by their kind."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Basic

KEPT = 20_000  # results: provers ask for the same parts again and again, and so does the next edit in an editor


@lru_cache(maxsize=KEPT)
def atoms(expr: Basic, *kinds: type) -> frozenset[Any]:
    """The parts of these kinds, as sympy's `expr.atoms(*kinds)` finds them by generators nested as deep as the
    expression."""
    found, waiting = set(), [expr]
    while waiting:
        part = waiting.pop()
        if isinstance(part, kinds):
            found.add(part)
        if isinstance(part, Basic):
            waiting.extend(part.args)
    return frozenset(found)


@lru_cache(maxsize=KEPT)
def free_symbols(expr: Basic) -> frozenset[Any]:
    return frozenset(expr.free_symbols)
