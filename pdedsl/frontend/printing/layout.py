"""Rows of cells → lines of text, aligned.

A cell may hold codes: OPEN and CLOSE enclose an alignment at the current column, and BREAK starts a new line there.
No name, number, string or comment contains a newline, so nothing else can be mistaken for a code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdedsl.diagnostics import Span, width
from pdedsl.frontend.syntax.tree import Comment

OPEN, CLOSE, BREAK = "\n<", "\n>", "\n|"
_BLANK = re.compile(r"(?>\r\n|\r|\n)\s*?[\r\n]")


@dataclass(frozen=True)
class Row:
    """A line of the result. The cells of neighbouring rows of the same kind are aligned."""

    cells: tuple[str, ...]
    span: Span
    kind: str = ""
    indent: str = ""
    behind: Sequence[Comment] = ()


def aligned(text: str) -> str:
    """The text, with continuation lines aligned to its start."""
    return f"{OPEN}{text}{CLOSE}" if BREAK in text else text


def laid_out(rows: list[Row], source: str) -> str:
    """The rows as text, with the author's blank lines."""
    return "".join(_texts(rows, source))


def _texts(rows: list[Row], source: str) -> Iterator[str]:
    run: list[Row] = []
    for i, row in enumerate(rows):
        blank = i > 0 and _BLANK.search(source, rows[i - 1].span.end, row.span.start) is not None
        if run and (blank or row.kind != run[0].kind):
            yield from _aligned(run)
            run = []
        if blank:
            yield "\n"
        run.append(row)
    yield from _aligned(run)


def _aligned(run: list[Row]) -> Iterator[str]:
    """Neighbouring rows of the same kind, their cells aligned: `head : type = net`, or `body    for …`."""
    named = max((width(row.cells[0]) for row in run if len(row.cells) > 1), default=0)
    typed = max((width(row.cells[1]) for row in run if len(row.cells) > 2), default=0)
    ends = max((_last(_obeyed(row.cells[0])) for row in run), default=0)
    for row in run:
        match row.kind, row.cells:
            case "piece", (body, during):
                body = _obeyed(body)
                text = f"{body}{' ' * (ends - _last(body))}    {during}"
            case _, (head, *types):
                text = head + " " * (named - width(head)) * bool(types)
                text += f" : {types[0]}" if types else ""
                text += f"{' ' * (typed - width(types[0]))} = {types[1]}" if len(types) > 1 else ""
                text = _obeyed(text)
        lines = f"{text}{''.join(f'  {c.text}' for c in row.behind)}".split("\n")
        yield "".join(f"{row.indent}{line}\n" for line in lines)


def _last(text: str) -> int:
    """The width of the last line."""
    return width(text.rpartition("\n")[2])


def _obeyed(text: str) -> str:
    """The text with its layout codes carried out."""
    first, *rest = text.split("\n")
    lines, columns = [first], [0]
    for part in rest:
        match part[0]:
            case "<":
                columns.append(width(lines[-1]))
            case ">":
                columns.pop()
            case _:
                lines.append(" " * columns[-1])
        lines[-1] += part[1:]
    return "\n".join(lines)
