"""Divergence-free vector fields on data in ℝᵈ, from an antisymmetric potential."""

from __future__ import annotations

from itertools import combinations
from typing import final

import torch
from torch import Tensor, nn

from pdedsl.runtime.diff.autodiff import jvp


@final
class DivergenceFree(nn.Module):
    """v_i = Σ_j ∂A_ij/∂x_j with A_ij = −A_ji, so that ∇·v = Σ_ij ∂²A_ij/∂x_i∂x_j = 0 for every potential.

    In ℝ² the potential is one stream function ψ = A_12 and v = (∂ψ/∂y, −∂ψ/∂x). In ℝᵈ it has the d(d−1)/2 components
    A_ij, i < j, in lexicographic order. It costs d derivatives in forward mode. `potential(x, t)` maps points (…, d) to
    (…, d(d−1)/2), is differentiable, and treats points independently; t is passed on.

    Args:
        potential: module A(x, t), from points (…, d) to (…, d(d−1)/2).
        dimension: dimension d.

    Shape:
        points (…, d) and a time to velocities (…, d).

    Raises:
        ValueError: if the dimension is 1.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import DivergenceFree, vector_field
        >>> v = DivergenceFree(vector_field(2, 8, 1, outputs=1), 2)
        >>> jacobian = torch.autograd.functional.jacobian(v, torch.tensor([0.3, 0.7]))
        >>> bool(jacobian.trace().abs() < 1e-6)
        True
    """

    def __init__(self, potential: nn.Module, dimension: int):
        super().__init__()
        if dimension < 2:
            raise ValueError("a divergence-free field needs at least two dimensions")
        self.potential = potential
        self.pairs = tuple(combinations(range(dimension), 2))

    def forward(self, x: Tensor, t: float | Tensor = 0.0) -> Tensor:
        axes = torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)
        derivatives = [self._derivative_along(axis.expand_as(x), x, t) for axis in axes]  # ∂A/∂x_j
        velocity = [torch.zeros_like(x[..., 0]) for _ in axes]
        for k, (i, j) in enumerate(self.pairs):
            velocity[i] = velocity[i] + derivatives[j][..., k]
            velocity[j] = velocity[j] - derivatives[i][..., k]
        return torch.stack(velocity, dim=-1)

    def _derivative_along(self, direction: Tensor, x: Tensor, t: float | Tensor) -> Tensor:
        return jvp(lambda point: self.potential(point, t), (x,), (direction,))
