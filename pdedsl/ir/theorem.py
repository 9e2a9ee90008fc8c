"""The theorems that lowering applies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theorem:
    """A theorem that turns an equation into a scheme: where it is proved, and what it says in one sentence."""

    name: str
    source: str
    statement: str
