"""Cubic spline interpolants of values on a tensor grid, from a file of numpy's savez."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod

import torch
from torch import Tensor

from pdedsl.numerics.grid_data import GridSource, load_spline


@lru_cache(maxsize=32)
def _tables(source: GridSource, dtype: torch.dtype, device: torch.device) -> tuple[list[Tensor], Tensor]:
    spline = load_spline(source)
    knots = [torch.tensor(x, dtype=torch.float64).to(device, dtype) for x in spline.ends]
    return knots, torch.tensor(spline.table, dtype=torch.float64).to(device, dtype)


def interpolate(
    file: str,
    digest: str,
    name: str,
    axes: tuple[str, ...],
    periods: tuple[float | None, ...],
    orders: tuple[int, ...],
    *coordinates: Tensor | float,
) -> Tensor:
    """A derivative of the cubic spline interpolant of an array, at points; differentiable by the coordinates.

    Args:
        file: name of the file, relative to the working directory.
        digest: the first 16 hexadecimal digits of its SHA-256: another file is an error.
        name: name of the array.
        axes: names of the arrays of coordinates, one for each dimension.
        periods: period along each axis, or None.
        orders: order of the derivative along each axis, at most 2.
        coordinates: a tensor for each axis, broadcast against each other.

    Returns:
        Tensor with the shape of the coordinates.

    Raises:
        FileNotFoundError: the file is missing, or has another digest.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import numpy as np
        >>> import torch
        >>> from pdedsl.numerics.grid_data import register_file
        >>> from pdedsl.runtime import interpolate
        >>> path = Path(tempfile.mkdtemp()) / "u0.npz"
        >>> x = np.linspace(0, 1, 5)
        >>> np.savez(path, x=x, u=x**3)
        >>> at = torch.tensor([0.3, 0.6], dtype=torch.float64)
        >>> interpolate("u0.npz", register_file(path), "u", ("x",), (None,), (0,), at)  # exact for cubic polynomials
        tensor([0.0270, 0.2160], dtype=torch.float64)
    """
    tensors = [c for c in coordinates if isinstance(c, Tensor)]
    like = tensors[0]
    columns = torch.broadcast_tensors(*(torch.as_tensor(c, dtype=like.dtype, device=like.device) for c in coordinates))  # type: ignore[no-untyped-call]
    source = GridSource(file, digest, name, tuple(axes), tuple(periods))
    knots, table = _tables(source, like.dtype, like.device)
    corners = [_weights(x, k, p, n) for x, k, p, n in zip(columns, knots, periods, orders, strict=True)]
    strides = [prod(2 * len(k) for k in knots[i + 1 :]) for i in range(len(knots))]
    total = torch.zeros_like(columns[0])
    for rows in product(range(4), repeat=len(knots)):
        place = torch.zeros_like(columns[0], dtype=torch.long)
        weight = torch.ones_like(columns[0])
        for row, (first, weights), stride in zip(rows, corners, strides, strict=True):
            place, weight = place + (2 * first + row) * stride, weight * weights[row]
        total = total + weight * table[place]
    return total


def _weights(x: Tensor, knots: Tensor, period: float | None, order: int) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The interval of each point, and the weights of value and derivative at its ends."""
    if period is not None:
        x = knots[0] + torch.remainder(x - knots[0], period)
    first = (torch.searchsorted(knots, x.detach().contiguous(), right=True) - 1).clamp(0, len(knots) - 2)
    h = knots[first + 1] - knots[first]
    t = (x - knots[first]) / h
    match order:
        case 0:
            cubic = 1 + t * t * (2 * t - 3), t * (1 - t) ** 2, t * t * (3 - 2 * t), t * t * (t - 1)
        case 1:
            cubic = 6 * t * (t - 1), 1 + t * (3 * t - 4), 6 * t * (1 - t), t * (3 * t - 2)
        case _:
            cubic = 12 * t - 6, 6 * t - 4, 6 - 12 * t, 6 * t - 2
    scale = h**-order
    return first, (cubic[0] * scale, cubic[1] * h * scale, cubic[2] * scale, cubic[3] * h * scale)
