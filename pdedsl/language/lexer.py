"""Letters and signs of other blocks of Unicode, read as the plain ones they stand for: 𝑢 as u, 𝜕 as ∂, “ as ".

Each character becomes exactly one character, so all positions in the text stay valid.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from lark import Token
from lark.exceptions import UnexpectedCharacters
from lark.lexer import BasicLexer, LexerState
from lark.utils import TextSlice

from pdedsl import errors
from pdedsl.diagnostics import PdeError, Reporter, Source, Span
from pdedsl.language.aliases import in_our_notation
from pdedsl.language.ast import Comment
from pdedsl.language.latex import without_latex, without_remarks
from pdedsl.language.names import MAX_NAME, MAX_RAISED
from pdedsl.language.token_stream import DECLARING, Declared, declared, foreign_token, marked

# ---- letters


_BLOCKS = ((0x1D400, 0x1D7FF), (0xFF01, 0xFF5E))  # mathematical alphanumeric symbols, full-width forms
_SIGNS = {
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
    "•": "·",
    "∙": "·",
    "∗": "*",
    "–": "-",
    "△": "Δ",
    "⩽": "≤",
    "⩾": "≥",
    "ℎ": "h",
    "÷": "/",
    "⁄": "/",
    "∕": "/",
    "‐": "-",
    "‑": "-",
    "‒": "-",
    "′": "'",
}


def _plain() -> Iterator[tuple[int, str]]:
    for first, last in _BLOCKS:
        for code in range(first, last + 1):
            letter = unicodedata.normalize("NFKC", chr(code))
            if len(letter) == 1 and letter != chr(code):
                yield code, letter


_TABLE = {**dict(_plain()), **{ord(sign): plain for sign, plain in _SIGNS.items()}}


def plain_letters(text: str) -> str:
    """The text with every such character replaced; its length is unchanged."""
    return text if text.isascii() else text.translate(_TABLE)


# ---- tokens
# Text → statements as token lists: what white space, brackets and declarations decide before parsing.
#
# The grammar's scanner gives raw tokens. Here newlines that do not end a statement are dropped, a bracket that
# touches a name becomes a call or an index, and opening and closing bars of norms are told apart; then
# `differentials` marks `du/dx` and `K^T` according to the declarations. Mistakes are recorded and skipped, so that
# the rest is still read.


MAX_TOKENS = 100_000
MAX_DEPTH = 200
MAX_NUMBER = 60
MAX_DERIVATIVE = 400  # characters
MOST_STRAY = 20
PAIRED = {"⟩": "⟨", "∞": "→"}  # signs that come together, as in ⟨v, w⟩ and x → ∞: only the first is reported

OPENING = {"LPAR": ")", "LSQB": "]", "LBRACE": "}", "CALL": ")", "INDEX": "]", "NORM": "‖", "BAR": "|"}
CLOSING = {"RPAR": ")", "RSQB": "]", "RBRACE": "}", "ENDNORM": "‖", "ENDBAR": "|"}
BINARY = {"PLUS", "MINUS", "STAR", "DOT", "SLASH", "CARET", "EQUAL", "COMMA", "RELATION", "COLON"}
OPERAND_END = {
    *("NAME", "NUMBER", "FRACTION", "STRING", "SUPERSCRIPT", "SUBSCRIPT", "ADJOINT", "DERIVATIVE", "OVER"),
    *CLOSING,
}
BLOCKS = {"NETWORK", "TRAIN", "EVALUATE"}
LEADING = {"PDE", "SPACE", "TIME", "EXACT", "OBSERVE", "REALIZE", "REQUIRE", *DECLARING, *BLOCKS}
INDEXED = {"NAME", "ADJOINT", "RPAR"}
_LINE = re.compile(r"[^\r\n]*")
_ENDS = re.compile(r"[ \t;]*(?:$|#|//|%|[\r\n])")


def span_of(token: Token) -> Span:
    assert token.start_pos is not None
    assert token.end_pos is not None
    return Span(token.start_pos, token.end_pos)


@dataclass(frozen=True)
class Line:
    """The tokens of one statement, or of one entry of a block."""

    tokens: list[Token]
    entries: list[Line] | None = None  # of a block
    spoiled: bool = False  # whether a mistake in it was already reported, so that it is not parsed


@dataclass(frozen=True)
class Lines:
    """The statements of a text, its comments, and the names declared in it."""

    lines: list[Line]
    comments: tuple[Comment, ...]
    names: Declared


def read_lines(source: Source, scanner: BasicLexer, reporter: Reporter) -> Lines:
    text = without_latex(without_remarks(plain_letters(source.text), reporter), reporter)
    raw, comments = _scan(source, text, scanner, reporter)
    tokens = list(_with_brackets(in_our_notation(raw, text, reporter), reporter))
    bad = sorted(d.span.start for d in reporter.errors)
    lines = list(_lines(tokens, bad))
    names = declared(line.tokens for line in lines)
    return Lines([_marked(line, names, text) for line in lines], comments, names)


def _marked(line: Line, names: Declared, text: str) -> Line:
    if line.spoiled and line.entries is None:
        return line
    entries = line.entries and [_marked(entry, names, text) for entry in line.entries]
    return replace(line, tokens=marked(line.tokens, names, text), entries=entries)


# ---- scanning


def _scan(
    source: Source, text: str, scanner: BasicLexer, reporter: Reporter
) -> tuple[list[Token], tuple[Comment, ...]]:
    """Raw tokens of `text`, which is the source in plain letters; comments and strings stay as they were written. A
    character that starts no token is skipped; the first of each line is reported."""
    comments: list[Comment] = []
    strays: list[tuple[str, int]] = []  # characters, each with its line
    state = LexerState(TextSlice.cast_from(text))
    tokens: list[Token] = []
    while True:
        try:
            token = scanner.next_token(state)
        except EOFError:
            return tokens, tuple(comments)
        except UnexpectedCharacters as error:
            at = cast(int, error.pos_in_stream)
            foreign = foreign_token(text, at)
            if foreign is not None:
                tokens.append(foreign)
                state.line_ctr.feed(str(foreign), False)
                continue
            char = source.text[at]
            if char == ";" and _ENDS.match(text, at + 1):  # as other programs end a statement
                state.line_ctr.feed(char, False)
                continue
            line = source.position(at)[0]
            stray = ("`", 0) if char == "`" else (PAIRED.get(char, char), line)
            if stray not in strays and line not in {other for _, other in strays}:  # one cause, one message
                reporter.add(_stray(source, at))
            strays.append(stray)
            state.line_ctr.feed(char, char == "\n")
            if len(strays) >= MOST_STRAY:
                reporter.diagnostics.clear()
                raise errors.syntax.not_a_spec(MOST_STRAY, Span(at, at + 1)) from None
            continue
        if token.type == "COMMENT":
            comments.append(Comment(_written(token, source).rstrip(), span=span_of(token)))
            continue
        tokens.append(token.update(value=_written(token, source)) if token.type == "STRING" else token)
        with reporter.guard():
            _check_length(token)
        if len(tokens) > MAX_TOKENS:
            raise errors.source.too_many_tokens(MAX_TOKENS, span_of(token))


def _written(token: Token, source: Source) -> str:
    return source.text[token.start_pos : token.end_pos]


def _stray(source: Source, at: int) -> PdeError:
    char = source.text[at]
    if char == '"':
        line = _LINE.match(source.text, at)
        assert line
        return errors.syntax.open_text(Span(*line.span()))
    before, after = source.text[source.text.rfind("\n", 0, at) + 1 : at], _LINE.match(source.text, at + 1)
    if char == "." and after:
        return errors.syntax.stray_dot(before, after[0], Span(at, at + 1))
    if char == "\\" and after and not after[0].strip():
        return errors.syntax.late_backslash(Span(at, at + 1))
    return errors.syntax.stray_character(char, Span(at, at + 1))


def _check_length(token: Token) -> None:
    if token.type == "NAME" and len(token) > MAX_NAME:
        raise errors.syntax.long_name(len(token), MAX_NAME, span_of(token))
    if token.type in ("NUMBER", "SUPERSCRIPT", "SUBSCRIPT"):
        most = MAX_NUMBER if token.type == "NUMBER" else MAX_RAISED
        if len(token) > most:
            raise errors.syntax.long_number(len(token), most, span_of(token))
    if token.type in ("DERIVATIVE", "OPERATOR", "PARTIAL", "OVER") and len(token) > MAX_DERIVATIVE:
        raise errors.syntax.long_derivative(len(token), MAX_DERIVATIVE, span_of(token))


# ---- brackets


def _with_brackets(tokens: list[Token], reporter: Reporter) -> Iterator[Token]:
    """Tokens with calls, indices and norms told apart, and without newlines that do not end a statement."""
    stack: list[Token] = []
    previous, closed = Token("NEWLINE", ""), ""
    for i, token in enumerate(tokens):
        if token.type == "NEWLINE":
            bracket = bool(stack) and stack[-1].type != "LBRACE"
            if bracket and _starts_statement(tokens, i + 1):
                reporter.add(_unclosed(stack[-1], tokens))
                while stack and stack[-1].type != "LBRACE":
                    stack.pop()
            elif bracket or previous.type in BINARY:
                continue
        else:
            if token.type in LEADING and (stack or previous.type != "NEWLINE"):
                token = token.update("NAME")
            token = _told_apart(token, previous, closed, stack)
            closed = stack[-1].type if stack and token.type in CLOSING else ""
            with reporter.guard():
                _match(token, stack, reporter)
            if len(stack) > MAX_DEPTH:
                raise errors.syntax.nested_brackets(MAX_DEPTH, span_of(token))
        yield token
        previous = token
    for left in stack:
        reporter.add(_unclosed(left, tokens))


def _starts_statement(tokens: list[Token], i: int) -> bool:
    """Whether a line starts with a keyword: a bracket still open before it was never closed."""
    match tokens[i : i + 2]:
        case [first, second]:
            return first.type in LEADING and second.type in ("NAME", "LPAR", "LBRACE", *LEADING)
    return False


def _told_apart(token: Token, previous: Token, closed: str, stack: list[Token]) -> Token:
    """A bracket with its kind, by what it touches or closes; `closed` is the bracket that the previous token closed."""
    touches = previous.end_pos == token.start_pos
    inner = stack[-1].type if stack and previous.type in OPERAND_END else ""
    match token.type:
        case "LPAR" if touches and previous.type in ("NAME", "DERIVATIVE", "ADJOINT"):
            return token.update("CALL")
        case "LSQB" if touches and (previous.type in INDEXED or closed == "INDEX"):
            return token.update("INDEX")
        case "NORM" | "BAR" if inner == token.type:
            return token.update(f"END{token.type}")
        case _:
            return token


def _match(token: Token, stack: list[Token], reporter: Reporter) -> None:
    if token.type in OPENING:
        stack.append(token)
    elif token.type in CLOSING:
        if not stack:
            raise errors.syntax.closes_nothing(token, span_of(token))
        opened = stack.pop()
        closer = OPENING[opened.type]
        inside = Span(span_of(opened).end, span_of(token).start)
        if closer != CLOSING[token.type] and not any(
            inside.start <= d.span.start < inside.end for d in reporter.errors
        ):
            raise errors.syntax.wrong_closer(token, opened, closer, span_of(token), span_of(opened))


def _unclosed(token: Token, tokens: list[Token]) -> PdeError:
    closer = "\n}" if token.type == "LBRACE" else OPENING[token.type]
    return errors.syntax.never_closed(token, closer, span_of(token), _end_for(token, tokens))


def _end_for(opened: Token, tokens: list[Token]) -> int:
    """Where a bracket was probably meant to close: at the end of its line; for a block, before the next statement."""
    end = span_of(opened).end
    first = bisect_left(tokens, end, key=lambda token: span_of(token).start)
    for i in range(first, len(tokens)):
        if tokens[i].type != "NEWLINE":
            end = span_of(tokens[i]).end
        elif opened.type != "LBRACE" or _starts_statement(tokens, i + 1):
            break
    return end


# ---- lines


def _opens_block(before: list[Token]) -> bool:
    """Whether a brace opens a block: not behind '=', as in `u = 0 on {left, right}`."""
    return bool(before) and before[0].type in {"NAME", *BLOCKS} and all(token.type != "EQUAL" for token in before)


def _lines(tokens: list[Token], bad: list[int]) -> Iterator[Line]:
    """Statements; a block's entries are separate lines. `bad` are the positions of mistakes."""
    current: list[Token] = []
    block: Line | None = None
    since = 0  # the end of the previous line

    def taken(end: int) -> Line:
        spoiled = bisect_left(bad, end) > bisect_left(bad, since)
        return Line(current, spoiled=spoiled)

    for token in tokens:
        start, end = span_of(token)
        if token.type == "LBRACE" and block is None and _opens_block(current):
            block, current = replace(taken(end), tokens=[*current, token], entries=[]), []
            since = end
        elif block is not None and token.type in ("NEWLINE", "RBRACE"):
            assert block.entries is not None
            if current:
                block.entries.append(taken(start))
            current, since = [], end
            if token.type == "RBRACE":
                yield replace(block, tokens=[*block.tokens, token])
                block = None
        elif token.type == "NEWLINE":
            if current:
                yield taken(start)
            current, since = [], end
        else:
            current.append(token)
    if block is not None:
        yield replace(block, spoiled=True)
    if current:
        yield taken(span_of(current[-1]).end + 1)
