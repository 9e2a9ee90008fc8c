"""Finite volumes for interface problems with discontinuous conductivity a: harmonic averages, conservative fluxes.

Between the centers of two cells the flux is (u₂ - u₁) / ∫ dx/a, with resistances in series: exact in 1D without
sources, wherever a is discontinuous (Patankar 1980, section 4.2; Samarskii 1961). At the boundary the resistance is
that of half a cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from sympy import Expr, Symbol
from torch import Tensor

from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.solver_plans import InterfaceProblem, RobinFace
from pdedsl.runtime.basis.interpolation import CellAxis
from pdedsl.solvers.grid.nodal_functions import CompiledExpressions, ParameterValue, compile_expressions, nodal_values

QUADRATURE_POINTS = 32  # per cell, for its resistance


def make_cells(system: FirstOrderSystem, sizes: Sequence[int]) -> tuple[CellAxis, ...]:
    intervals = zip(system.statement.domain.intervals, sizes, strict=False)  # the last one may be time
    return tuple(CellAxis(float(i.start), float(i.end), n, i.periodic) for i, n in intervals)


@dataclass(frozen=True)
class BoundaryCells:
    """The cells next to a face, each of which receives the flux factor · (alpha · u + gamma)."""

    cells: Tensor
    factor: Tensor
    alpha: Tensor
    gamma: CompiledExpressions
    coordinates: list[Tensor]


@dataclass(frozen=True)
class InterfaceFVProblem:
    """M ∂w/∂t = R(w, t) for values at the cell centers; M = 1, or 0 for a stationary problem."""

    system: FirstOrderSystem
    coefficients: InterfaceProblem
    axes: tuple[CellAxis, ...]
    parameter_values: Mapping[str, ParameterValue]
    like: Tensor

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(a.n for a in self.axes)

    @cached_property
    def centers(self) -> list[Tensor]:
        """The coordinates of all centers, each in the shape of the cells."""
        lines = [self._cell_centers(a) for a in self.axes]
        return list(torch.meshgrid(*lines, indexing="ij"))

    def _cell_centers(self, axis: CellAxis) -> Tensor:
        count = torch.arange(axis.n, dtype=self.like.dtype, device=self.like.device)
        return axis.start + (axis.end - axis.start) * (count + 0.5) / axis.n

    @property
    def count(self) -> int:
        return self.centers[0].numel()

    @cached_property
    def start(self) -> float:
        return float(self.system.statement.domain.intervals[-1].start)

    @cached_property
    def mass(self) -> Tensor:
        return torch.full((self.count,), float(bool(self.system.differential)), dtype=self.like.dtype).to(self.like)

    @cached_property
    def replacing_condition(self) -> Tensor:
        """No row is replaced: boundary conditions enter through the fluxes."""
        return torch.full((self.count,), -1, device=self.like.device)

    @property
    def interior(self) -> Tensor:
        return torch.ones(self.count, dtype=torch.bool, device=self.like.device)

    def values_at(self, time: float) -> Mapping[Symbol, Tensor]:
        return self._values([m.reshape(-1) for m in self.centers], time)

    def _values(self, coordinates: list[Tensor], time: float) -> Mapping[Symbol, Tensor]:
        timed = self.system.statement.domain.has_time
        return nodal_values(
            self.system, self.parameter_values, coordinates, self.like.new_full((1,), time) if timed else None
        )

    def _at(self, expr: Expr, coordinates: list[Tensor], time: float) -> Tensor:
        flat = [p.reshape(-1) for p in coordinates]
        return (
            compile_expressions(self.system, [expr])((), self._values(flat, time))[0]
            .expand(len(flat[0]))
            .reshape(coordinates[0].shape)
        )

    def rhs(self, w: Tensor, time: float) -> Tensor:
        """R(w, t), with the sign of a forward problem."""
        value = self._source([w for _ in self._source.jets], self.values_at(time))[0]
        return self._sign * (self.matrix @ w + self._boundary_source(time) + value)

    def jacobian(self, w: Tensor, time: float) -> Tensor:
        """∂R/∂w."""
        if not self._source.jets:
            return self._sign * self.matrix
        (value,) = self._source_derivative([w for _ in self._source_derivative.jets], self.values_at(time))
        return self._sign * (self.matrix + torch.diag(value.expand(self.count)))

    @cached_property
    def _source(self) -> CompiledExpressions:
        return compile_expressions(self.system, [self.coefficients.source])

    @cached_property
    def _source_derivative(self) -> CompiledExpressions:
        (jet,) = self._source.jets
        return compile_expressions(self.system, [self.coefficients.source.diff(jet)])

    @property
    def _sign(self) -> float:
        return -1.0 if self.system.backward else 1.0

    @cached_property
    def matrix(self) -> Tensor:
        """Fluxes between cells and through the boundary, and drifts b (u₊ - u₋) / Δx with values on the cell faces.

        These follow from the fluxes f: u₊ = u + f r for the resistance r from the center to the face.
        """
        result = torch.zeros(self.count, self.count, dtype=self.like.dtype, device=self.like.device)
        index = torch.arange(self.count, device=self.like.device).reshape(self.shape)
        for k, axis in enumerate(self.axes):
            result = result + self._flux_matrix(k, axis, index)
        for boundary in self.boundary_cells:
            own = torch.zeros_like(result[0]).index_add(0, boundary.cells, boundary.factor * boundary.alpha)
            result = result + torch.diag(own)
        return result

    def _flux_matrix(self, k: int, axis: CellAxis, index: Tensor) -> Tensor:
        width = (axis.end - axis.start) / axis.n
        low, high = self._resistances(k)
        left, right = index, index.roll(-1, k)
        neighbor = low.roll(-1, k)
        if not axis.periodic:
            left, right, high, neighbor = (t.narrow(k, 0, axis.n - 1) for t in (left, right, high, neighbor))
        drift, conductance = self._drift(k), (1 / (high + neighbor)).reshape(-1)
        first, second = left.reshape(-1), right.reshape(-1)
        result = torch.zeros(self.count, self.count, dtype=self.like.dtype, device=self.like.device)
        for own, other, reach in ((first, second, high.reshape(-1)), (second, first, -neighbor.reshape(-1))):
            weight = conductance * (1 + drift[own] * reach) / width
            result = result.index_put((own, other), weight, accumulate=True)
            result = result.index_put((own, own), -weight, accumulate=True)
        return result

    def _drift(self, k: int) -> Tensor:
        return self._at(self.coefficients.drifts[k], self.centers, self.start).reshape(-1)

    def _resistances(self, k: int) -> tuple[Tensor, Tensor]:
        """∫ dx/a from the lower face of each cell to its center, and from there to the upper face."""
        axis = self.axes[k]
        width = (axis.end - axis.start) / axis.n
        offsets = (
            torch.arange(QUADRATURE_POINTS, dtype=self.like.dtype, device=self.like.device) + 0.5
        ) / QUADRATURE_POINTS - 0.5
        shifted = [m.unsqueeze(-1) + width * offsets * (i == k) for i, m in enumerate(self.centers)]
        inverse = 1 / self._at(self.coefficients.conductivities[k], shifted, self.start)
        low, high = inverse.chunk(2, -1)
        return low.mean(-1) * width / 2, high.mean(-1) * width / 2

    def _boundary_source(self, time: float) -> Tensor:
        """Boundary fluxes without the terms in u."""
        result = torch.zeros(self.count, dtype=self.like.dtype, device=self.like.device)
        for boundary in self.boundary_cells:
            (gamma,) = boundary.gamma((), self._values(boundary.coordinates, time))
            result = result.index_add(0, boundary.cells, boundary.factor * gamma)
        return result

    @cached_property
    def boundary_cells(self) -> tuple[BoundaryCells, ...]:
        return tuple(map(self._boundary_cells, self.coefficients.faces))

    def _boundary_cells(self, face: RobinFace) -> BoundaryCells:
        """α u_b + β f/a + γ = 0 for the flux f = a ∂u/∂x, with u_b = u ± f r: f = -(α u + γ) / (± α r + β/a).

        The cell receives ± f / Δx, and b f r / Δx from its drift.
        """
        k, upper = face.condition.place.coordinate, face.condition.place.upper
        axis, sign = self.axes[k], 1.0 if upper else -1.0
        end, width = (axis.n - 1 if upper else 0), (axis.end - axis.start) / axis.n
        resistance = self._resistances(k)[1 if upper else 0].select(k, end).reshape(-1)
        coordinates = [m.select(k, 0).reshape(-1) for m in self.centers]
        coordinates[k] = torch.full_like(coordinates[k], axis.end if upper else axis.start)
        exprs = (face.alpha, face.beta, self.coefficients.conductivities[k])
        alpha, beta, conductivity = (self._at(e, coordinates, self.start) for e in exprs)
        cells = torch.arange(self.count, device=self.like.device).reshape(self.shape).select(k, end).reshape(-1)
        weight = (sign + self._drift(k)[cells] * resistance) / width
        factor = -weight / (sign * alpha * resistance + beta / conductivity)
        return BoundaryCells(cells, factor, alpha, compile_expressions(self.system, [face.gamma]), coordinates)
