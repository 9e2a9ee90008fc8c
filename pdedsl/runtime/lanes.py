"""The samples of an adaptive method under way: each has its own clock, and leaves the batch when it arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import torch
from torch import Tensor

from pdedsl.runtime.fields import Time


@final
@dataclass
class Lanes:
    """The samples still under way: rows of y and of its slope k, each with a clock and a step size.

    Under batch control there is one clock for all rows. `arrived` holds the rows and states of those that have left.
    """

    y: Tensor
    k: Tensor
    rows: list[int]
    times: list[float]
    sizes: list[float]
    arrived: list[tuple[list[int], Tensor]] = field(default_factory=list)

    def times_at(self, nodes: Sequence[float]) -> Sequence[Time]:
        """t + node·h for each node: numbers if there is one clock, else tensors with one number per row."""
        clocks = list(zip(self.times, self.sizes, strict=True))
        table = [[t + node * h for t, h in clocks] for node in nodes]
        if len(clocks) == 1:
            return [row[0] for row in table]
        return torch.tensor(table, dtype=self.y.dtype, device=self.y.device).unbind()

    def per_row(self, values: list[float]) -> float | Tensor:
        """The values as a factor of y."""
        if len(values) == 1:
            return values[0]
        return torch.tensor(values, dtype=self.y.dtype, device=self.y.device).view(_column(self.y))

    def accept(self, verdicts: list[bool], y: Tensor, k: Tensor) -> None:
        """Take the new state and slope where the step is accepted."""
        if all(verdicts):
            self.y, self.k = y, k
        elif any(verdicts):
            mask = torch.tensor(verdicts, device=y.device).view(_column(y))
            self.y, self.k = torch.where(mask, y, self.y), torch.where(mask, k, self.k)

    def let_go(self, end: float) -> None:
        """Move the lanes that have arrived from the batch to the results."""
        if len(self.times) == 1 and len(self.rows) > 1:  # one clock for all
            gone = [self.times[0] >= end] * len(self.rows)
        else:
            gone = [t >= end for t in self.times]
        if all(gone):
            self.arrived.append((self.rows, self.y))
            self.rows = []
        elif any(gone):
            self._part(gone)

    def _part(self, gone: list[bool]) -> None:
        stay, out = parted(gone)
        self.arrived.append(([self.rows[p] for p in out], self.y[out]))
        self.y, self.k = self.y[stay], self.k[stay]
        self.rows, self.times = [self.rows[p] for p in stay], [self.times[p] for p in stay]
        self.sizes = [self.sizes[p] for p in stay]


def parted(chosen: list[bool]) -> tuple[list[int], list[int]]:
    """The positions of False, and those of True."""
    places = range(len(chosen))
    return [p for p in places if not chosen[p]], [p for p in places if chosen[p]]


def in_order(groups: list[tuple[list[int], Tensor]]) -> Tensor:
    """Groups of rows as one batch again."""
    if len(groups) == 1:
        return groups[0][1]
    rows = [row for group, _ in groups for row in group]
    place = torch.tensor(rows).argsort().to(groups[0][1].device)
    return torch.cat([y for _, y in groups]).index_select(0, place)


def _column(y: Tensor) -> tuple[int, ...]:
    return (-1,) + (1,) * (y.dim() - 1)
