"""convnet(layers): a learned field f(Y, t) on the image plane with t as an extra channel of every convolution.

The layout of torchdiffeq's odenet example, from which "Towards natural robustness against adversarial examples"
starts: GroupNorm, relu, convolution, …, GroupNorm.
"""

from __future__ import annotations

import math
from typing import final

from torch import Tensor, nn
from torch.nn import functional

from pdedsl.runtime.activations import activation
from pdedsl.runtime.image_fields import Time


@final
class TimeConv(nn.Module):
    """conv([t·1, Y]) + b with the weight (out, 1 + in, k, k).

    Convolution is linear: conv(Y) + t·conv(1). So nothing is concatenated, channels stay aligned, and conv(1) is
    computed for a single sample.
    """

    def __init__(self, channels: int, out_channels: int, size: int = 3):
        super().__init__()
        like = nn.Conv2d(channels + 1, out_channels, size)
        assert like.bias is not None
        self.weight, self.bias = like.weight, like.bias

    def forward(self, t: Time, y: Tensor) -> Tensor:
        padding = self.weight.shape[-1] // 2
        ones = y.new_ones((1, 1, *y.shape[2:]))
        time_response = functional.conv2d(ones, self.weight[:, :1], padding=padding)
        time = t.to(y.dtype).reshape(-1, 1, 1, 1) if isinstance(t, Tensor) else t
        return functional.conv2d(y, self.weight[:, 1:], self.bias, padding=padding).add_(time * time_response)


@final
class AutonomousConv(nn.Module):
    """conv(Y) + b, independent of time."""

    def __init__(self, channels: int, out_channels: int, size: int = 3):
        super().__init__()
        like = nn.Conv2d(channels, out_channels, size)
        assert like.bias is not None
        self.weight, self.bias = like.weight, like.bias

    def forward(self, t: Time, y: Tensor) -> Tensor:
        return functional.conv2d(y, self.weight, self.bias, padding=self.weight.shape[-1] // 2)


@final
class ConvNet(nn.Module):
    """f(Y, t) of `layers` convolutions that preserve the number of channels; norm=False omits the group norms, and
    timed=False the time: f(Y).

    At 64 channels and two layers it has the 75,392 parameters of odenet_mnist's ODEfunc.

    Args:
        channels: number of channels of the feature map.
        layers: number of convolutions.
        size: size of the kernels, an odd number.
        activation_name: name of the activation.
        norm: whether a group normalization precedes each activation.
        timed: whether the time is an additional channel.

    Shape:
        (t, y) with a time t, a number or (n,), and y (n, channels, h, w), to (n, channels, h, w).

    Raises:
        ValueError: if there are no layers.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import ConvNet
        >>> ConvNet(4, 2)(0.5, torch.zeros(3, 4, 8, 8)).shape
        torch.Size([3, 4, 8, 8])
    """

    def __init__(
        self,
        channels: int,
        layers: int,
        size: int = 3,
        activation_name: str = "relu",
        norm: bool = True,
        timed: bool = True,
    ):
        super().__init__()
        if layers < 1:
            raise ValueError(f"a convnet has at least one layer, not {layers}")
        self.activation = activation(activation_name)
        convolution = TimeConv if timed else AutonomousConv
        self.convolutions = nn.ModuleList(convolution(channels, channels, size) for _ in range(layers))
        self.norms = nn.ModuleList(_group_norm(channels) if norm else nn.Identity() for _ in range(layers + 1))

    def forward(self, t: Time, y: Tensor) -> Tensor:
        for norm, convolution in zip(self.norms, self.convolutions, strict=False):
            y = convolution(t, self.activation(norm(y)))
        out: Tensor = self.norms[-1](y)
        return out


def _group_norm(channels: int) -> nn.GroupNorm:
    # The example's min(32, channels) does not divide 112; for powers of two both agree.
    return nn.GroupNorm(math.gcd(32, channels), channels)
