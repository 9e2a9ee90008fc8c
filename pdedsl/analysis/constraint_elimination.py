"""Elimination of the unknowns of stationary equations from right-hand sides: with w = u, w² - u² = 0.

An unknown that is determined pointwise is replaced by its value. If P(∂)w = Q(∂)u with Q of lower order than P, w is
not a differential operator of u: its derivatives below the order of P are independent of those of u, and only the
highest is replaced.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce

from sympy import Expr, Symbol

from pdedsl.analysis.index_expansion import in_coordinates, layout_of
from pdedsl.analysis.jet import differential_expression
from pdedsl.analysis.normal_form import unknown_of
from pdedsl.ir.spec import Equation, Spec
from pdedsl.symbolic.calculus import differentiate
from pdedsl.symbolic.rewrite import expand, expand_products
from pdedsl.symbolic.symbols import Field, Partial, atoms

MAX_SUBSTITUTIONS = 12  # passes in which derivatives of an unknown are replaced


def has_constraint(spec: Spec) -> bool:
    """Whether a stationary equation constrains evolving unknowns, as ∇·u = 0 does. Its Lagrange multiplier, such as a
    pressure, is nonlocal, and terms may vanish by the constraint."""
    evolving = {e.unknown for e in spec.equations if e.order}

    def binds(equation: Equation) -> bool:
        inside = {f.head for right in equation.rhs for f in atoms(right, Field)}
        return unknown_of(equation, spec).head not in inside - evolving and bool(inside & evolving)

    return any(binds(e) for e in spec.equations if not e.order)


def is_independent(equation: Equation, spec: Spec) -> bool:
    """Whether no other stationary equation constrains the jet variables here: each is of higher order in its
    unknown."""
    pairs = [(unknown_of(e, spec).head, e) for e in spec.equations if e is not equation and not e.order]
    return all(
        (derivative_order(here, head) or 0) < max(derivative_order(right, head) or 0 for right in e.rhs)
        for here in equation.rhs
        for head, e in pairs
    )


def stationary_unknowns_in(equation: Equation, spec: Spec) -> dict[Symbol, Equation]:
    """The stationary unknowns on which an equation depends, directly or indirectly, each with its equation."""
    definitions = {unknown_of(e, spec).head: e for e in spec.equations if not e.order}
    unknowns, pending = dict[Symbol, Equation](), [equation]
    while pending:
        occurring = {f.head for right in pending.pop().rhs for f in atoms(right, Field)}
        new = {h: e for h, e in definitions.items() if h in occurring and h not in unknowns and e is not equation}
        unknowns |= new
        pending += new.values()
    return unknowns


def eliminate_stationary(expr: Expr, spec: Spec, except_for: Symbol | None = None) -> Expr | None:
    """The expression with all stationary unknowns but one eliminated; None if that fails."""
    evolving = {unknown_of(e, spec).head for e in spec.equations if e.order}
    definitions = {unknown_of(e, spec).head: e for e in spec.equations if not e.order}
    definitions = {h: e for h, e in definitions.items() if h not in evolving and h != except_for}
    result: Expr | None = expr
    for head, equation in [pair for _ in definitions for pair in definitions.items()]:  # w = v, v = u
        if result is not None and derivative_order(result, head) is not None:
            is_reducible = _has_dominant_order(result, head, equation, spec) and _depends_on_evolving(
                equation, evolving, spec
            )
            result = substitute_stationary(result, head, equation, spec) if is_reducible else None
    circular = result is not None and any(
        derivative_order(result, h) is not None and not any(derivative_order(right, h) for right in e.rhs)
        for h, e in definitions.items()
    )
    return None if circular else result


def _depends_on_evolving(equation: Equation, evolving: set[Symbol], spec: Spec) -> bool:
    """Whether a stationary equation depends on evolving unknowns, directly or indirectly; Δp = 0 does not."""
    occurring = (equation, *stationary_unknowns_in(equation, spec).values())
    return any(f.head in evolving for e in occurring for right in e.rhs for f in atoms(right, Field))


def _has_dominant_order(expr: Expr, head: Symbol, equation: Equation, spec: Spec) -> bool:
    """Whether w is not differentiated in its equation, or of the highest order there and not of higher order in F."""
    orders = {u.head: derivative_order(e, u.head) for e in equation.rhs for u in spec.unknowns}
    highest = orders.pop(head) or 0
    return not highest or (
        (derivative_order(expr, head) or 0) <= highest and all(k is None or k < highest for k in orders.values())
    )


def substitute_stationary(expr: Expr, head: Symbol, equation: Equation, spec: Spec) -> Expr | None:
    """The expression with w, or its highest derivative and derivatives thereof, replaced by its stationary equation."""
    state, unknown = differential_expression(equation.rhs[0], spec), next(u for u in spec.unknowns if u.head == head)
    own = in_coordinates(Field(head, (), unknown.arguments), layout_of(equation.rhs[0], spec))
    variables = [a for a in state.jet_variables if derivative_order(a, head) is not None]
    if len(equation.rhs) > 1 or not variables or any(f != own for f in atoms(expr, Field) if f.head == head):
        return None
    highest = max(variables, key=lambda a: (derivative_order(a, head), str(a)))
    derivative = state.derivative(highest)
    rest = expand(state.expr - derivative * highest)
    if not derivative.is_number or derivative == 0 or rest.has(highest):
        return None
    slots, value = Counter(highest.slots if isinstance(highest, Partial) else ()), -rest / derivative
    for _ in range(MAX_SUBSTITUTIONS):
        orders = {p: Counter(p.slots) for p in atoms(expr, Partial) if p.body == own}
        replacements = {
            p: reduce(differentiate, (c - slots).elements(), value) for p, c in orders.items() if slots <= c
        }
        expr = expand_products(expr.xreplace(replacements).xreplace({highest: value}))
        if not replacements:
            return expr
    return None


def derivative_order(expr: Expr, head: Symbol) -> int | None:
    """The order of the highest derivative of an unknown; None if it does not occur."""
    if not any(f.head == head for f in atoms(expr, Field)):
        return None
    return max((len(p.slots) for p in atoms(expr, Partial) if any(f.head == head for f in atoms(p, Field))), default=0)
