"""Inlay hints: name and coefficient of each term, and the time of the first layer."""

from __future__ import annotations

from collections.abc import Iterator

from pdedsl.editor.document import Document
from pdedsl.explainer.explain import first_layer
from pdedsl.explainer.terms import coefficient_of, term_name
from pdedsl.ir.analysis import EquationFacts
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.ir.terms import TimeDerivative
from pdedsl.record import Record


class InlayHint(Record):
    """A text displayed at an offset."""

    offset: int
    text: str


def hints(document: Document, before: Document | None = None) -> tuple[InlayHint, ...]:
    """`diffusion, ν = 0.02` after a term, `first layer at t = 1` after an equation.

    While the text has an error, the statements that it shares with `before`, its last valid version, keep their hints.
    """
    if document.analysis is None:
        return () if before is None or before.analysis is None else tuple(_shifted_hints(document, before))
    spec = document.analysis.spec
    hints = [hint for facts in document.analysis.equations for hint in _of(facts, spec)]
    return tuple(sorted(hints, key=lambda hint: hint.offset))


def _shifted_hints(document: Document, before: Document) -> Iterator[InlayHint]:
    """The hints of unchanged statements, at their new offsets."""
    starts = {document.source.quote(s.span): s.span.start for s in document.syntax.statements}
    old = hints(before)
    for statement in before.syntax.statements:
        span, start = statement.span, starts.get(before.source.quote(statement.span))
        if start is not None:
            own = (hint for hint in old if span.start <= hint.offset <= span.end)
            yield from (InlayHint(hint.offset - span.start + start, hint.text) for hint in own)


def _of(facts: EquationFacts, spec: Spec) -> Iterator[InlayHint]:
    texts_at: dict[int, list[str]] = {}
    for term in facts.terms:
        if not isinstance(term, TimeDerivative):
            parts = (term_name(term, facts, spec), coefficient_of(term, facts, spec))
            texts_at.setdefault(term.origin.span.end, []).append(", ".join(filter(None, parts)))
    yield from (InlayHint(offset, " and ".join(texts)) for offset, texts in texts_at.items())
    if facts.process and spec.time and spec.space.kind is SpaceKind.DATA:
        yield InlayHint(facts.equation.span.end, f"first layer at {first_layer(facts, spec.time)}")
