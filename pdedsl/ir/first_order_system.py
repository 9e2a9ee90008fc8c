"""First-order system in time M ∂w/∂t = F(w), 0 = G(w), with its face conditions: the input of the grid solvers.

The variables w are the components and their time derivatives below the highest order. Differential variables have a
time derivative, algebraic variables have none (a pressure; all variables of a stationary problem). Jets are the spatial
derivatives of variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from sympy import Expr, Symbol

from pdedsl.ir.boundary import Face, LocalCondition
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, NonlocalTerm
from pdedsl.record import Record


class LearnedParameter(Record):
    """A learned number or function in an expression: its component `indices`, differentiated in `slots`."""

    symbol: Symbol
    name: str
    indices: tuple[int, ...]
    slots: tuple[int, ...]


class FaceCondition(Record):
    """expr = 0 on a face, in terms of jets; `variable` is the first one with the highest normal derivative.

    `kind` is its type, with symbols for parameters. `differentiated` is the condition differentiated in time up to the
    highest variable of the component (index reduction): it implies the condition if the initial values satisfy it.
    """

    expr: Expr
    differentiated: Expr
    place: Face
    variable: int
    normal: int  # order of the highest derivative normal to the face
    kind: LocalCondition
    part: tuple[Expr, ...] = ()


class DerivativeJump(Record):
    """[∂ᵐu/∂xᵐ] = value of a variable at x = place on an axis, a function of the other coordinates and time; the
    derivatives of lower order are continuous."""

    variable: int
    axis: int
    place: float
    order: int
    value: Expr


class FirstOrderSystem(Record):
    """∂w/∂t = rhs for the variables in `differential`, 0 = constraints; initial values; face conditions."""

    statement: StrongForm = field(repr=False)
    variables: tuple[tuple[int, int], ...]  # a component, and the order of its time derivative
    jets: tuple[tuple[Symbol, Derivative], ...]  # a symbol for each derivative of a variable in space
    differential: tuple[int, ...]
    rhs: tuple[Expr, ...]
    constraints: tuple[Expr, ...]
    initial: tuple[Expr, ...]  # one for each differential variable
    face_conditions: tuple[FaceCondition, ...]
    backward: bool  # terminal-value problem
    parameters: tuple[LearnedParameter, ...]
    nonlocal_terms: tuple[tuple[Symbol, NonlocalTerm], ...] = ()  # with variables as components
    derivative_jumps: tuple[DerivativeJump, ...] = field(default=(), repr=False)  # at point sources

    @cached_property
    def jet_derivatives(self) -> Mapping[Symbol, Derivative]:
        return dict(self.jets)

    @property
    def algebraic(self) -> tuple[int, ...]:
        """The variables without a time derivative, in the order of the constraints."""
        return tuple(k for k in range(len(self.variables)) if k not in self.differential)

    @cached_property
    def defined_up_to_constant(self) -> tuple[int, ...]:
        """Algebraic variables that occur only through spatial derivatives and in no face condition: pressures."""
        bound = {d.component for s in self.face_conditions for _, d in self.jets_in(s.expr)}
        plain = {d.component for _, d in self.jets if d.order == 0}
        values = (v.derivative for _, term in self.nonlocal_terms for _, v in term.values)
        plain |= {d.component for d in values if d.order == 0}
        return tuple(k for k in self.algebraic if k not in bound | plain)

    @property
    def has_history(self) -> bool:
        """Whether values before the initial time occur: one axis is time."""
        return any(v.history is not None for _, term in self.nonlocal_terms for _, v in term.values)

    @property
    def time_dependent(self) -> set[str]:
        """The learned functions of time."""
        domain = self.statement.domain
        return {p.name for p in self.statement.parameters if domain.has_time and domain.coordinates[-1] in p.arguments}

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        return self.statement.domain.coordinates

    def jets_in(self, *exprs: Expr) -> tuple[tuple[Symbol, Derivative], ...]:
        symbols = set().union(*(e.free_symbols for e in exprs)) if exprs else set()
        return tuple((s, d) for s, d in self.jets if s in symbols)
