"""Residuals of a network at points, and their derivatives by its weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from sympy import Expr, S, Symbol
from torch import Tensor

from pdedsl.emit.pointwise import Pointwise, pointwise
from pdedsl.ir.statement import Derivative, Residual
from pdedsl.runtime.collapsed import collapsed, collapses
from pdedsl.runtime.jets import JetNetwork, Layer, Wanted, row_slopes
from pdedsl.runtime.probed import estimable, estimated, random_signs

COLLAPSED = 2  # the highest order of a derivative in an operator that is evaluated as one stream


@dataclass(frozen=True)
class Operator:
    """Σ coefficient(x) ∂^α of one component; `letter` stands for it in the residual."""

    component: int
    parts: tuple[tuple[Derivative, Expr], ...]
    letter: Symbol


@dataclass(frozen=True)
class Streamed:
    """A residual in terms of single derivatives and, for each component, one operator that collects its linear part."""

    expr: Expr
    letters: tuple[tuple[Symbol, Derivative], ...]
    operators: tuple[Operator, ...]
    coordinates: tuple[Symbol, ...]
    components: int

    @cached_property
    def wanted(self) -> Wanted:
        zero = (0,) * len(self.coordinates)
        orders = tuple(d.orders for _, d in self.letters if self.has(d))
        return Wanted(orders or (zero,), tuple(tuple(d.orders for d, _ in o.parts) for o in self.operators))

    def has(self, derivative: Derivative) -> bool:
        """Whether it is a derivative of the network of the components."""
        return derivative.component < self.components

    def wanted_of(self, component: int, axes: tuple[int, ...]) -> Wanted:
        """Derivatives of a learned function of some coordinates."""
        own = tuple(tuple(d.orders[k] for k in axes) for _, d in self.letters if d.component == component)
        return Wanted(own or ((0,) * len(axes),))

    @cached_property
    def value(self) -> Pointwise:
        letters = (*(s for s, _ in self.letters), *(o.letter for o in self.operators))
        return pointwise((self.expr,), (*self.coordinates, *letters))

    @cached_property
    def factors(self) -> tuple[Pointwise, ...]:
        return tuple(pointwise([c for _, c in o.parts], self.coordinates) for o in self.operators)


def streamed(residual: Residual, coordinates: tuple[Symbol, ...], components: int) -> Streamed:
    """Collect second derivatives with known coefficients, and first ones along with them, in one operator."""
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
    return Streamed(expr, rest, tuple(operators), coordinates, components)


@dataclass(frozen=True)
class Learners:
    """Everything that is learned: the network of the components, then functions of some coordinates, then numbers."""

    network: JetNetwork
    functions: tuple[tuple[tuple[int, ...], JetNetwork], ...]
    numbers: Tensor


@dataclass(frozen=True)
class NetworkRows:
    """A residual at points, weighted."""

    form: Streamed
    points: Tensor
    weight: Tensor  # one for all points, or one for each
    target: Tensor | None = None  # measured values that the expression should have

    @cached_property
    def coefficients(self) -> tuple[Tensor, ...]:
        columns = self.points.unbind(-1)
        return tuple(torch.stack(f(*columns), -1) for f in self.form.factors)

    def split(self, size: int) -> Iterator[NetworkRows]:
        """The same rows in pieces of at most so many points."""
        weight = self.weight.expand(len(self.points))
        for start in range(0, len(self.points), size):
            own = slice(start, start + size)
            target = None if self.target is None else self.target[own]
            yield NetworkRows(self.form, self.points[own], weight[own], target)

    def residual(self, learners: Learners) -> Tensor:
        """The residual, unweighted."""
        network, wanted = learners.network, self.form.wanted
        if collapses(network, wanted):
            return self._of(learners, learners.numbers, collapsed(network, self.points, wanted, *self.coefficients))[0]
        return self._of(learners, learners.numbers, network.jets(self.points, wanted, self.coefficients)[0])[0]

    def product(self, learners: Learners, probes: int, source: torch.Generator) -> Tensor:
        """The sum of weighted squares, or an unbiased estimate: of products of two independent estimates."""
        form = self.form
        if not estimable(form.wanted):
            return (self.weight * self.residual(learners)).square().sum()
        signs = random_signs(form.wanted, len(self.points), probes, source)
        (coefficients,) = self.coefficients
        u, *operators = estimated(learners.network, self.points, form.wanted, coefficients, signs)
        one, two = (self._of(learners, learners.numbers, torch.stack([u, o]))[0] for o in operators)
        return (self.weight.square() * one * two).sum()

    def slopes(self, learners: Learners) -> tuple[Tensor, Tensor]:
        """The weighted residual (n,), and its derivatives by weights and numbers (n, weights + numbers)."""
        numbers = learners.numbers.detach().expand(len(self.points), -1).requires_grad_()
        streams, layers = learners.network.jets(self.points, self.form.wanted, self.coefficients)
        value, more_layers = self._of(learners, numbers, streams)
        found = row_slopes(value, [*layers, *more_layers])
        if numbers.shape[1]:
            (more,) = torch.autograd.grad(value.sum(), numbers, allow_unused=True, retain_graph=True)
            found = torch.cat([found, torch.zeros_like(numbers) if more is None else more], 1)
        weight = self.weight.expand_as(value)
        return (weight * value).detach(), (weight[:, None] * found).detach()

    def _of(self, learners: Learners, numbers: Tensor, streams: Tensor) -> tuple[Tensor, list[Layer]]:
        """The residual for given streams of the components, and the layers of the learned functions."""
        form, layers = self.form, list[Layer]()
        values = {d: streams[form.wanted.place[d.orders], :, d.component] for _, d in form.letters if form.has(d)}
        for k, (axes, network) in enumerate(learners.functions, form.components):
            wanted = form.wanted_of(k, axes)
            found, more = network.jets(self.points[:, axes], wanted)
            layers += more
            own = [d for _, d in form.letters if d.component == k]
            values |= {d: found[wanted.place[tuple(d.orders[a] for a in axes)], :, 0] for d in own}
        first = form.components + len(learners.functions)
        values |= {d: numbers[..., d.component - first] for _, d in form.letters if d.component >= first}
        operators = [streams[k - len(form.operators), :, o.component] for k, o in enumerate(form.operators)]
        (value,) = form.value(*self.points.unbind(-1), *(values[d] for _, d in form.letters), *operators)
        return value if self.target is None else value - self.target, layers


def stacked(rows: Sequence[NetworkRows], learners: Learners) -> Tensor:
    """All weighted residuals."""
    return torch.cat([r.weight * r.residual(learners) for r in rows])
