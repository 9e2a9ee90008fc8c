"""Derivatives in the notations of other books: `u_xx`, `∂_t u`, `∂u²/∂x`, `∂^2u/∂x^2`."""

from __future__ import annotations

import re

from lark import Token

from pdedsl import mistakes
from pdedsl.frontend.syntax.differentials import denominator
from pdedsl.frontend.syntax.foreign import Reading, Rewritten, edge, made, span_over
from pdedsl.frontend.syntax.names import identity, raised, superscript

_ORDER = r"(?:\^?([0-9]{1,2})|([⁰¹²³⁴-⁹]{1,2}))?"
_ABOVE = re.compile(rf"∂{_ORDER}[ \t]*([^\W\d_]\w*?)([₀-₉]*)([⁰¹²³⁴-⁹]*)[ \t]*/[ \t]*(∂.+)$")
_TIGHT = re.compile(r"d\^([0-9]{1,2})[ \t]*([^\W\d]\w*)[ \t]*/[ \t]*((?:d[^\W\d]\w*(?:\^[0-9]{1,2})?)+)")
_RAISED = re.compile(r"[⁰¹²³⁴-⁹]+")


def by_subscript(reading: Reading) -> Rewritten | None:
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
    return [made("DERIVATIVE", spelled, *old)], 1 if len(old) == 1 else 4


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


def by_operator(reading: Reading) -> Rewritten | None:
    """`∂_t`, `∂_xx`, `∂_{xy}`."""
    token = reading.tokens[0]
    if token.type != "BELOW":
        return None
    order = _split(token[2:].strip("{}"), reading.names.variables)
    if not order:
        raise mistakes.notation.derivative(token, span_over(token, token))
    variables = denominator("".join(f"d{v}" for v in order), len(order), reading.names.variables)
    return [token.update("OPERATOR", f"∂{superscript(len(order))}/{''.join(variables or ())}")], 1


def by_quotient(reading: Reading) -> Rewritten | None:
    """`∂u²/∂x`, `∂H₂/∂x`, `∂^2u/∂x^2`, `∂2u/∂x2`; `d^2u/dx^2`."""
    token = reading.tokens[0]
    if token.type == "NAME" and token == "d" and token.start_pos is not None and reading.is_free(token):
        found = _TIGHT.match(reading.text, token.start_pos)
        return _in_ascii(found, reading) if found else None
    above = _ABOVE.match(token) if token.type == "QUOTIENT" else None
    if above is None:
        return None
    plain, sup, body, below, power, under = above.groups()
    order = int(plain or 0) or (raised(sup) if sup else 1)
    return _derived(token, order, body + below + power, under, reading), 1


def _in_ascii(found: re.Match[str], reading: Reading) -> Rewritten:
    order, body, under = found.groups()
    start, end = found.span()
    old = Token("QUOTIENT", found[0], start_pos=start, end_pos=end)
    count = sum(start <= (t.start_pos or 0) < end for t in reading.tokens)
    return _derived(old, int(order), body, under, reading), count


def _derived(old: Token, order: int, body: str, under: str, reading: Reading) -> list[Token]:
    name, below, power = re.fullmatch(r"(.*?)([₀-₉]*)([⁰¹²³⁴-⁹]*)", body).groups()  # type: ignore[union-attr]
    plain = _RAISED.sub(lambda m: str(raised(m[0])), under.replace("∂", "d")).replace("^", "").replace(" ", "")
    variables = denominator(plain, order, reading.names.variables)
    if variables is None or identity(name) not in reading.names.fields:
        raise mistakes.notation.derivative(old, span_over(old, old))
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
