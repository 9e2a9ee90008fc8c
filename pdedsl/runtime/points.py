"""Vectors and matrices at points (..., d), from components that may be numbers."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def constant(values: Sequence[float] | Sequence[Sequence[float]]) -> Tensor:
    """A constant vector or matrix with all digits of the spec; who uses it converts it to the type of the points."""
    return torch.tensor(values, dtype=torch.float64)


def stack(x: Tensor, *components: Tensor | float) -> Tensor:
    """(..., n) from n components at the points x."""
    return torch.stack([_at(x, c) for c in components], -1)


def stack_rows(x: Tensor, rows: Sequence[Sequence[Tensor | float]]) -> Tensor:
    """(..., n, m) from rows of components at the points x."""
    return torch.stack([stack(x, *row) for row in rows], -2)


def number(x: Tensor, value: Tensor | float) -> Tensor:
    """One number at every point."""
    return _at(x, value)


def _at(x: Tensor, component: Tensor | float) -> Tensor:
    if isinstance(component, Tensor):
        return component.expand(x.shape[:-1])
    return torch.full_like(x[..., 0], component)
