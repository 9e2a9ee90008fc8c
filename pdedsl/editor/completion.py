"""Completions at an offset, with defaults and allowed values, derived from the configuration classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from inspect import cleandoc
from itertools import takewhile
from typing import Any, assert_never

from pdedsl.config.base import Choice, Flag, Form, Forms, Param
from pdedsl.config.blocks import ENTRIES
from pdedsl.diagnostics import Span
from pdedsl.editor.conversion import backslash_span, inputs
from pdedsl.editor.cursor_context import (
    AtArgument,
    AtAxiom,
    AtCall,
    AtChoice,
    AtEntry,
    AtExpression,
    AtFace,
    AtName,
    AtSpace,
    AtStart,
    AtType,
    AtValue,
    CursorContext,
    NoCompletion,
    context_at,
)
from pdedsl.editor.document import Document
from pdedsl.editor.documentation import allowed_values, call_text, default_of, entry_text
from pdedsl.editor.names import Kind
from pdedsl.errors.types import SPACES
from pdedsl.ir.spec import face_names
from pdedsl.ir.verdicts import Axiom
from pdedsl.language import ast as t
from pdedsl.language.elaborate.expressions import FUNCTIONS, RESERVED
from pdedsl.language.elaborate.types import TYPE_ATTRIBUTES, TYPES
from pdedsl.language.lexer import span_of
from pdedsl.language.names import canonical_name
from pdedsl.language.syntax_errors import KEYWORDS, STATEMENT_EXAMPLES


class ItemKind(StrEnum):
    """Kinds of completion items in the Language Server Protocol."""

    KEYWORD = "keyword"
    NAME = "variable"
    FUNCTION = "function"
    WORD = "class"
    ARGUMENT = "property"
    VALUE = "enumMember"
    TYPE = "typeParameter"
    SIGN = "text"


@dataclass(frozen=True)
class Item:
    """A completion item: `insert` replaces `span`, the text already typed."""

    label: str
    kind: ItemKind
    span: Span
    insert: str
    detail: str = ""
    about: str = ""  # in Markdown


@dataclass(frozen=True)
class _Proposal:
    label: str
    kind: ItemKind
    detail: str = ""
    about: str = ""
    insert: str = ""


def complete(document: Document, offset: int) -> tuple[Item, ...]:
    """Completions at an offset."""
    text, offset = document.text, min(offset, len(document.text))
    backslash = backslash_span(text, offset)
    if backslash:
        return tuple(Item(word, ItemKind.SIGN, backslash, sign, sign) for word, sign in inputs().items())
    start = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    span = Span(start, offset)
    place, new = context_at(text, offset), _declared_on_line(document, offset)
    local = _parameters(document, offset) if isinstance(place, AtExpression) else ()
    found = (p for p in dict.fromkeys((*local, *_proposals(place, document))) if p.label not in new)
    return tuple(Item(p.label, p.kind, span, p.insert or p.label, p.detail, p.about) for p in found)


def _declared_on_line(document: Document, offset: int) -> set[str]:
    """Names that are being declared on the line of an offset."""
    line = document.source.position(offset)[0]
    new = [d for d in document.names.declared.values() if d.kind not in (Kind.PARAMETER, Kind.INDEX)]
    return {d.text for d in new if document.source.position(d.span.start)[0] == line}


def _parameters(document: Document, offset: int) -> Iterator[_Proposal]:
    """The parameters of the enclosing function definition, except coordinates."""
    lines = [line.tokens for line in document.lines.lines if span_of(line.tokens[0]).start < offset]
    if lines and lines[-1][0].type == "LET":
        names = [token for token in takewhile(lambda token: token.type != "EQUAL", lines[-1]) if token.type == "NAME"]
        known = document.names.declared
        yield from (
            _Proposal(str(n), ItemKind.NAME, Kind.PARAMETER) for n in names[1:] if canonical_name(n) not in known
        )


def _proposals(place: CursorContext, document: Document) -> Iterator[_Proposal]:
    match place:
        case NoCompletion():
            return
        case AtStart():
            yield from _statements(document)
            yield from _expression(document, False)
        case AtEntry(block=block):
            yield from (_Proposal(k, ItemKind.ARGUMENT, entry_text(block, k)) for k in ENTRIES.get(block, {}))
        case AtCall(forms=forms):
            yield from _calls(forms)
        case AtArgument(form=form, named=named, count=count):
            yield from _arguments(form, named, count)
        case AtValue(param=param):
            yield from _values(param)
            yield from (_names(document, Kind.CONSTANT) if not isinstance(param.kind, Choice | Flag) else ())
        case AtChoice(words=words):
            yield from (_Proposal(word, ItemKind.VALUE) for word in words)
        case AtAxiom():
            yield from _axioms(document)
        case AtSpace():
            yield from (_Proposal(form, ItemKind.TYPE) for form in SPACES)
        case AtFace():
            yield from (_Proposal(side, ItemKind.VALUE) for side in _faces(document))
        case AtType(base=base):
            known = TYPE_ATTRIBUTES.get(base, ()) if base else TYPES
            yield from (_Proposal(word, ItemKind.TYPE) for word in known)
        case AtName(kinds=kinds):
            yield from _names(document, *kinds)
        case AtExpression(ends=ends):
            yield from _expression(document, ends)
        case _:
            assert_never(place)


# ---- Statements and expressions


def _statements(document: Document) -> Iterator[_Proposal]:
    """Keywords, except unique statements that are already present."""
    once = {t.Header: "pde", t.SpaceDecl: "space", t.TimeDecl: "time"}
    there = {once.get(type(s), "") for s in document.syntax.statements}
    there |= {s.kind.id for s in document.syntax.statements if isinstance(s, t.BlockStmt)}
    for word in KEYWORDS:
        if word not in there:
            yield _Proposal(word, ItemKind.KEYWORD, STATEMENT_EXAMPLES[word.upper()])


def _expression(document: Document, ends: bool) -> Iterator[_Proposal]:
    yield from _names(document, *Kind)
    for word in sorted(RESERVED):
        count = FUNCTIONS[word][0] if word in FUNCTIONS else 1
        detail = {-1: "two or more arguments"}.get(count, "")
        yield _Proposal(word, ItemKind.FUNCTION, detail)
    if ends:
        yield from (_Proposal(word, ItemKind.KEYWORD) for word in ("on", "for", "where", "periodic", "from", "in"))


def _names(document: Document, *kinds: Kind) -> Iterator[_Proposal]:
    for declaration in document.names.declared.values():
        if declaration.kind in kinds:
            statement = declaration.statement
            detail = document.source.quote(statement.span) if statement else declaration.kind
            yield _Proposal(declaration.text, ItemKind.NAME, detail)


def _axioms(document: Document) -> Iterator[_Proposal]:
    """Axioms with their verdicts."""
    verdicts = document.analysis.axioms if document.analysis else {}
    for axiom in verdicts or Axiom:
        verdict = verdicts.get(axiom)
        yield _Proposal(str(axiom), ItemKind.VALUE, verdict.truth if verdict else "", verdict.reason if verdict else "")


def _faces(document: Document) -> tuple[str, ...]:
    if document.spec is not None:
        return ("boundary", *document.spec.space.boundary)
    spaces = [s for s in document.syntax.statements if isinstance(s, t.SpaceDecl)]
    count = len(spaces[0].names) if spaces else 0
    return ("boundary", *(side for k in range(count) for side in face_names(k)))


# ---- Calls and their arguments


def _calls(forms: Forms[Any]) -> Iterator[_Proposal]:
    for name, form in forms.items():
        needed = next((key for key, param in form.params.items() if param.required), None)
        insert = f"{name}({needed}=" if needed else name
        first = cleandoc(form.of.__doc__ or "").split("\n")[0]
        yield _Proposal(name, ItemKind.WORD, first, call_text(form), insert)


def _arguments(form: Form[Any], named: frozenset[str], count: int) -> Iterator[_Proposal]:
    """Remaining arguments, and values of the next positional one."""
    keys = list(form.params)
    for key in keys[count - len(named) :]:
        if key not in named:
            yield _Proposal(key, ItemKind.ARGUMENT, allowed_values(form.params[key]), insert=f"{key}=")
    if not named and count < len(keys):
        yield from _values(form.params[keys[count]])


def _values(param: Param) -> Iterator[_Proposal]:
    default = default_of(param)
    match param.kind:
        case Choice(words=words):
            pass
        case Flag():
            words = ("true", "false")
        case _:
            words = (default,) if default else ()
    for word in words:
        yield _Proposal(word, ItemKind.VALUE, "default" if word == default else "", allowed_values(param))
