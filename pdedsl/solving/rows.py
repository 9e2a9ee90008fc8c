"""Residuals as functions of tensors, and as rows of a least-squares problem: values, and slopes by every derivative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from sympy import Symbol
from torch import Tensor

from pdedsl.emit.pointwise import Pointwise, pointwise
from pdedsl.ir.statement import Derivative, Imposed, Residual, Statement
from pdedsl.runtime.sampling import Law
from pdedsl.runtime.streams import mix
from pdedsl.solving.points import Points, points_of_conditions


@dataclass(frozen=True)
class Slopes:
    """r and ∂r/∂(derivative of a component) at points (n, k), for values (n,) of the derivatives."""

    residual: Residual
    coordinates: tuple[Symbol, ...]

    @cached_property
    def _at(self) -> Pointwise:
        letters = tuple(s for s, _ in self.residual.letters)
        exprs = (self.residual.expr, *(self.residual.expr.diff(s) for s in letters))
        return pointwise(exprs, (*self.coordinates, *letters))

    def __call__(self, points: Tensor, values: Sequence[Tensor]) -> tuple[Tensor, tuple[Tensor, ...]]:
        value, *slopes = self._at(*points.unbind(-1), *values)
        return value, tuple(slopes)


@dataclass(frozen=True)
class Rows:
    """A residual at points, with the weight of its rows."""

    slopes: Slopes
    points: Tensor
    weight: float
    target: Tensor | None = None  # measured values that the expression should have

    def at(self, values: Sequence[Tensor]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The residual and its slopes for these values of the derivatives."""
        value, slopes = self.slopes(self.points, values)
        return value if self.target is None else value - self.target, slopes

    @property
    def derivatives(self) -> tuple[Derivative, ...]:
        return self.slopes.residual.derivatives


def size_of(slopes: Slopes, points: Tensor, half: Tensor) -> float:
    """The largest coefficient of a residual, linearised at u = 0, in coordinates scaled to [-1, 1].

    A residual divided by it has the size of an error in the unknown.
    """
    derivatives = slopes.residual.derivatives
    zeros = [torch.zeros_like(points[:, 0]) for _ in derivatives]
    _, found = slopes(points, zeros)
    stretched = [_stretched(s, d, half) for s, d in zip(found, derivatives, strict=True)]
    return max((c for c in stretched if c > 0), default=1.0)


def _stretched(coefficient: Tensor, derivative: Derivative, half: Tensor) -> float:
    return float(coefficient.abs().mean()) / float((half ** half.new_tensor(derivative.orders)).prod())


@dataclass(frozen=True)
class Counts:
    """The number of points: in the domain, and on the place of each condition."""

    inside: int
    on: int


def rows_of(statement: Statement, points: Points, counts: Counts, seed: int, law: Law, weight: float) -> list[Rows]:
    """Every residual at points of its own place; `weight` is that of conditions relative to equations."""
    half = (points.high - points.low) / 2
    found = [_of_equation(r, statement, points, counts.inside, mix(seed, 0), law, half) for r in statement.equations]
    places = points_of_conditions(points, statement.conditions, counts.on, mix(seed, 1) >> 8, law)
    for condition, at in zip(statement.conditions, places, strict=True):
        found += _of_condition(condition, statement, at, weight, half)
    return found


def _of_equation(
    residual: Residual, statement: Statement, points: Points, n: int, seed: int, law: Law, half: Tensor
) -> Rows:
    slopes = Slopes(residual, statement.domain.coordinates)
    at = points.inside(n, seed >> 8, law, residual.interval)
    return Rows(slopes, at, 1 / size_of(slopes, at, half.to(at)))


def _of_condition(condition: Imposed, statement: Statement, at: Tensor, weight: float, half: Tensor) -> list[Rows]:
    if not len(at):
        return []
    every = [Slopes(r, statement.domain.coordinates) for r in condition.residuals]
    return [Rows(s, at, weight / size_of(s, at, half.to(at))) for s in every]
