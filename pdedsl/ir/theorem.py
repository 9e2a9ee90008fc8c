"""Representation theorems applied by lowering."""

from __future__ import annotations

from pdedsl.record import Record


class Theorem(Record):
    """A representation theorem with its source and its statement in one sentence."""

    name: str
    source: str
    statement: str
