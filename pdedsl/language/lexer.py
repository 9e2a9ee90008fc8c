"""Lexer: text → statements as lists of tokens.

The scanner of the grammar yields raw tokens. They are then resolved by whitespace, brackets and declarations: newlines
inside brackets and after binary operators are dropped, a bracket that immediately follows a name opens a call or an
index, and the bars of norms are matched; `token_stream` merges `du/dx` and `K^T` if the names are declared accordingly.
Errors are recorded and skipped, so that the rest of the text is still parsed.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from lark import Token
from lark.exceptions import UnexpectedCharacters
from lark.lexer import BasicLexer, LexerState
from lark.utils import TextSlice

from pdedsl import errors
from pdedsl.diagnostics import PdeError, Reporter, Source, Span
from pdedsl.language.ast import Comment
from pdedsl.language.latex import strip_block_comments, strip_latex
from pdedsl.language.names import MAX_NAME_LENGTH, MAX_SCRIPT_LENGTH
from pdedsl.language.notation_aliases import normalize_notation
from pdedsl.language.token_stream import (
    BLOCK_KEYWORDS,
    DECLARING,
    DeclaredNames,
    collect_declarations,
    match_alias_token,
    resolve_notation,
)
from pdedsl.record import Record

# ---- Character normalization (NFKC of mathematical alphanumerics and full-width forms, and look-alikes)


_UNICODE_RANGES = ((0x1D400, 0x1D7FF), (0xFF01, 0xFF5E))  # mathematical alphanumeric symbols, full-width forms
_LOOKALIKES = {
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


def _nfkc_pairs() -> Iterator[tuple[int, str]]:
    for first, last in _UNICODE_RANGES:
        for code in range(first, last + 1):
            character = unicodedata.normalize("NFKC", chr(code))
            if len(character) == 1 and character != chr(code):
                yield code, character


_TRANSLATION = {**dict(_nfkc_pairs()), **{ord(old): new for old, new in _LOOKALIKES.items()}}


def normalize_characters(text: str) -> str:
    """The text with look-alikes replaced, one character by one, so that positions stay valid: 𝑢 by u, 𝜕 by ∂."""
    return text if text.isascii() else text.translate(_TRANSLATION)


# ---- Tokens


# Limits that no hand-written text reaches; they bound the time and memory for malicious input.
MAX_TOKENS = 100_000
MAX_BRACKET_DEPTH = 200
MAX_NUMBER_LENGTH = 60  # characters
MAX_DERIVATIVE_LENGTH = 400  # characters
MAX_INVALID_CHARACTERS = 20  # above it, the text is not a spec
PAIRED_CHARACTERS = {"⟩": "⟨", "∞": "→"}  # as in ⟨v, w⟩ and x → ∞: only the first is reported

OPENING_BRACKETS = {"LPAR": ")", "LSQB": "]", "LBRACE": "}", "CALL": ")", "INDEX": "]", "NORM": "‖", "BAR": "|"}
CLOSING_BRACKETS = {"RPAR": ")", "RSQB": "]", "RBRACE": "}", "ENDNORM": "‖", "ENDBAR": "|"}
BINARY_OPERATORS = {"PLUS", "MINUS", "STAR", "DOT", "SLASH", "CARET", "EQUAL", "COMMA", "RELATION", "COLON"}
OPERAND_END = {
    *("NAME", "NUMBER", "FRACTION", "STRING", "SUPERSCRIPT", "SUBSCRIPT", "ADJOINT", "DERIVATIVE", "DENOMINATOR"),
    *CLOSING_BRACKETS,
}
# Keywords only before these tokens: elsewhere the name may be declared.
CONTEXTUAL_KEYWORDS = {"SOLVE": "LBRACE", "SWEEP": "LBRACE", "PARAMETER": "NAME", "RANDOM": "NAME"}
STATEMENT_KEYWORDS = {"PDE", "SPACE", "TIME", "EXACT", "OBSERVE", "REALIZE", "REQUIRE", *DECLARING, *BLOCK_KEYWORDS}
INDEXABLE = {"NAME", "ADJOINT", "RPAR"}
_DOTS = re.compile(r"\.\.?")
_LINE = re.compile(r"[^\r\n]*")
_END_OF_LINE = re.compile(r"[ \t;]*(?:$|#|//|%|[\r\n])")


def span_of(token: Token) -> Span:
    assert token.start_pos is not None
    assert token.end_pos is not None
    return Span(token.start_pos, token.end_pos)


class StatementTokens(Record):
    """The tokens of one statement, or of one entry of a block."""

    tokens: list[Token]
    entries: list[StatementTokens] | None = None  # of a block
    has_error: bool = False  # already reported; the statement is not parsed


class TokenizedSource(Record):
    """The statements of a text, its comments, and the declared names."""

    lines: list[StatementTokens]
    comments: tuple[Comment, ...]
    names: DeclaredNames


def tokenize(source: Source, scanner: BasicLexer, reporter: Reporter) -> TokenizedSource:
    text = strip_latex(strip_block_comments(normalize_characters(source.text), reporter), reporter)
    raw, comments = _scan(source, text, scanner, reporter)
    tokens = list(_classify_brackets(normalize_notation(raw, text, reporter), reporter))
    error_positions = sorted(d.span.start for d in reporter.errors)
    lines = list(_split_statements(tokens, error_positions))
    names = collect_declarations(line.tokens for line in lines)
    return TokenizedSource([_resolve_line(line, names, text) for line in lines], comments, names)


def _resolve_line(line: StatementTokens, names: DeclaredNames, text: str) -> StatementTokens:
    if line.has_error and line.entries is None:
        return line
    entries = line.entries and [_resolve_line(entry, names, text) for entry in line.entries]
    return replace(line, tokens=resolve_notation(line.tokens, names, text), entries=entries)


# ---- Scanning


def _scan(
    source: Source, text: str, scanner: BasicLexer, reporter: Reporter
) -> tuple[list[Token], tuple[Comment, ...]]:
    """Raw tokens of `text`, the normalized source; comments and strings keep their original characters. Invalid
    characters are skipped; the first of each line is reported."""
    comments: list[Comment] = []
    invalid: list[tuple[str, int]] = []  # characters with their lines
    state = LexerState(TextSlice.cast_from(text))
    tokens: list[Token] = []
    while True:
        try:
            token = scanner.next_token(state)
        except EOFError:
            return tokens, tuple(comments)
        except UnexpectedCharacters as error:
            at = cast(int, error.pos_in_stream)
            alias = match_alias_token(text, at) or _match_dots(text, at, tokens)
            if alias is not None:
                tokens.append(alias)
                state.line_ctr.feed(str(alias), False)
                continue
            char = source.text[at]
            if char == ";" and _END_OF_LINE.match(text, at + 1):  # MATLAB and C end statements by it
                state.line_ctr.feed(char, False)
                continue
            line = source.position(at)[0]
            entry = ("`", 0) if char == "`" else (PAIRED_CHARACTERS.get(char, char), line)
            if entry not in invalid and line not in {other for _, other in invalid}:
                reporter.add(_invalid_character_error(source, at))
            invalid.append(entry)
            state.line_ctr.feed(char, char == "\n")
            if len(invalid) >= MAX_INVALID_CHARACTERS:
                reporter.diagnostics.clear()
                raise errors.syntax.not_a_spec(MAX_INVALID_CHARACTERS, Span(at, at + 1)) from None
            continue
        if token.type == "COMMENT":
            comments.append(Comment(_source_text(token, source).rstrip(), span=span_of(token)))
            continue
        tokens.append(token.update(value=_source_text(token, source)) if token.type == "STRING" else token)
        with reporter.guard():
            _check_length(token)
        if len(tokens) > MAX_TOKENS:
            raise errors.source.too_many_tokens(MAX_TOKENS, span_of(token))


def _match_dots(text: str, at: int, before: list[Token]) -> Token | None:
    """`.` in a path or `..` in a range, in a block `sweep`; `before` are the tokens before them."""
    brace = next((i for i in range(len(before) - 1, -1, -1) if before[i].type in ("LBRACE", "RBRACE")), 0)
    if brace == 0 or before[brace].type == "RBRACE":
        return None
    keyword = next((token for token in reversed(before[:brace]) if token.type not in ("NEWLINE", "EQUAL", "COLON")), "")
    match = _DOTS.match(text, at)
    if keyword != "sweep" or match is None:
        return None
    return Token("PERIOD" if match[0] == "." else "RANGE", match[0], start_pos=at, end_pos=match.end())


def _source_text(token: Token, source: Source) -> str:
    return source.text[token.start_pos : token.end_pos]


def _invalid_character_error(source: Source, at: int) -> PdeError:
    char = source.text[at]
    if char == '"':
        line = _LINE.match(source.text, at)
        assert line
        return errors.syntax.unterminated_string(Span(*line.span()))
    before, after = source.text[source.text.rfind("\n", 0, at) + 1 : at], _LINE.match(source.text, at + 1)
    if char == "." and after:
        return errors.syntax.unexpected_dot(before, after[0], Span(at, at + 1))
    rest = after[0] if after else ""
    if char == "∫":
        return errors.syntax.integral_limits(Span(at, at + 1))
    if char == "∂" and rest.startswith("^"):
        return errors.unsupported.not_supported(errors.unsupported.FRACTIONAL_DERIVATIVE, Span(at, at + 1))
    if char == "\\" and after and not after[0].strip():
        return errors.syntax.line_continuation(Span(at, at + 1))
    return errors.syntax.unexpected_character(char, Span(at, at + 1))


def _check_length(token: Token) -> None:
    if token.type == "NAME" and len(token) > MAX_NAME_LENGTH:
        raise errors.syntax.name_too_long(len(token), MAX_NAME_LENGTH, span_of(token))
    if token.type in ("NUMBER", "SUPERSCRIPT", "SUBSCRIPT"):
        limit = MAX_NUMBER_LENGTH if token.type == "NUMBER" else MAX_SCRIPT_LENGTH
        if len(token) > limit:
            raise errors.syntax.number_too_long(len(token), limit, span_of(token))
    if token.type in ("DERIVATIVE", "OPERATOR", "PARTIAL", "DENOMINATOR") and len(token) > MAX_DERIVATIVE_LENGTH:
        raise errors.syntax.derivative_too_long(len(token), MAX_DERIVATIVE_LENGTH, span_of(token))


# ---- Brackets


def _classify_brackets(tokens: list[Token], reporter: Reporter) -> Iterator[Token]:
    """Tokens with brackets classified as calls, indices and norms, and without newlines inside statements."""
    stack: list[Token] = []
    previous, closed = Token("NEWLINE", ""), ""
    for i, token in enumerate(tokens):
        if token.type == "NEWLINE":
            bracket = bool(stack) and stack[-1].type != "LBRACE"
            if bracket and _starts_statement(tokens, i + 1):
                reporter.add(_unclosed_error(stack[-1], tokens))
                while stack and stack[-1].type != "LBRACE":
                    stack.pop()
            elif bracket or previous.type in BINARY_OPERATORS:
                continue
        else:
            if token.type in STATEMENT_KEYWORDS and (stack or previous.type != "NEWLINE"):
                token = token.update("NAME")
            required = CONTEXTUAL_KEYWORDS.get(token.type)
            if required and not _precedes(required, tokens, i):
                token = token.update("NAME")
            token = _with_bracket_kind(token, previous, closed, stack)
            closed = stack[-1].type if stack and token.type in CLOSING_BRACKETS else ""
            with reporter.guard():
                _match_bracket(token, stack, reporter)
            if len(stack) > MAX_BRACKET_DEPTH:
                raise errors.syntax.nested_brackets(MAX_BRACKET_DEPTH, span_of(token))
        yield token
        previous = token
    for left in stack:
        reporter.add(_unclosed_error(left, tokens))


def _precedes(required: str, tokens: list[Token], i: int) -> bool:
    """Whether a token is followed by a name, or by a brace: on the same line or the next, or after `=` or `:`."""
    skipped = ("EQUAL", "COLON", "NEWLINE") if required == "LBRACE" else ()
    after = [token.type for token in tokens[i + 1 : i + 3] if token.type not in skipped]
    return after[:1] == [required]


def _starts_statement(tokens: list[Token], i: int) -> bool:
    """Whether a line starts with a keyword, so that a bracket still open before it was never closed."""
    match tokens[i : i + 2]:
        case [first, second]:
            return first.type in STATEMENT_KEYWORDS and second.type in ("NAME", "LPAR", "LBRACE", *STATEMENT_KEYWORDS)
    return False


def _with_bracket_kind(token: Token, previous: Token, closed: str, stack: list[Token]) -> Token:
    """A bracket token with its kind, by its neighbours; `closed` is the bracket that the previous token closed."""
    adjacent = previous.end_pos == token.start_pos
    inner = stack[-1].type if stack and previous.type in OPERAND_END else ""
    match token.type:
        case "LPAR" if adjacent and previous.type in ("NAME", "DERIVATIVE", "ADJOINT"):
            return token.update("CALL")
        case "LSQB" if adjacent and (previous.type in INDEXABLE or closed == "INDEX"):
            return token.update("INDEX")
        case "NORM" | "BAR" if inner == token.type:
            return token.update(f"END{token.type}")
        case _:
            return token


def _match_bracket(token: Token, stack: list[Token], reporter: Reporter) -> None:
    if token.type in OPENING_BRACKETS:
        stack.append(token)
    elif token.type in CLOSING_BRACKETS:
        if not stack:
            raise errors.syntax.unmatched(token, span_of(token))
        opened = stack.pop()
        closer = OPENING_BRACKETS[opened.type]
        inside = Span(span_of(opened).end, span_of(token).start)
        if closer != CLOSING_BRACKETS[token.type] and not any(
            inside.start <= d.span.start < inside.end for d in reporter.errors
        ):
            raise errors.syntax.mismatched(token, opened, closer, span_of(token), span_of(opened))


def _unclosed_error(token: Token, tokens: list[Token]) -> PdeError:
    closer = "\n}" if token.type == "LBRACE" else OPENING_BRACKETS[token.type]
    return errors.syntax.unclosed(token, closer, span_of(token), _closing_position(token, tokens))


def _closing_position(opened: Token, tokens: list[Token]) -> int:
    """Where a missing bracket probably belongs: at the end of the line; for a block, before the next statement."""
    end = span_of(opened).end
    first = bisect_left(tokens, end, key=lambda token: span_of(token).start)
    for i in range(first, len(tokens)):
        if tokens[i].type != "NEWLINE":
            end = span_of(tokens[i]).end
        elif opened.type != "LBRACE" or _starts_statement(tokens, i + 1):
            break
    return end


# ---- Statements


def _opens_block(before: list[Token]) -> bool:
    """Whether a brace opens a block: not after '=', as in `u = 0 on {left, right}`."""
    return (
        bool(before) and before[0].type in {"NAME", *BLOCK_KEYWORDS} and all(token.type != "EQUAL" for token in before)
    )


def _split_statements(tokens: list[Token], error_positions: list[int]) -> Iterator[StatementTokens]:
    """Statements; the entries of a block are separate. `error_positions` are sorted."""
    current: list[Token] = []
    block: StatementTokens | None = None
    since = 0  # the end of the previous line

    def statement(end: int) -> StatementTokens:
        has_error = bisect_left(error_positions, end) > bisect_left(error_positions, since)
        return StatementTokens(current, has_error=has_error)

    for token in tokens:
        start, end = span_of(token)
        if token.type == "LBRACE" and block is None and _opens_block(current):
            block, current = replace(statement(end), tokens=[*current, token], entries=[]), []
            since = end
        elif block is not None and token.type in ("NEWLINE", "RBRACE"):
            assert block.entries is not None
            if current:
                block.entries.append(statement(start))
            current, since = [], end
            if token.type == "RBRACE":
                yield replace(block, tokens=[*block.tokens, token])
                block = None
        elif token.type == "NEWLINE":
            if current:
                yield statement(start)
            current, since = [], end
        else:
            current.append(token)
    if block is not None:
        yield replace(block, has_error=True)
    if current:
        yield statement(span_of(current[-1]).end + 1)
