"""Networks behind learned fields and operators."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Annotated, assert_never

from pdedsl.config.base import Config, Few, Forms, Positive, Record, Value, Whole, Width, forms_of
from pdedsl.numerics.activations import ACTIVATIONS, Activation
from pdedsl.numerics.torchvision_models import MODELS

# ---- networks


TANH, RELU = ACTIVATIONS["tanh"], ACTIVATIONS["relu"]


@dataclass(frozen=True, kw_only=True)
class Mlp(Config):
    """`depth` hidden layers of `width` units: a field on R^d."""

    width: Width = 64
    depth: Few = 4
    activation: Activation = TANH


@dataclass(frozen=True, kw_only=True)
class Resnet(Config):
    """The residual networks for small images (He et al. 2016, section 4.2); several depths are members of each."""

    depth: tuple[Annotated[int, Whole(1, (20, 32, 44, 56, 110))], ...]


@dataclass(frozen=True, kw_only=True)
class Resnet18(Config):
    """He et al. 2016, for small images."""


@dataclass(frozen=True, kw_only=True)
class PreactResnet18(Config):
    """The same with activations before convolutions (He et al. 2016b)."""


@dataclass(frozen=True, kw_only=True)
class WideResnet(Config):
    """Zagoruyko, Komodakis 2016."""

    depth: Few = 28
    width: Few = 10


@dataclass(frozen=True, kw_only=True)
class Convnet(Config):
    """Convolutions that keep the shape of a feature map."""

    layers: Few = 2
    activation: Activation = RELU


@dataclass(frozen=True, kw_only=True)
class Conv(Config):
    """A convolution, size × size."""

    size: Few = 3


@dataclass(frozen=True, kw_only=True)
class Linear(Config):
    """A matrix."""


@dataclass(frozen=True, kw_only=True)
class Torchvision(Config):
    """A model of torchvision by its name there."""

    model: str


@dataclass(frozen=True, kw_only=True)
class Torch(Config):
    """A module of your own, "package.module:Name", made with the other arguments; imported only with `--trust`."""

    open = True
    network: str
    maps: tuple[str, ...] = ()
    options: Annotated[tuple[tuple[str, Value], ...], Record()] = ()
    counted: Annotated[int | None, Record()] = field(default=None, compare=False)  # its residual maps, once imported

    @property
    def path(self) -> tuple[str, str]:
        """Its module, and its name there."""
        module, _, name = self.network.partition(":")
        return module, name

    @property
    def arguments(self) -> dict[str, Value]:
        return {key: _written(value) for key, value in {**super().arguments, **dict(self.options)}.items()}


def _written(value: Value) -> Value:
    """A text in its quotation marks, which tell it from a number."""
    if isinstance(value, tuple):
        return tuple(map(_written, value))
    return f'"{value}"' if isinstance(value, str) else value


FieldNetwork = Mlp | Resnet | Resnet18 | PreactResnet18 | WideResnet | Convnet | Torchvision | Torch
OperatorNetwork = Conv | Linear
Network = Mlp | Resnet | Resnet18 | PreactResnet18 | WideResnet | Convnet | Conv | Linear | Torchvision | Torch
NETWORKS: Forms[Network] = forms_of(Network)
OPERATORS: Forms[OperatorNetwork] = forms_of(OperatorNetwork)


def residual_maps(net: Network) -> int | None:
    """How many residual maps a network has: the number of steps it stands for. None: it must be imported first."""
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
    """Activations of the frame, 1-Lipschitz each. `maxmin` sorts pairs of channels, and so it is no function on
    numbers."""

    MAXMIN = "maxmin"
    RELU = "relu"


@dataclass(frozen=True, kw_only=True)
class Paper(Config):
    """Convolutions with batch norm and relu, and means over pixels (Ruthotto, Haber 2018, section 5)."""


@dataclass(frozen=True, kw_only=True)
class Lipschitz(Config):
    """Every piece 1-Lipschitz for every weight: patches of pixels become channels, zeros pad the channels, linear maps
    have a norm of at most 1; `dense` convex potential layers stand at the end (Meunier et al., ICML 2022)."""

    patch: Width = 1
    dense: Annotated[int, Whole(0, most=1000)] = 0
    activation: Between = Between.MAXMIN


Frame = Paper | Lipschitz
FRAMES: Forms[Frame] = forms_of(Frame)


# ---- normalisations
# Normalisations between an operator and an activation.


@dataclass(frozen=True, kw_only=True)
class TvNorm(Config):
    """z/√(Σ|z|² + ε), over the channels of a pixel (Ruthotto, Haber 2018, section 4)."""

    eps: Positive = Fraction(1, 1000)


@dataclass(frozen=True, kw_only=True)
class BatchNorm(Config):
    """Over a batch and its pixels, each channel by itself (Ioffe, Szegedy 2015)."""

    eps: Positive = Fraction(1, 10000)


Normalisation = TvNorm | BatchNorm
NORMALISATIONS: Forms[Normalisation] = forms_of(Normalisation)
