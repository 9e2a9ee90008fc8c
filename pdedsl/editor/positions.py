"""Character offsets ↔ lines and columns of editors, both from zero, columns in UTF-16 or other units."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import assert_never

from pdedsl.diagnostics import Span
from pdedsl.record import Record

_BREAK = re.compile(r"\r\n|\r|\n")


class Encoding(StrEnum):
    """The units of columns; the names are those of the Language Server Protocol."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class Positions(Record):
    """Converts positions in a text."""

    text: str
    encoding: Encoding = Encoding.UTF16

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(line_break.end() for line_break in _BREAK.finditer(self.text))]

    @cached_property
    def _before(self) -> list[int]:
        """Cumulative number of units before each offset."""
        return [0, *accumulate(map(self._width, self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return line, self._before[offset] - self._before[self._starts[line]]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column; beyond the end of a line or of the text, that end."""
        if line >= len(self._starts):
            return len(self.text)
        at = self._starts[line]
        end = _BREAK.search(self.text, at)
        last = end.start() if end else len(self.text)
        return bisect_left(self._before, self._before[at] + column, at, last)

    def range(self, span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
        return self.position(span.start), self.position(span.end)

    def width(self, span: Span) -> int:
        return self._before[span.end] - self._before[span.start]

    def _width(self, character: str) -> int:
        """The units of a character: in UTF-16, those beyond the basic plane, such as 𝑢, take two."""
        match self.encoding:
            case Encoding.UTF8:
                return len(character.encode("utf-8", "surrogatepass"))
            case Encoding.UTF16:
                return 1 + (character > "\uffff")
            case Encoding.UTF32:
                return 1
            case _:
                assert_never(self.encoding)
