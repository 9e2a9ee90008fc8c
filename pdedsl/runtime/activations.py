"""Activations on tensors, from the records of `numerics`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import final

import torch
from torch import Tensor, nn

from pdedsl.numerics import activations


@final
@dataclass(frozen=True)
class TorchActivation:
    """A record, with the torch function that it names."""

    record: activations.Activation
    function: Callable[[Tensor], Tensor]

    def __call__(self, x: Tensor) -> Tensor:
        return self.function(x)


@cache
def activation(name: str) -> TorchActivation:
    """The activation with this name; otherwise an error lists the available names."""
    if name not in activations.ACTIVATIONS:
        raise ValueError(f"unknown activation {name!r}; known are {', '.join(activations.ACTIVATIONS)}")
    record = activations.ACTIVATIONS[name]
    if not record.torch:
        return TorchActivation(record, _identity)
    module, _, function = record.torch.rpartition(".")
    return TorchActivation(record, getattr(import_module(module), function))


def _identity(x: Tensor) -> Tensor:
    return x


@final
class ActivationLayer(nn.Module):
    """The activation with this name as a module, for use in a sequence of layers."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.activation = activation(name)

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(x)

    def extra_repr(self) -> str:
        return self.activation.record.name


@final
class MaxMin(nn.Module):
    """(a, b) ↦ (max(a, b), min(a, b)) on the channels 2k and 2k + 1 (Anil, Lucas, Grosse, ICML 2019): 1-Lipschitz, and
    it preserves the norm of gradients."""

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] % 2:
            raise ValueError(f"maxmin takes channels in pairs: {x.shape[1]} is odd")
        a, b = x[:, 0::2], x[:, 1::2]
        return torch.stack([torch.maximum(a, b), torch.minimum(a, b)], 2).flatten(1, 2)
