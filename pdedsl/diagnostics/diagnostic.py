"""Source texts, diagnostics with a stable code, location and hint, and their rendering with source excerpts."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import groupby

from pdedsl.diagnostics import escaping
from pdedsl.diagnostics.fixes import Fix, Span, resolve_edits
from pdedsl.record import Record


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


EXCERPT_WIDTH = 100  # columns of a source line in an excerpt
MAX_DIAGNOSTICS = 20  # in one report
_COMMENT = re.compile(r'("[^"\n\r]*")|#[^\n\r]*')  # or a string literal, which may contain '#'


NOWHERE = Span(0, 0)


class Patch(Record):
    """The origin of a part of a text: `origin.text[start:]`; the whole of `origin` if `start` is None, because the part
    is generated from it."""

    span: Span
    origin: Source
    start: int | None = None

    def shifted(self, at: int, by: int) -> Patch:
        """The patch after an edit at `at` that lengthened the text by `by` characters."""
        return self if self.span.end <= at else replace(self, span=Span(self.span.start + by, self.span.end + by))

    def contains(self, span: Span) -> bool:
        return self.span.start <= span.start and span.end <= self.span.end


class Source(Record):
    """A text with its file name; `patches` are parts from other sources, such as the command line."""

    text: str
    name: str = "<text>"
    patches: tuple[Patch, ...] = field(default=(), compare=False)

    def original(self, span: Span) -> tuple[Source, Span]:
        """The source and span in which the user wrote this text."""
        for patch in self.patches:
            if patch.contains(span) and patch.start is None:
                return patch.origin, Span(0, len(patch.origin.text))
            if patch.contains(span) and patch.start is not None:
                by = patch.start - patch.span.start
                return patch.origin, Span(span.start + by, span.end + by)
        return self, span

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, 1-based, columns in characters."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def quote(self, span: Span) -> str:
        """The text of a span, on one line and without comments."""
        return " ".join(_COMMENT.sub(r"\1", self.text[span.start : span.end]).split())

    def range(self, span: Span) -> dict[str, int]:
        """Start and end of a span as lines and columns, for JSON output."""
        (line, column), (end_line, end_column) = self.position(span.start), self.position(span.end)
        return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}


class Diagnostic(Record):
    """One error or warning. `notes` mark related locations; `fixes` can be applied by an editor.

    Of diagnostics marked `once` with the same code and message, only the first in the text is reported.
    """

    code: str
    message: str
    span: Span
    hint: str = ""
    severity: Severity = Severity.ERROR
    notes: tuple[tuple[Span, str], ...] = ()
    once: bool = False
    fixes: tuple[Fix, ...] = ()

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def as_json(self, source: Source) -> dict[str, object]:
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            **source.range(self.span),
            "notes": [{"label": label, **source.range(span)} for span, label in self.notes],
            "fixes": [
                {"title": fix.title, "edits": [{**source.range(e.span), "text": e.new} for e in edits]}
                for fix in self.fixes
                if (edits := resolve_edits(source.text, fix))
            ],
        }


class PdeError(Exception):
    """A spec is invalid; `diagnostics` are its errors, in the order of the text.

    Args:
        diagnostics: the errors.
        source: the text of the spec, which is quoted in the message.

    Example:
        >>> import pdedsl
        >>> try:
        ...     pdedsl.parse("pde P\\nspace x in R\\n∂u/∂t = Δu\\n")
        ... except pdedsl.PdeError as error:
        ...     codes = [diagnostic.code for diagnostic in error.diagnostics]
        >>> print(codes[0])
        E201
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], source: Source | None = None) -> None:
        self.diagnostics = tuple(diagnostics)
        self.source = source
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        if self.source is None:
            return "; ".join(f"{d.code}: {d.message}" for d in self.diagnostics)
        return report(self.source, self.diagnostics)

    def without_fixes(self) -> PdeError:
        """The same errors, without suggested fixes."""
        return PdeError((replace(d, fixes=()) for d in self.diagnostics), self.source)

    def within(self, source: Source) -> PdeError:
        """The same errors, with their source text."""
        return PdeError(self.diagnostics, source)


@dataclass
class Reporter:
    """Collects independent errors, so that they are reported together.

    `with reporter.guard(): …` records the errors of its body and continues after it.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def guard(self) -> Reporter:
        return self

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, PdeError):
            self.diagnostics.extend(error.diagnostics)
            return True
        return False

    def add(self, problem: PdeError | Diagnostic) -> None:
        self.diagnostics += problem.diagnostics if isinstance(problem, PdeError) else (problem,)

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.is_error]

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return sort_diagnostics(d for d in self.diagnostics if not d.is_error)


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics in the order of the text, without duplicates."""
    ordered = sorted(dict.fromkeys(diagnostics), key=lambda d: (d.span, d.code, d.message))
    first = {(d.code, d.message): d for d in reversed(ordered) if d.once}
    return tuple(d for d in ordered if not d.once or d is first[d.code, d.message])


def report(source: Source, diagnostics: Sequence[Diagnostic]) -> str:
    """Diagnostics as text, with excerpts and carets; at most `MAX_DIAGNOSTICS`."""
    shown = [render(source, d) for d in diagnostics[:MAX_DIAGNOSTICS]]
    if len(diagnostics) > MAX_DIAGNOSTICS:
        shown.append(f"… and {len(diagnostics) - MAX_DIAGNOSTICS} more")
    return "\n\n".join(shown)


def render(source: Source, diagnostic: Diagnostic) -> str:
    """One diagnostic: headline, excerpt of each location, and hint."""
    if not diagnostic.notes:
        source, span = source.original(diagnostic.span)
        diagnostic = replace(diagnostic, span=span)
    line, column = source.position(diagnostic.span.start)
    parts = [
        f"{diagnostic.severity}[{diagnostic.code}]: {escaping.lines(diagnostic.message)}",
        f"  --> {escaping.line(source.name)}:{line}:{column}",
    ]
    marks = ((diagnostic.span, ""), *diagnostic.notes)
    if source.text:
        margin = len(str(max(source.position(span.start)[0] for span, _ in marks)))
        parts += [_excerpt(source, span, label, margin) for span, label in marks]
    if diagnostic.hint:
        parts.append(f"  help: {escaping.lines(diagnostic.hint)}")
    return "\n".join(parts)


def _excerpt(source: Source, span: Span, label: str, margin: int) -> str:
    """The source line with the span underlined; a long line is truncated around it."""
    line, column = source.position(span.start)
    text = source.line(line)
    first = min(column - 1, len(text))
    last = max(first + 1, min(first + max(span.end - span.start, 1), len(text)))
    left = max(0, first - EXCERPT_WIDTH // 2) if len(text) > EXCERPT_WIDTH else 0
    right = min(len(text), left + EXCERPT_WIDTH)
    shown = escaping.line(text[left:right])
    lead, tail = "…" if left else "", "…" if right < len(text) else ""
    pad = " " * (len(lead) + width(shown[: first - left]))
    carets = "^" * max(1, width(shown[first - left : min(last, right) - left]))
    mark = f"{pad}{carets} {escaping.line(label)}".rstrip()
    return f"{line:>{margin}} | {lead}{shown}{tail}\n{'':>{margin}} | {mark}"


def width(text: str) -> int:
    """Display width of a text in terminal columns."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def closest_match(word: str, words: Iterable[str]) -> str | None:
    """The closest word in edit distance, for a 'did you mean' hint; None if no word is close.

    The distance is at most 1 for words of three to seven letters, and one per four letters for longer ones; shorter
    words may differ in case only. Ties are broken in favour of repeated letters: 'sinn' is 'sin', not 'sign'.
    """
    near = [w for w in sorted(set(words)) if abs(len(w) - len(word)) <= _max_distance(w, word)]
    distances = {
        w: (
            _edit_distance(word.lower(), w.lower()),
            _collapse_repeats(word) != _collapse_repeats(w),
            abs(len(w) - len(word)),
        )
        for w in near
    }
    best = min(near, key=lambda w: distances[w], default=None)
    return best if best is not None and distances[best][0] <= _max_distance(best, word) else None


def _max_distance(a: str, b: str) -> int:
    letters = max(len(a), len(b))
    return 0 if letters < 3 else max(1, letters // 4)


def _collapse_repeats(word: str) -> str:
    """The word without repeated letters."""
    return "".join(letter for letter, _ in groupby(word.lower()))


def _edit_distance(a: str, b: str) -> int:
    """Insertions, deletions, substitutions and transpositions (optimal string alignment distance)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, 1):
            swapped = last[j - 2] + 1 if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y else len(a) + len(b)
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y), swapped))
    return row[-1]
