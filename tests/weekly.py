"""Tests that take long by their number: a share of them each week, and all of them in turn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

T = TypeVar("T")
WEEK = datetime.now(UTC).isocalendar().week


def share(items: Sequence[T], parts: int) -> Sequence[T]:
    """Every `parts`-th item, beginning at another one each week."""
    return items[WEEK % parts :: parts]
