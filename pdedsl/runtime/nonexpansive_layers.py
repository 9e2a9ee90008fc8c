"""Layers that are non-expansive (1-Lipschitz in ℓ2) for all weights."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.runtime.linear_operators import DenseOperator
from pdedsl.runtime.weight_constraints import SpectralNormBound


@final
class PatchChannels(nn.Module):
    """Each k × k patch of pixels as the channels of one pixel; zeros complete the last patches. An isometry."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.side = size

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[-2:]
        filled = functional.pad(x, (0, -width % self.side, 0, -height % self.side))
        if x.shape[0] == 0:  # torch's own function gives other shapes in this case
            return filled.reshape(0, x.shape[1] * self.side**2, *(n // self.side for n in filled.shape[-2:]))
        return functional.pixel_unshuffle(filled, self.side)

    def extra_repr(self) -> str:
        return f"{self.side}"


@final
class ZeroPadChannels(nn.Module):
    """Zeros as additional channels. An isometry."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels = channels

    def forward(self, x: Tensor) -> Tensor:
        return functional.pad(x, (0, 0, 0, 0, 0, self.channels - x.shape[1]))

    def extra_repr(self) -> str:
        return f"{self.channels}"


@final
class NonexpansiveLinear(nn.Module):
    """C on the channels, ‖C‖ ≤ 1 for all weights, initialised with orthonormal rows or columns; with a bias if
    requested."""

    def __init__(self, channels: int, out_channels: int, bias: bool = False) -> None:
        super().__init__()
        self.operator = DenseOperator(channels, out_channels, SpectralNormBound(1.0))
        nn.init.orthogonal_(self.operator.weight)
        self.bias = nn.Parameter(torch.zeros(out_channels)) if bias else None

    def matrix(self) -> Tensor:
        """C."""
        return self.operator.constrained_weight()

    def forward(self, x: Tensor) -> Tensor:
        weight = self.matrix()
        if x.dim() == 2:
            return functional.linear(x, weight, self.bias)
        return functional.conv2d(x, weight[:, :, None, None], self.bias)


@final
class ConvexPotentialLayer(nn.Module):
    """x - 2 Wᵀ relu(W x + b) with ‖W‖ ≤ 1 for all weights, the convex potential layer (Meunier et al., ICML 2022).

    It is an Euler step of length 2 of the gradient descent of the convex function Σ ½ relu(W x + b)², whose gradient is
    1-Lipschitz: a non-expansive step (`numerics.stability`).
    """

    def __init__(self, features: int, width: int) -> None:
        super().__init__()
        self.operator = DenseOperator(features, width, SpectralNormBound(1.0))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        weight = self.operator.constrained_weight()
        return x - functional.relu(functional.linear(x, weight, self.bias)) @ (2.0 * weight)
