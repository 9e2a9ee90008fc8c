"""Notations of other books and programs, where they can be read in one way: `u_xx`, `∂_t u`, `∂u²/∂x`, `u**2`, `∇^2 u`.

Each rule looks at the raw tokens from a place on, and gives the tokens of our own notation for the first few of them.
The new ones keep the places of the old, so that a mistake is still shown where it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from lark import Token

from pdedsl import mistakes
from pdedsl.diagnostics import Reporter, Span
from pdedsl.frontend.syntax.differentials import Declared, declared, denominator
from pdedsl.frontend.syntax.names import identity, raised, superscript

BLOCKS = {"NETWORK", "TRAIN", "EVALUATE"}
CALLED = {"laplace": "lap", "laplacian": "lap", "Laplacian": "lap", "nabla": "grad", "ln": "log"}
PREFIXES = {"laplace": "LAPLACIAN", "laplacian": "LAPLACIAN", "Laplacian": "LAPLACIAN", "lap": "LAPLACIAN"}
PREFIXES |= {"nabla": "NABLA", "grad": "NABLA", "div": "DIV"}
SIGN_OF = {"LAPLACIAN": "Δ", "NABLA": "∇", "DIV": "∇·"}
STARTS_OPERAND = {"NAME", "NABLA", "LAPLACIAN", "DIV", "DERIVATIVE", "LPAR"}
_ORDER = r"(?:\^?([0-9]{1,2})|([⁰¹²³⁴-⁹]{1,2}))?"
_ABOVE = re.compile(rf"∂{_ORDER}[ \t]*([^\W\d_]\w*?)([₀-₉]*)([⁰¹²³⁴-⁹]*)[ \t]*/[ \t]*(∂.+)$")
_TIGHT = re.compile(r"d(?:\^([0-9]{1,2}))?[ \t]*([^\W\d]\w*)[ \t]*/[ \t]*((?:d[^\W\d]\w*(?:\^[0-9]{1,2})?)+)")
_RAISED = re.compile(r"[⁰¹²³⁴-⁹]+")


@dataclass(frozen=True)
class Reading:
    """The tokens that are left, what is declared, and the text."""

    tokens: Sequence[Token]
    names: Declared
    text: str

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(token.type for token in self.tokens[:4])

    def tight(self, count: int) -> bool:
        """Whether the first tokens touch each other."""
        pairs = zip(self.tokens[: count - 1], self.tokens[1:count], strict=False)
        return len(self.tokens) >= count and all(a.end_pos == b.start_pos for a, b in pairs)

    def is_free(self, name: str) -> bool:
        """Whether a name is not declared, so that it may be a word of another notation."""
        return identity(name) not in self.names.fields | self.names.variables


_FOREIGN = re.compile(
    r"(?P<ROOT>√)"
    r"|(?P<BELOW>∂_(?:\{\w+\}|\w+))"
    r"|(?P<QUOTIENT>∂(?:\^?[0-9]{1,2}|[⁰¹²³⁴-⁹]{1,2})?[ \t]*[^\W\d_]\w*[₀-₉]*[⁰¹²³⁴-⁹]*[ \t]*/[ \t]*"
    r"(?:∂[^\W\d_]\w*?(?:\^?[0-9]{1,2}|[⁰¹²³⁴-⁹]{1,2})?)+(?!\w))"
    r"|(?P<EDGE>∂(?:Ω|Omega)\b)"
)


def foreign_token(text: str, at: int) -> Token | None:
    """What the scanner of the grammar does not know, as a token for the rules below."""
    found = _FOREIGN.match(text, at)
    if found is None or found.lastgroup is None:
        return None
    return Token(found.lastgroup, found[0], start_pos=at, end_pos=found.end())


Rewritten = tuple[list[Token], int]
"""New tokens, and how many old ones they stand for."""
Rule = Callable[[Reading], Rewritten | None]


def in_our_notation(tokens: list[Token], text: str, reporter: Reporter) -> list[Token]:
    """Raw tokens with every known foreign notation replaced."""
    names = declared(line for is_line, line in _statements(tokens) if is_line)
    return list(_without_assignments(list(_rewritten(tokens, names, text, reporter))))


def _statements(tokens: list[Token]) -> Iterator[tuple[bool, list[Token]]]:
    return ((kind, list(group)) for kind, group in groupby(tokens, key=lambda token: token.type != "NEWLINE"))


def _rewritten(tokens: list[Token], names: Declared, text: str, reporter: Reporter) -> Iterator[Token]:
    i = 0
    while i < len(tokens):
        found: Rewritten = [tokens[i]], 1
        with reporter.guard():
            found = _first(Reading(tokens[i : i + 8], names, text)) or found
        yield from found[0]
        i += found[1]


def _first(reading: Reading) -> Rewritten | None:
    return next((found for rule in RULES if (found := rule(reading)) is not None), None)


def _made(kind: str, text: str, *old: Token) -> Token:
    return Token(kind, text, start_pos=old[0].start_pos, end_pos=old[-1].end_pos)


def _edge(kind: str, text: str, at: int | None) -> Token:
    """A bracket that nobody wrote."""
    return Token(kind, text, start_pos=at, end_pos=at)


def _span(first: Token, last: Token) -> Span:
    assert first.start_pos is not None
    assert last.end_pos is not None
    return Span(first.start_pos, last.end_pos)


# ---- signs


def _doubled(reading: Reading) -> Rewritten | None:
    """`**`, `==` and `:=`; `//` and `/*` start no comment."""
    a, b = (*reading.tokens, *reading.tokens)[:2]
    signs = {"**": "CARET", "==": "EQUAL", ":=": "EQUAL"}
    if not reading.tight(2) or a + b not in (*signs, "//", "/*"):
        return None
    if a == "/":
        raise mistakes.notation.comment(a + b, _span(a, b))
    return [_made(signs[a + b], {"CARET": "^", "EQUAL": "="}[signs[a + b]], a, b)], 2


def _numbers(reading: Reading) -> Rewritten | None:
    """`2½` is 5/2; `1.5.2` is nothing."""
    match reading.kinds[:2]:
        case ("NUMBER", "NUMBER") if reading.tight(2):
            a, b = reading.tokens[:2]
            raise mistakes.notation.two_numbers(a + b, _span(a, b))
        case ("NUMBER", "FRACTION") if reading.tight(2) and reading.tokens[0].isdigit():
            whole, part = reading.tokens[:2]
            plus = _edge("PLUS", "+", part.start_pos)
            return [_edge("LPAR", "(", whole.start_pos), whole, plus, part, _edge("RPAR", ")", part.end_pos)], 2
    return None


def _root(reading: Reading) -> Rewritten | None:
    """`√u`, `√(…)`."""
    match reading.kinds[:2]:
        case ("ROOT", "LPAR"):
            sign, bracket = reading.tokens[:2]
            return [Token("NAME", "sqrt", start_pos=sign.start_pos, end_pos=bracket.start_pos), bracket], 2
        case ("ROOT", "NAME" | "NUMBER"):
            sign, body = reading.tokens[:2]
            after = reading.tokens[2:3]
            if after and after[0].start_pos == body.end_pos and after[0].type in ("SUPERSCRIPT", "CARET", "LPAR"):
                raise mistakes.notation.root(_span(sign, after[0]))
            name = Token("NAME", "sqrt", start_pos=sign.start_pos, end_pos=body.start_pos)
            return [name, _edge("LPAR", "(", body.start_pos), body, _edge("RPAR", ")", body.end_pos)], 2
    return None


# ---- operators


def _laplacian(reading: Reading) -> Rewritten | None:
    """`∇^2`, `nabla^2`."""
    match reading.tokens[:3]:
        case [Token(type="NABLA" | "NAME") as nabla, Token(type="CARET"), Token(type="NUMBER") as two]:
            if two == "2" and (nabla.type == "NABLA" or (nabla == "nabla" and reading.is_free(nabla))):
                return [_made("LAPLACIAN", "Δ", nabla, two)], 3
    return None


def _operator(reading: Reading) -> Rewritten | None:
    """`laplace(u)`, `Laplacian u`, `grad u`; `ln(u)`."""
    word = reading.tokens[0]
    if word.type != "NAME" or word not in CALLED | PREFIXES or not reading.is_free(word) or len(reading.tokens) < 2:
        return None
    after = reading.tokens[1]
    if after.type == "LPAR" and reading.tight(2):
        return ([word.update(value=CALLED[word])], 1) if word in CALLED else None
    if word in PREFIXES and after.type in STARTS_OPERAND:
        return [_made(PREFIXES[word], SIGN_OF[PREFIXES[word]], word)], 1
    return None


def _curl(reading: Reading) -> Rewritten | None:
    if reading.kinds[:2] == ("NABLA", "STAR"):
        raise mistakes.notation.curl(_span(*reading.tokens[:2]))
    return None


def _boundary(reading: Reading) -> Rewritten | None:
    """`on ∂Ω`."""
    token = reading.tokens[0]
    return ([token.update("NAME", "boundary")], 1) if token.type == "EDGE" else None


# ---- derivatives


def _by_subscript(reading: Reading) -> Rewritten | None:
    """`u_xx`, `u_{xx}`."""
    match reading.tokens[:4]:
        case [
            Token(type="NAME") as word,
            Token(type="LBRACE"),
            Token(type="NAME") as below,
            Token(type="RBRACE") as end,
        ]:
            if word.endswith("_") and reading.tight(4):
                return _subscripted(word[:-1], below, reading, word, end)
        case [Token(type="NAME") as word, *_] if "_" in word and reading.is_free(word):
            body, _, under = word.rpartition("_")
            return _subscripted(body, under, reading, word)
    return None


def _subscripted(body: str, below: str, reading: Reading, *old: Token) -> Rewritten | None:
    if identity(body) not in reading.names.functions:
        return None
    order = _split(below, reading.names.variables)
    if order is None:
        return None
    variables = denominator("".join(f"d{v}" for v in order), len(order), reading.names.variables)
    spelled = f"∂{superscript(len(order)) if len(order) > 1 else ''}{body}/{''.join(variables or ())}"
    return [_made("DERIVATIVE", spelled, *old)], 1 if len(old) == 1 else 4


def _split(below: str, variables: set[str]) -> list[str] | None:
    """`xxy` as variables, one after the other; the longest first."""
    if not below:
        return []
    for end in range(len(below), 0, -1):
        if identity(below[:end]) in variables:
            rest = _split(below[end:], variables)
            if rest is not None:
                return [below[:end], *rest]
    return None


def _by_operator(reading: Reading) -> Rewritten | None:
    """`∂_t`, `∂_xx`, `∂_{xy}`."""
    token = reading.tokens[0]
    if token.type != "BELOW":
        return None
    order = _split(token[2:].strip("{}"), reading.names.variables)
    if not order:
        raise mistakes.notation.derivative(token, _span(token, token))
    variables = denominator("".join(f"d{v}" for v in order), len(order), reading.names.variables)
    return [token.update("OPERATOR", f"∂{superscript(len(order))}/{''.join(variables or ())}")], 1


def _by_quotient(reading: Reading) -> Rewritten | None:
    """`∂u²/∂x`, `∂H₂/∂x`, `∂^2u/∂x^2`, `∂2u/∂x2`; `d^2u/dx^2`; `∂u/∂n` is n·∇u."""
    token = reading.tokens[0]
    if token.type == "NAME" and token[0] == "d" and token.start_pos is not None:
        found = _TIGHT.match(reading.text, token.start_pos)
        return _quotient(found, reading, "", "") if found and reading.is_free(token) else None
    if token.type in ("QUOTIENT", "DERIVATIVE"):
        above = _ABOVE.match(token)
        if above is None:
            return None
        plain, sup, body, below, power, under = above.groups()
        order = int(plain or 0) or (raised(sup) if sup else 1)
        return _derived(token, order, body, (below, power), under, reading)
    return None


def _quotient(found: re.Match[str], reading: Reading, below: str, power: str) -> Rewritten | None:
    order, body, under = found.groups()
    start, end = found.span()
    old = Token("QUOTIENT", found[0], start_pos=start, end_pos=end)
    spans = [t for t in reading.tokens if t.start_pos is not None and start <= t.start_pos < end]
    if order is None and _normal(under, reading) is None:
        return None  # our own ASCII, in which du/dx^2 is a square
    made = _derived(old, int(order or 1), body, (below, power), under, reading)
    return made and (made[0], len(spans))


def _derived(
    old: Token, order: int, body: str, marks: tuple[str, str], under: str, reading: Reading
) -> Rewritten | None:
    below, power = marks
    if identity(body) not in reading.names.fields:
        return None
    if order == 1 and _normal(under, reading) is not None:
        return _along_normal(old, body), 1
    if old.type == "DERIVATIVE":
        return None
    plain = _RAISED.sub(lambda m: str(raised(m[0])), under.replace("∂", "d")).replace("^", "").replace(" ", "")
    variables = denominator(plain, order, reading.names.variables)
    if variables is None:
        raise mistakes.notation.derivative(old, _span(old, old))
    over = "".join(variables)
    if not below and not power:
        return [_made("DERIVATIVE", f"∂{superscript(order)}{body}/{over}", old)], 1
    inner = [_made("NAME", body, old)]
    inner += [_made("SUBSCRIPT", below, old)] if below else []
    inner += [_made("SUPERSCRIPT", power, old)] if power else []
    head = Token("PARTIAL", f"∂{superscript(order)}", start_pos=old.start_pos, end_pos=old.start_pos)
    bracket = _edge("LPAR", "(", old.start_pos)
    return [head, bracket, *inner, _edge("RPAR", ")", old.end_pos), _made("OVER", f"/{over}", old)], 1


def _normal(under: str, reading: Reading) -> str | None:
    """Whether a derivative is along the outer normal."""
    return under if under in ("∂n", "dn") and reading.is_free("n") else None


def _along_normal(old: Token, body: str) -> list[Token]:
    start, end = old.start_pos, old.end_pos
    inner = [_made("NAME", "n", old), _edge("DOT", "·", end), _edge("NABLA", "∇", end), _made("NAME", body, old)]
    return [_edge("LPAR", "(", start), *inner, _edge("RPAR", ")", end)]


# ---- blocks


def _brace_below(reading: Reading) -> Rewritten | None:
    """`train` with its brace on the next line."""
    first = reading.tokens[0]
    if first.type not in BLOCKS:
        return None
    lines = 0
    while reading.kinds[1 + lines : 2 + lines] == ("NEWLINE",):
        lines += 1
    if lines and reading.kinds[1 + lines : 2 + lines] == ("LBRACE",):
        return [first], 1 + lines
    return None


def _without_assignments(tokens: list[Token]) -> Iterator[Token]:
    """Entries of blocks as `epochs 5`, where `epochs = 5` or `epochs: 5` was written."""
    open_: list[str] = []
    before: tuple[str, ...] = ("", "")
    for token in tokens:
        if token.type in ("LBRACE", "LPAR", "LSQB"):
            open_.append(token.type)
        elif token.type in ("RBRACE", "RPAR", "RSQB") and open_:
            open_.pop()
        starts = before[1] == "NAME" and before[0] in ("NEWLINE", "LBRACE")
        if open_ == ["LBRACE"] and starts and token.type in ("EQUAL", "COLON"):
            continue
        yield token
        before = (before[1], token.type)


RULES: tuple[Rule, ...] = (
    *(_doubled, _numbers, _root, _laplacian, _operator, _curl, _boundary),
    *(_by_subscript, _by_operator, _by_quotient, _brace_below),
)
