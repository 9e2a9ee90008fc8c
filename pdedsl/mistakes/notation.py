"""Notations of other books and programs that are not ours, with the way to write the same here."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.fixes import Edit, Fix, instead
from pdedsl.mistakes.syntax import AMBIGUOUS, MISUSED, NUMBER


def comment(opening: str, span: Span) -> PdeError:
    fixes = (Fix("write #", (Edit(span, "#", "//"),)),)
    return MISUSED.error(f"'{opening}' does not start a comment", span, "write: # …", fixes=fixes)


def latex(line: str, span: Span) -> PdeError:
    """`line` is the same in our notation."""
    fixes = (Fix("write it in our notation", (Edit(span, line),)),)
    return MISUSED.error("this line is written in LaTeX", span, f"write: {line}", fixes=fixes)


def two_numbers(written: str, span: Span) -> PdeError:
    return NUMBER.error(f"'{written}' is not a number", span, "a number has at most one decimal point")


def decimal_comma(written: str, span: Span) -> PdeError:
    number = written.replace(",", ".")
    return MISUSED.error(f"'{written}' is not a number", span, f"write: {number}", fixes=instead(written, number, span))


def root(span: Span) -> PdeError:
    return AMBIGUOUS.error("it is not clear where this root ends", span, "add brackets, as in √(u²) or (√u)²")


def curl(span: Span) -> PdeError:
    hint = "write out its components, as in [∂B₃/∂y - ∂B₂/∂z, ∂B₁/∂z - ∂B₃/∂x, ∂B₂/∂x - ∂B₁/∂y]"
    return MISUSED.error("the curl is not part of the language", span, hint)


def inverse(function: str, span: Span) -> PdeError:
    hint = f"write a{function}(…) for the inverse function, or 1/{function}(…)"
    return AMBIGUOUS.error(f"{function}⁻¹ can be read in two ways", span, hint)


def derivative(written: str, span: Span) -> PdeError:
    return MISUSED.error(f"'{written}' is not a derivative by the variables of this spec", span, "as in ∂²u/∂x∂y")


def two_equalities(span: Span) -> PdeError:
    hint = "write one '=' a line: u(0, t) = 0 on one line and u(1, t) = 0 on the next, or u = 0 on boundary"
    return MISUSED.error("a second '=' in one statement", span, hint)


def subscripted(name: str, span: Span) -> PdeError:
    """`unknown H₂(x, t)`."""
    hint = f"declare {name} as a vector, whose components are {name}₁ and {name}₂, or leave the subscript out: {name}1"
    return MISUSED.error("a subscript is a component: a name cannot have one", span, hint)
