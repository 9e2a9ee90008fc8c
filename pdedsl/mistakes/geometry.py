"""E43x: shapes, curves and the parts of a boundary."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.fixes import without
from pdedsl.mistakes.code import Code

NOT_A_LEVEL = Code("E430", "an inequality or a curve is not given by a known function of the coordinates")

EMPTY = Code("E431", "a shape is empty, or an inequality of it cuts nothing off")
NO_POINTS = Code("E432", "a condition selects no points")


def empty(span: Span) -> PdeError:
    return EMPTY.error("no point of the box satisfies all inequalities", span, "check their signs")


def cuts_nothing(text: str, span: Span, before: int | None) -> PdeError:
    """`before` is where `where` stands, if this is the only inequality."""
    fixes = without(span, item=True) if before is None else without(Span(before, span.end))
    message = f"'{text}' cuts nothing off: no part of its edge lies in the domain"
    return EMPTY.error(message, span, "remove it, or make the box or the shape larger", fixes=fixes)


def selects_nothing(span: Span) -> PdeError:
    hint = "check the place against 'space'; a curve is one across which left - right changes its sign"
    return NO_POINTS.error("this condition selects no points of the domain", span, hint)


def no_coordinate(span: Span) -> PdeError:
    return NOT_A_LEVEL.error("this contains no coordinate", span, "as in: x² + y² < 1")


def not_known(span: Span) -> PdeError:
    message = "an inequality or a curve cannot contain an unknown or a learned function"
    return NOT_A_LEVEL.error(message, span, "use coordinates, const and let")


def moving(time: str, span: Span) -> PdeError:
    hint = "the domain is the same at all times; the start is written: u(x, 0) = …"
    return NOT_A_LEVEL.error(f"a shape or a curve cannot depend on {time}", span, hint)


def not_physical(span: Span) -> PdeError:
    hint = "as in: space (x, y) in [-1, 1]^2 where x² + y² < 1"
    return NOT_A_LEVEL.error("only a bounded domain is cut by inequalities", span, hint)
