"""Variants of a classifier for adaptive attacks (Tramèr, Carlini, Brendel, Madry 2020): any callable.

deterministic twin    every random number is replaced by its mean
fixed noise           every call draws the same random numbers
identity gradients    BPDA: maps without a useful derivative have that of the identity (Athalye et al. 2018, 4.1)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from pdedsl.frozen_model import Model, frozen_state, modules_of

# ---- Deterministic twin


@final
class _NoiseMeans(TorchFunctionMode):
    """Functions of torch that draw real random numbers return their means; integers are drawn as before."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        options, name = dict(kwargs or {}), getattr(func, "__name__", "")
        if name in DROPOUTS and args:
            return args[0]
        out = func(*args, **options)
        match name:
            case "randn" | "randn_like":
                return out.fill_(0.0)
            case "rand" | "rand_like":
                return out.fill_(0.5)
            case "normal" | "normal_":
                return _fill(out, _argument("mean", 1 if name == "normal_" else 0, 0.0, args, options))
            case "uniform_":
                ends = _argument("from", 1, 0.0, args, options), _argument("to", 2, 1.0, args, options)
                return out.fill_(0.5 * sum(ends))
            case "exponential_":
                return out.fill_(1.0 / _argument("lambd", 1, 1.0, args, options))
            case "bernoulli":
                return _fill(out, _argument("p", 1, args[0], args, options))
            case "bernoulli_":
                return _fill(out, _argument("p", 1, 0.5, args, options))
            case _:
                return out


DROPOUTS = frozenset(
    {"dropout", "dropout_", "alpha_dropout", "alpha_dropout_", "feature_dropout", "feature_alpha_dropout"}
)


def _argument(name: str, place: int, default: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    """An argument by position or by name."""
    return args[place] if len(args) > place else options.get(name, default)


def _fill(out: Tensor, value: Any) -> Tensor:
    return out.copy_(value) if isinstance(value, Tensor) else out.fill_(value)


def without_noise(model: Model) -> Model:
    """The deterministic twin: every random number of torch is replaced by its mean."""

    def twin(x: Tensor) -> Tensor:
        with _NoiseMeans():
            return model(x)

    return twin


# ---- Fixed noise


def with_fixed_noise(model: Model, seed: int) -> Model:
    """The model of an attacker who knows the noise: the same in every call for the same row of the batch."""
    modules = modules_of(model)

    def fixed(x: Tensor) -> Tensor:
        with frozen_state(modules, seed):
            return model(x)

    return fixed


# ---- Identity gradients


ROUNDING = frozenset(
    getattr(owner, name)
    for owner in (torch, Tensor)
    for name in ("round", "floor", "ceil", "trunc", "fix", "sign", "sgn")
)
DETACHING = frozenset({Tensor.detach, torch.detach})
EXPORTS: set[Any] = {getattr(Tensor, name) for name in ("numpy", "__array__")}  # not for tensors with gradients
COMPARISONS: dict[Any, float] = {
    getattr(owner, name): slope
    for owner, names in (
        (torch, ("gt", "ge", "lt", "le")),
        (Tensor, ("gt", "ge", "lt", "le", "__gt__", "__ge__", "__lt__", "__le__")),
    )
    for name in names
    for slope in ((1.0 if "g" in name else -1.0),)
}
"""Comparisons a > b, with the sign of the derivative of the indicator in a - b."""
CASTS = frozenset({Tensor.float, Tensor.double, Tensor.to, Tensor.type_as})


@final
class IdentityGradients(TorchFunctionMode):
    """Straight-through derivatives: rounding, signs, comparisons and `detach` have the derivative of the identity, and
    `no_grad` has no effect. Values are unchanged. `replaced` is the number of such operations."""

    def __init__(self) -> None:
        super().__init__()
        self.replaced = 0
        self._differences = WeakIdKeyDictionary()

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if func is torch._C._set_grad_enabled:
            self.replaced += not args[0]
            return None
        before = args[0] if args and isinstance(args[0], Tensor) else None
        if func in DETACHING and before is not None and before.requires_grad:
            self.replaced += 1
            return before
        if func in EXPORTS and before is not None:
            args = (before.detach(), *args[1:])
        out = func(*args, **(kwargs or {}))
        if before is None:
            return out
        if func in ROUNDING and before.requires_grad:
            return self._straight_through(out, before)
        if func in COMPARISONS and before.requires_grad and before.dtype != torch.bool:
            self._differences[out] = COMPARISONS[func] * (before - args[1])
        if func in CASTS and before in self._differences and out.is_floating_point():
            return self._straight_through(out, self._differences[before])
        return out

    def _straight_through(self, out: Tensor, like: Tensor) -> Tensor:
        self.replaced += 1
        return out.detach() + like - like.detach()


def with_identity_gradients(model: Model) -> Model:
    """The same model with straight-through derivatives (BPDA)."""

    def differentiable(x: Tensor) -> Tensor:
        with IdentityGradients():
            return model(x)

    return differentiable


def count_identity_gradients(model: Model, x: Tensor) -> int:
    """The number of operations at x whose derivatives BPDA replaces."""
    with torch.enable_grad():
        at = x.detach().requires_grad_()
        with IdentityGradients() as mode:
            model(at)
    return int(mode.replaced)
