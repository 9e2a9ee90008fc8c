"""Turns formulas of a program, its lambdas of x, into named functions."""

from __future__ import annotations

from dataclasses import replace

from pdedsl.emit.program import (
    Binding,
    Call,
    Component,
    Function,
    Items,
    Lambda,
    Method,
    Node,
    Op,
    Program,
    Ref,
    Repeat,
    Returns,
)

DOC = "A coefficient or the data of the equation, at points x."


def with_formulas(program: Program) -> Program:
    """Each lambda of x becomes a function `formula1`, `formula2`, …; equal lambdas share one."""
    found: dict[Lambda, str] = {}
    functions = tuple(_without_lambdas(f, found) for f in program.functions)
    made = tuple(
        Function(name, tuple((p, None) for p in formula.params), DOC, (), formula.body, returns=Returns.TENSOR)
        for formula, name in found.items()
    )
    return replace(program, functions=(*made, *functions))


def _without_lambdas(function: Function, found: dict[Lambda, str]) -> Function:
    bindings = tuple(Binding(b.name, _named(b.value, found), b.comment) for b in function.bindings)
    return replace(function, bindings=bindings, result=_named(function.result, found))


def _named(node: Node, found: dict[Lambda, str]) -> Node:
    def of(n: Node) -> Node:
        return _named(n, found)

    def keys(named: tuple[tuple[str, Node], ...]) -> tuple[tuple[str, Node], ...]:
        return tuple((k, of(v)) for k, v in named)

    match node:
        case Lambda(params=("x", *_)):
            return Ref(found.setdefault(node, f"formula{len(found) + 1}"))
        case Lambda(body=body) | Repeat(body=body):
            return replace(node, body=of(body))
        case Call(args=args, named=named):
            return replace(node, args=tuple(map(of, args)), named=keys(named))
        case Method(of=owner, args=args, named=named):
            return replace(node, of=of(owner), args=tuple(map(of, args)), named=keys(named))
        case Items(values=values):
            return replace(node, values=tuple(map(of, values)))
        case Op(args=args):
            return replace(node, args=tuple(map(of, args)))
        case Component(of=owner):
            return replace(node, of=of(owner))
        case _:
            return node
