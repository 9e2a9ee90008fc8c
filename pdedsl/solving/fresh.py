"""Residuals at fresh points: how far a function is from satisfying each equation and each condition.

The points are drawn anew with a separate seed, and the derivatives are taken by nested differentiation of the module
itself: neither is shared with the method that found it. A residual is measured against its terms: if r = Σ τᵢ, the size
is the root mean square of Σ |τᵢ|, so that 0 is exact and 1 is no cancellation at all. A condition such as u = 0 has
only one term; the derivatives in it count with their size in the whole domain, a slope with the largest of the slopes
along all axes. The terms of an equation may all vanish, as on a straight line: the derivatives in them count at least
with the changes of the unknown, divided by the lengths of the domain.

A solution is driven by the data: the terms without unknowns. If these are small compared with all other terms, in every
row, they are amplified, and only residuals that are small compared with the data support a solution (near a resonance
every multiple of a mode has residuals that are small compared with its own terms).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import torch
from sympy import Add, Expr, Float
from torch import Tensor, nn

from pdedsl.diagnostics import Source
from pdedsl.emit.pointwise import pointwise
from pdedsl.emit.residuals import path_of
from pdedsl.ir.statement import Derivative, Domain, Imposed, Residual, Statement
from pdedsl.runtime.partials import partials
from pdedsl.solving.points import Points, points_of_conditions
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.symbols import Field

INSIDE, ON, MANY = 2048, 512, 6  # points inside; on each place; the number of coordinates from which there are fewer
SEED = 7919  # added to the seed of a run: no method draws from it


@dataclass(frozen=True)
class Gap:
    """The residual of one equation or condition: its root mean square and maximum, the size of its terms, and that of
    the data among them."""

    text: str
    where: str
    rms: float
    maximum: float
    size: float
    points: int
    data: float = 0.0

    @property
    def relative(self) -> float:
        return self.rms / self.size if self.size > 0 else self.rms

    @property
    def worst(self) -> float:
        return self.maximum / self.size if self.size > 0 else self.maximum


@dataclass(frozen=True)
class Audit:
    """A statement, to be checked for one module; `values` are the numbers that were found along with it."""

    statement: Statement
    module: nn.Module
    points: Points
    seed: int
    values: Mapping[str, float]

    def gaps(self, source: Source) -> tuple[Gap, ...]:
        equations = [self._equation(r, source, k) for k, r in enumerate(self.statement.equations)]
        places = points_of_conditions(self.points, self.statement.conditions, ON, self._seed)
        pairs = [(c, x) for c, x in zip(self.statement.conditions, places, strict=True) if len(x)]
        return (*equations, *(self._condition(c, r, x, source) for c, x in pairs for r in c.residuals))

    @property
    def _seed(self) -> int:
        return self.seed + SEED

    @property
    def _inside(self) -> int:
        return INSIDE if len(self.statement.domain.coordinates) < MANY else INSIDE // 8

    def _equation(self, residual: Residual, source: Source, k: int) -> Gap:
        points = self.points.inside(self._inside, self._seed + k, during=residual.interval)
        terms = self._terms(residual, points)
        size = torch.maximum(terms.abs().sum(-1).square().mean().sqrt(), self._scale(residual, points))
        return _gap(source.quote(residual.span), "inside", terms.sum(-1), size, self._data(residual, points))

    def _scale(self, residual: Residual, points: Tensor) -> Tensor:
        """Σ |a| · deviation of u / lengths^α over the terms a(x) ∂^α u of r: their size, but for polynomials in x."""
        whole, letters = _with_numbers(residual.expr, self.statement, self.values), {s for s, _ in residual.letters}
        slopes = [(whole.diff(s), d) for s, d in residual.letters if d.order]
        known = [(a, d) for a, d in slopes if not a.free_symbols & letters]
        if not known:
            return points.new_zeros(())
        factors = torch.stack(pointwise([a for a, _ in known], self.statement.domain.coordinates)(*points.unbind(-1)))
        with torch.no_grad():
            deviation = self.module(points).std(0)[[d.component for _, d in known]]
        lengths = [float(i.end - i.start) for i in self.statement.domain.intervals]
        units = [prod(length**-n for length, n in zip(lengths, d.orders, strict=True)) for _, d in known]
        found: Tensor = factors.square().mean(1).sqrt() @ (deviation * points.new_tensor(units))
        return found

    def _condition(self, imposed: Imposed, residual: Residual, points: Tensor, source: Source) -> Gap:
        terms, where = self._terms(residual, points), self.statement.domain.text_of(imposed.place)
        size = torch.maximum(terms.abs().sum(-1).square().mean(), self._anywhere(residual)).sqrt()
        return _gap(source.quote(imposed.span), where, terms.sum(-1), size, self._data(residual, points))

    def _anywhere(self, residual: Residual) -> Tensor:
        """Mean squares in the domain of the derivatives in a condition, added; for a slope, that of the largest."""
        turned = [(k, *pair) for k, d in enumerate(residual.derivatives) for pair in turns(d, self.statement.domain)]
        found = derivatives_of(self.module, [d for _, d, _ in turned], self.points.inside(ON, self._seed))
        squares = [(k, float(column.square().mean()) * f**2) for (k, _, f), column in zip(turned, found.T, strict=True)]
        sizes = [max(s for j, s in squares if j == k) for k in range(len(residual.derivatives))]
        return torch.tensor(sum(sizes), dtype=torch.float64)

    def _data(self, residual: Residual, points: Tensor) -> float:
        """The root mean square of the terms without unknowns."""
        letters = {s for s, _ in residual.letters}
        whole = _with_numbers(residual.expr, self.statement, self.values)
        given = Add(*(t for t in Add.make_args(whole) if not t.free_symbols & letters))
        (value,) = pointwise([given], self.statement.domain.coordinates)(*points.unbind(-1))
        return float(value.square().mean().sqrt())

    def _terms(self, residual: Residual, points: Tensor) -> Tensor:
        """τᵢ at points, (n, number of terms)."""
        letters = self._derivatives(residual, points)
        symbols = (*self.statement.domain.coordinates, *(s for s, _ in residual.letters))
        values = (*points.unbind(-1), *letters.unbind(-1))
        terms = Add.make_args(_with_numbers(residual.expr, self.statement, self.values))
        return torch.stack(pointwise(terms, symbols)(*values), -1)

    def _derivatives(self, residual: Residual, points: Tensor) -> Tensor:
        return derivatives_of(self.module, residual.derivatives, points)


def derivatives_of(module: Callable[[Tensor], Tensor], wanted: Sequence[Derivative], points: Tensor) -> Tensor:
    """A column for each derivative, (n, number of derivatives)."""
    if not wanted:
        return points.new_zeros(len(points), 0)
    return partials(module, points, *map(path_of, wanted)).detach()


def _with_numbers(expr: Expr, statement: Statement, values: Mapping[str, float]) -> Expr:
    """The expression with everything learned along with the unknowns replaced by the numbers found."""
    heads = {w.head: values[w.name] for w in statement.parameters if w.name in values}
    return expr.xreplace({f: Float(heads[f.head]) for f in atoms(expr, Field) if f.head in heads})


def turns(derivative: Derivative, domain: Domain) -> list[tuple[Derivative, float]]:
    """A slope along one axis of space, and those along the others, with factors that give them its units."""
    own, space = derivative.orders, len(domain.space)
    axes = [k for k, order in enumerate(own) if order]
    if len(axes) != 1 or axes[0] >= space or space > MANY:
        return [(derivative, 1.0)]
    lengths, order = [float(i.end - i.start) for i in domain.intervals], own[axes[0]]
    along = [Derivative(derivative.component, tuple(order * (j == k) for j in range(len(own)))) for k in range(space)]
    return [(d, (lengths[k] / lengths[axes[0]]) ** order) for k, d in enumerate(along)]


def _gap(text: str, where: str, residual: Tensor, size: Tensor, data: float) -> Gap:
    rms, maximum = residual.square().mean().sqrt(), residual.abs().max()
    return Gap(text, where, float(rms), float(maximum), float(size), len(residual), data)


def residual_at(audit: Audit, points: Tensor) -> Tensor:
    """The norm of the residuals of all equations together at points, (n,): for a picture."""
    rows = [audit._terms(r, points).sum(-1) for r in audit.statement.equations]
    return torch.stack(rows).square().sum(0).sqrt()
