"""sympy → nodes of the program: an expression in x and t as torch operations on points (..., d)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sympy import Add, Expr, Max, Min, Mul, Pow, Symbol

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.emit.program import Call, Component, Items, Method, Node, Op, Ref, nodes_in
from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.symbolic.symbols import Field, Partial

ELEMENTARY = "exp log sqrt sin cos tan asin acos atan sinh cosh tanh erf sign".split()
FUNCTIONS = {
    **{name: record.torch for name, record in ACTIVATIONS.items()},
    **{name: f"torch.{name}" for name in ELEMENTARY},
    "Abs": "torch.abs",
}


Leaf = Callable[[Expr], Node | None]
"""What an expression without operations of arithmetic is, if it is one."""


def node_of(expr: Expr, leaf: Leaf, span: Span) -> Node:
    """The expression at points `x` and time `t`."""

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
        if name in FUNCTIONS:
            return Call(FUNCTIONS[name], tuple(_tensor(of(a)) for a in e.args))
        raise mistakes.networks.not_computable(_in_words(e), span)

    return of(expr)


def _in_words(e: Expr) -> str:
    """What a network cannot compute, as a reader of the spec would call it."""
    match e:
        case Partial():
            return "a derivative of a learned field"
        case Max() | Min():
            return f"'{type(e).__name__.lower()}'"
        case _:
            return "this expression"


def _tensor(node: Node) -> Node:
    """Functions of torch want tensors, and the time is a number."""
    return node if any(n == Ref("x") for n in nodes_in(node)) else Call("pdedsl.runtime.points.moment", (node,))


def at_coordinates(coordinates: tuple[Symbol, ...], time: Symbol | None, fields: Mapping[Symbol, str]) -> Leaf:
    """Coordinates are columns of x; learned fields are called by their names."""

    def leaf(e: Expr) -> Node | None:
        if e in coordinates:
            return Component(Ref("x"), coordinates.index(e))
        if e == time:
            return Ref("t")
        if isinstance(e, Field) and e.head in fields:
            return _component(field_at(fields[e.head]), [int(i) - 1 for i in e.indices])
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
