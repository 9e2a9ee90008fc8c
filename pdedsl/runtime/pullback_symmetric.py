"""The symmetric layer and its vector-Jacobian product written out, for reversible execution.

Plain autograd would be correct too; written out, K Y and the normalised activation serve both the value and the
product, elementwise operations are in place, and no graph is built.
"""

from __future__ import annotations

from typing import TypeGuard

import torch
from torch import Tensor, nn

from pdedsl.numerics.activations import RELU
from pdedsl.runtime.constraints import NormBound
from pdedsl.runtime.linearised import Linearised, convolution_backward
from pdedsl.runtime.operators import Conv
from pdedsl.runtime.parabolic import SymmetricLayer, TotalVariationNorm


def has_pullback(layer: nn.Module) -> TypeGuard[SymmetricLayer]:
    """Whether it has the form written out below: convolution, total-variation norm and relu, all weights trainable."""
    return (
        isinstance(layer, SymmetricLayer)
        and isinstance(layer.operator, Conv)
        and not isinstance(layer.operator.constraint, NormBound)
        and isinstance(layer.norm, TotalVariationNorm)
        and layer.activation.record is RELU
        and all(p.requires_grad for p in layer.parameters())
    )


def linearised(layer: SymmetricLayer, t: float, y: Tensor) -> Linearised:
    """F = ±Kᵀ a, a = relu(s n + b), n = z r, r = (Σ_c z_c² + ε)^(−1/2), z = K y, and for the cotangent g of F

    ā = ±K g,  p̄ = ā·[a > 0],  b̄ = Σ p̄,  s̄ = Σ n p̄,  z̄ = r (s p̄ − n Σ_c n_c s_c p̄_c),  ȳ = Kᵀ z̄,
    W̄ = ±(correlation of a with g) + (correlation of z̄ with y).
    """
    norm, weight, sign = layer.norm, layer.operator.weight, layer.sign
    assert isinstance(norm, TotalVariationNorm)
    signed, padding = sign * weight, weight.shape[-1] // 2
    scale = norm.scale[:, None, None]
    n = torch.conv2d(y, weight, padding=padding)
    r = n.square().sum(1, keepdim=True).add_(norm.eps).rsqrt_()
    a = torch.addcmul(norm.bias[:, None, None], n.mul_(r), scale).relu_()

    def pullback(g: Tensor) -> tuple[Tensor, ...]:
        p = torch.ops.aten.threshold_backward(torch.conv2d(g, signed, padding=padding), a, 0)
        bias, product = p.sum((0, 2, 3)), n * p
        slope = product.sum((0, 2, 3))
        z = p.mul_(scale).addcmul_(n, product.mul_(scale).sum(1, keepdim=True), value=-1).mul_(r)
        source, inner, _ = convolution_backward(z, y, weight)
        outer = convolution_backward(a, g, weight, source=False)[1]
        return source, inner.add_(outer, alpha=sign), slope, bias

    return Linearised(torch.conv_transpose2d(a, signed, padding=padding), pullback)
