"""The symmetric layer of parabolic and hyperbolic CNNs and its normalizations (Ruthotto, Haber 2018, eq. 7 to 9)."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from pdedsl.runtime.activations import activation
from pdedsl.runtime.linear_operators import LinearOperator


@final
class TotalVariationNorm(nn.Module):
    """N_tv(y)_c = s_c · y_c / √(Σ_c y_c² + ε) + b_c at each pixel, s and b trainable (eq. 9). The paper's ε is 1e-3.

    Args:
        channels: number of channels.
        eps: ε of the denominator.

    Shape:
        y (n, channels, h, w) to the same shape.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import TotalVariationNorm
        >>> y = TotalVariationNorm(2, 0.0)(torch.tensor([3.0, 4.0]).reshape(1, 2, 1, 1))
        >>> [round(v, 4) for v in y.flatten().tolist()]
        [0.6, 0.8]
    """

    def __init__(self, channels: int, eps: float = 1e-3):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, y: Tensor) -> Tensor:
        inverse = y.square().sum(1, keepdim=True).add(self.eps).rsqrt()
        return torch.addcmul(self.bias[:, None, None], y * inverse, self.scale[:, None, None])


def batch_norm(channels: int, eps: float = 1e-4) -> nn.BatchNorm2d:
    """Batch norm with Meganet's ε; Meganet's running variance is biased, torch's is not."""
    return nn.BatchNorm2d(channels, eps=eps)


@final
class SymmetricLayer(nn.Module):
    """F(Y) = −Kᵀ σ(N(K Y)) (eq. 7); sign=+1 gives the right-hand side +Kᵀ σ(N(K Z)) of a Hamiltonian half.

    With N = identity and a monotone σ it is monotone: ⟨F(a) − F(b), a − b⟩ ≤ 0. With N_tv and relu it is not.

    Args:
        operator: K, such as `ConvOperator`.
        activation_name: name of the activation σ.
        norm: normalization N; None for the identity.
        sign: -1 or 1.

    Shape:
        (t, y) with y (n, channels, h, w) to the shape of y; the time is not used.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import ConvOperator, SymmetricLayer
        >>> layer, y = SymmetricLayer(ConvOperator(2)), torch.randn(1, 2, 8, 8)
        >>> bool((layer(0.0, y) * y).sum() <= 0.0)  # ⟨F(y), y⟩ ≤ 0, since F(0) = 0
        True
    """

    def __init__(
        self, operator: LinearOperator, activation_name: str = "relu", norm: nn.Module | None = None, sign: float = -1.0
    ):
        super().__init__()
        self.operator = operator
        self.activation = activation(activation_name)
        self.norm = norm if norm is not None else nn.Identity()
        self.sign = sign

    def forward(self, t: float | Tensor, y: Tensor) -> Tensor:
        weight = self.operator.constrained_weight()
        inner = self.activation(self.norm(self.operator.product(weight, y)))
        return self.operator.adjoint_product(self.sign * weight, inner)
