"""Networks of learned fields and operators, architectures around an equation, normalizations."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from fractions import Fraction
from typing import Annotated, assert_never

from pdedsl.config.base import Config, Forms, IntegerBounds, Positive, Preset, SmallCount, Value, Width, forms_of
from pdedsl.numerics.activations import ACTIVATIONS, Activation
from pdedsl.numerics.torchvision_models import MODELS

# ---- networks


TANH, RELU = ACTIVATIONS["tanh"], ACTIVATIONS["relu"]
RESNET_WIDTH = 16  # channels of the first stage (He et al. 2016, section 4.2)


class Mlp(Config):
    """Multilayer perceptron with `depth` hidden layers of `width` units: a field on R^d."""

    width: Width = 64
    depth: SmallCount = 4
    activation: Activation = TANH


class Resnet(Config):
    """Residual networks for small images (He et al. 2016, section 4.2) with `width`, 2 `width` and 4 `width` channels;
    a list of depths makes an ensemble."""

    depth: tuple[Annotated[int, IntegerBounds(1, (8, 14, 20, 32, 44, 56, 110))], ...]
    width: Width = RESNET_WIDTH

    @property
    def idle(self) -> frozenset[str]:
        """The default is not part of the hash."""
        return frozenset({"width"} if self.width == RESNET_WIDTH else ())


class Resnet18(Config):
    """ResNet-18 for small images (He et al. 2016)."""


class PreactResnet18(Config):
    """Pre-activation ResNet-18 (He et al. 2016b)."""


class WideResnet(Config):
    """Wide residual network (Zagoruyko, Komodakis 2016)."""

    depth: SmallCount = 28
    width: SmallCount = 10


class Convnet(Config):
    """Convolutional network with the same input and output shape."""

    layers: SmallCount = 2
    activation: Activation = RELU


class Cnn(Config):
    """Convolutions with `widths` channels, without normalization and shortcuts (LeCun et al. 1998)."""

    widths: tuple[Width, ...] = (16, 32, 32)
    activation: Activation = RELU


class Conv(Config):
    """Convolution with a size × size kernel."""

    size: SmallCount = 3


class Linear(Config):
    """A matrix."""


class Torchvision(Config):
    """A torchvision model by name."""

    model: str


class Torch(Config):
    """Your own module, "package.module:Name", called with the other arguments; imported only with `--trust`."""

    has_free_arguments = True
    network: str
    maps: tuple[str, ...] = ()
    options: Annotated[tuple[tuple[str, Value], ...], Preset()] = ()
    residual_blocks: Annotated[int | None, Preset()] = field(default=None, compare=False)  # of the imported network

    @property
    def path(self) -> tuple[str, str]:
        """Module path and attribute name."""
        module, _, name = self.network.partition(":")
        return module, name

    @property
    def arguments(self) -> dict[str, Value]:
        return {key: _quoted(value) for key, value in {**super().arguments, **dict(self.options)}.items()}


def _quoted(value: Value) -> Value:
    """A quoted string."""
    if isinstance(value, tuple):
        return tuple(map(_quoted, value))
    return f'"{value}"' if isinstance(value, str) else value


FieldNetwork = Mlp | Resnet | Resnet18 | PreactResnet18 | WideResnet | Convnet | Cnn | Torchvision | Torch
OperatorNetwork = Conv | Linear
Network = Mlp | Resnet | Resnet18 | PreactResnet18 | WideResnet | Convnet | Cnn | Conv | Linear | Torchvision | Torch
NETWORKS: Forms[Network] = forms_of(Network)
OPERATORS: Forms[OperatorNetwork] = forms_of(OperatorNetwork)


def count_residual_blocks(net: Network) -> int | None:
    """The number of residual blocks, which is the number of time steps; None if the network must be imported first."""
    match net:
        case Resnet(depth=depth):
            return (depth[0] - 2) // 2
        case WideResnet(depth=layers):
            return (layers - 4) // 2
        case Resnet18() | PreactResnet18():
            return 8
        case Torchvision(model=model):
            return MODELS[model].maps if model in MODELS else 0
        case Torch(residual_blocks=count):
            return count
        case Convnet(layers=layers):
            return layers
        case Cnn():
            return 0
        case Mlp() | Conv() | Linear():
            return 1
        case _:
            assert_never(net)


# ---- frames
# Layers before and after the blocks of an equation on pixels.


class FrameActivation(Enum):
    """1-Lipschitz activations of the architecture. `maxmin` sorts pairs of channels, and is not a scalar function."""

    MAXMIN = "maxmin"
    RELU = "relu"


class Paper(Config):
    """Convolutions with batch normalization and ReLU, global average pooling (Ruthotto, Haber 2018, section 5)."""


class LipschitzFrame(Config, keyword="lipschitz"):
    """1-Lipschitz layers for all weights: patches of pixels become channels, channels are zero-padded, linear maps have
    norm at most 1, followed by `dense` convex potential layers (Meunier et al., ICML 2022)."""

    patch: Width = 1
    dense: Annotated[int, IntegerBounds(0, maximum=1000)] = 0
    activation: FrameActivation = FrameActivation.MAXMIN


Frame = Paper | LipschitzFrame
FRAMES: Forms[Frame] = forms_of(Frame)


# ---- normalizations
# Normalizations between an operator and an activation.


class TvNorm(Config):
    """Total-variation normalization: z/√(Σ|z|² + ε) over the channels of a pixel (Ruthotto, Haber 2018, section 4)."""

    eps: Positive = Fraction(1, 1000)


class BatchNorm(Config):
    """Batch normalization: per channel, over the batch and all pixels (Ioffe, Szegedy 2015)."""

    eps: Positive = Fraction(1, 10000)


Normalization = TvNorm | BatchNorm
NORMALIZATIONS: Forms[Normalization] = forms_of(Normalization)
