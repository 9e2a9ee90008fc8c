"""Complementarity problems: nested minima and maxima of operators that are affine in the unknown.

min(L u - f, u - ψ) = 0 is the obstacle problem u ≥ ψ, L u ≥ f, (L u - f)(u - ψ) = 0 (Kinderlehrer, Stampacchia 1980); a
minimum of several differential operators is a Hamilton-Jacobi-Bellman equation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sympy import Expr

from pdedsl.ir.residual import Residual, SecondOrderOperator
from pdedsl.record import Record

T = TypeVar("T")


class Extremum(Record):
    """The minimum or the maximum of operators, by their numbers, and of other extrema."""

    is_minimum: bool
    options: tuple[int | Extremum, ...]

    @property
    def opposite(self) -> Extremum:
        """With -min(a, b) = max(-a, -b)."""
        options = tuple(o if isinstance(o, int) else o.opposite for o in self.options)
        return Extremum(not self.is_minimum, options)

    def reduce(self, leaf: Callable[[int], T], choose: Callable[[bool, list[T]], T]) -> T:
        """The value, with `choose(is_minimum, values)` at every extremum."""
        values = [leaf(o) if isinstance(o, int) else o.reduce(leaf, choose) for o in self.options]
        return choose(self.is_minimum, values)


class AffineOperator(Record):
    """mass ∂u/∂t + A:∇∇u + b·∇u + c u + f, and the sign with which it increases with u at a node: that of -A, of the
    mass in a problem forward in time, or of c in a bound."""

    residual: Residual
    operator: SecondOrderOperator
    mass: Expr
    sign: int

    @property
    def is_differential(self) -> bool:
        """Whether derivatives occur; otherwise it is a bound for the unknown."""
        return self.mass != 0 or any(a != 0 for *_, a in self.operator.matrix) or any(self.operator.drift)


class Complementarity(Record):
    """`extremum` of the operators vanishes. Their signs are positive, unless the problem is ill-posed."""

    extremum: Extremum
    operators: tuple[AffineOperator, ...]

    @property
    def is_evolution(self) -> bool:
        return any(o.mass != 0 for o in self.operators)
