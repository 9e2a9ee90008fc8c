"""Image classifiers with PDE blocks: the architecture of Ruthotto, Haber 2018, section 5, and a 1-Lipschitz one.

    open       Conv3x3(no bias) → BatchNorm(eps 1e-4) → relu
    stages     PDE block at width f_k → Conv1x1(f_k → f_{k+1}, no bias) → BatchNorm → relu → average pool by 2
    the last   connector goes to `close` channels and averages over the image
    classify   Linear with bias

The numbers of parameters are those of their table 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, assert_never, cast, final

from torch import Tensor, nn

from pdedsl.config.networks import FrameActivation
from pdedsl.runtime.activations import MaxMin
from pdedsl.runtime.lipschitz import LipschitzBound, compose_bounds, network_bounds
from pdedsl.runtime.nonexpansive_layers import ConvexPotentialLayer, NonexpansiveLinear, PatchChannels, ZeroPadChannels
from pdedsl.runtime.pde_blocks import BlockStates, PdeBlock
from pdedsl.runtime.standardization import Centre, Standardize

# ---- Architecture of Ruthotto and Haber


@final
@dataclass(frozen=True)
class ImageArchitecture:
    """The layers around the PDE blocks. The stem has the width of the first stage; `close`, the width of the last
    transition, defaults to that of the last stage.

    Args:
        image: shape (c, h, w) of one image.
        stages: number of channels of each stage.
        classes: number of classes.
        close: number of channels before the classifier; None for that of the last stage.
        eps: ε of the batch normalizations.

    Raises:
        ValueError: if there are no stages, or too many for the size of the image.

    Example:
        >>> from pdedsl.runtime import ImageArchitecture
        >>> ImageArchitecture(image=(3, 32, 32), stages=(32, 64, 112), classes=10).widths
        (32, 64, 112, 112)
    """

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


class StageStates(NamedTuple):
    """The feature map at the start of a stage, and the states at its end, of which the first is its output."""

    start: Tensor
    end: BlockStates


@final
class ImageNetwork(nn.Module):
    """Images to logits.

    PDE blocks can be invertible, the layers around them are not: stem and transitions use relu, and transitions pool.
    So `inverse` leads from the end of each stage to its start only, even in a network with a single stage.
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

    def lipschitz_parts(self) -> tuple[LipschitzBound, ...]:
        """The Lipschitz constant of each part, in ℓ2 and for all weights, with the reason; ∞ if there is none."""
        return tuple(network_bounds(self.opening, self.stages, self.connectors, self.classifier))

    def lipschitz_constant(self) -> float:
        """The Lipschitz constant of the logits."""
        return compose_bounds(self.lipschitz_parts())

    def lipschitz_head(self) -> tuple[Tensor, float]:
        """W of the logits W φ + b, and the Lipschitz constant of the features φ, as needed for
        s_A - s_B = (w_A - w_B)·φ + b_A - b_B."""
        head = self.classifier
        weight = head.matrix() if isinstance(head, NonexpansiveLinear) else cast(Tensor, head.weight)
        return weight.detach(), compose_bounds(self.lipschitz_parts()[:-1])

    def states(self, x: Tensor) -> tuple[StageStates, ...]:
        """The states at the start and at the end of every stage."""
        passages, y = [], self.opening(x)
        for stage, connector in zip(self.stages, self.connectors, strict=True):
            passages.append(StageStates(y, cast(PdeBlock, stage).last_states(y)))
            y = connector(passages[-1].end[0])
        return tuple(passages)

    def inverse(self, ends: Sequence[BlockStates]) -> tuple[Tensor, ...]:
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
        return tuple(cast(PdeBlock, stage).inverse(*end) for stage, end in zip(self.stages, ends, strict=True))


def image_network(frame: ImageArchitecture, block: Callable[[int], nn.Module]) -> ImageNetwork:
    """The architecture with one `block(width)` per stage.

    Args:
        frame: sizes of the architecture.
        block: makes the PDE block of a stage from its number of channels.

    Returns:
        Network from images (n, c, h, w) to logits (n, classes).

    Example:
        >>> import torch
        >>> from pdedsl.runtime.image_network import ImageArchitecture, image_network
        >>> network = image_network(ImageArchitecture((1, 8, 8), (4, 6), 10), lambda channels: torch.nn.Identity())
        >>> network(torch.zeros(3, 1, 8, 8)).shape
        torch.Size([3, 10])
    """
    channels = frame.image[0]
    opening = nn.Sequential(Standardize(channels), *_conv_block(channels, frame.stages[0], 3, frame.eps))
    stages = nn.ModuleList(block(width) for width in frame.stages)
    connectors = nn.ModuleList(
        _connector(a, b, frame.eps, last=place == len(frame.stages))
        for place, (a, b) in enumerate(pairwise(frame.widths), start=1)
    )
    return ImageNetwork(opening, stages, connectors, nn.Linear(frame.widths[-1], frame.classes))


def _connector(channels: int, out_channels: int, eps: float, last: bool) -> nn.Sequential:
    pool = nn.AdaptiveAvgPool2d(1) if last else nn.AvgPool2d(2)
    return nn.Sequential(*_conv_block(channels, out_channels, 1, eps), pool)


def _conv_block(channels: int, out_channels: int, size: int, eps: float) -> nn.Sequential:
    convolution = nn.Conv2d(channels, out_channels, size, padding=size // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(out_channels, eps=eps), nn.ReLU())


# ---- Lipschitz architecture: every layer is 1-Lipschitz in ℓ2 for all weights
#
# open       x - mean → p × p patches as channels → zeros up to f₀ channels     an isometry
# stages     PDE block at width f_k                                             1 where its steps are non-expansive
# connector  2 × 2 patches as channels → C to f_{k+1} channels → maxmin         ‖C‖ ≤ 1
# the last   the whole map as one vector → `dense` convex potential layers      ‖W‖ ≤ 1, `close` rows each
# classify   W x + b                                                            ‖W‖ ≤ 1
#
# C acts on the channels of a pixel and W on a vector, so that their norms are those of matrices: the largest singular
# value itself, not an estimate, with an allowance for round-off. Patches replace pooling: a 2 × 2 mean, scaled to
# norm 1, is one possible C (Meunier et al., ICML 2022, pool in this way and pad channels with zeros).


POOLING = 2  # factor by which a connector reduces height and width


@final
@dataclass(frozen=True)
class LipschitzArchitecture:
    """The layers around the PDE blocks. `close` defaults to the width of the last stage.

    Args:
        image: shape (c, h, w) of one image.
        stages: number of channels of each stage.
        classes: number of classes.
        close: number of rows of each dense layer; None for the channels of the last stage.
        patch: side of the patches of the stem.
        dense: number of convex potential layers before the classifier.
        activation: activation of the transitions, "maxmin" or "relu".

    Raises:
        ValueError: if there are no stages, or the first one has fewer channels than a patch.

    Example:
        >>> from pdedsl.runtime import LipschitzArchitecture
        >>> list(LipschitzArchitecture(image=(1, 28, 28), stages=(4, 8), classes=10, patch=2).sizes)
        [(14, 14), (7, 7)]
    """

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
            height, width, side = -(-height // side), -(-width // side), POOLING
            yield height, width


def lipschitz_network(frame: LipschitzArchitecture, block: Callable[[int], nn.Module]) -> ImageNetwork:
    """The architecture with one `block(width)` per stage.

    Args:
        frame: sizes of the architecture.
        block: makes the PDE block of a stage from its number of channels.

    Returns:
        Network from images (n, c, h, w) to logits (n, classes); 1-Lipschitz in ℓ2 if its blocks are.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import LipschitzArchitecture, lipschitz_network
        >>> frame = LipschitzArchitecture((1, 8, 8), (4, 6), 10)
        >>> network = lipschitz_network(frame, lambda channels: torch.nn.Identity())
        >>> x = torch.randn(2, 1, 8, 8)
        >>> a, b = network(x)
        >>> bool((a - b).norm() <= (x[0] - x[1]).norm())
        True
    """
    channels, stages = frame.image[0], frame.stages
    opening = nn.Sequential(Centre(channels), PatchChannels(frame.patch), ZeroPadChannels(stages[0]))
    connectors = [_lipschitz_connector(a, b, frame) for a, b in pairwise(stages)]
    height, width = tuple(frame.sizes)[-1]
    features = stages[-1] * height * width
    blocks = nn.ModuleList(block(width) for width in stages)
    dense = [ConvexPotentialLayer(features, frame.close or stages[-1]) for _ in range(frame.dense)]
    last = nn.Sequential(nn.Flatten(), *dense)
    head = NonexpansiveLinear(features, frame.classes, bias=True)
    return ImageNetwork(opening, blocks, nn.ModuleList([*connectors, last]), head)


def _lipschitz_connector(channels: int, out_channels: int, frame: LipschitzArchitecture) -> nn.Sequential:
    return nn.Sequential(
        PatchChannels(POOLING), NonexpansiveLinear(POOLING**2 * channels, out_channels), _activation(frame)
    )


def _activation(frame: LipschitzArchitecture) -> nn.Module:
    match FrameActivation(frame.activation):
        case FrameActivation.MAXMIN:
            return MaxMin()
        case FrameActivation.RELU:
            return nn.ReLU()
        case other:
            assert_never(other)
