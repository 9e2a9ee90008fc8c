"""Which datum of an evolution is given."""

from __future__ import annotations

from enum import StrEnum


class Direction(StrEnum):
    """The first datum, or the last."""

    INITIAL = "initial"
    TERMINAL = "terminal"
