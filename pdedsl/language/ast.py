"""Abstract syntax tree: the statements and expressions of a spec, with their spans. Unicode and ASCII spellings give
the same tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields
from typing import Literal

from pdedsl.diagnostics import NOWHERE, Source, Span
from pdedsl.language.names import superscript
from pdedsl.record import Record

# ---- Expressions


class Node(Record):
    """A node of the syntax tree; spans are ignored when trees are compared."""

    span: Span = field(default=NOWHERE, compare=False, kw_only=True)


class Number(Node):
    """A number as it was written."""

    text: str


class Fraction(Node):
    """½, ⅓, ⅔, ¼ or ¾."""

    value: tuple[int, int]


class Name(Node):
    """`id` is the ASCII identity, by which names are compared; `text` is the author's spelling."""

    id: str
    text: str = field(compare=False)


class String(Node):
    """A string literal in double quotes."""

    value: str


class Group(Node):
    """A bracketed expression that is not an atom."""

    body: Expr


class ListExpr(Node):
    """`[a, b, …]`."""

    items: tuple[Expr, ...]


class Norm(Node):
    """`‖body‖`."""

    body: Expr


class DerivativeVariable(Node):
    """One variable in the denominator of a derivative, `∂xᵢ²`."""

    name: Name
    indices: tuple[Expr, ...]
    order: int


class Derivative(Node):
    """`∂²u/∂x∂y`; the body is a name or a Group."""

    body: Expr
    wrt: tuple[DerivativeVariable, ...]


class Call(Node):
    """`head(args, key=value)`."""

    head: Expr
    args: tuple[Expr, ...]
    named: tuple[tuple[Name, Expr], ...] = ()


class Index(Node):
    """`body[i, j]`, a component."""

    body: Expr
    indices: tuple[Expr, ...]


class Adjoint(Node):
    """`Kᵀ`."""

    body: Expr


Operator = Literal["grad", "div", "curl", "lap", "hess"]


class Prefix(Node):
    """`∇body`, `∇·body`, `∇×body`, `Δbody`, `∇∇body`."""

    operator: Operator
    body: Expr


class FractionalLaplacian(Node):
    """`(-Δ)^exponent body`."""

    exponent: Expr
    body: Expr


class Power(Node):
    """`base^exponent`."""

    base: Expr
    exponent: Expr


class Negation(Node):
    """A minus after another operator: `a * -b`, `x^-1`."""

    body: Expr


class Summation(Node):
    """`Σᵢ body`."""

    index: Name
    body: Expr


class Integral(Node):
    """`∫_lower^upper body d variable`; without `upper`, `lower` is the domain Ω."""

    lower: Expr
    upper: Expr | None
    body: Expr
    variable: Name


Sign = Literal["+", "-"]
ProductSign = Literal["", "*", "·", "/", ":"]


class Product(Node):
    """Factors, each with the sign before it; the first has none."""

    factors: tuple[tuple[ProductSign, Expr], ...]


class Sum(Node):
    """Signed terms; a single positive term is not a Sum."""

    terms: tuple[tuple[Sign, Expr], ...]


Expr = (
    Number
    | Fraction
    | Name
    | String
    | Group
    | ListExpr
    | Norm
    | Derivative
    | Call
    | Index
    | Adjoint
    | Prefix
    | Power
    | Negation
    | Summation
    | Integral
    | FractionalLaplacian
    | Product
    | Sum
)
ATOMS = (Number, Name, String, ListExpr, Norm, Call, Index, Adjoint, Fraction, Integral)


# ---- Statements


class Header(Node):
    """`pde Name "title"`."""

    name: Name
    title: String | None


class DomainFactor(Node):
    """A factor of a product domain, such as an interval."""

    body: Expr
    periodic: bool
    antiperiodic: bool


class Inequality(Node):
    """`x² + y² < 1`."""

    left: Expr
    relation: str
    right: Expr


class SpaceDecl(Node):
    """`space x in … where …`: a product of factors, restricted by inequalities; `system` names coordinates with a
    metric, as in `r in spherical [0, 1]`."""

    names: tuple[Name, ...]
    factors: tuple[DomainFactor, ...]
    where: tuple[Inequality, ...] = ()
    system: Name | None = None


class TimeDecl(Node):
    """`time t in [a, b]`."""

    name: Name
    interval: Expr


class TypeAttribute(Node):
    """A type or an attribute of it: `vector`, `psd`, `scalar > 0`, `‖K‖ ≤ 1`."""

    body: Expr
    relation: str = ""
    bound: Expr | None = None


class UnknownDecl(Node):
    """`unknown u(x, t) : TYPE = net`."""

    name: Name
    params: tuple[Name, ...] | None
    type: tuple[TypeAttribute, ...]
    net: Expr | None


class LearnDecl(Node):
    """`learn v(x, t) : TYPE = net`."""

    name: Name
    params: tuple[Name, ...] | None
    type: tuple[TypeAttribute, ...]
    net: Expr | None


class ConstDecl(Node):
    """`const σ² = 0.2 in [0.1, 0.4]`: the value of a power of the name, and the range of a slider."""

    name: Name
    power: int
    value: Expr
    range: ListExpr | None = None


class ParameterDecl(Node):
    """`parameter κ in [0.2, 1.5] log`: a parameter of a family of problems, on a logarithmic scale."""

    name: Name
    interval: ListExpr
    scale: Name | None = None


class ParameterFunctionDecl(Node):
    """`parameter f(x) from gaussian_process(…)`: a function as a parameter of a family of problems."""

    name: Name
    params: tuple[Name, ...]
    distribution: Expr


class RandomDecl(Node):
    """`random κ ~ lognormal(0, 0.3)`: a random coefficient."""

    name: Name
    distribution: Expr


class LetDecl(Node):
    """`let f(x) = …`."""

    name: Name
    params: tuple[Name, ...] | None
    value: Expr


class SurfaceEquation(Node):
    """`x² + y² = 1`: a curve or a surface, as a place of boundary conditions."""

    left: Expr
    right: Expr


BoundaryPlace = Expr | SurfaceEquation


class EquationStmt(Node):
    """`left = right for t in [a, b]`, or a condition `… on face, surface where …`."""

    left: Expr
    right: Expr
    time_interval: tuple[Name, Expr] | None
    on: tuple[BoundaryPlace, ...]
    where: tuple[Inequality, ...] = ()


class ExactStmt(Node):
    """`exact u = …`: the exact solution."""

    unknown: Expr
    value: Expr


class ObserveStmt(Node):
    """`observe u, v from data`: measurements."""

    unknowns: tuple[Expr, ...]
    data: Expr


class RealizeStmt(Node):
    """`realize part by method`."""

    part: Name
    method: Expr


class RequireStmt(Node):
    """`require axiom, …`."""

    axioms: tuple[Name, ...]


class Item(Node):
    """A value of an entry: `pgd(…)`, `ifgsm(…) from resnet`, `K in [-1, 1]`."""

    value: Expr
    source: Name | String | None = None
    within: Expr | None = None


class Entry(Node):
    """A line of a block: its key and its values."""

    key: Name
    items: tuple[Item, ...]


class BlockStmt(Node):
    """`network { … }`, `train { … }`, `evaluate { … }`, `solve { … }`."""

    kind: Name
    entries: tuple[Entry, ...]


class SweepEntry(Node):
    """`σ in [0.1, 0.2]`: `values`; `train.seed in 0..4`, `σ in 0.01..1, log`: the bounds `low` and `high`."""

    path: tuple[Name, ...]
    power: int
    values: Expr
    high: Expr | None = None
    scale: Name | None = None

    @property
    def key(self) -> str:
        """The path as in `--set`."""
        return ".".join(name.text for name in self.path) + (superscript(self.power) if self.power != 1 else "")


class SweepStmt(Node):
    """`sweep { … }`."""

    kind: Name
    entries: tuple[SweepEntry, ...]


Declaration = (
    SpaceDecl
    | TimeDecl
    | UnknownDecl
    | LearnDecl
    | ConstDecl
    | LetDecl
    | ParameterDecl
    | ParameterFunctionDecl
    | RandomDecl
)
Statement = (
    Header | Declaration | EquationStmt | ExactStmt | ObserveStmt | RealizeStmt | RequireStmt | BlockStmt | SweepStmt
)


class Comment(Node):
    """`# …`, to the end of its line."""

    text: str


class Syntax(Node):
    """A whole spec: statements and comments in the order of the text."""

    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...] = field(default=(), compare=False)
    unparsed: frozenset[str] = field(
        default=frozenset(), compare=False
    )  # keywords and names of statements with syntax errors


# ---- Traversal


def children(node: Node) -> list[Node]:
    """The children of a node."""
    nodes: list[Node] = []
    kind = type(node)
    for name in _FIELD_NAMES.get(kind) or _FIELD_NAMES.setdefault(kind, tuple(f.name for f in fields(node))):
        _collect_nodes(getattr(node, name), nodes)
    return nodes


_FIELD_NAMES: dict[type, tuple[str, ...]] = {}  # fields by node class


def _collect_nodes(value: object, nodes: list[Node]) -> None:
    if isinstance(value, Node):
        nodes.append(value)
    elif isinstance(value, tuple) and not isinstance(value, Span):
        for item in value:
            _collect_nodes(item, nodes)


def walk(node: Node) -> Iterator[Node]:
    """A node and all its descendants in preorder; iterative, for trees of any depth."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(children(current)))


def find_deeper_than(node: Node, limit: int) -> Node | None:
    """A node deeper than `limit`, if there is one; iterative, for trees of any depth."""
    stack: list[tuple[Node, int]] = [(node, 0)]
    while stack:
        current, depth = stack.pop()
        if depth > limit:
            return current
        stack.extend((child, depth + 1) for child in children(current))
    return None


def dump(node: Node, source: Source, depth: int = 0) -> str:
    """The tree as indented text, with the line and column of each node."""
    line, column = source.position(node.span.start)
    plain = [
        repr(v) for f in fields(node) if isinstance(v := getattr(node, f.name), str | int | bool) and f.name != "text"
    ]
    text = getattr(node, "text", "")
    head = " ".join([type(node).__name__, *([text] if text else []), *plain])
    rows = [f"{'  ' * depth}{head}  @{line}:{column}\n"]
    return "".join([*rows, *(dump(c, source, depth + 1) for c in children(node) if not isinstance(c, Comment))])
