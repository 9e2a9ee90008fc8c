"""What a spec asks for as data."""

from __future__ import annotations

from dataclasses import dataclass

from pdedsl.diagnostics import NOWHERE, Span


@dataclass(frozen=True)
class Wanted:
    """`data cifar10(train=5000, validation=0.1)`: None and 0 stand for what was left out."""

    name: str
    train: int | None = None
    test: int | None = None
    validation: float = 0.0
    noise: float = 0.0
    file: str = ""
    span: Span = NOWHERE

    @property
    def shown(self) -> str:
        """As its user knows it: a file of one's own by its name."""
        return self.file or self.name
