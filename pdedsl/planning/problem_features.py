"""Properties of a boundary value problem on which the cost of methods depends: smoothness and length scales.

The number of points per axis follows from the smallest length scale of the operator: the width ε/|b| or √(ε/|c|) of
layers, and the wavelength 2π √(ε/|c|).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import inf, isfinite, sqrt

from sympy import Abs, DiracDelta, Expr, Heaviside, Max, Min, Piecewise, sign

from pdedsl.ir.boundary import Face
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.solver_plans import MAX_LOW_DIMENSION
from pdedsl.record import Record

NONSMOOTH = (Abs, DiracDelta, Heaviside, Max, Min, Piecewise, sign)
POINTS_PER_RADIAN = 1.0  # of a wave: 2π points per wavelength, above the π that Chebyshev points need to resolve it
LAYER_POINTS = 8.0  # LAYER_POINTS √(L/δ) Chebyshev points resolve a boundary layer of width δ
BASE_POINTS = {1: 32, 2: 24, 3: 14}  # points per axis for a smooth solution, by the dimension of space


class ProblemFeatures(Record):
    """Properties of a problem on which the cost of methods depends."""

    problem: StrongForm
    has_incompatible_data: bool

    @cached_property
    def dimension(self) -> int:
        return len(self.problem.domain.space)

    @cached_property
    def is_smooth(self) -> bool:
        """Whether data and coefficients have no discontinuities or kinks, and no face has several conditions."""
        problem = self.problem
        residuals = (*problem.equations, *(r for c in problem.conditions for r in c.residuals))
        kinks = any(r.expr.has(*NONSMOOTH) for r in residuals)
        parts = any(c.part for c in problem.scalar_conditions if isinstance(c.place, Face))
        return not (self.has_incompatible_data or kinks or parts)

    @cached_property
    def smallest_scale(self) -> float:
        """The smallest length scale of the operator relative to the domain, from coefficients at its center."""
        scales = (
            s
            for r in self.problem.equations
            for component in range(len(self.problem.components))
            for s in self._scales({d: a for d, a in _coefficients(r, self.problem).items() if d.component == component})
        )
        return min(scales, default=1.0)

    def _scales(self, coefficients: dict[Derivative, float]) -> Iterator[float]:
        """From the coefficients of the derivatives of one component."""
        lengths = [float(i.end - i.start) for i in self.problem.domain.intervals][: self.dimension]
        for axis, length in enumerate(lengths):
            orders = {
                d.orders[axis]: abs(a)
                for d, a in coefficients.items()
                if d.order == d.orders[axis] and a != 0 and isfinite(a)
            }
            highest = max(orders, default=0)
            for order, a in orders.items():
                if 0 <= order < highest:
                    scale: float = (orders[highest] / a) ** (1 / (highest - order))
                    yield scale / length

    @property
    def points(self) -> float:
        """Points per axis of a spectral method: Chebyshev points resolve layers of width δ with √(L/δ) of them."""
        base, scale = BASE_POINTS.get(self.dimension, inf), self.smallest_scale
        if self.is_wave:
            return base + POINTS_PER_RADIAN / scale
        return max(base, LAYER_POINTS / sqrt(scale))

    @property
    def is_wave(self) -> bool:
        """Whether solutions oscillate at the smallest scale: the coefficients of ∂²u and u have the same sign."""
        for r in self.problem.equations:
            coefficients = _coefficients(r, self.problem)
            values = [a for d, a in coefficients.items() if d.order == 0]
            second = [a for d, a in coefficients.items() if d.order == max(d.orders) == 2]
            if any(a * b > 0 for a in values for b in second):
                return True
        return False


def _coefficients(residual: Residual, problem: StrongForm) -> dict[Derivative, float]:
    """The coefficients of the derivatives that are numbers at the center of the domain, up to three dimensions."""
    domain = problem.domain
    if len(domain.space) > MAX_LOW_DIMENSION:
        return {}
    center = {x: (i.start + i.end) / 2 for x, i in zip(domain.coordinates, domain.intervals, strict=True)}
    values = {}
    for symbol, derivative in residual.jet_variables:
        value = residual.expr.diff(symbol).xreplace(center)
        if not value.free_symbols and value.is_number:
            values[derivative] = _as_float(value)
    return values


def _as_float(value: Expr) -> float:
    try:
        return float(value)
    except TypeError:  # complex or undefined at the center
        return 0.0
