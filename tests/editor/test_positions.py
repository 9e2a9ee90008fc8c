"""Conversion between offsets and editor positions."""

from __future__ import annotations

import pytest

from pdedsl.diagnostics import Span
from pdedsl.editor import Encoding, Positions

TEXTS = ["", "u", "a\nb", "∂u/∂t = 𝑢Δu\r\n𝑢𝑢 = 0\rlast", "\n\n", "𝑢\n"]


@pytest.mark.parametrize("text", TEXTS)
def test_round_trip_of_offsets(text: str) -> None:
    positions = Positions(text)
    inside = [i for i in range(len(text) + 1) if text[i - 1 : i + 1] != "\r\n"]
    assert [positions.offset(*positions.position(i)) for i in inside] == inside


def test_utf16_columns() -> None:
    positions = Positions("a\n𝑢 = ∂𝑢")
    assert positions.position(2) == (1, 0)
    assert positions.position(3) == (1, 2)
    assert positions.position(8) == (1, 8)
    assert positions.offset(1, 2) == 3


def test_positions_outside_are_clamped() -> None:
    positions = Positions("ab\r\ncd")
    assert positions.offset(0, 99) == 2
    assert positions.offset(9, 0) == 6


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("text", TEXTS)
def test_columns_by_encoding(text: str, encoding: Encoding) -> None:
    positions, unit = Positions(text, encoding), {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    codec = encoding if encoding == Encoding.UTF8 else f"{encoding}-le"
    for i in range(len(text) + 1):
        line, column = positions.position(i)
        before = text[positions.offset(line, 0) : i]
        assert column == len(before.encode(codec)) // unit
        assert positions.width(Span(0, i)) == len(text[:i].encode(codec)) // unit
