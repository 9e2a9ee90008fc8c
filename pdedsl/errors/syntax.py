"""E1xx: characters, brackets, statements and sizes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, added, bracketed, instead, one_of_them, without
from pdedsl.errors.base import ONE, Code, all_of, counted, perhaps

# ---- syntax


NO_SPEC = Code("E100", "the text does not look like a spec")
STRAY = Code("E101", "unexpected character")
UNEXPECTED = Code("E102", "unexpected token or end of line")
UNCLOSED = Code("E103", "unclosed bracket")
UNOPENED = Code("E104", "unmatched closing bracket")
AMBIGUOUS = Code("E105", "ambiguous division, dot product, root or inverse: parentheses are required")
NO_STATEMENT = Code("E106", "unknown statement")
DEEP = Code("E107", "expression nested too deeply")
NUMBER = Code("E108", "a number or derivative is too long, or a number is out of range")
LONG_NAME = Code("E109", "name too long")
OPEN_TEXT = Code("E110", "unterminated string literal")
MISUSED = Code("E111", "invalid syntax")
ORDERS = Code("E112", "numerator and denominator of a derivative have different orders")
TOO_MUCH = Code("E113", "expression too large")
ARGUMENT_END = Code("E114", "ambiguous end of a function argument: parentheses are required")
NUMBERED = Code("W115", "a factor in parentheses looks like an equation number")
HEADER = Code("E120", "the header `pde Name` is missing or not first")
SECOND_HEADER = Code("E121", "a second `pde` header in one file")
SECOND = Code("E122", "a second `space` or `time`")
NO_SPACE = Code("E123", "`space` is missing")
MANY_UNKNOWNS = Code("E124", "too many unknowns")
NO_UNKNOWN = Code("E125", "`unknown` is missing")

COORDINATES = "declare all coordinates in one statement, as in: space (x, y) in [0, 1] × [0, 2]"
NAME_A_PART = "define a subexpression with let"
SUMMED = "as in sum(i, v[i]^2)"
ARGUMENTS = {"sum": SUMMED}
SMALLER = "simplify the expression"
STEPS = "the solver chooses the time steps; on data and on pixels: realize time by euler(steps=100)"
PIECES = "there is no 'if': use heaviside(x - 0.5) for pieces in space and 'for t in [a, b]' for time intervals"
# ---- brackets


def never_closed(opened: str, closer: str, span: Span, end: int) -> PdeError:
    """`end` is where the closing bracket probably belongs."""
    hint = f"add '{closer.strip()}'"
    return UNCLOSED.error(f"unclosed '{opened}'", span, hint, fixes=added(end, closer))


def closes_nothing(closer: str, span: Span) -> PdeError:
    hint = "remove it, or add the opening bracket"
    return UNOPENED.error(f"unmatched '{closer}'", span, hint, fixes=without(span))


def wrong_closer(closer: str, opened: str, expected: str, span: Span, at: Span) -> PdeError:
    notes = ((at, "opened here"),)
    fixes = instead(closer, expected, span)
    return UNOPENED.error(f"'{closer}' does not match '{opened}'", span, f"expected '{expected}'", notes, fixes=fixes)


def nested_brackets(most: int, span: Span) -> PdeError:
    return DEEP.error(f"brackets are nested more than {most} levels deep", span, NAME_A_PART)


def nested_too_deeply(span: Span) -> PdeError:
    return DEEP.error("this expression is nested too deeply", span, NAME_A_PART)


# ---- statements


def ends_early(expected: str, span: Span, hint: str) -> PdeError:
    return UNEXPECTED.error(f"expected {expected}, found the end of the line", span, hint)


def unexpected(found: str, expected: str, span: Span, hint: str) -> PdeError:
    shown = found if len(found) <= 40 else f"{found[:40]}…"
    return UNEXPECTED.error(f"expected {expected}, found '{shown}'", span, hint)


def no_statement(word: str, guess: str | None, blocks: list[str], span: Span) -> PdeError:
    hint = perhaps(guess, f"blocks: {all_of(blocks)}")
    return NO_STATEMENT.error(f"unknown statement '{word}'", span, hint, fixes=instead(word, guess, span))


def no_header(late: str | None, span: Span) -> PdeError:
    """`late` is the text of a header that follows other statements."""
    message = "the 'pde' header must come first" if late else "the 'pde' header is missing"
    moved = Fix("move it to the top", (Edit(Span(0, 0), f"{late}\n"), Edit(span)))
    fixes = (moved,) if late else (Fix("add pde Spec", (Edit(Span(0, 0), "pde Spec\n"),)),)
    return HEADER.error(message, span, 'as in: pde Heat "The heat equation"', fixes=fixes)


def second_header(span: Span) -> PdeError:
    return SECOND_HEADER.error("a second 'pde' header in one file", span, "write one spec per file")


def second_space(span: Span) -> PdeError:
    hint = f"{ONE}; {COORDINATES}"
    return SECOND.error("a second 'space' statement", span, hint, fixes=without(span))


def second_time(span: Span) -> PdeError:
    return SECOND.error("a second 'time' statement", span, ONE, fixes=without(span))


def no_space(time: str | None, span: Span) -> PdeError:
    """`time` is the independent variable of an ordinary differential equation."""
    hint = "add: space x in R^2, in image(c, h, w), in pixels or in [a, b]"
    if time is not None:
        hint = f"declare the variable of an ordinary differential equation by: space {time} in [0, 1], without 'time'"
    return NO_SPACE.error("the 'space' statement is missing", span, hint)


def no_unknown(span: Span) -> PdeError:
    return NO_UNKNOWN.error(
        "the 'unknown' statement is missing", span, "add: unknown u(x, t) : scalar, and its equation"
    )


def many_unknowns(most: int, span: Span) -> PdeError:
    return MANY_UNKNOWNS.error(f"this spec has more than {most} unknowns", span, "combine some into a vector(n)")


# ---- expressions


def two_divisions(above: Span, below: Span, factor: Span) -> PdeError:
    hint, denominator = "add parentheses: (a/b) c or a/(b c)", below.to(factor)
    fixes = bracketed("group as (a/b) c", above.to(below)), bracketed("group as a/(b c)", denominator)
    return AMBIGUOUS.error("ambiguous division", denominator, hint, fixes=fixes)


def two_dots(left: Span, middle: Span, right: Span) -> PdeError:
    hint = "add parentheses, as in (a·b) c·d"
    fixes = bracketed("group as (a·b) c", left.to(middle)), bracketed("group as a (b·c)", middle.to(right))
    return AMBIGUOUS.error("ambiguous product of two dots", middle.to(right), hint, fixes=fixes)


def late_argument(span: Span) -> PdeError:
    return MISUSED.error("positional argument after a named argument", span, "move it to the front, or name it")


def acts_on_nothing(span: Span) -> PdeError:
    return MISUSED.error("missing operand of this operator", span, "write the operand after it: (u·∇)u")


def not_an_operator(written: str, span: Span) -> PdeError:
    return MISUSED.error(f"{written} is not an operator", span, "write ∇∇u, Δu or Δ²u")


def index_of_sigma(span: Span) -> PdeError:
    return MISUSED.error("the index of Σ must be a letter", span, "as in Σᵢ vᵢ²")


def index_of_sum(span: Span) -> PdeError:
    return MISUSED.error("the first argument of sum must be an index", span, SUMMED)


def not_a_variable(span: Span) -> PdeError:
    hint = "as in diff(u, x) or diff(u, x, y); a second derivative is diff(u, x, x)"
    return MISUSED.error("the arguments of diff after the first must be variables", span, hint)


def operator_arguments(word: str, least: int, exactly: bool, span: Span) -> PdeError:
    """`grad(u, x)`, `lap(f=u)`."""
    wanted = counted(least, "argument") if exactly else f"at least {counted(least, 'argument')}"
    return MISUSED.error(f"'{word}' takes {wanted}, by position only", span, ARGUMENTS.get(word, ""))


def power_of_constant(span: Span) -> PdeError:
    return MISUSED.error("the exponent in a constant declaration must be an integer below 100", span)


def order_zero(span: Span) -> PdeError:
    return ORDERS.error("this derivative has order 0", span, "remove it")


def orders_differ(above: int, below: int, span: Span) -> PdeError:
    return ORDERS.error(
        f"the numerator has order {above} and the denominator order {below}", span, "make the orders equal"
    )


def _brackets(before: Span, end: int) -> tuple[Edit, ...]:
    return Edit(before, "("), Edit(Span(end, end), ")")


def argument_end(function: str, span: Span, first: Span, last: Span) -> PdeError:
    """`first` and `last` are the factors after the function."""
    choices = [("the first factor", first), ("all factors", last)]
    fixes = tuple(Fix(f"{function} of {what}", _brackets(Span(span.end, first.start), to.end)) for what, to in choices)
    message = f"ambiguous end of the argument of '{function}'"
    return ARGUMENT_END.error(message, span, "add parentheses", fixes=fixes)


# ---- sizes


def too_large(span: Span) -> PdeError:
    return TOO_MUCH.error("this expression is too large to evaluate", span, SMALLER)


def large_number(span: Span) -> PdeError:
    return TOO_MUCH.error("this integer has too many digits", span, SMALLER)


def large_power(span: Span) -> PdeError:
    return TOO_MUCH.error("this power has too many digits", span, "use a smaller exponent")


def large_exponent(most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"the exponent must be at most {most:,}", span, "use a smaller exponent")


def large_expression(size: int, most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this expression has {size:,} nodes; the limit is {most:,}", span, SMALLER)


def many_terms(found: int, most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this equation has {found:,} terms; the limit is {most}", span, SMALLER)


def many_mixed_derivatives(most: int, span: Span) -> PdeError:
    message = f"the expansion has more than {most} distinct mixed derivatives"
    return TOO_MUCH.error(message, span, "use fewer dimensions")


def many_inequalities(found: int, most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(
        f"this domain has {found:,} inequalities; the limit is {most}", span, "use fewer inequalities"
    )


def many_extrema(most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this expression has more than {most} minima and maxima", span, SMALLER)


def deep_expression(depth: int, most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this expression has {depth} levels; the limit is {most}", span, SMALLER)


def beyond_limits(what: str, span: Span) -> PdeError:
    """`what` exceeded a limit during expansion."""
    return TOO_MUCH.error(what, span, "split it with let, or use fewer terms")


def high_order(most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"the order of this derivative is above {most}", span)


def nested_sums(span: Span) -> PdeError:
    return TOO_MUCH.error("too many nested sums", span)


def many_calls(most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"more than {most:,} function calls after expansion", span, "use fewer calls")


# ---- characters
# E101, E108 to E110: unexpected characters, unterminated strings, names and numbers that are too long.


ALONE = "write the built-in without a module prefix, as in mlp(width=64) or adam(lr=0.1)"
OWN = f'{ALONE}; a user-defined network is torch("package.module:Name")'
DOTS = (
    (r".*", r"\.", "an interval is written [0, 1]"),
    (r".*[0-9]", r"", "write 5.0 for 5."),
    (r".*", r"\s*$", "a statement has no final period; a comment starts with #"),
    (r".*", r"diff\b|d[a-z]\b|grad\b|laplacian\b", "a derivative is written ∂u/∂t, ∂²u/∂x² or diff(u, x)"),
    (r".*", r"T\b", "the adjoint of W is written Wᵀ or W^T"),
    (r".*\btorch\([\w.]*", r"\w", 'a user-defined network is named by a string, as in torch("package.module:Name")'),
    (r"\s*learn\b.*=\s*(?:torch\.)?(?:nn|models)", r"\w", OWN),
    (r".*\b(?:nn|optim|F)", r"\w", ALONE),
    (r".*\btorch", r"(?:nn|optim)\b", ALONE),
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
HIDDEN = {"Cf": True}  # Unicode categories of invisible characters
STRAYS = {
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
    "?": PIECES,
    "`": "remove the lines with ```: a spec is plain text",
    "\\": "LaTeX commands are not supported: write σ or sigma, ∇ or grad(…)",
    **dict.fromkeys("≈≡≐", "write '='"),
    "~": "write '='",
    "→": "a condition is written u = … on boundary, and an unknown is declared as: unknown u(x, t) : scalar",
    "_": "a subscript belongs to a name, as in u_xx; for one direction of Δ write ∂²u/∂x²",
    "°": "angles are in radians: write π/4 for 45°",
    **dict.fromkeys("⊂⊆", "a domain is declared by its coordinates, as in: space (x, y) in [0, 1]^2"),
    "±": "write the two cases on separate lines",
    "∫": "integrals are not supported",
    "!": "factorials are not supported",
}

STRAYS_INSTEAD = {"%": "#", ";": "\n", "$": "", "≈": "=", "≡": "="}


def not_a_spec(strays: int, span: Span) -> PdeError:
    message = f"this does not look like a spec: {strays} unexpected characters so far"
    return NO_SPEC.error(message, span, "a spec starts with: pde Name")


def stray_character(char: str, span: Span) -> PdeError:
    if HIDDEN.get(unicodedata.category(char)):
        hint = f"delete it (U+{ord(char):04X}); copied text may contain such characters"
        return STRAY.error("invisible character", span, hint, once=True, fixes=without(span))
    shown = f" '{char}'" if char.isprintable() else ""
    new = STRAYS_INSTEAD.get(char)
    fixes = () if new is None else (Fix(STRAYS[char], (Edit(span, new, char),)),)
    return STRAY.error(f"unexpected character{shown} (U+{ord(char):04X})", span, STRAYS.get(char, ""), fixes=fixes)


def stray_dot(before: str, after: str, span: Span) -> PdeError:
    """A dot outside a number; `before` and `after` are the rest of its line."""
    hints = (hint for left, right, hint in DOTS if re.fullmatch(left, before) and re.match(right, after))
    return STRAY.error("unexpected character '.'", span, next(hints, STRAYS["."]))


def late_backslash(span: Span) -> PdeError:
    hint = "a statement continues on the next line after an operator such as '+' or inside brackets"
    return STRAY.error("unexpected character '\\'", span, hint)


def open_text(span: Span) -> PdeError:
    return OPEN_TEXT.error("unterminated string literal", span, 'add the closing "', fixes=added(span.end, '"'))


def long_name(length: int, most: int, span: Span) -> PdeError:
    return LONG_NAME.error(f"this name has {length:,} characters; the limit is {most}", span)


def long_number(length: int, most: int, span: Span) -> PdeError:
    return NUMBER.error(f"this number has {length:,} characters; the limit is {most}", span)


def long_derivative(length: int, most: int, span: Span) -> PdeError:
    return NUMBER.error(f"this derivative has {length:,} characters; the limit is {most}", span)


def number_out_of_range(largest: int, span: Span) -> PdeError:
    hint = f"the magnitude of a number must be between 1e-{largest} and 1e{largest}"
    return NUMBER.error("number out of range", span, hint)


# ---- notation
# Notation of textbooks and other programs, with the equivalent in this language.


SUMS = {
    letter: f"there is no summation convention: write Σ{index} ∂²u/∂x{index}², or without indices Δu, (u·∇)u, ∇·u"
    for index, letters in (("ᵢ", "ᵢi"), ("ⱼ", "ⱼj"), ("ₖ", "ₖk"))
    for letter in letters
}


def comment(opening: str, span: Span) -> PdeError:
    fixes = (Fix("write #", (Edit(span, "#", "//"),)),)
    return MISUSED.error(f"'{opening}' does not start a comment", span, "write: # …", fixes=fixes)


def latex(line: str, span: Span) -> PdeError:
    """`line` is the same line in the notation of the language."""
    fixes = (Fix(f"replace with: {line.strip()}", (Edit(span, line),)),)
    return MISUSED.error("LaTeX is not supported", span, f"write: {line}", fixes=fixes)


def strange(why: str, old: str, new: str, span: Span) -> PdeError:
    """A line in the notation of another program; `new` is the equivalent. The difference is marked."""
    first = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    same = next((k for k, (a, b) in enumerate(zip(old[:first:-1], new[:first:-1], strict=False)) if a != b), 0)
    first = min(first, len(old) - 1)
    end = max(len(old) - same, first + 1)
    fixes = (Fix(f"replace with: {new.strip()}", (Edit(span, new),)),)
    return MISUSED.error(why, Span(span.start + first, span.start + end), f"write: {new.strip()}", fixes=fixes)


def numbered(new: str, span: Span) -> Diagnostic:
    """A line that looks like an equation with its number, which is parsed as a factor."""
    fixes = (Fix("remove the number", (Edit(span, new.strip()),)),)
    hint = f"if it is an equation number, write: {new.strip()}"
    return NUMBERED.warning("the number in parentheses is a factor of this equation", span, hint, fixes)


def remark(why: str, way: str, span: Span) -> PdeError:
    """A line of another program without an equivalent in the language."""
    return MISUSED.error(why, span, way, once=True)


def two_numbers(written: str, span: Span) -> PdeError:
    return NUMBER.error(f"'{written}' is not a number", span, "a number has at most one decimal point")


def decimal_comma(written: str, span: Span) -> PdeError:
    number, whole = written.replace(",", "."), written.replace(",", "")
    ways = f"write: {whole} or {number}" if len(written.partition(",")[2]) == 3 else f"write: {number}"
    return MISUSED.error(f"'{written}' is not a number", span, ways, fixes=instead(written, number, span))


def round_brackets(interval: bool, opening: Span, closing: Span) -> PdeError:
    """`const v = (1, 2)`, `for t in (0, 1)`."""
    what, hint = ("an interval", "as in [0, 1]") if interval else ("a vector or list", "as in [1, 2]")
    fixes = (Fix("use square brackets", (Edit(opening, "["), Edit(closing, "]"))),)
    return MISUSED.error(f"{what} must be in square brackets", opening.to(closing), hint, fixes=fixes)


def coordinates_in_brackets(name: str, opening: Span, closing: Span) -> PdeError:
    """`u((x, y), t)`."""
    fixes = (Fix("remove the parentheses", (Edit(opening), Edit(closing))),)
    message = f"the coordinates of '{name}' must not be in parentheses"
    return MISUSED.error(message, opening.to(closing), f"as in {name}(x, y, t)", fixes=fixes)


def root(span: Span, body: Span, power: bool) -> PdeError:
    """`body` is the name or number after the root; `power` if an exponent follows it, and not a bracket."""
    whole = (bracketed("group as √(u²)", Span(body.start, span.end)),) if power else ()
    fixes = *whole, bracketed("group as (√u)²", Span(span.start, body.end))
    hint = "add parentheses, as in √(u²) or (√u)²"
    return AMBIGUOUS.error("ambiguous end of this root", span, hint, fixes=fixes)


def curl(span: Span) -> PdeError:
    hint = "write its components, as in [∂B₃/∂y - ∂B₂/∂z, ∂B₁/∂z - ∂B₃/∂x, ∂B₂/∂x - ∂B₁/∂y]"
    return MISUSED.error("the curl is not supported", span, hint)


def inverse(function: str, span: Span) -> PdeError:
    hint = f"write a{function}(…) for the inverse function, or 1/{function}(…)"
    fixes = one_of_them([f"a{function}"], span)
    return AMBIGUOUS.error(f"{function}⁻¹ is ambiguous", span, hint, fixes=fixes)


def derivative(written: str, variables: list[str], span: Span, functions: Collection[str] = ()) -> PdeError:
    hint = f"as in ∂u/∂t or ∂²u/∂x∂y; variables of this spec: {all_of(variables)}"
    if written[1:] in functions:
        hint = "a derivative is written on one line, as in ∂u/∂t or ∂²u/∂x²"
    hint = SUMS.get(written[-1], hint)
    return MISUSED.error(
        f"'{written}' is not a derivative with respect to a variable of this spec", span, hint, once=True
    )


def named_place(name: str, variable: str, span: Span, key: Span | None) -> PdeError:
    """`u(x=0, t)`, `u(t=0)`; `key` is `x=` where other arguments follow."""
    hint = f"write the value in place of {variable}: {name}(0, t) on the boundary, {name}(x, 0) at the initial time"
    fixes = without(key, "remove the name") if key else ()
    return MISUSED.error(f"the arguments of '{name}' are positional", span, hint, fixes=fixes)


def two_equalities(span: Span) -> PdeError:
    hint = "write one '=' per line: u(0, t) = 0 on one line and u(1, t) = 0 on the next, or u = 0 on boundary"
    return MISUSED.error("a second '=' in one statement", span, hint)


def transposed(name: str, span: Span) -> PdeError:
    """`v^T w` for vectors."""
    hint, fixes = f"write {name}·w for the dot product with a vector w", one_of_them([f"{name}·"], span)
    return MISUSED.error(f"cannot transpose '{name}': it is not a matrix or an operator", span, hint, fixes=fixes)


def at_a_side(word: str, start: bool, span: Span) -> PdeError:
    """`u = 0 at x = 0`, `u = 1 at t = 0`."""
    if start:
        return MISUSED.error(
            f"'{word}' is not allowed in an initial condition", span, "write the initial condition as u(x, 0) = …"
        )
    fixes = instead(word, "on", span)
    return MISUSED.error("expected 'on' before the boundary", span, "as in: u = 0 on x = 0", fixes=fixes)


def bullet(span: Span) -> PdeError:
    """`• u = 0`."""
    return MISUSED.error("unexpected bullet at the start of a line", span, "remove it", fixes=without(span))


def arguments_of_slope(name: str, span: Span, arguments: Span) -> PdeError:
    """`∂u(x, t)/∂t`."""
    hint, fixes = f"write {name} without arguments, as in ∂{name}/∂t", without(arguments, "remove the arguments")
    return MISUSED.error(f"'{name}' in a derivative takes no arguments", span, hint, fixes=fixes)


def periodic(span: Span) -> PdeError:
    hint = "write 'periodic' after the interval, as in: space x in [0, 1] periodic"
    return MISUSED.error("periodicity is declared in 'space'", span, hint)


def condition(word: str, span: Span) -> PdeError:
    """`initial u = 1`, `BC: u(0, t) = 0`, `dirichlet 0`."""
    hint = "initial: u(x, 0) = …; Dirichlet: u = … on boundary; Neumann: ∂u/∂n = … on boundary"
    return MISUSED.error(f"unexpected '{word}': a condition is written as an equation", span, hint)


def label(word: str, span: Span, whole: Span) -> PdeError:
    """`heat: ∂u/∂t = …`, `Solve ∂u/∂t = …`; `whole` is the word with its colon."""
    hint, fixes = "remove it, or make it a comment: # …", without(whole)
    return MISUSED.error(f"unexpected label '{word}' before an equation", span, hint, fixes=fixes)


def ends_with(sign: str, span: Span) -> PdeError:
    """`u(x, 0) =`, `∂u/∂t = Δu +`: incomplete, and another equation follows."""
    hint = "complete this line: the next line starts another equation"
    return MISUSED.error(f"missing operand after '{sign}' at the end of the line", span, hint)


def doubled_equal(span: Span) -> PdeError:
    return MISUSED.error("a second '=' in one statement", span, "remove it", fixes=without(span))


def joined_statements(span: Span) -> PdeError:
    """`const a = 1 const b = 2`; `span` is the second keyword."""
    fixes = (Fix("start a new line", (Edit(Span(span.start, span.start), "\n"),)),)
    return MISUSED.error("a second statement on one line", span, "write one statement per line", fixes=fixes)


def set_of_sides(span: Span, closing: Span | None) -> PdeError:
    """`on {left, right}`, `on (left, right)`; `closing` is the bracket at the end, if there is one."""
    fixes = (Fix("remove the brackets", (Edit(span), Edit(closing))),) if closing else ()
    return MISUSED.error("boundary faces are listed without brackets", span, "as in: u = 0 on left, right", fixes=fixes)


def sum_of(span: Span) -> PdeError:
    """`sum_{i=1}^n`."""
    return MISUSED.error("a sum has no limits: it runs over all components", span, "as in Σᵢ vᵢ² or sum(i, v[i]^2)")


def braces(span: Span, closing: Span | None) -> PdeError:
    """`closing` is the matching brace, if there is one."""
    edits = () if closing is None else (Edit(span, "("), Edit(closing, ")"))
    fixes = (Fix("use parentheses", edits),) if edits else ()
    return MISUSED.error("unexpected brace in an expression", span, "use parentheses: ( … )", fixes=fixes)


def braces_of_spec(span: Span, closing: Span | None) -> PdeError:
    """`pde Heat {`; `closing` is the brace at the end, if there is one."""
    edits = (Edit(span), Edit(closing)) if closing else (Edit(span),)
    hint = "remove the braces: a spec ends with its file"
    return MISUSED.error("unexpected braces around the spec", span, hint, fixes=(Fix("remove the braces", edits),))


def operator_alone(written: str, span: Span) -> PdeError:
    """`(-Δ)^s u`."""
    hint = "write the operand after it, as in Δu or ∂u/∂t"
    return MISUSED.error(f"missing operand of '{written.replace('¹', '')}'", span, hint)


def any_value(span: Span) -> PdeError:
    """`u(0, ·)`."""
    return MISUSED.error("'·' is not a variable", span, "write the variable, as in u(0, t)")


def subscripted(name: str, span: Span) -> PdeError:
    """`unknown H₂(x, t)`."""
    hint = f"declare {name} as a vector with components {name}₁ and {name}₂, or use the name {name}1"
    return MISUSED.error("a subscript denotes a component and cannot be part of a declared name", span, hint, once=True)
