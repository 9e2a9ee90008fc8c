"""Reference right-hand sides of equations on feature maps, with the weights of a block.

The layers are implemented from their mathematical definitions: Kᵀ as the derivative of K, time as a channel, norms as
sums. Only the weights are shared with the block, in the order of its parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd
from typing import assert_never

import torch
from sympy import Symbol
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.config.methods import Adaptive
from pdedsl.config.networks import BatchNorm, Convnet, Normalization, TvNorm
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.canonical import names_of, unknowns_in_order
from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.numerics.activations import Activation
from pdedsl.testing.coefficients import NUMPY_ALGEBRA

Layer = Callable[[float, Tensor], Tensor]
StepRightHandSide = Callable[[int, float, Tensor], Tensor]
"""The right-hand side on step j, at a time and a state."""


def apply_activation(activation: Activation, x: Tensor) -> Tensor:
    """σ(x) by its formula, in numpy."""
    return torch.from_numpy(activation.formula(NUMPY_ALGEBRA, x.cpu().numpy())).to(x)


@dataclass(frozen=True)
class BlockWeights:
    """The weights of a block and its running statistics, consumed in order."""

    weights: Iterator[Tensor]
    statistics: Iterator[Tensor]

    @classmethod
    def of(cls, block: nn.Module) -> BlockWeights:
        statistics = [b for name, b in block.named_buffers() if name.endswith(("running_mean", "running_var"))]
        return cls(iter([p.detach() for p in block.parameters()]), iter(statistics))

    def take(self, count: int) -> list[Tensor]:
        return [next(self.weights) for _ in range(count)]


class WeightMismatch(Exception):
    """A block whose weights do not match the terms of its equations."""


def right_hand_sides(analysis: Analysis, plan: ImagePlan, block: nn.Module) -> list[StepRightHandSide]:
    """The right-hand side of each equation, from its typed terms, with its layers for every step."""
    spec, numbers = analysis.spec, BlockWeights.of(block)
    facts = {facts.equation.unknown: facts for facts in analysis.equations}
    try:
        rights = [_right_hand_side(_terms(facts[head], spec), plan, spec, numbers) for head in unknowns_in_order(spec)]
    except StopIteration:
        raise WeightMismatch("the terms of the equations have more weights than the block") from None
    if next(numbers.weights, None) is not None:
        raise WeightMismatch("the block has more weights than the terms of the equations")
    return rights


def _terms(facts: EquationFacts, spec: Spec) -> list[MapTerm]:
    """Terms in the order in which a block lists its weights, which does not depend on the names of learned fields."""
    names = names_of(spec)

    def place(term: MapTerm) -> str:
        match term:
            case SymmetricLayer(operator=head) | LearnedField(field=head):
                return names[head]
            case Reaction() | Nonlinear():
                return ""
            case _:
                assert_never(term)

    return sorted((t for t in facts.terms if isinstance(t, MapTerm)), key=place)


def _right_hand_side(terms: list[MapTerm], plan: ImagePlan, spec: Spec, numbers: BlockWeights) -> StepRightHandSide:
    layers = [_layers(term, plan, spec, numbers) for term in terms]

    def right(j: int, t: float, y: Tensor) -> Tensor:
        return sum((own[j if len(own) > 1 else 0](t, y) for own in layers), torch.zeros_like(y))

    return right


def _layers(term: MapTerm, plan: ImagePlan, spec: Spec, numbers: BlockWeights) -> list[Layer]:
    """A layer for each step if weights depend on time, otherwise one for all steps."""
    match term:
        case Reaction(rate=rate):
            return [lambda t, y: float(rate) * y]
        case SymmetricLayer(operator=head):
            return [symmetric_layer(term, numbers) for _ in range(_count(head, plan, spec))]
        case LearnedField(field=head, factor=factor):
            learned = _find_learned(head, spec)
            assert learned.net is not None
            net = learned.net.config
            assert isinstance(net, Convnet)
            count = _count(head, plan, spec)
            return [convnet(float(factor), net, _depends_on_time(learned, spec), numbers) for _ in range(count)]
        case Nonlinear():
            raise AssertionError("terms without a layer are compile-time errors")
        case _:
            assert_never(term)


def _count(head: Symbol, plan: ImagePlan, spec: Spec) -> int:
    new = _depends_on_time(_find_learned(head, spec), spec) and not isinstance(plan.method, Adaptive)
    return plan.steps if new else 1


def _find_learned(head: Symbol, spec: Spec) -> Learned:
    return next(w for w in spec.learned if w.head == head)


def _depends_on_time(learned: Learned, spec: Spec) -> bool:
    return spec.time is not None and spec.time.symbol in learned.arguments


def symmetric_layer(layer: SymmetricLayer, numbers: BlockWeights) -> Layer:
    """c Kᵀσ(N(K Y)), K a cross-correlation with zeros around the image, Kᵀ its adjoint."""
    (kernel,) = numbers.take(1)
    normed = _norm(layer.norm, numbers)

    def operator(y: Tensor) -> Tensor:
        return functional.conv2d(y, kernel, padding=kernel.shape[-1] // 2)

    def value(t: float, y: Tensor) -> Tensor:
        inner = apply_activation(layer.activation, normed(operator(y)))
        with torch.enable_grad():
            point = torch.zeros_like(y).requires_grad_()
            (adjoint,) = torch.autograd.grad((operator(point) * inner).sum(), point)
        return float(layer.factor) * adjoint

    return value


def _norm(norm: Normalization | None, numbers: BlockWeights) -> Callable[[Tensor], Tensor]:
    match norm:
        case TvNorm(eps=eps):
            scale, bias = (p.reshape(-1, 1, 1) for p in numbers.take(2))
            return lambda y: scale * y / torch.sqrt((y * y).sum(1, keepdim=True) + float(eps)) + bias
        case BatchNorm(eps=eps):
            scale, bias = (p.reshape(-1, 1, 1) for p in numbers.take(2))
            mean, variance = (next(numbers.statistics).reshape(-1, 1, 1) for _ in range(2))
            return lambda y: scale * (y - mean) / torch.sqrt(variance + float(eps)) + bias
        case None:
            return lambda y: y
        case _:
            assert_never(norm)


def convnet(factor: float, net: Convnet, timed: bool, numbers: BlockWeights) -> Layer:
    """c f(Y, t): norm, σ, convolution of (t, Y), …, norm, each norm over groups of channels."""
    depth = net.layers
    taken = numbers.take(2 * depth + 2 * (depth + 1))
    convolutions = list(zip(taken[0 : 2 * depth : 2], taken[1 : 2 * depth : 2], strict=True))
    norms = list(zip(taken[2 * depth :: 2], taken[2 * depth + 1 :: 2], strict=True))

    def value(t: float, y: Tensor) -> Tensor:
        for (kernel, bias), norm in zip(convolutions, norms[:-1], strict=True):
            y = apply_activation(net.activation, _group_norm(y, *norm))
            y = torch.cat([torch.full_like(y[:, :1], t), y], 1) if timed else y
            y = functional.conv2d(y, kernel, bias, padding=kernel.shape[-1] // 2)
        return factor * _group_norm(y, *norms[-1])

    return value


def _group_norm(y: Tensor, scale: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 over each group of channels and all pixels, then scale and bias for each channel."""
    groups = y.reshape(y.shape[0], gcd(32, y.shape[1]), -1)
    centred = groups - groups.mean(-1, keepdim=True)
    normed = (centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + eps)).reshape(y.shape)
    return normed * scale.reshape(-1, 1, 1) + bias.reshape(-1, 1, 1)
