"""Modules of the members of a family: tensor-product expansions on common axes and times, or separate modules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from math import prod
from typing import assert_never, final

import torch
from torch import Tensor, nn

from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import (
    Axis,
    CellAxis,
    ChebyshevAxis,
    PiecewiseChebyshevAxis,
    TensorProductExpansion,
)
from pdedsl.runtime.ode.step_doubling import lagrange_weights

MAX_COEFFICIENTS = 1 << 26  # of all members together: 512 MB


class MemberModules(ABC):
    """J modules, their values and their linear combinations."""

    @abstractmethod
    def values(self, points: Tensor) -> Tensor:
        """(n, k) to (J, n, c)."""

    @abstractmethod
    def combine(self, weights: Tensor) -> nn.Module:
        """Σ wⱼ uⱼ as a module."""


def member_modules(modules: Sequence[nn.Module]) -> MemberModules:
    """Expansions with axes of the same kind on common axes, and the other modules as they are."""
    kinds: dict[object, list[int]] = {}
    for k, module in enumerate(modules):
        kinds.setdefault(_kind(module, k), []).append(k)
    groups = [(own, _same_kind([modules[k] for k in own])) for own in kinds.values()]
    return groups[0][1] if len(groups) == 1 else GroupedModules(groups)


def _kind(module: nn.Module, k: int) -> object:
    """Equal for expansions with basis functions of the same kind."""
    if not isinstance(module, TensorProductExpansion):
        return k
    return module.timed, tuple(_with_count(axis, 1) for axis in module.axes)


def _same_kind(modules: Sequence[nn.Module]) -> MemberModules:
    expansions = [m for m in modules if isinstance(m, TensorProductExpansion)]
    if len(expansions) < 2:
        return SeparateModules(modules)
    axes = tuple(max(own, key=_count) for own in zip(*(e.axes for e in expansions), strict=True))
    times = _common_times([e.times for e in expansions]) if expansions[0].timed else expansions[0].times
    size = len(modules) * len(times) * expansions[0].coefficients.shape[1] * prod(map(_count, axes))
    return StackedExpansions(expansions, axes, times) if size <= MAX_COEFFICIENTS else SeparateModules(modules)


class GroupedModules(MemberModules):
    """Groups of modules, each with their positions."""

    def __init__(self, groups: Sequence[tuple[list[int], MemberModules]]) -> None:
        self._groups = tuple(groups)

    def values(self, points: Tensor) -> Tensor:
        parts = [group.values(points) for _, group in self._groups]
        order = torch.tensor([k for own, _ in self._groups for k in own]).argsort()
        return torch.cat(parts)[order.to(parts[0].device)]

    def combine(self, weights: Tensor) -> nn.Module:
        modules = [group.combine(weights[own]) for own, group in self._groups]
        return LinearCombination(modules, weights.new_ones(len(modules)))


# ---- Separate modules


@final
class LinearCombination(nn.Module):
    """Σ wⱼ uⱼ of several modules."""

    weights: Tensor

    def __init__(self, modules: Sequence[nn.Module], weights: Tensor) -> None:
        super().__init__()
        self.members = nn.ModuleList(modules)
        self.register_buffer("weights", weights)

    @property
    def has_derivatives(self) -> bool:
        return all(getattr(m, "has_derivatives", True) for m in self.members)

    def forward(self, points: Tensor) -> Tensor:
        values = torch.stack([m(points) for m in self.members])
        combined: Tensor = torch.tensordot(self.weights.to(values), values, dims=1)
        return combined


class SeparateModules(MemberModules):
    def __init__(self, modules: Sequence[nn.Module]) -> None:
        self._modules = tuple(modules)

    def values(self, points: Tensor) -> Tensor:
        return torch.stack([m(points) for m in self._modules])

    def combine(self, weights: Tensor) -> nn.Module:
        return LinearCombination(self._modules, weights)


# ---- Expansions


class StackedExpansions(MemberModules):
    """Coefficients (J, T, c, K, …) with respect to common basis functions, at common times."""

    def __init__(self, expansions: Sequence[TensorProductExpansion], axes: tuple[Axis, ...], times: Tensor) -> None:
        self._like = copy(expansions[0])
        self._like.axes = axes
        self._times = times
        self._coefficients = torch.stack([_resample(e, axes, times) for e in expansions])

    def values(self, points: Tensor) -> Tensor:
        joint = self._coefficients.movedim(0, 1)  # (T, J, c, K, …), components of all members together
        values: Tensor = self._expansion(joint.flatten(1, 2))(points)
        return values.reshape(len(points), *joint.shape[1:3]).movedim(1, 0)

    def combine(self, weights: Tensor) -> nn.Module:
        return self._expansion(torch.tensordot(weights.to(self._coefficients), self._coefficients, dims=1))

    def _expansion(self, coefficients: Tensor) -> TensorProductExpansion:
        expansion = copy(self._like)
        expansion._buffers = {"coefficients": coefficients, "times": self._times}
        return expansion


def _with_count(axis: Axis, n: int) -> Axis:
    """The axis with another number of basis functions, if those of the fewer are the first of the more."""
    match axis:
        case FourierAxis():
            return replace(axis, half=n)
        case ChebyshevAxis():
            return replace(axis, n=n)
        case PiecewiseChebyshevAxis() | CellAxis():
            return axis
        case _:
            assert_never(axis)


def _count(axis: Axis) -> int:
    """The number of basis functions."""
    match axis:
        case FourierAxis(half=half):
            return 2 * half - 1
        case ChebyshevAxis(n=n) | CellAxis(n=n):
            return n
        case PiecewiseChebyshevAxis(n=n, pieces=pieces):
            return n * len(pieces)
        case _:
            assert_never(axis)


def _resample(expansion: TensorProductExpansion, axes: tuple[Axis, ...], times: Tensor) -> Tensor:
    """The coefficients with zeros for the missing basis functions, interpolated at other times."""
    coefficients = expansion.coefficients
    for k, (own, axis) in enumerate(zip(expansion.axes, axes, strict=True)):
        coefficients = _pad(own, axis, coefficients, k + 2)
    if not expansion.timed:
        return coefficients
    width = min(expansion.stencil, len(expansion.times))
    after = torch.searchsorted(expansion.times, times.contiguous(), right=True)
    first = (after - width // 2).clamp(0, len(expansion.times) - width)
    nodes = first[:, None] + torch.arange(width, device=first.device)
    weights = lagrange_weights(times, expansion.times[nodes])
    return torch.einsum("ts,ts...->t...", weights, coefficients[nodes])


def _pad(own: Axis, axis: Axis, coefficients: Tensor, dim: int) -> Tensor:
    match own, axis:
        case FourierAxis(half=half), FourierAxis(half=more) if half < more:
            constant, cosines, sines = torch.split(coefficients, [1, half - 1, half - 1], dim)
            zeros = _zeros(coefficients, more - half, dim)
            return torch.cat([constant, cosines, zeros, sines, zeros], dim)
        case ChebyshevAxis(n=n), ChebyshevAxis(n=more) if n < more:
            return torch.cat([coefficients, _zeros(coefficients, more - n, dim)], dim)
        case _:
            return coefficients


def _zeros(like: Tensor, count: int, dim: int) -> Tensor:
    shape = list(like.shape)
    shape[dim] = count
    return like.new_zeros(shape)


def _common_times(times: Sequence[Tensor]) -> Tensor:
    """Times that are nowhere farther apart than those of the member with the shortest steps there."""
    union = torch.cat(list(times)).unique()  # type: ignore[no-untyped-call]
    middle = (union[1:] + union[:-1]) / 2
    density = torch.stack([_density(t, middle) for t in times]).amax(0)
    passed = torch.cat([union.new_zeros(1), (density * union.diff()).cumsum(0)])
    levels = torch.linspace(0, float(passed[-1]), int(torch.ceil(passed[-1])) + 1, dtype=union.dtype)
    after = torch.searchsorted(passed, levels.to(passed), right=True).clamp(1, len(union) - 1)
    fraction = (levels.to(passed) - passed[after - 1]) / (passed[after] - passed[after - 1])
    found: Tensor = union[after - 1] + fraction * (union[after] - union[after - 1])
    found[0], found[-1] = union[0], union[-1]
    return found


def _density(times: Tensor, at: Tensor) -> Tensor:
    """Steps per unit of time."""
    after = torch.searchsorted(times, at.contiguous(), right=True).clamp(1, len(times) - 1)
    density: Tensor = 1 / (times[after] - times[after - 1])
    return density
