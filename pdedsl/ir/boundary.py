"""Boundary and initial conditions: Dirichlet, Neumann, Robin, periodic and general ones, on faces and level sets.

Elaboration makes the types of the conditions of a spec once, as `Spec.boundary_conditions`; provers and methods match
on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Self

from sympy import Add, Expr, KroneckerDelta, S, Symbol, sqrt

from pdedsl.diagnostics import NOWHERE, Span
from pdedsl.ir.residual import Affine, Derivative, Residual
from pdedsl.record import Record
from pdedsl.symbolic.evaluate import is_numerically_equal
from pdedsl.symbolic.mesh_domain import MeshBoundary
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import substitute
from pdedsl.symbolic.symbols import Component, Field, atoms

Normal = tuple[Expr, ...]  # one entry for each coordinate of space


class Face(Record):
    """A face of the space-time box: a coordinate at its lower or upper end."""

    coordinate: int
    upper: bool

    @property
    def name(self) -> str:
        return face_names(self.coordinate)[self.upper]

    @property
    def sign(self) -> int:
        """The only nonzero component of the outer normal."""
        return 1 if self.upper else -1

    def normal(self, space: Sequence[Symbol]) -> Normal:
        return tuple(self.sign * S.One if k == self.coordinate else S.Zero for k in range(len(space)))

    def with_normal(self, expr: Expr, space: Sequence[Symbol]) -> Expr:
        """The expression with the outer normal of this face; its indices may be symbolic."""
        components = normal_components(expr, space)
        return expr.xreplace({c: self.sign * KroneckerDelta(c.args[1], self.coordinate + 1) for c in components})


class LevelSet(Record):
    """The level set F = 0 in the closed domain. On the boundary of an irregular domain F is its g > 0."""

    expr: Expr
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The physical group of a mesh, or the equation."""
        return self.expr.part if isinstance(self.expr, MeshBoundary) else f"{notation(self.expr)} = 0"

    def normal(self, space: Sequence[Symbol]) -> Normal:
        """The outer normal -∇F/‖∇F‖."""
        if isinstance(self.expr, MeshBoundary):
            return self.expr.normal
        gradient = [self.expr.diff(x) for x in space]
        norm = sqrt(Add(*(s**2 for s in gradient)))
        return tuple(-s / norm for s in gradient)

    def with_normal(self, expr: Expr, space: Sequence[Symbol]) -> Expr:
        """The expression with the outer normal, in coordinates."""
        components = normal_components(expr, space)
        normal = self.normal(space) if components else ()
        return expr.xreplace({c: normal[int(c.args[1]) - 1] for c in components})


Place = Face | LevelSet


def face_names(k: int) -> tuple[str, str]:
    """The names of the lower and upper face of axis k, counted from zero."""
    named = (("left", "right"), ("bottom", "top"), ("back", "front"))
    return named[k] if k < 3 else (f"low{k + 1}", f"high{k + 1}")


def normal_components(expr: Expr, space: Sequence[Symbol]) -> frozenset[Expr]:
    """The components of the outer normal that occur in an expression."""
    return frozenset(c for c in atoms(expr, Component) if c.args[0] not in space)


# ---- Types of scalar conditions
#
# In a spec, their expressions contain the other unknowns as fields; in a problem in strong form, where every component
# is an unknown, a condition on several of them is general.


class Dirichlet(Record):
    """u_c = value."""

    component: int
    value: Expr

    def map(self, change: Callable[[Expr], Expr]) -> Self:
        """The condition with changed expressions."""
        return replace(self, value=change(self.value))


class Robin(Record):
    """alpha u_c + beta ∂u_c/∂n = value with the outer normal n and beta ≠ 0; Neumann if alpha = 0."""

    component: int
    alpha: Expr
    beta: Expr
    value: Expr

    def map(self, change: Callable[[Expr], Expr]) -> Self:
        """The condition with changed expressions."""
        return replace(self, alpha=change(self.alpha), beta=change(self.beta), value=change(self.value))

    @property
    def is_neumann(self) -> bool:
        return bool(self.alpha == 0)

    @property
    def is_homogeneous_neumann(self) -> bool:
        return bool(self.alpha == 0 and self.value == 0)


class Periodic(Record):
    """∂ᵏu_c(end) = sign · ∂ᵏu_c(start) + jump along an axis, with k = `order`; antiperiodic if the sign is -1."""

    component: int
    axis: int
    sign: int
    jump: Expr
    order: int = field(default=0, repr=False)  # zero in a problem in strong form, for derivatives of all orders

    def map(self, change: Callable[[Expr], Expr]) -> Self:
        """The condition with changed expressions."""
        return replace(self, jump=change(self.jump))


class General(Record):
    """Any other condition: nonlinear, oblique, of higher order, degenerate, or for several components. A type that only
    some methods treat is a subclass: the others treat it by its residual, or refuse it."""

    residual: Residual

    def map(self, change: Callable[[Expr], Expr]) -> Self:
        """The condition with changed expressions."""
        return replace(self, residual=replace(self.residual, expr=change(self.residual.expr)))


LocalCondition = Dirichlet | Robin | General
BoundaryCondition = LocalCondition | Periodic


class InitialCondition(Record):
    """Initial or terminal condition ∂ⁿu_c/∂tⁿ = value with n = `order`."""

    component: int
    order: int
    value: Expr

    def map(self, change: Callable[[Expr], Expr]) -> Self:
        """The condition with changed expressions."""
        return replace(self, value=change(self.value))


class ScalarCondition(Record):
    """One scalar condition: its type, its place, and its number as (condition, residual). A periodic condition, or
    another one that joins faces, has each of its faces as a place."""

    kind: InitialCondition | BoundaryCondition
    place: Place
    part: tuple[Expr, ...]
    span: Span
    number: tuple[int, int]


class ConditionResidual(Record):
    """An initial, terminal or boundary condition of a problem: residuals that vanish on a face or level set, restricted
    to the part where every g in `part` is positive, and the type of each."""

    residuals: tuple[Residual, ...]
    kinds: tuple[InitialCondition | LocalCondition, ...] = field(repr=False)
    place: Place
    span: Span
    part: tuple[Expr, ...] = ()

    def map(self, change: Callable[[Expr], Expr]) -> ConditionResidual:
        """The condition with changed coefficients and data."""
        residuals = tuple(replace(r, expr=change(r.expr)) for r in self.residuals)
        return replace(self, residuals=residuals, kinds=tuple(kind.map(change) for kind in self.kinds))

    def with_residuals(self, residuals: tuple[Residual, ...], space: Sequence[Symbol]) -> ConditionResidual:
        """The condition of a derived problem, in other unknowns; its types follow from its residuals."""
        in_time = isinstance(self.place, Face) and self.place.coordinate == len(space)
        normal = () if in_time else self.place.normal(space)
        kinds = (initial_condition(r) if in_time else classify(r, normal) for r in residuals)
        return replace(self, residuals=residuals, kinds=tuple(kinds))


def classify(residual: Residual, normal: Normal, on_face: Mapping[Expr, Expr] | None = None) -> LocalCondition:
    """The type of a boundary condition; `normal` is the outer normal, `on_face` the value of the coordinate that is
    constant there."""
    if residual.affine is None:
        return General(residual)
    there = [(d, c, substitute(c, on_face or {})) for d, c in residual.affine.terms]
    terms = [(d, c, end) for d, c, end in there if end != 0]
    if len({d.component for d, _, _ in terms}) != 1 or any(d.order > 1 for d, _, _ in terms):
        return General(residual)
    component, value = terms[0][0].component, -residual.affine.inhomogeneity
    alpha, alpha_there = next(((c, end) for d, c, end in terms if not d.order), (S.Zero, S.Zero))
    gradient = {d.orders.index(1): c for d, c, _ in terms if d.order}
    if not gradient:
        return Dirichlet(component, value / alpha) if alpha_there.is_nonzero else General(residual)
    beta = normal_coefficient(gradient, normal)
    if beta is None or not substitute(beta, on_face or {}).is_nonzero:
        return General(residual)
    return Robin(component, alpha, beta, value)


def normal_coefficient(gradient: Mapping[int, Expr], normal: Normal) -> Expr | None:
    """β of b·∇u = β ∂u/∂n, if b = β n; None for an oblique derivative or a derivative in time."""
    if set(gradient) != {k for k, n in enumerate(normal) if n != 0}:
        return None
    first, *others = (c / normal[k] for k, c in gradient.items())
    is_parallel = all(c == first or (not c.has(Field) and is_numerically_equal(first, c)) for c in others)
    return first if is_parallel else None


def initial_condition(residual: Residual) -> InitialCondition | General:
    """The prescribed value or time derivative; time is the last coordinate."""
    match residual.affine:
        case Affine(terms=((Derivative(orders=(*space, order)) as d, factor),), inhomogeneity=rest) if not any(space):
            return InitialCondition(d.component, order, -rest / factor)
        case _:
            return General(residual)
