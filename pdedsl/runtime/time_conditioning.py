"""Time conditioning of networks: time as an input channel, as a coordinate, or not at all."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class TimeChannel(nn.Module):
    """g(x, t): the time as one more channel (or feature) of the input (Wang, Tao, Bao, Shi, section 4).

    Args:
        network: module on inputs with one more channel.

    Shape:
        (x, t) with x (n, c, …) and a time t, a number or (n,), to the output of the network for (n, c + 1, …).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import TimeChannel
        >>> TimeChannel(torch.nn.Flatten())(torch.zeros(2, 1), torch.tensor([0.0, 0.5])).tolist()
        [[0.0, 0.0], [0.0, 0.5]]
    """

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, t: Tensor | float) -> Tensor:
        """`t` is one number, or one per sample."""
        column = torch.as_tensor(t, dtype=x.dtype, device=x.device).reshape(-1, *[1] * (x.dim() - 1))
        plane = column.expand(x.shape[0], 1, *x.shape[2:])
        value: Tensor = self.network(torch.cat([x, plane], 1))
        return value


class Autonomous(nn.Module):
    """v(x, t) = v(x)."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, t: float | None = None) -> Tensor:
        value: Tensor = self.network(x)
        return value


class TimeFeature(nn.Module):
    """v(x, t) on points (..., d), with time as an additional coordinate."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, t: float) -> Tensor:
        value: Tensor = self.network(torch.cat([x, torch.full_like(x[..., :1], t)], -1))
        return value
