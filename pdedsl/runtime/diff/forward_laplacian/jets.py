"""A batch of which some rows carry derivatives: forward differentiation of a network that costs rows, not passes.

For centre points c of the batch, a jet carries ∂_i c for d directions and Lc, L = ∂_t - νΔ, as further rows of the same
kind, through every layer f (forward Laplacian; Li et al. 2024, "A computational framework for neural network-based
variational Monte Carlo with forward Laplacian"):

    ∂_i f(c) = f′·∂_i c,    L f(c) = f′·Lc - ν Σ_i f″[∂_i c, ∂_i c].

Rows without derivatives cost nothing extra, a convolution processes all derivatives in one call, and everything can be
differentiated by backward. torch's own forward mode differentiates every row, and runs a convolution three times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

import torch
from torch import Tensor

from pdedsl.runtime.diff.forward_laplacian.batch_layout import DerivativeLayout, FunctionCall
from pdedsl.runtime.diff.forward_laplacian.rules import RULES, chain_rule


class BatchJet(Tensor):
    """The values of a batch as a tensor, accompanied by `tangent` = (∂_1 c, …, ∂_d c, Lc) along the batch axis."""

    tangent: Tensor
    frame: DerivativeLayout

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        with torch._C.DisableTorchFunctionSubclass():
            return _apply(func, args, kwargs or {})


def make_jet(value: Tensor, tangent: Tensor, frame: DerivativeLayout) -> BatchJet:
    """`tangent` has frame.blocks · frame.rows rows."""
    jet = value.as_subclass(BatchJet)
    jet.tangent, jet.frame = tangent, frame
    return jet


def jet_values(x: Any) -> Any:
    """A jet without its derivatives; anything else as it is."""
    if not isinstance(x, BatchJet):
        return x
    with torch._C.DisableTorchFunctionSubclass():
        return x.as_subclass(Tensor)


def _apply(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    name = getattr(func, "__name__", "")
    if name in _METADATA:
        return func(jet_values(args[0]), *args[1:], **kwargs)
    if (pure := _out_of_place(name)) is not None:
        func = pure
    if kwargs.get("inplace"):
        kwargs = {**kwargs, "inplace": False}
    layer = _layer(func, args, kwargs)
    rule = RULES.get(func)
    if rule is not None:
        return make_jet(*rule(layer), layer.frame)
    value = layer.value()
    return make_jet(*chain_rule(layer, value), layer.frame) if isinstance(value, Tensor) else value


_METADATA = ("__get__", "dim", "size", "numel", "is_contiguous", "stride")
"""Shapes, types and devices."""


def _out_of_place(name: str) -> Callable[..., Any] | None:
    """x.f(…) for x.f_(…), x + y for x += y: the result is a new jet, because autograd is slow for modified views."""
    if name.startswith("__i") and hasattr(Tensor, f"__{name[3:]}"):
        return cast(Callable[..., Any], getattr(Tensor, f"__{name[3:]}"))
    if name.endswith("_") and not name.startswith("_"):
        return cast(Callable[..., Any], getattr(Tensor, name[:-1]))
    return None


def _layer(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> FunctionCall:
    jets: list[BatchJet] = []
    _replace((args, tuple(kwargs.values())), lambda jet: jets.append(jet))

    def with_jets(rows: Iterable[Tensor]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        source = iter(rows)
        put, named = _replace((args, tuple(kwargs.values())), lambda _: next(source))
        return put, dict(zip(kwargs, named, strict=True))

    return FunctionCall(
        func, jets[0].frame, [jet.as_subclass(Tensor) for jet in jets], [jet.tangent for jet in jets], with_jets
    )


def _replace(arguments: Any, by: Callable[[BatchJet], Any]) -> Any:
    """The jets in arguments replaced in order, including those in lists."""
    if isinstance(arguments, BatchJet):
        return by(arguments)
    return type(arguments)([_replace(x, by) for x in arguments]) if type(arguments) in (list, tuple) else arguments
