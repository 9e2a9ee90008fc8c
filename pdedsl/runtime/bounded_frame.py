"""The frame `network { frame lipschitz }`: every piece is 1-Lipschitz in ℓ2, for all weights.

    open       x - mean → p × p patches as channels → zeros up to f₀ channels     an isometry
    stages     PDE block at width f_k                                             1 where its steps are non-expansive
    connector  2 × 2 patches as channels → C to f_{k+1} channels → maxmin         ‖C‖ ≤ 1
    the last   the whole map as one vector → `dense` convex potential layers      ‖W‖ ≤ 1, `close` rows each
    classify   W x + b                                                            ‖W‖ ≤ 1

C acts on the channels of a pixel and W on a vector, so that their norms are those of matrices: the largest singular
value itself, not an estimate, with an allowance for round-off. Patches replace pooling: a 2 × 2 mean, scaled to norm 1,
is one possible C (Meunier et al., ICML 2022, pool in this way and pad channels with zeros).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, assert_never, final

from torch import nn

from pdedsl.runtime.activations import MaxMin
from pdedsl.runtime.bounded_pieces import Mixed, Padded, Patches, Potential
from pdedsl.runtime.frame import ImageNetwork
from pdedsl.runtime.standardize import Centre
from pdedsl.words.frames import Between

HALVING = 2


@final
@dataclass(frozen=True)
class BoundedFrame:
    """What surrounds the equation. `close` defaults to the width of the last stage."""

    image: tuple[int, int, int]
    stages: tuple[int, ...]
    classes: int
    close: int | None = None
    patch: int = 1
    dense: int = 0
    activation: Literal["maxmin", "relu"] = "maxmin"

    def __post_init__(self) -> None:
        if not self.stages:
            raise ValueError("a network has at least one stage")
        if self.stages[0] < self.image[0] * self.patch**2:
            needed = self.image[0] * self.patch**2
            raise ValueError(f"patches of {self.image[0]} channels make {needed} channels, more than {self.stages[0]}")

    @property
    def sizes(self) -> Iterator[tuple[int, int]]:
        """Height and width of the maps at each stage: patches that reach beyond the image see zeros there."""
        height, width, side = *self.image[1:], self.patch
        for _ in self.stages:
            height, width, side = -(-height // side), -(-width // side), HALVING
            yield height, width


def bounded_network(frame: BoundedFrame, block: Callable[[int], nn.Module]) -> ImageNetwork:
    """The frame around `block(width)`, one block per stage."""
    channels, stages = frame.image[0], frame.stages
    opening = nn.Sequential(Centre(channels), Patches(frame.patch), Padded(stages[0]))
    connectors = [_connector(a, b, frame) for a, b in pairwise(stages)]
    height, width = tuple(frame.sizes)[-1]
    features = stages[-1] * height * width
    blocks = nn.ModuleList(block(width) for width in stages)
    dense = [Potential(features, frame.close or stages[-1]) for _ in range(frame.dense)]
    last = nn.Sequential(nn.Flatten(), *dense)
    head = Mixed(features, frame.classes, bias=True)
    return ImageNetwork(opening, blocks, nn.ModuleList([*connectors, last]), head)


def _connector(channels: int, out_channels: int, frame: BoundedFrame) -> nn.Sequential:
    return nn.Sequential(Patches(HALVING), Mixed(HALVING**2 * channels, out_channels), _activation(frame))


def _activation(frame: BoundedFrame) -> nn.Module:
    match Between(frame.activation):
        case Between.MAXMIN:
            return MaxMin()
        case Between.RELU:
            return nn.ReLU()
        case other:
            assert_never(other)
