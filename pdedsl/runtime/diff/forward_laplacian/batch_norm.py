"""Batch normalization of a batch with derivatives: the statistics are those of the values, held fixed in derivatives.

As with finite differences within one batch: the differentiated function is the network with the statistics of
this step. The statistics vary only in the gradient with respect to the weights.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional


def batch_norm_jet(
    tangent: Tensor,
    x: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[Tensor, Tensor]:
    """(γ(x - μ)/√(σ² + ε) + β, γ/√(σ² + ε)·tangent)."""
    if training:
        value, moved = _TrainingBatchNorm.apply(x, tangent, weight, bias, running_mean, running_var, momentum, eps)
        return value, moved
    assert running_var is not None
    scale = (running_var + eps).rsqrt() if weight is None else (running_var + eps).rsqrt() * weight
    value = functional.batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
    return value, tangent * _column(scale, tangent)


class _TrainingBatchNorm(torch.autograd.Function):
    """One pass for the statistics: `x.var` is many times slower on a channels_last tensor."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        tangent: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        running_mean: Tensor | None,
        running_var: Tensor | None,
        momentum: float,
        eps: float,
    ) -> tuple[Tensor, Tensor]:
        value, mean, inverse = torch.native_batch_norm(x, weight, bias, running_mean, running_var, True, momentum, eps)
        ctx.save_for_backward(x, tangent, weight, mean, inverse)
        ctx.eps = eps
        return value, tangent * _column(inverse if weight is None else inverse * weight, tangent)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_value: Tensor, of_moved: Tensor) -> tuple[Tensor | None, ...]:
        """σ also scales the tangent: ∂/∂x of 1/√(σ² + ε) is -(x - μ)/(N(σ² + ε)^{3/2})."""
        x, tangent, weight, mean, inverse = ctx.saved_tensors
        of_x, of_weight, of_bias = torch.ops.aten.native_batch_norm_backward(
            of_value,
            x,
            weight,
            None,
            None,
            mean,
            inverse,
            True,
            ctx.eps,
            [True, weight is not None, weight is not None],
        )
        axes = [axis for axis in range(x.dim()) if axis != 1]
        of_scale = (of_moved * tangent).sum(axes)
        gamma = inverse if weight is None else inverse * weight
        coefficient = -of_scale * gamma * inverse.square() * (x.shape[1] / x.numel())
        of_x.addcmul_(x, _column(coefficient, x)).sub_(_column(coefficient * mean, x))
        of_tangent = of_moved * _column(gamma, tangent)
        if weight is None:
            return of_x, of_tangent, None, None, None, None, None, None
        return of_x, of_tangent, of_weight + of_scale * inverse, of_bias, None, None, None, None


def _column(channels: Tensor, x: Tensor) -> Tensor:
    return channels.to(x.dtype).reshape(-1, *[1] * (x.dim() - 2))
