"""Residuals at fresh points: how far a function is from satisfying each equation and each condition.

The points are drawn anew from a seed of their own, and the derivatives are taken by nested differentiation of the
module itself: neither is shared with the method that found it. A residual is measured against its terms: if r = Σ τᵢ,
the size is the root mean square of Σ |τᵢ|, so that 0 is exact and 1 is no cancellation at all. A condition such as
u = 0 has only one term; the derivatives in it count with their size in the whole domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from sympy import Add, Expr, Float
from torch import Tensor, nn

from pdedsl.diagnostics import Source
from pdedsl.emit.pointwise import pointwise
from pdedsl.emit.residuals import path_of
from pdedsl.ir.statement import Derivative, Imposed, Residual, Statement
from pdedsl.runtime.partials import partials
from pdedsl.solving.points import Points, points_of_conditions
from pdedsl.symbolic.symbols import Field

INSIDE, ON, MANY = 2048, 512, 6  # points inside, on each place, and the coordinates from which on there are fewer
SEED = 7919  # added to a run's own: no method draws from it


@dataclass(frozen=True)
class Gap:
    """The residual of one equation or condition: root mean square and maximum, and the size of its terms."""

    text: str
    where: str
    rms: float
    maximum: float
    size: float
    points: int

    @property
    def relative(self) -> float:
        return self.rms / self.size if self.size > 0 else self.rms

    @property
    def worst(self) -> float:
        return self.maximum / self.size if self.size > 0 else self.maximum


@dataclass(frozen=True)
class Audit:
    """A statement asked of one module; `values` are the numbers that were found with it."""

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
        return _gap(source.quote(residual.span), "inside", terms.sum(-1), terms.abs().sum(-1).square().mean().sqrt())

    def _condition(self, imposed: Imposed, residual: Residual, points: Tensor, source: Source) -> Gap:
        terms = self._terms(residual, points)
        anywhere = self._derivatives(residual, self.points.inside(ON, self._seed))
        size = torch.maximum(terms.abs().sum(-1).square().mean(), anywhere.square().sum(-1).mean()).sqrt()
        return _gap(source.quote(imposed.span), self.statement.domain.text_of(imposed.place), terms.sum(-1), size)

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
    """What was learned beside the unknowns, as the numbers that were found."""
    heads = {w.head: values[w.name] for w in statement.parameters if w.name in values}
    return expr.xreplace({f: Float(heads[f.head]) for f in expr.atoms(Field) if f.head in heads})


def _gap(text: str, where: str, residual: Tensor, size: Tensor) -> Gap:
    rms, maximum = residual.square().mean().sqrt(), residual.abs().max()
    return Gap(text, where, float(rms), float(maximum), float(size), len(residual))


def residual_at(audit: Audit, points: Tensor) -> Tensor:
    """|r| of all equations together at points, (n,): for a picture."""
    rows = [audit._terms(r, points).sum(-1) for r in audit.statement.equations]
    return torch.stack(rows).square().sum(0).sqrt()
