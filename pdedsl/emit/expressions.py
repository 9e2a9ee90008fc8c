"""sympy → nodes of the program: an expression in x and t as torch operations on points (..., d)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sympy import Add, Expr, Mul, Pow, Symbol

from pdedsl.emit.program import Call, Component, Items, Lambda, Method, Node, Op, Ref, nodes_in
from pdedsl.numerics.functions import OF_MANY, OF_ONE
from pdedsl.symbolic.symbols import Field, Partial

DERIVATIVES = "pdedsl.runtime.derivatives"
Leaf = Callable[[Expr], Node | None]
"""What an expression without operations of arithmetic is, if it is one."""


X = Ref("x")


def node_of(expr: Expr, leaf: Leaf, points: Ref = X) -> Node:
    """The expression at points `x` and time `t`; planning has made sure that it has one of these forms.

    With other `points` every symbol stands for a tensor, including the time.
    """

    def of(e: Expr) -> Node:
        if e.is_Integer:
            return int(e)
        if e.is_number:
            return float(e)
        found = leaf(e)
        if found is not None:
            return found
        match e:
            case Add(args=args):
                return Op("+", tuple(map(of, args)))
            case Mul(args=args):
                return Op("*", tuple(map(of, args)))
            case Pow(base=base, exp=exponent):
                return Op("**", (of(base), of(exponent)))
        name = type(e).__name__
        if name in OF_MANY:
            return Call(OF_MANY[name], (points, *map(of, e.args)))
        of_one = of(e.args[0])
        return Call(OF_ONE[name], (_tensor(of_one) if points == X else of_one,))

    return of(expr)


def _tensor(node: Node) -> Node:
    """The node as a tensor: functions of torch need tensors, and the time is a number."""
    return node if any(n == Ref("x") for n in nodes_in(node)) else Call("pdedsl.runtime.points.moment", (node,))


def at_coordinates(coordinates: tuple[Symbol, ...], time: Symbol | None, fields: Mapping[Symbol, str]) -> Leaf:
    """Coordinates are columns of x; learned fields are called by their names."""

    def leaf(e: Expr) -> Node | None:
        if e in coordinates:
            return Component(Ref("x"), coordinates.index(e))
        if e == time:
            return Ref("t")
        match e:
            case Field(head=head, indices=indices) if head in fields:
                return _component(field_at(fields[head]), [int(i) - 1 for i in indices])
            case Partial(body=body, slots=(*before, last)):
                inner = node_of(Partial(body, *before) if before else body, leaf)
                return Call(f"{DERIVATIVES}.along", (Lambda(("x",), inner), Ref("x"), coordinates.index(last)))
        return None

    return leaf


def field_at(name: str) -> Node:
    return Method(Ref(name), "", (Ref("x"), Ref("t")))


def _component(value: Node, indices: list[int]) -> Node:
    match indices:
        case []:
            return value
        case [i]:
            return Component(value, i)
        case [i, j]:
            return Component(value, i, j)
        case _:
            raise ValueError(f"{len(indices)} indices")


def stacked(nodes: list[Node]) -> Node:
    return Call("pdedsl.runtime.points.stack", (Ref("x"), *nodes))


def rows(matrix: list[list[Node]]) -> Node:
    return Call("pdedsl.runtime.points.stack_rows", (Ref("x"), Items(tuple(Items(tuple(r)) for r in matrix))))
