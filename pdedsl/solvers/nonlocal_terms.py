"""Quadrature of nonlocal terms, ∫ k(x, s, u(s)) ds, and values at other points, u(x - 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from sympy import Symbol
from torch import Tensor

from pdedsl.codegen.pointwise import PointwiseFunction, compile_pointwise
from pdedsl.ir.residual import Derivative, NonlocalTerm
from pdedsl.runtime.quadrature import quadrature_rule


@dataclass(frozen=True)
class QuadratureNodes:
    """For n points: coordinates (n, 1), bound variables (n, q) and weights (n, q); n may be 1 for all points."""

    columns: tuple[Tensor, ...]
    bound: tuple[Tensor, ...]
    weights: Tensor

    @property
    def all(self) -> tuple[Tensor, ...]:
        return tuple(c.expand_as(self.weights) for c in (*self.columns, *self.bound))


@dataclass(frozen=True)
class NonlocalQuadrature:
    """The quadrature of one nonlocal term; `coordinates` are the symbols of the coordinates of a point."""

    term: NonlocalTerm
    coordinates: tuple[Symbol, ...]

    @property
    def _variables(self) -> tuple[Symbol, ...]:
        return tuple(r.variable for r in self.term.ranges)

    @cached_property
    def _ends(self) -> tuple[PointwiseFunction, ...]:
        return tuple(
            compile_pointwise([r.lower, r.upper, *r.kinks], (*self.coordinates, *self._variables[:k]))
            for k, r in enumerate(self.term.ranges)
        )

    @cached_property
    def _places(self) -> tuple[PointwiseFunction, ...]:
        symbols = (*self.coordinates, *self._variables)
        return tuple(compile_pointwise(v.point, symbols) for _, v in self.term.values)

    @cached_property
    def _histories(self) -> tuple[PointwiseFunction | None, ...]:
        symbols = (*self.coordinates, *self._variables)
        return tuple(
            None if v.history is None else compile_pointwise([v.history, v.point[-1] - v.start], symbols)
            for _, v in self.term.values
        )

    @cached_property
    def _integrand(self) -> PointwiseFunction:
        values = tuple(s for s, _ in self.term.values)
        exprs = [self.term.integrand, *(self.term.integrand.diff(s) for s in values)]
        return compile_pointwise(exprs, (*self.coordinates, *self._variables, *values))

    def points_depend_on(self, symbols: Sequence[Symbol]) -> bool:
        """Whether the points of the values depend on some coordinates."""
        ends = (e for r in self.term.ranges for e in (r.lower, r.upper, *r.kinks))
        exprs = (*ends, *(x for _, v in self.term.values for x in v.point))
        return any(e.free_symbols & {*symbols} for e in exprs)

    def nodes(self, columns: Sequence[Tensor], order: int) -> QuadratureNodes:
        """The nodes for points whose coordinates are columns (n,), with `order` nodes for each piece of a range."""
        known = [c.reshape(-1, 1) for c in columns]
        weights = torch.ones_like(known[0])
        bound: list[Tensor] = []
        for one, ends in zip(self.term.ranges, self._ends, strict=True):
            edges = torch.stack(ends(*(c.expand_as(weights) for c in known), *bound), -1)
            nodes, factors = quadrature_rule(edges, order, one.periodic)
            bound = [b.unsqueeze(-1).expand_as(nodes).flatten(1) for b in bound]
            weights = (weights.unsqueeze(-1) * factors).flatten(1)
            bound.append(nodes.flatten(1))
        return QuadratureNodes(tuple(known), tuple(bound), weights)

    def points(self, at: QuadratureNodes) -> list[Tensor]:
        """The points (n, q, k) of each value."""
        return [torch.stack(place(*at.all), -1) for place in self._places]

    def histories(self, at: QuadratureNodes) -> list[tuple[Tensor, Tensor] | None]:
        """For each value that has a history, the history (n, q), and where the time is before the initial time."""
        found = [None if history is None else history(*at.all) for history in self._histories]
        return [None if pair is None else (pair[0], pair[1] < 0) for pair in found]

    def evaluate(self, at: QuadratureNodes, values: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """The term (n,) for its values (n, q), and the derivatives of the weighted integrand by them (n, q)."""
        value, *partials = self._integrand(*at.all, *(v.expand_as(at.weights) for v in values))
        return (at.weights * value).sum(1), [at.weights * p for p in partials]


Jets = Callable[[Tensor, Derivative], Tensor]
"""The values of a derivative of a component at points (p, k)."""


def evaluate_term(
    term: NonlocalTerm, coordinates: tuple[Symbol, ...], points: Tensor, order: int, jets: Jets
) -> Tensor:
    """A nonlocal term of a function at points (n, k)."""
    quadrature = NonlocalQuadrature(term, coordinates)
    fixed = not quadrature.points_depend_on(coordinates)  # the same points for all: evaluated once
    columns = points.unbind(-1)
    at = quadrature.nodes(columns, order)
    base = quadrature.nodes([c[:1] for c in columns], order) if fixed else at
    values = []
    for (_, value), places, past in zip(term.values, quadrature.points(base), quadrature.histories(base), strict=True):
        found = jets(places.flatten(0, 1), value.derivative).reshape(places.shape[:2])
        values.append(found if past is None else torch.where(past[1], past[0], found))
    return quadrature.evaluate(at, values)[0]


ORDERS = {0: 1, 1: 64, 2: 24, 3: 12}  # nodes for each of k variables


def quadrature_order(term: NonlocalTerm) -> int:
    """The number of nodes for each variable by which residuals of smooth functions are evaluated."""
    return ORDERS[min(len(term.ranges), 3)]
