"""Weak form of a boundary value problem: integrals over the domain and its boundary that vanish for all test functions.

For every test function v of an equation: ∫ m · ∂u/∂t v + F(u, ∇u) · ∇v + S(u, ∇u) v dx + ∮ B(u, ∇u) v ds = 0, where u
satisfies the essential conditions (Brenner, Scott 2008, ch. 0 and 5).
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property

from sympy import Expr, S, Symbol

from pdedsl.diagnostics import Span
from pdedsl.ir.boundary import Place
from pdedsl.ir.complementarity import Complementarity
from pdedsl.ir.problem import Domain
from pdedsl.ir.residual import Derivative
from pdedsl.record import Record

MAX_EDGE_ORDER = {2: 3, 3: 1}  # of Nédélec elements, by the dimension of space


class TrialFunction(Record):
    """An unknown of the weak form: a component of the problem, a time derivative of it, or an auxiliary function."""

    name: str
    component: int | None  # None for an auxiliary function
    time_order: int = 0
    is_multiplier: bool = False  # of a constraint, like a pressure: continuous elements of one order less
    is_prescribed: bool = False  # a multiplier with a value on a part of the boundary, such as an outlet
    edge_component: int | None = None  # of a vector field in H(curl), whose trial functions follow one another


class WeakEquation(Record):
    """Volume integrals with the test function v of a trial function: masses · ∂u/∂t v + fluxes · ∇v + source · v."""

    trial: int
    fluxes: tuple[Expr, ...]  # one for each coordinate of space
    source: Expr
    masses: tuple[Expr, ...]  # coefficient of ∂u/∂t for each trial function
    span: Span


class BoundaryIntegral(Record):
    """∮ integrand · v ds over a place, or its part where every g in `part` is positive."""

    trial: int
    integrand: Expr
    place: Place
    part: tuple[Expr, ...]
    span: Span


class PointLoad(Record):
    """strength · v(point): the integral of a point source; the strength is a function of time."""

    trial: int
    point: tuple[float, ...]
    strength: Expr


class EssentialCondition(Record):
    """u = value on a place, or its part: imposed on trial functions, and test functions vanish there."""

    trial: int
    value: Expr
    place: Place
    part: tuple[Expr, ...]
    span: Span


class NodalConstraint(Record):
    """An extremum of operators that vanishes at the nodes of elements of first degree; `differential` is the number of
    the operator with derivatives, whose residual is that of the weak form. The others are bounds."""

    complementarity: Complementarity
    differential: int


class WeakForm(Record):
    """Equations, boundary integrals, essential conditions and initial values, in jet variables of order at most one."""

    trials: tuple[TrialFunction, ...]
    jets: tuple[tuple[Symbol, Derivative], ...]  # of trial functions, in coordinates of space
    normal: tuple[Symbol, ...]  # components of the outer normal in boundary integrals
    equations: tuple[WeakEquation, ...]
    boundary_integrals: tuple[BoundaryIntegral, ...]
    essential: tuple[EssentialCondition, ...]
    initial: tuple[Expr | None, ...]  # of each trial function; None if it has no time derivative
    domain: Domain = field(repr=False)
    is_backward: bool = False  # a terminal-value problem
    constraint: NodalConstraint | None = None  # of an obstacle problem
    point_loads: tuple[PointLoad, ...] = field(default=(), repr=False)

    @property
    def has_edge_elements(self) -> bool:
        """Whether the unknowns are vector fields in H(curl), with Nédélec elements."""
        return any(t.edge_component is not None for t in self.trials)

    @cached_property
    def jet_symbols(self) -> tuple[tuple[Symbol, ...], ...]:
        """For each trial function the symbols of its value and of its derivatives."""
        by_derivative = {d: s for s, d in self.jets}
        dimension = len(self.domain.space)
        units = [tuple(int(i == k) for i in range(dimension)) for k in range(-1, dimension)]
        return tuple(tuple(by_derivative[Derivative(k, unit)] for unit in units) for k in range(len(self.trials)))

    @cached_property
    def differential(self) -> tuple[int, ...]:
        """The trial functions with a time derivative."""
        return tuple(k for k in range(len(self.trials)) if any(e.masses[k] != 0 for e in self.equations))

    @cached_property
    def boundary_regions(self) -> tuple[tuple[Place, tuple[Expr, ...]], ...]:
        """The places and parts with boundary integrals or essential conditions."""
        natural = [(b.place, b.part) for b in self.boundary_integrals]
        return tuple(dict.fromkeys([*natural, *((c.place, c.part) for c in self.essential)]))

    def degrees(self, order: int) -> tuple[int, ...]:
        """Degrees of the elements of every trial function; with multipliers those of Taylor and Hood, at least 2 and
        1. Obstacle problems have elements of first degree, which satisfy a bound everywhere if they do at the nodes."""
        if self.constraint is not None:
            return (1,) * len(self.trials)
        if self.has_edge_elements:
            return (min(order, MAX_EDGE_ORDER[len(self.domain.space)]),) * len(self.trials)
        order = max(order, 2) if any(t.is_multiplier for t in self.trials) else order
        return tuple(order - t.is_multiplier for t in self.trials)

    @cached_property
    def is_linear(self) -> bool:
        """Whether all integrands are affine in the trial functions."""
        symbols = {s for s, _ in self.jets}
        integrands = [e for w in self.equations for e in (*w.fluxes, w.source)]
        integrands += [b.integrand for b in self.boundary_integrals]
        return not any(
            e.diff(s).free_symbols & symbols for e in integrands for s in e.free_symbols & symbols if e is not S.Zero
        )

    @cached_property
    def defined_up_to_constant(self) -> tuple[int, ...]:
        """Trial functions without a value anywhere, such as the pressure of an enclosed flow, or the solution of a
        Neumann problem."""
        return tuple(
            k for k, t in enumerate(self.trials) if not (self._is_fixed(k) if t.is_multiplier else self._has_value(k))
        )

    def _has_value(self, trial: int) -> bool:
        """Whether a function that is no multiplier occurs itself, not only its derivatives in space."""
        integrands = [e for w in self.equations for e in (*w.fluxes, w.source)]
        integrands += [b.integrand for b in self.boundary_integrals]
        return (
            trial in self.differential
            or any(c.trial == trial for c in self.essential)
            or any(self.jet_symbols[trial][0] in e.free_symbols for e in integrands)
        )

    def _is_fixed(self, trial: int) -> bool:
        """Whether a multiplier is determined: by a boundary where the test functions that it acts on do not vanish."""
        acts_on = {
            e.trial for e in self.equations if any(self.jet_symbols[trial][0] in f.free_symbols for f in e.fluxes)
        }
        essential = {(c.place, c.part) for c in self.essential if c.trial in acts_on}
        open_boundary = {(b.place, b.part) for b in self.boundary_integrals if b.trial in acts_on} - essential
        own = any(self.jet_symbols[trial][0] in e.source.free_symbols for e in self.equations)
        return self.trials[trial].is_prescribed or bool(open_boundary) or own
