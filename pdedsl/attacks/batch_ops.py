"""Batch operations: row selection that preserves the memory layout, and per-row scalars."""

from __future__ import annotations

from torch import Tensor
from torch import channels_last as _channels_last


def take(x: Tensor, rows: Tensor) -> Tensor:
    """x[rows]; channels_last images stay so (indexing alone would change their layout)."""
    if x.dim() == 4 and not x.is_contiguous() and x.is_contiguous(memory_format=_channels_last):
        return x.movedim(1, -1)[rows].movedim(-1, 1)
    return x[rows]


def column(values: Tensor, like: Tensor) -> Tensor:
    """One number per row, (n,), in a shape that broadcasts against the rows of `like`."""
    return values.reshape(-1, *[1] * (like.dim() - 1))


def inner(a: Tensor, b: Tensor) -> Tensor:
    """⟨a, b⟩ of each row, by pairwise summation: `torch.sum` is accurate to a few units in the last place."""
    return (a * b).flatten(1).sum(1)


def select(where: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Row by row: a where `where` holds, b elsewhere."""
    return a.where(column(where, a), b)
