"""A layer at a point: its value and its vector-Jacobian product, for reversible execution."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor


class Linearised(NamedTuple):
    """f(y), and the map of a cotangent g to f′(y)ᵀg and (∂f/∂θ)ᵀg in the order of the layer's parameters, for one use.

    The value is available first, so that it can be used and freed before the backward pass needs memory.
    """

    value: Tensor
    pullback: Callable[[Tensor], tuple[Tensor | None, ...]]


def convolution_backward(
    g: Tensor, x: Tensor, kernel: Tensor, source: bool = True, bias: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the input (if `source`), the kernel and the bias (if `bias`) of a convolution of stride one."""
    ones, padding, channels = [1, 1], [kernel.shape[-1] // 2] * 2, [kernel.shape[0]]
    out: tuple[Tensor, Tensor, Tensor] = torch.ops.aten.convolution_backward(
        g, x, kernel, channels, ones, padding, ones, False, [0, 0], 1, [source, True, bias]
    )
    return out
