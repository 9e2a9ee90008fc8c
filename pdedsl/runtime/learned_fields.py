"""Learned fields on R^d: scalars, vectors and matrices as functions of points and time, and the formulas that use them.

Fields take points (..., d) and the time, one number or one for each point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import cast

import torch
from torch import Tensor, nn

from pdedsl.runtime.image_fields import Time


class FixedTime(nn.Module):
    """x ↦ g(x, t) at a fixed time t.

    Args:
        network: module g(x, t).
        t: the time.

    Shape:
        x as for the network, to g(x, t).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import FixedTime, vector_field
        >>> FixedTime(vector_field(2, 8, 1, time=True), 0.5)(torch.zeros(5, 2)).shape
        torch.Size([5, 2])
    """

    def __init__(self, network: nn.Module, t: float) -> None:
        super().__init__()
        self.network, self.t = network, t

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.network(x, self.t))


class SpaceTimeField(nn.Module):
    """v(x, t) = w((x, t)): time as an additional coordinate, one number for all points or one for each."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, t: Time) -> Tensor:
        time = t.to(x).reshape(*x.shape[:-1], 1) if isinstance(t, Tensor) else torch.full_like(x[..., :1], t)
        return cast(Tensor, self.network(torch.cat([x, time], -1)))


class CompositeField(nn.Module):
    """A formula of learned fields, `formula(*arguments, *fields)`, that registers the fields as part of the model."""

    def __init__(self, formula: Callable[..., Tensor], **fields: nn.Module) -> None:
        super().__init__()
        self.formula, self.fields = formula, nn.ModuleDict(fields)

    def forward(self, *arguments: Tensor | float) -> Tensor:
        return self.formula(*arguments, *self.fields.values())


class MaskedField(nn.Module):
    """A field that depends on some coordinates only: the others are masked."""

    def __init__(self, network: nn.Module, mask: Sequence[float]) -> None:
        super().__init__()
        self.network, self.mask = network, tuple(mask)

    def forward(self, x: Tensor, t: Time | None = None) -> Tensor:
        return cast(Tensor, self.network(x * x.new_tensor(self.mask), t))


class TimeFunction(nn.Module):
    """A learned function of time alone, for states of any shape."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, t: Time) -> Tensor:
        return cast(Tensor, self.network(torch.zeros_like(x[..., :1]), t))


class ScalarField(nn.Module):
    """A learned scalar a(x, t) at points (..., d); sign ">" makes it positive for all weights, by softplus."""

    def __init__(self, network: nn.Module, sign: str = "") -> None:
        super().__init__()
        self.network, self.sign = network, sign

    def forward(self, x: Tensor, t: Time | None = None) -> Tensor:
        value = cast(Tensor, self.network(x, t)).squeeze(-1)
        return nn.functional.softplus(value) if self.sign else value


class MatrixField(nn.Module):
    """A learned matrix at points (..., d), of its type for all weights: M, psd M Mᵀ, or symmetric ½(M + Mᵀ)."""

    def __init__(self, network: nn.Module, dimension: int, psd: bool = True, symmetric: bool = False) -> None:
        super().__init__()
        self.network, self.dimension, self.psd, self.symmetric = network, dimension, psd, symmetric

    def forward(self, x: Tensor, t: Time | None = None) -> Tensor:
        values = cast(Tensor, self.network(x, t))
        entries = values.reshape(*x.shape[:-1], self.dimension, self.dimension)
        return _matrix(entries, self.psd, self.symmetric)


def _matrix(entries: Tensor, psd: bool, symmetric: bool) -> Tensor:
    if psd:
        return entries @ entries.mT
    return (entries + entries.mT) / 2 if symmetric else entries


class LearnedConstant(nn.Module):
    """A learned constant in place of a field: a scalar, a vector or a matrix of its type; a scalar may have an initial
    value."""

    def __init__(
        self,
        shape: Sequence[int] = (),
        sign: str = "",
        psd: bool = False,
        symmetric: bool = False,
        start: float | None = None,
    ) -> None:
        super().__init__()
        value = torch.eye(shape[0]) if len(shape) == 2 else torch.zeros(tuple(shape))
        if start is not None:
            value = torch.tensor(start + math.log(-math.expm1(-start)) if sign else start)  # softplus of it is `start`
        self.value, self.sign, self.psd, self.symmetric = nn.Parameter(value), sign, psd, symmetric

    def forward(self, x: Tensor, t: Time | None = None) -> Tensor:
        value = nn.functional.softplus(self.value) if self.sign else _matrix(self.value, self.psd, self.symmetric)
        return value.to(x).expand(*x.shape[:-1], *value.shape)
