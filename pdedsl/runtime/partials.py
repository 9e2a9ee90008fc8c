"""Partial derivatives of any order of a function of points, by repeated reverse differentiation: works for any module,
and is independent of faster ways to compute the same numbers."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Path = tuple[int, ...]


def partials(f: Callable[[Tensor], Tensor], points: Tensor, *paths: Path) -> Tensor:
    """∂…∂f_c / ∂xᵢ∂xⱼ… at points (n, k), one column (n, 1) per path (c, i, j, …): the component, then the coordinates.

    Common beginnings of paths are computed once. Differentiable by the weights of f.
    """
    with torch.enable_grad():
        x = points if points.requires_grad else points.detach().requires_grad_(True)
        values = f(x)
        slopes: dict[Path, Tensor] = {}

        def of(path: Path) -> Tensor:
            if len(path) == 1:
                return values[..., path[0]]
            if path[:-1] not in slopes:
                slopes[path[:-1]] = _slopes(of(path[:-1]), x)
            return slopes[path[:-1]][..., path[-1]]

        return torch.stack([of(path) for path in paths], -1)


def _slopes(values: Tensor, x: Tensor) -> Tensor:
    if not values.requires_grad:
        return torch.zeros_like(x)
    (found,) = torch.autograd.grad(values.sum(), x, create_graph=True, allow_unused=True)
    return torch.zeros_like(x) if found is None else found
