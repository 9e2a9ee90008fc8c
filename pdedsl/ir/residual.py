"""Scalar residuals of equations and conditions, in jet variables: symbols for the derivatives u, u_x, u_xx."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from functools import cached_property
from math import ceil

from sympy import Add, DiracDelta, Expr, Mul, S, Symbol

from pdedsl.diagnostics import Span
from pdedsl.record import Record


class Derivative(Record):
    """∂^α (-Δ)ˢ of a component, with the multi-index α = `orders` and s = `power`."""

    component: int
    orders: tuple[int, ...]
    power: Expr = field(default=S.Zero, repr=False)

    @property
    def order(self) -> int:
        """|α| + 2s, rounded up."""
        return sum(self.orders) + (ceil(2 * self.power) if self.power else 0)

    @property
    def mixed(self) -> bool:
        return sum(map(bool, self.orders)) > 1


class Affine(Record):
    """Σ coefficient · derivative + inhomogeneity, with coefficients and inhomogeneity independent of the unknowns."""

    terms: tuple[tuple[Derivative, Expr], ...]
    inhomogeneity: Expr

    def second_order(self, dimension: int) -> SecondOrderOperator | None:
        """The coefficients for one component in `dimension` coordinates of space, without derivatives in time; None if
        a derivative in space is of higher order."""
        matrix, drift, rate = [], [S.Zero] * dimension, S.Zero
        for derivative, coefficient in self.terms:
            if any(derivative.orders[dimension:]):
                continue
            match [k for k, n in enumerate(derivative.orders) for _ in range(n)]:
                case []:
                    rate = coefficient
                case [k]:
                    drift[k] = coefficient
                case [i, j]:
                    matrix.append((i, j, coefficient if i == j else coefficient / 2))
                case _ if coefficient != 0:
                    return None
        return SecondOrderOperator(tuple(matrix), tuple(drift), rate, self.inhomogeneity)


class SecondOrderOperator(Record):
    """A:∇∇u + b·∇u + c u + f; `matrix` holds the entries (i, j, Aᵢⱼ) with i ≤ j of the symmetric A that occur."""

    matrix: tuple[tuple[int, int, Expr], ...]
    drift: tuple[Expr, ...]
    rate: Expr
    source: Expr

    @property
    def diagonal(self) -> tuple[Expr, ...]:
        entries = {i: a for i, j, a in self.matrix if i == j}
        return tuple(entries.get(k, S.Zero) for k in range(len(self.drift)))

    @property
    def is_diagonal(self) -> bool:
        return all(i == j or a == 0 for i, j, a in self.matrix)


class PointValue(Record):
    """A derivative of a component at a point; its coordinates are functions of coordinates and bound variables.
    Before the time `start` it has the value `history`."""

    derivative: Derivative
    point: tuple[Expr, ...]
    history: Expr | None = None
    start: Expr = S.Zero


class IntegrationRange(Record):
    """[lower, upper] for a bound variable; limits and `kinks`, where the integrand is not smooth, are functions of
    coordinates and of the variables before. `periodic` if it is a period of a periodic coordinate."""

    variable: Symbol
    lower: Expr
    upper: Expr
    kinks: tuple[Expr, ...] = ()
    periodic: bool = False


class NonlocalTerm(Record):
    """∫ … ∫ integrand over the ranges, the outermost first; without ranges, a value at another point.

    `values` are the symbols of unknowns in the integrand. With `power` s > 0, it is (-Δ)ˢ of the only value."""

    ranges: tuple[IntegrationRange, ...]
    integrand: Expr
    values: tuple[tuple[Symbol, PointValue], ...]
    power: Expr = field(default=S.Zero, repr=False)

    def has_memory(self, time: Symbol) -> bool:
        """Whether it contains values at other times, or limits and points that depend on time."""
        limits = (e for r in self.ranges for e in (r.lower, r.upper))
        moved = (x for _, v in self.values for x in v.point[:-1])
        return any(time in e.free_symbols for e in (*limits, *moved)) or any(
            v.point[-1] != time for _, v in self.values
        )

    @cached_property
    def is_affine(self) -> bool:
        symbols = {s for s, _ in self.values}
        return not any(self.integrand.diff(s).free_symbols & symbols for s in symbols)


class PointSourceTerm(Record):
    """strength · Π δ(xₖ - aₖ) over the axes k of `places`; the strength does not depend on these coordinates."""

    strength: Expr
    places: tuple[tuple[int, Expr], ...]


class Residual(Record):
    """expr = 0, in coordinates, learned fields and jet variables: one symbol for each derivative u, u_x, u_xx; and in
    one symbol for each nonlocal term. Point sources are added to `expr`."""

    expr: Expr
    jet_variables: tuple[tuple[Symbol, Derivative], ...]
    span: Span
    interval: tuple[Expr, Expr] | None = None  # of time, if the equation holds on a part of it
    nonlocal_terms: tuple[tuple[Symbol, NonlocalTerm], ...] = ()
    point_sources: tuple[PointSourceTerm, ...] = field(default=(), repr=False)

    @cached_property
    def derivatives(self) -> tuple[Derivative, ...]:
        return tuple(d for _, d in self.jet_variables)

    @property
    def has_dirac(self) -> bool:
        """Whether it contains a Dirac delta, the derivative of a discontinuous coefficient."""
        return bool(self.expr.has(DiracDelta))

    @property
    def is_regular(self) -> bool:
        """Whether it contains neither a point source nor the derivative of a discontinuity."""
        return not (self.point_sources or self.has_dirac)

    @property
    def local_part(self) -> Residual:
        """The residual with zero in place of its nonlocal terms."""
        zero = dict.fromkeys((s for s, _ in self.nonlocal_terms), S.Zero)
        return replace(self, expr=self.expr.xreplace(zero), nonlocal_terms=()) if zero else self

    @cached_property
    def is_affine(self) -> bool:
        """Whether it is affine in the unknowns."""
        if not self.nonlocal_terms:
            return self.affine is not None
        symbols = {s for s, _ in (*self.jet_variables, *self.nonlocal_terms)}
        constant = not any(self.expr.diff(s).free_symbols & symbols for s in symbols)
        return constant and all(term.is_affine for _, term in self.nonlocal_terms)

    @cached_property
    def semilinear(self) -> tuple[Residual, Expr] | None:
        """The affine part, and a nonlinear function of coordinates and one unknown, without its derivatives, whose sum
        is the residual; None if it has no such form."""
        value = next((s for s, d in self.jet_variables if not d.order), None)
        if self.nonlocal_terms or value is None:
            return None
        nonlinear = [t for t in Add.make_args(self.expr) if t.diff(value).has(value)]
        jets = {s for s, _ in self.jet_variables} - {value}
        affine = replace(self, expr=Add(*(t for t in Add.make_args(self.expr) if t not in nonlinear)))
        if not nonlinear or affine.affine is None or any(t.free_symbols & jets for t in nonlinear):
            return None
        return affine, Add(*nonlinear)

    @cached_property
    def affine(self) -> Affine | None:
        """The residual in terms of its coefficients, if it is a differential expression that is affine in the unknowns;
        otherwise None."""
        if self.nonlocal_terms:
            return None
        symbols = {s for s, _ in self.jet_variables}
        coefficients: dict[Symbol, list[Expr]] = {s: [] for s in symbols}
        inhomogeneity = []
        for term in _summands(self.expr, symbols):  # term by term: there may be a thousand jet variables
            factors = Mul.make_args(term)
            if len(own := [f for f in factors if f.free_symbols & symbols]) == 1 and own[0] in symbols:
                coefficients[own[0]].append(Mul(*(f for f in factors if f is not own[0])))
                continue
            occurring = term.free_symbols & symbols
            inhomogeneity.append(term.xreplace(dict.fromkeys(occurring, S.Zero)))
            for s in occurring:
                coefficients[s].append(term.diff(s))
        if any(c.free_symbols & symbols for terms in coefficients.values() for c in terms):
            return None
        return Affine(tuple((d, Add(*coefficients[s])) for s, d in self.jet_variables), Add(*inhomogeneity))


def _summands(expr: Expr, jet: set[Symbol]) -> Iterator[Expr]:
    """The terms of a sum, with factors of sums of several jet variables multiplied in."""
    for term in Add.make_args(expr):
        sums = [a for a in term.args if a.is_Add and a.free_symbols & jet] if term.is_Mul else []
        if len(sums) == 1 and len(sums[0].free_symbols & jet) > 1:
            factor = Mul(*(a for a in term.args if a is not sums[0]))
            yield from _summands(Add(*(factor * a for a in sums[0].args)), jet)
        else:
            yield term
