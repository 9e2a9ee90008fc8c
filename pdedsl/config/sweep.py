"""The block `sweep`: the axes of a study."""

from __future__ import annotations

from dataclasses import field

from pdedsl.config.base import Real
from pdedsl.diagnostics import NOWHERE, Span
from pdedsl.record import Record


class SweepAxis(Record):
    """An axis of a sweep: a path as in `--set` with its values, or with the bounds of an interval."""

    path: str
    values: tuple[str, ...] = ()
    bounds: tuple[Real, Real] | None = None
    log: bool = False
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def is_seed(self) -> bool:
        """Whether its values are repetitions: seeds of training or of the data."""
        return self.path.rpartition(".")[2] == "seed"


class Sweep(Record):
    """The axes of a study, in order; its points are all combinations of their values."""

    axes: tuple[SweepAxis, ...]
    span: Span = field(default=NOWHERE, compare=False)
