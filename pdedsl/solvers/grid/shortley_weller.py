"""Shortley-Weller finite differences on a curved domain: second order up to the boundary (Shortley, Weller 1938).

A neighbor outside the domain is replaced by the intersection of the grid line with the boundary, with the Dirichlet
value there: u″ ≈ 2 ((u₊ - u)/h₊ - (u - u₋)/h₋) / (h₊ + h₋).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve
from sympy import Expr
from torch import Tensor

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.boundary import Face, LevelSet, Place
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import IrregularDirichletProblem
from pdedsl.runtime.basis.interpolation import MovingLeastSquares
from pdedsl.solvers.grid.grid_result import GridResult, GridSolveFailed

BISECTION_STEPS = 60  # to rounding
MIN_ARM = 1e-7  # the shortest arm, as a fraction of a cell


@dataclass(frozen=True)
class StencilArms:
    """Stencil arms in one direction: length and neighboring node, or the boundary point and its Dirichlet value."""

    length: np.ndarray
    node: np.ndarray  # -1 if the boundary comes first
    point: np.ndarray
    value: np.ndarray


@dataclass(frozen=True)
class CutGrid:
    """Uniform grid of a box with n cells per dimension, and its nodes inside the domain."""

    statement: StrongForm
    box: IrregularDirichletProblem
    n: int

    @cached_property
    def origin(self) -> np.ndarray:
        return np.array([float(i.start) for i in self.statement.domain.intervals])

    @cached_property
    def steps(self) -> np.ndarray:
        high = np.array([float(i.end) for i in self.statement.domain.intervals])
        return np.asarray((high - self.origin) / self.n)

    @cached_property
    def nodes(self) -> np.ndarray:
        line = np.arange(self.n + 1)
        return np.stack(np.meshgrid(line, line, indexing="ij"), -1).reshape(-1, 2)

    @cached_property
    def interior_nodes(self) -> np.ndarray:
        """Indices of the nodes inside the domain."""
        within = (self.nodes > 0).all(1) & (self.nodes < self.n).all(1)
        return np.flatnonzero(within & (self.levels(self.origin + self.nodes * self.steps).min(0) > 0))

    @cached_property
    def unknown_index(self) -> np.ndarray:
        index = np.full(len(self.nodes), -1)
        index[self.interior_nodes] = np.arange(len(self.interior_nodes))
        return index

    @cached_property
    def interior_points(self) -> np.ndarray:
        return np.asarray(self.origin + self.nodes[self.interior_nodes] * self.steps)

    def values(self, exprs: Sequence[Expr], points: np.ndarray) -> np.ndarray:
        results = compile_pointwise(list(exprs), self.statement.domain.coordinates)(
            *torch.tensor(points.T.copy()).unbind()
        )
        return np.stack([f.numpy() for f in results])

    def levels(self, points: np.ndarray) -> np.ndarray:
        return self.values(self.statement.domain.inequalities, points)

    def arms(self, axis: int, direction: int) -> StencilArms:
        unit = direction * np.eye(2)[axis] * self.steps[axis]
        neighbor = self.interior_nodes + direction * (self.n + 1 if axis == 0 else 1)
        node = self.unknown_index[neighbor]
        fraction = np.where(node < 0, self._exit_fraction(unit), 1.0)
        point = self.interior_points + fraction[:, None] * unit
        value = np.zeros(len(node))
        is_cut = node < 0
        if is_cut.any():
            value[is_cut] = self._boundary_values(point[is_cut], Face(axis, direction > 0))
        return StencilArms(np.maximum(fraction, MIN_ARM) * self.steps[axis], node, point, value)

    def _exit_fraction(self, unit: np.ndarray) -> np.ndarray:
        """Fraction of an arm at which it crosses the boundary, by bisection; 1 if the arm lies in the domain."""
        low, high = np.zeros(len(self.interior_points)), np.ones(len(self.interior_points))
        inside_neighbor = self.levels(self.interior_points + unit).min(0) > 0
        for _ in range(BISECTION_STEPS):
            middle = (low + high) / 2
            inside = self.levels(self.interior_points + middle[:, None] * unit).min(0) > 0
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return np.where(inside_neighbor, 1.0, high)

    def _boundary_values(self, points: np.ndarray, face: Face) -> np.ndarray:
        """The Dirichlet value on the curve through each point, or on the face of the box."""
        levels = np.abs(self.levels(points))
        nearest, on_surface = levels.argmin(0), levels.min(0) < 1e-9
        result = np.zeros(len(points))
        for k, g in enumerate(self.statement.domain.inequalities):
            rows = on_surface & (nearest == k)
            result[rows] = self._value(LevelSet(g), points[rows])
        result[~on_surface] = self._value(face, points[~on_surface])
        return result

    def _value(self, place: Place, points: np.ndarray) -> np.ndarray:
        if not len(points):
            return np.zeros(0)
        if place not in self.box.dirichlet:
            raise GridSolveFailed("no Dirichlet value is prescribed on a part of the curved boundary")
        return np.asarray(self.values([self.box.dirichlet[place]], points)[0])


def solve_shortley_weller(
    statement: StrongForm, coefficients: IrregularDirichletProblem, n: int, like: Tensor
) -> GridResult:
    """n cells per dimension of the box, sparse LU."""
    grid = CutGrid(statement, coefficients, n)
    arms = [(grid.arms(axis, -1), grid.arms(axis, 1)) for axis in (0, 1)]
    solution = _solve_sparse(grid, arms)
    ends = [a for pair in arms for a in pair]
    boundary_points = np.concatenate([a.point[a.node < 0] for a in ends])
    boundary_values = np.concatenate([a.value[a.node < 0] for a in ends])
    _, first = np.unique(np.round(boundary_points / grid.steps.min(), 6), axis=0, return_index=True)
    points = np.concatenate([grid.interior_points, boundary_points[first]])
    values = np.concatenate([solution, boundary_values[first]])
    module = MovingLeastSquares(like.new_tensor(points), like.new_tensor(values), float(grid.steps.max()))
    note = f"Shortley-Weller finite differences (second order), {len(solution)} interior nodes"
    return GridResult(module, {"nodes": float(len(solution))}, (note,))


def _solve_sparse(grid: CutGrid, arms: Sequence[tuple[StencilArms, StencilArms]]) -> np.ndarray:
    operator, count = grid.box.operator, len(grid.interior_points)
    exprs = (*operator.diagonal, *operator.drift, operator.rate, operator.source)
    coefficients = grid.values(exprs, grid.interior_points)
    diagonal, rhs, index = coefficients[4].copy(), -coefficients[5], np.arange(count)
    rows, columns, entries = [], [], []
    for axis, (lower, upper) in enumerate(arms):
        a, b = lower.length, upper.length
        second, first = coefficients[axis], coefficients[2 + axis]
        diagonal += -2 * second / (a * b) + first * (b - a) / (a * b)
        weights = (2 * second - first * b) / (a * (a + b)), (2 * second + first * a) / (b * (a + b))
        for arm, weight in zip((lower, upper), weights, strict=True):
            inside = arm.node >= 0
            rows.append(index[inside])
            columns.append(arm.node[inside])
            entries.append(weight[inside])
            rhs -= np.where(inside, 0.0, weight * arm.value)
    rows.append(index)
    columns.append(index)
    entries.append(diagonal)
    matrix = coo_matrix((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), (count, count))
    return np.asarray(spsolve(matrix.tocsc(), rhs))
