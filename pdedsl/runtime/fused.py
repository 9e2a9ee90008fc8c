"""The two halves of a layer of streams, each with its derivative written out: an affine map, and an activation.

    left  = entered Wᵀ, plus b on the stream of values
    value = σ(z),   first = σ′(z) zᵢ,   operator = σ′(z) Lz + σ″(z) q,   q = Σ aₚ zᵢ zⱼ

They are memory-bound: automatic differentiation would keep and read several times as many intermediate results. They
are differentiable once, which is all that training on residuals needs; a second derivative raises an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pdedsl.runtime.jet_terms import Slopes

Pairs = Sequence[tuple[Tensor, list[int], list[int]]]
"""Of each operator: the coefficients (n, parts) of its second derivatives, and the streams of their two directions."""


def affine(entered: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(s, n, inputs) → (s, n, outputs); the bias belongs to the stream of values alone."""
    return cast(Tensor, _Affine.apply(entered, weight, bias))


def bent(z: Tensor, slopes: Slopes, operators: Pairs) -> Tensor:
    """Streams of the value, of first derivatives and, last, of operators, behind an activation."""
    return cast(Tensor, _Bent.apply(z, slopes, operators))


class _Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, entered: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(entered, weight)
        left = entered @ weight.T
        left[0] += bias
        return left

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        entered, weight = ctx.saved_tensors
        by_input, by_weight, by_bias = ctx.needs_input_grad
        return (
            grad @ weight if by_input else None,
            grad.flatten(0, 1).T @ entered.flatten(0, 1) if by_weight else None,
            grad[0].sum(0) if by_bias else None,
        )


class _Bent(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, slopes: Slopes, operators: Pairs) -> Tensor:
        needed = 2 if operators else 1
        value, *derived = (s.detach() for s in slopes(z[0].detach(), needed + ctx.needs_input_grad[0]))
        out = torch.empty_like(z)
        out[0] = value
        torch.mul(z[1:], derived[0], out=out[1:])
        ctx.operators, squares = _numbered(z, operators), []
        for stream, pair in ctx.operators:
            squares.append(_squares(z, pair))
            out[stream].addcmul_(derived[1], squares[-1])
        ctx.save_for_backward(z, *squares, *derived)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        z, *saved = ctx.saved_tensors
        squares, derived = saved[: len(ctx.operators)], saved[len(ctx.operators) :]
        found = grad * derived[0]
        if len(z) > 1:
            along = grad[1] * z[1]
            for g, y in zip(grad[2:], z[2:], strict=True):
                along.addcmul_(g, y)
            found[0].addcmul_(derived[1], along)
        for (stream, pair), square in zip(ctx.operators, squares, strict=True):
            found[0].addcmul_(grad[stream] * derived[2], square)
            bend = grad[stream] * derived[1]
            for factor, one, other in zip(pair[0].unbind(-1), pair[1], pair[2], strict=True):
                weighed = bend * factor.unsqueeze(-1)
                found[one].addcmul_(weighed, z[other])
                found[other].addcmul_(weighed, z[one])
        return found, None, None


def _numbered(z: Tensor, operators: Pairs) -> list[tuple[int, tuple[Tensor, list[int], list[int]]]]:
    """The operators with second derivatives, with the numbers of their streams."""
    return [(len(z) - len(operators) + k, pair) for k, pair in enumerate(operators) if pair[1]]


def _squares(z: Tensor, pair: tuple[Tensor, list[int], list[int]]) -> Tensor:
    """Σ aₚ zᵢ zⱼ."""
    factors, ones, others = pair
    found = torch.zeros_like(z[0])
    for a, i, j in zip(factors.unbind(-1), ones, others, strict=True):
        found.addcmul_(a.unsqueeze(-1) * z[i], z[j])
    return found
