"""Finite differences on a shape: Shortley and Weller 1938, second order up to a curved boundary.

If a neighbour of a node is outside, the point where the line between them leaves the shape takes its place, with the
value given there: u″ ≈ 2 ((u₊ - u)/h₊ - (u - u₋)/h₋) / (h₊ + h₋).
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

from pdedsl.codegen.expressions import compile_pointwise
from pdedsl.ir.problem import Face, Place, StrongForm, Surface
from pdedsl.problem.irregular_domain import IrregularDirichletProblem, irregular_dirichlet_problem
from pdedsl.runtime.basis.interpolation import MovingLeastSquares
from pdedsl.solvers.grid.grid_result import GridResult, GridSolveFailed

BISECTION_STEPS = 60
MIN_ARM = 1e-7  # the shortest arm, as a fraction of a cell


@dataclass(frozen=True)
class StencilArms:
    """From each node in one direction: the next node and its distance, or the boundary point and its value."""

    length: np.ndarray
    node: np.ndarray  # -1 if the boundary comes first
    point: np.ndarray
    value: np.ndarray


@dataclass(frozen=True)
class CutGrid:
    """The nodes of a box with n cells per side, and which of them are inside the shape."""

    statement: StrongForm
    box: IrregularDirichletProblem
    n: int

    @cached_property
    def low(self) -> np.ndarray:
        return np.array([float(i.start) for i in self.statement.domain.intervals])

    @cached_property
    def steps(self) -> np.ndarray:
        high = np.array([float(i.end) for i in self.statement.domain.intervals])
        return np.asarray((high - self.low) / self.n)

    @cached_property
    def every(self) -> np.ndarray:
        line = np.arange(self.n + 1)
        return np.stack(np.meshgrid(line, line, indexing="ij"), -1).reshape(-1, 2)

    @cached_property
    def free(self) -> np.ndarray:
        """The indices in `every` of the nodes inside."""
        within = (self.every > 0).all(1) & (self.every < self.n).all(1)
        return np.flatnonzero(within & (self.levels(self.low + self.every * self.steps).min(0) > 0))

    @cached_property
    def number(self) -> np.ndarray:
        found = np.full(len(self.every), -1)
        found[self.free] = np.arange(len(self.free))
        return found

    @cached_property
    def inner(self) -> np.ndarray:
        return np.asarray(self.low + self.every[self.free] * self.steps)

    def values(self, exprs: Sequence[Expr], places: np.ndarray) -> np.ndarray:
        found = compile_pointwise(list(exprs), self.statement.domain.coordinates)(
            *torch.tensor(places.T.copy()).unbind()
        )
        return np.stack([f.numpy() for f in found])

    def levels(self, places: np.ndarray) -> np.ndarray:
        return self.values(self.statement.domain.inequalities, places)

    def arms(self, axis: int, setup: int) -> StencilArms:
        unit = setup * np.eye(2)[axis] * self.steps[axis]
        there = self.free + setup * (self.n + 1 if axis == 0 else 1)
        node = self.number[there]
        share = np.where(node < 0, self._leaving(unit), 1.0)
        point = self.inner + share[:, None] * unit
        value = np.zeros(len(node))
        out = node < 0
        if out.any():
            value[out] = self._given(point[out], Face(axis, setup > 0))
        return StencilArms(np.maximum(share, MIN_ARM) * self.steps[axis], node, point, value)

    def _leaving(self, unit: np.ndarray) -> np.ndarray:
        """The share of an arm at which it leaves the shape, by bisection; 1 if the whole arm is inside it."""
        low, high = np.zeros(len(self.inner)), np.ones(len(self.inner))
        whole = self.levels(self.inner + unit).min(0) > 0
        for _ in range(BISECTION_STEPS):
            middle = (low + high) / 2
            inside = self.levels(self.inner + middle[:, None] * unit).min(0) > 0
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return np.where(whole, 1.0, high)

    def _given(self, points: np.ndarray, face: Face) -> np.ndarray:
        """The value given on the surface through each point, or on the face of the box."""
        levels = np.abs(self.levels(points))
        nearest, on_surface = levels.argmin(0), levels.min(0) < 1e-9
        result = np.zeros(len(points))
        for k, g in enumerate(self.statement.domain.inequalities):
            rows = on_surface & (nearest == k)
            result[rows] = self._value(Surface(g), points[rows])
        result[~on_surface] = self._value(face, points[~on_surface])
        return result

    def _value(self, place: Place, points: np.ndarray) -> np.ndarray:
        if not len(points):
            return np.zeros(0)
        if place not in self.box.given:
            raise GridSolveFailed("no Dirichlet value is prescribed on a part of the curved boundary")
        return np.asarray(self.values([self.box.given[place]], points)[0])


def solve_shortley_weller(statement: StrongForm, n: int, like: Tensor) -> GridResult:
    """With n cells per side of the box, by a sparse direct solve."""
    lattice = CutGrid(statement, irregular_dirichlet_problem(statement), n)
    arms = [(lattice.arms(axis, -1), lattice.arms(axis, 1)) for axis in (0, 1)]
    solution = _solve_sparse(lattice, arms)
    ends = [a for pair in arms for a in pair]
    outer = np.concatenate([a.point[a.node < 0] for a in ends])
    known = np.concatenate([a.value[a.node < 0] for a in ends])
    _, first = np.unique(np.round(outer / lattice.steps.min(), 6), axis=0, return_index=True)
    places, values = np.concatenate([lattice.inner, outer[first]]), np.concatenate([solution, known[first]])
    module = MovingLeastSquares(like.new_tensor(places), like.new_tensor(values), float(lattice.steps.max()))
    note = f"Shortley-Weller finite differences (second order), {len(solution)} interior nodes"
    return GridResult(module, {"nodes": float(len(solution))}, (note,))


def _solve_sparse(lattice: CutGrid, arms: Sequence[tuple[StencilArms, StencilArms]]) -> np.ndarray:
    box, count = lattice.box, len(lattice.inner)
    numbers = lattice.values((*box.second, *box.first, box.zeroth, box.rest), lattice.inner)
    own, right, own_rows = numbers[4].copy(), -numbers[5], np.arange(count)
    rows, columns, entries = [], [], []
    for axis, (less, more) in enumerate(arms):
        a, b = less.length, more.length
        second, first = numbers[axis], numbers[2 + axis]
        own += -2 * second / (a * b) + first * (b - a) / (a * b)
        shares = (2 * second - first * b) / (a * (a + b)), (2 * second + first * a) / (b * (a + b))
        for arm, share in zip((less, more), shares, strict=True):
            inside = arm.node >= 0
            rows.append(own_rows[inside])
            columns.append(arm.node[inside])
            entries.append(share[inside])
            right -= np.where(inside, 0.0, share * arm.value)
    rows.append(own_rows)
    columns.append(own_rows)
    entries.append(own)
    matrix = coo_matrix((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), (count, count))
    return np.asarray(spsolve(matrix.tocsc(), right))
