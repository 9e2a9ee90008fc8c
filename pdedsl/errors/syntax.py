"""E1xx: characters, brackets, statements and sizes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, insert, parenthesize, remove, replace_by, replace_word
from pdedsl.errors.base import KEEP_ONE, Code, count_noun, did_you_mean, join_comma

NOT_A_SPEC = Code("E100", "the text does not look like a spec")
UNEXPECTED_CHARACTER = Code("E101", "unexpected character")
UNEXPECTED_TOKEN = Code("E102", "unexpected token or end of line")
UNCLOSED = Code("E103", "unclosed bracket")
UNMATCHED = Code("E104", "unmatched closing bracket")
AMBIGUOUS = Code("E105", "ambiguous division, dot product, root or inverse: parentheses are required")
UNKNOWN_STATEMENT = Code("E106", "unknown statement")
TOO_DEEP = Code("E107", "expression nested too deeply")
INVALID_NUMBER = Code("E108", "a number or derivative is too long, or a number is out of range")
NAME_TOO_LONG = Code("E109", "name too long")
UNTERMINATED_STRING = Code("E110", "unterminated string literal")
INVALID_SYNTAX = Code("E111", "invalid syntax")
ORDER_MISMATCH = Code("E112", "numerator and denominator of a derivative have different orders")
EXPRESSION_TOO_LARGE = Code("E113", "expression too large")
AMBIGUOUS_ARGUMENT = Code("E114", "ambiguous end of a function argument: parentheses are required")
EQUATION_NUMBER = Code("W115", "a factor in parentheses looks like an equation number")
MISSING_HEADER = Code("E120", "the header `pde Name` is missing or not first")
DUPLICATE_HEADER = Code("E121", "a second `pde` header in one file")
DUPLICATE_STATEMENT = Code("E122", "a second `space` or `time`")
MISSING_SPACE = Code("E123", "`space` is missing")
TOO_MANY_UNKNOWNS = Code("E124", "too many unknowns")
MISSING_UNKNOWN = Code("E125", "`unknown` is missing")

COORDINATES_HINT = "declare all coordinates in one statement, as in: space (x, y) in [0, 1] × [0, 2]"
LET_HINT = "define a subexpression with let"
SUM_HINT = "as in sum(i, v[i]^2)"
OPERATOR_HINTS = {"sum": SUM_HINT, "int": "as in int(0, x, u(s), s), or int(Omega, u, x)"}
INTEGRAL_HINT = "as in ∫₀ˣ u(s) ds, ∫_a^b u(s) ds, ∫_Ω u dx, or int(0, x, u(s), s)"
SIMPLIFY_HINT = "simplify the expression"
TIME_STEPS_HINT = "the solver chooses the time steps; on data and on pixels: realize time by euler(steps=100)"
PIECEWISE_HINT = "there is no 'if': use heaviside(x - 0.5) for pieces in space and 'for t in [a, b]' for time intervals"


# ---- Brackets


def unclosed(opener: str, closer: str, span: Span, end: int) -> PdeError:
    """`end` is where the closing bracket probably belongs."""
    hint = f"add '{closer.strip()}'"
    return UNCLOSED(f"unclosed '{opener}'", span, hint, fixes=insert(end, closer))


unmatched = UNMATCHED.of("unmatched '{closer}'", "remove it, or add the opening bracket", fixes=remove)


def mismatched(closer: str, opener: str, expected: str, span: Span, at: Span) -> PdeError:
    notes = ((at, "opened here"),)
    fixes = replace_word(closer, expected, span)
    return UNMATCHED(f"'{closer}' does not match '{opener}'", span, f"expected '{expected}'", notes, fixes=fixes)


nested_brackets = TOO_DEEP.of("brackets are nested more than {limit} levels deep", LET_HINT)
nested_too_deeply = TOO_DEEP.at("this expression is nested too deeply", LET_HINT)


# ---- Statements


def unexpected_end(expected: str, span: Span, hint: str) -> PdeError:
    return UNEXPECTED_TOKEN(f"expected {expected}, found the end of the line", span, hint)


def unexpected_token(found: str, expected: str, span: Span, hint: str) -> PdeError:
    shown = found if len(found) <= 40 else f"{found[:40]}…"
    return UNEXPECTED_TOKEN(f"expected {expected}, found '{shown}'", span, hint)


def unknown_statement(name: str, guess: str | None, blocks: list[str], span: Span) -> PdeError:
    hint = did_you_mean(guess, f"available blocks: {join_comma(blocks)}")
    return UNKNOWN_STATEMENT(f"unknown statement '{name}'", span, hint, fixes=replace_word(name, guess, span))


def missing_header(late: str | None, span: Span) -> PdeError:
    """`late` is the text of a header that follows other statements."""
    message = "the 'pde' header must come first" if late else "the 'pde' header is missing"
    moved = Fix("move it to the top", (Edit(Span(0, 0), f"{late}\n"), Edit(span)))
    fixes = (moved,) if late else (Fix("add pde Spec", (Edit(Span(0, 0), "pde Spec\n"),)),)
    return MISSING_HEADER(message, span, 'as in: pde Heat "The heat equation"', fixes=fixes)


duplicate_header = DUPLICATE_HEADER.at("a second 'pde' header in one file", "write one spec per file")


def duplicate_space(span: Span) -> PdeError:
    hint = f"{KEEP_ONE}; {COORDINATES_HINT}"
    return DUPLICATE_STATEMENT("a second 'space' statement", span, hint, fixes=remove(span))


duplicate_time = DUPLICATE_STATEMENT.at("a second 'time' statement", KEEP_ONE, fixes=remove)


missing_space = MISSING_SPACE.at(
    "the 'space' statement is missing",
    "add: space x in R^2, in image(c, h, w), in pixels or in [a, b]; "
    "only unknowns of time alone, as in unknown u(t) : scalar, need no space",
)
missing_unknown = MISSING_UNKNOWN.at(
    "the 'unknown' statement is missing", "add: unknown u(x, t) : scalar, and its equation"
)
too_many_unknowns = TOO_MANY_UNKNOWNS.of("this spec has more than {limit} unknowns", "combine some into a vector(n)")


# ---- Expressions


def ambiguous_division(numerator: Span, divisor: Span, factor: Span) -> PdeError:
    hint, denominator = "add parentheses: (a/b) c or a/(b c)", divisor.to(factor)
    fixes = parenthesize("group as (a/b) c", numerator.to(divisor)), parenthesize("group as a/(b c)", denominator)
    return AMBIGUOUS("ambiguous division", denominator, hint, fixes=fixes)


def ambiguous_dots(left: Span, middle: Span, right: Span) -> PdeError:
    hint = "add parentheses, as in (a·b) c·d"
    fixes = parenthesize("group as (a·b) c", left.to(middle)), parenthesize("group as a (b·c)", middle.to(right))
    return AMBIGUOUS("ambiguous product with two dots", middle.to(right), hint, fixes=fixes)


positional_after_named = INVALID_SYNTAX.at(
    "positional argument after a named argument", "move it to the front, or name it"
)
missing_operand = INVALID_SYNTAX.at("missing operand of this operator", "write the operand after it: (u·∇)u")
not_an_operator = INVALID_SYNTAX.of("{written} is not an operator", "write ∇∇u, Δu or Δ²u")
sigma_index = INVALID_SYNTAX.at("the index of Σ must be a letter", "as in Σᵢ vᵢ²")
sum_index = INVALID_SYNTAX.at("the first argument of sum must be an index", SUM_HINT)
integration_variable = INVALID_SYNTAX.at("the last argument of int must be the variable of integration", INTEGRAL_HINT)
missing_upper_limit = INVALID_SYNTAX.at("an integral needs two limits, or the domain Ω", INTEGRAL_HINT)
integral_limits = INVALID_SYNTAX.at("an integral needs its limits or the domain Ω", INTEGRAL_HINT)
diff_variables = INVALID_SYNTAX.at(
    "the arguments of diff after the first must be variables",
    "as in diff(u, x) or diff(u, x, y); a second derivative is diff(u, x, x)",
)


def operator_arguments(name: str, minimum: int, exact: bool, span: Span) -> PdeError:
    """`grad(u, x)`, `lap(f=u)`."""
    expected = count_noun(minimum, "argument") if exact else f"at least {count_noun(minimum, 'argument')}"
    return INVALID_SYNTAX(f"'{name}' takes {expected}, by position only", span, OPERATOR_HINTS.get(name, ""))


constant_exponent = INVALID_SYNTAX.at("the exponent in a constant declaration must be an integer below 100")
order_zero = ORDER_MISMATCH.at("this derivative has order 0", "remove it")


def order_mismatch(numerator: int, denominator: int, span: Span) -> PdeError:
    return ORDER_MISMATCH(
        f"the numerator has order {numerator} and the denominator order {denominator}", span, "make the orders equal"
    )


def _brackets(before: Span, end: int) -> tuple[Edit, ...]:
    return Edit(before, "("), Edit(Span(end, end), ")")


def ambiguous_argument(function: str, span: Span, first: Span, last: Span) -> PdeError:
    """`first` and `last` are the factors after the function."""
    choices = [("the first factor", first), ("all factors", last)]
    fixes = tuple(Fix(f"{function} of {what}", _brackets(Span(span.end, first.start), to.end)) for what, to in choices)
    message = f"ambiguous end of the argument of '{function}'"
    return AMBIGUOUS_ARGUMENT(message, span, "add parentheses", fixes=fixes)


# ---- Sizes


expression_too_large = EXPRESSION_TOO_LARGE.at("this expression is too large to evaluate", SIMPLIFY_HINT)
too_many_digits = EXPRESSION_TOO_LARGE.at("this integer has too many digits", SIMPLIFY_HINT)
power_too_large = EXPRESSION_TOO_LARGE.at("this power has too many digits", "use a smaller exponent")
exponent_too_large = EXPRESSION_TOO_LARGE.of("the exponent must be at most {limit:,}", "use a smaller exponent")


def too_many_nodes(size: int, limit: int, span: Span) -> PdeError:
    return EXPRESSION_TOO_LARGE(f"this expression has {size:,} nodes; the limit is {limit:,}", span, SIMPLIFY_HINT)


def too_many_terms(found: int, limit: int, span: Span) -> PdeError:
    return EXPRESSION_TOO_LARGE(f"this equation has {found:,} terms; the limit is {limit}", span, SIMPLIFY_HINT)


too_many_mixed_derivatives = EXPRESSION_TOO_LARGE.of(
    "the expansion has more than {limit} distinct mixed derivatives", "use fewer dimensions"
)


def too_many_inequalities(found: int, limit: int, span: Span) -> PdeError:
    return EXPRESSION_TOO_LARGE(
        f"this domain has {found:,} inequalities; the limit is {limit}", span, "use fewer inequalities"
    )


too_many_extrema = EXPRESSION_TOO_LARGE.of("this expression has more than {limit} minima and maxima", SIMPLIFY_HINT)


def expression_too_deep(depth: int, limit: int, span: Span) -> PdeError:
    return EXPRESSION_TOO_LARGE(f"this expression has {depth} levels; the limit is {limit}", span, SIMPLIFY_HINT)


def expansion_limit(what: str, span: Span) -> PdeError:
    """`what` exceeded a limit during expansion."""
    return EXPRESSION_TOO_LARGE(what, span, "split it with let, or use fewer terms")


order_too_high = EXPRESSION_TOO_LARGE.of("the order of this derivative is above {limit}")
too_many_nested_sums = EXPRESSION_TOO_LARGE.at("too many nested sums")
too_many_nested_integrals = EXPRESSION_TOO_LARGE.of("more than {limit} nested integrals")
too_many_calls = EXPRESSION_TOO_LARGE.of("more than {limit:,} function calls after expansion", "use fewer calls")


# ---- Characters
# E101, E108 to E110: unexpected characters, unterminated strings, names and numbers that are too long.


PREFIX_HINT = "write the built-in without a module prefix, as in mlp(width=64) or adam(lr=0.1)"
USER_NETWORK_HINT = f'{PREFIX_HINT}; a user-defined network is torch("package.module:Name")'
DOT_HINTS = (
    (r".*", r"\.", "an interval is written [0, 1]"),
    (r".*[0-9]", r"", "write 5.0 for 5."),
    (r".*", r"\s*$", "a statement has no final period; a comment starts with #"),
    (r".*", r"diff\b|d[a-z]\b|grad\b|laplacian\b", "a derivative is written ∂u/∂t, ∂²u/∂x² or diff(u, x)"),
    (r".*", r"T\b", "the adjoint of W is written Wᵀ or W^T"),
    (r".*\btorch\([\w.]*", r"\w", 'a user-defined network is named by a string, as in torch("package.module:Name")'),
    (r"\s*learn\b.*=\s*(?:torch\.)?(?:nn|models)", r"\w", USER_NETWORK_HINT),
    (r".*\b(?:nn|optim|F)", r"\w", PREFIX_HINT),
    (r".*\btorch", r"(?:nn|optim)\b", PREFIX_HINT),
    (r".*\b(?:torchvision|datasets)", r"\w", "write the data set without a module prefix, as in mnist or cifar10"),
    (r".*", r"(?:npz|npy|csv|txt|json|pde|pt|png|h5|mat)\b", "write a file name as a string in double quotes"),
    (
        r".*\b(?:np|numpy|jnp|math|Math|torch|sympy|sp|tf)",
        r"[a-z]",
        "write the function without a module prefix, as in sin(x)",
    ),
    (r".*\w", r"\w{2,}|\w\s*[=(]", "a name cannot contain a dot: remove the prefix before it"),
)
"""Hints for a stray dot: patterns of the text before and after it on its line."""
INVISIBLE_CATEGORIES = {"Cf": True}  # Unicode categories of invisible characters
CHARACTER_HINTS = {
    "∂": "a derivative is written ∂u/∂t or ∂(…)/∂x",
    "'": 'a derivative is written ∂u/∂t or ∂²u/∂x², and a string is in double quotes: "…"',
    "″": "a derivative is written ∂²u/∂x² or ∂²u/∂t²",
    "\u0307": "a derivative is written ∂u/∂t",
    "\u0308": "a derivative is written ∂²u/∂t²",
    "%": "a comment starts with #; 10 % is 0.1",
    "@": "write W x for a product, and v·w for a dot product",
    **dict.fromkeys("⟨⟩", "write v·w for a dot product, and [1, 2] for a vector"),
    "$": "remove the $",
    "∞": "the endpoints of an interval must be finite: choose a large number, or write R^d for a data space",
    ";": "a statement ends at the end of its line; list items are separated by commas",
    ".": "write v·w for a dot product",
    "?": PIECEWISE_HINT,
    "`": "remove the lines with ```: a spec is plain text",
    "\\": "LaTeX commands are not supported: write σ or sigma, ∇ or grad(…)",
    **dict.fromkeys("≈≡≐", "write '='"),
    "~": "write '='",
    "→": "a condition is written u = … on boundary, and an unknown is declared as: unknown u(x, t) : scalar",
    "_": "a subscript belongs to a name, as in u_xx; for one direction of Δ write ∂²u/∂x²",
    "°": "angles are in radians: write π/4 for 45°",
    **dict.fromkeys("⊂⊆", "a domain is declared by its coordinates, as in: space (x, y) in [0, 1]^2"),
    "±": "write the two cases on separate lines",
    "!": "factorials are not supported",
}

CHARACTER_REPLACEMENTS = {"%": "#", ";": "\n", "$": "", "≈": "=", "≡": "="}


not_a_spec = NOT_A_SPEC.of(
    "this does not look like a spec: {strays} unexpected characters so far", "a spec starts with: pde Name"
)


def unexpected_character(char: str, span: Span) -> PdeError:
    if INVISIBLE_CATEGORIES.get(unicodedata.category(char)):
        hint = f"delete it (U+{ord(char):04X}); copied text may contain such characters"
        return UNEXPECTED_CHARACTER("invisible character", span, hint, once=True, fixes=remove(span))
    shown = f" '{char}'" if char.isprintable() else ""
    new = CHARACTER_REPLACEMENTS.get(char)
    fixes = () if new is None else (Fix(CHARACTER_HINTS[char], (Edit(span, new, char),)),)
    return UNEXPECTED_CHARACTER(
        f"unexpected character{shown} (U+{ord(char):04X})", span, CHARACTER_HINTS.get(char, ""), fixes=fixes
    )


def unexpected_dot(before: str, after: str, span: Span) -> PdeError:
    """A dot outside a number; `before` and `after` are the rest of its line."""
    hints = (hint for left, right, hint in DOT_HINTS if re.fullmatch(left, before) and re.match(right, after))
    return UNEXPECTED_CHARACTER("unexpected character '.'", span, next(hints, CHARACTER_HINTS["."]))


line_continuation = UNEXPECTED_CHARACTER.at(
    "unexpected character '\\'",
    "a statement continues on the next line after an operator such as '+' or inside brackets",
)


def unterminated_string(span: Span) -> PdeError:
    return UNTERMINATED_STRING("unterminated string literal", span, 'add the closing "', fixes=insert(span.end, '"'))


def name_too_long(length: int, limit: int, span: Span) -> PdeError:
    return NAME_TOO_LONG(f"this name has {length:,} characters; the limit is {limit}", span)


def number_too_long(length: int, limit: int, span: Span) -> PdeError:
    return INVALID_NUMBER(f"this number has {length:,} characters; the limit is {limit}", span)


def derivative_too_long(length: int, limit: int, span: Span) -> PdeError:
    return INVALID_NUMBER(f"this derivative has {length:,} characters; the limit is {limit}", span)


number_out_of_range = INVALID_NUMBER.of(
    "number out of range", "the magnitude of a number must be between 1e-{largest} and 1e{largest}"
)


# ---- Notation
# Notation of textbooks and other programs, with the equivalent in this language.


SUMMATION_HINTS = {
    letter: f"there is no summation convention: write Σ{index} ∂²u/∂x{index}², or without indices Δu, (u·∇)u, ∇·u"
    for index, letters in (("ᵢ", "ᵢi"), ("ⱼ", "ⱼj"), ("ₖ", "ₖk"))
    for letter in letters
}


def foreign_comment(opening: str, span: Span) -> PdeError:
    fixes = (Fix("write #", (Edit(span, "#", "//"),)),)
    return INVALID_SYNTAX(f"'{opening}' does not start a comment", span, "write: # …", fixes=fixes)


def latex_line(line: str, span: Span) -> PdeError:
    """`line` is the same line in the notation of the language."""
    fixes = (Fix(f"replace with: {line.strip()}", (Edit(span, line),)),)
    return INVALID_SYNTAX("LaTeX is not supported", span, f"write: {line}", fixes=fixes)


def foreign_notation(reason: str, old: str, new: str, span: Span) -> PdeError:
    """A line in the notation of another program; `new` is the equivalent. The difference is marked."""
    first = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    same = next((k for k, (a, b) in enumerate(zip(old[:first:-1], new[:first:-1], strict=False)) if a != b), 0)
    first = min(first, len(old) - 1)
    end = max(len(old) - same, first + 1)
    fixes = (Fix(f"replace with: {new.strip()}", (Edit(span, new),)),)
    return INVALID_SYNTAX(reason, Span(span.start + first, span.start + end), f"write: {new.strip()}", fixes=fixes)


def equation_number(new: str, span: Span) -> Diagnostic:
    """A line that looks like an equation with its number, which is parsed as a factor."""
    fixes = (Fix("remove the number", (Edit(span, new.strip()),)),)
    hint = f"if it is an equation number, write: {new.strip()}"
    return EQUATION_NUMBER.warning("the number in parentheses is a factor of this equation", span, hint, fixes)


def unsupported_line(reason: str, hint: str, span: Span) -> PdeError:
    """A line of another program without an equivalent in the language."""
    return INVALID_SYNTAX(reason, span, hint, once=True)


invalid_number = INVALID_NUMBER.of("'{written}' is not a number", "a number has at most one decimal point")


def decimal_comma(written: str, span: Span) -> PdeError:
    number, whole = written.replace(",", "."), written.replace(",", "")
    ways = f"write: {whole} or {number}" if len(written.partition(",")[2]) == 3 else f"write: {number}"
    return INVALID_SYNTAX(f"'{written}' is not a number", span, ways, fixes=replace_word(written, number, span))


def needs_square_brackets(interval: bool, opening: Span, closing: Span) -> PdeError:
    """`const v = (1, 2)`, `for t in (0, 1)`."""
    what, hint = ("an interval", "as in [0, 1]") if interval else ("a vector or list", "as in [1, 2]")
    fixes = (Fix("use square brackets", (Edit(opening, "["), Edit(closing, "]"))),)
    return INVALID_SYNTAX(f"{what} must be in square brackets", opening.to(closing), hint, fixes=fixes)


def coordinates_in_parentheses(name: str, opening: Span, closing: Span) -> PdeError:
    """`u((x, y), t)`."""
    fixes = (Fix("remove the parentheses", (Edit(opening), Edit(closing))),)
    message = f"the coordinates of '{name}' must not be in parentheses"
    return INVALID_SYNTAX(message, opening.to(closing), f"as in {name}(x, y, t)", fixes=fixes)


def ambiguous_root(span: Span, body: Span, power: bool) -> PdeError:
    """`body` is the name or number after the root; `power` if an exponent follows it, and not a bracket."""
    full_span = (parenthesize("group as √(u²)", Span(body.start, span.end)),) if power else ()
    fixes = *full_span, parenthesize("group as (√u)²", Span(span.start, body.end))
    hint = "add parentheses, as in √(u²) or (√u)²"
    return AMBIGUOUS("ambiguous end of this root", span, hint, fixes=fixes)


# `∇*B`.
nabla_star = INVALID_SYNTAX.at("'∇*' is ambiguous", "write ∇×B for the curl or ∇·B for the divergence")


def ambiguous_inverse(function: str, span: Span) -> PdeError:
    hint = f"write a{function}(…) for the inverse function, or 1/{function}(…)"
    fixes = replace_by([f"a{function}"], span)
    return AMBIGUOUS(f"{function}⁻¹ is ambiguous", span, hint, fixes=fixes)


def unknown_derivative(written: str, variables: list[str], span: Span, functions: Collection[str] = ()) -> PdeError:
    hint = f"as in ∂u/∂t or ∂²u/∂x∂y; variables of this spec: {join_comma(variables)}"
    if written[1:] in functions:
        hint = "a derivative is written on one line, as in ∂u/∂t or ∂²u/∂x²"
    hint = SUMMATION_HINTS.get(written[-1], hint)
    return INVALID_SYNTAX(
        f"'{written}' is not a derivative with respect to a variable of this spec", span, hint, once=True
    )


def named_coordinate_argument(name: str, variable: str, span: Span, key: Span | None) -> PdeError:
    """`u(x=0, t)`, `u(t=0)`; `key` is `x=` where other arguments follow."""
    hint = f"write the value in place of {variable}: {name}(0, t) on the boundary, {name}(x, 0) at the initial time"
    fixes = remove(key, "remove the name") if key else ()
    return INVALID_SYNTAX(f"the arguments of '{name}' are positional", span, hint, fixes=fixes)


second_equals_sign = INVALID_SYNTAX.at(
    "a second '=' in one statement",
    "write one '=' per line: u(0, t) = 0 on one line and u(1, t) = 0 on the next, or u = 0 on boundary",
)


def transposed_vector(name: str, span: Span) -> PdeError:
    """`v^T w` for vectors."""
    hint, fixes = f"write {name}·w for the dot product with a vector w", replace_by([f"{name}·"], span)
    return INVALID_SYNTAX(f"cannot transpose '{name}': it is not a matrix or an operator", span, hint, fixes=fixes)


def expected_on(name: str, start: bool, span: Span) -> PdeError:
    """`u = 0 at x = 0`, `u = 1 at t = 0`."""
    if start:
        return INVALID_SYNTAX(
            f"'{name}' is not allowed in an initial condition", span, "write the initial condition as u(x, 0) = …"
        )
    fixes = replace_word(name, "on", span)
    return INVALID_SYNTAX("expected 'on' before the boundary", span, "as in: u = 0 on x = 0", fixes=fixes)


# `• u = 0`.
bullet = INVALID_SYNTAX.at("unexpected bullet at the start of a line", "remove it", fixes=remove)


def arguments_in_derivative(name: str, span: Span, arguments: Span) -> PdeError:
    """`∂u(x, t)/∂t`."""
    hint, fixes = f"write {name} without arguments, as in ∂{name}/∂t", remove(arguments, "remove the arguments")
    return INVALID_SYNTAX(f"'{name}' in a derivative takes no arguments", span, hint, fixes=fixes)


periodic_statement = INVALID_SYNTAX.at(
    "periodicity is declared in 'space'", "write 'periodic' after the interval, as in: space x in [0, 1] periodic"
)
# `initial u = 1`, `BC: u(0, t) = 0`, `dirichlet 0`.
labelled_condition = INVALID_SYNTAX.of(
    "unexpected '{name}': a condition is written as an equation",
    "initial: u(x, 0) = …; Dirichlet: u = … on boundary; Neumann: ∂u/∂n = … on boundary",
)


def labelled_equation(name: str, span: Span, full_span: Span) -> PdeError:
    """`heat: ∂u/∂t = …`, `Solve ∂u/∂t = …`; `full_span` is the word with its colon."""
    hint, fixes = "remove it, or make it a comment: # …", remove(full_span)
    return INVALID_SYNTAX(f"unexpected label '{name}' before an equation", span, hint, fixes=fixes)


# `u(x, 0) =`, `∂u/∂t = Δu +`: incomplete, and another equation follows.
dangling_operator = INVALID_SYNTAX.of(
    "missing operand after '{sign}' at the end of the line", "complete this line: the next line starts another equation"
)
doubled_equals_sign = INVALID_SYNTAX.at("a second '=' in one statement", "remove it", fixes=remove)


def joined_statements(span: Span) -> PdeError:
    """`const a = 1 const b = 2`; `span` is the second keyword."""
    fixes = (Fix("start a new line", (Edit(Span(span.start, span.start), "\n"),)),)
    return INVALID_SYNTAX("a second statement on one line", span, "write one statement per line", fixes=fixes)


def face_list_in_brackets(span: Span, closing: Span | None) -> PdeError:
    """`on {left, right}`, `on (left, right)`; `closing` is the bracket at the end, if there is one."""
    fixes = (Fix("remove the brackets", (Edit(span), Edit(closing))),) if closing else ()
    return INVALID_SYNTAX(
        "boundary faces are listed without brackets", span, "as in: u = 0 on left, right", fixes=fixes
    )


# `sum_{i=1}^n`.
sum_limits = INVALID_SYNTAX.at("a sum has no limits: it runs over all components", "as in Σᵢ vᵢ² or sum(i, v[i]^2)")


def braces_in_expression(span: Span, closing: Span | None) -> PdeError:
    """`closing` is the matching brace, if there is one."""
    edits = () if closing is None else (Edit(span, "("), Edit(closing, ")"))
    fixes = (Fix("use parentheses", edits),) if edits else ()
    return INVALID_SYNTAX("unexpected brace in an expression", span, "use parentheses: ( … )", fixes=fixes)


def braces_around_spec(span: Span, closing: Span | None) -> PdeError:
    """`pde Heat {`; `closing` is the brace at the end, if there is one."""
    edits = (Edit(span), Edit(closing)) if closing else (Edit(span),)
    hint = "remove the braces: a spec ends with its file"
    return INVALID_SYNTAX("unexpected braces around the spec", span, hint, fixes=(Fix("remove the braces", edits),))


def operator_without_operand(written: str, span: Span) -> PdeError:
    """`(-Δ)^s u`."""
    hint = "write the operand after it, as in Δu or ∂u/∂t"
    return INVALID_SYNTAX(f"missing operand of '{written.replace('¹', '')}'", span, hint)


# `u(0, ·)`.
dot_as_argument = INVALID_SYNTAX.at("'·' is not a variable", "write the variable, as in u(0, t)")
# `unknown H₂(x, t)`.
subscript_in_name = INVALID_SYNTAX.of(
    "a subscript denotes a component and cannot be part of a declared name",
    "declare {name} as a vector with components {name}₁ and {name}₂, or use the name {name}1",
    once=True,
)
