"""Document symbols and folding ranges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import assert_never

from pdedsl.diagnostics import Source, Span
from pdedsl.editor.document import Document
from pdedsl.language import ast as t


class SymbolKind(StrEnum):
    """Kinds of symbols in the Language Server Protocol."""

    SPEC = "namespace"
    PLACE = "variable"
    UNKNOWN = "field"
    LEARNED = "class"
    CONSTANT = "constant"
    FUNCTION = "function"
    EQUATION = "event"
    CHOICE = "interface"
    BLOCK = "module"
    ENTRY = "property"


@dataclass(frozen=True)
class Symbol:
    """A statement or an entry; `selection` is the span of its name."""

    name: str
    detail: str
    kind: SymbolKind
    span: Span
    selection: Span
    children: tuple[Symbol, ...] = ()


def symbols(document: Document) -> tuple[Symbol, ...]:
    return tuple(_symbol(statement, document.source) for statement in document.syntax.statements)


def _symbol(statement: t.Statement, source: Source) -> Symbol:
    def symbol(name: t.Node, kind: SymbolKind, detail: str = "", children: tuple[Symbol, ...] = ()) -> Symbol:
        shown = name.text if isinstance(name, t.Name) else source.quote(name.span)
        return Symbol(shown, detail, kind, statement.span, name.span, children)

    match statement:
        case t.Header(name=name, title=title):
            return symbol(name, SymbolKind.SPEC, title.value if title else "")
        case t.SpaceDecl(names=names):
            return symbol(names[0], SymbolKind.PLACE, source.quote(statement.span))
        case t.TimeDecl(name=name):
            return symbol(name, SymbolKind.PLACE, source.quote(statement.span))
        case t.UnknownDecl(name=name, type=traits) | t.LearnDecl(name=name, type=traits):
            kind = SymbolKind.UNKNOWN if isinstance(statement, t.UnknownDecl) else SymbolKind.LEARNED
            return symbol(name, kind, source.quote(traits[0].span.to(traits[-1].span)))
        case t.ConstDecl(name=name, value=value):
            return symbol(name, SymbolKind.CONSTANT, source.quote(value.span))
        case t.LetDecl(name=name, value=value):
            return symbol(name, SymbolKind.FUNCTION, source.quote(value.span))
        case t.EquationStmt():
            return symbol(statement, SymbolKind.EQUATION)
        case t.ExactStmt() | t.ObserveStmt() | t.RequireStmt():
            return symbol(statement, SymbolKind.CHOICE)
        case t.RealizeStmt(part=part, method=method):
            return symbol(part, SymbolKind.CHOICE, source.quote(method.span))
        case t.BlockStmt(kind=kind_, entries=entries):
            return symbol(kind_, SymbolKind.BLOCK, children=tuple(_entry(e, source) for e in entries))
        case _:
            assert_never(statement)


def _entry(entry: t.Entry, source: Source) -> Symbol:
    values = source.quote(Span(entry.key.span.end, entry.span.end))
    return Symbol(entry.key.text, values, SymbolKind.ENTRY, entry.span, entry.key.span)


def folds(document: Document) -> tuple[Span, ...]:
    """Blocks, statements over several lines, and groups of comments."""
    source = document.source
    found = [s.span for s in document.syntax.statements] + list(_comment_groups(document))
    return tuple(s for s in sorted(found) if source.position(s.start)[0] < source.position(s.end)[0])


def _comment_groups(document: Document) -> Iterator[Span]:
    """Groups of consecutive comments with nothing else between them."""
    comments, text = [c.span for c in document.lines.comments], document.text
    start: int | None = None
    for this, after in pairwise([*comments, None]):
        assert this is not None
        start = this.start if start is None else start
        if after is None or text[this.end : after.start].strip(" \t\r") != "\n":
            yield Span(start, this.end)
            start = None
