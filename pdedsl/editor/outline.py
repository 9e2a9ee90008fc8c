"""Document symbols and folding ranges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pdedsl.diagnostics import Span
from pdedsl.editor.document import Document
from pdedsl.editor.visitor import Symbol


def symbols(document: Document) -> tuple[Symbol, ...]:
    return document.symbols


def folds(document: Document) -> tuple[Span, ...]:
    """Blocks, statements over several lines, and groups of comments."""
    source = document.source
    spans = [s.span for s in document.syntax.statements] + list(_comment_groups(document))
    return tuple(s for s in sorted(spans) if source.position(s.start)[0] < source.position(s.end)[0])


def _comment_groups(document: Document) -> Iterator[Span]:
    """Groups of consecutive comments with nothing else between them."""
    comments, text = [c.span for c in document.lines.comments], document.text
    start: int | None = None
    for this, after in pairwise([*comments, None]):
        assert this is not None
        start = this.start if start is None else start
        if after is None or text[this.end : after.start].strip(" \t\r") != "\n":
            yield Span(start, this.end)
            start = None
