"""Code actions: quick fixes of diagnostics, and conversion between Unicode and ASCII."""

from __future__ import annotations

from pdedsl.diagnostics import Diagnostic, Span
from pdedsl.diagnostics.fixes import Edit, resolve_edits
from pdedsl.editor.conversion import formatted
from pdedsl.editor.document import Document
from pdedsl.record import Record


class Action(Record):
    """Edits with a title; `cures` is the diagnostic that they fix, if any."""

    title: str
    edits: tuple[Edit, ...]
    cures: Diagnostic | None = None


def actions(document: Document, span: Span) -> tuple[Action, ...]:
    """Quick fixes of the diagnostics in a range, then conversions of the whole text."""
    return (*quick_fixes(document, span), *_conversions(document))


def quick_fixes(document: Document, span: Span) -> tuple[Action, ...]:
    return tuple(
        Action(fix.title, edits, d)
        for d in document.diagnostics
        if d.span.start <= span.end and span.start <= d.span.end
        for fix in d.fixes
        if (edits := resolve_edits(document.text, fix))
    )


def _conversions(document: Document) -> tuple[Action, ...]:
    titles = {"convert to ASCII": True, "convert to Unicode": False}
    texts = [(title, formatted(document, ascii)) for title, ascii in titles.items()]
    whole = Span(0, len(document.text))
    return tuple(Action(title, (Edit(whole, text),)) for title, text in texts if text and text != document.text)
