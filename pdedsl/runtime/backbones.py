"""Backbones: stem, residual blocks and head of ResNets, wide ResNets, convnets and MLPs. Noise is added between them.

Convolutional stems convert their input to channels_last, the faster layout on a CPU; every later convolution,
normalization and noise preserves it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from pdedsl.runtime.activations import ActivationLayer
from pdedsl.runtime.ode.explicit import ResidualBlock
from pdedsl.runtime.standardization import Standardize
from pdedsl.runtime.time_conditioning import Autonomous, TimeFeature

Shape = tuple[int, ...]
"""Of one sample, without the batch axis: (c, h, w) or (d,)."""


@dataclass(frozen=True)
class Backbone:
    """The parts of a network in the order of its layers.

    Args:
        stem: first layers, from inputs (n, *shape) to the state of the blocks.
        blocks: residual blocks, from state to state.
        head: last layers, from the state to logits (n, classes).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import mlp
        >>> backbone = mlp(8, 3, (2,), 4)
        >>> len(backbone.blocks)
        3
        >>> backbone.network()(torch.zeros(5, 2)).shape
        torch.Size([5, 4])
    """

    stem: nn.Module
    blocks: tuple[nn.Module, ...]
    head: nn.Module

    def network(
        self, after: Callable[[int], nn.Module] | None = None, before_readout: nn.Module | None = None
    ) -> nn.Sequential:
        """All parts in order; `after(l)` follows block l, down-sampling blocks included (Wang, Yuan, Shi, Osher 2020,
        section 3.1); `before_readout` precedes the last linear map, for diffusion that comes first in time."""
        parts = [self.stem]
        for index, block in enumerate(self.blocks):
            parts += [block] if after is None else [block, after(index)]
        if before_readout is None:
            return nn.Sequential(*parts, self.head)
        if not isinstance(self.head, nn.Sequential) or not isinstance(self.head[-1], nn.Linear):
            raise ValueError("this network has no final linear layer, before which noise could be added")
        return nn.Sequential(*parts, *self.head[:-1], before_readout, self.head[-1])


class ChannelsLast(nn.Module):
    """The same numbers with the channel axis innermost in memory. A single channel fits both layouts; its strides are
    set to say channels_last, since later layers follow them."""

    def forward(self, x: Tensor) -> Tensor:
        if torch._C._functorch.is_batchedtensor(x):  # vmap has no layouts
            return x
        x = x.contiguous(memory_format=torch.channels_last)
        return x.reshape(x.shape[0], *x.shape[2:], 1).permute(0, 3, 1, 2) if x.shape[1] == 1 else x


def _relu() -> nn.ReLU:
    """In place: saves an allocation, and is safe after a norm or a sum, which do not save their output."""
    return nn.ReLU(inplace=True)


def conv3x3(inputs: int, outputs: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)


def _conv_stem(channels: int, width: int, time: bool, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(Standardize(channels), ChannelsLast(), conv3x3(channels + time, width, stride))


def _preactivated_head(width: int, classes: int) -> nn.Sequential:
    """BN-ReLU, global average, linear."""
    return nn.Sequential(nn.BatchNorm2d(width), _relu(), *_pooled_head(width, classes))


def _pooled_head(width: int, classes: int) -> nn.Sequential:
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))


def preactivated_field(width: int) -> nn.Sequential:
    """F of x + F(x): BN-ReLU-conv3×3-BN-ReLU-conv3×3 (He et al. 2016b)."""
    return nn.Sequential(
        nn.BatchNorm2d(width), _relu(), conv3x3(width, width), nn.BatchNorm2d(width), _relu(), conv3x3(width, width)
    )


class PreactivatedTransition(nn.Module):
    """S·a + F(a), a = relu(bn(x)), where width or stride change: the 1×1 shortcut S acts on a and has no norm."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.activate = nn.Sequential(nn.BatchNorm2d(inputs), _relu())
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
        self.field = nn.Sequential(
            conv3x3(inputs, outputs, stride), nn.BatchNorm2d(outputs), _relu(), conv3x3(outputs, outputs)
        )

    def forward(self, x: Tensor) -> Tensor:
        a = self.activate(x)
        value: Tensor = self.shortcut(a) + self.field(a)
        return value


class PostactivatedBlock(nn.Module):
    """relu(S·x + F(x)), F = conv3×3-BN-ReLU-conv3×3-BN (He et al. 2016a); S = id, or 1×1-BN where the shape changes."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.field = nn.Sequential(
            conv3x3(inputs, outputs, stride),
            nn.BatchNorm2d(outputs),
            _relu(),
            conv3x3(outputs, outputs),
            nn.BatchNorm2d(outputs),
        )
        same = inputs == outputs and stride == 1
        project = [] if same else [nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)]
        self.shortcut = nn.Sequential(*project)

    def forward(self, x: Tensor) -> Tensor:
        total: Tensor = self.shortcut(x) + self.field(x)
        return total.relu_()


def _stages(
    block: Callable[[int, int, int], nn.Module], first: int, widths: tuple[int, ...], depth: int
) -> tuple[nn.Module, ...]:
    """`depth` blocks per width; each stage but the first halves the plane in its first block."""
    blocks, inputs = [], first
    for stage, width in enumerate(widths):
        for index in range(depth):
            blocks.append(block(inputs, width, 2 if stage > 0 and index == 0 else 1))
            inputs = width
    return tuple(blocks)


def preactivated_block(inputs: int, outputs: int, stride: int) -> nn.Module:
    if inputs == outputs and stride == 1:
        return ResidualBlock(preactivated_field(inputs))
    return PreactivatedTransition(inputs, outputs, stride)


def _initialise(backbone: Backbone) -> Backbone:
    """Convolution weights N(0, 2/(k²·c_out)), as the published code of Wang, Yuan, Shi, Osher 2020; norms 1 and 0."""
    for part in (backbone.stem, *backbone.blocks, backbone.head):
        for module in part.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.normal_(module.weight, 0.0, math.sqrt(2.0 / (module.kernel_size[0] ** 2 * module.out_channels)))
    return backbone


def _preactivated(shape: Shape, classes: int, stem: int, widths: tuple[int, ...], depth: int, time: bool) -> Backbone:
    blocks = _stages(preactivated_block, stem, widths, depth)
    return _initialise(Backbone(_conv_stem(shape[0], stem, time), blocks, _preactivated_head(widths[-1], classes)))


def resnet(
    depth: int, shape: Shape = (3, 32, 32), classes: int = 10, *, width: int = 16, time: bool = False
) -> Backbone:
    """The pre-activation ResNet of Wang, Yuan, Shi, Osher 2020: three stages of w, 2w, 4w channels, depth = 6n + 2.

    Args:
        depth: number of layers, 6n + 2 for n blocks per stage: 8, 14, 20, 32, 44, 56, 110.
        shape: shape (c, h, w) of one image.
        classes: number of classes.
        width: number w of channels of the first stage.
        time: whether inputs have one more channel for the time.

    Returns:
        `Backbone` with stem, 3n residual blocks and head.

    Raises:
        ValueError: if the depth is not 6n + 2.

    Example:
        >>> from pdedsl.runtime import resnet
        >>> len(resnet(20).blocks)
        9
        >>> sum(p.numel() for p in resnet(20).network().parameters())
        272282
    """
    return _preactivated(shape, classes, width, (width, 2 * width, 4 * width), _per_stage(depth, 2), time)


def wide_resnet(
    depth: int, width: int, shape: Shape = (3, 32, 32), classes: int = 10, *, time: bool = False
) -> Backbone:
    """WRN-depth-width (Zagoruyko & Komodakis 2016): three stages of 16k, 32k, 64k channels, depth = 6n + 4.

    Args:
        depth: number of layers, 6n + 4 for n blocks per stage: 16, 22, 28.
        width: factor k of the numbers of channels.
        shape: shape (c, h, w) of one image.
        classes: number of classes.
        time: whether inputs have one more channel for the time.

    Returns:
        `Backbone` with stem, 3n residual blocks and head.

    Raises:
        ValueError: if the depth is not 6n + 4.

    Example:
        >>> from pdedsl.runtime import wide_resnet
        >>> len(wide_resnet(10, 2).blocks)
        3
    """
    return _preactivated(shape, classes, 16, (16 * width, 32 * width, 64 * width), _per_stage(depth, 4), time)


def _per_stage(depth: int, extra: int) -> int:
    number, rest = divmod(depth - extra, 6)
    if rest or number < 1:
        raise ValueError(f"the depth must be 6n + {extra} with n >= 1, got {depth}")
    return number


def preact_resnet18(shape: Shape = (3, 32, 32), classes: int = 10, *, time: bool = False) -> Backbone:
    """Pre-activation ResNet18 with a 3×3 stem: two blocks each of 64, 128, 256, 512 channels, then BN-ReLU.

    Args:
        shape: shape (c, h, w) of one image.
        classes: number of classes.
        time: whether inputs have one more channel for the time.

    Returns:
        `Backbone` with stem, eight residual blocks and head.

    Example:
        >>> from pdedsl.runtime import preact_resnet18
        >>> len(preact_resnet18().blocks)
        8
    """
    return _preactivated(shape, classes, 64, (64, 128, 256, 512), 2, time)


def resnet18(shape: Shape = (3, 32, 32), classes: int = 10, *, time: bool = False) -> Backbone:
    """ResNet18 with a 3×3 stem and no pooling after it; `time` adds the input channel of Wang, Tao, Bao, Shi.

    Args:
        shape: shape (c, h, w) of one image.
        classes: number of classes.
        time: whether inputs have one more channel for the time.

    Returns:
        `Backbone` with stem, eight residual blocks and head.

    Example:
        >>> from pdedsl.runtime import resnet18
        >>> sum(p.numel() for p in resnet18().network().parameters())
        11173962
    """
    stem = nn.Sequential(*_conv_stem(shape[0], 64, time), nn.BatchNorm2d(64), _relu())
    blocks = _stages(PostactivatedBlock, 64, (64, 128, 256, 512), 2)
    return Backbone(stem, blocks, _pooled_head(512, classes))


def convnet(
    width: int,
    depth: int,
    shape: Shape = (3, 32, 32),
    classes: int = 10,
    *,
    activation: str = "relu",
    time: bool = False,
) -> Backbone:
    """A small network: stem of stride 2, `depth` maps x + conv3×3(σ(bn(x))) at one width, global average, linear.

    Args:
        width: number of channels of all blocks.
        depth: number of residual blocks.
        shape: shape (c, h, w) of one image.
        classes: number of classes.
        activation: name of the activation σ.
        time: whether inputs have one more channel for the time.

    Returns:
        `Backbone` with stem, `depth` residual blocks and head.

    Example:
        >>> import torch
        >>> from pdedsl.runtime.backbones import convnet
        >>> convnet(4, 2, (1, 8, 8), 10).network()(torch.zeros(3, 1, 8, 8)).shape
        torch.Size([3, 10])
    """
    stem = _conv_stem(shape[0], width, time, stride=2)
    blocks = [
        ResidualBlock(nn.Sequential(nn.BatchNorm2d(width), ActivationLayer(activation), conv3x3(width, width)))
        for _ in range(depth)
    ]
    return Backbone(stem, tuple(blocks), _preactivated_head(width, classes))


def cnn(
    widths: Sequence[int],
    shape: Shape = (3, 32, 32),
    classes: int = 10,
    *,
    activation: str = "relu",
    time: bool = False,
) -> Backbone:
    """Convolutions without normalization and shortcuts: 5×5, then 3×3 kernels, stride 2 in the first two layers, then
    the mean over 2×2 pixels and a linear layer.

    Args:
        widths: number of channels of each convolution.
        shape: shape (c, h, w) of one image.
        classes: number of classes.
        activation: name of the activation.
        time: whether inputs have one more channel for the time.

    Returns:
        `Backbone` with stem and head, without residual blocks.

    Example:
        >>> import torch
        >>> from pdedsl.runtime.backbones import cnn
        >>> network = cnn([16, 32, 32], (1, 28, 28)).network()
        >>> sum(p.numel() for p in network.parameters())
        19434
    """
    layers: list[nn.Module] = [Standardize(shape[0]), ChannelsLast()]
    inputs, plane = shape[0] + time, shape[1:]
    for index, outputs in enumerate(widths):
        size, stride = (5 if index == 0 else 3), (2 if index < 2 else 1)
        layers += [nn.Conv2d(inputs, outputs, size, stride, padding=size // 2), ActivationLayer(activation)]
        inputs, plane = outputs, tuple(-(-extent // stride) for extent in plane)
    pixels = math.prod(-(-extent // 2) for extent in plane)
    pooled = nn.Sequential(nn.AvgPool2d(2, ceil_mode=True), nn.Flatten(), nn.Linear(inputs * pixels, classes))
    return Backbone(nn.Sequential(*layers), (), pooled)


def mlp(
    width: int, depth: int, shape: Shape, classes: int, *, activation: str = "relu", time: bool = False
) -> Backbone:
    """Linear to `width`, `depth` maps x + W·σ(x) + b, σ and linear to the classes. Any sample shape, flattened.

    Args:
        width: number of hidden units of all blocks.
        depth: number of residual blocks.
        shape: shape of one sample, (d,) or (c, h, w).
        classes: number of classes.
        activation: name of the activation σ.
        time: whether inputs have one more feature or channel for the time.

    Returns:
        `Backbone` with stem, `depth` residual blocks and head.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import mlp
        >>> mlp(8, 2, (2,), 3).network()(torch.zeros(5, 2)).shape
        torch.Size([5, 3])
    """
    inputs = (shape[0] + time) * math.prod(shape[1:])
    stem = nn.Sequential(Standardize(shape[0]), nn.Flatten(), nn.Linear(inputs, width))
    blocks = [ResidualBlock(nn.Sequential(ActivationLayer(activation), nn.Linear(width, width))) for _ in range(depth)]
    return Backbone(stem, tuple(blocks), nn.Sequential(ActivationLayer(activation), nn.Linear(width, classes)))


def vector_field(
    dimension: int,
    width: int,
    depth: int,
    *,
    activation: str = "tanh",
    time: bool = False,
    outputs: int | None = None,
) -> Autonomous | TimeFeature:
    """A learned field R^d -> R^outputs with `depth` hidden layers, for points (..., d); a velocity by default.

    Args:
        dimension: dimension d of the points.
        width: number of units of each hidden layer.
        depth: number of hidden layers.
        activation: name of the activation.
        time: whether the field depends on the time.
        outputs: number of components; None for d.

    Returns:
        Module v(x, t) from points (…, d) and a time to values (…, outputs); without `time`, t is ignored.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import vector_field
        >>> vector_field(2, 8, 1, time=True)(torch.zeros(5, 2), 0.5).shape
        torch.Size([5, 2])
    """
    layers: list[nn.Module] = [nn.Linear(dimension + time, width), ActivationLayer(activation)]
    for _ in range(depth - 1):
        layers += [nn.Linear(width, width), ActivationLayer(activation)]
    network = nn.Sequential(*layers, nn.Linear(width, dimension if outputs is None else outputs))
    return TimeFeature(network) if time else Autonomous(network)
