"""Finite-volume solver of conservation laws: MUSCL reconstruction, Rusanov flux, SSPRK3 with CFL-limited steps.

dw̄/dt = -Σ ΔF/Δx + S for the cell averages w̄ (LeVeque 2002, ch. 6), by limited linear reconstruction in each cell with
the van Leer limiter (van Leer 1979), the Rusanov flux (1961) at each face, and the strong-stability-preserving
Runge-Kutta method of Shu and Osher (1988).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from math import ceil, log2

import torch
from sympy import Expr, Symbol
from torch import Tensor

from pdedsl.ir.boundary import Face
from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.solver_plans import FiniteVolumeScheme
from pdedsl.runtime.basis.interpolation import CellAxis
from pdedsl.solvers.grid.grid_result import GridResult, GridSolveFailed, make_expansion, time_interval
from pdedsl.solvers.grid.interface_fv import make_cells
from pdedsl.solvers.grid.nodal_functions import CompiledExpressions, ParameterValue, compile_expressions, nodal_values

COURANT = 0.4  # CFL number
INTERMEDIATE_STATES = (0.25, 0.5, 0.75)  # fractions between two states, where fluxes that are not convex may be faster
MAX_STEPS = 1_000_000  # the wave speed has become unbounded if more are needed
GAUSS_RULE = ((-(0.6**0.5), 5 / 18), (0.0, 8 / 18), (0.6**0.5, 5 / 18))  # for the mean over [-1, 1], of order 6

CellRate = Callable[[Tensor, float], Tensor]


@dataclass(frozen=True)
class FiniteVolumeProblem:
    """Semidiscrete problem for cell averages, (variables, n, …)."""

    scheme: FiniteVolumeScheme
    axes: tuple[CellAxis, ...]
    parameter_values: Mapping[str, ParameterValue]
    like: Tensor

    @property
    def system(self) -> FirstOrderSystem:
        return self.scheme.system

    @property
    def widths(self) -> list[float]:
        return [(a.end - a.start) / a.n for a in self.axes]

    def _axis_coordinates(self, axis: int, positions: Tensor) -> Tensor:
        a = self.axes[axis]
        return (a.start + (a.end - a.start) / a.n * positions).reshape(
            [-1 if k == axis else 1 for k in range(len(self.axes))]
        )

    def _arange(self, n: int) -> Tensor:
        return torch.arange(n, dtype=self.like.dtype, device=self.like.device)

    def values_at(
        self, time: float, shift: tuple[float, ...] | None = None, at_faces: int | None = None
    ) -> dict[Symbol, Tensor]:
        """Coordinates, time and parameters at (shifted) cell centers, or at the faces normal to an axis."""
        lines = []
        for k, a in enumerate(self.axes):
            positions = (
                self._arange(a.n + 1) if k == at_faces else self._arange(a.n) + 0.5 * (1 + (shift[k] if shift else 0))
            )
            lines.append(self._axis_coordinates(k, positions))
        return nodal_values(self.system, self.parameter_values, lines, self.like.new_full([1] * len(lines), time))

    def evaluate(self, exprs: tuple[Expr, ...], w: Tensor, values: Mapping[Symbol, Tensor]) -> Tensor:
        """Expressions in the variables themselves, evaluated and stacked."""
        formula = self._formulas(exprs)
        jets = [w[self.system.jet_derivatives[s].component] for s in formula.jets]
        return torch.stack([f.expand(w.shape[1:]) for f in formula(jets, values)])

    def _formulas(self, exprs: tuple[Expr, ...]) -> CompiledExpressions:
        """Compiled once: they are evaluated in every step."""
        if exprs not in self._compiled:
            self._compiled[exprs] = compile_expressions(self.system, exprs)
        return self._compiled[exprs]

    @cached_property
    def _compiled(self) -> dict[tuple[Expr, ...], CompiledExpressions]:
        return {}

    def initial_averages(self, time: float) -> Tensor:
        """Cell averages of the initial values, by the three-point Gauss rule per dimension."""
        shape = tuple(a.n for a in self.axes)
        total = self.like.new_zeros((len(self.system.variables), *shape))
        for rule in product(GAUSS_RULE, repeat=len(self.axes)):
            weight = torch.tensor([w for _, w in rule]).prod().item()
            at = self.values_at(time, tuple(s for s, _ in rule))
            values = self._formulas(self.system.initial)((), at)
            total = total + weight * torch.stack([v.expand(shape) for v in values])
        return total

    def with_ghost_cells(self, w: Tensor, axis: int, time: float) -> Tensor:
        """Adds two ghost cells at both ends of an axis: periodic images, or reflections about the boundary value."""
        dim = axis + 1
        if self.axes[axis].periodic:
            size = w.shape[dim]
            return torch.cat([w.narrow(dim, size - 2, 2), w, w.narrow(dim, 0, 2)], dim)
        return torch.cat([self._ghost_cells(w, axis, False, time), w, self._ghost_cells(w, axis, True, time)], dim)

    def _ghost_cells(self, w: Tensor, axis: int, upper: bool, time: float) -> Tensor:
        dim, size = axis + 1, w.shape[axis + 1]
        mirrored = w.narrow(dim, size - 2 if upper else 0, 2).flip(dim)
        values = self.values_at(time, at_faces=axis)
        ghosts = list(mirrored.unbind())
        for face, variable, value in self.scheme.dirichlet:
            if face == Face(axis, upper):
                at = self._formulas((value,))((), values)[0].narrow(axis, self.axes[axis].n if upper else 0, 1)
                ghosts[variable] = 2 * at - ghosts[variable]
        return torch.stack(ghosts)

    def speed(self, w: Tensor, axis: int, values: Mapping[Symbol, Tensor]) -> Tensor:
        """The spectral radius of ∂F/∂w."""
        matrix_rows = self.scheme.form.jacobians[axis]
        flat = self.evaluate(tuple(a for row in matrix_rows for a in row), w, values)
        if len(matrix_rows) == 1:
            return flat[0].abs()
        matrix = flat.reshape(len(matrix_rows), len(matrix_rows), *w.shape[1:]).movedim((0, 1), (-2, -1))
        radius: Tensor = torch.linalg.eigvals(matrix).abs().amax(-1)
        return radius

    def rhs(self, w: Tensor, time: float) -> Tensor:
        """-Σ ΔF / Δx + S."""
        result = self.evaluate(self.scheme.form.sources, w, self.values_at(time))
        for axis, width in enumerate(self.widths):
            left, right = reconstruct_faces(self.with_ghost_cells(w, axis, time), axis + 1)
            values = self.values_at(time, at_faces=axis)
            fluxes = tuple(self.evaluate(self.scheme.form.fluxes[axis], s, values) for s in (left, right))
            speed = self.face_speed(left, right, axis, values)
            result = result - rusanov_flux(left, right, (fluxes[0], fluxes[1]), speed).diff(dim=axis + 1) / width
        return result

    def face_speed(self, left: Tensor, right: Tensor, axis: int, values: Mapping[Symbol, Tensor]) -> Tensor:
        """The largest wave speed between the states at faces: at states in between, too, if it may be larger there."""
        speed = torch.maximum(self.speed(left, axis, values), self.speed(right, axis, values))
        for fraction in () if self._is_fastest_at_ends[axis] else INTERMEDIATE_STATES:
            speed = torch.maximum(speed, self.speed(left + fraction * (right - left), axis, values))
        return speed

    @cached_property
    def _is_fastest_at_ends(self) -> list[bool]:
        """For each axis whether ∂F/∂w is affine in w, so that the maximum of a convex function of it is at an end."""
        states = [s for s, d in self.system.jets if d.order == 0]
        return [
            all(e.diff(s).diff(r) == 0 for row in matrix for e in row for s in states for r in states)
            for matrix in self.scheme.form.jacobians
        ]

    def step(self, w: Tensor, time: float) -> float:
        """By the wave speeds at all faces, those of the boundary included."""
        fastest = 0.0
        for axis, width in enumerate(self.widths):
            left, right = reconstruct_faces(self.with_ghost_cells(w.detach(), axis, time), axis + 1)
            speed = self.face_speed(left, right, axis, self.values_at(time, at_faces=axis))
            fastest += float(speed.detach().max()) / width
        return COURANT / max(fastest, 1e-12)


def _dyadic_step(step: float, length: float) -> float:
    """The largest length / 2ᵏ ≤ step: it is locally constant in the coefficients, so that automatic differentiation
    through the steps is exact."""
    return length * 0.5 ** max(0, ceil(log2(length / step)))


def solve_finite_volume(
    scheme: FiniteVolumeScheme, sizes: Sequence[int], parameter_values: Mapping[str, ParameterValue], like: Tensor
) -> GridResult:
    """The solution of a conservation law with these numbers of cells."""
    system, axes = scheme.system, make_cells(scheme.system, sizes)
    problem = FiniteVolumeProblem(scheme, axes, parameter_values, like)
    first, last = time_interval(system)
    time, w = first, problem.initial_averages(first)
    times, states = [time], [w]
    while time < last - 1e-12 * (last - first):
        h = min(_dyadic_step(problem.step(w, time), last - first), last - time)
        w = ssprk3_step(problem.rhs, w, time, h)
        if not bool(torch.isfinite(w).all()) or len(times) > MAX_STEPS:
            raise GridSolveFailed(f"the numerical solution is not finite at t = {time:g}")
        time += h
        times.append(time)
        states.append(w)
    module = make_expansion(system, axes, torch.stack(states), times, stencil=2)
    increments = [b - a for a, b in pairwise(times)]
    cells = " × ".join(map(str, sizes))
    discretization = f"finite volumes (MUSCL, van Leer limiter, Rusanov flux), {cells} cells"
    note = f"{discretization}, SSPRK3 in time: {len(increments)} steps, Δt ≤ {max(increments):.2g}"
    return GridResult(module, {"steps": float(len(increments)), "largest step": max(increments)}, (note,))


# ---- Limiter, numerical flux and time step


def van_leer_limiter(left: Tensor, right: Tensor) -> Tensor:
    """Van Leer limiter: the harmonic mean of two differences of the same sign, and zero otherwise."""
    product = left * right
    total = left + right
    safe = torch.where(product > 0, total, torch.ones_like(total))
    return torch.where(product > 0, 2 * product / safe, torch.zeros_like(total))


def reconstruct_faces(padded: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Values on both sides of the n + 1 faces of n cells, from the cells and two ghost cells at each end."""
    gaps = padded.diff(dim=dim)
    size = gaps.shape[dim]
    slopes = van_leer_limiter(gaps.narrow(dim, 0, size - 1), gaps.narrow(dim, 1, size - 1)) / 2
    inner = padded.narrow(dim, 1, size - 1)
    return (inner + slopes).narrow(dim, 0, size - 2), (inner - slopes).narrow(dim, 1, size - 2)


def rusanov_flux(left: Tensor, right: Tensor, flux: tuple[Tensor, Tensor], speed: Tensor) -> Tensor:
    """Rusanov (local Lax-Friedrichs) flux: the mean flux, with numerical diffusion by the maximum wave speed."""
    return (flux[0] + flux[1] - speed * (right - left)) / 2


def ssprk3_step(rate: CellRate, w: Tensor, time: float, h: float) -> Tensor:
    """SSPRK3: convex combinations of Euler steps, of order three."""
    first = w + h * rate(w, time)
    second = 0.75 * w + 0.25 * (first + h * rate(first, time + h))
    return w / 3 + 2 / 3 * (second + h * rate(second, time + h / 2))
