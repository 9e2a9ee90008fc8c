"""Semantic highlighting: every token with its kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from lark import Token

from pdedsl.diagnostics import Span
from pdedsl.editor.document import Document
from pdedsl.editor.name_roles import (
    ArgumentName,
    ArgumentValue,
    AxiomName,
    CallName,
    DeclaredReference,
    EntryName,
    EntryValue,
    FaceName,
    PartName,
    SpecName,
    SpecReference,
    TypeName,
)
from pdedsl.editor.names import Kind, Occurrence
from pdedsl.language.elaborate.expressions import RESERVED
from pdedsl.language.lexer import STATEMENT_KEYWORDS, StatementTokens, span_of


class TokenKind(StrEnum):
    """Token kinds of the Language Server Protocol."""

    KEYWORD = "keyword"
    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    OPERATOR = "operator"
    NAMESPACE = "namespace"
    TYPE = "type"
    VARIABLE = "variable"
    PARAMETER = "parameter"
    FUNCTION = "function"
    METHOD = "method"
    PROPERTY = "property"
    ENUM_MEMBER = "enumMember"


@dataclass(frozen=True)
class Coloured:
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
    found = [_of_name(o) for o in document.names.occurrences]
    found += [Coloured(c.span, TokenKind.COMMENT) for c in document.lines.comments]
    taken = {c.span for c in found}
    found += [c for token in _tokens(document.lines.lines) for c in _token(token, document.text) if c.span not in taken]
    return tuple(_without_overlaps(sorted(found, key=lambda c: (c.span.start, -c.span.end))))


def _tokens(lines: list[StatementTokens]) -> Iterator[Token]:
    for line in lines:
        yield from line.tokens
        yield from _tokens(line.entries or [])


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


def _without_overlaps(found: list[Coloured]) -> Iterator[Coloured]:
    end = 0
    for one in found:
        if one.span.start >= end and one.span.end > one.span.start:
            yield one
            end = one.span.end


def _of_name(name: Occurrence) -> Coloured:
    kind = name.of.kind if name.of else None
    return Coloured(name.span, _kind(name, kind), name.declares, kind is Kind.CONSTANT)


def _kind(name: Occurrence, kind: Kind | None) -> TokenKind:
    match name.use:
        case DeclaredReference():
            return _declared(name.id, kind)
        case SpecName() | SpecReference():
            return TokenKind.NAMESPACE
        case TypeName():
            return TokenKind.TYPE
        case CallName():
            return TokenKind.METHOD
        case ArgumentName() | EntryName():
            return TokenKind.PROPERTY
        case ArgumentValue() | EntryValue() | PartName() | AxiomName() | FaceName():
            return TokenKind.ENUM_MEMBER
        case _:
            assert_never(name.use)


def _declared(id_: str, kind: Kind | None) -> TokenKind:
    match kind:
        case None:
            return TokenKind.FUNCTION if id_ in RESERVED else TokenKind.VARIABLE
        case Kind.LEARNED | Kind.PARAMETER | Kind.INDEX:
            return TokenKind.PARAMETER
        case Kind.FUNCTION:
            return TokenKind.FUNCTION
        case Kind.UNKNOWN | Kind.CONSTANT | Kind.COORDINATE | Kind.TIME:
            return TokenKind.VARIABLE
        case _:
            assert_never(kind)
