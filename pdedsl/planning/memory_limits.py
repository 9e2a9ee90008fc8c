"""Memory limits: a plan with too many weights or too large tables is an error before anything is allocated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from pdedsl import errors
from pdedsl.config.methods import Pinn, RandomFeatures
from pdedsl.config.networks import (
    Cnn,
    Conv,
    Convnet,
    Frame,
    Linear,
    LipschitzFrame,
    Mlp,
    Network,
    Paper,
    PreactResnet18,
    Resnet,
    Resnet18,
    Torch,
    Torchvision,
    WideResnet,
)
from pdedsl.ir.plan import DataPlan, ImagePlan, Model, SolvePlan
from pdedsl.ir.solver_plans import PinnPlan, RandomFeaturesPlan
from pdedsl.ir.spec import Spec

MAX_WEIGHTS = 1_000_000_000  # 4 GB in single precision
MAX_TABLE_ENTRIES = 1_000_000_000  # of the largest table of a method: 8 GB in double precision
DEFAULT_MAX_FEATURES = 2000  # largest number of random features tried by default
ROWS_PER_WEIGHT = 3  # of the Gauss-Newton system, at most


def require_memory(model: Model, spec: Spec) -> None:
    match model:
        case SolvePlan(method=method):
            entries, chosen = _largest_table(model), spec.realize.equation
            if entries > MAX_TABLE_ENTRIES:
                span = chosen.span if chosen is not None else spec.space.span
                raise errors.networks.too_much_storage(method.name, entries, MAX_TABLE_ENTRIES, span)
        case DataPlan():
            _require_max_weights(
                model.members * sum(_learned_weights(spec, model.dimension, _channels(model), model.classes)), spec
            )
        case ImagePlan():
            widest = max((*model.stages, model.head or 1))
            ends = widest * model.classes + widest**2 * _dense_layers(model.frame)
            _require_max_weights(
                ends + model.steps * sum(sum(_learned_weights(spec, c, c, None)) for c in model.stages), spec
            )
        case _:
            assert_never(model)


def _require_max_weights(weights: int, spec: Spec) -> None:
    if weights > MAX_WEIGHTS:
        places = [one.net.span for one in spec.learned if one.net is not None]
        raise errors.networks.too_many_weights(weights, MAX_WEIGHTS, places[0] if places else spec.space.span)


def _dense_layers(frame: Frame) -> int:
    """The number of weight matrices between the equation and the logits."""
    match frame:
        case Paper():
            return 1
        case LipschitzFrame(dense=dense):
            return dense + 1
        case _:
            assert_never(frame)


def _channels(plan: DataPlan) -> int:
    return plan.image[0] if plan.image else plan.dimension


def _learned_weights(spec: Spec, dimension: int, channels: int, classes: int | None) -> Iterable[int]:
    """The number of weights of each learned field."""
    for one in spec.learned:
        if one.net is not None:
            yield count_weights(one.net.config, dimension, channels, classes or dimension)


def count_weights(net: Network, dimension: int, channels: int, out: int) -> int:
    """The approximate number of weights, without biases."""
    match net:
        case Mlp(width=width, depth=depth):
            return (dimension + 1 + out) * width + (depth - 1) * width**2
        case WideResnet(depth=depth, width=width):
            return depth // 3 * 9 * (16**2 + 32**2 + 64**2) * width**2
        case Convnet(layers=layers):
            return layers * 9 * channels**2
        case Conv(size=size):
            return (size * channels) ** 2
        case Linear():
            return dimension * out
        case Cnn(widths=widths):
            pairs = zip((channels, *widths), widths, strict=False)
            return sum(25 * inputs * outputs for inputs, outputs in pairs) + dimension // channels * widths[-1] * out
        case Resnet() | Resnet18() | PreactResnet18() | Torchvision():
            return 0  # known to fit into memory
        case Torch():
            return 0  # unknown before it is imported
        case _:
            assert_never(net)


def _largest_table(plan: SolvePlan) -> int:
    """The number of entries of the largest table of a method."""
    domain, components = plan.problem.domain, len(plan.problem.components)
    size, places = len(domain.coordinates), max(len(plan.problem.conditions), 1)
    match plan.solver:
        case RandomFeaturesPlan(method=RandomFeatures(n=n, points=points)):
            columns = (n or DEFAULT_MAX_FEATURES) * components
            return columns * max((points or 0) * len(plan.problem.equations), 2 * columns)
        case PinnPlan(
            network=net, method=Pinn(points=points, initial=initial, boundary=boundary), optimizers=optimizers
        ):
            weights = count_weights(net, size, 0, components)
            rows = min(points, ROWS_PER_WEIGHT * weights) + places * max(initial, boundary)
            streams = (2 * size + 2) * net.width * (net.depth if optimizers else 1)
            return max(points * streams, rows * weights, weights**2)
        case _:
            return 0  # grids and meshes have their own limits, Monte Carlo works in batches
