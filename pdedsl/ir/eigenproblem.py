"""Eigenproblem A u = λ B u with homogeneous conditions, in complex components."""

from __future__ import annotations

from sympy import Expr

from pdedsl.diagnostics import Span
from pdedsl.ir.boundary import Place
from pdedsl.ir.residual import Derivative
from pdedsl.ir.verdicts import Proved, Undecided, Verdict
from pdedsl.record import Record


class PencilTerm(Record):
    """(a - λ b) ∂^α u_c; the coefficients are complex expressions in the coordinates."""

    derivative: Derivative
    a: Expr
    b: Expr


class PencilRow(Record):
    """One row of (A - λB) u = 0."""

    terms: tuple[PencilTerm, ...]
    span: Span

    @property
    def has_eigenvalue(self) -> bool:
        return any(t.b != 0 for t in self.terms)


class PencilCondition(Record):
    """A homogeneous condition on a face or level set, or its part where every g in `part` is positive."""

    row: PencilRow
    place: Place
    part: tuple[Expr, ...]


class Eigenproblem(Record):
    """The pencil A - λB, one row for each component, and its conditions.

    `direction` is the limit of λ/|λ| of the large eigenvalues, or 0 if there is none: eigenvalues are ordered by
    Re(λ / direction), or by |λ|. A self-adjoint problem has real eigenvalues and orthogonal eigenfunctions. Spectral
    collocation applies if there are `reduced_counts`.
    """

    rows: tuple[PencilRow, ...]
    conditions: tuple[PencilCondition, ...]
    is_complex: bool
    direction: complex
    self_adjointness: Verdict = Undecided("not examined.")
    reduced_counts: tuple[tuple[int, ...], ...] | None = None  # by component and axis: nodes without an equation

    @property
    def is_self_adjoint(self) -> bool:
        return isinstance(self.self_adjointness, Proved)
