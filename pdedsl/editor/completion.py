"""Completions at an offset, with defaults and allowed values, derived from the configuration classes. The tokens before
the cursor determine the context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from inspect import cleandoc
from itertools import takewhile
from pathlib import Path
from typing import Any, assert_never

from lark import Token

from pdedsl.config import keyword_aliases
from pdedsl.config.base import Choice, Flag, Form, Forms, Param
from pdedsl.config.blocks import ENTRIES, BoxRestriction, Calls, NoValue, OptionNames, Plain
from pdedsl.config.data import MEASUREMENT_FILES
from pdedsl.config.distributions import DISTRIBUTIONS, RANDOM_FUNCTIONS
from pdedsl.config.methods import PARTS
from pdedsl.config.networks import NETWORKS, OPERATORS
from pdedsl.config.parameter_docs import meaning_of
from pdedsl.diagnostics import PdeError, Reporter, Source, Span
from pdedsl.editor.conversion import backslash_span, inputs
from pdedsl.editor.document import Document
from pdedsl.editor.documentation import allowed_values, call_text, default_of, entry_text
from pdedsl.editor.names import NameKind
from pdedsl.errors.types import SPACES
from pdedsl.ir.boundary import face_names
from pdedsl.ir.verdicts import Axiom
from pdedsl.language import ast as t
from pdedsl.language.elaborate.declarations import IMAGES
from pdedsl.language.elaborate.expressions import (
    COMPLEX_FUNCTIONS,
    CROSS_PRODUCT,
    FUNCTIONS,
    IMAGINARY_UNIT,
    MATRIX_FUNCTIONS,
    RESERVED,
)
from pdedsl.language.elaborate.mesh_files import mesh_parts
from pdedsl.language.elaborate.types import TYPE_ATTRIBUTES, TYPES, is_complex_type
from pdedsl.language.lexer import (
    BINARY_OPERATORS,
    CLOSING_BRACKETS,
    OPENING_BRACKETS,
    OPERAND_END,
    StatementTokens,
    span_of,
    tokenize,
)
from pdedsl.language.names import canonical_name
from pdedsl.language.parser import scanner
from pdedsl.language.syntax_errors import KEYWORDS, STATEMENT_EXAMPLES
from pdedsl.record import Record
from pdedsl.sources import shipped_specs


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


class CompletionItem(Record):
    """A completion item: `insert` replaces `span`, the text already typed."""

    label: str
    kind: ItemKind
    span: Span
    insert: str
    detail: str = ""
    about: str = ""  # in Markdown


class _Proposal(Record):
    label: str
    kind: ItemKind
    detail: str = ""
    about: str = ""
    insert: str = ""


class ActiveCall(Record):
    """A call of a keyword, and the name of the argument that is being written; empty after the last one."""

    form: Form[Any]
    argument: str


class Context(Record):
    """The proposals at a cursor; `forms` if a network, method or other call of one of these forms is expected there,
    and `is_value` if a value is, which may be a list. `call` is the call around the cursor."""

    propose: Callable[[Document], Iterator[_Proposal]]
    forms: Forms[Any] | None = None
    is_value: bool = False
    call: ActiveCall | None = None


def complete(document: Document, offset: int) -> tuple[CompletionItem, ...]:
    """Completions at an offset."""
    text, offset = document.text, min(offset, len(document.text))
    backslash = backslash_span(text, offset)
    if backslash:
        return tuple(CompletionItem(word, ItemKind.SIGN, backslash, sign, sign) for word, sign in inputs().items())
    start = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    span = Span(start, offset)
    new, context = _declared_on_line(document, offset), context_at(text, offset)
    proposals = (p for p in dict.fromkeys(context.propose(document)) if p.label not in new)
    return tuple(CompletionItem(p.label, p.kind, span, p.insert or p.label, p.detail, p.about) for p in proposals)


def _declared_on_line(document: Document, offset: int) -> set[str]:
    """Names that are being declared on the line of an offset."""
    line = document.source.position(offset)[0]
    new = [d for d in document.names.declared.values() if d.kind not in (NameKind.PARAMETER, NameKind.INDEX)]
    return {d.text for d in new if document.source.position(d.span.start)[0] == line}


# ---- Contexts


def _choice(*words: str) -> Context:
    return Context(lambda _: (_Proposal(word, ItemKind.VALUE) for word in words))


NO_COMPLETION = _choice()  # in a comment, a string or a new name


def _call_context(forms: Forms[Any]) -> Context:
    return Context(lambda _: _calls(forms), forms)


def _value_context(param: Param) -> Context:
    def propose(document: Document) -> Iterator[_Proposal]:
        yield from _values(param)
        yield from _names(document, NameKind.CONSTANT) if not isinstance(param.kind, Choice | Flag) else ()

    return Context(propose, is_value=True)


def _type_context(types: Iterable[str], forms: Forms[Any] | None = None) -> Context:
    return Context(lambda _: (_Proposal(word, ItemKind.TYPE) for word in types), forms)


def _name_context(*kinds: NameKind) -> Context:
    return Context(lambda document: _names(document, *kinds))


def _expression_context(tokens: list[Token]) -> Context:
    """In an expression; after an operand, where it may end, with the keywords that may follow."""
    ends = bool(tokens) and tokens[-1].type in OPERAND_END

    def propose(document: Document) -> Iterator[_Proposal]:
        yield from _parameters(document, tokens)
        yield from _expression(document, ends)

    return Context(propose)


def _start_of_statement(document: Document) -> Iterator[_Proposal]:
    yield from _statements(document)
    yield from _expression(document, False)


def _start_of_entry(block: str) -> Context:
    return Context(lambda _: (_Proposal(k, ItemKind.ARGUMENT, entry_text(block, k)) for k in ENTRIES.get(block, {})))


def _argument_context(form: Form[Any], named: frozenset[str], count: int) -> Context:
    return Context(lambda _: _arguments(form, named, count))


def context_at(text: str, offset: int) -> Context:
    """The context at an offset; the word being typed is ignored."""
    while offset > 0 and (text[offset - 1].isalnum() or text[offset - 1] == "_"):
        offset -= 1
    before = Source(text[:offset])
    try:
        read = tokenize(before, scanner(), Reporter())
    except PdeError:
        return NO_COMPLETION
    here = before.position(offset)[0]
    if any(before.position(c.span.start)[0] == here for c in read.comments) or _in_string(text, offset):
        return NO_COMPLETION
    block, tokens = _current_statement(read.lines, before.text)
    return _context(tokens, block)


def _in_string(text: str, offset: int) -> bool:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line.count('"') % 2 == 1


def _current_statement(lines: list[StatementTokens], text: str) -> tuple[str, list[Token]]:
    """The kind of the enclosing block, if any, and the tokens of the statement or entry being written."""
    block = next((line for line in lines[-2:] if line.entries is not None and line.tokens[-1].type == "LBRACE"), None)
    last = lines[-1] if lines else None
    if last is None:
        return "", []
    if block is None:
        return "", last.tokens if _may_continue(last.tokens, text) else []
    kind = str(block.tokens[0])
    if last is block:
        return kind, []
    return kind, last.tokens if _may_continue(last.tokens, text) else []


def _may_continue(tokens: list[Token], text: str) -> bool:
    """Whether the statement of these tokens may continue at the end of the text."""
    last = tokens[-1]
    closed = last.type == "RBRACE"
    return not closed and (
        _innermost_bracket(tokens) is not None or last.type in BINARY_OPERATORS or "\n" not in text[span_of(last).end :]
    )


def _innermost_bracket(tokens: list[Token]) -> int | None:
    """The index of the innermost open bracket."""
    stack: list[int] = []
    for i, token in enumerate(tokens):
        if token.type in OPENING_BRACKETS:
            stack.append(i)
        elif token.type in CLOSING_BRACKETS and stack:
            stack.pop()
    return stack[-1] if stack else None


# ---- Context after a list of tokens


def _context(tokens: list[Token], block: str) -> Context:
    at = _innermost_bracket(tokens)
    if at is not None:
        return _in_bracket(tokens, at, block)
    if block:
        return _in_entry(tokens, block)
    if not tokens:
        return Context(_start_of_statement)
    return _in_statement([token.type for token in tokens], tokens)


def _in_bracket(tokens: list[Token], at: int, block: str) -> Context:
    if at == 2 and tokens[0].type in ("UNKNOWN", "LEARN", "LET", "PARAMETER"):
        variables = (NameKind.COORDINATE, NameKind.TIME)
        return _name_context(*variables, *((NameKind.UNKNOWN,) if tokens[0].type != "UNKNOWN" else ()))
    outer = _context(tokens[: at - 1], block) if tokens[at].type == "CALL" else _context(tokens[:at], block)
    if tokens[at].type == "LSQB" and outer.is_value:
        return outer
    form = (outer.forms or {}).get(str(tokens[at - 1])) if tokens[at].type == "CALL" else None
    return _in_arguments(form, tokens[at + 1 :]) if form else _expression_context(tokens)


def _in_arguments(form: Form[Any], tokens: list[Token]) -> Context:
    """The context after these tokens in the argument list of a call."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.type in OPENING_BRACKETS) - (token.type in CLOSING_BRACKETS)
        if token.type == "COMMA" and depth == 0:
            arguments.append([])
        else:
            arguments[-1].append(token)
    *before, current = arguments
    named = frozenset(str(a[0]) for a in before if [t.type for t in a[:2]] == ["NAME", "EQUAL"])
    keys = list(form.params)
    positional = keys[len(before)] if len(before) < len(keys) and not named else ""
    match [t.type for t in current]:
        case []:
            context = _argument_context(form, named, len(before))
        case ["NAME", "EQUAL"] if str(current[0]) in form.params:
            positional, context = str(current[0]), _value_context(form.params[str(current[0])])
        case ["NAME", "EQUAL", *_]:
            positional, context = str(current[0]), _expression_context(tokens)
        case _:
            context = _expression_context(tokens)
    return replace(context, call=ActiveCall(form, positional))


def _in_entry(tokens: list[Token], block: str) -> Context:
    if block == "sweep":
        return _in_axis(tokens)
    rules = ENTRIES.get(block, {})
    if not tokens:
        return _start_of_entry(block)
    rule = rules.get(keyword_aliases.ENTRIES.get(block, keyword_aliases.NONE).get(str(tokens[0]), str(tokens[0])))
    if rule is None:
        return NO_COMPLETION
    if tokens[-1].type == "FROM":
        return _choice(*shipped_specs())
    if len(tokens) > 1 and tokens[-1].type != "COMMA":
        return _expression_context(tokens)
    match rule.what:
        case Calls(forms=forms):
            return _call_context(forms)
        case OptionNames(options=options):
            return _choice(*options)
        case Plain(param=param):
            return _value_context(param)
        case BoxRestriction():
            return _name_context(NameKind.LEARNED)
        case NoValue():
            return NO_COMPLETION
        case _:
            assert_never(rule.what)


def _in_axis(tokens: list[Token]) -> Context:
    """In an entry of `sweep`: a constant or the path of an entry, then its values."""
    match [token.type for token in tokens]:
        case []:
            return Context(_start_of_axis)
        case ["NAME", "PERIOD"]:
            return _choice(*PARTS) if tokens[0] == "realize" else _start_of_entry(str(tokens[0]))
        case _:
            return NO_COMPLETION


def _start_of_axis(document: Document) -> Iterator[_Proposal]:
    yield from _names(document, NameKind.CONSTANT)
    yield from (_Proposal(word, ItemKind.KEYWORD) for word in (*ENTRIES, "realize", "learn", "unknown"))


def _in_statement(kinds: list[str], tokens: list[Token]) -> Context:
    last = kinds[-1]
    match kinds[0]:
        case "PDE" | "NETWORK" | "TRAIN" | "EVALUATE":
            return NO_COMPLETION
        case "SPACE" | "TIME":
            if not {"IN", "ELEMENT"} & set(kinds):
                return _choice("in") if len(kinds) > 1 else NO_COMPLETION
            whole = _type_context(SPACES, IMAGES) if kinds[0] == "SPACE" else _choice("[0, 1]")
            return whole if last in ("IN", "ELEMENT", "STAR") else _expression_context(tokens)
        case "UNKNOWN" | "LEARN":
            return _in_declaration(kinds, tokens)
        case "CONST" | "LET":
            return _expression_context(tokens) if "EQUAL" in kinds else NO_COMPLETION
        case "PARAMETER":
            return _call_context(RANDOM_FUNCTIONS) if last == "FROM" else NO_COMPLETION
        case "RANDOM":
            return _call_context(DISTRIBUTIONS) if last == "TILDE" else NO_COMPLETION
        case "REALIZE":
            if last == "BY":
                return _call_context(PARTS.get(str(tokens[1]), {}))
            return _choice(*(("by",) if len(kinds) > 1 else PARTS))
        case "REQUIRE":
            return Context(_axioms) if last in ("REQUIRE", "COMMA") else NO_COMPLETION
        case "OBSERVE":
            unknown = _name_context(NameKind.UNKNOWN)
            return (
                _call_context(MEASUREMENT_FILES) if last == "FROM" else unknown if last != "NAME" else _choice("from")
            )
        case "EXACT" if "EQUAL" not in kinds:
            return _name_context(NameKind.UNKNOWN, NameKind.LEARNED)
        case _:
            on = "ON" in kinds and "WHERE" not in kinds and last in ("ON", "COMMA")
            return Context(_faces) if on else _expression_context(tokens)


def _in_declaration(kinds: list[str], tokens: list[Token]) -> Context:
    """`learn v(x, t) : vector = mlp`."""
    if "COLON" not in kinds:
        return NO_COMPLETION
    base = next((str(t) for t in tokens[kinds.index("COLON") + 1 :][:1]), "")
    match kinds[-1]:
        case "COLON":
            return _type_context(TYPES)
        case "EQUAL":
            return _call_context(
                OPERATORS if base == "operator" else {k: NETWORKS[k] for k in NETWORKS if k not in OPERATORS}
            )
        case "COMMA" if "EQUAL" not in kinds:
            return _type_context(TYPE_ATTRIBUTES.get(base, ()))
        case _:
            return _expression_context(tokens)


# ---- Statements and expressions


def _statements(document: Document) -> Iterator[_Proposal]:
    """Keywords, except unique statements that are already present."""
    once = {t.Header: "pde", t.SpaceDecl: "space", t.TimeDecl: "time"}
    there = {once.get(type(s), "") for s in document.syntax.statements}
    there |= {s.kind.id for s in document.syntax.statements if isinstance(s, t.BlockStmt | t.SweepStmt)}
    for word in KEYWORDS:
        if word not in there:
            yield _Proposal(word, ItemKind.KEYWORD, STATEMENT_EXAMPLES[word.upper()])


def _expression(document: Document, ends: bool) -> Iterator[_Proposal]:
    yield from _names(document, *NameKind)
    for word in sorted(RESERVED):
        count = FUNCTIONS[word][0] if word in FUNCTIONS else 1
        detail = {-1: "two or more arguments"}.get(count, "")
        yield _Proposal(word, ItemKind.FUNCTION, detail)
    yield from (_Proposal(word, ItemKind.FUNCTION, "of a matrix") for word in MATRIX_FUNCTIONS)
    yield _Proposal(CROSS_PRODUCT, ItemKind.FUNCTION, "of two vectors")
    if any(isinstance(s, t.UnknownDecl) and is_complex_type(s) for s in document.syntax.statements):
        yield _Proposal(IMAGINARY_UNIT, ItemKind.NAME, "imaginary unit")
        yield from (_Proposal(word, ItemKind.FUNCTION) for word in COMPLEX_FUNCTIONS)
    if ends:
        yield from (
            _Proposal(word, ItemKind.KEYWORD)
            for word in ("on", "for", "where", "periodic", "antiperiodic", "from", "in")
        )


def _parameters(document: Document, tokens: list[Token]) -> Iterator[_Proposal]:
    """The parameters of the function that the tokens define, except coordinates."""
    if tokens and tokens[0].type == "LET":
        names = [token for token in takewhile(lambda token: token.type != "EQUAL", tokens) if token.type == "NAME"]
        known = document.names.declared
        yield from (
            _Proposal(str(n), ItemKind.NAME, NameKind.PARAMETER) for n in names[1:] if canonical_name(n) not in known
        )


def _names(document: Document, *kinds: NameKind) -> Iterator[_Proposal]:
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


def _faces(document: Document) -> Iterator[_Proposal]:
    spaces = [s for s in document.syntax.statements if isinstance(s, t.SpaceDecl)]
    count = len(spaces[0].names) if spaces else 0
    faces: Iterable[str] = (face for k in range(count) for face in face_names(k))
    if spaces and (parts := mesh_parts(spaces[0], Path(document.source.name).parent)):
        faces = parts
    elif document.spec:
        faces = (face.name for face in document.spec.space.boundary)
    yield from (_Proposal(face, ItemKind.VALUE) for face in ("boundary", *faces))


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
            detail = f"{meaning_of(form.name, key)}; {allowed_values(form.params[key])}"
            yield _Proposal(key, ItemKind.ARGUMENT, detail, insert=f"{key}=")
    if not named and count < len(keys):
        yield from _values(form.params[keys[count]])


def _values(param: Param) -> Iterator[_Proposal]:
    default = default_of(param)
    match param.kind:
        case Choice(options=options):
            values = options
        case Flag():
            values = ("true", "false")
        case _:
            values = (default,) if default else ()
    for value in values:
        yield _Proposal(value, ItemKind.VALUE, "default" if value == default else "", allowed_values(param))
