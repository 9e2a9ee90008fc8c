"""E44x, W440: known solutions and measurements."""

from __future__ import annotations

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.fixes import instead, without
from pdedsl.mistakes.code import Code
from pdedsl.mistakes.english import ONE

SUBJECT = Code("E440", "`exact` or `observe` does not name an unknown at its own variables")
VALUE = Code("E441", "a known solution is not a known function")
TWICE = Code("E442", "a known solution is given twice")
VIOLATED = Code("E443", "a known solution does not satisfy an equation or a condition")
UNMEASURED = Code("W440", "something is learned along with a solution, and nothing is measured")


def violated(text: str, size: float, span: Span) -> PdeError:
    message = f"this is not a solution: it misses '{text}' by {size:.2g}"
    return VIOLATED.error(message, span, "correct it, or the equation or condition that it misses")


def not_physical(word: str, span: Span) -> PdeError:
    return SUBJECT.error(f"'{word}' belongs to equations on a physical domain", span, "as in: space x in [0, 1]")


def not_an_unknown(name: str | None, span: Span) -> PdeError:
    message = f"'{name}' is not an unknown" if name else "this is not an unknown"
    return SUBJECT.error(message, span, "name an unknown, or a component: u, u₁")


def not_at_home(name: str, span: Span) -> PdeError:
    hint = f"write {name} alone"
    return SUBJECT.error(
        f"'{name}' does not have the arguments of its declaration", span, hint, fixes=instead("", name, span)
    )


def not_known(span: Span) -> PdeError:
    message = "a known solution cannot contain an unknown or a learned function"
    return VALUE.error(message, span, "use coordinates, the time, const and let")


def twice(span: Span) -> PdeError:
    return TWICE.error("a second known solution for the same unknown", span, ONE, fixes=without(span))


def unmeasured(name: str, unknown: str, span: Span) -> Diagnostic:
    """The equation may hold for every value of it."""
    message = f"nothing is measured, so any '{name}' may do"
    return UNMEASURED.warning(message, span, f'add measurements: observe {unknown} from npz("points.npz")')
