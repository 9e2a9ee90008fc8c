"""What a spec says about methods, with defaults for what it leaves out."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from pdedsl import mistakes
from pdedsl.ir.spec import Spec
from pdedsl.numerics.integrators import EULER
from pdedsl.words.diffusions import (
    Diffusion,
    Dropout,
    Noise,
    Residual,
    Retraining,
    Sampling,
    ShakeShake,
    StochasticDepth,
)
from pdedsl.words.integrators import ONE_STEP, Adaptive, Fixed, Integrator, Reversible, in_steps
from pdedsl.words.networks import (
    Conv,
    Convnet,
    Linear,
    Mlp,
    Network,
    PreactResnet18,
    Resnet,
    Resnet18,
    Torchvision,
    WideResnet,
)
from pdedsl.words.word import Chosen

DEFAULT_STEPS = 10  # along a field on R^d, when the spec names none
TORCHVISION = {"resnet18": 8, "resnet34": 16, "resnet50": 16, "resnet101": 33, "resnet152": 50}


def scheme_of(spec: Spec) -> Chosen[Integrator]:
    """How characteristics are followed."""
    method = spec.realize.time or spec.realize.convection or Chosen(Fixed(method=EULER))
    if isinstance(method.word, Reversible):
        raise mistakes.networks.no_characteristics(method.word.name, ONE_STEP, method.span)
    return replace(method, word=in_steps(method.word, DEFAULT_STEPS))


def steps_of(method: Integrator) -> int:
    """How many steps along a field on R^d; adaptive methods choose their own between the ends."""
    return 1 if isinstance(method, Adaptive) else method.steps or DEFAULT_STEPS


def members_of(method: Diffusion | None) -> tuple[int, int]:
    """Networks with weights of their own, and draws of each."""
    match method:
        case Noise() | Dropout() | StochasticDepth() | ShakeShake():
            return method.members, method.samples
        case Sampling(samples=samples):
            return 1, samples
        case Residual() | Retraining() | None:
            return 1, 1
        case _:
            assert_never(method)


def residual_maps(net: Network) -> int:
    """How many residual maps a network has: the number of steps it stands for."""
    match net:
        case Resnet(depth=depth):
            return (depth[0] - 2) // 2
        case WideResnet(depth=layers):
            return (layers - 4) // 2
        case Resnet18() | PreactResnet18():
            return 8
        case Torchvision(model=model):
            return TORCHVISION.get(model, 1)
        case Convnet(layers=layers):
            return layers
        case Mlp() | Conv() | Linear():
            return 1
        case _:
            assert_never(net)


def depths(net: Network) -> tuple[Network, ...]:
    """A network with a list of depths as one network for each: an ensemble of different depths."""
    return tuple(replace(net, depth=(d,)) for d in net.depth) if isinstance(net, Resnet) else (net,)
