"""Annotated spans of the text: terms of the equations by class, conditions; equations as runs of annotated text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pdedsl.diagnostics import Source, Span, width
from pdedsl.explainer.terms import term_detail, term_name
from pdedsl.ir.analysis import Analysis

MAX_MARKS = 40  # terms and conditions in a drawing, so that it stays readable


@dataclass(frozen=True)
class Annotation:
    """A term or a condition."""

    kind: str
    label: str
    text: str
    span: Span


@dataclass(frozen=True)
class Run:
    """A part of an equation that belongs to one term or to none."""

    text: str
    mark: Annotation | None

    @property
    def columns(self) -> int:
        return width(self.text)


def annotations_of(analysis: Analysis) -> tuple[Annotation, ...]:
    """The marks in the order of the text, the terms of each equation first."""
    spec, marks = analysis.spec, []
    for facts in analysis.equations:
        for term in facts.terms:
            label = ", ".join(filter(None, (term_name(term, facts, spec), term_detail(term, spec))))
            marks.append(Annotation(term.kind, label, term.origin.text, term.origin.span))
    for condition in spec.conditions:
        text = spec.source.quote(condition.span)
        marks.append(Annotation("condition", f"{condition.kind} condition", text, condition.span))
    for observation in spec.observations:
        marks.append(Annotation("condition", "observations", spec.source.quote(observation.span), observation.span))
    return tuple(marks[:MAX_MARKS])


def equation_lines(source: Source, span: Span, marks: tuple[Annotation, ...], columns: int) -> list[list[Run]]:
    """An equation as written, without comments, in lines of at most `columns` columns."""
    lines: list[list[Run]] = [[]]
    room = columns
    for run in _runs(source, span, marks):
        for part in _split(run, room, columns):
            if part.columns > room:
                lines.append([])
                room = columns
            lines[-1].append(part)
            room -= part.columns
    return lines


def _runs(source: Source, span: Span, marks: tuple[Annotation, ...]) -> Iterator[Run]:
    at = span.start
    for mark in sorted({m.span: m for m in reversed(marks)}.values(), key=lambda m: m.span):
        if mark.span.start < at or mark.span.end > span.end:
            continue
        yield from _plain(source, Span(at, mark.span.start))
        yield Run(source.quote(mark.span), mark)
        at = mark.span.end
    yield from _plain(source, Span(at, span.end))


def _plain(source: Source, span: Span) -> Iterator[Run]:
    """The text between terms, with any white space at either end reduced to one space."""
    raw, text = source.text[span.start : span.end], source.quote(span)
    if raw:
        before, after = " " * raw[0].isspace(), " " * (raw[-1].isspace() and bool(text))
        yield Run(f"{before}{text}{after}", None)


def _split(run: Run, room: int, columns: int) -> Iterator[Run]:
    """A run, split only if it is longer than a line."""
    if run.columns <= max(room, columns):
        yield run
        return
    for start in range(0, len(run.text), columns):
        yield Run(run.text[start : start + columns], run.mark)
