"""The convnet field and its vector-Jacobian product written out, for reversible execution.

With a₀ = y, each layer is x_i = relu(N_i a_i), a_{i+1} = W_i x_i + s_i with s_i = t·V_i 1 + b_i, and the value is
N_n a_n. Going back,
    ā_n = N_n′ᵀ g,   x̄_i = W_iᵀ ā_{i+1},   ā_i = N_i′ᵀ (x̄_i·[x_i > 0]),
and the kernel of W_i gets the correlation of x_i with ā_{i+1}. The shifts s_i are the same for all samples, whatever y
is, so those of all layers are one convolution of one sample, and their gradients another.

Group norms are computed on contiguous feature maps: channels-last ones take up to ten times as long on a CPU, and a
copy is cheap.
"""

from __future__ import annotations

from typing import TypeGuard

import torch
from torch import Tensor, nn

from pdedsl.numerics.activations import RELU
from pdedsl.runtime.convnet import ConvNet, TimeConv
from pdedsl.runtime.linearised import Linearised, convolution_backward


def has_pullback(layer: nn.Module) -> TypeGuard[ConvNet]:
    """Whether it has the form written out below: a convnet with time, group norms and relu, all weights trainable."""
    return (
        isinstance(layer, ConvNet)
        and all(isinstance(convolution, TimeConv) for convolution in layer.convolutions)
        and all(isinstance(norm, nn.GroupNorm) for norm in layer.norms)
        and layer.activation.record is RELU
        and all(p.requires_grad for p in layer.parameters())
    )


def linearised(layer: ConvNet, t: float, y: Tensor) -> Linearised:
    """f(y) and its pullback, which pops what it needs: freed memory is reused while it is still in the cache."""
    norms, shifts = [_GroupNorm(norm) for norm in layer.norms], _Shifts(layer, t, y)
    kernels = [weight[:, 1:].contiguous(memory_format=_layout(weight)) for weight in shifts.weights]
    value, inner = _evaluate(norms, kernels, shifts.values(), y)

    def pullback(g: Tensor) -> tuple[Tensor, ...]:
        g, *scales = norms.pop().pullback(g)
        weights: list[Tensor] = []
        sums: list[Tensor] = []
        for kernel in reversed(kernels):
            sums.insert(0, g.sum(0, keepdim=True))
            g, weight, _ = convolution_backward(g, inner[-1], kernel)
            g = torch.ops.aten.threshold_backward.grad_input(g, inner.pop(), 0, grad_input=g)
            g, *scale = norms.pop().pullback(g)
            weights.insert(0, weight)
            scales = scale + scales
        return g, *shifts.pullback(sums, weights), *scales

    return Linearised(value, pullback)


def _evaluate(
    norms: list[_GroupNorm], kernels: list[Tensor], shifts: tuple[Tensor, ...], y: Tensor
) -> tuple[Tensor, list[Tensor]]:
    """The value, and x_0 … x_{n−1}."""
    inner = []
    for norm, kernel, shift in zip(norms, kernels, shifts, strict=False):
        inner.append(norm.value(y).relu_())
        y = torch.conv2d(inner[-1], kernel, padding=kernel.shape[-1] // 2).add_(shift)
    return norms[-1].value(y), inner


class _Shifts:
    """t·V_i 1 + b_i of all layers, (1, channels, height, width) each."""

    def __init__(self, layer: ConvNet, t: float, y: Tensor):
        convolutions = [convolution for convolution in layer.convolutions if isinstance(convolution, TimeConv)]
        self.weights = [convolution.weight for convolution in convolutions]
        self.clocks = t * torch.cat([weight[:, :1] for weight in self.weights])
        self.biases = torch.cat([convolution.bias for convolution in convolutions])
        self.t, self.ones = t, y.new_ones((1, 1, *y.shape[2:]))

    def values(self) -> tuple[Tensor, ...]:
        maps = torch.conv2d(self.ones, self.clocks, self.biases, padding=self.clocks.shape[-1] // 2)
        return maps.chunk(len(self.weights), 1)

    def pullback(self, sums: list[Tensor], kernels: list[Tensor]) -> list[Tensor]:
        """The gradients of weights and biases, from those of the kernels and the sums of ā_{i+1} over the samples."""
        _, clocks, biases = convolution_backward(torch.cat(sums, 1), self.ones, self.clocks, source=False, bias=True)
        n, clocks = len(sums), clocks.mul_(self.t)
        weights = (torch.cat(pair, 1) for pair in zip(clocks.chunk(n), kernels, strict=True))
        return [gradient for pair in zip(weights, biases.chunk(n), strict=True) for gradient in pair]


class _GroupNorm:
    """N y, with what its vector-Jacobian product needs."""

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
