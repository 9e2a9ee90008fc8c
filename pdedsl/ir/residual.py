"""Scalar residuals of equations and conditions, in jet variables: symbols for the derivatives u, u_x, u_xx."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from sympy import Add, DiracDelta, Expr, Mul, S, Symbol

from pdedsl.diagnostics import Span
from pdedsl.record import Record


class Derivative(Record):
    """∂^α of a component, with the multi-index α = `orders`."""

    component: int
    orders: tuple[int, ...]

    @property
    def order(self) -> int:
        return sum(self.orders)

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


class Residual(Record):
    """expr = 0, in coordinates, learned fields and jet variables: one symbol for each derivative u, u_x, u_xx."""

    expr: Expr
    jet_variables: tuple[tuple[Symbol, Derivative], ...]
    span: Span
    interval: tuple[Expr, Expr] | None = None  # of time, if the equation holds on a part of it

    @cached_property
    def derivatives(self) -> tuple[Derivative, ...]:
        return tuple(d for _, d in self.jet_variables)

    @property
    def has_dirac(self) -> bool:
        """Whether it contains a Dirac delta, the derivative of a discontinuous coefficient."""
        return bool(self.expr.has(DiracDelta))

    @cached_property
    def affine(self) -> Affine | None:
        """The residual in terms of its coefficients, if it is affine in the unknowns; otherwise None."""
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
