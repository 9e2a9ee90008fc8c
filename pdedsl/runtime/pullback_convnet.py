"""The convnet field and its vector-Jacobian product in one pass, for reversible execution.

With a₀ = y, each layer is x_i = relu(N_i a_i), a_{i+1} = conv(x_i) + t·clock + b, and the value is N_n a_n. Going back,
    ā_n = N_n′ᵀ g,   x̄_i = convᵀ ā_{i+1},   ā_i = N_i′ᵀ (x̄_i·[x_i > 0]),
and the weight of a convolution gets the correlation of x_i, and of t, with ā_{i+1}.

Group norms are worked out on contiguous feature maps: channels-last ones take up to ten times as long on a processor,
and a copy is cheap.
"""

from __future__ import annotations

from typing import TypeGuard

import torch
from torch import Tensor, nn

from pdedsl.runtime.convnet import ConvNet, TimeConv

ONE, NONE = [1, 1], [0, 0]


def is_written_out(layer: nn.Module) -> TypeGuard[ConvNet]:
    """A convnet with group norms and relu, all weights trainable."""
    return (
        isinstance(layer, ConvNet)
        and all(isinstance(norm, nn.GroupNorm) for norm in layer.norms)
        and layer.activation.name == "relu"
        and all(p.requires_grad for p in layer.parameters())
    )


def convnet_pullback(layer: ConvNet, t: float, y: Tensor, g: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
    """f(y), and then f′(y)ᵀg and (∂f/∂θ)ᵀg in the order of the layer's parameters."""
    norms = [_GroupNorm(norm) for norm in layer.norms]
    inner: list[Tensor] = []
    for norm, convolution in zip(norms, layer.convolutions, strict=False):
        inner.append(norm.value(y).relu_())
        y = convolution(t, inner[-1])
    value = norms[-1].value(y)
    g, *scales = norms[-1].pullback(g)
    weights: list[Tensor] = []
    for norm, convolution in zip(norms[-2::-1], reversed(layer.convolutions), strict=True):
        assert isinstance(convolution, TimeConv)
        x = inner.pop()
        g, *kernel = _convolution_pullback(convolution, t, x, g)
        g, *scale = norm.pullback(torch.ops.aten.threshold_backward(g, x, 0))
        weights, scales = kernel + weights, scale + scales
    return value, (g, *weights, *scales)


def _convolution_pullback(layer: TimeConv, t: float, x: Tensor, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """x̄, and the gradients of weight and bias; the time is one channel that all samples share."""
    shared = g.sum(0, keepdim=True)
    source, kernel = _backward(g, x, layer.weight[:, 1:], True)
    _, clock = _backward(shared, x.new_ones((1, 1, *x.shape[2:])), layer.weight[:, :1], False)
    return source, torch.cat([t * clock, kernel], 1), shared.sum((0, 2, 3))


def _backward(g: Tensor, x: Tensor, weight: Tensor, want_input: bool) -> tuple[Tensor, Tensor]:
    padding, mask = [weight.shape[-1] // 2] * 2, [want_input, True, False]
    source, kernel, _ = torch.ops.aten.convolution_backward(g, x, weight, None, ONE, padding, ONE, False, NONE, 1, mask)
    return source, kernel


class _GroupNorm:
    """N y, with what its product needs."""

    def __init__(self, norm: nn.Module):
        assert isinstance(norm, nn.GroupNorm)
        self.norm = norm

    def value(self, y: Tensor) -> Tensor:
        self.input, self.layout = y.contiguous(), _layout(y)
        self.sizes = (y.shape[0], y.shape[1], y.shape[2] * y.shape[3], self.norm.num_groups)
        weight, bias = self.norm.weight, self.norm.bias
        value, *self.moments = torch.native_group_norm(self.input, weight, bias, *self.sizes, self.norm.eps)
        return value.contiguous(memory_format=self.layout)

    def pullback(self, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        source, weight, bias = torch.ops.aten.native_group_norm_backward(
            g.contiguous(), self.input, *self.moments, self.norm.weight, *self.sizes, [True, True, True]
        )
        return source.contiguous(memory_format=self.layout), weight, bias


def _layout(y: Tensor) -> torch.memory_format:
    last = not y.is_contiguous() and y.is_contiguous(memory_format=torch.channels_last)
    return torch.channels_last if last else torch.contiguous_format
