"""Source → Syntax. Each statement is parsed by itself, so that a mistake in one hides none in another."""

from __future__ import annotations

from itertools import takewhile
from typing import cast

from lark import Token
from lark.exceptions import UnexpectedToken

from pdedsl import mistakes
from pdedsl.diagnostics import PdeError, Reporter, Source, Span, nearest
from pdedsl.frontend.syntax import tree as t
from pdedsl.frontend.syntax.building import cover, name_of
from pdedsl.frontend.syntax.names import identity
from pdedsl.frontend.syntax.tables import parser, scanner
from pdedsl.frontend.syntax.tokens import BLOCKS, LEADING, Line, Lines, read_lines, span_of

MAX_TREE = 1000
ENOUGH = 100  # mistakes behind which nothing more is read
OTHER_WORDS = {
    **dict.fromkeys(("domain", "region"), "space"),
    **dict.fromkeys(("field", "variable", "var"), "unknown"),
    **dict.fromkeys(("constant", "parameter", "param"), "const"),
    **dict.fromkeys(("def", "define", "function"), "let"),
    **dict.fromkeys(("solve", "method", "solver", "discretize"), "realize"),
    **dict.fromkeys(("assert", "assume", "property"), "require"),
}
"""Words that other programs use for ours."""
KEYWORDS = tuple(kind.lower() for kind in sorted(LEADING))


def parse_syntax(source: Source, reporter: Reporter) -> t.Syntax:
    """The statements that can be read; what cannot is in the reporter, and its names are `lost`."""
    return parse_lines(read_lines(source, scanner(), reporter), source, reporter)


def parse_lines(read: Lines, source: Source, reporter: Reporter) -> t.Syntax:
    """The same of tokens."""
    known = read.names.fields | read.names.variables
    statements: list[t.Statement] = []
    lost: set[str] = set()
    for line in read.lines:
        before = len(statements)
        with reporter.guard():
            statements += _read(line, known, reporter)
        if len(statements) == before:
            lost |= _names_lost(line.tokens)
        if len(reporter.errors) >= ENOUGH:
            break
    return t.Syntax(tuple(statements), read.comments, frozenset(lost), span=Span(0, len(source.text)))


def _read(line: Line, known: set[str], reporter: Reporter) -> list[t.Statement]:
    """The statement of a line; none where its mistake was reported already."""
    _check_keyword(line.tokens, known)
    if line.entries is not None:
        return [] if line.spoiled else [_block(line, reporter)]
    return [] if line.spoiled else [cast(t.Statement, _parse(line.tokens, "statement"))]


def _names_lost(tokens: list[Token]) -> set[str]:
    """The keyword of an unreadable declaration and the names that it would have made."""
    first = 0 if len(tokens) > 1 and tokens[1].type == "IN" else 1  # `t in [0, 1]`
    names = takewhile(lambda token: token.type in ("NAME", "LPAR", "COMMA"), tokens[first:])
    keyword = OTHER_WORDS.get(str(tokens[0]), tokens[0].type.lower())
    return {keyword.upper(), *(identity(token) for token in names if token.type == "NAME")}


def _check_keyword(tokens: list[Token], known: set[str]) -> None:
    """A line that starts with two words starts with a keyword: a near miss is one."""
    first = tokens[0]
    follows = tokens[1].type if len(tokens) > 1 else ""
    if first.type != "NAME" or identity(first) in known or follows not in ("NAME", "LPAR", "LBRACE", "BY"):
        return
    typo = OTHER_WORDS.get(str(first)) or nearest(str(first), KEYWORDS)
    if typo or follows == "LBRACE":
        blocks = [kind.lower() for kind in sorted(BLOCKS)]
        raise mistakes.syntax.no_statement(first, typo, blocks, span_of(first))


def _block(line: Line, reporter: Reporter) -> t.BlockStmt:
    keyword = line.tokens[0]
    if keyword.type not in BLOCKS or len(line.tokens) > 3:
        _parse([*line.tokens[:2], line.tokens[-1]], "statement")
    entries: list[t.Entry] = []
    for entry in line.entries or []:
        with reporter.guard():
            if not entry.spoiled:
                entries.append(cast(t.Entry, _parse(entry.tokens, "entry")))
    return t.BlockStmt(name_of(keyword), tuple(entries), span=cover(line.tokens))


def _parse(tokens: list[Token], start: str) -> t.Node:
    steps = parser().parse_interactive(start=start)
    try:
        for token in tokens:
            steps.feed_token(token)
        node = cast(t.Node, steps.feed_token(Token.new_borrow_pos("$END", "", tokens[-1])))
    except UnexpectedToken as error:
        raise _explain(error, tokens) from None
    deep = t.deepest(node, MAX_TREE)
    if deep:
        raise mistakes.syntax.nested_too_deeply(deep.span)
    return node


# ---- syntax errors in the reader's words

EXPECTED = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": 'a text in "…"',
    "EQUAL": "'='",
    "COLON": "':'",
    "IN": "'in'",
    "BY": "'by'",
    "LBRACE": "'{'",
    "RPAR": "')'",
    "RSQB": "']'",
    "ENDNORM": "'‖'",
    "RBRACE": "'}'",
}
DECLARING = ("UNKNOWN", "LEARN", "CONST", "LET")
OPERAND = {"NAME", "NUMBER", "LPAR", "LSQB"}


def _explain(error: UnexpectedToken, tokens: list[Token]) -> PdeError:
    foreign = _foreign(error.token, tokens)
    if foreign is not None:
        return foreign
    accepts = error.accepts or error.expected
    wanted = _wanted(accepts)
    if error.token.type == "$END":
        end = span_of(tokens[-1]).end
        return mistakes.syntax.ends_early(wanted, Span(end - 1, end), _hint(tokens, None))
    return mistakes.syntax.unexpected(error.token, wanted, span_of(error.token), _hint(tokens, error.token))


def _foreign(token: Token, tokens: list[Token]) -> PdeError | None:
    """A decimal comma, or a chain of equalities."""
    at = next((i for i, other in enumerate(tokens) if other is token), 0)
    match tokens[max(at - 1, 0) : at + 2]:
        case [Token(type="NUMBER") as whole, Token(type="COMMA"), Token(type="NUMBER") as part]:
            if whole.end_pos == token.start_pos and token.end_pos == part.start_pos:
                return mistakes.notation.decimal_comma(f"{whole},{part}", span_of(whole).to(span_of(part)))
    if token.type == "SUBSCRIPT" and at == 2 and tokens[0].type in DECLARING:
        return mistakes.notation.subscripted(str(tokens[1]), span_of(tokens[1]).to(span_of(token)))
    if token.type == "EQUAL" and any(other.type == "EQUAL" for other in tokens[:at]):
        return mistakes.notation.two_equalities(span_of(token))
    return None


def _wanted(accepts: set[str]) -> str:
    if accepts >= OPERAND:
        return "an expression"
    named = [text for kind, text in EXPECTED.items() if kind in accepts]
    return " or ".join(named[:3]) if named else "the end of the line"


def _hint(tokens: list[Token], token: Token | None) -> str:
    first = tokens[0]
    if token is not None and token is first and token.type in ("PLUS", "STAR", "SLASH", "DOT", "EQUAL"):
        return f"end the line above with '{token}' to go on here"
    if token is not None and token.type.isupper() and str(token) in KEYWORDS:
        return f"'{token}' is a keyword: choose another name"
    if first.type == "NAME" and str(first) == "if":
        return "the language has no conditions; write pieces in time with 'for t in [a, b]'"
    if token is not None and token.type == "IN" and first.type == "NAME":
        return f"write: time {first} in …, or space {first} in …"
    before = tokens[: next((k for k, other in enumerate(tokens) if other is token), 0)]
    if token is not None and token.type == "COMMA" and any(other.type == "EQUAL" for other in before):
        return "write one statement a line"
    if token is None and not any(other.type == "EQUAL" for other in tokens) and first.type not in SHAPES:
        return "an equation has two sides, as in ∂u/∂t = Δu; a comment starts with #"
    return SHAPES.get(first.type, "")


SHAPES = {
    "PDE": 'as in: pde Name "title"',
    "SPACE": "as in: space x in R^2, space x in image(3, 32, 32), space (x, y) in [0, 1]^2 periodic",
    "TIME": "as in: time t in [0, 1]",
    "UNKNOWN": "as in: unknown u(x, t) : scalar",
    "CONST": "as in: const σ = 0.1",
    "LET": "as in: let f(x) = exp(-x²)",
    "LEARN": "as in: learn v(x, t) : vector = mlp(width=64, depth=4)",
    "EXACT": "as in: exact u = exp(-t) sin(x)",
    "OBSERVE": 'as in: observe u from npz("points.npz")',
    "REALIZE": "as in: realize diffusion by noise(samples=32)",
    "REQUIRE": "as in: require linearity, comparison",
    "NETWORK": "as in: network { … }",
    "TRAIN": "as in: train { … }",
    "EVALUATE": "as in: evaluate { … }",
}
