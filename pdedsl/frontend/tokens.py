"""Text → statements as token lists: what white space, brackets and declarations decide before parsing.

The grammar's scanner gives raw tokens. Here newlines that end nothing are dropped, a bracket that touches a name
becomes a call or an index, the sides of norms are told apart, and `du/dx` becomes a derivative when `u` and `x` are
declared so. Every mistake is noted and stepped over, so that the rest of the text is still read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lark import Token
from lark.exceptions import UnexpectedCharacters
from lark.lexer import BasicLexer, LexerState
from lark.utils import TextSlice

from pdedsl.diagnostics import PdeError, Reporter, Source, Span, fail
from pdedsl.frontend.names import identity, subscript, superscript
from pdedsl.frontend.tree import Comment

MAX_TOKENS = 100_000
MAX_DEPTH = 200
MAX_NAME = 100
MAX_NUMBER = 60

OPENING = {"LPAR": ")", "LSQB": "]", "LBRACE": "}", "CALL": ")", "INDEX": "]", "NORM": "‖", "BAR": "|"}
CLOSING = {"RPAR": ")", "RSQB": "]", "RBRACE": "}", "ENDNORM": "‖", "ENDBAR": "|"}
BINARY = {"PLUS", "MINUS", "STAR", "DOT", "SLASH", "CARET", "EQUAL", "COMMA", "RELATION", "COLON"}
OPERAND_END = {
    *("NAME", "NUMBER", "FRACTION", "STRING", "SUPERSCRIPT", "SUBSCRIPT", "ADJOINT", "DERIVATIVE", "OVER"),
    *CLOSING,
}
DECLARING = {"UNKNOWN", "CONST", "LET", "LEARN"}
BLOCKS = {"NETWORK", "TRAIN", "EVALUATE"}
LEADING = {"PDE", "SPACE", "TIME", "REALIZE", "REQUIRE", *DECLARING, *BLOCKS}
_ASCII_DERIVATIVE = re.compile(r"d([0-9]*)(\w+)/d((?:\w|\[\w+\])+)")
_TRANSPOSABLE = {"operator", "matrix"}


def span_of(token: Token) -> Span:
    assert token.start_pos is not None and token.end_pos is not None
    return Span(token.start_pos, token.end_pos)


@dataclass(frozen=True)
class Line:
    """The tokens of one statement, or of one entry when they stand in a block."""

    tokens: list[Token]
    entries: list[list[Token]] | None = None  # of a block


@dataclass
class Declared:
    """Names by what they were declared as: enough to tell a derivative from a quotient."""

    fields: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    transposable: set[str] = field(default_factory=set)


def read_lines(source: Source, scanner: BasicLexer, reporter: Reporter) -> tuple[list[Line], tuple[Comment, ...]]:
    """The statements of a text, and its comments."""
    raw, comments = _scan(source, scanner, reporter)
    declared = _declared(raw)
    derived = list(_with_derivatives(raw, declared, source))
    return list(_lines(_with_brackets(derived, declared, reporter), reporter)), comments


# ---- scanning


def _scan(source: Source, scanner: BasicLexer, reporter: Reporter) -> tuple[list[Token], tuple[Comment, ...]]:
    """Raw tokens; a character that starts no token is reported and skipped."""
    comments: list[Comment] = []
    state = LexerState(TextSlice.cast_from(source.text))
    tokens: list[Token] = []
    while True:
        try:
            token = scanner.next_token(state)
        except EOFError:
            return tokens, tuple(comments)
        except UnexpectedCharacters as error:
            at = error.pos_in_stream
            reporter.diagnostics.extend(_stray(source, at).diagnostics)
            state.line_ctr.feed(source.text[at], source.text[at] == "\n")
            if len(reporter.errors) >= 20:
                raise fail("E100", "too many stray characters: this does not look like a spec", Span(at, at + 1)) from None
            continue
        if token.type == "COMMENT":
            comments.append(Comment(token.rstrip(), span=span_of(token)))
            continue
        tokens.append(token)
        with reporter.guard():
            _check_length(token)
        if len(tokens) > MAX_TOKENS:
            raise fail("E006", f"the spec has more than {MAX_TOKENS:,} words and signs", span_of(token))


def _stray(source: Source, at: int) -> PdeError:
    char = source.text[at]
    if char == '"':
        end = source.text.find("\n", at)
        return fail("E110", "this text is never closed", Span(at, len(source.text) if end < 0 else end), 'add the closing "')
    hint = {
        "∂": "a derivative is written ∂u/∂t or ∂(…)/∂x",
        "'": 'texts stand in double quotes: "…"',
        ";": "a statement ends at the end of its line",
        "\\": "the language has no backslash: write σ or sigma, ∇ or grad(…)",
        "∫": "integrals are not part of the language",
        "!": "factorials are not part of the language",
    }.get(char, "")
    shown = f"'{char}'" if char.isprintable() else "this character"
    return fail("E101", f"{shown} (U+{ord(char):04X}) has no meaning here", Span(at, at + 1), hint)


def _check_length(token: Token) -> None:
    if token.type == "NAME" and len(token) > MAX_NAME:
        raise fail("E109", f"a name of {len(token):,} characters; the most is {MAX_NAME}", span_of(token))
    if token.type == "NUMBER" and len(token) > MAX_NUMBER:
        raise fail("E108", f"a number of {len(token):,} characters; the most is {MAX_NUMBER}", span_of(token))


# ---- derivatives in ASCII


def _declared(tokens: list[Token]) -> Declared:
    """What the declarations say, read off the first words of each line."""
    found = Declared()
    previous = "NEWLINE"
    for i, token in enumerate(tokens):
        if previous == "NEWLINE" and token.type in DECLARING and _type(tokens, i + 1) == "NAME":
            name = identity(tokens[i + 1])
            found.fields.add(name)
            if _declares_matrix(tokens, i + 2):
                found.transposable.add(name)
        elif previous == "NEWLINE" and token.type in ("SPACE", "TIME"):
            for later in tokens[i + 1 : i + 40]:
                if later.type not in ("NAME", "LPAR", "RPAR", "COMMA"):
                    break
                if later.type == "NAME":
                    found.variables.add(identity(later))
        previous = token.type
    return found


def _type(tokens: list[Token], i: int) -> str:
    return tokens[i].type if i < len(tokens) else ""


def _declares_matrix(tokens: list[Token], i: int) -> bool:
    """After the name: `(…) : operator`, `: matrix`, or `= [[`."""
    for j in range(i, min(i + 20, len(tokens))):
        if tokens[j].type == "COLON":
            return _type(tokens, j + 1) == "NAME" and tokens[j + 1] in _TRANSPOSABLE
        if tokens[j].type == "EQUAL":
            return _type(tokens, j + 1) == "LSQB" and _type(tokens, j + 2) == "LSQB"
        if tokens[j].type == "NEWLINE":
            break
    return False


def _with_derivatives(tokens: list[Token], declared: Declared, source: Source) -> Iterator[Token]:
    """`du/dt`, written tightly, for a declared `u` and `t`: one token, as `∂u/∂t` is."""
    i = 0
    while i < len(tokens):
        token = tokens[i]
        match = (
            _ASCII_DERIVATIVE.match(source.text, token.start_pos)
            if token.type == "NAME" and token[0] == "d" and _type(tokens, i + 1) == "SLASH"
            else None
        )
        spelled = match and _ascii_derivative(match, declared)
        if match and spelled:
            yield _made("DERIVATIVE", spelled, token.start_pos, match.end())
            while i < len(tokens) and (tokens[i].start_pos or 0) < match.end():
                i += 1
        else:
            yield token
            i += 1


def _made(kind: str, text: str, start: int | None, end: int | None) -> Token:
    return Token(kind, text, start_pos=start, end_pos=end)


def _ascii_derivative(match: re.Match[str], declared: Declared) -> str | None:
    """The derivative with ∂, or None if the declarations do not make it one."""
    order, below = int(match[1] or 1), match[3]
    numerators = [(order, match[2])] + ([(1, match[1] + match[2])] if match[1] else [])
    for n, name in numerators:
        if identity(name) in declared.fields and n <= 99:
            variables = _denominator("d" + below, n, declared.variables)
            if variables is not None:
                return f"∂{superscript(n)}{name}/{''.join(variables)}"
    return None


def _denominator(text: str, order: int, variables: set[str]) -> list[str] | None:
    """`dxdy`, `dx2`, `dx[i]2` as `∂x¹`, `∂y¹`, …, such that the orders sum to `order`."""
    if not text:
        return [] if order == 0 else None
    if order <= 0 or text[0] != "d":
        return None
    for end in range(len(text), 1, -1):
        if identity(text[1:end]) not in variables:
            continue
        rest = re.match(r"(?:\[(\w+)\])?([0-9]{0,2})", text[end:])
        assert rest
        index = subscript([rest[1]]) if rest[1] else ""
        power = int(rest[2] or 1)
        after = _denominator(text[end + rest.end() :], order - power, variables)
        if after is not None and index is not None:
            return [f"∂{text[1:end]}{index}{superscript(power)}", *after]
    return None


# ---- brackets


@dataclass(frozen=True)
class _Open:
    token: Token
    closer: str


def _with_brackets(tokens: list[Token], declared: Declared, reporter: Reporter) -> Iterator[Token]:
    """Tokens with calls, indices, norms and adjoints told apart, and without the newlines that end nothing."""
    stack: list[_Open] = []
    previous: Token | None = None
    skip = -1
    for i, token in enumerate(tokens):
        if i <= skip:
            continue
        if token.type == "NEWLINE":
            if stack and stack[-1].closer != "}" and _starts_statement(tokens, i + 1):
                reporter.diagnostics.extend(_unclosed(stack[-1].token).diagnostics)
                while stack and stack[-1].closer != "}":
                    stack.pop()
            elif (stack and stack[-1].closer != "}") or (previous is not None and previous.type in BINARY):
                continue
        elif token.type == "CARET" and _is_adjoint(tokens, i, declared):
            skip = i + 1
            token = _made("ADJOINT", "ᵀ", token.start_pos, tokens[i + 1].end_pos)
        else:
            if token.type in LEADING and (stack or (previous is not None and previous.type != "NEWLINE")):
                token = token.update("NAME")
            token = _told_apart(token, previous, stack)
            with reporter.guard():
                _match(token, stack)
            if len(stack) > MAX_DEPTH:
                raise fail("E107", f"brackets nested over {MAX_DEPTH} deep", span_of(token), "name a part with let")
        yield token
        previous = token
    for left in stack:
        reporter.diagnostics.extend(_unclosed(left.token).diagnostics)


def _starts_statement(tokens: list[Token], i: int) -> bool:
    """A keyword at the start of a line: an open bracket before it was forgotten."""
    return _type(tokens, i) in LEADING and _type(tokens, i + 1) in ("NAME", "LPAR", "LBRACE", *LEADING)


def _is_adjoint(tokens: list[Token], i: int, declared: Declared) -> bool:
    return (
        _type(tokens, i + 1) == "NAME"
        and tokens[i + 1] == "T"
        and i > 0
        and tokens[i - 1].type == "NAME"
        and identity(tokens[i - 1]) in declared.transposable
    )


def _told_apart(token: Token, previous: Token | None, stack: list[_Open]) -> Token:
    touches = previous is not None and previous.end_pos == token.start_pos
    ended = previous is not None and previous.type in OPERAND_END
    match token.type:
        case "LPAR" if touches and previous is not None and previous.type in ("NAME", "DERIVATIVE", "ADJOINT"):
            return token.update("CALL")
        case "LSQB" if touches and previous is not None and previous.type == "NAME":
            return token.update("INDEX")
        case "NORM" if ended and stack and stack[-1].closer == "‖":
            return token.update("ENDNORM")
        case "BAR" if ended and stack and stack[-1].closer == "|":
            return token.update("ENDBAR")
        case _:
            return token


def _match(token: Token, stack: list[_Open]) -> None:
    if token.type in OPENING:
        stack.append(_Open(token, OPENING[token.type]))
    elif token.type in CLOSING:
        if not stack:
            raise fail("E104", f"'{token}' closes nothing", span_of(token), "remove it, or add the opening bracket")
        opened = stack.pop()
        if opened.closer != CLOSING[token.type]:
            raise fail(
                "E104",
                f"'{token}' closes '{opened.token}'",
                span_of(token),
                f"expected '{opened.closer}'",
                ((span_of(opened.token), "opened here"),),
            )


def _unclosed(token: Token) -> PdeError:
    return fail("E103", f"'{token}' is never closed", span_of(token), f"add '{OPENING[token.type]}'")


# ---- lines


def _lines(tokens: Iterator[Token], reporter: Reporter) -> Iterator[Line]:
    """Statements; a block's entries are lines of their own."""
    current: list[Token] = []
    block: Line | None = None
    for token in tokens:
        if token.type == "LBRACE" and block is None and [t.type for t in current if t.type in BLOCKS]:
            block, current = Line([*current, token], []), []
        elif block is not None and token.type in ("NEWLINE", "RBRACE"):
            assert block.entries is not None
            if current:
                block.entries.append(current)
            current = []
            if token.type == "RBRACE":
                yield replace(block, tokens=[*block.tokens, token])
                block = None
        elif token.type == "NEWLINE":
            if current:
                yield Line(current)
            current = []
        else:
            current.append(token)
    if block is not None:
        yield block
    if current:
        yield Line(current)
