"""The frame `network { … }` in the layout of Ruthotto, Haber 2018, section 5.

    open       Conv3x3(no bias) → BatchNorm(eps 1e-4) → relu
    stages     PDE block at width f_k → Conv1x1(f_k → f_{k+1}, no bias) → BatchNorm → relu → average pool by 2
    the last   connector goes to `close` channels and averages over the image
    classify   Linear with bias

The numbers of parameters are those of their table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import final

from torch import Tensor, nn


@final
@dataclass(frozen=True)
class Frame:
    """What surrounds the equation. The opening leads to the first stage; `close` is the last stage's width unless
    told."""

    image: tuple[int, int, int]
    stages: tuple[int, ...]
    classes: int
    close: int | None = None
    eps: float = 1e-4

    def __post_init__(self) -> None:
        if not self.stages:
            raise ValueError("a network has at least one stage")
        if min(self.image[1:]) >> (len(self.stages) - 1) < 1:
            height, width = self.image[1:]
            raise ValueError(f"an image of {height} x {width} cannot be halved {len(self.stages) - 1} times")

    @property
    def widths(self) -> tuple[int, ...]:
        """f_0, …, f_last, close."""
        return (*self.stages, self.close or self.stages[-1])


@final
class ImageNetwork(nn.Module):
    """Images to logits."""

    def __init__(self, opening: nn.Module, stages: nn.ModuleList, connectors: nn.ModuleList, classifier: nn.Module):
        super().__init__()
        self.opening = opening
        self.stages = stages
        self.connectors = connectors
        self.classifier = classifier

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.classifier(self.features(x))
        return logits

    def features(self, x: Tensor) -> Tensor:
        """Y(θ): one number per channel, averaged over the image."""
        y: Tensor = self.opening(x)
        for stage, connector in zip(self.stages, self.connectors, strict=True):
            y = connector(stage(y))
        return y.flatten(1)


def image_network(frame: Frame, block: Callable[[int], nn.Module]) -> ImageNetwork:
    """The frame around `block(width)`, one at each stage."""
    opening = _filter(frame.image[0], frame.stages[0], 3, frame.eps)
    stages = nn.ModuleList(block(width) for width in frame.stages)
    connectors = nn.ModuleList(
        _connector(a, b, frame.eps, last=place == len(frame.stages))
        for place, (a, b) in enumerate(pairwise(frame.widths), start=1)
    )
    return ImageNetwork(opening, stages, connectors, nn.Linear(frame.widths[-1], frame.classes))


def _connector(channels: int, out_channels: int, eps: float, last: bool) -> nn.Sequential:
    pool = nn.AdaptiveAvgPool2d(1) if last else nn.AvgPool2d(2)
    return nn.Sequential(*_filter(channels, out_channels, 1, eps), pool)


def _filter(channels: int, out_channels: int, size: int, eps: float) -> nn.Sequential:
    convolution = nn.Conv2d(channels, out_channels, size, padding=size // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(out_channels, eps=eps), nn.ReLU())
