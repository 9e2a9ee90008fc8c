"""The frame `network { … }` in the layout of Ruthotto, Haber 2018, section 5.

    open       Conv3x3(no bias) → BatchNorm(eps 1e-4) → relu
    stages     PDE block at width f_k → Conv1x1(f_k → f_{k+1}, no bias) → BatchNorm → relu → average pool by 2
    the last   connector goes to `close` channels and averages over the image
    classify   Linear with bias

The numbers of parameters are those of their table 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, cast, final

from torch import Tensor, nn

from pdedsl.runtime.blocks import Block, States
from pdedsl.runtime.bounded_pieces import Mixed
from pdedsl.runtime.constants import Constant, parts_of, product
from pdedsl.runtime.standardize import Standardize


@final
@dataclass(frozen=True)
class Frame:
    """What surrounds the equation. The opening leads to the first stage; `close` defaults to the width of the last
    stage."""

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


class Passage(NamedTuple):
    """A feature map at the start of a stage, and the states at its end, of which the first is the stage's output."""

    start: Tensor
    end: States


@final
class ImageNetwork(nn.Module):
    """Images to logits.

    The equation can run backwards, the frame cannot: opening and connectors rectify, and connectors average pixels. So
    `inverse` leads from the end of each stage to its start and no further, even in a network with a single stage.
    """

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

    def lipschitz_parts(self) -> tuple[Constant, ...]:
        """The constant of each part, in ℓ2 and for all weights, with the reason; ∞ if there is none."""
        return tuple(parts_of(self.opening, self.stages, self.connectors, self.classifier))

    def lipschitz_constant(self) -> float:
        """The constant of the scores."""
        return product(self.lipschitz_parts())

    def lipschitz_head(self) -> tuple[Tensor, float]:
        """W of scores W φ + b, and the constant of the features φ, as needed for s_A - s_B = (w_A - w_B)·φ + b_A -
        b_B."""
        head = self.classifier
        weight = head.matrix() if isinstance(head, Mixed) else cast(Tensor, head.weight)
        return weight.detach(), product(self.lipschitz_parts()[:-1])

    def states(self, x: Tensor) -> tuple[Passage, ...]:
        """The states at the start and at the end of every stage."""
        passages, y = [], self.opening(x)
        for stage, connector in zip(self.stages, self.connectors, strict=True):
            passages.append(Passage(y, cast(Block, stage).last_states(y)))
            y = connector(passages[-1].end[0])
        return tuple(passages)

    def inverse(self, ends: Sequence[States]) -> tuple[Tensor, ...]:
        """The start of every stage from its end: `model.inverse([passage.end for passage in model.states(x)])`.

        Exact up to round-off for pairs by Verlet and second order by leapfrog; other methods raise an error. For a
        single stage call `model.stages[k].inverse(*end)`.
        """
        if isinstance(ends, Tensor) or len(ends) != len(self.stages):
            raise ValueError(
                f"connectors rectify and average, so nothing leads from one stage to the one before: give the end of "
                f"each of the {len(self.stages)} stages, as in [passage.end for passage in model.states(x)]; for one "
                f"stage call model.stages[k].inverse(*end)"
            )
        return tuple(cast(Block, stage).inverse(*end) for stage, end in zip(self.stages, ends, strict=True))


def image_network(frame: Frame, block: Callable[[int], nn.Module]) -> ImageNetwork:
    """The frame around `block(width)`, one block per stage."""
    channels = frame.image[0]
    opening = nn.Sequential(Standardize(channels), *_filter(channels, frame.stages[0], 3, frame.eps))
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
