"""Strong form of an initial-boundary value problem: scalar residuals of equations and conditions.

Vectors, divergences and sums over components are expanded, so that every method (random features, PINN, grid, Monte
Carlo) starts from the same scalar expressions. Coordinates are those of space, in order, then time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from sympy import Add, DiracDelta, Expr, Mul, S, Symbol

from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Interval, Learned
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.types import Sign
from pdedsl.symbolic.printing import notation


@dataclass(frozen=True)
class Derivative:
    """∂^α of a component, with the multi-index α = `orders`."""

    component: int
    orders: tuple[int, ...]

    @property
    def order(self) -> int:
        return sum(self.orders)

    @property
    def mixed(self) -> bool:
        return sum(map(bool, self.orders)) > 1


@dataclass(frozen=True)
class Affine:
    """Σ coefficient · derivative + inhomogeneity, with coefficients and inhomogeneity independent of the unknowns."""

    terms: tuple[tuple[Derivative, Expr], ...]
    inhomogeneity: Expr


@dataclass(frozen=True)
class Residual:
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


@dataclass(frozen=True)
class Face:
    """A face of the space-time box: a coordinate at its lower or upper end."""

    coordinate: int
    upper: bool


@dataclass(frozen=True)
class Surface:
    """The level set F = 0 in the closed domain. On the boundary of an irregular domain F is its g, and the outer normal
    is -∇F/‖∇F‖."""

    expr: Expr


Place = Face | Surface


@dataclass(frozen=True)
class ConditionResidual:
    """An initial, terminal or boundary condition: residuals that vanish on a face or surface, restricted to the part
    where every g in `part` is positive."""

    residuals: tuple[Residual, ...]
    place: Place
    span: Span
    part: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Domain:
    """The part of a box where every g in `inequalities` is positive; periodic faces are identified."""

    coordinates: tuple[Symbol, ...]
    intervals: tuple[Interval, ...]
    has_time: bool  # whether the last coordinate is time
    inequalities: tuple[Expr, ...] = ()

    @property
    def space(self) -> tuple[Symbol, ...]:
        return self.coordinates[:-1] if self.has_time else self.coordinates

    def text_of(self, place: Place) -> str:
        """A face or surface in words."""
        match place:
            case Face(coordinate=k, upper=upper):
                interval = self.intervals[k]
                return f"at {self.coordinates[k]} = {notation(interval.end if upper else interval.start)}"
            case Surface(expr=expr):
                return f"where {notation(expr)} = 0"
            case _:
                assert_never(place)


@dataclass(frozen=True)
class ScalarUnknown:
    """A scalar unknown, or a component of a vector unknown."""

    name: str
    head: Symbol
    index: int | None  # in its unknown, counted from one; None for a scalar
    sign: Sign = Sign.ANY


@dataclass(frozen=True)
class Measurements:
    """Measurements of components, in a file written by numpy's savez: an array for each coordinate and component, by
    name, or `points` (n, k) and `values` (n, c)."""

    components: tuple[int, ...]
    file: str
    span: Span


@dataclass(frozen=True)
class StrongForm:
    """The strong form: equations, conditions, domain, exact solution, learned parameters and measurements."""

    theorem: Theorem
    components: tuple[ScalarUnknown, ...]
    domain: Domain
    equations: tuple[Residual, ...]
    conditions: tuple[ConditionResidual, ...]
    exact: tuple[Expr | None, ...]  # the exact solution of each component, or None
    parameters: tuple[Learned, ...] = ()  # learned besides the unknowns: an inverse problem
    measurements: tuple[Measurements, ...] = ()

    @cached_property
    def defined_up_to_constant(self) -> tuple[int, ...]:
        """The components that occur only through spatial derivatives, such as a pressure: defined up to a constant."""
        imposed = (r for c in self.conditions for r in c.residuals)
        space = len(self.domain.space)
        derivatives = (d for r in (*self.equations, *imposed) for d in r.derivatives)
        fixed = {d.component for d in derivatives if not any(d.orders[:space])}
        fixed |= {c for o in self.measurements for c in o.components}
        return tuple(c for c in range(len(self.components)) if c not in fixed)

    @cached_property
    def is_affine(self) -> bool:
        """Whether equations and conditions are affine in the unknowns, and nothing else is learned."""
        imposed = (r for c in self.conditions for r in c.residuals)
        return not self.parameters and all(r.affine is not None for r in (*self.equations, *imposed))
