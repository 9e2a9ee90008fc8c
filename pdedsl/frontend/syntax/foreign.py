"""A position in the raw tokens, and tokens that the scanner of the grammar does not know."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lark import Token

from pdedsl.diagnostics import Span
from pdedsl.frontend.syntax.differentials import Declared
from pdedsl.frontend.syntax.names import identity

SMALL = "ₐₑₒₓₕₚₛₜᵣᵤᵥ"
"""Letters below the line that are no indices."""
_FOREIGN = re.compile(
    r"(?P<ROOT>√)"
    rf"|(?P<BELOW>∂(?:_(?:\{{\w+\}}|[^\W⁰¹²³⁴-⁹]+)|[{SMALL}]+)(?:\^[0-9]|[⁰¹²³⁴-⁹])?)"
    r"|(?P<QUOTIENT>∂(?:\^?[0-9]{1,2}|[⁰¹²³⁴-⁹]{1,2})?[ \t]*[^\W\d_]\w*[₀-₉]*[⁰¹²³⁴-⁹]*[ \t]*/[ \t]*"
    r"(?:∂[^\W\d_]\w*?(?:\^?[0-9]{1,2}|[⁰¹²³⁴-⁹]{1,2})?)+(?!\w))"
    r"|(?P<EDGE>∂(?:Ω|Omega)(?:_\w+|[₀-₉])?(?!\w))"
    r"|(?P<NEAR>∂[^\W\d_]+(?:\^[0-9]|[⁰¹²³⁴-⁹])?)"
)


def foreign_token(text: str, at: int) -> Token | None:
    """A token that the scanner of the grammar does not know, for the rules of foreign notations."""
    found = _FOREIGN.match(text, at)
    if found is None or found.lastgroup is None:
        return None
    return Token(found.lastgroup, found[0], start_pos=at, end_pos=found.end())


@dataclass(frozen=True)
class Reading:
    """The remaining tokens, the declared names, and the text."""

    tokens: Sequence[Token]
    names: Declared
    text: str

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(token.type for token in self.tokens[:4])

    @property
    def comma(self) -> int:
        """1 if a comma stands behind an opening bracket, as in `u_{,xx}`."""
        return int(self.kinds[2:3] == ("COMMA",))

    def tight(self, count: int) -> bool:
        """Whether the first tokens touch each other."""
        pairs = zip(self.tokens[: count - 1], self.tokens[1:count], strict=False)
        return len(self.tokens) >= count and all(a.end_pos == b.start_pos for a, b in pairs)

    def is_free(self, name: str) -> bool:
        """Whether a name is undeclared, and so may be a word of another notation."""
        return identity(name) not in self.names.fields | self.names.variables


Rewritten = tuple[list[Token], int]
"""New tokens, and how many old ones they stand for."""
Rule = Callable[[Reading], Rewritten | None]


def made(kind: str, text: str, *old: Token) -> Token:
    return Token(kind, text, start_pos=old[0].start_pos, end_pos=old[-1].end_pos)


def edge(kind: str, text: str, at: int | None) -> Token:
    """A bracket that is not in the text."""
    return Token(kind, text, start_pos=at, end_pos=at)


def span_over(first: Token, last: Token) -> Span:
    assert first.start_pos is not None
    assert last.end_pos is not None
    return Span(first.start_pos, last.end_pos)
