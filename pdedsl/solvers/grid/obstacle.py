"""Complementarity problems on boxes, min(L u - f, u - ψ) = 0: monotone finite differences and policy iteration.

Second differences are central, first differences central where the matrix stays monotone and upwind elsewhere. In time
two steps of the implicit Euler method are followed by BDF2 with variable steps, at times T (k/N)²: next to the initial
time free boundaries move like √t (Forsyth, Vetzal 2002; Oosterlee 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags, identity, kron
from sympy import Expr, Symbol
from torch import Tensor

from pdedsl.codegen.pointwise import PointwiseFunction, compile_pointwise
from pdedsl.ir.boundary import Dirichlet, Face, Robin
from pdedsl.ir.complementarity import AffineOperator
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import ObstacleScheme
from pdedsl.runtime.basis.interpolation import Axis, CellAxis
from pdedsl.runtime.basis.obstacle_solution import ContactExpansion
from pdedsl.solvers.grid.grid_result import GridResult, GridSolveFailed
from pdedsl.solvers.policy_iteration import Array, Policy, PolicyIterationFailed, iterate_policies

Mask = NDArray[np.bool_]
Rows = tuple[list[csr_matrix], list[Array], list[Array]]
MIN_CELLS = 8  # per axis of the coarsest grid, whose solution starts the iteration on the next one
EULER_STEPS = 2  # before BDF2: the ratio of the next steps, 5/3, is below its stability limit 1 + √2 (Grigorieff 1983)


@dataclass(frozen=True)
class UniformGrid:
    """Nodes of a box with `cells` per axis, and difference matrices between the values at all nodes."""

    statement: StrongForm
    cells: tuple[int, ...]

    @cached_property
    def ends(self) -> list[tuple[float, float]]:
        return [(float(i.start), float(i.end)) for i in self.statement.domain.intervals[: len(self.cells)]]

    @cached_property
    def steps(self) -> tuple[float, ...]:
        return tuple((b - a) / n for (a, b), n in zip(self.ends, self.cells, strict=True))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(n + 1 for n in self.cells)

    @cached_property
    def coordinates(self) -> list[Array]:
        lines = [np.linspace(a, b, n + 1) for (a, b), n in zip(self.ends, self.cells, strict=True)]
        return [c.ravel() for c in np.meshgrid(*lines, indexing="ij")]

    @property
    def count(self) -> int:
        return len(self.coordinates[0])

    def along(self, axis: int, stencil: dict[int, float]) -> csr_matrix:
        """The matrix of a difference along an axis, by its offsets."""
        matrix = identity(1, format="csr")
        for k, n in enumerate(self.shape):
            own = diags(list(stencil.values()), list(stencil), (n, n)) if k == axis else identity(n)
            matrix = kron(matrix, own, format="csr")
        return matrix

    @cached_property
    def second(self) -> list[csr_matrix]:
        return [self.along(k, {-1: h**-2, 0: -2 * h**-2, 1: h**-2}) for k, h in enumerate(self.steps)]

    @cached_property
    def first(self) -> list[tuple[csr_matrix, csr_matrix, csr_matrix]]:
        """Central, backward and forward differences along each axis."""
        return [
            (
                self.along(k, {-1: -0.5 / h, 1: 0.5 / h}),
                self.along(k, {-1: -1 / h, 0: 1 / h}),
                self.along(k, {0: -1 / h, 1: 1 / h}),
            )
            for k, h in enumerate(self.steps)
        ]

    def face_nodes(self, face: Face) -> Policy:
        numbers = np.arange(self.count).reshape(self.shape)
        nodes: Policy = np.take(numbers, -1 if face.upper else 0, axis=face.coordinate).ravel()
        return nodes

    def values(self, exprs: Sequence[Expr], nodes: Policy | slice = slice(None), time: float = 0.0) -> list[Array]:
        domain = self.statement.domain
        columns = [torch.from_numpy(np.ascontiguousarray(c[nodes])) for c in self.coordinates]
        if domain.has_time:
            columns.append(torch.full_like(columns[0], time))
        return [v.numpy() for v in _compile(tuple(exprs), domain.coordinates)(*columns)]


@lru_cache(maxsize=64)
def _compile(exprs: tuple[Expr, ...], coordinates: tuple[Symbol, ...]) -> PointwiseFunction:
    """Each time step evaluates the same expressions."""
    return compile_pointwise(list(exprs), coordinates)


@dataclass(frozen=True)
class DiscreteObstacleProblem:
    """extremum(Mₖ ∂u/∂s + Aₖ u + fₖ) = 0 at interior nodes, with conditions in the rows of the boundary.

    s is the elapsed time, also in a problem backward in time.
    """

    scheme: ObstacleScheme
    grid: UniformGrid

    @property
    def operators(self) -> tuple[AffineOperator, ...]:
        return self.scheme.complementarity.operators

    @cached_property
    def _constant_rows(self) -> Rows | None:
        """The rows, if they do not depend on time."""
        return None if self.scheme.depends_on_time else self._rows_at(0.0)

    def rows(self, time: float) -> Rows:
        """Matrices, sources and masses of the operators at a time; the same rows of every operator on the boundary."""
        return self._constant_rows or self._rows_at(time)

    def _rows_at(self, time: float) -> Rows:
        matrices, sources, masses = zip(*(self._discretize(o, time) for o in self.operators), strict=True)
        boundary, data, on_face = self._boundary(time)
        inside = diags((~on_face).astype(float))
        return (
            [inside @ a + boundary for a in matrices],
            [np.where(on_face, data, f) for f in sources],
            [np.where(on_face, 0.0, m) for m in masses],
        )

    def _discretize(self, own: AffineOperator, time: float) -> tuple[csr_matrix, Array, Array]:
        operator, grid, dimension = own.operator, self.grid, len(self.grid.cells)
        entries = [a for *_, a in operator.matrix]
        values = grid.values([*entries, *operator.drift, operator.rate, operator.source, own.mass], time=time)
        matrix = diags(values[-3])
        diffusion = [np.zeros(grid.count) for _ in grid.cells]
        for (i, j, _), a in zip(operator.matrix, values, strict=False):
            if i == j:
                diffusion[i] = diffusion[i] + a
                matrix = matrix + diags(a) @ grid.second[i]
            else:
                matrix = matrix + diags(2 * a) @ grid.first[i][0] @ grid.first[j][0]
        for k, drift in enumerate(values[len(entries) : len(entries) + dimension]):
            central, backward, forward = grid.first[k]
            is_monotone = np.abs(drift) * grid.steps[k] <= 2 * np.abs(diffusion[k])
            upwind = diags(np.where(is_monotone | (drift < 0), 0.0, drift)) @ backward
            upwind += diags(np.where(is_monotone | (drift >= 0), 0.0, drift)) @ forward
            matrix = matrix + diags(np.where(is_monotone, drift, 0.0)) @ central + upwind
        direction = -1 if self.grid.statement.is_backward else 1
        return matrix.tocsr(), values[-2], direction * values[-1]

    def _boundary(self, time: float) -> tuple[csr_matrix, Array, Mask]:
        """Rows and data of the conditions, B u + g = 0, and the nodes where they hold; at corners Dirichlet conditions
        take precedence."""
        grid = self.grid
        on_face, data = np.zeros(grid.count, dtype=bool), np.zeros(grid.count)
        matrix = csr_matrix((grid.count, grid.count))
        ordered = sorted(self.scheme.face_conditions, key=lambda c: isinstance(c.kind, Dirichlet))
        for condition in ordered:
            assert isinstance(condition.place, Face)
            nodes = grid.face_nodes(condition.place)
            keep = np.ones(grid.count)
            keep[nodes] = 0.0
            matrix = diags(keep) @ matrix
            selected = 1 - keep
            match condition.kind:
                case Dirichlet(value=value):
                    matrix = matrix + diags(selected)
                    data[nodes] = -grid.values([value], nodes, time)[0]
                case Robin(alpha=alpha, beta=beta, value=value):
                    a, b, g = grid.values([alpha, beta, value], nodes, time)
                    alphas, betas = np.zeros(grid.count), np.zeros(grid.count)
                    alphas[nodes], betas[nodes] = a, b
                    matrix = matrix + diags(alphas) + diags(betas) @ self._normal_derivative(condition.place)
                    data[nodes] = -g
                case _:
                    raise AssertionError(condition)
            on_face[nodes] = True
        return matrix.tocsr(), data, on_face

    def _normal_derivative(self, face: Face) -> csr_matrix:
        """One-sided differences of second order."""
        h, s = self.grid.steps[face.coordinate], -1 if face.upper else 1
        return self.grid.along(face.coordinate, {0: 1.5 / h, s: -2 / h, 2 * s: 0.5 / h})


def solve_obstacle(statement: StrongForm, scheme: ObstacleScheme, sizes: Sequence[int], like: Tensor) -> GridResult:
    """The solution with these numbers of cells per axis, and as many steps in time as the largest of them."""
    problem = DiscreteObstacleProblem(scheme, UniformGrid(statement, tuple(sizes)))
    try:
        if scheme.complementarity.is_evolution:
            return _evolve(problem, like)
        u, policy, count = _solve_stationary(problem)
    except PolicyIterationFailed as reason:
        raise GridSolveFailed(str(reason)) from reason
    note = f"policy iteration on {problem.grid.count:,} nodes, {count} iterations"
    metrics = {"nodes": float(problem.grid.count), "policy iterations": float(count)}
    return GridResult(_expansion(problem, [u], [policy], None, like), metrics, (note,))


def _solve_stationary(problem: DiscreteObstacleProblem) -> tuple[Array, Policy, int]:
    """The iteration starts at the solution on the grid of half as many cells."""
    grid = problem.grid
    start = np.zeros(grid.count)
    if min(grid.cells) >= 2 * MIN_CELLS:
        coarse = DiscreteObstacleProblem(problem.scheme, UniformGrid(grid.statement, tuple(n // 2 for n in grid.cells)))
        u, policy, _ = _solve_stationary(coarse)
        like = torch.zeros((), dtype=torch.float64)
        points = torch.from_numpy(np.stack(grid.coordinates, 1))
        start = _expansion(coarse, [u], [policy], None, like)(points)[:, 0].numpy()
    matrices, sources, _ = problem.rows(0.0)
    return iterate_policies(problem.scheme.complementarity.extremum, matrices, sources, start)


def _evolve(problem: DiscreteObstacleProblem, like: Tensor) -> GridResult:
    statement, grid, extremum = problem.grid.statement, problem.grid, problem.scheme.complementarity.extremum
    interval, steps = statement.domain.intervals[-1], max(grid.cells)
    first, last = float(interval.start), float(interval.end)
    elapsed = (last - first) * (np.arange(steps + 1) / steps) ** 2
    times = last - elapsed if statement.is_backward else first + elapsed
    states, policies, most = [grid.values([problem.scheme.initial], time=times[0])[0]], [], 0
    for n in range(1, steps + 1):
        matrices, sources, masses = problem.rows(float(times[n]))
        weights = _difference_weights(elapsed[max(0, n - 1 - (n > EULER_STEPS)) : n + 1])
        past = sum(w * u for w, u in zip(weights[:-1], states[-(len(weights) - 1) :], strict=True))
        systems = [a + diags(weights[-1] * m) for a, m in zip(matrices, masses, strict=True)]
        loads = [f + m * past for f, m in zip(sources, masses, strict=True)]
        u, policy, count = iterate_policies(extremum, systems, loads, states[-1])
        states.append(u)
        policies.append(policy)
        most = max(most, count)
    note = f"policy iteration on {grid.count:,} nodes, {steps} steps in time, at most {most} iterations each"
    module = _expansion(problem, states, [policies[0], *policies], times, like)
    metrics = {"nodes": float(grid.count), "steps": float(steps), "policy iterations": float(most)}
    return GridResult(module, metrics, (note,))


def _difference_weights(times: Array) -> Array:
    """Weights of the derivative at the last of two or three times."""
    t = times - times[-1]
    powers = np.vander(t, increasing=True).T
    return np.asarray(np.linalg.solve(powers, np.eye(len(t))[1]))


def _extend(contact: Array) -> Array:
    """The indicator of the contact set, with the values of the next nodes on the boundary, where conditions hold."""
    for axis in range(contact.ndim):
        inner = np.take(contact, range(1, contact.shape[axis] - 1), axis)
        contact = np.pad(inner, [(int(k == axis),) * 2 for k in range(contact.ndim)], mode="edge")
    return contact


def _expansion(
    problem: DiscreteObstacleProblem, states: list[Array], policies: list[Policy], times: Array | None, like: Tensor
) -> ContactExpansion:
    """Linear interpolation between nodes: the centers of cells that extend beyond the box by half a cell."""
    grid = problem.grid
    axes: list[Axis] = [
        CellAxis(a - h / 2, b + h / 2, n + 1) for (a, b), h, n in zip(grid.ends, grid.steps, grid.cells, strict=True)
    ]
    bounds = np.array([not o.is_differential for o in problem.operators])
    contact = [_extend(bounds[policy].astype(float).reshape(grid.shape)) for policy in policies]
    values = np.stack([np.stack(states).reshape(-1, *grid.shape), np.stack(contact)], 1)
    if times is not None and times[0] > times[-1]:
        values, times = values[::-1].copy(), times[::-1].copy()
    return ContactExpansion(
        tuple(axes), like.new_tensor(values), None if times is None else like.new_tensor(times), stencil=2
    )
