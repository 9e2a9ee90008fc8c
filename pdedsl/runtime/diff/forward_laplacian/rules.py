"""Forward rules for derivatives of layers: closed forms for costly layers, otherwise the chain rule by nested duals."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.nn import functional

from pdedsl.runtime.batch_norm import distributed_batch_norm, normalize, per_channel
from pdedsl.runtime.diff.autodiff import jvp
from pdedsl.runtime.diff.forward_laplacian.batch_layout import Function, FunctionCall, Pair
from pdedsl.runtime.diff.forward_laplacian.batch_norm import batch_norm_jet


def linear(layer: FunctionCall) -> Pair:
    return layer.value(), layer.of(*layer.tangents)


def concatenate(layer: FunctionCall) -> Pair:
    """cat of jets and of constants, whose derivatives are zero."""
    (parts, *rest), kwargs = layer.with_jets(layer.tangents)
    rows = layer.tangents[0].shape[0]
    zeros = [
        part if any(part is tangent for tangent in layer.tangents) else part.new_zeros(rows, *part.shape[1:])
        for part in parts
    ]
    return layer.value(), layer.func(zeros, *rest, **kwargs)


def affine(layer: FunctionCall) -> Pair:
    """W·x + b, by convolution or matrix product, for a jet x."""
    args, kwargs = layer.with_jets(layer.tangents)
    if not layer.first_alone or kwargs.get("weight") is not None:
        return chain_rule(layer)
    rest = dict(kwargs)
    rest.pop("bias", None)
    return layer.value(), layer.func(args[0], args[1], None, *args[3:], **rest)


def add(layer: FunctionCall) -> Pair:
    if len(layer.jets) == 2 and layer.jets[0].shape == layer.jets[1].shape:
        return linear(layer)
    value: Tensor = layer.value()
    if layer.first_alone and value.shape == layer.jets[0].shape:
        return value, layer.tangents[0]
    return chain_rule(layer, value)


def scale(layer: FunctionCall) -> Pair:
    return linear(layer) if layer.first_alone else chain_rule(layer)


def reshape(layer: FunctionCall) -> Pair:
    """reshape and expand to sizes, the first of which is the number of rows or left open."""
    args, _ = layer.with_jets(layer.jets)
    sizes = args[1:] if isinstance(args[1], int) else tuple(args[1])
    rows = layer.tangents[0].shape[0] if sizes[0] == layer.jets[0].shape[0] else sizes[0]
    return layer.value(), layer.func(layer.tangents[0], (rows, *sizes[1:]))


def relu(layer: FunctionCall) -> Pair:
    value, frame = layer.value(), layer.frame
    centre = frame.centre(value.detach())  # otherwise backward would add zeros to the whole batch
    if frame.blocks == 1:
        return value, torch.ops.aten.threshold_backward(layer.tangents[0], centre, 0)
    passed = (centre > 0).to(value.dtype)
    return value, (frame.by_block(layer.tangents[0]) * passed).flatten(0, 1)


def pointwise(layer: FunctionCall) -> Pair:
    """σ′ and σ″ by reverse differentiation, at the centres only."""
    first, second = _derivatives(layer.of, layer.frame.centre(layer.jets[0]), layer.frame.curved)
    return layer.value(), _pointwise_tangent(layer, first, second)


def tanh(layer: FunctionCall) -> Pair:
    """σ′ = 1 - σ², σ″ = -2σσ′."""
    value: Tensor = layer.value()
    at = layer.frame.centre(value)
    first = 1.0 - at.square()
    return value, _pointwise_tangent(layer, first, -2.0 * at * first if layer.frame.curved else None)


def _pointwise_tangent(layer: FunctionCall, first: Tensor, second: Tensor | None) -> Tensor:
    tangent, frame = layer.tangents[0], layer.frame
    moved = (frame.by_block(tangent) * first).flatten(0, 1)
    if second is None:
        return moved
    return frame.curve(moved, (frame.by_block(frame.split(tangent)[0]).square() * second).flatten(0, 1))


def _derivatives(func: Function, at: Tensor, twice: bool) -> tuple[Tensor, Tensor | None]:
    """(σ′, σ″), differentiable in `at`."""
    if not (torch.is_grad_enabled() and at.requires_grad):
        at = at.detach().requires_grad_()
    with torch.enable_grad():
        first = _derivative(func(at), at)
        return first, _derivative(first, at) if twice else None


def _derivative(of: Tensor, at: Tensor) -> Tensor:
    if not of.requires_grad:
        return torch.zeros_like(at)
    gradient = torch.autograd.grad(of.sum(), at, create_graph=True, allow_unused=True)[0]
    return torch.zeros_like(at) if gradient is None else gradient


def softmax(layer: FunctionCall) -> Pair:
    """p′[a] = p·ā and p″[a, a] = p·(ā² - Σ pā²), where ā = a - Σ pa."""
    value, frame = layer.value(), layer.frame
    args, kwargs = layer.with_jets(layer.jets)
    axis = kwargs.get("dim", *args[1:2])

    def centre(a: Tensor, p: Tensor) -> Tensor:
        return a - (p * a).sum(axis, keepdim=True)

    p = frame.centre(value, frame.blocks)
    tilt = centre(layer.tangents[0], p)
    if not frame.curved:
        return value, p * tilt
    p_lines, tilt_lines = frame.split(p)[0], frame.split(tilt)[0]
    return value, frame.curve(p * tilt, p_lines * centre(tilt_lines.square(), p_lines))


def batch_norm(layer: FunctionCall) -> Pair:
    args, kwargs = layer.with_jets(layer.jets)
    return batch_norm_jet(layer.tangents[0], *args, **kwargs)


def distributed_norm(layer: FunctionCall) -> Pair:
    """Batch norm shared by several processes, with its statistics held fixed."""
    (x, norm), _ = layer.with_jets(layer.jets)
    value, scale = normalize(x, norm)
    return value, layer.tangents[0] * per_channel(scale, x)


def chain_rule(layer: FunctionCall, value: Tensor | None = None) -> Pair:
    """Any function that acts row by row."""
    value, frame = layer.value() if value is None else value, layer.frame
    if value.dim() == 0 or value.shape[0] != layer.jets[0].shape[0]:
        name = getattr(layer.func, "__name__", "this function")
        raise ValueError(f"derivatives need layers that act row by row, and {name} does not")
    moved = _jvp(layer.of, [frame.centre(jet, frame.blocks) for jet in layer.jets], layer.tangents)
    if not frame.curved:
        return value, moved
    if layer.func in NO_SECOND_DERIVATIVE:
        raise ValueError(f"the forward Laplacian does not support {layer.func.__name__}")
    lines = [frame.split(tangent)[0] for tangent in layer.tangents]
    return value, frame.curve(
        moved, _second_derivative(layer.of, [frame.centre(jet, frame.lines) for jet in layer.jets], lines)
    )


def _jvp(func: Function, points: list[Tensor], tangents: list[Tensor]) -> Tensor:
    """f′·tangent."""
    with forward_ad.dual_level():
        out = func(*map(_dual, points, tangents))
        primal, tangent = forward_ad.unpack_dual(out)  # type: ignore[no-untyped-call]
    return torch.zeros_like(primal) if tangent is None else tangent


def _dual(point: Tensor, tangent: Tensor) -> Tensor:
    return cast(Tensor, forward_ad.make_dual(point, tangent))  # type: ignore[no-untyped-call]


def _second_derivative(func: Function, points: list[Tensor], tangents: list[Tensor]) -> Tensor:
    """f″[tangent, tangent]."""
    line = tuple(tangents)

    return jvp(lambda *at: jvp(func, at, line), tuple(points), line)


RULES: dict[Function, Callable[[FunctionCall], Pair]] = {
    torch.cat: concatenate,
    **dict.fromkeys((torch.flatten, Tensor.flatten, Tensor.contiguous, Tensor.permute), linear),
    **dict.fromkeys((torch.conv1d, torch.conv2d, torch.conv3d, functional.linear), affine),
    **dict.fromkeys((torch.add, Tensor.add, Tensor.__add__, torch.sub, Tensor.sub, Tensor.__sub__), add),
    **dict.fromkeys((torch.mul, Tensor.mul, Tensor.__mul__, torch.div, Tensor.div, Tensor.__truediv__), scale),
    **dict.fromkeys((Tensor.reshape, Tensor.view, Tensor.expand), reshape),
    **dict.fromkeys((functional.relu, torch.relu, Tensor.relu), relu),
    **dict.fromkeys((torch.tanh, Tensor.tanh), tanh),
    **dict.fromkeys(
        (
            torch.sin,
            torch.cos,
            torch.exp,
            torch.sigmoid,
            torch.arctan,
            torch.square,
            functional.gelu,
            functional.silu,
            functional.mish,
            functional.softplus,
            functional.elu,
            functional.leaky_relu,
        ),
        pointwise,
    ),
    **dict.fromkeys((functional.softmax, torch.softmax, Tensor.softmax), softmax),
    functional.batch_norm: batch_norm,
    distributed_batch_norm: distributed_norm,
}
NO_SECOND_DERIVATIVE = (functional.layer_norm, functional.group_norm, functional.instance_norm)
"""Functions whose second forward derivatives are incorrect in torch: it treats their statistics as constants."""
