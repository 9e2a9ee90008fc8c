"""W · s(W), s = min(1, c / β(W)) ≤ 1: a weight under a norm bound, with the costly β(W) computed once per weight.

A network uses a weight many times before it changes: in K and in Kᵀ, in the stages of a Runge-Kutta step, in a second
evaluation that runs backwards, in every batch of an evaluation and in every step of an attack. So s and its gradient G
= ∂s/∂W are kept with a copy of W, and are reused as long as the weight equals the copy. No graph is kept: the product
rule

    W̄ = s V + ⟨V, W⟩ G     for the cotangent V of W s(W)

is applied by hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple, final

import torch
from torch import Tensor, nn

from pdedsl.runtime.constraints import convolution_norm_bound, recorded_norm, spectral_norm


class _Known(NamedTuple):
    """A weight with its s and G; G is None if s is 1 in a neighbourhood."""

    weight: Tensor
    bound: float
    scale: Tensor
    slope: Tensor | None


@final
class BoundedWeight:
    """The weight as a bounded operator uses it. A copy of the operator starts with an empty cache."""

    def __init__(self) -> None:
        self._known: _Known | None = None

    def __call__(self, weight: Tensor, bound: float) -> Tensor:
        if torch.compiler.is_exporting():
            return weight * (bound / recorded_norm(weight).clamp_min(bound))
        # Compilers, torch.func and meta tensors get the plain formula.
        plain = weight.is_meta or torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active()
        if type(weight) is not nn.Parameter or plain:
            return weight * scale_of(weight, bound)
        if self._known is None or not _same(self._known, weight, bound):
            self._known = _work_out(weight, bound)
        product: Tensor = _Product.apply(weight, self._known.scale, self._known.slope, bound)
        return product

    def __deepcopy__(self, memo: object) -> BoundedWeight:
        return BoundedWeight()

    def __reduce__(self) -> tuple[type[BoundedWeight], tuple[()]]:
        return BoundedWeight, ()


def scale_of(weight: Tensor, bound: float) -> Tensor:
    """s(W), for a matrix or for the taps of a convolution."""
    norm = spectral_norm(weight) if weight.dim() == 2 else convolution_norm_bound(weight)
    return bound / norm.clamp_min(bound)


def _same(known: _Known, weight: Tensor, bound: float) -> bool:
    """Compared by value: a version counter does not notice writes to `weight.data`."""
    old = known.weight
    alike = (old.dtype, old.device, old.shape, known.bound) == (weight.dtype, weight.device, weight.shape, bound)
    return alike and torch.equal(old, weight)


def _work_out(weight: Tensor, bound: float) -> _Known:
    with torch.inference_mode(False), torch.enable_grad():
        copy = weight.detach().clone().requires_grad_()
        scale = scale_of(copy, bound)
        (slope,) = torch.autograd.grad(scale, copy)
    return _Known(copy.detach(), bound, scale.detach(), slope if slope.any() else None)


class _Product(torch.autograd.Function):
    """W s, with s and G given. If the backward pass is itself differentiated, it uses the formula of s again."""

    generate_vmap_rule = True

    @staticmethod
    def forward(weight: Tensor, scale: Tensor, slope: Tensor | None, bound: float) -> Tensor:
        return weight * scale

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor | None, float], output: Tensor) -> None:
        weight, scale, slope, ctx.bound = inputs
        ctx.save_for_backward(weight, scale, slope)

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[Tensor | None, ...]:
        weight, scale, slope = ctx.saved_tensors
        if torch.is_grad_enabled():
            product = weight * scale_of(weight, ctx.bound)
            return *torch.autograd.grad(product, weight, cotangent, create_graph=True), None, None, None
        gradient = cotangent * scale
        if slope is not None:
            gradient = gradient.add_(slope * (cotangent * weight).sum())
        return gradient, None, None, None
