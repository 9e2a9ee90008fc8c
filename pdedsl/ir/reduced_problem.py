"""Linear problem of a family for its projection onto a reduced basis: coefficients that depend on the parameters."""

from __future__ import annotations

from functools import cached_property

from sympy import Expr, S, Symbol

from pdedsl.ir.problem import Domain
from pdedsl.ir.residual import Affine
from pdedsl.record import Record


class ReducedProblem(Record):
    """Σ a(x, t; μ) ∂^α u + f(x, t; μ) = 0 for each equation, with at most one derivative in time, of first order, under
    boundary conditions that depend neither on the parameters nor on time.

    `parameters` are the symbols of μ, in the order of the family. The basis functions satisfy the homogeneous boundary
    conditions; the solution is their combination plus, unless `is_homogeneous`, a fixed function.
    """

    domain: Domain
    equations: tuple[Affine, ...]
    evolving: tuple[int, ...]  # for each equation the component with a derivative in time; empty if stationary
    initial: tuple[Expr, ...]  # of each component; empty if stationary
    is_homogeneous: bool
    is_backward: bool
    parameters: tuple[Symbol, ...]

    @cached_property
    def is_autonomous(self) -> bool:
        """Whether coefficients and sources do not depend on time."""
        time = self.domain.coordinates[-1] if self.domain.has_time else None
        exprs = (e for a in self.equations for e in (a.inhomogeneity, *(c for _, c in a.terms)))
        return not any(time in e.free_symbols for e in exprs)

    def mass(self, k: int) -> Expr:
        """The coefficient of the derivative in time of equation k."""
        return next((c for d, c in self.equations[k].terms if self.is_in_time(d.orders)), S.Zero)

    def is_in_time(self, orders: tuple[int, ...]) -> bool:
        return self.domain.has_time and bool(orders[-1])
