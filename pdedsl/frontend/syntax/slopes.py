"""Derivatives in the notations of other books: `u_xx`, `uₓₓ`, `∂_t u`, `∂ₓ²u`, `∂u²/∂x`, `∂^2u/∂x^2`, `d/dt u`."""

from __future__ import annotations

import re

from lark import Token

from pdedsl import mistakes
from pdedsl.frontend.syntax.differentials import denominator
from pdedsl.frontend.syntax.foreign import SMALL, Reading, Rewritten, edge, made, span_over
from pdedsl.frontend.syntax.names import identity, raised, superscript

_ORDER = r"(?:\^?([0-9]{1,2})|([⁰¹²³⁴-⁹]{1,2}))?"
_ABOVE = re.compile(rf"∂{_ORDER}[ \t]*([^\W\d_]\w*?)([₀-₉]*)([⁰¹²³⁴-⁹]*)[ \t]*/[ \t]*(∂.+)$")
_TIGHT = re.compile(
    r"d(?:\^([0-9]{1,2})|([⁰¹²³⁴-⁹]{1,2}))[ \t]*([^\W\d]\w*)[ \t]*/[ \t]*((?:d[^\W\d]\w*(?:\^[0-9]{1,2})?)+)"
)
_ALONE = re.compile(rf"d{_ORDER}[ \t]*/[ \t]*((?:d[^\W\d_][^\W⁰¹²³⁴-⁹]*?(?:\^[0-9]|[⁰¹²³⁴-⁹])?)+)(?![\w^])")
_RAISED = re.compile(r"[⁰¹²³⁴-⁹]+")
_POWER = re.compile(r"(?:\^([0-9])|([⁰¹²³⁴-⁹]))?$")
_LETTERS = str.maketrans(SMALL, "aeoxhpstruv")


def by_subscript(reading: Reading) -> Rewritten | None:
    """`u_xx`, `u_{xx}`, `u_{,xx}`, `uₓₓ`."""
    match [*reading.tokens[:2], *reading.tokens[2 + reading.comma : 4 + reading.comma]]:
        case [
            Token(type="NAME") as word,
            Token(type="LBRACE"),
            Token(type="NAME") as below,
            Token(type="RBRACE") as end,
        ]:
            if word.endswith("_") and reading.tight(4 + reading.comma):
                return _subscripted(word[:-1], below, reading, word, end)
        case [Token(type="NAME") as word, *_] if "_" in word and reading.is_free(word):
            body, _, under = word.rpartition("_")
            return _subscripted(body, under, reading, word)
        case [Token(type="NAME") as word, *_] if word[-1] in SMALL and reading.is_free(word):
            body = word.rstrip(SMALL)
            return _subscripted(body, word[len(body) :].translate(_LETTERS), reading, word)
    return None


def _subscripted(body: str, below: str, reading: Reading, *old: Token) -> Rewritten | None:
    if identity(body) not in reading.names.functions:
        return None
    order = _split(below, reading.names.variables)
    if order is None and below == "n" and reading.is_free("n"):
        return [made("DERIVATIVE", f"∂{body}/∂n", *old)], 1 if len(old) == 1 else 4 + reading.comma
    if order is None:
        return None
    variables = denominator("".join(f"d{v}" for v in order), len(order), reading.names.variables)
    spelled = f"∂{superscript(len(order)) if len(order) > 1 else ''}{body}/{''.join(variables or ())}"
    return [made("DERIVATIVE", spelled, *old)], 1 if len(old) == 1 else 4 + reading.comma


def _split(below: str, variables: set[str]) -> list[str] | None:
    """`xxy` split into variables, trying the longest names first."""
    if not below:
        return []
    for end in range(len(below), 0, -1):
        if identity(below[:end]) in variables:
            rest = _split(below[end:], variables)
            if rest is not None:
                return [below[:end], *rest]
    return None


def by_operator(reading: Reading) -> Rewritten | None:
    """`∂_t`, `∂_xx`, `∂_{xy}`, `∂_x²`, `∂ₓ²`, `∂t`."""
    token = reading.tokens[0]
    power = _POWER.search(token)
    assert power
    below = token[1 : power.start()].translate(_LETTERS).strip("_{}")
    order = _split(below, reading.names.variables)
    if not order and identity(below) in reading.names.functions and reading.kinds[1:2] == ("LPAR",):
        closing = next((other for other in reading.tokens if other.type == "RPAR"), reading.tokens[1])
        places = span_over(token, token), span_over(reading.tokens[1], closing)
        raise mistakes.notation.arguments_of_slope(below, *places)
    if not order or (power[0] and len(order) > 1):
        known = sorted(reading.names.variables)
        raise mistakes.notation.derivative(token, known, span_over(token, token), reading.names.functions)
    order *= int(power[1] or 0) or (raised(power[2]) if power[2] else 1)
    variables = denominator("".join(f"d{v}" for v in order), len(order), reading.names.variables)
    return [token.update("OPERATOR", f"∂{superscript(len(order))}/{''.join(variables or ())}")], 1


def by_quotient(reading: Reading) -> Rewritten | None:
    """`∂u²/∂x`, `∂H₂/∂x`, `∂^2u/∂x^2`, `∂2u/∂x2`; `d^2u/dx^2`, `d²u/dx²`."""
    token = reading.tokens[0]
    if token.type == "NAME" and token == "d" and token.start_pos is not None and reading.is_free(token):
        if found := _TIGHT.match(reading.text, token.start_pos):
            return _in_ascii(found, reading)
        alone = _ALONE.match(reading.text, token.start_pos)
        return _in_front(alone, reading) if alone else None
    above = _ABOVE.match(token) if token.type == "QUOTIENT" else None
    if above is None:
        return None
    plain, sup, body, below, power, under = above.groups()
    order = int(plain or 0) or (raised(sup) if sup else 1)
    return _derived(token, order, body + below + power, under, reading), 1


def _in_ascii(found: re.Match[str], reading: Reading) -> Rewritten:
    plain, sup, body, under = found.groups()
    order = int(plain or 0) or raised(sup)
    start, end = found.span()
    old = Token("QUOTIENT", found[0], start_pos=start, end_pos=end)
    count = sum(start <= (t.start_pos or 0) < end for t in reading.tokens)
    return _derived(old, order, body, under, reading), count


def _in_front(found: re.Match[str], reading: Reading) -> Rewritten | None:
    """`d/dt u`, `d²/dx² u`."""
    plain, sup, under = found.groups()
    order = int(plain or 0) or (raised(sup) if sup else 1)
    variables = denominator(_flat(under), order, reading.names.variables)
    start, end = found.span()
    count = sum(start <= (t.start_pos or 0) < end for t in reading.tokens)
    if variables is None:
        return None
    above = superscript(order) if order > 1 else ""
    return [Token("OPERATOR", f"∂{above}/{''.join(variables)}", start_pos=start, end_pos=end)], count


def _flat(under: str) -> str:
    """`∂x^2` and `dx²` as `dx2`."""
    return _RAISED.sub(lambda m: str(raised(m[0])), under.replace("∂", "d")).replace("^", "").replace(" ", "")


def _derived(old: Token, order: int, body: str, under: str, reading: Reading) -> list[Token]:
    name, below, power = re.fullmatch(r"(.*?)([₀-₉]*)([⁰¹²³⁴-⁹]*)", body).groups()  # type: ignore[union-attr]
    variables = denominator(_flat(under), order, reading.names.variables)
    if variables is None or identity(name) not in reading.names.fields:
        raise mistakes.notation.derivative(old, sorted(reading.names.variables), span_over(old, old))
    over = "".join(variables)
    if name == body:
        return [made("DERIVATIVE", f"∂{superscript(order)}{name}/{over}", old)]
    inner = [made("NAME", name, old)]
    inner += [made("SUBSCRIPT", below, old)] if below else []
    inner += [made("SUPERSCRIPT", power, old)] if power else []
    head = Token("PARTIAL", f"∂{superscript(order)}", start_pos=old.start_pos, end_pos=old.start_pos)
    bracket = edge("LPAR", "(", old.start_pos)
    return [head, bracket, *inner, edge("RPAR", ")", old.end_pos), made("OVER", f"/{over}", old)]


def along_normal(reading: Reading) -> Rewritten | None:
    """`du/dn` on a boundary, where ∂u/∂n is n·∇u."""
    match reading.tokens[:3]:
        case [Token(type="NAME") as above, Token(type="SLASH"), Token(type="NAME") as below]:
            body = above.removeprefix("d")
            named = identity(body) in reading.names.fields and above != body
            if below == "dn" and named and reading.is_free(above) and reading.is_free("n") and reading.tight(3):
                return [made("DERIVATIVE", f"∂{body}/∂n", above, below)], 3
    return None
