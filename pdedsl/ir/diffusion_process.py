"""Diffusion process of a linear scalar equation, and the Feynman-Kac functional along its paths.

With G = b·∇ + A:∇∇ + c and dX = b ds + √(2A) dB, a solution of ∂u/∂t = G u + f (from initial data), of
∂u/∂t + G u + f = 0 (from terminal data) or of G u + f = 0 is u = E[e^{∫c} u(X_τ) + ∫ e^{∫c} f ds], τ the exit time.
A semilinear equation has a function F(x, t, u) beside f: then the formula is a fixed-point equation.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from functools import cached_property
from itertools import chain

from sympy import Add, Expr, Max, S, Symbol, cancel

from pdedsl.ir.boundary import LevelSet, Place
from pdedsl.ir.problem import Domain
from pdedsl.record import Record


class Absorption(Record):
    """Dirichlet condition u = value: paths are absorbed."""

    value: Expr


class Reflection(Record):
    """Neumann or Robin condition ∂u/∂n + rate·u = value, n outwards: paths are reflected, and `rate` and `value` are
    integrated against the boundary local time."""

    rate: Expr
    value: Expr


class ProcessBoundary(Record):
    """Absorption or reflection on a face or surface, restricted to the part where every g in `part` is positive."""

    place: Place
    event: Absorption | Reflection
    part: tuple[Expr, ...] = ()


class TimeDirection(Enum):
    """PDE time along a path: backward to the initial condition, or forward to the terminal condition."""

    BACKWARD = -1
    FORWARD = 1


class TimeCondition(Record):
    """Initial or terminal condition u = value, at which paths end."""

    direction: TimeDirection
    value: Expr


class DiffusionProcess(Record):
    """Drift b, diffusion matrix A, rate c, source f, and the conditions at which paths end or are reflected; `matrix`
    holds the nonzero entries (i, j, Aᵢⱼ) with i ≤ j."""

    domain: Domain = field(repr=False)
    drift: tuple[Expr, ...]
    matrix: tuple[tuple[int, int, Expr], ...]
    rate: Expr
    source: Expr
    data: TimeCondition | None  # None for a stationary equation
    boundaries: tuple[ProcessBoundary, ...]
    nonlinearity: Expr = field(default=S.Zero, repr=False)  # F, in the coordinates and `unknown`
    unknown: Symbol | None = field(default=None, repr=False)

    @property
    def dimension(self) -> int:
        return len(self.drift)

    @cached_property
    def has_exact_step(self) -> bool:
        """Whether one step of any length is exact in law: no boundary, no source, constant coefficients."""
        return not self.boundaries and self.source == 0 and self.nonlinearity == 0 and self.is_constant

    @cached_property
    def is_constant(self) -> bool:
        """Whether drift, diffusion matrix and rate are numbers."""
        return not self._free_symbols((*self.drift, self.rate, *self._entries))

    @cached_property
    def geometric_rates(self) -> tuple[tuple[Expr, Expr], ...] | None:
        """(μ, a) for each coordinate, if bᵢ = μ xᵢ, Aᵢᵢ = a xᵢ² and the rate is a number: geometric Brownian motion."""
        entries = {i: a for i, j, a in self.matrix if i == j}
        if len(entries) < len(self.matrix) or not self.rate.is_number:
            return None
        pairs = [
            (cancel(b / x), cancel(entries.get(k, S.Zero) / x**2))
            for k, (x, b) in enumerate(zip(self.domain.space, self.drift, strict=True))
        ]
        return tuple(pairs) if all(e.is_number for pair in pairs for e in pair) else None

    @cached_property
    def is_brownian(self) -> bool:
        """Whether walk on spheres applies: aΔu + f = 0 with constant a, Dirichlet conditions, quadratic level sets."""
        diagonal = {(i, i): a for i, _, a in self.matrix}
        isotropic = len(self.matrix) == len(diagonal) == self.dimension and len(set(diagonal.values())) == 1
        pure_diffusion = not any((*self.drift, self.rate)) and not self._free_symbols(self._entries)
        absorbed = all(isinstance(b.event, Absorption) for b in self.boundaries)
        return (
            self.data is None
            and isotropic
            and pure_diffusion
            and absorbed
            and all(self.curvature_bound(g) is not None for g in self.curves)
        )

    @cached_property
    def curves(self) -> tuple[Expr, ...]:
        """The level-set functions g of the boundary, each once."""
        return tuple(dict.fromkeys(s.place.expr for s in self.boundaries if isinstance(s.place, LevelSet)))

    @cached_property
    def has_mixed_place(self) -> bool:
        """Whether a face or level set has both Dirichlet and other parts."""
        kinds = {(b.place, type(b.event)) for b in self.boundaries}
        return len(kinds) > len({b.place for b in self.boundaries})

    def curvature_bound(self, curve: Expr) -> Expr | None:
        """M ≥ 0 with g(x + h) ≥ g(x) + ∇g(x)·h - ½M|h|² for all x and h, by Gershgorin's theorem; None unless g is
        quadratic."""
        space = self.domain.space
        hessian = [[curve.diff(x).diff(y) for y in space] for x in space]
        if self._free_symbols(tuple(chain.from_iterable(hessian))):
            return None
        rows = enumerate(hessian)
        return Max(0, *(-row[k] + Add(*(abs(h) for j, h in enumerate(row) if j != k)) for k, row in rows))

    @property
    def _entries(self) -> tuple[Expr, ...]:
        return tuple(a for _, _, a in self.matrix)

    def _free_symbols(self, exprs: tuple[Expr, ...]) -> set[Symbol]:
        return set(chain.from_iterable(e.free_symbols for e in exprs))
