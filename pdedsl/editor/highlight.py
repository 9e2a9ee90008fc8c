"""Semantic highlighting: every token with its kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from lark import Token

from pdedsl.diagnostics import Span
from pdedsl.editor.document import Document
from pdedsl.editor.names import NameKind, Occurrence, all_tokens
from pdedsl.editor.visitor import TokenKind
from pdedsl.language.elaborate.expressions import RESERVED
from pdedsl.language.lexer import STATEMENT_KEYWORDS, span_of
from pdedsl.record import Record


class Coloured(Record):
    """A token within one line; `declares` marks a declaration, `fixed` a constant."""

    span: Span
    kind: TokenKind
    declares: bool = False
    fixed: bool = False


KEYWORDS = {*STATEMENT_KEYWORDS, "IN", "ELEMENT", "FOR", "ON", "WHERE", "BY", "FROM", "PERIODIC"}
PLAIN = {"NUMBER": TokenKind.NUMBER, "FRACTION": TokenKind.NUMBER, "STRING": TokenKind.STRING}
PUNCTUATION = {"LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "COMMA", "CALL", "INDEX"}


def colours(document: Document) -> tuple[Coloured, ...]:
    """The tokens in the order of the text, without overlap."""
    tokens = [_of_name(o) for o in document.names.occurrences]
    tokens += [Coloured(c.span, TokenKind.COMMENT) for c in document.lines.comments]
    taken = {c.span for c in tokens}
    tokens += [
        c for token in all_tokens(document.lines.lines) for c in _token(token, document.text) if c.span not in taken
    ]
    return tuple(_without_overlaps(sorted(tokens, key=lambda c: (c.span.start, -c.span.end))))


def _token(token: Token, text: str) -> Iterator[Coloured]:
    span = span_of(token)
    if token.type in KEYWORDS:
        yield Coloured(span, TokenKind.KEYWORD)
    elif token.type in PLAIN:
        yield Coloured(span, PLAIN[token.type])
    elif token.type in ("DERIVATIVE", "OPERATOR", "DENOMINATOR", "PARTIAL"):
        signs = (i for i in range(*span) if not text[i].isspace())
        yield from (Coloured(Span(i, i + 1), TokenKind.OPERATOR) for i in signs)
    elif token.type not in PUNCTUATION and token.type != "NAME":
        yield Coloured(span, TokenKind.OPERATOR)


def _without_overlaps(tokens: list[Coloured]) -> Iterator[Coloured]:
    end = 0
    for one in tokens:
        if one.span.start >= end and one.span.end > one.span.start:
            yield one
            end = one.span.end


def _of_name(name: Occurrence) -> Coloured:
    kind = name.of.kind if name.of else None
    shown = name.role.kind if name.role else _declaration_kind(name.id, kind)
    return Coloured(name.span, shown, name.declares, kind is NameKind.CONSTANT)


def _declaration_kind(id_: str, kind: NameKind | None) -> TokenKind:
    match kind:
        case None:
            return TokenKind.FUNCTION if id_ in RESERVED else TokenKind.VARIABLE
        case NameKind.LEARNED | NameKind.PARAMETER | NameKind.INDEX:
            return TokenKind.PARAMETER
        case NameKind.FUNCTION:
            return TokenKind.FUNCTION
        case NameKind.UNKNOWN | NameKind.CONSTANT | NameKind.COORDINATE | NameKind.TIME:
            return TokenKind.VARIABLE
        case _:
            assert_never(kind)
