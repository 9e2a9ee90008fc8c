"""Representation theorems applied by lowering."""

from __future__ import annotations

from pdedsl.frozen_dataclass import dataclass


@dataclass(frozen=True)
class Theorem:
    """A representation theorem with its source and its statement in one sentence."""

    name: str
    source: str
    statement: str
