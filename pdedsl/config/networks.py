"""Networks of learned fields and operators, architectures around an equation, normalizations."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from fractions import Fraction
from typing import Annotated, assert_never

from pdedsl.config.base import Config, Few, Forms, Positive, Record, Value, Whole, Width, forms_of
from pdedsl.frozen_dataclass import dataclass
from pdedsl.numerics.activations import ACTIVATIONS, Activation
from pdedsl.numerics.torchvision_models import MODELS

# ---- networks


TANH, RELU = ACTIVATIONS["tanh"], ACTIVATIONS["relu"]


@dataclass(frozen=True, kw_only=True)
class Mlp(Config):
    """Multilayer perceptron with `depth` hidden layers of `width` units: a field on R^d."""

    width: Width = 64
    depth: Few = 4
    activation: Activation = TANH


@dataclass(frozen=True, kw_only=True)
class Resnet(Config):
    """Residual networks for small images (He et al. 2016, section 4.2); a list of depths makes an ensemble."""

    depth: tuple[Annotated[int, Whole(1, (20, 32, 44, 56, 110))], ...]


@dataclass(frozen=True, kw_only=True)
class Resnet18(Config):
    """ResNet-18 for small images (He et al. 2016)."""


@dataclass(frozen=True, kw_only=True)
class PreactResnet18(Config):
    """Pre-activation ResNet-18 (He et al. 2016b)."""


@dataclass(frozen=True, kw_only=True)
class WideResnet(Config):
    """Wide residual network (Zagoruyko, Komodakis 2016)."""

    depth: Few = 28
    width: Few = 10


@dataclass(frozen=True, kw_only=True)
class Convnet(Config):
    """Convolutional network with the same input and output shape."""

    layers: Few = 2
    activation: Activation = RELU


@dataclass(frozen=True, kw_only=True)
class Conv(Config):
    """Convolution with a size × size kernel."""

    size: Few = 3


@dataclass(frozen=True, kw_only=True)
class Linear(Config):
    """A matrix."""


@dataclass(frozen=True, kw_only=True)
class Torchvision(Config):
    """A torchvision model by name."""

    model: str


@dataclass(frozen=True, kw_only=True)
class Torch(Config):
    """Your own module, "package.module:Name", called with the other arguments; imported only with `--trust`."""

    open = True
    network: str
    maps: tuple[str, ...] = ()
    options: Annotated[tuple[tuple[str, Value], ...], Record()] = ()
    counted: Annotated[int | None, Record()] = field(default=None, compare=False)  # its residual maps, once imported

    @property
    def path(self) -> tuple[str, str]:
        """Module path and attribute name."""
        module, _, name = self.network.partition(":")
        return module, name

    @property
    def arguments(self) -> dict[str, Value]:
        return {key: _written(value) for key, value in {**super().arguments, **dict(self.options)}.items()}


def _written(value: Value) -> Value:
    """A quoted string."""
    if isinstance(value, tuple):
        return tuple(map(_written, value))
    return f'"{value}"' if isinstance(value, str) else value


FieldNetwork = Mlp | Resnet | Resnet18 | PreactResnet18 | WideResnet | Convnet | Torchvision | Torch
OperatorNetwork = Conv | Linear
Network = Mlp | Resnet | Resnet18 | PreactResnet18 | WideResnet | Convnet | Conv | Linear | Torchvision | Torch
NETWORKS: Forms[Network] = forms_of(Network)
OPERATORS: Forms[OperatorNetwork] = forms_of(OperatorNetwork)


def residual_maps(net: Network) -> int | None:
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
        case Torch(counted=counted):
            return counted
        case Convnet(layers=layers):
            return layers
        case Mlp() | Conv() | Linear():
            return 1
        case _:
            assert_never(net)


# ---- frames
# What stands around an equation on pixels.


class Between(Enum):
    """1-Lipschitz activations of the architecture. `maxmin` sorts pairs of channels, and is not a scalar function."""

    MAXMIN = "maxmin"
    RELU = "relu"


@dataclass(frozen=True, kw_only=True)
class Paper(Config):
    """Convolutions with batch normalization and ReLU, global average pooling (Ruthotto, Haber 2018, section 5)."""


@dataclass(frozen=True, kw_only=True)
class Lipschitz(Config):
    """1-Lipschitz layers for all weights: patches of pixels become channels, channels are zero-padded, linear maps have
    norm at most 1, followed by `dense` convex potential layers (Meunier et al., ICML 2022)."""

    patch: Width = 1
    dense: Annotated[int, Whole(0, most=1000)] = 0
    activation: Between = Between.MAXMIN


Frame = Paper | Lipschitz
FRAMES: Forms[Frame] = forms_of(Frame)


# ---- normalisations
# Normalisations between an operator and an activation.


@dataclass(frozen=True, kw_only=True)
class TvNorm(Config):
    """Total-variation normalization: z/√(Σ|z|² + ε) over the channels of a pixel (Ruthotto, Haber 2018, section 4)."""

    eps: Positive = Fraction(1, 1000)


@dataclass(frozen=True, kw_only=True)
class BatchNorm(Config):
    """Batch normalization: per channel, over the batch and all pixels (Ioffe, Szegedy 2015)."""

    eps: Positive = Fraction(1, 10000)


Normalisation = TvNorm | BatchNorm
NORMALISATIONS: Forms[Normalisation] = forms_of(Normalisation)
