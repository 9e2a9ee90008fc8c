"""sympy → nodes, in a space that is not written out: component i, for all i at once.

A vector is a tensor (..., d), and torch works on all components; a number at a point is (..., 1), so that the two
broadcast in arithmetic: -xᵢ is `-1 * x`, exp(-Σⱼ xⱼ²) xᵢ is `x * torch.exp(-1 * total(x**2))`.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Add, Expr, Integer, KroneckerDelta, Mul, Symbol

from pdedsl.emit.expressions import DERIVATIVES, field_at, node_of
from pdedsl.emit.program import Call, Lambda, Method, Node, Ref
from pdedsl.symbolic.symbols import Component, Contraction, Field, Partial

POINTS = "pdedsl.runtime.points"


def component_node(expr: Expr, index: Symbol | None, time: Symbol | None, fields: Mapping[Symbol, str]) -> Node:
    """The expression at points x (..., d), for the component `index`; without one it is a number."""

    def leaf(e: Expr) -> Node | None:
        match e:
            case Component(args=(_, place)):
                return _at(Ref("x"), place)
            case KroneckerDelta() if index in e.args:
                return Call(f"{POINTS}.unit", (Ref("x"), _place(e, index)))
            case Field(head=head, indices=indices) if head in fields and len(indices) < 2:
                value = field_at(fields[head])
                return _at(value, indices[0]) if indices else Call(f"{POINTS}.column", (value,))
            case Contraction(index=own, body=body):
                return _total(own, body)
            case Partial(body=body, slots=(*before, last)):
                return _derivative(Partial(body, *before) if before else body, last.args[1])
        return Call(f"{POINTS}.instant", (Ref("t"),)) if e == time else None

    def _at(vector: Node, place: Expr) -> Node | None:
        if place == index:
            return vector
        return Call(f"{POINTS}.coordinate", (vector, int(place) - 1)) if isinstance(place, Integer) else None

    def _total(own: Symbol, body: Expr) -> Node:
        if index is not None and index in body.free_symbols:
            return _product(own, body)
        return Call(f"{POINTS}.total", (Ref("x"), component_node(body, own, time, fields)))

    def _product(own: Symbol, body: Expr) -> Node:
        """Σⱼ Aᵢⱼ wⱼ."""
        matrix = next(f for f in Mul.make_args(body) if isinstance(f, Field) and len(f.indices) == 2)
        values = field_at(fields[matrix.head])
        if tuple(matrix.indices) == (own, index):
            values = Method(values, "transpose", (-1, -2))
        return Call("pdedsl.runtime.noise.times", (values, component_node(body / matrix, own, time, fields)))

    def _derivative(body: Expr, place: Expr) -> Node:
        """∂/∂xₖ; for ∂/∂xᵢ with the free index i, the gradient of a number, or the diagonal of a vector's Jacobian."""
        function = Lambda(("x",), node_of(body, leaf))
        if isinstance(place, Integer):
            return Call(f"{DERIVATIVES}.along", (function, Ref("x"), int(place) - 1))
        own = index is not None and index in body.free_symbols
        return Call(f"{DERIVATIVES}.{'diagonal' if own else 'gradient'}", (function, Ref("x")))

    return node_of(expr, leaf)


def _place(delta: Expr, index: Symbol | None) -> int:
    """k - 1 of δᵢₖ."""
    return int(next(p for p in delta.args if p != index)) - 1


def fixed_part(expr: Expr, index: Symbol, dimension: int | Symbol) -> tuple[list[float], Expr]:
    """The constant vector in a sum, Σₖ cₖ δᵢₖ with numbers cₖ, and the rest of the sum."""
    found: dict[int, float] = {}
    rest = []
    for term in Add.make_args(expr):
        number, delta = term.as_coeff_Mul()
        if isinstance(delta, KroneckerDelta) and index in delta.args:
            found[_place(delta, index)] = float(number)
        else:
            rest.append(term)
    size = dimension if isinstance(dimension, int) else max(found, default=-1) + 1
    return [found.get(k, 0.0) for k in range(size)] if found else [], Add(*rest)
