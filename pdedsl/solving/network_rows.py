"""Residuals of a network at points, and their slopes in its weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from sympy import Expr, S, Symbol
from torch import Tensor

from pdedsl.emit.pointwise import Pointwise, pointwise
from pdedsl.ir.statement import Derivative, Residual
from pdedsl.runtime.jets import JetNetwork, Wanted, row_slopes

COLLAPSED = 2  # the highest order of a derivative in an operator with one stream


@dataclass(frozen=True)
class Operator:
    """Σ coefficient(x) ∂^α of one component, for which `letter` stands in the residual."""

    component: int
    parts: tuple[tuple[Derivative, Expr], ...]
    letter: Symbol


@dataclass(frozen=True)
class Streamed:
    """A residual in single derivatives and, for each component, one operator that gathers its linear part."""

    expr: Expr
    letters: tuple[tuple[Symbol, Derivative], ...]
    operators: tuple[Operator, ...]
    coordinates: tuple[Symbol, ...]

    @cached_property
    def wanted(self) -> Wanted:
        zero = (0,) * len(self.coordinates)
        orders = tuple(d.orders for _, d in self.letters)
        return Wanted(orders or (zero,), tuple(tuple(d.orders for d, _ in o.parts) for o in self.operators))

    @cached_property
    def value(self) -> Pointwise:
        letters = (*(s for s, _ in self.letters), *(o.letter for o in self.operators))
        return pointwise((self.expr,), (*self.coordinates, *letters))

    @cached_property
    def factors(self) -> tuple[Pointwise, ...]:
        return tuple(pointwise([c for _, c in o.parts], self.coordinates) for o in self.operators)


def streamed(residual: Residual, coordinates: tuple[Symbol, ...], components: int) -> Streamed:
    """Second derivatives with coefficients that are known go to one operator, and first ones with them."""
    letters = {s for s, _ in residual.letters}
    slopes = {s: residual.expr.diff(s) for s in letters}
    plain = [(s, d) for s, d in residual.letters if not slopes[s].free_symbols & letters]
    operators, gone, expr = [], set(), residual.expr
    for component in range(components):
        own = [(s, d) for s, d in plain if d.component == component and 1 <= d.order <= COLLAPSED]
        if any(d.order == COLLAPSED for _, d in own):
            letter = Symbol(f"L{component}", real=True)
            operators.append(Operator(component, tuple((d, slopes[s]) for s, d in own), letter))
            gone |= {s for s, _ in own}
            expr += letter
    expr = expr.xreplace(dict.fromkeys(gone, S.Zero))
    rest = tuple((s, d) for s, d in residual.letters if s not in gone)
    return Streamed(expr, rest, tuple(operators), coordinates)


@dataclass(frozen=True)
class NetworkRows:
    """A residual at points, weighted; numbers that are learned stand behind the components."""

    form: Streamed
    points: Tensor
    weight: Tensor  # one for all points, or one for each
    target: Tensor | None = None  # measured values, which the expression is to have

    @cached_property
    def coefficients(self) -> tuple[Tensor, ...]:
        columns = self.points.unbind(-1)
        return tuple(torch.stack(f(*columns), -1) for f in self.form.factors)

    def residual(self, network: JetNetwork, numbers: Tensor) -> Tensor:
        """Not weighted."""
        streams, _ = network.jets(self.points, self.form.wanted, self.coefficients)
        return self._of(streams, numbers)

    def slopes(self, network: JetNetwork, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """The weighted residual (n,), and its slopes (n, weights + numbers)."""
        numbers = numbers.detach().expand(len(self.points), -1).requires_grad_()
        streams, layers = network.jets(self.points, self.form.wanted, self.coefficients)
        value = self._of(streams, numbers)
        found = row_slopes(value, layers)
        if numbers.shape[1]:
            (more,) = torch.autograd.grad(value.sum(), numbers, allow_unused=True, retain_graph=True)
            found = torch.cat([found, torch.zeros_like(numbers) if more is None else more], 1)
        weight = self.weight.expand_as(value)
        return (weight * value).detach(), (weight[:, None] * found).detach()

    def _of(self, streams: Tensor, numbers: Tensor) -> Tensor:
        place, count = self.form.wanted.place, streams.shape[-1]
        letters: list[Tensor] = []
        for _, d in self.form.letters:
            learned = d.component >= count
            letters.append(numbers[..., d.component - count] if learned else streams[place[d.orders], :, d.component])
        operators = [streams[len(place) + k, :, o.component] for k, o in enumerate(self.form.operators)]
        (value,) = self.form.value(*self.points.unbind(-1), *letters, *operators)
        return value if self.target is None else value - self.target


def stacked(rows: Sequence[NetworkRows], network: JetNetwork, numbers: Tensor) -> Tensor:
    """All weighted residuals."""
    return torch.cat([r.weight * r.residual(network, numbers) for r in rows])
