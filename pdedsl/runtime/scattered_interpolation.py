"""Piecewise linear interpolants of values at scattered points, from a file of numpy's savez."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from pdedsl.numerics.scattered_data import ScatteredSource, load_scattered

CHUNK = 1 << 21  # candidate triangles of all points at a time


@dataclass(frozen=True)
class _Tables:
    """On each triangle (c, a, b) of c + a x + b y, and those of its three barycentric coordinates, (triangles, 3, 3);
    for each cell of a grid its triangles, the first of them repeated."""

    coefficients: Tensor
    barycentric: Tensor
    candidates: Tensor  # (cells², most)
    is_empty: Tensor  # (cells²,)
    corner: Tensor
    extent: Tensor
    count: int  # of cells along each axis


@lru_cache(maxsize=32)
def _tables(source: ScatteredSource, dtype: torch.dtype, device: torch.device) -> _Tables:
    interpolant = load_scattered(source)
    points = torch.tensor(interpolant.points, dtype=torch.float64)
    corners = points[torch.tensor(interpolant.triangles)]
    rows = torch.cat([torch.ones_like(corners[..., :1]), corners], -1)
    cells = [cell for row in interpolant.cells for cell in row]
    most = max(map(len, cells))
    padded = [[*cell, *cell[:1] * (most - len(cell))] if cell else [0] * most for cell in cells]
    low, high = (torch.tensor(c, dtype=torch.float64) for c in interpolant.box)
    return _Tables(
        torch.tensor(interpolant.coefficients, dtype=torch.float64).to(device, dtype),
        torch.linalg.inv(rows).transpose(1, 2).to(device, dtype),
        torch.tensor(padded, device=device),
        torch.tensor([not cell for cell in cells], device=device),
        low.to(device, dtype),
        (high - low).to(device, dtype),
        interpolant.cell_count,
    )


def interpolate_scattered(
    file: str,
    digest: str,
    name: str,
    axes: tuple[str, ...],
    orders: tuple[int, ...],
    *coordinates: Tensor | float,
) -> Tensor:
    """The piecewise linear interpolant of an array on the Delaunay triangulation of its points, or a first derivative;
    differentiable by the coordinates. Outside of the convex hull it is that of the nearest triangle.

    Args:
        file: name of the file, relative to the working directory.
        digest: the first 16 hexadecimal digits of its SHA-256: another file is an error.
        name: name of the array.
        axes: names of the arrays of both coordinates.
        orders: order of the derivative along each axis, at most 1 in total.
        coordinates: two tensors, broadcast against each other.

    Returns:
        Tensor with the shape of the coordinates.

    Raises:
        FileNotFoundError: the file is missing, or has another digest.
    """
    like = next(c for c in coordinates if isinstance(c, Tensor))
    x, y = torch.broadcast_tensors(*(torch.as_tensor(c, dtype=like.dtype, device=like.device) for c in coordinates))  # type: ignore[no-untyped-call]
    tables = _tables(ScatteredSource(file, digest, name, tuple(axes)), like.dtype, like.device)
    at = torch.stack([x.detach().reshape(-1), y.detach().reshape(-1)], -1)
    found = [_locate(part, tables) for part in torch.split(at, max(1, CHUNK // tables.candidates.shape[1]))]
    c, a, b = tables.coefficients[torch.cat(found)].reshape(*x.shape, 3).unbind(-1)
    values = {(0, 0): c + a * x + b * y, (1, 0): a + 0 * x, (0, 1): b + 0 * y}
    value: Tensor = values[orders[0], orders[1]]
    return value


def _locate(points: Tensor, tables: _Tables) -> Tensor:
    """The triangle with the largest smallest barycentric coordinate, for points (n, 2), among those of their cells."""
    cell = (tables.count * (points - tables.corner) / tables.extent).long().clamp(0, tables.count - 1)
    place = cell[:, 0] * tables.count + cell[:, 1]
    candidates = tables.candidates[place]
    found = candidates.gather(1, _most_inside(points, tables.barycentric[candidates])).squeeze(1)
    outside = tables.is_empty[place].nonzero().squeeze(1)
    for k in outside.tolist():
        found[k] = _most_inside(points[k : k + 1], tables.barycentric[None])
    return found


def _most_inside(points: Tensor, barycentric: Tensor) -> Tensor:
    """The number of the triangle, (n, 1), among those of each point, (n, k, 3, 3)."""
    rows = torch.cat([torch.ones_like(points[:, :1]), points], -1)
    inside: Tensor = torch.einsum("nkij,nj->nki", barycentric, rows).amin(-1)
    return inside.argmax(1, keepdim=True)
