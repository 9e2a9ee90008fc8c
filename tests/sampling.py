"""Samples of tests that are long by their number: PART=0, 1, … selects another sample."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
PART = int(os.environ.get("PART", "0"))


def share(items: Sequence[T], parts: int) -> Sequence[T]:
    """Every `parts`-th item."""
    return items[PART % parts :: parts]


def marked(items: Sequence[T], name: Callable[[T], str], quick: int, tested: int) -> list[Any]:
    """All items as parameters of a test: of `quick` of them one is in `make quick`, of `tested` (a divisor of it) one
    in `make test`, and the others are `long`."""
    now, soon = ({name(item) for item in share(items, parts)} for parts in (quick, tested))

    def marks(item: T) -> list[pytest.MarkDecorator]:
        if name(item) in now:
            return []
        return [pytest.mark.slow if name(item) in soon else pytest.mark.long]

    return [pytest.param(item, id=name(item), marks=marks(item)) for item in items]
