"""Edits of a spec's text that leave the rest, including comments and line ends, as the author wrote it."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import Span

OPEN, CLOSE = "([", ")]"


def replaced(text: str, span: Span, new: str) -> str:
    return text[: span.start] + new + text[span.end :]


def without(text: str, span: Span) -> str:
    """The text without a span, and without its lines if nothing else is on them."""
    start, end = span
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    while end < len(text) and text[end] in " \t":
        end += 1
    if (start == 0 or text[start - 1] in "\r\n") and (end == len(text) or text[end] in "\r\n"):
        end += 2 if text.startswith("\r\n", end) else 1
        return text[:start] + text[end:]
    return replaced(text, span, "")


def with_lines(text: str, lines: Sequence[str]) -> str:
    """The text with lines appended."""
    eol = line_end(text)
    gap = eol if text and text[-1] not in "\r\n" else ""
    return text + gap + "".join(line + eol for line in lines)


def with_entry(text: str, brace: int, indent: str, line: str) -> str:
    """The text with a line inserted before the closing brace of a block."""
    eol = line_end(text)
    start = max(text.rfind("\n", 0, brace), text.rfind("\r", 0, brace)) + 1
    if text[start:brace].strip():
        return replaced(text, Span(brace, brace), f"{eol}{indent}{line}{eol}")
    return replaced(text, Span(start, start), f"{indent}{line}{eol}")


def line_end(text: str) -> str:
    """The line ending that the author uses."""
    return next((eol for eol in ("\r\n", "\n", "\r") if eol in text), "\n")


def indent_of(text: str, at: int) -> str | None:
    """The white space before a position, if nothing else precedes it on its line."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return text[start:at] if not text[start:at].strip() else None


def widened(text: str, span: Span) -> Span:
    """A span including the brackets around it, which the tree omits if they have no meaning."""
    before, behind = text[: span.start].rstrip(), text[span.end :].lstrip()
    while before.endswith("(") and behind.startswith(")"):
        span = Span(len(before) - 1, len(text) - len(behind) + 1)
        before, behind = text[: span.start].rstrip(), text[span.end :].lstrip()
    return span


# ---- arguments of a call


def arguments(text: str, at: int) -> tuple[list[Span], int]:
    """The arguments of the call whose bracket opens at `at`, without the space and comments around them, and the
    position of the closing bracket."""
    found: list[Span] = []
    first, last, depth, i = -1, -1, 0, at
    while True:
        i += 1
        char = text[i]
        if char == "#":
            i = _comment_end(text, i)
            continue
        ends = depth == 0 and (char == "," or char in CLOSE)
        if ends and first >= 0:
            found.append(Span(first, last))
            first = -1
        if ends and char != ",":
            return found, i
        if ends or char.isspace():
            continue
        depth += (char in OPEN) - (char in CLOSE)
        first = i if first < 0 else first
        i = text.index('"', i + 1) if char == '"' else i
        last = i + 1


def with_argument(text: str, at: int, argument: str) -> str:
    """The text with one more argument, after the last, for the call whose bracket opens at `at`."""
    spans, close = arguments(text, at)
    place = spans[-1].end if spans else close
    return replaced(text, Span(place, place), f", {argument}" if spans else argument)


def without_argument(text: str, at: int, which: int) -> str:
    """The text without one argument and the comma before it; for the first one, the comma after it."""
    spans, _ = arguments(text, at)
    gone = spans[which]
    if which > 0:
        comma = _comma(text, spans[which - 1].end)
        return text[:comma] + text[comma + 1 : gone.start].rstrip(" \t") + text[gone.end :]
    if len(spans) > 1:
        comma = _comma(text, gone.end)
        return text[: gone.start] + text[gone.end : comma] + text[comma + 1 :].lstrip(" \t")
    return replaced(text, gone, "")


def _comma(text: str, at: int) -> int:
    """The comma after an argument, skipping comments."""
    while text[at] != ",":
        at = _comment_end(text, at) if text[at] == "#" else at + 1
    return at


def _comment_end(text: str, at: int) -> int:
    return min(k for k in (text.find("\n", at), text.find("\r", at)) if k >= 0)
