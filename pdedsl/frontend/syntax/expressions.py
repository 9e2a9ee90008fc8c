"""Nodes of expressions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pdedsl.diagnostics import NOWHERE, Span


@dataclass(frozen=True)
class Node:
    """A node of the syntax tree; spans are ignored when trees are compared."""

    span: Span = field(default=NOWHERE, compare=False, kw_only=True)


@dataclass(frozen=True)
class Number(Node):
    """A number as it was written."""

    text: str


@dataclass(frozen=True)
class Fraction(Node):
    """½, ⅓, ⅔, ¼ or ¾."""

    over: tuple[int, int]


@dataclass(frozen=True)
class Name(Node):
    """`id` is the ASCII identity, by which names are compared; `text` is the author's own spelling."""

    id: str
    text: str = field(compare=False)


@dataclass(frozen=True)
class Text(Node):
    """A text in double quotes."""

    value: str


@dataclass(frozen=True)
class Group(Node):
    """A bracketed expression that is not an atom."""

    body: Expr


@dataclass(frozen=True)
class ListOf(Node):
    """`[a, b, …]`."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Norm(Node):
    """`‖body‖`."""

    body: Expr


@dataclass(frozen=True)
class Wrt(Node):
    """One variable of a derivative's denominator, `∂xᵢ²`."""

    name: Name
    indices: tuple[Expr, ...]
    order: int


@dataclass(frozen=True)
class Derivative(Node):
    """`∂²u/∂x∂y`; the body is a name or a Group."""

    body: Expr
    wrt: tuple[Wrt, ...]


@dataclass(frozen=True)
class Call(Node):
    """`head(args, key=value)`."""

    head: Expr
    args: tuple[Expr, ...]
    named: tuple[tuple[Name, Expr], ...] = ()


@dataclass(frozen=True)
class Index(Node):
    """`body[i, j]`, a component."""

    body: Expr
    indices: tuple[Expr, ...]


@dataclass(frozen=True)
class Adjoint(Node):
    """`Kᵀ`."""

    body: Expr


Operator = Literal["grad", "div", "lap", "hess"]


@dataclass(frozen=True)
class Prefix(Node):
    """`∇body`, `∇·body`, `Δbody`, `∇∇body`."""

    operator: Operator
    body: Expr


@dataclass(frozen=True)
class Power(Node):
    """`base^exponent`."""

    base: Expr
    exponent: Expr


@dataclass(frozen=True)
class Negative(Node):
    """A minus after another operator: `a * -b`, `x^-1`."""

    body: Expr


@dataclass(frozen=True)
class Total(Node):
    """`Σᵢ body`."""

    index: Name
    body: Expr


Sign = Literal["+", "-"]
Times = Literal["", "*", "·", "/", ":"]


@dataclass(frozen=True)
class Product(Node):
    """Factors, each with the sign before it; the first has none."""

    factors: tuple[tuple[Times, Expr], ...]


@dataclass(frozen=True)
class Sum(Node):
    """Summands, each with its sign; a lone positive summand is never a Sum."""

    terms: tuple[tuple[Sign, Expr], ...]


Expr = (
    Number
    | Fraction
    | Name
    | Text
    | Group
    | ListOf
    | Norm
    | Derivative
    | Call
    | Index
    | Adjoint
    | Prefix
    | Power
    | Negative
    | Total
    | Product
    | Sum
)
ATOMS = (Number, Name, Text, ListOf, Norm, Call, Index, Adjoint, Fraction)
