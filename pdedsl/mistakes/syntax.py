"""E1xx: characters, brackets, statements and sizes."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.fixes import Edit, Fix, added, bracketed, instead, without
from pdedsl.mistakes.code import Code
from pdedsl.mistakes.english import ONE, all_of, counted, perhaps

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
