"""Notation that depends on declarations: `du/dx` is a derivative if `u` is declared as a field and `x` as a variable,
otherwise a quotient; `K^T` is an adjoint if `K` is an operator or a matrix.

    d2u/dxdy → ∂²u/∂x¹∂y¹        d2u/dx[i]2 → ∂²u/∂xᵢ²
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile

from lark import Token

from pdedsl.diagnostics import Span
from pdedsl.language import ast as t
from pdedsl.language.names import MAX_NAME_LENGTH, canonical_name, is_differential, subscript, superscript
from pdedsl.record import Record

DECLARING = {"UNKNOWN", "CONST", "LET", "LEARN", "PARAMETER", "RANDOM"}
BLOCK_KEYWORDS = {"NETWORK", "TRAIN", "EVALUATE", "SOLVE", "SWEEP"}
TRANSPOSABLE = {"operator", "matrix"}
_BRACKET_AFTER_DERIVATIVE = {
    "LPAR": "CALL",
    "INDEX": "LSQB",
}  # after dx[i], whose index is now part of the derivative
_COORDINATE_TOKENS = {"NAME", "LPAR", "RPAR", "COMMA"}
_DERIVATIVE = re.compile(r"d([0-9]{0,2})(\w+)/d((?:\w|\[\w+\])+)")
_POWER = re.compile(r"(?:\[(\w+)\])?([0-9]{0,2})")


# ---- Declared names


@dataclass
class DeclaredNames:
    """The declared names, by kind: enough to distinguish a derivative from a quotient."""

    fields: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    transposable: set[str] = field(default_factory=set)
    vectors: set[str] = field(default_factory=set)  # fields of type vector
    functions: set[str] = field(default_factory=set)  # fields declared with arguments


def collect_declarations(statements: Iterable[list[Token]]) -> DeclaredNames:
    """The declared names, by the first tokens of each statement."""
    names = DeclaredNames()
    for first, *rest in statements:
        if first.type in ("SPACE", "TIME"):
            words = takewhile(lambda token: token.type in _COORDINATE_TOKENS, rest)
            names.variables.update(canonical_name(token) for token in words if token.type == "NAME")
        elif first.type in DECLARING and _token_types(rest, 1) == ["NAME"]:
            names.fields.add(canonical_name(rest[0]))
            if len(rest) > 1 and rest[1].type in ("CALL", "LPAR", "SUBSCRIPT"):
                names.functions.add(canonical_name(rest[0]))
            if _declares_matrix(rest[1:]):
                names.transposable.add(canonical_name(rest[0]))
            if _declares_vector(rest[1:]):
                names.vectors.add(canonical_name(rest[0]))
    return names


def _token_types(tokens: list[Token], count: int) -> list[str]:
    return [token.type for token in tokens[:count]]


def _declares_matrix(tokens: list[Token]) -> bool:
    """After the name: `(…) : operator`, `: matrix`, or `= [[`."""
    for i, token in enumerate(tokens):
        after = tokens[i + 1 : i + 3]
        if token.type == "COLON":
            return _token_types(after, 1) == ["NAME"] and after[0] in TRANSPOSABLE
        if token.type == "EQUAL":
            return _token_types(after, 2) == ["LSQB", "LSQB"]
    return False


def _declares_vector(tokens: list[Token]) -> bool:
    """After the name: `(…) : vector`."""
    return any(token.type == "COLON" and tokens[i + 1 : i + 2] == ["vector"] for i, token in enumerate(tokens))


# ---- Derivatives and adjoints as single tokens


def resolve_notation(tokens: list[Token], names: DeclaredNames, text: str) -> list[Token]:
    """The tokens of a statement, with ASCII derivatives and adjoints as the tokens of `∂u/∂t` and `ᵀ`."""
    merged = list(_merge_adjoints(list(_merge_derivatives(tokens, names, text)), names))
    merged = list(_mark_differentials(merged, names))
    return [_resolve_by_context(i, merged, names) for i in range(len(merged))]


def _resolve_by_context(i: int, tokens: list[Token], names: DeclaredNames) -> Token:
    """`u₁(x, 0)` and `u[1](x, 0)` are calls of a declared u, and the ∇ of `(u·∇)` is unapplied."""
    token = tokens[i]
    match token.type, _token_types(tokens[max(i - 4, 0) : i], 4):
        case "LPAR", [*_, "NAME", "SUBSCRIPT"] if _are_adjacent(tokens[i - 1 : i + 1]):
            return token.update("CALL") if canonical_name(tokens[i - 2]) in names.functions else token
        case "LPAR", ["NAME", "INDEX", "NUMBER", "RSQB"] if _are_adjacent(tokens[i - 1 : i + 1]):
            return token.update("CALL") if canonical_name(tokens[i - 4]) in names.functions else token
        case "NABLA", [*_, "DOT"] if _token_types(tokens[i + 1 : i + 2], 1) == ["RPAR"]:
            return token.update("UNAPPLIED_NABLA")
        case _:
            return token


def _are_adjacent(pair: list[Token]) -> bool:
    return pair[0].end_pos == pair[1].start_pos


def _merge_derivatives(tokens: list[Token], names: DeclaredNames, text: str) -> Iterator[Token]:
    end = -1  # of the last derivative; its raw tokens are skipped
    for i, token in enumerate(tokens):
        start = token.start_pos or 0
        if start < end:
            continue
        match = (
            match_ascii_derivative(text, start, names)
            if _token_types(tokens[i : i + 2], 2) == ["NAME", "SLASH"]
            else None
        )
        if match is not None:
            spelling, end = match
            yield Token("DERIVATIVE", spelling, start_pos=start, end_pos=end)
        elif start == end and token.type in _BRACKET_AFTER_DERIVATIVE:
            yield token.update(_BRACKET_AFTER_DERIVATIVE[token.type])
        else:
            yield token


def _merge_adjoints(tokens: list[Token], names: DeclaredNames) -> Iterator[Token]:
    skip = False
    for i, token in enumerate(tokens):
        if skip:
            skip = False
        elif token.type == "CARET" and _is_transpose(tokens[max(i - 1, 0) : i + 2], names):
            yield Token("ADJOINT", "ᵀ", start_pos=token.start_pos, end_pos=tokens[i + 1].end_pos)
            skip = True
        else:
            yield token


def _is_transpose(tokens: list[Token], names: DeclaredNames) -> bool:
    match tokens:
        case [Token(type="NAME") as base, _, Token(type="NAME") as mark]:
            return mark == "T" and canonical_name(base) in names.transposable
    return False


INTEGRALS = {"INTEGRAL_LIMITS", "INTEGRAL_FROM", "INTEGRAL"}
_OPENING = {"LPAR", "LSQB", "CALL", "INDEX", "NORM", "BAR"}
_CLOSING = {"RPAR", "RSQB", "ENDNORM", "ENDBAR"}


def _mark_differentials(tokens: list[Token], names: DeclaredNames) -> Iterator[Token]:
    """Each ∫ ends with the next `ds` on its level of brackets."""
    unfinished = [0]  # integrals, by level of brackets
    for token in tokens:
        if token.type in INTEGRALS:
            unfinished[-1] += 1
        elif token.type in _OPENING:
            unfinished.append(0)
        elif token.type in _CLOSING and len(unfinished) > 1:
            unfinished.pop()
        elif unfinished[-1] and token.type == "NAME" and is_differential(token, names.fields, names.variables):
            unfinished[-1] -= 1
            token = token.update("DIFFERENTIAL")
        yield token


# ---- Derivatives in ASCII


def match_ascii_derivative(text: str, start: int, names: DeclaredNames) -> tuple[str, int] | None:
    """The derivative at a position, spelled with ∂, and its end; None if its names are not declared accordingly."""
    match = _DERIVATIVE.match(text, start)
    if match is None:
        return None
    order, name, below = match.groups()
    for n, body in [(int(order or 1), name), *([(1, order + name)] if order else [])]:
        if canonical_name(body) in names.fields and n <= 99:
            variables = parse_denominator("d" + below, n, names.variables)
            if variables is not None:
                return f"∂{superscript(n)}{body}/{''.join(variables)}", match.end()
    return None


def parse_denominator(text: str, order: int, variables: set[str]) -> list[str] | None:
    """`dxdy`, `dx2`, `dx[i]2` as `∂x¹`, `∂y¹`, …, such that the orders sum to `order`."""

    @cache
    def parse(at: int, left: int) -> list[str] | None:
        if at == len(text) or left <= 0 or text[at] != "d":
            return [] if at == len(text) and left == 0 else None
        for end in range(min(len(text), at + 1 + MAX_NAME_LENGTH), at + 1, -1):
            rest = _POWER.match(text, end) if canonical_name(text[at + 1 : end]) in variables else None
            index = rest and (subscript([rest[1]]) if rest[1] else "")
            if rest is None or index is None:
                continue
            power = int(rest[2] or 1)
            after = parse(rest.end(), left - power) if power else None
            if after is not None:
                return [f"∂{text[at + 1 : end]}{index}{superscript(power)}", *after]
        return None

    return parse(0, order)


def format_ascii_derivative(
    body: t.Name, wrt: Sequence[t.DerivativeVariable], names: DeclaredNames | None
) -> str | None:
    """`d2u/dxdy`, if it is parsed as this derivative; without `names`, its names are assumed to be declared."""
    order = sum(w.order for w in wrt)
    below = "".join(f"d{w.name.id}{_format_index(w.indices)}{w.order if w.order > 1 else ''}" for w in wrt)
    text = f"d{order if order > 1 else ''}{body.id}/{below}"
    denominator = "".join(f"∂{w.name.id}{format_subscript(w.indices)}{superscript(w.order)}" for w in wrt)
    parsed = match_ascii_derivative(text, 0, names or DeclaredNames({body.id}, {w.name.id for w in wrt}))
    return text if parsed == (f"∂{superscript(order)}{body.id}/{denominator}", len(text)) else None


def format_subscript(indices: Sequence[t.Expr]) -> str | None:
    """The indices as a Unicode subscript, or None if they cannot be written as one."""
    return subscript(_index_texts(indices)) if indices else ""


def _format_index(indices: Sequence[t.Expr]) -> str:
    return f"[{','.join(_index_texts(indices))}]" if indices else ""


def _index_texts(indices: Sequence[t.Expr]) -> list[str]:
    return [i.text if isinstance(i, t.Number) else i.id if isinstance(i, t.Name) else "" for i in indices]


# ---- Tokens of other notations, which are not tokens of the grammar


SUBSCRIPT_LETTERS = "ₐₑₒₓₕₚₛₜᵣᵤᵥ"
"""Subscript letters that are not indices."""
_ALIAS_TOKEN = re.compile(
    r"(?P<ROOT>√)"
    rf"|(?P<SUBSCRIPT_OPERATOR>∂(?:_(?:\{{\w+\}}|[^\W⁰¹²³⁴-⁹]+)|[{SUBSCRIPT_LETTERS}]+)(?:\^[0-9]|[⁰¹²³⁴-⁹])?)"
    r"|(?P<QUOTIENT>∂(?:\^?[0-9]{1,2}|[⁰¹²³⁴-⁹]{1,2})?[ \t]*[^\W\d_]\w*[₀-₉]*[⁰¹²³⁴-⁹]*[ \t]*/[ \t]*"
    r"(?:∂[^\W\d_]\w*?(?:\^?[0-9]{1,2}|[⁰¹²³⁴-⁹]{1,2})?)+(?!\w))"
    r"|(?P<BOUNDARY>∂(?:Ω|Omega)(?:_\w+|[₀-₉])?(?!\w))"
    r"|(?P<PLAIN_OPERATOR>∂[^\W\d_]+(?:\^[0-9]|[⁰¹²³⁴-⁹])?)"
)


def match_alias_token(text: str, at: int) -> Token | None:
    """A token of another notation at a position, for the rules of `aliases`."""
    match = _ALIAS_TOKEN.match(text, at)
    if match is None or match.lastgroup is None:
        return None
    return Token(match.lastgroup, match[0], start_pos=at, end_pos=match.end())


class TokenWindow(Record):
    """The next tokens, the declared names, and the text."""

    tokens: Sequence[Token]
    names: DeclaredNames
    text: str

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(token.type for token in self.tokens[:4])

    @property
    def comma(self) -> int:
        """1 if a comma follows an opening brace, as in `u_{,xx}`, otherwise 0."""
        return int(self.types[2:3] == ("COMMA",))

    def are_adjacent(self, count: int) -> bool:
        """Whether there is no whitespace between the first tokens."""
        pairs = zip(self.tokens[: count - 1], self.tokens[1:count], strict=False)
        return len(self.tokens) >= count and all(a.end_pos == b.start_pos for a, b in pairs)

    def is_undeclared(self, name: str) -> bool:
        """Whether a name is undeclared, and so may belong to another notation."""
        return canonical_name(name) not in self.names.fields | self.names.variables


Rewrite = tuple[list[Token], int]
"""New tokens, and the number of tokens that they replace."""
Rule = Callable[[TokenWindow], Rewrite | None]


def replacement_token(kind: str, text: str, *old: Token) -> Token:
    return Token(kind, text, start_pos=old[0].start_pos, end_pos=old[-1].end_pos)


def inserted_token(kind: str, text: str, at: int | None) -> Token:
    """A token that is not in the text."""
    return Token(kind, text, start_pos=at, end_pos=at)


def span_between(first: Token, last: Token) -> Span:
    assert first.start_pos is not None
    assert last.end_pos is not None
    return Span(first.start_pos, last.end_pos)
