"""Messages for syntax errors: an unexpected token is explained as a common error, or by an example of the statement."""

from __future__ import annotations

from lark import Token
from lark.exceptions import UnexpectedToken

from pdedsl import errors
from pdedsl.diagnostics import PdeError, Span
from pdedsl.errors.syntax import COORDINATES_HINT, PIECEWISE_HINT, TIME_STEPS_HINT
from pdedsl.language.lexer import BINARY_OPERATORS, STATEMENT_KEYWORDS, span_of
from pdedsl.language.token_stream import BLOCK_KEYWORDS, DECLARING

KEYWORDS = tuple(kind.lower() for kind in sorted(STATEMENT_KEYWORDS))
TOKEN_DESCRIPTIONS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": 'a string "…"',
    "EQUAL": "'='",
    "COLON": "':'",
    "IN": "'in'",
    "BY": "'by'",
    "LBRACE": "'{'",
    "RPAR": "')'",
    "RSQB": "']'",
    "ENDNORM": "'‖'",
    "RBRACE": "'}'",
    "DIFFERENTIAL": "the variable of the integral, as in ds",
}
OPERATORS = {"NABLA", "DIV", "CURL", "LAPLACIAN", "HESSIAN", "OPERATOR"}
OPERAND_TOKENS = {"NAME", "NUMBER", "LPAR", "LSQB"}


def explain_unexpected_token(error: UnexpectedToken, tokens: list[Token]) -> PdeError:
    accepts = error.accepts or error.expected
    common = _common_error(error.token, tokens) or _parenthesized_list(error.token, tokens, accepts)
    if common is not None:
        return common
    expected = _expected_text(accepts)
    if error.token.type == "$END":
        end = span_of(tokens[-1]).end
        return errors.syntax.unexpected_end(expected, Span(end - 1, end), _hint(tokens, None))
    return errors.syntax.unexpected_token(error.token, expected, span_of(error.token), _hint(tokens, error.token))


def _common_error(token: Token, tokens: list[Token]) -> PdeError | None:
    """A decimal comma, a chain of equalities, `periodic` outside of `space`, braces, a missing operand."""
    at = len(tokens) if token.type == "$END" else next((i for i, other in enumerate(tokens) if other is token), 0)
    match tokens[max(at - 1, 0) : at + 2]:
        case [Token(type="NUMBER") as whole, Token(type="COMMA"), Token(type="NUMBER") as part]:
            around = [other.type for other in (*tokens[at - 2 : at - 1], *tokens[at + 2 : at + 3])]
            pair = around in (["LPAR", "RPAR"], ["LPAR", "COMMA"])
            if whole.end_pos == token.start_pos and token.end_pos == part.start_pos and not pair:
                return errors.syntax.decimal_comma(f"{whole},{part}", span_of(whole).to(span_of(part)))
    if token.type == "SUBSCRIPT" and at == 2 and tokens[0].type in DECLARING:
        return errors.syntax.subscript_in_name(str(tokens[1]), span_of(tokens[1]).to(span_of(token)))
    if token.type == "EQUAL" and any(other.type == "EQUAL" for other in tokens[:at]):
        if error := _second_equals(tokens, at):
            return error
        place = next((k for k, other in enumerate(tokens[:at]) if other in ("at", "for")), None)
        if place is not None:
            return errors.syntax.expected_on(tokens[place], tokens[place + 1] == "t", span_of(tokens[place]))
        return errors.syntax.second_equals_sign(span_of(token))
    if at == 1 and tokens[0].type == "DOT":
        return errors.syntax.bullet(span_of(tokens[0]))
    if token.type in {"PERIODIC", "ANTIPERIODIC"} and tokens[0].type not in {"SPACE", *DECLARING}:
        return errors.syntax.periodic_statement(span_of(token))
    if token.type == "LBRACE" and tokens[0].type not in {"PDE", *BLOCK_KEYWORDS}:
        if _is_piecewise(tokens):
            return None
        closing = next((other for other in tokens[at:] if other.type == "RBRACE"), None)
        if at and tokens[at - 1].type == "ON":
            return errors.syntax.face_list_in_brackets(span_of(token), span_of(closing) if closing else None)
        if at and tokens[at - 1].startswith(("sum", "Σ", "∑")):
            return errors.syntax.sum_limits(span_of(tokens[at - 1]))
        return errors.syntax.braces_in_expression(span_of(token), span_of(closing) if closing else None)
    differential = any(other.type in {*OPERATORS, "DERIVATIVE"} for other in tokens)
    is_first = not any(other.type == "EQUAL" for other in tokens[:at])
    if token.type == "RELATION" and is_first and differential and tokens[0].type not in STATEMENT_EXAMPLES:
        return errors.unsupported.not_supported(errors.unsupported.INEQUALITY, span_of(token))
    if token.type in ("RPAR", "EQUAL", "$END") and at and tokens[at - 1].type in OPERATORS:
        return errors.syntax.operator_without_operand(tokens[at - 1], span_of(tokens[at - 1]))
    if token.type == "RPAR" and at and tokens[at - 1].type == "DOT":
        return errors.syntax.dot_as_argument(span_of(tokens[at - 1]))
    return None


def _parenthesized_list(token: Token, tokens: list[Token], accepts: set[str]) -> PdeError | None:
    """A vector, an interval or faces in parentheses, or coordinates in separate parentheses."""
    if token.type != "COMMA" or "RPAR" not in accepts or tokens[0].type in ("SPACE", "TIME"):
        return None
    at = next(i for i, other in enumerate(tokens) if other is token)
    first, last = _enclosing_parenthesis(tokens, at, -1), _enclosing_parenthesis(tokens, at, 1)
    kinds = [other.type for other in tokens]
    if first is None or last is None or kinds[first] != "LPAR":
        return None
    opening, closing = span_of(tokens[first]), span_of(tokens[last])
    if kinds[first - 1] == "ON":
        return errors.syntax.face_list_in_brackets(opening, closing)
    names = set(kinds[first + 1 : last]) == {"NAME", "COMMA"}
    if names and kinds[first - 2 : first] == ["NAME", "CALL"] and kinds[last + 1 : last + 2] == ["COMMA"]:
        return errors.syntax.coordinates_in_parentheses(tokens[first - 2], opening, closing)
    interval = kinds[first - 1] in ("IN", "ELEMENT")
    if interval and tokens[first - 2] != "t":  # only time intervals of equations are written so
        return None
    return errors.syntax.needs_square_brackets(interval, opening, closing)


def _enclosing_parenthesis(tokens: list[Token], at: int, step: int) -> int | None:
    """The parenthesis that opens (step -1) or closes (step 1) the group around a token."""
    depth = 0
    for k in range(at, len(tokens) if step > 0 else -1, step):
        depth += step * {"LPAR": 1, "CALL": 1, "RPAR": -1}.get(tokens[k].type, 0)
        if depth < 0:
            return k
    return None


def _second_equals(tokens: list[Token], at: int) -> PdeError | None:
    """A second '=': after the first, on the next line, or of a second statement."""
    first = next(k for k, other in enumerate(tokens) if other.type == "EQUAL")
    keyword = next((other for other in tokens[1:at] if other in KEYWORDS), None)
    if first + 1 == at:
        return errors.syntax.doubled_equals_sign(span_of(tokens[at]))
    if keyword is not None:
        return errors.syntax.joined_statements(span_of(keyword))
    last = next(
        (k for k in range(first, at) if tokens[k].type in BINARY_OPERATORS and _is_on_next_line(tokens, k + 1)), None
    )
    return errors.syntax.dangling_operator(tokens[last], span_of(tokens[last])) if last is not None else None


def _is_on_next_line(tokens: list[Token], at: int) -> bool:
    """Whether a token is on a later line than the one before it."""
    match tokens[at - 1 : at + 1]:
        case [Token(line=int(first)), Token(line=int(second))]:  # tokens of other notations have no line
            return second > first
    return False


def _is_piecewise(tokens: list[Token]) -> bool:
    return any(other.type == "NAME" and other in PIECEWISE_WORDS for other in tokens)


def _expected_text(accepts: set[str]) -> str:
    if accepts >= OPERAND_TOKENS:
        return "an expression"
    named = [text for kind, text in TOKEN_DESCRIPTIONS.items() if kind in accepts]
    return " or ".join(named[:3]) if named else "the end of the line"


def _hint(tokens: list[Token], token: Token | None) -> str:
    first = tokens[0]
    if (token is None or token is first) and first.type in ("PLUS", "STAR", "SLASH", "DOT", "EQUAL"):
        return f"to continue the line above, end it with '{first}'"
    if token is not None and token.type.isupper() and str(token) in KEYWORDS:
        return f"'{token}' is a keyword: choose another name"
    if _is_piecewise(tokens) or _is_called(token, tokens, "WHERE"):
        return PIECEWISE_HINT
    if (
        token is not None
        and token is not first
        and token.type in ("IN", "ELEMENT")
        and first.type not in STATEMENT_EXAMPLES
    ):
        if token is not tokens[1]:
            return WHOLE_DOMAIN_HINT
        return (
            f"write: time {first} in …, or space {first} in …" if token.type == "IN" else STATEMENT_EXAMPLES["UNKNOWN"]
        )
    if first in ("import", "from"):
        return 'imports are not supported; a user-defined network is torch("package.module:Name")'
    at = next((k for k, other in enumerate(tokens) if other is token), 0)
    kinds = {other.type for other in tokens[at:]}
    if token is not None and token.type == "COMMA" and first.type in ("SPACE", "TIME"):
        if first.type == "TIME" and tokens[at - 1].type == "RSQB":
            return TIME_STEPS_HINT
        return COORDINATES_HINT if kinds & {"IN", "ELEMENT"} else "write an interval in square brackets, as in [0, 1]"
    if token is not None and first.type == "SPACE" and token == "x" and at > 1 and tokens[at - 1].type == "RSQB":
        return "write × between intervals, as in [0, 1] × [0, 2]"
    if token is not None and token.type == "COMMA" and first.type in ("CONST", "LET"):
        return "write one statement per line"
    if first.type == "UNKNOWN" and token is not None and (token.type == "COMMA" or at == 1):
        return f"write one unknown per line, {STATEMENT_EXAMPLES['UNKNOWN']}"
    if token is not None and first.type not in STATEMENT_EXAMPLES:
        if token.type == "COMMA" and any(other.type == "FOR" for other in tokens[:at]):
            return WHOLE_DOMAIN_HINT
        if token.type == "COMMA" and (at + 1 == len(tokens) or _is_on_next_line(tokens, at + 1)):
            return "leave the comma out: a statement ends with its line"
        if token.type == "COMMA":
            return WHOLE_DOMAIN_HINT if "RELATION" in kinds else "write one statement per line; a comment starts with #"
        if token.type == "DENOMINATOR":
            return "a derivative is written ∂u/∂t"
        if token.type in MISPLACED_HINTS:
            return MISPLACED_HINTS[token.type]
    if token is None and not any(other.type == "EQUAL" for other in tokens) and first.type not in STATEMENT_EXAMPLES:
        return "an equation has two sides, as in ∂u/∂t = Δu; a comment starts with #"
    return STATEMENT_EXAMPLES.get(first.type, "")


def _is_called(token: Token | None, tokens: list[Token], kind: str) -> bool:
    """Whether a token of a type is followed by a parenthesis, like a function."""
    after = next((k + 1 for k, other in enumerate(tokens) if other is token), len(tokens))
    return token is not None and token.type == kind and [other.type for other in tokens[after : after + 1]] == ["LPAR"]


PIECEWISE_WORDS = ("if", "piecewise", "Piecewise", "cases", "select")
WHOLE_DOMAIN_HINT = "leave it out: an equation holds on all of 'space' and 'time'"
MISPLACED_HINTS = {
    "WHERE": "a constant is declared by a separate statement, as in: const k = 2",
    "RELATION": "an equation has one '=', inequalities are written only after 'where', and a vector is [1, 2]",
    "ON": "a condition is an equation, as in: u = 0 on boundary, or ∂u/∂n = 0 on boundary",
}
STATEMENT_EXAMPLES = {
    "PDE": 'as in: pde Name "title"',
    "SPACE": "as in: space x in R^2, space x in image(3, 32, 32), space (x, y) in [0, 1]^2 periodic",
    "TIME": "as in: time t in [0, 1]",
    "UNKNOWN": "as in: unknown u(x, t) : scalar, or unknown u(x, t) : simplex(10)",
    "CONST": "as in: const σ = 0.1",
    "LET": "as in: let f(x) = exp(-x²)",
    "LEARN": "as in: learn v(x, t) : vector = mlp(width=64, depth=4), or learn ν : scalar > 0 = 0.1",
    "PARAMETER": "as in: parameter κ in [0.2, 1.5], or parameter f(x) from gaussian_process(length=0.2, modes=10)",
    "RANDOM": "as in: random κ ~ lognormal(0, 0.3)",
    "EXACT": "as in: exact u = exp(-t) sin(x)",
    "OBSERVE": 'as in: observe u from npz("points.npz")',
    "REALIZE": "as in: realize diffusion by noise(samples=32), or realize equation by grid",
    "REQUIRE": "as in: require linearity, comparison",
    "NETWORK": "as in: network { … }",
    "SOLVE": "as in: solve { … }",
    "SWEEP": "as in: sweep { … }",
    "TRAIN": "as in: train { … }",
    "EVALUATE": "as in: evaluate { … }",
}
