"""Process: the random motion behind a linear equation for a scalar, and what accumulates along its paths.

With G = b·∇ + A:∇∇ + c and dX = b ds + √(2A) dB, a solution of ∂u/∂t = G u + f (from initial data), of
∂u/∂t + G u + f = 0 (from terminal data) or of G u + f = 0 is u = E[e^{∫c} u(X at the end) + ∫ e^{∫c} f ds].
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain

from sympy import Add, Expr, Max, Symbol

from pdedsl.ir.problem import Domain, Place, Surface


@dataclass(frozen=True)
class Absorption:
    """u = value: paths end here."""

    value: Expr


@dataclass(frozen=True)
class Reflection:
    """∂u/∂n + rate·u = value, n outwards: paths are reflected, and accumulate by their local time."""

    rate: Expr
    value: Expr


@dataclass(frozen=True)
class ProcessBoundary:
    """What happens to paths at a place, or on the part of it where every g in `part` is positive."""

    place: Place
    event: Absorption | Reflection
    part: tuple[Expr, ...] = ()


class TimeDirection(Enum):
    """How the time of the equation runs along a path: backward to initial data, or forward to terminal data."""

    BACKWARD = -1
    FORWARD = 1


@dataclass(frozen=True)
class TimeCondition:
    """Paths end when they reach the data, where u = value."""

    direction: TimeDirection
    value: Expr


@dataclass(frozen=True)
class DiffusionProcess:
    """Coefficients, data and sides; `matrix` holds the nonzero entries (i, j, Aᵢⱼ) with i ≤ j."""

    domain: Domain
    drift: tuple[Expr, ...]
    matrix: tuple[tuple[int, int, Expr], ...]
    rate: Expr
    source: Expr
    data: TimeCondition | None  # None for a stationary equation
    boundaries: tuple[ProcessBoundary, ...]

    @property
    def dimension(self) -> int:
        return len(self.drift)

    @cached_property
    def has_exact_step(self) -> bool:
        """Whether a single step of any length has the exact law of the path and of what accumulates along it."""
        return not self.boundaries and self.source == 0 and not self._varying((*self.drift, self.rate, *self._entries))

    @cached_property
    def is_brownian(self) -> bool:
        """Whether it is aΔu + f = 0, a constant, paths end at all sides, and curves are quadratic: walk on spheres."""
        diagonal = {(i, i): a for i, _, a in self.matrix}
        alike = len(self.matrix) == len(diagonal) == self.dimension and len(set(diagonal.values())) == 1
        calm = not any((*self.drift, self.rate)) and not self._varying(self._entries)
        ends = all(isinstance(s.event, Absorption) for s in self.boundaries)
        return (
            self.data is None
            and alike
            and calm
            and ends
            and all(self.curvature_bound(g) is not None for g in self.curves)
        )

    @cached_property
    def curves(self) -> tuple[Expr, ...]:
        """The functions g of the shape, each once."""
        return tuple(dict.fromkeys(s.place.expr for s in self.boundaries if isinstance(s.place, Surface)))

    def curvature_bound(self, curve: Expr) -> Expr | None:
        """M ≥ 0 with g(x + h) ≥ g(x) + ∇g(x)·h - ½M|h|² for all x and h, if g is quadratic (Gershgorin); else None."""
        space = self.domain.space
        slopes = [curve.diff(x) for x in space]
        rows = [[slope.diff(y) for y in space] for slope in slopes]
        if self._varying(tuple(chain.from_iterable(rows))):
            return None
        return Max(0, *(-row[k] + Add(*(abs(h) for j, h in enumerate(row) if j != k)) for k, row in enumerate(rows)))

    @property
    def _entries(self) -> tuple[Expr, ...]:
        return tuple(a for _, _, a in self.matrix)

    def _varying(self, exprs: tuple[Expr, ...]) -> set[Symbol]:
        return set(chain.from_iterable(e.free_symbols for e in exprs))
