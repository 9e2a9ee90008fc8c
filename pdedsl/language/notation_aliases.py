"""Accepted aliases: unambiguous notation of textbooks and other programs, normalized before parsing.

    u_xx, uₓₓ, ∂_t u, ∂ₓ²u, ∂u²/∂x, ∂^2u/∂x^2, d/dt u        derivatives
    u**2, ==, :=, √u, 2½, ∇^2 u, laplace(u), grad u, ln(u)    operators and functions
    on ∂Ω, train = { … }, epochs: 5                           boundary and blocks

Each rule matches raw tokens from a position on, and replaces the first of them. The new tokens keep the positions of
the old ones, so that errors are shown at the text of the author.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from lark import Token

from pdedsl import errors
from pdedsl.diagnostics import Reporter
from pdedsl.language.names import canonical_name, parse_superscript, superscript
from pdedsl.language.token_stream import (
    BLOCK_KEYWORDS,
    SUBSCRIPT_LETTERS,
    DeclaredNames,
    Rewrite,
    Rule,
    TokenWindow,
    collect_declarations,
    inserted_token,
    parse_denominator,
    replacement_token,
    span_between,
)

# ---- Derivatives


_ORDER = r"(?:\^?([0-9]{1,2})|([⁰¹²³⁴-⁹]{1,2}))?"
_QUOTIENT = re.compile(rf"∂{_ORDER}[ \t]*([^\W\d_]\w*?)([₀-₉]*)([⁰¹²³⁴-⁹]*)[ \t]*/[ \t]*(∂.+)$")
_ASCII_QUOTIENT = re.compile(
    r"d(?:\^([0-9]{1,2})|([⁰¹²³⁴-⁹]{1,2}))[ \t]*([^\W\d]\w*)[ \t]*/[ \t]*((?:d[^\W\d]\w*(?:\^[0-9]{1,2})?)+)"
)
_ASCII_OPERATOR = re.compile(rf"d{_ORDER}[ \t]*/[ \t]*((?:d[^\W\d_][^\W⁰¹²³⁴-⁹]*?(?:\^[0-9]|[⁰¹²³⁴-⁹])?)+)(?![\w^])")
_RAISED = re.compile(r"[⁰¹²³⁴-⁹]+")
_POWER = re.compile(r"(?:\^([0-9])|([⁰¹²³⁴-⁹]))?$")
_SUBSCRIPT_TABLE = str.maketrans(SUBSCRIPT_LETTERS, "aeoxhpstruv")


def subscript_derivative(window: TokenWindow) -> Rewrite | None:
    """`u_xx`, `u_{xx}`, `u_{,xx}`, `uₓₓ`."""
    match [*window.tokens[:2], *window.tokens[2 + window.comma : 4 + window.comma]]:
        case [
            Token(type="NAME") as word,
            Token(type="LBRACE"),
            Token(type="NAME") as below,
            Token(type="RBRACE") as end,
        ]:
            if word.endswith("_") and window.are_adjacent(4 + window.comma):
                return _derivative_of_subscript(word[:-1], below, window, word, end)
        case [Token(type="NAME") as word, *_] if "_" in word and window.is_undeclared(word):
            body, _, under = word.rpartition("_")
            return _derivative_of_subscript(body, under, window, word)
        case [Token(type="NAME") as word, *_] if word[-1] in SUBSCRIPT_LETTERS and window.is_undeclared(word):
            body = word.rstrip(SUBSCRIPT_LETTERS)
            return _derivative_of_subscript(body, word[len(body) :].translate(_SUBSCRIPT_TABLE), window, word)
    return None


def _derivative_of_subscript(body: str, below: str, window: TokenWindow, *old: Token) -> Rewrite | None:
    if canonical_name(body) not in window.names.functions:
        return None
    variables = _split_variables(below, window.names.variables)
    if variables is None and below == "n" and window.is_undeclared("n"):
        return [replacement_token("DERIVATIVE", f"∂{body}/∂n", *old)], 1 if len(old) == 1 else 4 + window.comma
    if variables is None:
        return None
    order = len(variables)
    below = "".join(parse_denominator("".join(f"d{v}" for v in variables), order, window.names.variables) or ())
    spelling = f"∂{superscript(order) if order > 1 else ''}{body}/{below}"
    return [replacement_token("DERIVATIVE", spelling, *old)], 1 if len(old) == 1 else 4 + window.comma


def _split_variables(below: str, variables: set[str]) -> list[str] | None:
    """`xxy` as a list of variables, the longest names first."""
    if not below:
        return []
    for end in range(len(below), 0, -1):
        if canonical_name(below[:end]) in variables:
            rest = _split_variables(below[end:], variables)
            if rest is not None:
                return [below[:end], *rest]
    return None


def operator_derivative(window: TokenWindow) -> Rewrite | None:
    """`∂_t`, `∂_xx`, `∂_{xy}`, `∂_x²`, `∂ₓ²`, `∂t`."""
    token = window.tokens[0]
    power = _POWER.search(token)
    assert power
    below = token[1 : power.start()].translate(_SUBSCRIPT_TABLE).strip("_{}")
    order = _split_variables(below, window.names.variables)
    if not order and canonical_name(below) in window.names.functions and window.types[1:2] == ("LPAR",):
        closing = next((other for other in window.tokens if other.type == "RPAR"), window.tokens[1])
        places = span_between(token, token), span_between(window.tokens[1], closing)
        raise errors.syntax.arguments_in_derivative(below, *places)
    if not order or (power[0] and len(order) > 1):
        known = sorted(window.names.variables)
        raise errors.syntax.unknown_derivative(token, known, span_between(token, token), window.names.functions)
    order *= int(power[1] or 0) or (parse_superscript(power[2]) if power[2] else 1)
    variables = parse_denominator("".join(f"d{v}" for v in order), len(order), window.names.variables)
    return [token.update("OPERATOR", f"∂{superscript(len(order))}/{''.join(variables or ())}")], 1


def quotient_derivative(window: TokenWindow) -> Rewrite | None:
    """`∂u²/∂x`, `∂H₂/∂x`, `∂^2u/∂x^2`, `∂2u/∂x2`; `d^2u/dx^2`, `d²u/dx²`."""
    token = window.tokens[0]
    if token.type == "NAME" and token == "d" and token.start_pos is not None and window.is_undeclared(token):
        if match := _ASCII_QUOTIENT.match(window.text, token.start_pos):
            return _ascii_quotient(match, window)
        alone = _ASCII_OPERATOR.match(window.text, token.start_pos)
        return _ascii_operator(alone, window) if alone else None
    above = _QUOTIENT.match(token) if token.type == "QUOTIENT" else None
    if above is None:
        return None
    plain, sup, body, below, power, under = above.groups()
    order = int(plain or 0) or (parse_superscript(sup) if sup else 1)
    return _derivative_tokens(token, order, body + below + power, under, window), 1


def _ascii_quotient(match: re.Match[str], window: TokenWindow) -> Rewrite:
    plain, sup, body, under = match.groups()
    order = int(plain or 0) or parse_superscript(sup)
    start, end = match.span()
    old = Token("QUOTIENT", match[0], start_pos=start, end_pos=end)
    count = sum(start <= (t.start_pos or 0) < end for t in window.tokens)
    return _derivative_tokens(old, order, body, under, window), count


def _ascii_operator(match: re.Match[str], window: TokenWindow) -> Rewrite | None:
    """`d/dt u`, `d²/dx² u`."""
    plain, sup, under = match.groups()
    order = int(plain or 0) or (parse_superscript(sup) if sup else 1)
    variables = parse_denominator(_ascii_denominator(under), order, window.names.variables)
    start, end = match.span()
    count = sum(start <= (t.start_pos or 0) < end for t in window.tokens)
    if variables is None:
        return None
    above = superscript(order) if order > 1 else ""
    return [Token("OPERATOR", f"∂{above}/{''.join(variables)}", start_pos=start, end_pos=end)], count


def _ascii_denominator(under: str) -> str:
    """`∂x^2` and `dx²` as `dx2`."""
    return (
        _RAISED.sub(lambda m: str(parse_superscript(m[0])), under.replace("∂", "d")).replace("^", "").replace(" ", "")
    )


def _derivative_tokens(old: Token, order: int, body: str, under: str, window: TokenWindow) -> list[Token]:
    name, below, power = re.fullmatch(r"(.*?)([₀-₉]*)([⁰¹²³⁴-⁹]*)", body).groups()  # type: ignore[union-attr]
    variables = parse_denominator(_ascii_denominator(under), order, window.names.variables)
    if variables is None or canonical_name(name) not in window.names.fields:
        raise errors.syntax.unknown_derivative(old, sorted(window.names.variables), span_between(old, old))
    over = "".join(variables)
    if name == body:
        return [replacement_token("DERIVATIVE", f"∂{superscript(order)}{name}/{over}", old)]
    inner = [replacement_token("NAME", name, old)]
    inner += [replacement_token("SUBSCRIPT", below, old)] if below else []
    inner += [replacement_token("SUPERSCRIPT", power, old)] if power else []
    head = Token("PARTIAL", f"∂{superscript(order)}", start_pos=old.start_pos, end_pos=old.start_pos)
    bracket = inserted_token("LPAR", "(", old.start_pos)
    return [
        head,
        bracket,
        *inner,
        inserted_token("RPAR", ")", old.end_pos),
        replacement_token("DENOMINATOR", f"/{over}", old),
    ]


def normal_derivative(window: TokenWindow) -> Rewrite | None:
    """`du/dn` on a boundary, where ∂u/∂n is n·∇u."""
    match window.tokens[:3]:
        case [Token(type="NAME") as above, Token(type="SLASH"), Token(type="NAME") as below]:
            body = above.removeprefix("d")
            named = canonical_name(body) in window.names.fields and above != body
            if (
                below == "dn"
                and named
                and window.is_undeclared(above)
                and window.is_undeclared("n")
                and window.are_adjacent(3)
            ):
                return [replacement_token("DERIVATIVE", f"∂{body}/∂n", above, below)], 3
    return None


# ---- Application of the rules


FUNCTION_ALIASES = {"laplace": "lap", "laplacian": "lap", "Laplacian": "lap", "nabla": "grad", "ln": "log"}
FUNCTION_ALIASES |= {"gradient": "grad", "divergence": "div", "rot": "curl"}
FUNCTION_ALIASES |= {"dirac": "delta", "Dirac": "delta", "DiracDelta": "delta"}
OPERATOR_ALIASES = {"laplace": "LAPLACIAN", "laplacian": "LAPLACIAN", "Laplacian": "LAPLACIAN", "lap": "LAPLACIAN"}
OPERATOR_ALIASES |= {"nabla": "NABLA", "grad": "NABLA", "div": "DIV", "curl": "CURL", "rot": "CURL"}
OPERATOR_SIGNS = {"LAPLACIAN": "Δ", "NABLA": "∇", "DIV": "∇·", "CURL": "∇×"}
OPERAND_START = {"NAME", "NABLA", "LAPLACIAN", "DIV", "CURL", "DERIVATIVE", "LPAR"}


def normalize_notation(tokens: list[Token], text: str, reporter: Reporter) -> list[Token]:
    """Raw tokens with all aliases replaced."""
    tokens = _strip_spec_braces(tokens, reporter)
    names = collect_declarations(line for is_line, line in _split_lines(tokens) if is_line)
    return list(_strip_entry_assignments(list(_apply_rules(tokens, names, text, reporter))))


def _split_lines(tokens: list[Token]) -> Iterator[tuple[bool, list[Token]]]:
    return ((kind, list(group)) for kind, group in groupby(tokens, key=lambda token: token.type != "NEWLINE"))


def _apply_rules(tokens: list[Token], names: DeclaredNames, text: str, reporter: Reporter) -> Iterator[Token]:
    i, variables = 0, _variables_of_diff(tokens)
    while i < len(tokens):
        rewrite: Rewrite = [tokens[i]], 1
        if (rules := RULES.get(tokens[i].type)) and i not in variables:
            with reporter.guard():
                rewrite = _first_match(rules, TokenWindow(tokens[i : i + 8], names, text)) or rewrite
        yield from rewrite[0]
        i += rewrite[1]


def _variables_of_diff(tokens: list[Token]) -> set[int]:
    """Positions of the variables in `diff(u, x, y)`, which are not derivatives: `diff(u, u_t)` is an error."""
    positions, depth = set(), 0
    open_calls: list[tuple[int, bool]] = []  # the depth of each open `diff`, and whether its first comma was passed
    for i, token in enumerate(tokens):
        if token.type in ("LPAR", "LSQB", "LBRACE"):
            depth += 1
            if i and tokens[i - 1] == "diff":
                open_calls.append((depth, False))
        elif token.type in ("RPAR", "RSQB", "RBRACE"):
            open_calls = open_calls[:-1] if open_calls and open_calls[-1][0] == depth else open_calls
            depth -= 1
        elif token.type == "COMMA" and open_calls and open_calls[-1][0] == depth:
            open_calls[-1] = depth, True
        elif token.type == "NAME" and open_calls and open_calls[-1] == (depth, True):
            positions.add(i)
    return positions


def _first_match(rules: tuple[Rule, ...], window: TokenWindow) -> Rewrite | None:
    return next((rewrite for rule in rules if (rewrite := rule(window)) is not None), None)


# ---- Signs and numbers


def _double_operator(window: TokenWindow) -> Rewrite | None:
    """`**`, `==` and `:=`; `//` and `/*` are reported: they do not start a comment."""
    a, b = (*window.tokens, *window.tokens)[:2]
    signs = {"**": "CARET", "==": "EQUAL", ":=": "EQUAL"}
    if not window.are_adjacent(2) or a + b not in (*signs, "//", "/*"):
        return None
    if a == "/":
        raise errors.syntax.foreign_comment(a + b, span_between(a, b))
    return [replacement_token(signs[a + b], {"CARET": "^", "EQUAL": "="}[signs[a + b]], a, b)], 2


def _mixed_fraction(window: TokenWindow) -> Rewrite | None:
    """`2½` is 5/2; `1.5.2` is an error."""
    match window.types[:2]:
        case ("NUMBER", "NUMBER") if window.are_adjacent(2):
            a, b = window.tokens[:2]
            raise errors.syntax.invalid_number(a + b, span_between(a, b))
        case ("NUMBER", "FRACTION") if window.are_adjacent(2) and window.tokens[0].isdigit():
            whole, part = window.tokens[:2]
            plus = inserted_token("PLUS", "+", part.start_pos)
            return [
                inserted_token("LPAR", "(", whole.start_pos),
                whole,
                plus,
                part,
                inserted_token("RPAR", ")", part.end_pos),
            ], 2
    return None


def _root(window: TokenWindow) -> Rewrite | None:
    """`√u`, `√(…)`."""
    match window.types[:2]:
        case ("ROOT", "LPAR"):
            sign, bracket = window.tokens[:2]
            return [Token("NAME", "sqrt", start_pos=sign.start_pos, end_pos=bracket.start_pos), bracket], 2
        case ("ROOT", "NAME" | "NUMBER"):
            sign, body = window.tokens[:2]
            after = window.tokens[2:3]
            if after and after[0].start_pos == body.end_pos and after[0].type in ("SUPERSCRIPT", "CARET", "LPAR"):
                power = after[0].type == "SUPERSCRIPT"
                raise errors.syntax.ambiguous_root(span_between(sign, after[0]), span_between(body, body), power)
            name = Token("NAME", "sqrt", start_pos=sign.start_pos, end_pos=body.start_pos)
            return [
                name,
                inserted_token("LPAR", "(", body.start_pos),
                body,
                inserted_token("RPAR", ")", body.end_pos),
            ], 2
    return None


# ---- Operators


def _laplacian(window: TokenWindow) -> Rewrite | None:
    """`∇^2`, `nabla^2`, `nabla²`; `Δ^2`."""
    match window.tokens[:3]:
        case [Token(type="LAPLACIAN") as sign, Token(type="CARET") as caret, Token(type="NUMBER") as power]:
            if power.isdigit() and len(power) == 1:
                return [sign, replacement_token("SUPERSCRIPT", superscript(int(power)), caret, power)], 3
        case [Token(type="NABLA" | "NAME") as nabla, Token(type="CARET"), Token(type="NUMBER") as two]:
            if two == "2" and (nabla.type == "NABLA" or (nabla == "nabla" and window.is_undeclared(nabla))):
                return [replacement_token("LAPLACIAN", "Δ", nabla, two)], 3
        case [Token(type="NAME") as nabla, Token(type="SUPERSCRIPT") as two, *_]:
            if nabla == "nabla" and two == "²" and window.is_undeclared(nabla):
                return [replacement_token("LAPLACIAN", "Δ", nabla, two)], 2
    return None


def _operator(window: TokenWindow) -> Rewrite | None:
    """`laplace(u)`, `Laplacian u`, `grad u`; `ln(u)`."""
    word = window.tokens[0]
    if (
        word.type != "NAME"
        or word not in FUNCTION_ALIASES | OPERATOR_ALIASES
        or not window.is_undeclared(word)
        or len(window.tokens) < 2
    ):
        return None
    after = window.tokens[1]
    if after.type == "LPAR" and window.are_adjacent(2):
        return ([word.update(value=FUNCTION_ALIASES[word])], 1) if word in FUNCTION_ALIASES else None
    if word in OPERATOR_ALIASES and after.type in OPERAND_START:
        return [replacement_token(OPERATOR_ALIASES[word], OPERATOR_SIGNS[OPERATOR_ALIASES[word]], word)], 1
    return None


def _curl(window: TokenWindow) -> Rewrite | None:
    """`∇*B` is reported: it may be meant as a curl or as a divergence."""
    if window.types[:2] == ("NABLA", "STAR"):
        raise errors.syntax.nabla_star(span_between(*window.tokens[:2]))
    return None


def _keyword_argument(window: TokenWindow) -> Rewrite | None:
    """`u(x=0, t)`."""
    match window.tokens[:4]:
        case [
            Token(type="NAME") as name,
            Token(type="LPAR"),
            Token(type="NAME") as variable,
            Token(type="EQUAL") as is_,
        ]:
            if canonical_name(name) in window.names.functions and canonical_name(variable) in window.names.variables:
                first = [token.type for token in window.tokens[5:6]] == ["COMMA"]
                key = span_between(variable, is_) if first else None
                raise errors.syntax.named_coordinate_argument(name, variable, span_between(name, variable), key)
    return None


def _transposed(window: TokenWindow) -> Rewrite | None:
    """`v^T` of a vector."""
    match window.tokens[:3]:
        case [Token(type="NAME") as name, Token(type="CARET"), Token(type="NAME") as power] if power == "T":
            if canonical_name(name) in window.names.vectors and window.is_undeclared(power):
                raise errors.syntax.transposed_vector(name, span_between(name, power))
    return None


def _boundary_symbol(window: TokenWindow) -> Rewrite | None:
    """`on ∂Ω`; a part of it, `∂Ω_D`, keeps its name, and is reported as an unknown face."""
    token = window.tokens[0]
    return [token.update("NAME", "boundary" if token in ("∂Ω", "∂Omega") else str(token))], 1


# ---- Blocks


def _block_brace(window: TokenWindow) -> Rewrite | None:
    """`train` with its brace on the next line, or with a sign before it: `train = {`."""
    first = window.tokens[0]
    if first.type not in BLOCK_KEYWORDS:
        return None
    if window.types[1:3] in (("EQUAL", "LBRACE"), ("COLON", "LBRACE")):
        return [first], 2
    lines = 0
    while window.types[1 + lines : 2 + lines] == ("NEWLINE",):
        lines += 1
    if lines and window.types[1 + lines : 2 + lines] == ("LBRACE",):
        return [first], 1 + lines
    return None


def _strip_spec_braces(tokens: list[Token], reporter: Reporter) -> list[Token]:
    """The tokens without braces around a whole spec: `pde Heat {`."""
    words = [i for i, token in enumerate(tokens) if token.type != "NEWLINE"]
    kinds = [tokens[i].type for i in words]
    at = 3 if kinds[2:3] == ["STRING"] else 2
    if kinds[:2] != ["PDE", "NAME"] or kinds[at : at + 1] != ["LBRACE"]:
        return tokens
    brace = tokens[words[at]]
    last = words[-1] if kinds[-1] == "RBRACE" else -1
    closing = span_between(tokens[last], tokens[last]) if last >= 0 else None
    reporter.add(errors.syntax.braces_around_spec(span_between(brace, brace), closing))
    return [token for i, token in enumerate(tokens) if i not in (words[at], last)]


def _strip_entry_assignments(tokens: list[Token]) -> Iterator[Token]:
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


# Rules by the type of their first token; the first that matches is applied.
RULES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(("STAR", "EQUAL", "COLON", "SLASH"), (_double_operator,)),
    "NUMBER": (_mixed_fraction,),
    "ROOT": (_root,),
    "NABLA": (_laplacian, _curl),
    "LAPLACIAN": (_laplacian,),
    "NAME": (
        _laplacian,
        _operator,
        _keyword_argument,
        _transposed,
        subscript_derivative,
        quotient_derivative,
        normal_derivative,
    ),
    "BOUNDARY": (_boundary_symbol,),
    **dict.fromkeys(("SUBSCRIPT_OPERATOR", "PLAIN_OPERATOR"), (operator_derivative,)),
    "QUOTIENT": (quotient_derivative,),
    **dict.fromkeys(BLOCK_KEYWORDS, (_block_brace,)),
}
