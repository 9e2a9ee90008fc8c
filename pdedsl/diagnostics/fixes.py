"""Suggested fixes: edits of the source text that an editor can apply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pdedsl.record import Record

_BLANK = " \t\r"


class Span(NamedTuple):
    """A half-open range of characters, [start, end)."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        return Span(min(self.start, other.start), max(self.end, other.end))


class Edit(Record):
    """Replaces the text at `span` with `new`.

    With `old`, only this word is replaced; it is the whole span or occurs in it exactly once. A removed `item` takes a
    comma of its list along, or its line if there is none. A removed `term` takes its sign along, and leaves 0 if it is
    the only one. `key` removes that argument, with its value, from the call at `span`.
    """

    span: Span
    new: str = ""
    old: str = ""
    item: bool = False
    term: bool = False
    key: str = ""


class Fix(Record):
    """Edits to be applied together, with a title."""

    title: str
    edits: tuple[Edit, ...]


# ---- Common fixes


def replace_word(old: str, new: str | None, span: Span) -> tuple[Fix, ...]:
    """Replaces the word `old`, if there is a `new` one."""
    return (Fix(f"replace with '{new}'", (Edit(span, new, old),)),) if new else ()


def remove(span: Span, title: str = "remove it", item: bool = False) -> tuple[Fix, ...]:
    return (Fix(title, (Edit(span, item=item),)),)


def remove_term(span: Span) -> tuple[Fix, ...]:
    return (Fix("remove it", (Edit(span, term=True),)),)


def remove_argument(key: str, span: Span) -> tuple[Fix, ...]:
    """Removes an argument from the call at `span`."""
    return (Fix(f"remove {key}", (Edit(span, key=key),)),)


def insert(at: int, text: str) -> tuple[Fix, ...]:
    return (Fix(f"add {text.strip()}", (Edit(Span(at, at), text),)),)


def replace_by(new: Sequence[str], span: Span | None) -> tuple[Fix, ...]:
    """One fix for each alternative text."""
    return tuple(Fix(f"replace with {text}", (Edit(span, text),)) for text in new) if span else ()


def parenthesize(title: str, span: Span) -> Fix:
    return Fix(title, (Edit(Span(span.start, span.start), "("), Edit(Span(span.end, span.end), ")")))


def as_product(name: str, span: Span) -> tuple[Fix, ...]:
    """Turns a call into a product; the span starts with `name`."""
    return (Fix(f"replace with {name}*(…)", (Edit(Span(span.start, span.start + len(name)), f"{name}*", name),)),)


# ---- Application to a text


def resolve_edits(text: str, fix: Fix) -> tuple[Edit, ...]:
    """The edits with exact spans, or none if the text does not match."""
    placed = [_resolve(text, edit) for edit in fix.edits]
    return tuple(edit for edit in placed if edit) if all(placed) else ()


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text after edits that do not overlap."""
    for edit in sorted(edits, key=lambda e: e.span, reverse=True):
        text = text[: edit.span.start] + edit.new + text[edit.span.end :]
    return text


def _resolve(text: str, edit: Edit) -> Edit | None:
    span = _argument(text, edit.span, edit.key) if edit.key else _locate(text, edit)
    if span is None or not 0 <= span.start <= span.end <= len(text):
        return None
    if edit.term:
        return _term_removal(text, span)
    if not edit.new and not edit.key:
        span = _item_span(text, span) if edit.item else _line_if_alone(text, span)
    return replace(edit, span=span)


def _locate(text: str, edit: Edit) -> Span | None:
    """The span of the old text: for a name inside a derivative, `edit.span` is the whole derivative."""
    (start, end), old = edit.span, edit.old
    if not old or text[start:end] == old:
        return edit.span
    places = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(old)}(?!\w)", text[start:end])]
    return Span(start + places[0][0], start + places[0][1]) if len(places) == 1 else None


def _argument(text: str, span: Span, key: str) -> Span | None:
    """The span of `key=value` in a call, with a comma, or with the parentheses if it is the only argument."""
    value = r"(?:\[[^\]]*\]|\([^()]*\)|[^,()\[\]])+"
    match = re.search(rf"(?<!\w){re.escape(key)}\s*={value}", text[span.start : span.end])
    if match is None:
        return None
    start, end = span.start + match.start(), span.start + match.end()
    before, after = text[:start].rstrip(), text[end:]
    if before.endswith(","):
        return Span(len(before) - 1, end)
    if after.startswith(","):
        return Span(start, end + len(after) - len(after[1:].lstrip()))
    return Span(len(before) - 1, end + 1) if before.endswith("(") else None


def _term_removal(text: str, span: Span) -> Edit:
    """The removal of a term of a sum."""
    before, after = text[: span.start].rstrip(_BLANK), text[span.end :].lstrip(_BLANK)
    signed = before.endswith(("+", "-", "−"))
    sum_before = before[:-1].rstrip(_BLANK) if signed else before
    if not sum_before.endswith(("=", "(", ",")):
        return Edit(Span(len(sum_before), span.end))
    start, following = len(before) - signed, len(text) - len(after)
    if after.startswith("+"):
        return Edit(Span(start, following + 1))
    return Edit(Span(start, following)) if after.startswith(("-", "−")) else Edit(Span(start, span.end), "0")


def _line_if_alone(text: str, span: Span) -> Span:
    """The span, extended to the whole line if the rest of the line is blank."""
    start, end = _line(text, span)
    rest = text[start : span.start] + text[span.end : end]
    if rest.strip(_BLANK) or start == span.start == span.end:
        return span
    return Span(start, min(end + 1, len(text)))


def _item_span(text: str, span: Span) -> Span:
    """The span with one adjacent comma, or extended to the whole line if there is none."""
    start, end = _line(text, span)
    before, after = text[start : span.start].rstrip(_BLANK), text[span.end : end].lstrip(_BLANK)
    if before.endswith(","):
        return Span(start + len(before) - 1, span.end)
    if after.startswith(","):
        return Span(span.start, end - len(after[1:].lstrip(_BLANK)))
    return Span(start, min(end + 1, len(text)))


def _line(text: str, span: Span) -> Span:
    """From the start of the first line of a span to the end of the last, without the line break."""
    end = text.find("\n", span.end)
    return Span(text.rfind("\n", 0, span.start) + 1, end if end >= 0 else len(text))
