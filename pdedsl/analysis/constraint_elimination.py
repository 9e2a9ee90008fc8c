"""Right-hand sides without the unknowns of stationary equations: with w = u, w² - u² is zero.

An unknown that is given pointwise is replaced by its value. One that is given by P(∂)w = Q(∂)u is no differential
operator of u if Q is of lower order than P: then its derivatives below that order are independent of those of u, and
only the highest is replaced.
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
from pdedsl.symbolic.rewrite import expand, multiply_out
from pdedsl.symbolic.symbols import Field, Partial, atoms

MAX_SUBSTITUTIONS = 12  # how often the derivatives of an unknown are replaced


def has_constraint(spec: Spec) -> bool:
    """Whether an equation at rest binds unknowns that evolve, as ∇·u = 0 does. What enforces it, such as a pressure,
    reads all of space, and terms may vanish by it."""
    evolving = {e.unknown for e in spec.equations if e.order}

    def binds(equation: Equation) -> bool:
        inside = {f.head for right in equation.rhs for f in atoms(right, Field)}
        return unknown_of(equation, spec).head not in inside - evolving and bool(inside & evolving)

    return any(binds(e) for e in spec.equations if not e.order)


def is_independent(equation: Equation, spec: Spec) -> bool:
    """Whether no other equation at rest binds what is read here: each is of higher order in its own unknown."""
    pairs = [(unknown_of(e, spec).head, e) for e in spec.equations if e is not equation and not e.order]
    return all(
        (derivative_order(here, head) or 0) < max(derivative_order(right, head) or 0 for right in e.rhs)
        for here in equation.rhs
        for head, e in pairs
    )


def stationary_unknowns_in(equation: Equation, spec: Spec) -> dict[Symbol, Equation]:
    """The unknowns at rest that an equation reads, itself or through others of them, each with its equation."""
    given = {unknown_of(e, spec).head: e for e in spec.equations if not e.order}
    found, waiting = dict[Symbol, Equation](), [equation]
    while waiting:
        read = {f.head for right in waiting.pop().rhs for f in atoms(right, Field)}
        new = {h: e for h, e in given.items() if h in read and h not in found and e is not equation}
        found |= new
        waiting += new.values()
    return found


def eliminate_stationary(expr: Expr, spec: Spec, beside: Symbol | None = None) -> Expr | None:
    """The same without what the others imply at once, except for one unknown; None if that is not known."""
    evolving = {unknown_of(e, spec).head for e in spec.equations if e.order}
    given = {unknown_of(e, spec).head: e for e in spec.equations if not e.order}
    given = {h: e for h, e in given.items() if h not in evolving and h != beside}
    found: Expr | None = expr
    for head, equation in [pair for _ in given for pair in given.items()]:  # w = v, v = u
        if found is not None and derivative_order(found, head) is not None:
            lower = _has_dominant_order(found, head, equation, spec) and _depends_on_evolving(equation, evolving, spec)
            found = substitute_stationary(found, head, equation, spec) if lower else None
    circular = found is not None and any(
        derivative_order(found, h) is not None and not any(derivative_order(right, h) for right in e.rhs)
        for h, e in given.items()
    )
    return None if circular else found


def _depends_on_evolving(equation: Equation, evolving: set[Symbol], spec: Spec) -> bool:
    """Whether an equation at rest reads unknowns that evolve, itself or through others; with Δp = 0, p is known."""
    read = (equation, *stationary_unknowns_in(equation, spec).values())
    return any(f.head in evolving for e in read for right in e.rhs for f in atoms(right, Field))


def _has_dominant_order(expr: Expr, head: Symbol, equation: Equation, spec: Spec) -> bool:
    """Whether w is not differentiated in its equation, or the others less often, and it is not so more often in F."""
    orders = {u.head: derivative_order(e, u.head) for e in equation.rhs for u in spec.unknowns}
    most = orders.pop(head) or 0
    return not most or (
        (derivative_order(expr, head) or 0) <= most and all(k is None or k < most for k in orders.values())
    )


def substitute_stationary(expr: Expr, head: Symbol, equation: Equation, spec: Spec) -> Expr | None:
    """The expression with w, or its highest derivative and those of it, replaced by what its equation says of them."""
    state, unknown = differential_expression(equation.rhs[0], spec), next(u for u in spec.unknowns if u.head == head)
    own = in_coordinates(Field(head, (), unknown.arguments), layout_of(equation.rhs[0], spec))
    variables = [a for a in state.jet_variables if derivative_order(a, head) is not None]
    if len(equation.rhs) > 1 or not variables or any(f != own for f in atoms(expr, Field) if f.head == head):
        return None
    top = max(variables, key=lambda a: (derivative_order(a, head), str(a)))
    derivative = state.derivative(top)
    rest = expand(state.expr - derivative * top)
    if not derivative.is_number or derivative == 0 or rest.has(top):
        return None
    slots, value = Counter(top.slots if isinstance(top, Partial) else ()), -rest / derivative
    for _ in range(MAX_SUBSTITUTIONS):
        found = {p: Counter(p.slots) for p in atoms(expr, Partial) if p.body == own}
        above = {p: reduce(differentiate, (c - slots).elements(), value) for p, c in found.items() if slots <= c}
        expr = multiply_out(expr.xreplace(above).xreplace({top: value}))
        if not above:
            return expr
    return None


def derivative_order(expr: Expr, head: Symbol) -> int | None:
    """The order of the highest derivative of an unknown; None if it does not occur."""
    if not any(f.head == head for f in atoms(expr, Field)):
        return None
    return max((len(p.slots) for p in atoms(expr, Partial) if any(f.head == head for f in atoms(p, Field))), default=0)
