"""Notations of other books and programs that are not ours, with the way to write the same here."""

from __future__ import annotations

from collections.abc import Collection

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.fixes import Edit, Fix, bracketed, instead, one_of_them, without
from pdedsl.mistakes.english import all_of
from pdedsl.mistakes.syntax import AMBIGUOUS, MISUSED, NUMBER, NUMBERED

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
