"""Character offsets ↔ lines and columns of editors, both from zero, columns in UTF-16 or other units."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import assert_never

from pdedsl.diagnostics import Span

_BREAK = re.compile(r"\r\n|\r|\n")


class Encoding(StrEnum):
    """The units of columns; the names are those of the Language Server Protocol."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


@dataclass(frozen=True)
class Positions:
    """Converts positions in a text."""

    text: str
    encoding: Encoding = Encoding.UTF16

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _BREAK.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return line, self.width(self.text[self._starts[line] : offset])

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column; beyond the end of a line or of the text, that end."""
        if line >= len(self._starts):
            return len(self.text)
        at = self._starts[line]
        end = _BREAK.search(self.text, at)
        last = end.start() if end else len(self.text)
        while at < last and column > 0:
            column -= self.width(self.text[at])
            at += 1
        return at

    def range(self, span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
        return self.position(span.start), self.position(span.end)

    def width(self, text: str) -> int:
        """The length of a text in units: in UTF-16, characters beyond the basic plane, such as 𝑢, take two."""
        match self.encoding:
            case Encoding.UTF8:
                return len(text.encode("utf-8", "surrogatepass"))
            case Encoding.UTF16:
                return len(text.encode("utf-16-le", "surrogatepass")) // 2
            case Encoding.UTF32:
                return len(text)
            case _:
                assert_never(self.encoding)
