"""Syntax → canonical text, in Unicode or in ASCII; parsing the text gives the syntax back.

Brackets are the author's, except where one of the two spellings cannot do with them or without them: `dot(a, b)` and
`sum(i, a)` bring their own, so `(a·b) + c` is written `a·b + c`; and `∇u²` is written `∇(u²)`, for `grad(u^2)`.

Printed text may hold layout codes: "\\n<" and "\\n>" open and close an alignment at the current column, "\\n|" breaks
the line to it. No name, number, text or comment holds a newline, so nothing else can be taken for a code.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import assert_never

from pdedsl.diagnostics import Source, Span, width
from pdedsl.frontend import tree as t
from pdedsl.frontend.names import FRACTION_OF, SUPERSCRIPTS, subscript, superscript, unicode_name
from pdedsl.frontend.tokens import _ASCII_DERIVATIVE, _TRANSPOSABLE, LEADING, MAX_NAME, Declared, _ascii_derivative

Factors = Sequence[tuple[t.Times, t.Expr]]

_SIGNS: dict[t.Operator, str] = {"grad": "∇", "div": "∇·", "lap": "Δ", "hess": "∇∇"}
_DOTS: dict[str, str] = {"·": "dot", ":": "ddot"}
_FRACTIONS = {(str(a), str(b)): (a, b) for a, b in FRACTION_OF}
_PLAIN_NAME = re.compile(r"[^\W\d_eE]\w*+(?!\()")  # not called; 2e… would be a number
_DIFFERENTIAL = re.compile(r"(?<!\w)d\w+$")
_TRANSPOSE = re.compile(r"T(?![A-Za-z0-9_])")
_SMALL = re.compile(r"0|[1-9][0-9]?")
_KEYWORDS = {word.lower() for word in LEADING}
_BREAK = re.compile(r"[\r\n]")
_BLANK = re.compile(r"(?>\r\n|\r|\n)\s*?[\r\n]")
_DEEP = 20_000


def format_syntax(syntax: t.Syntax, source: Source, ascii: bool = False) -> str:
    """The spec in canonical layout. The syntax must be all of the source: what could not be parsed is not printed."""
    with _deep_trees():
        printer = _Printer(ascii, _declared(syntax), source)
        rows = list(_rows(_pieces(syntax, source), syntax.comments, printer, source.text))
    return "".join(_texts(rows, source.text))


def show(expr: t.Expr, ascii: bool = False) -> str:
    """An expression on one line."""
    with _deep_trees():
        return _Printer(ascii).sum(expr)


def show_trait(trait: t.Trait, ascii: bool = False) -> str:
    """A part of a type on one line: `‖K‖ ≤ 1`."""
    with _deep_trees():
        return _Printer(ascii).trait(trait)


@contextmanager
def _deep_trees() -> Iterator[None]:
    """Room for the deepest tree that the parser lets through; Python's own limit is too near."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _declared(syntax: t.Syntax) -> Declared:
    """What the reader will know of the names when it meets `du/dx` and `K^T`."""
    found = Declared()
    for statement in syntax.statements:
        match statement:
            case t.SpaceDecl(names=names):
                found.variables.update(n.id for n in names)
            case t.TimeDecl(name=name):
                found.variables.add(name.id)
            case (
                t.UnknownDecl(name=name, type=(t.Trait(body=body), *_))
                | t.LearnDecl(name=name, type=(t.Trait(body=body), *_))
            ):
                kind = body.head if isinstance(body, t.Call) else body
                found.fields.add(name.id)
                if isinstance(kind, t.Name) and kind.id in _TRANSPOSABLE:
                    found.transposable.add(name.id)
            case t.ConstDecl(name=name, value=value) | t.LetDecl(name=name, value=value):
                found.fields.add(name.id)
                if isinstance(value, t.ListOf) and value.items and isinstance(value.items[0], t.ListOf):
                    found.transposable.add(name.id)
    return found


# ---- expressions


def _inside(expr: t.Expr) -> t.Expr:
    while isinstance(expr, t.Group):
        expr = expr.body
    return expr


def _dotted(expr: t.Expr) -> bool:
    return isinstance(expr, t.Product) and any(sign in _DOTS for sign, _ in expr.factors)


def _freed(expr: t.Expr) -> t.Expr:
    """Without the brackets that `dot(…)` and `sum(…)` bring."""
    body = _inside(expr)
    return body if isinstance(body, (t.Total, *t.ATOMS)) or _dotted(body) else expr


def _halved(factors: Factors) -> Factors:
    """A leading `1/2` made `½`, as the parser makes it."""
    match factors:
        case [(_, t.Number(text=a)), ("/", t.Number(text=b)), *rest] if (a, b) in _FRACTIONS:
            if not (rest and rest[0][0] == "/"):
                return [("", t.Fraction(_FRACTIONS[a, b])), *rest]
    return factors


def _merged(wrt: Sequence[t.Wrt]) -> list[t.Wrt]:
    """`∂x∂x` made `∂x²`: `diff(…, x, x)` writes no orders."""
    groups = groupby(wrt, key=lambda w: (w.name, w.indices))
    return [t.Wrt(name, indices, sum(w.order for w in same)) for (name, indices), same in groups]


def _subscript(indices: Sequence[t.Expr]) -> str | None:
    words = [i.text if isinstance(i, t.Number) else i.id if isinstance(i, t.Name) else "" for i in indices]
    return subscript(words) if words else ""


def _superscript(exponent: t.Expr) -> str | None:
    """A small whole exponent, raised."""
    number = exponent.body if isinstance(exponent, t.Negative) else exponent
    if not (isinstance(number, t.Number) and _SMALL.fullmatch(number.text)):
        return None
    if number is exponent:
        return superscript(int(number.text))
    return superscript(-int(number.text)) if number.text != "0" else None


@dataclass
class _Printer:
    """One method a level of the grammar; a method brackets what is looser than its level.

    Without `declared`, derivatives are taken to be of declared names. Without `source`, everything is on one line.
    `comments` wait, in order, for a break to stand at; those that were passed over are `missed`.
    """

    ascii: bool
    declared: Declared | None = None
    source: Source | None = None
    comments: deque[t.Comment] = field(default_factory=deque)
    missed: list[t.Comment] = field(default_factory=list)

    def name(self, name: t.Name) -> str:
        # Not name.text: the Unicode form must be found from the ASCII form.
        return name.id if self.ascii else unicode_name(name.id)

    def names(self, names: Sequence[t.Name]) -> str:
        return ", ".join(map(self.name, names))

    # ---- sums and products

    def sum(self, expr: t.Expr, spread: bool = False) -> str:
        match _freed(expr):
            case t.Sum(terms=terms):
                return self.summands(terms, spread)
            case t.Negative(body=body):
                return f"-{self.term(body)}"
            case loose:
                return self.term(loose)

    def summands(self, terms: Sequence[tuple[t.Sign, t.Expr]], spread: bool) -> str:
        text = "-" * (terms[0][0] == "-") + self.term(terms[0][1])
        for (_, before), (sign, term) in pairwise(terms):
            gap = self.gap(before.span.end, term.span.start) if spread else " "
            text += f" {sign}{gap}{self.term(term)}"
        return text

    def term(self, expr: t.Expr) -> str:
        match _freed(expr):
            case t.Product(factors=factors):
                return self.product(factors)
            case t.Total() as total:
                return self.total(total)
            case factor:
                return self.row([("", factor)])

    def product(self, factors: Factors) -> str:
        at = max((i for i, (sign, _) in enumerate(factors) if sign in _DOTS), default=0)
        if not at:
            return self.row(factors)
        sign, first = factors[at]
        left, right = factors[:at], [("", first), *factors[at + 1 :]]
        if any(s in _DOTS for s, _ in left):
            left = [("", t.Group(t.Product(tuple(left))))]
        if self.ascii:
            return f"{_DOTS[sign]}({self.side(left)}, {self.side(right)})"
        return f"{self.row(left, ends=False)}{sign}{self.row(right)}"

    def side(self, factors: Factors) -> str:
        """A side of `dot(…)`, where a sum needs no brackets of its own."""
        body = _inside(factors[0][1])
        return self.sum(body) if len(factors) == 1 and isinstance(body, t.Sum | t.Negative) else self.row(factors)

    def row(self, factors: Factors, ends: bool = True) -> str:
        """Factors without dots; a total may stand bare only where the whole product ends."""
        text, before, divided = "", None, False
        factors = [(sign, _freed(f) if isinstance(_inside(f), t.ATOMS) else f) for sign, f in _halved(factors)]
        for i, (sign, factor) in enumerate(factors):
            after = factors[i + 1][0] if i + 1 < len(factors) else None
            if i == 0 and self.ascii and isinstance(factor, t.Fraction) and after != "/":
                piece, divided = "{}/{}".format(*factor.over), True
            else:
                piece = self.behind(sign, factor, last=ends and after is None)
                text += self.space(before, text, divided, sign, factor, piece)
                divided = sign == "/"
            text, before = text + piece, factor
        return text

    def behind(self, sign: t.Times, factor: t.Expr, last: bool) -> str:
        """A factor as it may stand behind a sign."""
        match factor:
            case t.Negative(body=body) if sign:
                return f"-{self.factor(body)}"
            case t.Derivative() | t.Call(head=t.Derivative()) if sign == "/":  # `/∂u/∂x` would close a ∂(…)
                return f"({self.factor(factor)})"
        body = _inside(factor)
        return self.total(body) if last and isinstance(body, t.Total) else self.factor(factor)

    def space(self, before: t.Expr | None, text: str, divided: bool, sign: t.Times, factor: t.Expr, piece: str) -> str:
        """What stands between two factors."""
        if before is None:
            return ""
        if sign == "/":  # `du/dx`, written tightly, may be a derivative
            return " / " if _DIFFERENTIAL.search(text[-MAX_NAME - 1 :]) and piece[0] == "d" else "/"
        if sign:
            return f" {sign} "
        number = isinstance(before, t.Number) or (isinstance(before, t.Fraction) and not self.ascii)
        if piece[0] in "Δ∇":
            raised = isinstance(before, t.Power) and text[-1] in SUPERSCRIPTS
            tight = number or raised or isinstance(before, t.Name | t.Group)
        else:
            named = _PLAIN_NAME.match(piece) is not None and not isinstance(factor, t.Derivative)
            tight = number and (named or piece[0] == "(")
        return "" if tight and not divided else " "

    def total(self, total: t.Total) -> str:
        mark = subscript([total.index.id])
        if mark and not self.ascii:
            return f"Σ{mark} {self.term(total.body)}"
        body = _inside(total.body)
        return f"sum({self.name(total.index)}, {self.sum(body if isinstance(body, t.Sum) else total.body)})"

    # ---- factors

    def factor(self, expr: t.Expr) -> str:
        match expr:
            case t.Prefix():
                return self.prefix(expr)
            case t.Power():
                return self.power(expr)
            case t.Derivative():
                return self.derivative(expr)
            case _:
                return self.postfix(expr)

    def postfix(self, expr: t.Expr) -> str:
        """An atom, or anything in brackets."""
        body = _inside(expr)
        if isinstance(body, t.ATOMS):
            return self.atom(body)
        functional = self.ascii and (_dotted(body) or isinstance(body, t.Total))
        return self.sum(body) if functional else f"({self.sum(body)})"

    def prefix(self, expr: t.Prefix) -> str:
        body = _inside(expr.body)
        if self.ascii:
            return f"{expr.operator}({self.sum(body)})"
        sign, times = _SIGNS[expr.operator], 1
        while sign == "Δ" and times < 4 and isinstance(body, t.Prefix) and body.operator == "lap":
            body, times = _inside(body.body), times + 1
        sign += _raised(times)
        if isinstance(body, t.Prefix) and (expr.operator in ("div", "lap") or body.operator == "lap"):
            return sign + self.prefix(body)  # ∇∇ is the Hessian, so ∇(∇·F) keeps its brackets
        return sign + self.postfix(body)

    def power(self, expr: t.Power) -> str:
        base, raised = self.postfix(expr.base), None if self.ascii else _superscript(expr.exponent)
        if raised:
            return base + raised
        exponent = self.exponent(expr.exponent)
        adjoint = isinstance(expr.base, t.Name) and self.transposable(expr.base) and _TRANSPOSE.match(exponent)
        return f"{base}^({exponent})" if adjoint else f"{base}^{exponent}"

    def exponent(self, expr: t.Expr) -> str:
        if isinstance(expr, t.Negative):
            return f"-{self.power(expr.body) if isinstance(expr.body, t.Power) else self.postfix(expr.body)}"
        return self.power(expr) if isinstance(expr, t.Power) else self.postfix(expr)

    def derivative(self, expr: t.Derivative, called: bool = False) -> str:
        """A call can stand only behind the form with a line: `∂u/∂t(x, 0)`."""
        wrt, body = _merged(expr.wrt), _inside(expr.body)
        below = [_subscript(w.indices) for w in wrt]
        if self.ascii and isinstance(body, t.Name) and (tight := self.ascii_derivative(body, wrt)):
            return tight
        if None in below or (self.ascii and not called):
            return f"diff({self.sum(body)}, {', '.join(self.variable(w) for w in wrt for _ in range(w.order))})"
        above = self.name(body) if isinstance(body, t.Name) else f"({self.sum(body)})"
        under = (f"∂{self.name(w.name)}{i}{_raised(w.order)}" for w, i in zip(wrt, below, strict=True))
        return f"∂{_raised(sum(w.order for w in wrt))}{above}/{''.join(under)}"

    def ascii_derivative(self, body: t.Name, wrt: Sequence[t.Wrt]) -> str | None:
        """`d2u/dxdy`, if the reader will take it for what it is."""
        order = sum(w.order for w in wrt)
        declared = self.declared or Declared({body.id}, {w.name.id for w in wrt})
        under = "".join(f"d{self.variable(w)}{w.order if w.order > 1 else ''}" for w in wrt)
        text = f"d{order if order > 1 else ''}{body.id}/{under}"
        match = _ASCII_DERIVATIVE.fullmatch(text)
        meant = "".join(f"∂{w.name.id}{_subscript(w.indices)}{superscript(w.order)}" for w in wrt)
        taken = match and _ascii_derivative(match, declared)
        return text if taken == f"∂{superscript(order)}{body.id}/{meant}" else None

    def variable(self, wrt: t.Wrt) -> str:
        return self.name(wrt.name) + (f"[{', '.join(map(self.sum, wrt.indices))}]" if wrt.indices else "")

    # ---- atoms

    def atom(self, expr: t.Expr) -> str:
        match expr:
            case t.Number(text=text):
                return text
            case t.Fraction(over=(a, b)):
                return f"({a}/{b})" if self.ascii else FRACTION_OF[a, b]
            case t.Name():
                return self.name(expr)
            case t.Text(value=value):
                return f'"{value}"'
            case t.ListOf(items=items):
                return f"[{self.items([(None, item) for item in items])}]"
            case t.Norm(body=body):
                text = self.sum(body)
                return f"norm({text})" if self.ascii or "‖" in text else f"‖{text}‖"
            case t.Call(head=head, args=args, named=named):
                return f"{self.head(head)}({self.items([*((None, arg) for arg in args), *named])})"
            case t.Index():
                return self.index(expr)
            case t.Adjoint(body=body):
                return self.adjoint(body)
            case _:
                raise AssertionError(f"{type(expr).__name__} is no atom")

    def head(self, expr: t.Expr) -> str:
        match expr:
            case t.Derivative():
                return self.derivative(expr, called=True)
            case t.Adjoint(body=body):
                return self.adjoint(body, called=True)
            case _:
                return self.postfix(expr)

    def index(self, expr: t.Index) -> str:
        body, indices = expr.body, expr.indices
        if isinstance(body, t.Index):  # `v₁ᵢ`: ASCII has but one bracket
            return self.index(t.Index(body.body, (*body.indices, *indices)))
        mark = _subscript(indices)
        # `f(x)[i]` would be a product, so even ASCII must write f(x)ᵢ.
        if mark and not (self.ascii and isinstance(body, t.Name)):
            return self.postfix(body) + mark
        return f"{self.postfix(body)}[{', '.join(map(self.sum, indices))}]"

    def transposable(self, name: t.Name) -> bool:
        return self.declared is not None and name.id in self.declared.transposable

    def adjoint(self, body: t.Expr, called: bool = False) -> str:
        """A call can stand only behind a sign: `adj(K)(x)` would be a product."""
        body = _inside(body)
        if self.ascii and isinstance(body, t.Name) and self.transposable(body):
            return f"{body.id}^T"
        return f"adj({self.sum(body)})" if self.ascii and not called else f"{self.postfix(body)}ᵀ"

    # ---- breaks

    def items(self, items: Sequence[tuple[t.Name | None, t.Expr]]) -> str:
        """The items of a list or a call, broken where the author broke them."""
        text, end = "", 0
        for i, (key, value) in enumerate(items):
            start = (key or value).span.start
            text += f",{self.gap(end, start, _first_word(key or value))}" if i else ""
            text += f"{key.id}={self.sum(value)}" if key else self.sum(value)
            end = value.span.end
        return f"\n<{text}\n>" if "\n|" in text else text

    def gap(self, start: int, end: int, word: str = "") -> str:
        """A space, or the author's break with the comments that stand at it."""
        # A keyword at the start of a line would say that a bracket was forgotten.
        if self.source is None or not _BREAK.search(self.source.text, start, max(start, end)) or word in _KEYWORDS:
            return " "
        while self.comments and self.comments[0].span.start < start:
            self.missed.append(self.comments.popleft())
        text, at = "", start
        while self.comments and self.comments[0].span.start < end:
            comment = self.comments.popleft()
            text += ("\n|" if _BREAK.search(self.source.text, at, comment.span.start) else "  ") + comment.text
            at = comment.span.end
        return f"{text}\n|"

    # ---- parts of statements

    def trait(self, trait: t.Trait) -> str:
        body = self.factor(trait.body)
        if trait.bound is None:
            return body
        relation = trait.relation if self.ascii else trait.relation.replace("<=", "≤").replace(">=", "≥")
        return f"{body} {relation} {self.sum(trait.bound)}"

    def side_of_domain(self, side: t.Side) -> str:
        return self.factor(side.body) + " periodic" * side.periodic

    def item(self, item: t.Item) -> str:
        value = self.sum(item.value)
        if item.source is not None:
            return f"{value} from {self.atom(item.source)}"
        return f"{value} in {self.sum(item.within)}" if item.within is not None else value


def _raised(order: int) -> str:
    return superscript(order) if order != 1 else ""


def _first_word(node: t.Node) -> str:
    while not isinstance(node, t.Name) and (below := t.children(node)):
        node = below[0]
    return node.id if isinstance(node, t.Name) else ""


# ---- statements


@dataclass(frozen=True)
class _Piece:
    """What takes a line: a statement, or a block's opening, entry or end. `pad` is the width of the block's keys."""

    node: t.Statement | t.Entry
    span: Span
    inside: bool = False  # the comments above it stand in a block
    closes: bool = False
    pad: int = 0


@dataclass(frozen=True)
class _Row:
    """A line of the result. The cells of neighbouring rows of a kind are aligned."""

    cells: tuple[str, ...]
    span: Span
    kind: str = ""
    indent: str = ""
    behind: Sequence[t.Comment] = ()


def _pieces(syntax: t.Syntax, source: Source) -> Iterator[_Piece]:
    for node in syntax.statements:
        if not isinstance(node, t.BlockStmt):
            yield _Piece(node, node.span)
            continue
        opened = source.text.find("{", node.kind.span.end) + 1
        yield _Piece(node, Span(node.span.start, opened))
        pad = max((width(entry.key.id) for entry in node.entries), default=0)
        yield from (_Piece(entry, entry.span, inside=True, pad=pad) for entry in node.entries)
        yield _Piece(node, Span(node.span.end - 1, node.span.end), inside=True, closes=True)


def _rows(pieces: Iterator[_Piece], comments: Sequence[t.Comment], printer: _Printer, text: str) -> Iterator[_Row]:
    """Every comment goes to one place: above a piece, into its breaks, behind it, or to the end."""
    waiting = deque(comments)
    for piece, following in pairwise([*pieces, None]):
        assert piece is not None
        (start, end), margin = piece.span, "  " * piece.inside
        yield from (_Row((c.text,), c.span, indent=margin) for c in _taken(waiting, start))
        kind, cells, moved = _printed(piece, _taken(waiting, end), printer)
        yield from (_Row((c.text,), Span(start, start), indent=margin) for c in moved)
        limit = following.span.start if following else len(text)
        line = _BREAK.search(text, end, limit)
        behind = _taken(waiting, line.start() if line else limit)
        indent = margin if isinstance(piece.node, t.Entry) else ""
        yield _Row(cells, Span(start, max([end, *(c.span.end for c in behind)])), kind, indent, behind)
    yield from (_Row((c.text,), c.span) for c in waiting)


def _taken(waiting: deque[t.Comment], end: int) -> list[t.Comment]:
    """The comments that start before a place, taken from those that wait."""
    taken: list[t.Comment] = []
    while waiting and waiting[0].span.start < end:
        taken.append(waiting.popleft())
    return taken


def _printed(piece: _Piece, inner: list[t.Comment], printer: _Printer) -> tuple[str, tuple[str, ...], list[t.Comment]]:
    """A piece's kind and cells, and the comments inside it that have no break to stand at.

    With one that has none go those before it, so that comments keep their order.
    """
    tried = replace(printer, comments=deque(inner), missed=[])
    kind, cells = _cells(piece, tried)
    left = [*tried.missed, *tried.comments]
    if not left:
        return kind, cells, []
    kept = deque(inner)
    moved = _taken(kept, left[-1].span.end)
    return *_cells(piece, replace(printer, comments=kept, missed=[])), moved


def _cells(piece: _Piece, p: _Printer) -> tuple[str, tuple[str, ...]]:
    """A piece's kind and the parts of its line."""
    flat = replace(p, source=None)
    node = piece.node
    match node:
        case t.Entry():
            key = node.key.id
            items = ", ".join(map(p.item, node.items))
            return "entry", (f"{key}{' ' * (piece.pad + 1 - width(key))}{items}".rstrip(),)
        case t.BlockStmt(kind=kind):
            return "block", ("}" if piece.closes else f"{kind.id} {{",)
        case t.Header(name=name, title=title):
            return "header", (f"pde {name.id}" + (f" {p.atom(title)}" if title else ""),)
        case t.SpaceDecl(names=names, sides=sides):
            where = p.names(names) if len(names) == 1 else f"({p.names(names)})"
            return "declaration", (f"space   {where} in {' * '.join(map(p.side_of_domain, sides))}",)
        case t.TimeDecl(name=name, interval=interval):
            return "declaration", (f"time    {p.name(name)} in {p.sum(interval)}",)
        case t.UnknownDecl(name=name, params=params, net=net) | t.LearnDecl(name=name, params=params, net=net):
            head = f"{'unknown' if isinstance(node, t.UnknownDecl) else 'learn':8}{_signature(p, name, params)}"
            types = ", ".join(map(flat.trait, node.type))
            return "declaration", (head, types, p.sum(net)) if net is not None else (head, types)
        case t.ConstDecl(name=name, power=power, value=value):
            ascii_power = p.ascii and 0 <= power < 100  # the parser takes no others behind ^
            raised = "" if power == 1 else f"^{power}" if ascii_power else superscript(power)
            return "declaration", (f"const   {p.name(name)}{raised} = {p.sum(value)}",)
        case t.LetDecl(name=name, params=params, value=value):
            return "declaration", (f"let     {_signature(p, name, params)} = {_right(p, value)}",)
        case t.EquationStmt(left=left, right=right, during=during, on=on):
            body = f"{p.sum(left)} = {_right(p, right)}"
            place = f" on {p.names(on)}" if on else ""
            if during is None:
                return "equation", (body + place,)
            return "piece", (body, f"for {p.name(during[0])} in {flat.sum(during[1])}{place}")
        case t.RealizeStmt(part=part, method=method):
            return "realize", (f"realize {p.name(part)} by {p.postfix(method)}",)
        case t.RequireStmt(axioms=axioms):
            return "require", (f"require {', '.join(a.id for a in axioms)}",)
        case _:
            assert_never(node)


def _signature(p: _Printer, name: t.Name, params: tuple[t.Name, ...] | None) -> str:
    return p.name(name) + ("" if params is None else f"({p.names(params)})")


def _right(p: _Printer, value: t.Expr) -> str:
    """A right-hand side, broken where the author broke its sum."""
    return f"\n<{p.sum(value, spread=True)}\n>"


# ---- lines


def _texts(rows: list[_Row], source: str) -> Iterator[str]:
    """The rows as text, with the author's blank lines."""
    run: list[_Row] = []
    for i, row in enumerate(rows):
        blank = i > 0 and _BLANK.search(source, rows[i - 1].span.end, row.span.start) is not None
        if run and (blank or row.kind != run[0].kind):
            yield from _aligned(run)
            run = []
        if blank:
            yield "\n"
        run.append(row)
    yield from _aligned(run)


def _aligned(run: list[_Row]) -> Iterator[str]:
    """Neighbouring rows of a kind, their cells below each other."""
    named = max((width(row.cells[0]) for row in run if len(row.cells) > 1), default=0)
    typed = max((width(row.cells[1]) for row in run if len(row.cells) > 2), default=0)
    ends = max((_last(_laid_out(row.cells[0])) for row in run), default=0)
    for row in run:
        match row.kind, row.cells:
            case "piece", (body, during):
                body = _laid_out(body)
                text = f"{body}{' ' * (ends - _last(body))}    {during}"
            case _, (head, *types):
                text = head + " " * (named - width(head)) * bool(types)
                text += f" : {types[0]}" if types else ""
                text += f"{' ' * (typed - width(types[0]))} = {types[1]}" if len(types) > 1 else ""
                text = _laid_out(text)
        lines = f"{text}{''.join(f'  {c.text}' for c in row.behind)}".split("\n")
        yield "".join(f"{row.indent}{line}\n" for line in lines)


def _last(text: str) -> int:
    """The width of the last line."""
    return width(text.rpartition("\n")[2])


def _laid_out(text: str) -> str:
    """The text with its layout codes obeyed."""
    first, *rest = text.split("\n")
    lines, columns = [first], [0]
    for part in rest:
        match part[0]:
            case "<":
                columns.append(width(lines[-1]))
            case ">":
                columns.pop()
            case _:
                lines.append(" " * columns[-1])
        lines[-1] += part[1:]
    return "\n".join(lines)
