"""Names in a text: declarations, occurrences and scopes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property

from lark import Token

from pdedsl.diagnostics import Source, Span
from pdedsl.editor.visitor import NameRole
from pdedsl.language import ast as t
from pdedsl.language.lexer import StatementTokens, TokenizedSource, span_of
from pdedsl.language.names import SUPERSCRIPT_LETTERS, canonical_name
from pdedsl.record import Record

_NUMERATOR = re.compile(r"∂[⁰¹²³⁴-⁹]*([^/\s₀-₉ᵢⱼₖ-ₙ]*)")
_DENOMINATOR = re.compile(r"∂([^∂₀-₉ᵢⱼₖ-ₙ⁻⁰¹²³⁴-⁹]+)")
_SIGN = re.compile(r"[d∂][ \t]*")


class NameKind(StrEnum):
    """Kinds of declarations."""

    UNKNOWN = "unknown"
    LEARNED = "learned"
    CONSTANT = "constant"
    FUNCTION = "abbreviation"
    COORDINATE = "coordinate"
    TIME = "time"
    PARAMETER = "parameter"
    INDEX = "index"


KEYWORDS = {
    "UNKNOWN": NameKind.UNKNOWN,
    "LEARN": NameKind.LEARNED,
    "CONST": NameKind.CONSTANT,
    "LET": NameKind.FUNCTION,
    "SPACE": NameKind.COORDINATE,
    "TIME": NameKind.TIME,
}


class Declaration(Record):
    """The declaration of a name; `statement` is None if it cannot be parsed. Parameters of functions and indices of
    sums are visible only within `scope`."""

    id: str
    text: str
    span: Span
    kind: NameKind
    statement: t.Statement | None = None
    scope: Span | None = None


class Occurrence(Record):
    """A name in the text: it refers to a declaration, or has another role, or is unknown."""

    id: str
    span: Span
    role: NameRole | None
    of: Declaration | None = None

    @property
    def declares(self) -> bool:
        return self.of is not None and self.of.span == self.span


class NameIndex(Record):
    """All names in the order of the text; `unplaced` are names in derivatives whose span could not be determined."""

    occurrences: tuple[Occurrence, ...]
    declarations: tuple[Declaration, ...]
    unplaced: frozenset[str]

    def over(self, offset: int) -> Occurrence | None:
        """The name that covers an offset."""
        return next((o for o in self.occurrences if o.span.start <= offset < o.span.end), None)

    def at(self, offset: int) -> Occurrence | None:
        """The name at a cursor: the one after it, or else the one that ends there."""
        return self.over(offset) or self.over(offset - 1)

    def of(self, declaration: Declaration) -> tuple[Occurrence, ...]:
        """Every occurrence of a declared name."""
        return tuple(o for o in self.occurrences if o.of == declaration)

    @cached_property
    def declared(self) -> dict[str, Declaration]:
        """Declarations visible in the whole spec, by ASCII name; the first, if there are several."""
        return {d.id: d for d in reversed(self.declarations) if d.scope is None}


def names_in(source: Source, lines: TokenizedSource, syntax: t.Syntax, roles: dict[Span, NameRole]) -> NameIndex:
    declared = [*_global_declarations(lines, syntax)]
    known = {d.id for d in declared}
    declared += [d for statement in syntax.statements for d in _local_declarations(statement, known)]
    placed, unplaced = _located_names(source, lines)
    declarations = tuple(sorted(declared, key=lambda d: d.span))
    occurrences = tuple(_occurrence(id_, span, roles.get(span), declarations) for id_, span in placed)
    return NameIndex(occurrences, declarations, frozenset(unplaced))


def _occurrence(id_: str, span: Span, role: NameRole | None, declarations: tuple[Declaration, ...]) -> Occurrence:
    if role is not None:
        return Occurrence(id_, span, role)
    seen = [d for d in declarations if d.id == id_ and (d.scope is None or _contains(d.scope, span))]
    inner = sorted(seen, key=lambda d: (d.scope is None, (d.scope.end - d.scope.start) if d.scope else d.span.start))
    return Occurrence(id_, span, role, inner[0] if inner else None)


def _contains(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


# ---- Declarations


def _global_declarations(lines: TokenizedSource, syntax: t.Syntax) -> Iterator[Declaration]:
    """The names declared by the first words of statements, whether or not the statements can be parsed."""
    statements = {s.span.start: s for s in syntax.statements}
    for line in lines.lines:
        first, *rest = line.tokens
        kind = KEYWORDS.get(first.type)
        if kind is None:
            continue
        names = [token for token in _declared_tokens(rest) if token.type == "NAME"]
        several = kind is NameKind.COORDINATE
        for name in names if several else names[:1]:
            statement = statements.get(span_of(first).start)
            yield Declaration(canonical_name(name), str(name), span_of(name), kind, statement)


def _declared_tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.type not in ("NAME", "LPAR", "COMMA"):
            return
        yield token


def _local_declarations(statement: t.Statement, known: set[str]) -> Iterator[Declaration]:
    """Parameters of a function that are not declared elsewhere, and indices of sums."""
    if isinstance(statement, t.LetDecl):
        for p in statement.params or ():
            if p.id not in known:
                yield Declaration(p.id, p.text, p.span, NameKind.PARAMETER, statement, statement.span)
    for node in t.walk(statement):
        if isinstance(node, t.Summation):
            yield Declaration(node.index.id, node.index.text, node.index.span, NameKind.INDEX, statement, node.span)
        if isinstance(node, t.Integral) and node.variable.id not in known:
            variable = node.variable
            yield Declaration(variable.id, variable.text, variable.span, NameKind.INDEX, statement, node.span)


# ---- Spans


def _located_names(source: Source, lines: TokenizedSource) -> tuple[list[tuple[str, Span]], set[str]]:
    placed: set[tuple[Span, str]] = set()
    unplaced: set[str] = set()
    for token in all_tokens(lines.lines):
        for text, span in _names_of(token, source.text):
            if span is None:
                unplaced.add(canonical_name(text))
            else:
                placed.add((span, canonical_name(text)))
    return [(id_, span) for span, id_ in sorted(placed)], unplaced


def all_tokens(lines: list[StatementTokens]) -> Iterator[Token]:
    for line in lines:
        yield from line.tokens
        yield from all_tokens(line.entries or [])


def _names_of(token: Token, text: str) -> Iterator[tuple[str, Span | None]]:
    """The names in a token: a derivative contains several, and may be written in a foreign notation."""
    match token.type:
        case "NAME":
            yield str(token), _in_numerator(token, str(token), text)
        case "DERIVATIVE":
            above, _, below = token.partition("/")
            name = _NUMERATOR.match(above)
            if name:
                yield name[1], _in_numerator(token, name[1], text)
            yield from _in_denominator(token, below, text)
        case "DIFFERENTIAL":
            yield token[1:], Span(span_of(token).start + 1, span_of(token).end)
        case "INTEGRAL_LIMITS" if token[-1] in SUPERSCRIPT_LETTERS.values():
            end = span_of(token).end
            yield next(n for n, letter in SUPERSCRIPT_LETTERS.items() if letter == token[-1]), Span(end - 1, end)
        case "OPERATOR" | "DENOMINATOR":
            yield from _in_denominator(token, token.partition("/")[2], text)


def _in_numerator(token: Token, name: str, text: str) -> Span | None:
    """The last occurrence of a name before the slash of a quotient, or before the subscript of u_xx."""
    start, end = span_of(token)
    if text[start:end] == name:
        return Span(start, end)
    stroke = text.find("/", start, end)
    at = text.rfind(name, start, stroke) if stroke >= 0 else text.find(name, start, end)
    return Span(at, at + len(name)) if at >= 0 else None


def _in_denominator(token: Token, below: str, text: str) -> Iterator[tuple[str, Span | None]]:
    """The variables in order, each after its ∂ or d, or side by side in a subscript."""
    start, end = span_of(token)
    stroke, under = text.find("/", start, end), text.find("_", start, end)
    at = stroke + 1 if stroke >= 0 else under + 1
    for match in _DENOMINATOR.finditer(below):
        name = match[1].strip()
        sign = _SIGN.search(text, at, end) if stroke >= 0 else None
        place = text.find(name, sign.end() if sign else at, end)
        if place < 0:
            yield name, None
            return
        yield name, Span(place, place + len(name))
        at = place + len(name)
