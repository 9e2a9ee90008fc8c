"""Scalars, vectors and matrices at points (..., d), from components that may be Python numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor


def constant(values: Sequence[float] | Sequence[Sequence[float]]) -> Tensor:
    """A constant vector or matrix in float64; callers convert it to the dtype of the points.

    Args:
        values: entries of the vector or matrix.

    Returns:
        Tensor (d,) or (d, d) in float64.

    Example:
        >>> from pdedsl.runtime import constant
        >>> constant([1.0, 2.0]).dtype
        torch.float64
    """
    return torch.tensor(values, dtype=torch.float64)


def as_tensor(value: Tensor | float) -> Tensor:
    """A function of time alone as a float64 tensor."""
    return value if isinstance(value, Tensor) else torch.tensor(value, dtype=torch.float64)


def stack_components(x: Tensor, *components: Tensor | float) -> Tensor:
    """(..., n) from n components at the points x.

    Args:
        x: points (…, d).
        components: n numbers or tensors (…).

    Returns:
        Tensor (…, n) in the dtype of the points.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import stack_components
        >>> x = torch.tensor([[1.0, 2.0]])
        >>> stack_components(x, -x[..., 1], 3.0).tolist()
        [[-2.0, 3.0]]
    """
    return torch.stack([_at(x, c) for c in components], -1)


def stack_matrix(x: Tensor, rows: Sequence[Sequence[Tensor | float]]) -> Tensor:
    """(..., n, m) from rows of components at the points x."""
    return torch.stack([stack_components(x, *row) for row in rows], -2)


def broadcast_scalar(x: Tensor, value: Tensor | float) -> Tensor:
    """A scalar at every point, (...).

    Args:
        x: points (…, d).
        value: number or tensor (…).

    Returns:
        Tensor (…) in the dtype of the points.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import broadcast_scalar
        >>> broadcast_scalar(torch.zeros(3, 2), 1.5).tolist()
        [1.5, 1.5, 1.5]
    """
    return _at(x, value)


def heaviside(value: Tensor) -> Tensor:
    """0 below zero, 1 above, ½ at zero; its derivative is 0 wherever it exists."""
    return 0.5 + 0.5 * torch.sign(value)


def maximum(x: Tensor, *values: Tensor | float) -> Tensor:
    """The maximum of scalars at the points x.

    Args:
        x: points (…, d).
        values: numbers or tensors (…).

    Returns:
        Tensor (…) in the dtype of the points.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import maximum
        >>> x = torch.tensor([[-1.0], [2.0]])
        >>> maximum(x, x[..., 0], 0.0).tolist()
        [0.0, 2.0]
    """
    return reduce(torch.maximum, (_tensor(x, value) for value in values))


def minimum(x: Tensor, *values: Tensor | float) -> Tensor:
    """Smallest of the values at the points x.

    Args:
        x: points (…, d).
        values: numbers or tensors (…).

    Returns:
        Tensor (…) in the dtype of the points.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import minimum
        >>> x = torch.tensor([[-1.0], [2.0]])
        >>> minimum(x, x[..., 0], 0.0).tolist()
        [-1.0, 0.0]
    """
    return reduce(torch.minimum, (_tensor(x, value) for value in values))


def _tensor(x: Tensor, value: Tensor | float) -> Tensor:
    return value.to(x) if isinstance(value, Tensor) else torch.tensor(value, dtype=x.dtype, device=x.device)


# ---- R^d with index notation: a vector is (..., d), a scalar (..., 1)


def broadcast_vector(x: Tensor, value: Tensor | float) -> Tensor:
    """(..., d) at the points x."""
    return value.to(x).expand_as(x) if isinstance(value, Tensor) else torch.full_like(x, value)


def squeeze_scalar(x: Tensor, value: Tensor | float) -> Tensor:
    """(...) from a scalar (..., 1) at every point, or from one number for all."""
    return broadcast_scalar(x, value.squeeze(-1) if isinstance(value, Tensor) else value)


def sum_components(x: Tensor, value: Tensor | float) -> Tensor:
    """Σᵢ over the components, (..., 1)."""
    return broadcast_vector(x, value).sum(-1, keepdim=True)


def time_column(t: Tensor | float) -> Tensor | float:
    """The time: one number for all points, or (..., 1) with one for each point."""
    return as_column(t) if isinstance(t, Tensor) else t


def as_column(value: Tensor) -> Tensor:
    """A scalar (...) as (..., 1)."""
    return value.unsqueeze(-1)


def take_component(value: Tensor, index: int) -> Tensor:
    """One component of a vector as a scalar (..., 1)."""
    return value[..., index : index + 1]


def constant_vector(x: Tensor, values: Sequence[float]) -> Tensor:
    """A constant vector (d,) in the dtype of the points."""
    return torch.tensor(values, dtype=x.dtype, device=x.device)


def unit_vector(x: Tensor, index: int) -> Tensor:
    """The unit vector (d,) along a coordinate."""
    return torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)[index]


def _at(x: Tensor, component: Tensor | float) -> Tensor:
    if isinstance(component, Tensor):
        return component.to(x).expand(x.shape[:-1])
    return torch.full_like(x[..., 0], component)
