"""Normalization of the data as part of the network, so that noise, attacks and radii are in the units of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor, nn


class Standardize(nn.Module):
    """(x - mean) / std for each channel; the identity until the data are known. Additional channels, such as a channel
    of time, pass unchanged."""

    mean: Tensor
    std: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("std", torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        channels, ones = len(self.mean), [1] * (x.dim() - 2)
        mean, std = (b.to(x.dtype).reshape(channels, *ones) for b in (self.mean, self.std))
        if x.shape[1] == channels:
            return (x - mean) / std
        return torch.cat([(x[:, :channels] - mean) / std, x[:, channels:]], 1)

    def extra_repr(self) -> str:
        return f"channels={len(self.mean)}"


@final
class Centre(nn.Module):
    """x - mean for each channel: it shifts all samples equally, and so preserves the distances between them."""

    mean: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(channels))

    def forward(self, x: Tensor) -> Tensor:
        return x - self.mean.to(x.dtype).reshape(-1, *[1] * (x.dim() - 2))


def standardize(model: nn.Module, mean: Sequence[float], std: Sequence[float]) -> None:
    """Set the mean and the standard deviation of the data, channel by channel, in every network of a model."""
    for module in model.modules():
        if isinstance(module, Standardize | Centre):
            module.mean.copy_(torch.tensor(mean))
        if isinstance(module, Standardize):
            module.std.copy_(torch.tensor(std))
