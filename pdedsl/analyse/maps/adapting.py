"""A network on pixels run with adaptive steps in floating-point numbers, by the same rule as in `runtime`.

The error of a step is a root mean square over all channels of a sample; channels that are zero stay zero and contribute
no error. Step sizes follow `numerics.step_size`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pdedsl.numerics.integrators import Embedded
from pdedsl.numerics.step_size import SolverFailed, advanced, cut, first_size, next_size

Vector = tuple[float, ...]
Field = Callable[[Vector], Vector]
ATTEMPTS = 60  # steps attempted in one run, at most


@dataclass(frozen=True)
class Tolerances:
    """Tolerances for the error of a step: atol + rtol |y|."""

    rtol: float
    atol: float


@dataclass(frozen=True)
class Adapting:
    """A Runge-Kutta pair with its tolerances, from 0 to `end`, on states of `width` channels."""

    method: Embedded
    tolerances: Tolerances
    end: float
    width: int

    def run(self, field: Field, y: Vector) -> Vector:
        """The state at the end; raises OverflowError if it is not reached within the attempted steps."""
        t, k, h = 0.0, field(y), self._first(field, y)
        for _ in range(ATTEMPTS):
            h = cut(h, self.end - t)
            new, slope, error = self._attempt(field, y, k, h)
            ratio = self._norm(error, tuple(max(abs(a), abs(b)) for a, b in zip(y, new, strict=True)))
            size = self._next(t, h, ratio)
            if ratio <= 1:
                t, y, k = advanced(t, h, self.end), new, slope
            if t == self.end:
                return y
            h = size
        raise OverflowError

    def _next(self, t: float, h: float, ratio: float) -> float:
        try:
            return next_size(t, h, ratio, self.method.order, self.end)
        except SolverFailed as failed:
            raise OverflowError from failed

    def _attempt(self, field: Field, y: Vector, k: Vector, h: float) -> tuple[Vector, Vector, Vector]:
        """The new state, its slope, and the estimate of the error."""
        slopes, new = [k], y
        for row in self.method.rows:
            new = _sum(y, h, row, slopes)
            slopes.append(field(new))
        return new, slopes[-1], _sum((0.0,) * len(y), h, self.method.error, slopes)

    def _first(self, field: Field, y: Vector) -> float:
        """The first step size, by Hairer, Nørsett, Wanner I (1993), II.4."""
        k = field(y)
        d0, d1 = self._norm(y, y), self._norm(k, y)
        guess = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
        beyond = field(_sum(y, min(guess, self.end), (1.0,), [k]))
        d2 = self._norm(tuple(a - b for a, b in zip(beyond, k, strict=True)), y)
        return first_size(guess, d1, d2 / guess, self.method.order)

    def _norm(self, x: Vector, size: Vector) -> float:
        rtol, atol = self.tolerances.rtol, self.tolerances.atol
        return math.hypot(*(a / (atol + rtol * abs(s)) for a, s in zip(x, size, strict=True))) / math.sqrt(self.width)


def _sum(y: Vector, h: float, row: tuple[float, ...], slopes: list[Vector]) -> Vector:
    for a, k in zip(row, slopes, strict=True):
        y = tuple(b + h * a * c for b, c in zip(y, k, strict=True))
    return y
