"""Syntactic context of the cursor, from the tokens before it; it determines the completions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

from lark import Token

from pdedsl.config import keyword_aliases
from pdedsl.config.base import Form, Forms, Param
from pdedsl.config.blocks import ENTRIES, Boxes, Calls, Names, Nothing, Plain
from pdedsl.config.data import MEASURED
from pdedsl.config.methods import PARTS
from pdedsl.config.networks import NETWORKS, OPERATORS
from pdedsl.diagnostics import PdeError, Reporter, Source
from pdedsl.editor.names import Kind
from pdedsl.language.elaborate.declarations import IMAGES
from pdedsl.language.lexer import (
    BINARY_OPERATORS,
    CLOSING_BRACKETS,
    OPENING_BRACKETS,
    OPERAND_END,
    StatementTokens,
    span_of,
    tokenize,
)
from pdedsl.language.parser import scanner
from pdedsl.sources import shipped_specs


@dataclass(frozen=True)
class NoCompletion:
    """In a comment, a string or a new name."""


@dataclass(frozen=True)
class AtStart:
    """At the start of a statement."""


@dataclass(frozen=True)
class AtEntry:
    """At the start of an entry of a block."""

    block: str


@dataclass(frozen=True)
class AtCall:
    """Where a network, method or other call of one of these forms is expected."""

    forms: Forms[Any]


@dataclass(frozen=True)
class AtArgument:
    """At an argument: `named` are the keyword arguments before it, `count` is the number of arguments before it."""

    form: Form[Any]
    named: frozenset[str]
    count: int


@dataclass(frozen=True)
class AtValue:
    """Where the value of an argument or entry is expected."""

    key: str
    param: Param


@dataclass(frozen=True)
class AtChoice:
    """Where one of these names is expected."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class AtAxiom:
    """After `require`."""


@dataclass(frozen=True)
class AtSpace:
    """After `space x in`."""


@dataclass(frozen=True)
class AtFace:
    """After `on`."""


@dataclass(frozen=True)
class AtType:
    """After the colon of a declaration; `base` is the type whose traits may follow."""

    base: str = ""


@dataclass(frozen=True)
class AtName:
    """Where a name of one of these kinds is expected."""

    kinds: tuple[Kind, ...]


@dataclass(frozen=True)
class AtExpression:
    """In an expression; with `ends` after an operand, where the expression may end."""

    ends: bool = False


CursorContext = (
    NoCompletion
    | AtStart
    | AtEntry
    | AtCall
    | AtArgument
    | AtValue
    | AtChoice
    | AtAxiom
    | AtSpace
    | AtFace
    | AtType
    | AtName
    | AtExpression
)


def context_at(text: str, offset: int) -> CursorContext:
    """The context at an offset; the word being typed is ignored."""
    while offset > 0 and (text[offset - 1].isalnum() or text[offset - 1] == "_"):
        offset -= 1
    before = Source(text[:offset])
    try:
        read = tokenize(before, scanner(), Reporter())
    except PdeError:
        return NoCompletion()
    here = before.position(offset)[0]
    if any(before.position(c.span.start)[0] == here for c in read.comments) or _in_string(text, offset):
        return NoCompletion()
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


def _context(tokens: list[Token], block: str) -> CursorContext:
    at = _innermost_bracket(tokens)
    if at is not None:
        return _in_bracket(tokens, at, block)
    if block:
        return _in_entry(tokens, block)
    if not tokens:
        return AtStart()
    return _in_statement([token.type for token in tokens], tokens)


def _in_bracket(tokens: list[Token], at: int, block: str) -> CursorContext:
    if at == 2 and tokens[0].type in ("UNKNOWN", "LEARN", "LET"):
        variables = (Kind.COORDINATE, Kind.TIME)
        return AtName(variables if tokens[0].type == "UNKNOWN" else (*variables, Kind.UNKNOWN))
    outer = _context(tokens[: at - 1], block) if tokens[at].type == "CALL" else _context(tokens[:at], block)
    if tokens[at].type == "LSQB" and isinstance(outer, AtValue):
        return outer
    if tokens[at].type != "CALL" or not isinstance(outer, AtCall | AtSpace):
        return AtExpression(_ends_operand(tokens))
    form = (IMAGES if isinstance(outer, AtSpace) else outer.forms).get(str(tokens[at - 1]))
    return _in_arguments(form, tokens[at + 1 :]) if form else AtExpression(_ends_operand(tokens))


def _in_arguments(form: Form[Any], tokens: list[Token]) -> CursorContext:
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
    match [t.type for t in current]:
        case []:
            return AtArgument(form, named, len(before))
        case ["NAME", "EQUAL"] if str(current[0]) in form.params:
            return AtValue(str(current[0]), form.params[str(current[0])])
        case _:
            return AtExpression(_ends_operand(tokens))


def _in_entry(tokens: list[Token], block: str) -> CursorContext:
    rules = ENTRIES.get(block, {})
    if not tokens:
        return AtEntry(block)
    rule = rules.get(keyword_aliases.ENTRIES.get(block, keyword_aliases.NONE).get(str(tokens[0]), str(tokens[0])))
    if rule is None:
        return NoCompletion()
    if tokens[-1].type == "FROM":
        return AtChoice(tuple(shipped_specs()))
    if len(tokens) > 1 and tokens[-1].type != "COMMA":
        return AtExpression(_ends_operand(tokens))
    match rule.what:
        case Calls(forms=forms):
            return AtCall(forms)
        case Names(words=words):
            return AtChoice(words)
        case Plain(param=param):
            return AtValue(str(tokens[0]), param)
        case Boxes():
            return AtName((Kind.LEARNED,))
        case Nothing():
            return NoCompletion()
        case _:
            assert_never(rule.what)


def _in_statement(kinds: list[str], tokens: list[Token]) -> CursorContext:
    last = kinds[-1]
    match kinds[0]:
        case "PDE" | "NETWORK" | "TRAIN" | "EVALUATE":
            return NoCompletion()
        case "SPACE" | "TIME":
            if not {"IN", "ELEMENT"} & set(kinds):
                return AtChoice(("in",)) if len(kinds) > 1 else NoCompletion()
            whole = AtSpace() if kinds[0] == "SPACE" else AtChoice(("[0, 1]",))
            return whole if last in ("IN", "ELEMENT", "STAR") else AtExpression(_ends_operand(tokens))
        case "UNKNOWN" | "LEARN":
            return _in_declaration(kinds, tokens)
        case "CONST" | "LET":
            return AtExpression(_ends_operand(tokens)) if "EQUAL" in kinds else NoCompletion()
        case "REALIZE":
            if last == "BY":
                return AtCall(PARTS.get(str(tokens[1]), {}))
            return AtChoice(("by",) if len(kinds) > 1 else tuple(PARTS))
        case "REQUIRE":
            return AtAxiom() if last in ("REQUIRE", "COMMA") else NoCompletion()
        case "OBSERVE":
            unknown = AtName((Kind.UNKNOWN,))
            return AtCall(MEASURED) if last == "FROM" else unknown if last != "NAME" else AtChoice(("from",))
        case "EXACT" if "EQUAL" not in kinds:
            return AtName((Kind.UNKNOWN, Kind.LEARNED))
        case _:
            on = "ON" in kinds and "WHERE" not in kinds and last in ("ON", "COMMA")
            return AtFace() if on else AtExpression(_ends_operand(tokens))


def _in_declaration(kinds: list[str], tokens: list[Token]) -> CursorContext:
    """`learn v(x, t) : vector = mlp`."""
    if "COLON" not in kinds:
        return NoCompletion()
    base = next((str(t) for t in tokens[kinds.index("COLON") + 1 :][:1]), "")
    match kinds[-1]:
        case "COLON":
            return AtType()
        case "EQUAL":
            return AtCall(OPERATORS if base == "operator" else {k: NETWORKS[k] for k in NETWORKS if k not in OPERATORS})
        case "COMMA" if "EQUAL" not in kinds:
            return AtType(base)
        case _:
            return AtExpression(_ends_operand(tokens))


def _ends_operand(tokens: list[Token]) -> bool:
    return bool(tokens) and tokens[-1].type in OPERAND_END
