"""Pairs each equation without a time derivative with a variable: the one with the highest derivatives in it.

On a side, a condition replaces the equation of its variable. So -Δv + ∇p = f must belong to v and ∇·v = 0 to the
pressure, in whatever order they are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from sympy import Expr, Symbol

from pdedsl.ir.statement import Derivative

MOST = 6  # variables up to which all pairings are tried


def paired(
    constraints: tuple[Expr, ...], still: tuple[int, ...], jets: Mapping[Symbol, Derivative]
) -> tuple[Expr, ...]:
    """The constraints in the order of their variables, by the pairing that maximises Σ `_order`²."""
    if len(constraints) != len(still) or not 1 < len(still) <= MOST:
        return constraints
    orders = [[_order(e, k, jets) for k in still] for e in constraints]
    best = max(permutations(range(len(still))), key=lambda p: sum(orders[e][k] ** 2 for k, e in enumerate(p)))
    return tuple(constraints[e] for e in best)


def _order(expr: Expr, variable: int, jets: Mapping[Symbol, Derivative]) -> int:
    """One more than the order of the highest derivative of a variable; 0 if it does not occur."""
    found = [d.order for s, d in jets.items() if s in expr.free_symbols and d.component == variable]
    return 1 + max(found) if found else 0
