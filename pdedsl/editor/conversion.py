r"""Formatting in Unicode or ASCII, and input of Unicode characters as `\nabla`."""

from __future__ import annotations

import re
from functools import cache

from pdedsl.api import format_source
from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import Edit
from pdedsl.editor.document import Document
from pdedsl.language.latex import COMMANDS
from pdedsl.language.names import FRACTIONS, GREEK_LETTERS, INDEX_LETTERS, SUBSCRIPTS, SUPERSCRIPTS

_TYPED = re.compile(r"\\[\^_]?\w*$")


def formatted(document: Document, ascii: bool = False) -> str | None:
    """The formatted text, or None if it cannot be parsed."""
    try:
        return format_source(document.source, ascii)
    except PdeError:
        return None


@cache
def inputs() -> dict[str, str]:
    r"""Input sequences of Unicode characters: `\nabla`, `\sigma`, `\^2`, `\_i`, `\frac12`."""
    signs = {**GREEK_LETTERS, **{word: sign for word, sign in COMMANDS.items() if not sign.isascii()}, "Vert": "‖"}
    raised = {f"^{i}": sign for i, sign in enumerate(SUPERSCRIPTS)}
    lowered = {f"_{i}": sign for i, sign in enumerate(SUBSCRIPTS)} | {f"_{i}": s for i, s in INDEX_LETTERS.items()}
    fractions = {f"frac{a}{b}": sign for sign, (a, b) in FRACTIONS.items()}
    return {f"\\{word}": sign for word, sign in {**signs, **raised, **lowered, **fractions}.items()}


def backslash_span(text: str, offset: int) -> Span | None:
    """The span of an input sequence that ends at an offset."""
    match = _TYPED.search(text, max(0, offset - 20), offset)
    return Span(*match.span()) if match else None


def unicode_at(text: str, offset: int) -> Edit | None:
    """The edit that replaces the input sequence before an offset by its Unicode character."""
    span = backslash_span(text, offset)
    sign = inputs().get(text[span.start : span.end]) if span else None
    return Edit(span, sign) if span and sign else None
