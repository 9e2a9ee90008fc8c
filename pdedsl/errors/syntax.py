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
STRAY = Code("E101", "a character has no meaning in the language")
UNEXPECTED = Code("E102", "a statement breaks off, or goes on with something that does not belong there")
UNCLOSED = Code("E103", "a bracket is never closed")
UNOPENED = Code("E104", "a closing bracket does not match an opening one")
AMBIGUOUS = Code("E105", "a division or dot product can be read in two ways")
NO_STATEMENT = Code("E106", "a line starts with a word that starts no statement")
DEEP = Code("E107", "an expression is nested too deeply")
NUMBER = Code("E108", "a number or derivative is too long, or a number is too large or too small")
LONG_NAME = Code("E109", "a name is too long")
OPEN_TEXT = Code("E110", "a text in quotes is never closed")
MISUSED = Code("E111", "an operator or word is not used the way the language writes it")
ORDERS = Code("E112", "the orders above and below the line of a derivative differ")
TOO_MUCH = Code("E113", "an expression is too large to be worked out")
ARGUMENT_END = Code("E114", "it is not clear where the argument of a function ends")
NUMBERED = Code("W115", "a factor in brackets at an end of an equation looks like the number of the equation")
HEADER = Code("E120", "a spec does not start with `pde Name`")
SECOND_HEADER = Code("E121", "a file has a second `pde`")
SECOND = Code("E122", "a spec has a second `space` or `time`")
NO_SPACE = Code("E123", "a spec has no `space`")
MANY_UNKNOWNS = Code("E124", "a spec has too many unknowns")
NO_UNKNOWN = Code("E125", "a spec has no `unknown`")

COORDINATES = "several coordinates are declared together, as in: space (x, y) in [0, 1] × [0, 2]"
NAME_A_PART = "name a part of it with let"
SUMMED = "as in sum(i, v[i]^2)"
ARGUMENTS = {"sum": SUMMED}
SMALLER = "write it in fewer or smaller steps"
STEPS = "the method chooses the steps in time; on data and on pixels: realize time by euler(steps=100)"
PIECES = "there is no 'if': write pieces in space with heaviside(x - 0.5), and pieces in time with 'for t in [a, b]'"
# ---- brackets


def never_closed(opened: str, closer: str, span: Span, end: int) -> PdeError:
    """`end` is where it was probably to be closed."""
    way = f"add '{closer.strip()}'"
    return UNCLOSED.error(f"'{opened}' is never closed", span, way, fixes=added(end, closer))


def closes_nothing(closer: str, span: Span) -> PdeError:
    hint = "remove it, or add the opening bracket"
    return UNOPENED.error(f"'{closer}' closes nothing", span, hint, fixes=without(span))


def wrong_closer(closer: str, opened: str, expected: str, span: Span, at: Span) -> PdeError:
    notes = ((at, "opened here"),)
    fixes = instead(closer, expected, span)
    return UNOPENED.error(f"'{closer}' cannot close '{opened}'", span, f"expected '{expected}'", notes, fixes=fixes)


def nested_brackets(most: int, span: Span) -> PdeError:
    return DEEP.error(f"brackets are nested more than {most} deep", span, NAME_A_PART)


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
    return NO_STATEMENT.error(f"no statement starts with '{word}'", span, hint, fixes=instead(word, guess, span))


def no_header(late: str | None, span: Span) -> PdeError:
    """`late` is its text if there is one, behind other statements."""
    message = "'pde' must come first" if late else "a spec starts with its name"
    moved = Fix("move it to the top", (Edit(Span(0, 0), f"{late}\n"), Edit(span)))
    fixes = (moved,) if late else (Fix("add pde Spec", (Edit(Span(0, 0), "pde Spec\n"),)),)
    return HEADER.error(message, span, 'as in: pde Heat "The heat equation"', fixes=fixes)


def second_header(span: Span) -> PdeError:
    return SECOND_HEADER.error("a second 'pde' in one file", span, "keep one spec in a file")


def second_space(span: Span) -> PdeError:
    hint = f"{ONE}; {COORDINATES}"
    return SECOND.error("a second 'space': a spec has only one", span, hint, fixes=without(span))


def second_time(span: Span) -> PdeError:
    return SECOND.error("a second 'time': a spec has only one", span, ONE, fixes=without(span))


def no_space(time: str | None, span: Span) -> PdeError:
    """`time` is the only variable of an ordinary differential equation."""
    hint = "add: space x in R^2, in image(c, h, w), in pixels or in [a, b]"
    if time is not None:
        hint = f"in an ordinary differential equation the variable is the space: space {time} in [0, 1], without 'time'"
    return NO_SPACE.error("this spec has no space", span, hint)


def no_unknown(span: Span) -> PdeError:
    return NO_UNKNOWN.error("this spec has no unknown", span, "add: unknown u(x, t) : scalar, and its equation")


def many_unknowns(most: int, span: Span) -> PdeError:
    return MANY_UNKNOWNS.error(f"this spec has more than {most} unknowns", span, "join some in a vector(n)")


# ---- expressions


def two_divisions(above: Span, below: Span, factor: Span) -> PdeError:
    hint, denominator = "add brackets, as in (a/b) c or a/(b c)", below.to(factor)
    fixes = bracketed("as in (a/b) c", above.to(below)), bracketed("as in a/(b c)", denominator)
    return AMBIGUOUS.error("this division can be read in two ways", denominator, hint, fixes=fixes)


def two_dots(left: Span, middle: Span, right: Span) -> PdeError:
    hint = "add brackets, as in (a·b) c·d"
    fixes = bracketed("as in (a·b) c", left.to(middle)), bracketed("as in a (b·c)", middle.to(right))
    return AMBIGUOUS.error("two dots in one product can be read in two ways", middle.to(right), hint, fixes=fixes)


def late_argument(span: Span) -> PdeError:
    return MISUSED.error("an argument without a name follows a named one", span, "put it first, or name it")


def acts_on_nothing(span: Span) -> PdeError:
    return MISUSED.error("this operator acts on nothing", span, "write what it acts on after it: (u·∇)u")


def not_an_operator(written: str, span: Span) -> PdeError:
    return MISUSED.error(f"{written} is not an operator", span, "write ∇∇u, Δu or Δ²u")


def index_of_sigma(span: Span) -> PdeError:
    return MISUSED.error("Σ needs a letter as its index", span, "as in Σᵢ vᵢ²")


def index_of_sum(span: Span) -> PdeError:
    return MISUSED.error("the first argument of sum must be an index", span, SUMMED)


def not_a_variable(span: Span) -> PdeError:
    hint = "as in diff(u, x) or diff(u, x, y); a second derivative is diff(u, x, x)"
    return MISUSED.error("diff needs variables after its first argument", span, hint)


def operator_arguments(word: str, least: int, exactly: bool, span: Span) -> PdeError:
    """`grad(u, x)`, `lap(f=u)`."""
    wanted = counted(least, "argument") if exactly else f"at least {counted(least, 'argument')}"
    return MISUSED.error(f"{word} takes {wanted}, without names", span, ARGUMENTS.get(word, ""))


def power_of_constant(span: Span) -> PdeError:
    return MISUSED.error("the power of a constant must be a whole number below 100", span)


def order_zero(span: Span) -> PdeError:
    return ORDERS.error("this derivative has order 0", span, "leave it out")


def orders_differ(above: int, below: int, span: Span) -> PdeError:
    return ORDERS.error(f"the order is {above} above the line and {below} below it", span, "make the two agree")


def _brackets(before: Span, end: int) -> tuple[Edit, ...]:
    return Edit(before, "("), Edit(Span(end, end), ")")


def argument_end(function: str, span: Span, first: Span, last: Span) -> PdeError:
    """`first` and `last` are the factors behind the function."""
    called = [("the first factor", first), ("all of them", last)]
    fixes = tuple(Fix(f"{function} of {what}", _brackets(Span(span.end, first.start), to.end)) for what, to in called)
    message = f"it is not clear where the argument of '{function}' ends"
    return ARGUMENT_END.error(message, span, "add brackets", fixes=fixes)


# ---- sizes


def too_large(span: Span) -> PdeError:
    return TOO_MUCH.error("this is too large to be worked out", span, SMALLER)


def large_number(span: Span) -> PdeError:
    return TOO_MUCH.error("this number is too large to be written out", span, SMALLER)


def large_power(span: Span) -> PdeError:
    return TOO_MUCH.error("this power is too large to be written out", span, "write a smaller power")


def large_exponent(most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this exponent is larger than {most:,}", span, "write a smaller power")


def large_expression(size: int, most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this expression has {size:,} parts; the limit is {most:,}", span, SMALLER)


def many_terms(found: int, most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this equation has {found:,} terms; the limit is {most}", span, SMALLER)


def many_mixed_derivatives(most: int, span: Span) -> PdeError:
    message = f"written out, this has more than {most} different mixed derivatives"
    return TOO_MUCH.error(message, span, "use fewer dimensions")


def many_inequalities(found: int, most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this shape has {found:,} inequalities; the limit is {most}", span, "write fewer of them")


def many_extrema(most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this expression has more than {most} minima and maxima", span, SMALLER)


def deep_expression(depth: int, most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this expression has {depth} levels; the limit is {most}", span, SMALLER)


def beyond_limits(what: str, span: Span) -> PdeError:
    """`what` grew too large while it was worked out."""
    return TOO_MUCH.error(what, span, "split it with let, or write it in fewer terms")


def high_order(most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"this derivative has an order above {most}", span)


def nested_sums(span: Span) -> PdeError:
    return TOO_MUCH.error("too many nested sums", span)


def many_calls(most: int, span: Span) -> PdeError:
    return TOO_MUCH.error(f"functions are called more than {most:,} times", span, "write out fewer of them")


# ---- characters
# E101, E108 to E110: characters without a meaning, texts without an end, and names and numbers that are too long.


ALONE = "write a word of the language alone, as in mlp(width=64) or adam(lr=0.1)"
OWN = f'{ALONE}; a network of your own is torch("package.module:Name")'
DOTS = (
    (r".*", r"\.", "an interval is written [0, 1]"),
    (r".*[0-9]", r"", "write 5.0 for 5."),
    (r".*", r"\s*$", "a statement ends with its line, without a full stop; a comment starts with #"),
    (r".*", r"diff\b|d[a-z]\b|grad\b|laplacian\b", "a derivative is written ∂u/∂t, ∂²u/∂x² or diff(u, x)"),
    (r".*", r"T\b", "the adjoint of W is written Wᵀ or W^T"),
    (r".*\btorch\([\w.]*", r"\w", 'a network of your own is named in quotes, as in torch("package.module:Name")'),
    (r"\s*learn\b.*=\s*(?:torch\.)?(?:nn|models)", r"\w", OWN),
    (r".*\b(?:nn|optim|F)", r"\w", ALONE),
    (r".*\btorch", r"(?:nn|optim)\b", ALONE),
    (r".*\b(?:torchvision|datasets)", r"\w", "a data set is named alone, as in mnist or cifar10"),
    (r".*", r"(?:npz|npy|csv|txt|json|pde|pt|png|h5|mat)\b", "put the name of a file in quotes"),
    (r".*\b(?:np|numpy|jnp|math|Math|torch|sympy|sp|tf)", r"[a-z]", "write the function alone, as in sin(x)"),
    (r".*\w", r"\w{2,}|\w\s*[=(]", "a name has no dot in it: leave out what stands before the dot"),
)
"""What a dot may have been meant for, by what stands before and behind it on its line."""
HIDDEN = {"Cf": True}  # categories of Unicode whose characters cannot be seen
STRAYS = {
    "∂": "a derivative is written ∂u/∂t or ∂(…)/∂x",
    "'": 'a derivative is written ∂u/∂t or ∂²u/∂x², and a text is put in double quotes: "…"',
    "″": "a derivative is written ∂²u/∂x² or ∂²u/∂t²",
    "\u0307": "a derivative is written ∂u/∂t",
    "\u0308": "a derivative is written ∂²u/∂t²",
    "%": "a comment starts with #; 10 % is 0.1",
    "@": "write W x for a product, and v·w for a dot product",
    **dict.fromkeys("⟨⟩", "write v·w for a dot product, and [1, 2] for a vector"),
    "$": "leave the $ out",
    "∞": "an interval has finite ends: choose a number that is large enough, or write R^d for a data space",
    ";": "a statement ends at the end of its line, and a comma separates what is in brackets",
    ".": "write v·w for a dot product",
    "?": PIECES,
    "`": "leave lines of ``` out: a spec is a plain text",
    "\\": "the language has no backslash: write σ or sigma, ∇ or grad(…)",
    **dict.fromkeys("≈≡≐", "write '='"),
    "~": "write '='",
    "→": "a condition is written u = … on boundary, and an unknown is declared as: unknown u(x, t) : scalar",
    "_": "a subscript belongs to a name, as in u_xx; for one direction of Δ write ∂²u/∂x²",
    "°": "angles are in radians: write π/4 for 45°",
    **dict.fromkeys("⊂⊆", "a domain is declared by its coordinates, as in: space (x, y) in [0, 1]^2"),
    "±": "write each of the two on a line of its own",
    "∫": "integrals are not part of the language",
    "!": "factorials are not part of the language",
}

STRAYS_INSTEAD = {"%": "#", ";": "\n", "$": "", "≈": "=", "≡": "="}


def not_a_spec(strays: int, span: Span) -> PdeError:
    message = f"this does not look like a spec: {strays} characters up to here have no meaning"
    return NO_SPEC.error(message, span, "a spec starts with: pde Name")


def stray_character(char: str, span: Span) -> PdeError:
    if HIDDEN.get(unicodedata.category(char)):
        hint = f"delete it (U+{ord(char):04X}): copied texts may contain such characters"
        return STRAY.error("an invisible character", span, hint, once=True, fixes=without(span))
    shown = f"'{char}'" if char.isprintable() else "this character"
    new = STRAYS_INSTEAD.get(char)
    fixes = () if new is None else (Fix(STRAYS[char], (Edit(span, new, char),)),)
    return STRAY.error(f"{shown} (U+{ord(char):04X}) has no meaning here", span, STRAYS.get(char, ""), fixes=fixes)


def stray_dot(before: str, after: str, span: Span) -> PdeError:
    """A dot that belongs to no number; `before` and `after` are the rest of its line."""
    meant = (way for left, right, way in DOTS if re.fullmatch(left, before) and re.match(right, after))
    return STRAY.error("'.' has no meaning here", span, next(meant, STRAYS["."]))


def late_backslash(span: Span) -> PdeError:
    hint = "a line goes on below if it ends with an operator such as '+', or inside brackets"
    return STRAY.error("'\\' has no meaning here", span, hint)


def open_text(span: Span) -> PdeError:
    return OPEN_TEXT.error("this text is never closed", span, 'add the closing "', fixes=added(span.end, '"'))


def long_name(length: int, most: int, span: Span) -> PdeError:
    return LONG_NAME.error(f"this name has {length:,} characters; the limit is {most}", span)


def long_number(length: int, most: int, span: Span) -> PdeError:
    return NUMBER.error(f"this number has {length:,} characters; the limit is {most}", span)


def long_derivative(length: int, most: int, span: Span) -> PdeError:
    return NUMBER.error(f"this derivative has {length:,} characters; the limit is {most}", span)


def number_out_of_range(largest: int, span: Span) -> PdeError:
    hint = f"numbers lie between 1e-{largest} and 1e{largest}"
    return NUMBER.error("this number is too large or too small", span, hint)


# ---- notation
# Notations of other books and programs that are not ours, with the way to write the same here.


SUMS = {
    letter: f"sums are written out, as in Σ{index} ∂²u/∂x{index}², or without indices: Δu, (u·∇)u, ∇·u"
    for index, letters in (("ᵢ", "ᵢi"), ("ⱼ", "ⱼj"), ("ₖ", "ₖk"))
    for letter in letters
}


def comment(opening: str, span: Span) -> PdeError:
    fixes = (Fix("write #", (Edit(span, "#", "//"),)),)
    return MISUSED.error(f"'{opening}' does not start a comment", span, "write: # …", fixes=fixes)


def latex(line: str, span: Span) -> PdeError:
    """`line` is the same in our notation."""
    fixes = (Fix("write it in our notation", (Edit(span, line),)),)
    return MISUSED.error("this line is written in LaTeX", span, f"write: {line}", fixes=fixes)


def strange(why: str, old: str, new: str, span: Span) -> PdeError:
    """A line of another program; `new` is the same in our notation. What differs is marked."""
    first = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    same = next((k for k, (a, b) in enumerate(zip(old[:first:-1], new[:first:-1], strict=False)) if a != b), 0)
    first = min(first, len(old) - 1)
    end = max(len(old) - same, first + 1)
    fixes = (Fix("write it in our notation", (Edit(span, new),)),)
    return MISUSED.error(why, Span(span.start + first, span.start + end), f"write: {new.strip()}", fixes=fixes)


def numbered(new: str, span: Span) -> Diagnostic:
    """A line that reads as an equation with its number, which multiplies a term."""
    fixes = (Fix("leave the number out", (Edit(span, new.strip()),)),)
    hint = f"if it is the number of the equation, write: {new.strip()}"
    return NUMBERED.warning("the number in brackets is a factor in this equation", span, hint, fixes)


def remark(why: str, way: str, span: Span) -> PdeError:
    """A line that has no counterpart in the language."""
    return MISUSED.error(why, span, way, once=True)


def two_numbers(written: str, span: Span) -> PdeError:
    return NUMBER.error(f"'{written}' is not a number", span, "a number has at most one decimal point")


def decimal_comma(written: str, span: Span) -> PdeError:
    number, whole = written.replace(",", "."), written.replace(",", "")
    ways = f"write: {whole} or {number}" if len(written.partition(",")[2]) == 3 else f"write: {number}"
    return MISUSED.error(f"'{written}' is not a number", span, ways, fixes=instead(written, number, span))


def round_brackets(interval: bool, opening: Span, closing: Span) -> PdeError:
    """`const v = (1, 2)`, `for t in (0, 1)`."""
    what, hint = ("intervals are", "as in [0, 1]") if interval else ("vectors and lists are", "as in [1, 2]")
    fixes = (Fix("use square brackets", (Edit(opening, "["), Edit(closing, "]"))),)
    return MISUSED.error(f"{what} written in square brackets", opening.to(closing), hint, fixes=fixes)


def coordinates_in_brackets(name: str, opening: Span, closing: Span) -> PdeError:
    """`u((x, y), t)`."""
    fixes = (Fix("leave them out", (Edit(opening), Edit(closing))),)
    message = f"the coordinates in '{name}' have no brackets of their own"
    return MISUSED.error(message, opening.to(closing), f"as in {name}(x, y, t)", fixes=fixes)


def root(span: Span, body: Span, power: bool) -> PdeError:
    """`body` is the name or number behind the root; `power` if an exponent follows it, and not a bracket."""
    whole = (bracketed("as in √(u²)", Span(body.start, span.end)),) if power else ()
    fixes = *whole, bracketed("as in (√u)²", Span(span.start, body.end))
    hint = "add brackets, as in √(u²) or (√u)²"
    return AMBIGUOUS.error("it is not clear where this root ends", span, hint, fixes=fixes)


def curl(span: Span) -> PdeError:
    hint = "write out its components, as in [∂B₃/∂y - ∂B₂/∂z, ∂B₁/∂z - ∂B₃/∂x, ∂B₂/∂x - ∂B₁/∂y]"
    return MISUSED.error("the curl is not part of the language", span, hint)


def inverse(function: str, span: Span) -> PdeError:
    hint = f"write a{function}(…) for the inverse function, or 1/{function}(…)"
    fixes = one_of_them([f"a{function}"], span)
    return AMBIGUOUS.error(f"{function}⁻¹ can be read in two ways", span, hint, fixes=fixes)


def derivative(written: str, variables: list[str], span: Span, functions: Collection[str] = ()) -> PdeError:
    hint = f"as in ∂u/∂t or ∂²u/∂x∂y; variables of this spec: {all_of(variables)}"
    if written[1:] in functions:
        hint = "a derivative is written on one line, as in ∂u/∂t or ∂²u/∂x²"
    hint = SUMS.get(written[-1], hint)
    return MISUSED.error(f"'{written}' is not a derivative by the variables of this spec", span, hint, once=True)


def named_place(name: str, variable: str, span: Span, key: Span | None) -> PdeError:
    """`u(x=0, t)`, `u(t=0)`; `key` is `x=` where other arguments follow."""
    hint = f"write the value in the place of {variable}, as in {name}(0, t) for a side, or {name}(x, 0) for the start"
    fixes = without(key, "give its value") if key else ()
    return MISUSED.error(f"the arguments of '{name}' have no names", span, hint, fixes=fixes)


def two_equalities(span: Span) -> PdeError:
    hint = "write one '=' per line: u(0, t) = 0 on one line and u(1, t) = 0 on the next, or u = 0 on boundary"
    return MISUSED.error("a second '=' in one statement", span, hint)


def transposed(name: str, span: Span) -> PdeError:
    """`v^T w` for vectors."""
    hint, fixes = f"write {name}·w for the dot product with a vector w", one_of_them([f"{name}·"], span)
    return MISUSED.error(f"'{name}' is not a matrix or an operator, and has no transpose", span, hint, fixes=fixes)


def at_a_side(word: str, start: bool, span: Span) -> PdeError:
    """`u = 0 at x = 0`, `u = 1 at t = 0`."""
    if start:
        return MISUSED.error(
            f"an initial condition is not written with '{word}'", span, "the start is written: u(x, 0) = …"
        )
    fixes = instead(word, "on", span)
    return MISUSED.error("a side is named after 'on'", span, "as in: u = 0 on x = 0", fixes=fixes)


def bullet(span: Span) -> PdeError:
    """`• u = 0`."""
    return MISUSED.error(
        "a line does not start with a bullet", span, "leave it out", fixes=without(span, "leave it out")
    )


def arguments_of_slope(name: str, span: Span, arguments: Span) -> PdeError:
    """`∂u(x, t)/∂t`."""
    hint, fixes = f"write {name} without its arguments, as in ∂{name}/∂t", without(arguments, "leave them out")
    return MISUSED.error(f"the derivative of '{name}' is written without arguments", span, hint, fixes=fixes)


def periodic(span: Span) -> PdeError:
    hint = "write 'periodic' after its interval, as in: space x in [0, 1] periodic"
    return MISUSED.error("a periodic domain is declared by its space", span, hint)


def condition(word: str, span: Span) -> PdeError:
    """`initial u = 1`, `BC: u(0, t) = 0`, `dirichlet 0`."""
    hint = "as in: u(x, 0) = … for the start, u = … on boundary, or ∂u/∂n = … on boundary"
    return MISUSED.error(f"a condition is an equation, without '{word}'", span, hint)


def label(word: str, span: Span, whole: Span) -> PdeError:
    """`heat: ∂u/∂t = …`, `Solve ∂u/∂t = …`; `whole` is the word with its colon."""
    hint, fixes = "leave it out, or write it as a comment: # …", without(whole, "leave it out")
    return MISUSED.error(f"an equation has no words or labels before it, found '{word}'", span, hint, fixes=fixes)


def ends_with(sign: str, span: Span) -> PdeError:
    """`u(x, 0) =`, `∂u/∂t = Δu +`: a line that goes on below, where another equation begins."""
    hint = "complete this line: another equation begins on the next"
    return MISUSED.error(f"this line ends with '{sign}'", span, hint)


def doubled_equal(span: Span) -> PdeError:
    return MISUSED.error("a second '=' in one statement", span, "remove it", fixes=without(span))


def joined_statements(span: Span) -> PdeError:
    """`const a = 1 const b = 2`; `span` is the second keyword."""
    fixes = (Fix("start a new line", (Edit(Span(span.start, span.start), "\n"),)),)
    return MISUSED.error("a second statement in one line", span, "write one statement per line", fixes=fixes)


def set_of_sides(span: Span, closing: Span | None) -> PdeError:
    """`on {left, right}`, `on (left, right)`; `closing` is the bracket at the end, if there is one."""
    fixes = (Fix("leave them out", (Edit(span), Edit(closing))),) if closing else ()
    return MISUSED.error("sides are named without brackets", span, "as in: u = 0 on left, right", fixes=fixes)


def sum_of(span: Span) -> PdeError:
    """`sum_{i=1}^n`."""
    return MISUSED.error("a sum runs over all components", span, "as in Σᵢ vᵢ² or sum(i, v[i]^2)")


def braces(span: Span, closing: Span | None) -> PdeError:
    """`closing` is the brace that ends what they enclose, if there is one."""
    edits = () if closing is None else (Edit(span, "("), Edit(closing, ")"))
    fixes = (Fix("use round brackets", edits),) if edits else ()
    return MISUSED.error("braces enclose the entries of a block", span, "use round brackets: ( … )", fixes=fixes)


def braces_of_spec(span: Span, closing: Span | None) -> PdeError:
    """`pde Heat {`; `closing` is the brace at the end, if there is one."""
    edits = (Edit(span), Edit(closing)) if closing else (Edit(span),)
    hint = "leave them out: a spec ends with its file"
    return MISUSED.error("a spec has no braces around it", span, hint, fixes=(Fix("leave them out", edits),))


def operator_alone(written: str, span: Span) -> PdeError:
    """`(-Δ)^s u`."""
    hint = "write what it acts on after it, as in Δu or ∂u/∂t"
    return MISUSED.error(f"'{written.replace('¹', '')}' acts on nothing", span, hint)


def any_value(span: Span) -> PdeError:
    """`u(0, ·)`."""
    return MISUSED.error("'·' is not a variable", span, "write its name, as in u(0, t)")


def subscripted(name: str, span: Span) -> PdeError:
    """`unknown H₂(x, t)`."""
    hint = f"declare {name} as a vector, whose components are {name}₁ and {name}₂, or leave the subscript out: {name}1"
    return MISUSED.error("a subscript is a component: a name cannot have one", span, hint, once=True)
