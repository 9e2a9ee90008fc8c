"""Which equation without a derivative in time goes with which variable: the one that bends it most.

A condition on a side takes the place of its variable's equation there, so that -Δv + ∇p = f belongs to v and ∇·v = 0 to
the pressure, in whatever order they are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from sympy import Expr, Symbol

from pdedsl.ir.statement import Derivative

MOST = 6  # variables for which all orders are tried


def paired(
    constraints: tuple[Expr, ...], still: tuple[int, ...], jets: Mapping[Symbol, Derivative]
) -> tuple[Expr, ...]:
    """The constraints in the order of their variables: Σ (order of the variable in its equation)² is greatest."""
    if len(constraints) != len(still) or not 1 < len(still) <= MOST:
        return constraints
    orders = [[_order(e, k, jets) for k in still] for e in constraints]
    best = max(permutations(range(len(still))), key=lambda p: sum(orders[e][k] ** 2 for k, e in enumerate(p)))
    return tuple(constraints[e] for e in best)


def _order(expr: Expr, variable: int, jets: Mapping[Symbol, Derivative]) -> int:
    """Of the highest derivative of a variable; a variable that does not occur is worse than one that is not bent."""
    found = [d.order for s, d in jets.items() if s in expr.free_symbols and d.component == variable]
    return 1 + max(found) if found else 0
