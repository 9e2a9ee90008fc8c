"""Tests that take long by their number: a share of them each week, and all of them in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
WEEK = datetime.now(UTC).isocalendar().week


def share(items: Sequence[T], parts: int) -> Sequence[T]:
    """Every `parts`-th item, beginning at another one each week."""
    return items[WEEK % parts :: parts]


def marked(items: Sequence[T], name: Callable[[T], str], quick: int, tested: int) -> list[Any]:
    """All items as parameters of a test: of `quick` of them one is in `make quick`, of `tested` (a divisor of it) one
    in `make test`, and the others are `long`."""
    now, soon = ({name(item) for item in share(items, parts)} for parts in (quick, tested))

    def marks(item: T) -> list[pytest.MarkDecorator]:
        if name(item) in now:
            return []
        return [pytest.mark.slow if name(item) in soon else pytest.mark.long]

    return [pytest.param(item, id=name(item), marks=marks(item)) for item in items]
