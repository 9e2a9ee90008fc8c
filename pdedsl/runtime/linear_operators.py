"""Linear operators K with exact adjoints Kᵀ: one weight serves both.

⟨K x, y⟩ = ⟨x, Kᵀ y⟩ holds to round-off for every weight, because conv_transpose2d is the transpose of conv2d.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, assert_never, final

import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.runtime.weight_constraints import (
    BoundedWeight,
    BoxConstraint,
    Constraint,
    SpectralNormBound,
    Unconstrained,
    project,
)


class LinearOperator(nn.Module, ABC):
    """x ↦ K x, with `adjoint` y ↦ Kᵀ y. A layer that needs both computes the constrained weight once and uses
    `product`."""

    weight: Tensor

    def __init__(self, constraint: Constraint | None, *sizes: int, **options: Any):
        super().__init__(*sizes, **options)
        self.constraint = constraint or Unconstrained()
        self._bounded = BoundedWeight()

    def constrained_weight(self) -> Tensor:
        """The weight as the operator uses it."""
        match self.constraint:
            case Unconstrained() | BoxConstraint():
                return self.weight
            case SpectralNormBound(bound=bound):
                return self._bounded(self.weight, bound)
            case _:
                assert_never(self.constraint)

    @abstractmethod
    def product(self, weight: Tensor, x: Tensor) -> Tensor:
        """K x."""

    @abstractmethod
    def adjoint_product(self, weight: Tensor, y: Tensor) -> Tensor:
        """Kᵀ y."""

    def forward(self, x: Tensor) -> Tensor:
        return self.product(self.constrained_weight(), x)

    def adjoint(self, y: Tensor) -> Tensor:
        return self.adjoint_product(self.constrained_weight(), y)

    def project(self) -> None:
        """To be called after each optimizer step; only a box requires any action."""
        project(self.weight, self.constraint)


@final
class ConvOperator(LinearOperator):
    """conv(k): zero-padded cross-correlation without bias, (Kx)_o = Σ_{i,τ} θ_{o,i,τ} x_i(· + τ) (Ruthotto, Haber,
    eq. 2).

    Args:
        channels: number of input channels.
        out_channels: number of output channels; None for the same number.
        size: size of the kernel, an odd number.
        constraint: constraint on the weight, `BoxConstraint` or `SpectralNormBound`; None for no constraint.

    Shape:
        x (n, channels, h, w) to K x (n, out_channels, h, w); `adjoint` maps back.

    Raises:
        ValueError: if the size is even.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import ConvOperator
        >>> operator = ConvOperator(2, 3)
        >>> x, y = torch.randn(1, 2, 8, 8), torch.randn(1, 3, 8, 8)
        >>> bool(torch.allclose((operator(x) * y).sum(), (x * operator.adjoint(y)).sum(), atol=1e-4))
        True
    """

    def __init__(
        self, channels: int, out_channels: int | None = None, size: int = 3, constraint: Constraint | None = None
    ):
        super().__init__(constraint)
        if size % 2 == 0:
            raise ValueError(f"conv({size}) has no centre: the size of a stencil is odd")
        shape = (out_channels or channels, channels, size, size)
        self.weight = _initial_weight(shape, fan_in=channels * size**2, gain=math.sqrt(2))
        self.project()

    def product(self, weight: Tensor, x: Tensor) -> Tensor:
        return functional.conv2d(x, weight, padding=weight.shape[-1] // 2)

    def adjoint_product(self, weight: Tensor, y: Tensor) -> Tensor:
        return functional.conv_transpose2d(y, weight, padding=weight.shape[-1] // 2)


@final
class DenseOperator(LinearOperator, nn.Linear):
    """linear: (Kx)_o = Σ_i W_{o,i} x_i on the last axis, without bias. It is also a torch Linear, so that code looking
    for the last linear map of a network finds it.

    Args:
        features: number of input features.
        out_features: number of output features; None for the same number.
        constraint: constraint on the weight, `BoxConstraint` or `SpectralNormBound`; None for no constraint.

    Shape:
        x (…, features) to K x (…, out_features); `adjoint` maps back.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import DenseOperator
        >>> DenseOperator(2, 3)(torch.zeros(5, 2)).shape
        torch.Size([5, 3])
    """

    def __init__(self, features: int, out_features: int | None = None, constraint: Constraint | None = None):
        shape = (out_features or features, features)
        # On the meta device no numbers are drawn for a weight that is replaced anyway.
        super().__init__(constraint, features, shape[0], bias=False, device="meta")
        self.weight = _initial_weight(shape, fan_in=features, gain=1.0)
        self.project()

    def product(self, weight: Tensor, x: Tensor) -> Tensor:
        return functional.linear(x, weight)

    def adjoint_product(self, weight: Tensor, y: Tensor) -> Tensor:
        return y @ weight


def project_operators(model: nn.Module) -> None:
    """`constrain K in [a, b]`: every boxed operator is projected back into its box, after an optimizer step."""
    for module in model.modules():
        if isinstance(module, LinearOperator):
            module.project()


def norm_bound(operator: LinearOperator) -> float | None:
    """The c of ‖K‖ ≤ c, if the operator has one."""
    return operator.constraint.bound if isinstance(operator.constraint, SpectralNormBound) else None


def _initial_weight(shape: tuple[int, ...], fan_in: int, gain: float) -> nn.Parameter:
    """N(0, gain²/fan_in): He's variance for relu layers. Meganet's is 3 times larger."""
    return nn.Parameter(torch.randn(shape) * (gain / math.sqrt(fan_in)))
