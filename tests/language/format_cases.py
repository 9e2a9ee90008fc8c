"""Round trips through the formatter."""

from __future__ import annotations

from pdedsl.api import format as formatted
from pdedsl.diagnostics import Reporter, Source
from pdedsl.language import ast as t
from pdedsl.language.parser import parse_syntax

DECLARED = """space (x, y) in R^2
time t in [0, 1]
unknown u(x, y, t) : scalar
unknown F(x, y, t) : vector(2)
learn K(t) : operator
const A = [[1, 0], [0, 1]]
const sigma = 1
"""


def parsed(text: str) -> t.Syntax:
    reporter = Reporter()
    syntax = parse_syntax(Source(text), reporter)
    assert not reporter.diagnostics, (text, reporter.diagnostics)
    return syntax


def expression(text: str) -> t.Expr:
    """The expression that a text is, where the names above are declared."""
    statement = parsed(f"{DECLARED}let probe = {text}\n").statements[-1]
    assert isinstance(statement, t.LetDecl)
    return statement.value


def comments(text: str) -> list[str]:
    return [c.text for c in parsed(text).comments]


def check(text: str) -> None:
    """Both forms have the tree of the text, are fixed points, and each gives the other."""
    unicode, ascii = formatted(text), formatted(text, ascii=True)
    assert formatted(unicode) == unicode
    assert formatted(ascii, ascii=True) == ascii
    assert formatted(ascii) == unicode
    assert formatted(unicode, ascii=True) == ascii
    assert parsed(unicode) == parsed(text)
    assert parsed(ascii) == parsed(text)
    assert comments(unicode) == comments(ascii) == comments(text)
