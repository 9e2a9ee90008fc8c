"""x + a·std(x)·ξ, the layer noise of Wang, Yuan, Shi, Osher 2020, section 3.1, and its derivative, with few passes over
memory."""

from __future__ import annotations

import math
from typing import Any, assert_never

import torch
from torch import Tensor

from pdedsl.words.integrators import Across


def shaken(x: Tensor, noise: Tensor, scale: float, across: Across) -> Tensor:
    """x + a·std(x)·ξ by plain operations: differentiable to any order; `ShakenInTraining` must agree with it."""
    return x + (scale * std(x, across)) * noise


def std(x: Tensor, across: Across) -> Tensor:
    """Unbiased, in a shape that broadcasts. In two passes: `torch.std` over three axes is ten times slower."""
    return _spread(x - x.mean(_axes(x, across), keepdim=True), across)


def _axes(x: Tensor, across: Across) -> tuple[int, ...]:
    return tuple(range(_first(across), x.dim()))


def _first(across: Across) -> int:
    """The first of the axes over which the standard deviation is taken."""
    match across:
        case Across.SAMPLE:
            return 1
        case Across.BATCH:
            return 0
        case _:
            assert_never(across)


def _freedom(x: Tensor, across: Across) -> int:
    freedom = x.shape[_first(across) :].numel() - 1
    if freedom < 1:
        raise ValueError("relative noise needs at least two numbers to take a standard deviation of")
    return freedom


def _spread(centred: Tensor, across: Across) -> Tensor:
    norm: Tensor = torch.linalg.vector_norm(centred, dim=_axes(centred, across), keepdim=True)
    return norm / math.sqrt(_freedom(centred, across))


class ShakenInTraining(torch.autograd.Function):
    """y = x + a·s·ξ, s = std(x); ∂s/∂x = (x − mean)/((n − 1)·s), so x̄ = ȳ + a·(ȳ·ξ)/((n − 1)·s)·(x − mean).

    Ten passes over the state fewer than autograd of `shaken`, which is used for a second derivative.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, noise: Tensor, scale: float, across: Across) -> tuple[Tensor, Tensor, Tensor]:
        mean = x.mean(_axes(x, across), keepdim=True)
        deviation = _spread(x - mean, across)
        return torch.addcmul(x, noise, scale * deviation), mean, deviation

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
        x, noise, ctx.scale, ctx.across = inputs
        ctx.save_for_backward(x, noise, *output[1:])
        ctx.save_for_forward(x, noise, *output[1:])
        ctx.mark_non_differentiable(*output[1:])

    @staticmethod
    def backward(ctx: Any, grad: Tensor, *_: Tensor) -> tuple[Tensor, None, None, None]:
        x, noise, mean, deviation = ctx.saved_tensors
        if torch.is_grad_enabled():  # a second derivative is wanted: mean and deviation must not be constants
            mean, deviation = x.mean(_axes(x, ctx.across), keepdim=True), std(x, ctx.across)
        slope = _ratio(ctx.scale * _dot(grad, noise, ctx.across), _freedom(x, ctx.across) * deviation)
        return torch.addcmul(grad, x, slope).sub_(slope * mean), None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: None) -> tuple[Tensor, None, None]:
        x, noise, mean, deviation = ctx.saved_tensors
        slope = _ratio(ctx.scale * _dot(tangent, x - mean, ctx.across), _freedom(x, ctx.across) * deviation)
        return tangent + slope * noise, None, None


def _dot(a: Tensor, b: Tensor, across: Across) -> Tensor:
    return (a * b).sum(_axes(a, across), keepdim=True)


def _ratio(numerator: Tensor, denominator: Tensor) -> Tensor:
    """0 for a constant sample, as the subgradient of a norm at 0."""
    return torch.where(denominator > 0, numerator / denominator, 0.0)
