"""Strong form of an initial-boundary value problem: scalar residuals of equations and conditions.

Vectors, divergences and sums over components are expanded, so that every method (random features, PINN, grid, Monte
Carlo) starts from the same scalar expressions. Coordinates are those of space, in order, then time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import assert_never

from sympy import Add, Expr, Symbol

from pdedsl.diagnostics import Span
from pdedsl.ir.boundary import ConditionResidual, Face, LevelSet, Periodic, Place, ScalarCondition
from pdedsl.ir.component_form import ScalarUnknown
from pdedsl.ir.residual import Residual
from pdedsl.ir.spec import EigenvalueUnknown, Interval, Learned, Metric
from pdedsl.ir.theorem import Theorem
from pdedsl.record import Record
from pdedsl.symbolic.data_functions import DataFunction, DataSource
from pdedsl.symbolic.mesh_domain import MeshBoundary
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import atoms


class Domain(Record):
    """The part of a box where every g in `inequalities` is positive; periodic faces are identified."""

    coordinates: tuple[Symbol, ...]
    intervals: tuple[Interval, ...]
    has_time: bool  # whether the last coordinate is time
    inequalities: tuple[Expr, ...] = ()
    metric: Metric | None = None  # None in Cartesian coordinates

    @property
    def mesh_boundary(self) -> MeshBoundary | None:
        """A level function of the mesh of the domain; None if it has none."""
        return next((g for g in self.inequalities if isinstance(g, MeshBoundary)), None)

    @property
    def space(self) -> tuple[Symbol, ...]:
        return self.coordinates[:-1] if self.has_time else self.coordinates

    def is_in_time(self, place: Place) -> bool:
        """Whether it is the face at the initial or terminal time."""
        return self.has_time and isinstance(place, Face) and place.coordinate == len(self.coordinates) - 1

    def text_of(self, place: Place) -> str:
        """A face or level set in words."""
        match place:
            case Face(coordinate=k, upper=upper):
                interval = self.intervals[k]
                return f"at {self.coordinates[k]} = {notation(interval.end if upper else interval.start)}"
            case LevelSet(expr=MeshBoundary(part=part)):
                return f"on {part}"
            case LevelSet():
                return f"where {place.name}"
            case _:
                assert_never(place)


class Measurements(Record):
    """Measurements of components, in a file written by numpy's savez: an array for each coordinate and component, by
    name, or `points` (n, k) and `values` (n, c)."""

    components: tuple[int, ...]
    file: str
    span: Span


class StrongForm(Record):
    """The strong form: equations, conditions, domain, exact solution, learned parameters and measurements."""

    theorem: Theorem
    components: tuple[ScalarUnknown, ...]
    domain: Domain
    equations: tuple[Residual, ...]
    conditions: tuple[ConditionResidual, ...]
    exact: tuple[Expr | None, ...]  # the exact solution of each component, or None
    parameters: tuple[Learned, ...] = ()  # learned besides the unknowns: an inverse problem
    measurements: tuple[Measurements, ...] = ()
    normalizations: tuple[tuple[int, Residual], ...] = ()  # of components, by integrals over the domain
    periodic: tuple[Periodic, ...] = ()  # conditions with a sign or a jump; their axes are periodic in the domain
    eigenvalue: EigenvalueUnknown | None = None  # of an eigenproblem; its parts are symbols of the residuals

    @cached_property
    def scalar_conditions(self) -> tuple[ScalarCondition, ...]:
        """Every scalar initial, terminal and boundary condition with its type; periodic ones are in `periodic`."""
        return tuple(
            ScalarCondition(kind, c.place, c.part, c.span, (n, k))
            for n, c in enumerate(self.conditions)
            for k, kind in enumerate(c.kinds)
        )

    @cached_property
    def natural_outflow(self) -> tuple[Place, ...]:
        """Where the pressure is given, and a component with derivatives of second order has no condition: the weak form
        has natural conditions there."""
        space = len(self.domain.space)
        diffused = {d.component for r in self.equations for d in r.derivatives if sum(d.orders[:space]) > 1}
        at: dict[Place, set[int]] = {}
        for condition in self.conditions:
            if not self.domain.is_in_time(condition.place):
                own = {d.component for r in condition.residuals for d in r.derivatives}
                at.setdefault(condition.place, set()).update(own)
        return tuple(place for place, given in at.items() if given - diffused and diffused - given)

    @cached_property
    def antiperiodic_axes(self) -> tuple[int, ...]:
        return tuple(sorted({p.axis for p in self.periodic if p.sign < 0}))

    @cached_property
    def lifts(self) -> tuple[Expr, ...]:
        """For each component the sum of jump · (x - a)/(b - a) over its axes: without it, the component is periodic."""
        parts: list[list[Expr]] = [[] for _ in self.components]
        for p in self.periodic:
            x, interval = self.domain.coordinates[p.axis], self.domain.intervals[p.axis]
            parts[p.component].append(p.jump * (x - interval.start) / (interval.end - interval.start))
        return tuple(Add(*terms) for terms in parts)

    @cached_property
    def is_backward(self) -> bool:
        """Whether it is a terminal-value problem."""
        places = (c.place for c in self.conditions if self.domain.is_in_time(c.place))
        return any(isinstance(p, Face) and p.upper for p in places)

    @cached_property
    def defined_up_to_constant(self) -> tuple[int, ...]:
        """The components that occur only through spatial derivatives, such as a pressure: defined up to a constant."""
        imposed = (r for c in self.conditions for r in c.residuals)
        space = len(self.domain.space)
        derivatives = (d for r in (*self.equations, *imposed) for d in r.derivatives)
        fixed = {d.component for d in derivatives if not any(d.orders[:space])}
        fixed |= {c for o in self.measurements for c in o.components}
        fixed |= {p.component for p in self.periodic if p.sign < 0}
        terms = (term for r in self.residuals for _, term in r.nonlocal_terms if not term.power)
        values = (v for term in terms for _, v in term.values)
        fixed |= {v.derivative.component for v in values if not v.derivative.order}
        return tuple(c for c in range(len(self.components)) if c not in fixed)

    @cached_property
    def is_affine(self) -> bool:
        """Whether equations and conditions are affine in the unknowns, and nothing else is learned."""
        return not self.parameters and all(r.is_affine for r in self.residuals)

    @cached_property
    def residuals(self) -> tuple[Residual, ...]:
        """Of the equations, the conditions and the normalizations."""
        imposed = (r for c in self.conditions for r in c.residuals)
        return (*self.equations, *imposed, *(r for _, r in self.normalizations))

    @cached_property
    def data_sources(self) -> tuple[DataSource, ...]:
        """The arrays of files in coefficients, sources and conditions."""
        integrands = (term.integrand for r in self.residuals for _, term in r.nonlocal_terms)
        exprs = (*(r.expr for r in self.residuals), *integrands)
        return tuple(dict.fromkeys(f.source for e in exprs for f in sorted(atoms(e, DataFunction), key=str)))

    @cached_property
    def local_part(self) -> StrongForm:
        """The problem without its nonlocal terms: its principal part, by which networks and costs are estimated."""
        if not self.is_nonlocal:
            return self
        conditions = tuple(
            c.with_residuals(tuple(r.local_part for r in c.residuals), self.domain.space) for c in self.conditions
        )
        equations = tuple(r.local_part for r in self.equations)
        return replace(self, equations=equations, conditions=conditions, normalizations=())

    @cached_property
    def is_nonlocal(self) -> bool:
        """Whether integrals or values at other points occur."""
        return any(r.nonlocal_terms for r in self.residuals)
