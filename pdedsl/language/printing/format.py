"""Formatter: syntax tree → canonical text, in Unicode or in ASCII; parsing the text gives the tree back.

Line breaks inside brackets and sums, blank lines and comments are preserved; spaces and alignment are not.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import pairwise
from typing import assert_never

from pdedsl.diagnostics import Source, Span, width
from pdedsl.language import ast as t
from pdedsl.language.lexer import STATEMENT_KEYWORDS
from pdedsl.language.names import superscript
from pdedsl.language.printing.unparse import (
    BREAK,
    Row,
    Unparser,
    align,
    lay_out,
    one_space,
    unparse,
    unparse_type_attribute,
)
from pdedsl.language.token_stream import TRANSPOSABLE, DeclaredNames
from pdedsl.record import Record

_KEYWORDS = {word.lower() for word in STATEMENT_KEYWORDS}
_WORD = re.compile(r"\w*")
_BREAK = re.compile(r"[\r\n]")


def format_syntax(syntax: t.Syntax, source: Source, ascii: bool = False) -> str:
    """The spec in canonical layout. The syntax must cover the whole source: unparsed statements are not printed."""
    unparser = Unparser(ascii, _declared_names(syntax))
    rows = _rows(_output_lines(syntax, source), syntax.comments, unparser, source.text)
    return lay_out(list(rows), source.text)


def _declared_names(syntax: t.Syntax) -> DeclaredNames:
    """The declarations by which the parser interprets `du/dx` and `K^T` in the printed text."""
    declared = DeclaredNames()
    for statement in syntax.statements:
        match statement:
            case t.SpaceDecl(names=names):
                declared.variables.update(name.id for name in names)
            case t.TimeDecl(name=name):
                declared.variables.add(name.id)
            case t.ParameterDecl(name=name) | t.RandomDecl(name=name):
                declared.fields.add(name.id)
            case t.ParameterFunctionDecl(name=name):
                declared.fields.add(name.id)
                declared.functions.add(name.id)
            case t.UnknownDecl(name=name) | t.LearnDecl(name=name) | t.ConstDecl(name=name) | t.LetDecl(name=name):
                declared.fields.add(name.id)
                if not isinstance(statement, t.ConstDecl) and statement.params:
                    declared.functions.add(name.id)
                if _declares_matrix(statement):
                    declared.transposable.add(name.id)
    return declared


def _declares_matrix(statement: t.UnknownDecl | t.LearnDecl | t.ConstDecl | t.LetDecl) -> bool:
    match statement:
        case t.UnknownDecl(type=(kind, *_)) | t.LearnDecl(type=(kind, *_)):
            return any(word[0] in TRANSPOSABLE for word in [_WORD.match(unparse_type_attribute(kind))] if word)
        case t.ConstDecl(value=value) | t.LetDecl(value=value):
            return unparse(value).startswith("[[")
    return False


# ---- Line breaks inside a statement


class _LineBreaks(Record):
    """The author's line breaks. `comments` are placed at them in order; those without a break are `unplaced`."""

    text: str
    comments: deque[t.Comment]
    unplaced: list[t.Comment] = field(default_factory=list)

    def gap(self, before: t.Node, after: t.Node, listed: bool) -> str:
        """A space, or the author's line break with the comments at it."""
        start, end = before.span.end, after.span.start
        # The lexer takes a keyword at the start of a line as evidence of an unclosed bracket.
        if not _BREAK.search(self.text, start, max(start, end)) or (listed and _first_word(after) in _KEYWORDS):
            return " "
        self.unplaced.extend(_pop_comments(self.comments, start))
        text, at = "", start
        for comment in _pop_comments(self.comments, end):
            text += (BREAK if _BREAK.search(self.text, at, comment.span.start) else "  ") + comment.text
            at = comment.span.end
        return text + BREAK


def _first_word(node: t.Node) -> str:
    while not isinstance(node, t.Name) and (below := t.children(node)):
        node = below[0]
    return node.id if isinstance(node, t.Name) else ""


def _pop_comments(waiting: deque[t.Comment], end: int) -> list[t.Comment]:
    """Removes and returns the waiting comments that start before `end`."""
    comments: list[t.Comment] = []
    while waiting and waiting[0].span.start < end:
        comments.append(waiting.popleft())
    return comments


# ---- Statements


class _OutputLine(Record):
    """A line of the result: a statement, or the opening, an entry or the end of a block with keys of width `pad`."""

    node: t.Statement | t.Entry | t.SweepEntry
    span: Span
    inside: bool = False  # the comments above it are in a block
    closes: bool = False
    pad: int = 0


def _output_lines(syntax: t.Syntax, source: Source) -> Iterator[_OutputLine]:
    for node in syntax.statements:
        if not isinstance(node, t.BlockStmt | t.SweepStmt):
            yield _OutputLine(node, node.span)
            continue
        opened = source.text.find("{", node.kind.span.end) + 1
        yield _OutputLine(node, Span(node.span.start, opened))
        keys = [entry.key.id for entry in node.entries] if isinstance(node, t.BlockStmt) else []
        pad = max(map(width, keys), default=0)
        yield from (_OutputLine(entry, entry.span, inside=True, pad=pad) for entry in node.entries)
        yield _OutputLine(node, Span(node.span.end - 1, node.span.end), inside=True, closes=True)


def _rows(lines: Iterator[_OutputLine], comments: Sequence[t.Comment], unparser: Unparser, text: str) -> Iterator[Row]:
    """The rows of the result. Every comment is placed above a line, in its line breaks, after it, or at the end."""
    waiting = deque(comments)
    for line, following in pairwise([*lines, None]):
        assert line is not None
        (start, end), margin = line.span, "  " * line.inside
        yield from (Row((c.text,), c.span, indent=margin) for c in _pop_comments(waiting, start))
        kind, cells, moved = _format_line(line, _pop_comments(waiting, end), unparser, text)
        yield from (Row((c.text,), Span(start, start), indent=margin) for c in moved)
        limit = following.span.start if following else len(text)
        line_break = _BREAK.search(text, end, limit)
        trailing = _pop_comments(waiting, line_break.start() if line_break else limit)
        indent = margin if isinstance(line.node, t.Entry | t.SweepEntry) else ""
        yield Row(cells, Span(start, max([end, *(c.span.end for c in trailing)])), kind, indent, trailing)
    yield from (Row((c.text,), c.span) for c in waiting)


def _format_line(
    line: _OutputLine, inner: list[t.Comment], unparser: Unparser, text: str
) -> tuple[str, tuple[str, ...], list[t.Comment]]:
    """The kind and cells of a line, and the comments inside it for which there is no line break.

    If a comment has none, those before it are moved out with it, so that comments keep their order.
    """
    breaks = _LineBreaks(text, deque(inner))
    kind, cells = _cells(line, replace(unparser, gap=breaks.gap))
    unplaced = [*breaks.unplaced, *breaks.comments]
    if not unplaced:
        return kind, cells, []
    remaining = deque(inner)
    moved = _pop_comments(remaining, unplaced[-1].span.end)
    return *_cells(line, replace(unparser, gap=_LineBreaks(text, remaining).gap)), moved


def _cells(line: _OutputLine, p: Unparser) -> tuple[str, tuple[str, ...]]:
    """The kind of a line and its cells."""
    node = line.node
    match node:
        case t.Entry(key=key, items=items):
            pad = " " * (line.pad + 1 - width(key.id))
            return "entry", (f"{key.id}{pad}{', '.join(_item(p, item) for item in items)}".rstrip(),)
        case t.SweepEntry():
            return "entry", (_axis(p, node),)
        case t.BlockStmt(kind=kind) | t.SweepStmt(kind=kind):
            return "block", ("}" if line.closes else f"{kind.id} {{",)
        case t.Header(name=name, title=title):
            return "header", (f"pde {name.id}" + (f" {p.atom(title)}" if title else ""),)
        case t.EquationStmt():
            return _equation(p, node)
        case t.ExactStmt(unknown=unknown, value=value):
            return "equation", (f"exact {p.postfix(unknown)} = {_right_hand_side(p, value)}",)
        case t.ObserveStmt(unknowns=unknowns, data=data):
            return "observe", (f"observe {', '.join(map(p.postfix, unknowns))} from {p.postfix(data)}",)
        case t.RealizeStmt(part=part, method=method):
            return "realize", (f"realize {p.name(part)} by {p.postfix(method)}",)
        case t.RequireStmt(axioms=axioms):
            return "require", (f"require {', '.join(a.id for a in axioms)}",)
        case _:
            return "declaration", _declaration(p, node)


def _declaration(p: Unparser, node: t.Declaration) -> tuple[str, ...]:
    match node:
        case t.SpaceDecl(names=names, factors=factors, where=inequalities, system=system):
            where = _names(p, names) if len(names) == 1 else f"({_names(p, names)})"
            kinds = (" periodic" * f.periodic + " antiperiodic" * f.antiperiodic for f in factors)
            domain = " * ".join(p.factor(f.body) + kind for f, kind in zip(factors, kinds, strict=True))
            prefix = f"{system.id} " if system else ""
            return (f"space   {where} in {prefix}{domain}{_where(p, inequalities)}",)
        case t.TimeDecl(name=name, interval=interval):
            return (f"time    {p.name(name)} in {p.sum(interval)}",)
        case t.UnknownDecl(name=name, params=params, net=net) | t.LearnDecl(name=name, params=params, net=net):
            head = f"{'unknown' if isinstance(node, t.UnknownDecl) else 'learn':8}{_signature(p, name, params)}"
            types = ", ".join(map(_single_line(p).type_attribute, node.type))
            return (head, types, p.sum(net)) if net is not None else (head, types)
        case t.ConstDecl(name=name, power=power, value=value, range=range_):
            within = f" in {p.atom(range_)}" if range_ is not None else ""
            return (f"const   {p.name(name)}{_power(p, power)} = {p.sum(value)}{within}",)
        case t.ParameterDecl(name=name, interval=interval, scale=scale):
            return (f"parameter {p.name(name)} in {p.atom(interval)}{f' {scale.id}' if scale else ''}",)
        case t.ParameterFunctionDecl(name=name, params=params, distribution=distribution):
            return (f"parameter {_signature(p, name, params)} from {p.postfix(distribution)}",)
        case t.RandomDecl(name=name, distribution=distribution):
            return (f"random  {p.name(name)} ~ {p.postfix(distribution)}",)
        case t.LetDecl(name=name, params=params, value=value):
            return (f"let     {_signature(p, name, params)} = {_right_hand_side(p, value)}",)
        case _:
            assert_never(node)


def _equation(p: Unparser, node: t.EquationStmt) -> tuple[str, tuple[str, ...]]:
    left = p.sum(node.left)
    if (word := _first_word(node.left)) in _KEYWORDS and left.startswith(word):
        left = f"({left})"  # otherwise it would start another statement
    body = f"{left} = {_right_hand_side(p, node.right)}"
    place = f" on {', '.join(_boundary_place(p, s) for s in node.on)}{_where(p, node.where)}" if node.on else ""
    if node.time_interval is None:
        return "equation", (body + place,)
    name, interval = node.time_interval
    return "piece", (body, f"for {p.name(name)} in {_single_line(p).sum(interval)}{place}")


def _boundary_place(p: Unparser, place: t.BoundaryPlace) -> str:
    return f"{p.sum(place.left)} = {p.sum(place.right)}" if isinstance(place, t.SurfaceEquation) else p.sum(place)


def _where(p: Unparser, inequalities: Sequence[t.Inequality]) -> str:
    texts = (f"{p.sum(i.left)} {p.relation(i.relation)} {p.sum(i.right)}" for i in inequalities)
    return f" where {', '.join(texts)}" if inequalities else ""


def _item(p: Unparser, item: t.Item) -> str:
    value = p.sum(item.value)
    if item.source is not None:
        return f"{value} from {p.atom(item.source)}"
    return f"{value} in {p.sum(item.within)}" if item.within is not None else value


def _axis(p: Unparser, entry: t.SweepEntry) -> str:
    values = p.sum(entry.values) + (f"..{p.sum(entry.high)}" if entry.high is not None else "")
    scale = f", {entry.scale.id}" if entry.scale else ""
    return f"{'.'.join(map(p.name, entry.path))}{_power(p, entry.power)} in {values}{scale}"


def _names(p: Unparser, names: Sequence[t.Name]) -> str:
    return ", ".join(map(p.name, names))


def _signature(p: Unparser, name: t.Name, params: tuple[t.Name, ...] | None) -> str:
    return p.name(name) + ("" if params is None else f"({_names(p, params)})")


def _power(p: Unparser, power: int) -> str:
    if power == 1:
        return ""
    return f"^{power}" if p.ascii and 0 <= power < 100 else superscript(power)  # the parser accepts no others after ^


def _single_line(p: Unparser) -> Unparser:
    """An unparser without line breaks, for a cell that is aligned with others."""
    return replace(p, gap=one_space)


def _right_hand_side(p: Unparser, value: t.Expr) -> str:
    """A right-hand side, broken where the author broke its sum."""
    return align(p.sum(value, spread=True))
