"""Derivatives of functions of points (..., d), exact and differentiable by weights: ∂f/∂xₖ, ∇f, ∂fₖ/∂xₖ.

By forward-mode differentiation, one pass per direction, and by reverse mode for a gradient; derivatives of derivatives
nest.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pdedsl.runtime.forward_mode import tangent_of

Function = Callable[[Tensor], Tensor]


def along(f: Function, x: Tensor, k: int) -> Tensor:
    """∂f/∂xₖ, in the shape of f(x)."""
    direction = torch.zeros_like(x)
    direction[..., k] = 1.0
    return tangent_of(f, (x,), (direction,))


def gradient(f: Function, x: Tensor) -> Tensor:
    """∇f (..., d) of a scalar at each point, (...) or (..., 1)."""
    slopes: Tensor = torch.func.grad(lambda y: f(y).sum())(x)
    return slopes


def diagonal(f: Function, x: Tensor) -> Tensor:
    """∂fₖ/∂xₖ (..., d) of a vector at each point: the divergence is its sum."""
    return torch.stack([along(f, x, k)[..., k] for k in range(x.shape[-1])], -1)
