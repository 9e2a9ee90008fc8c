"""Derivatives of functions of points by automatic differentiation: partial derivatives of any order by nested reverse
mode, Jacobian-vector products, gradients and Jacobian diagonals by forward mode. All are differentiable by weights.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch
from torch import Tensor
from torch.autograd import forward_ad

# ---- Partial derivatives by nested reverse mode


DerivativePath = tuple[int, ...]


def partial_derivatives(f: Callable[[Tensor], Tensor], points: Tensor, *paths: DerivativePath) -> Tensor:
    """∂…∂f_c / ∂xᵢ∂xⱼ… at points (n, k), one column (n, 1) per path (c, i, j, …): the component, then the coordinates.

    Common prefixes of paths are computed once. Differentiable by the weights of f.

    Args:
        f: function from points (n, k) to values (n, c).
        points: points (n, k).
        paths: tuples (c, i, j, …) of a component and the coordinates of the derivative.

    Returns:
        Tensor (n, number of paths).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import partial_derivatives
        >>> f = lambda x: (x[:, :1] ** 2) * x[:, 1:]
        >>> partial_derivatives(f, torch.tensor([[3.0, 2.0]]), (0,), (0, 0), (0, 0, 1)).tolist()  # f, f_x, f_xy
        [[18.0, 12.0, 6.0]]
    """
    with torch.enable_grad():
        x = points if points.requires_grad else points.detach().requires_grad_(True)
        values = f(x)
        gradients: dict[DerivativePath, Tensor] = {}

        def of(path: DerivativePath) -> Tensor:
            if len(path) == 1:
                return values[..., path[0]]
            if path[:-1] not in gradients:
                gradients[path[:-1]] = _gradient(of(path[:-1]), x)
            return gradients[path[:-1]][..., path[-1]]

        return torch.stack([of(path) for path in paths], -1)


def _gradient(values: Tensor, x: Tensor) -> Tensor:
    if not values.requires_grad:
        return torch.zeros_like(x)
    (gradient,) = torch.autograd.grad(values.sum(), x, create_graph=True, allow_unused=True)
    return torch.zeros_like(x) if gradient is None else gradient


# ---- Forward mode
#
# Torch initialises it on first use, with a warning about `torch.jit.script`, which is silenced here once.


with warnings.catch_warnings(), forward_ad.dual_level():
    warnings.filterwarnings("ignore", "`torch.jit.script` is (deprecated|not supported)", FutureWarning)
    forward_ad.make_dual(torch.zeros(1), torch.zeros(1))  # type: ignore[no-untyped-call]


def jvp(f: Callable[..., Tensor], points: tuple[Tensor, ...], tangents: tuple[Tensor, ...]) -> Tensor:
    """The Jacobian-vector product f′(points)·tangents."""
    product: Tensor = torch.func.jvp(f, points, tangents)[1]
    return product


# ---- ∂f/∂xₖ, ∇f and ∂fₖ/∂xₖ of functions of points (..., d)
#
# By forward mode, one pass per direction, and by reverse mode for a gradient; calls can be nested.


PointFunction = Callable[[Tensor], Tensor]


def partial_derivative(f: PointFunction, x: Tensor, k: int) -> Tensor:
    """∂f/∂xₖ, in the shape of f(x)."""
    direction = torch.zeros_like(x)
    direction[..., k] = 1.0
    return jvp(f, (x,), (direction,))


def gradient(f: PointFunction, x: Tensor) -> Tensor:
    """∇f (..., d) of a scalar at each point, (...) or (..., 1)."""
    result: Tensor = torch.func.grad(lambda y: f(y).sum())(x)
    return result


def jacobian_diagonal(f: PointFunction, x: Tensor) -> Tensor:
    """∂fₖ/∂xₖ (..., d) of a vector at each point: the divergence is its sum."""
    return torch.stack([partial_derivative(f, x, k)[..., k] for k in range(x.shape[-1])], -1)
