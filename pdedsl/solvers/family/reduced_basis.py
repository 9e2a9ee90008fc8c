"""Reduced basis method: the members of a linear family in the span of a few of them (Hesthaven, Rozza, Stamm 2016).

The basis is found by the POD-greedy algorithm (Haasdonk, Ohlberger 2008): of a set of training members, that with the
largest residual of its reduced solution is solved next, and the principal components of its error at all times extend
the basis. A stationary problem is projected by least squares of its residual, an evolution equation by the Galerkin
method, with Radau IIA steps in time. Coefficients are evaluated at quadrature points, so that their dependence on the
parameters may be of any form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, inf
from typing import Any

import torch
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.family import Family, is_normal, value_at
from pdedsl.ir.problem import Domain
from pdedsl.ir.reduced_problem import ReducedProblem
from pdedsl.ir.residual import Derivative
from pdedsl.numerics.butcher import RADAU5
from pdedsl.runtime.basis.chebyshev import chebyshev_points
from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import (
    ChebyshevAxis,
    TensorProductExpansion,
    basis_functions,
    differentiate_coefficients,
    expansion_coefficients,
)
from pdedsl.runtime.linalg import solve_least_squares
from pdedsl.runtime.ode.step_doubling import lagrange_weights
from pdedsl.runtime.quadrature import gauss_rule
from pdedsl.solvers.error_estimate import relative_error
from pdedsl.solvers.family.approximation import FamilyApproximation
from pdedsl.solvers.family.solution import sample_members
from pdedsl.solvers.family.solver import FamilySolver
from pdedsl.solvers.method_result import SolverResult

Axis = ChebyshevAxis | FourierAxis

# ---- Functions of space


FIRST_POINTS = 16  # per axis
MAX_POINTS = {1: 256, 2: 48}  # per axis, by the dimension
RESOLUTION_FACTOR = 1e-2  # omitted coefficients of the first member over the tolerance
QUADRATURE_RATIO = 1.5  # Gauss points over points of an axis: exact for products of functions and smooth coefficients


@dataclass(frozen=True)
class SpatialGrid:
    """Points of a box for samples, and quadrature points for integrals; functions are tensors of coefficients
    (m, c, K, …)."""

    axes: tuple[Axis, ...]

    @staticmethod
    def of(domain: Domain, n: int) -> SpatialGrid:
        ends = [(float(i.start), float(i.end), i.periodic) for i in domain.intervals[: len(domain.space)]]
        return SpatialGrid(tuple(FourierAxis(a, b - a, n // 2) if p else ChebyshevAxis(a, b, n) for a, b, p in ends))

    @property
    def size(self) -> int:
        """The smallest number of points of an axis."""
        return min(len(_samples(a)) for a in self.axes)

    @cached_property
    def points(self) -> Tensor:
        """Sample points (n₁ n₂ …, d)."""
        return _product([_samples(a) for a in self.axes])

    @cached_property
    def _rules(self) -> list[tuple[Tensor, Tensor]]:
        return [_rule(a) for a in self.axes]

    @cached_property
    def nodes(self) -> Tensor:
        """Quadrature points (Q, d)."""
        return _product([x for x, _ in self._rules])

    @cached_property
    def weights(self) -> Tensor:
        """(Q,)."""
        return _product([w for _, w in self._rules]).prod(-1)

    def coefficients(self, values: Tensor) -> Tensor:
        """From values (m, n₁ n₂ …, c) at the sample points."""
        shape = [len(_samples(a)) for a in self.axes]
        coefficients = values.movedim(-1, 1).reshape(len(values), values.shape[-1], *shape)
        for k, axis in enumerate(self.axes):
            coefficients = expansion_coefficients(axis, coefficients, k + 2)
        return coefficients

    def at_nodes(self, coefficients: Tensor, orders: tuple[int, ...] = ()) -> Tensor:
        """∂^α at the quadrature points: (m, c, Q)."""
        values = coefficients
        for k, (axis, order) in enumerate(zip(self.axes, orders, strict=False)):
            for _ in range(order):
                values = differentiate_coefficients(axis, values, k + 2)
        for axis, (x, _) in zip(self.axes, self._rules, strict=True):
            values = torch.tensordot(values, basis_functions(axis, x), dims=([2], [1]))
        return values.flatten(2)

    def at(self, coefficients: Tensor, x: Tensor) -> Tensor:
        """At points (n, d): (n, m, c)."""
        values = torch.einsum("nk,mck...->nmc...", basis_functions(self.axes[0], x[:, 0]), coefficients)
        for k, axis in enumerate(self.axes[1:], 1):
            values = torch.einsum("nk,nmck...->nmc...", basis_functions(axis, x[:, k]), values)
        return values

    def tail(self, coefficients: Tensor) -> float:
        """The largest of the last quarter of the coefficients of any axis, relative to the largest of all."""
        size, largest = coefficients.abs().max(), 0.0
        for k, axis in enumerate(self.axes):
            count = coefficients.shape[k + 2]
            is_high = torch.arange(count) >= 3 * count // 4
            if isinstance(axis, FourierAxis):
                is_high = torch.arange(count) % axis.half >= 3 * axis.half // 4
            largest = max(largest, float(coefficients.abs().movedim(k + 2, 0)[is_high].max() / size))
        return largest


def _samples(axis: Axis) -> Tensor:
    if isinstance(axis, FourierAxis):
        return axis.start + axis.period * torch.arange(2 * axis.half, dtype=torch.float64) / (2 * axis.half)
    points = chebyshev_points(axis.n, torch.zeros(1, dtype=torch.float64))
    return (axis.start + axis.end) / 2 + (axis.end - axis.start) / 2 * points


def _rule(axis: Axis) -> tuple[Tensor, Tensor]:
    if isinstance(axis, FourierAxis):
        count = ceil(QUADRATURE_RATIO * 2 * axis.half)
        nodes = axis.start + axis.period * torch.arange(count, dtype=torch.float64) / count
        return nodes, torch.full_like(nodes, axis.period / count)
    nodes, weights = gauss_rule(ceil(QUADRATURE_RATIO * axis.n))
    length = axis.end - axis.start
    return axis.start + length * nodes, length * weights


def _product(columns: Sequence[Tensor]) -> Tensor:
    """The points of a tensor product, (n₁ n₂ …, d)."""
    return torch.stack(torch.meshgrid(*columns, indexing="ij"), -1).reshape(-1, len(columns))


# ---- Steps in time


OCTAVES = 8  # intervals of time, each twice as long as the one before: the first steps resolve initial layers
STEP_SIZES = (4, 8, 16, 32, 64, 128)  # steps per interval
STENCIL = 8  # of the interpolation in time


def time_nodes(domain: Domain, is_backward: bool, steps: int) -> Tensor:
    """The ends of all steps, from the time of the data."""
    interval = domain.intervals[-1]
    start, end = float(interval.start), float(interval.end)
    breaks = torch.tensor([0.0, *(2.0**k for k in range(-OCTAVES, 1))], dtype=torch.float64)
    fractions = torch.arange(steps, dtype=torch.float64) / steps
    inner = breaks[:-1, None] + breaks.diff()[:, None] * fractions
    s = torch.cat([inner.reshape(-1), breaks[-1:]])
    return end - (end - start) * s if is_backward else start + (end - start) * s


# ---- Reduced model


CHUNK = 1 << 23  # numbers in memory at a time
MOMENT_SAMPLES = 1 << 13  # quasi-random members for mean and variance: three to four digits of smooth functions


@dataclass(frozen=True)
class ReducedModel(FamilyApproximation):
    """The reduced problem in an orthonormal basis (N, c, K, …), added to a fixed function `lift` (1, c, K, …)."""

    problem: ReducedProblem
    family: Family
    grid: SpatialGrid
    basis: Tensor
    lift: Tensor
    steps: int  # per interval of time

    # ---- Assembly

    @cached_property
    def _terms(self) -> list[list[tuple[Derivative, int]]]:
        """For each equation its terms without a derivative in time, with their positions among the coefficients."""
        return [
            [(d, j) for j, (d, _) in enumerate(a.terms) if not self.problem.is_in_time(d.orders)]
            for a in self.problem.equations
        ]

    @cached_property
    def _compiled(self) -> list[Callable[..., tuple[Tensor, ...]]]:
        """For each equation its coefficients, inhomogeneity and coefficient of the derivative in time."""
        symbols = (*self.problem.domain.coordinates, *self.problem.parameters)
        return [
            compile_pointwise([*(c for _, c in a.terms), a.inhomogeneity, self.problem.mass(k)], symbols)
            for k, a in enumerate(self.problem.equations)
        ]

    def _coefficients(self, k: int, y: Tensor, t: float) -> tuple[list[Tensor], Tensor, Tensor]:
        """Those of equation k at the quadrature points, (B, Q) each: of the terms, the inhomogeneity, in time."""
        *terms, source, mass = self._compiled[k](*self._arguments(y, t))
        return terms, source, mass

    def _arguments(self, y: Tensor, t: float) -> list[Tensor]:
        columns = [x[None] for x in self.grid.nodes.unbind(-1)]
        time = [torch.full_like(columns[0], t)] if self.problem.domain.has_time else []
        return [c.expand(len(y), -1) for c in (*columns, *time)] + [v[:, None] for v in self._values(y)]

    def _values(self, y: Tensor) -> list[Tensor]:
        """The parameters (B,) from reference variables (B, p)."""
        return [
            y.new_tensor([value_at(p.distribution, v) for v in y[:, j].tolist()])
            for j, p in enumerate(self.family.parameters)
        ]

    @cached_property
    def _jets(self) -> dict[Derivative, Tensor]:
        """The derivatives of the basis functions and of the lift at the quadrature points, (N + 1, Q)."""
        functions, space = torch.cat([self.basis, self.lift]), len(self.grid.axes)
        wanted = {d for terms in self._terms for d, _ in terms}
        return {d: self.grid.at_nodes(functions, d.orders[:space])[:, d.component] for d in wanted}

    @cached_property
    def _functions(self) -> Tensor:
        """The basis functions and the lift at the quadrature points, (N + 1, c, Q)."""
        return self.grid.at_nodes(torch.cat([self.basis, self.lift]))

    @cached_property
    def _products(self) -> list[tuple[list[Tensor], Tensor, Tensor]]:
        """For each equation and term weight · test function · derivative, (Q, N (N + 1)); weight · test function,
        (Q, N); weight · test function · basis function, (Q, N²)."""
        products = []
        for k, c in enumerate(self.problem.evolving):
            test = (self._functions[:-1, c] * self.grid.weights).T
            jets = [(test[:, :, None] * self._jets[d].T[:, None]).flatten(1) for d, _ in self._terms[k]]
            products.append((jets, test, (test[:, :, None] * self._functions[:-1, c].T[:, None]).flatten(1)))
        return products

    def _system(self, y: Tensor, t: float) -> tuple[Tensor, Tensor, Tensor]:
        """M (B, N, N), A (B, N, N) and g (B, N) in M c′ + A c + g = 0."""
        count, n = len(y), len(self.basis)
        mass, operator = y.new_zeros(count, n * n), y.new_zeros(count, n * (n + 1))
        force = y.new_zeros(count, n)
        for k, (jets, test, own) in enumerate(self._products):
            coefficients, source, in_time = self._coefficients(k, y, t)
            mass += in_time @ own
            force += source @ test
            for product, (_, j) in zip(jets, self._terms[k], strict=True):
                operator += coefficients[j] @ product
        full = operator.reshape(count, n, n + 1)
        return mass.reshape(count, n, n), full[..., :-1], force + full[..., -1]

    # ---- Solution

    def coefficients(self, y: Tensor) -> Tensor:
        """The coefficients of the basis at the time nodes, for variables (B, p): (B, T, N)."""
        if not len(self.basis):
            return y.new_zeros(len(y), len(self.nodes), 0)
        per_member = len(self.grid.nodes) * (len(self.basis) + 8) + len(self.nodes) * len(self.basis)
        parts = torch.split(y, max(1, CHUNK // per_member))
        solve = self._evolve if self.problem.domain.has_time else self._minimize
        return torch.cat([solve(part) for part in parts])

    @cached_property
    def nodes(self) -> Tensor:
        """The time nodes, from the time of the data; one for stationary problems."""
        if not self.problem.domain.has_time:
            return torch.zeros(1, dtype=torch.float64)
        return time_nodes(self.problem.domain, self.problem.is_backward, self.steps)

    def _minimize(self, y: Tensor) -> Tensor:
        rows = self._stationary_rows(y)
        solved = [solve_least_squares(r[:, :-1], -r[:, -1]) for r in rows]
        return torch.stack(solved)[:, None]

    def _stationary_rows(self, y: Tensor) -> Tensor:
        """The weighted residuals of the basis functions and, in the last column, of the lift: (B, E Q, N + 1)."""
        blocks = []
        for k, terms in enumerate(self._terms):
            coefficients, source, _ = self._coefficients(k, y, 0.0)
            block = torch.stack([coefficients[j][..., None] * self._jets[d].T for d, j in terms]).sum(0)
            block[..., -1] += source
            blocks.append(self.grid.weights.sqrt()[:, None] * block)
        return torch.cat(blocks, 1)

    def _evolve(self, y: Tensor) -> Tensor:
        states, times = [self._initial(y)], self.nodes.tolist()
        system = self._system(y, times[0]) if self.problem.is_autonomous else None
        propagator: tuple[Tensor, Tensor] | None = None
        for n in range(len(times) - 1):
            h = times[n + 1] - times[n]
            if system is None:
                stages = [self._system(y, times[n] + c * h) for c in RADAU5.nodes]
                propagator = _radau_step(stages, h)
            elif n % self.steps == 0 or propagator is None:  # steps of equal size
                propagator = _radau_step([system] * RADAU5.stages, h)
            matrix, shift = propagator
            states.append((matrix @ states[-1][..., None])[..., 0] + shift)
        return torch.stack(states, 1)

    def _initial(self, y: Tensor) -> Tensor:
        """The L2 projection of the initial values."""
        difference = self._initial_difference(y) * self.grid.weights
        return torch.einsum("bcq,ncq->bn", difference, self._functions[:-1])

    def _initial_difference(self, y: Tensor) -> Tensor:
        """Initial values minus the lift at the quadrature points, (B, c, Q)."""
        symbols = (*self.problem.domain.coordinates, *self.problem.parameters)
        compiled = compile_pointwise(self.problem.initial, symbols)
        values = compiled(*self._arguments(y, float(self.nodes[0])))
        return torch.stack(values, 1) - self._functions[-1]

    # ---- Residual

    def residual(self, y: Tensor) -> Tensor:
        """The L2 norm of the residual of the reduced solution relative to that of the solution, for (B, p): (B,)."""
        solution = self.coefficients(y)
        extended = torch.cat([solution, torch.ones_like(solution[..., :1])], -1)
        values = torch.einsum("btn,ncq->btcq", extended, self._functions)
        lengths = time_weights(self.nodes)
        size = torch.einsum("btcq,q,t->b", values.square(), self.grid.weights, lengths)
        if not self.problem.domain.has_time:
            rows = self._stationary_rows(y)
            return (torch.einsum("brn,bn->br", rows, extended[:, 0]).square().sum(1) / size).sqrt()
        total = torch.zeros_like(size)
        system = self._system(y, float(self.nodes[0]))
        for n, t in enumerate(self.nodes.tolist()):
            if not self.problem.is_autonomous:
                system = self._system(y, t)
            mass, operator, force = system
            state, own = solution[:, n], extended[:, n]
            rate = torch.linalg.solve(mass, -(operator @ state[..., None])[..., 0] - force)
            for k, c in enumerate(self.problem.evolving):
                coefficients, source, in_time = self._coefficients(k, y, t)
                r = source + in_time * (rate @ self._functions[:-1, c])
                for d, j in self._terms[k]:
                    r = r + coefficients[j] * (own @ self._jets[d])
                total += lengths[n] * (r.square() @ self.grid.weights)
        span = float(lengths.sum())
        start = self._initial_difference(y) - torch.einsum("bn,ncq->bcq", solution[:, 0], self._functions[:-1])
        initial = torch.einsum("bcq,q->b", start.square(), self.grid.weights)
        return ((span**2 * total + span * initial) / size).sqrt()

    # ---- Values

    def values(self, points: Tensor, y: Tensor) -> Tensor:
        distinct, rows = torch.unique(y, dim=0, return_inverse=True)
        states = self.coefficients(distinct)
        functions, (first, weights) = self._functions_at(points), self._stencils(points[:, -1])
        near = states[rows[:, None], first[:, None] + torch.arange(weights.shape[1])]  # (n, stencil, N)
        state = torch.einsum("ns,nsk->nk", weights, near)
        return torch.einsum("nk,nkc->nc", torch.cat([state, torch.ones_like(state[:, :1])], -1), functions)

    def samples(self, points: Tensor, y: Tensor) -> Tensor:
        functions, parts = self._functions_at(points), []
        for part in torch.split(y, max(1, CHUNK // max(1, STENCIL * len(points) * len(self.basis)))):
            state = self.interpolated(self.coefficients(part), points[:, -1])
            extended = torch.cat([state, torch.ones_like(state[..., :1])], -1)
            parts.append(torch.einsum("bnk,nkc->bnc", extended, functions))
        return torch.cat(parts)

    def _functions_at(self, points: Tensor) -> Tensor:
        """Basis functions and lift at points, (n, N + 1, c)."""
        return self.grid.at(torch.cat([self.basis, self.lift]), points[:, : len(self.grid.axes)])

    def _stencils(self, t: Tensor) -> tuple[Tensor, Tensor]:
        """The first node (n,) and the weights (n, s) of the interpolation in time."""
        if not self.problem.domain.has_time:
            return torch.zeros(len(t), dtype=torch.long), t.new_ones(len(t), 1)
        sign = -1 if self.problem.is_backward else 1
        times, t = sign * self.nodes, sign * t.contiguous()
        first = (torch.searchsorted(times, t, right=True) - STENCIL // 2).clamp(0, len(times) - STENCIL)
        return first, lagrange_weights(t, times[first[:, None] + torch.arange(STENCIL)])

    def interpolated(self, states: Tensor, t: Tensor) -> Tensor:
        """Coefficients (B, T, N) at other times (n,): (B, n, N)."""
        first, weights = self._stencils(t)
        return torch.einsum("ns,bnsk->bnk", weights, states[:, first[:, None] + torch.arange(weights.shape[1])])

    def member(self, y: Tensor) -> nn.Module:
        state = self.coefficients(y[None])[0]
        functions = self.grid.at(torch.cat([self.basis, self.lift]), self.grid.points)  # (n, N + 1, c)
        values = torch.einsum("tk,nkc->tcn", torch.cat([state, torch.ones_like(state[:, :1])], -1), functions)
        shape = [len(_samples(a)) for a in self.grid.axes]
        times = self.nodes
        if self.problem.is_backward:
            values, times = values.flip(0), times.flip(0)
        return TensorProductExpansion(
            self.grid.axes,
            values.reshape(len(times), -1, *shape),
            times if self.problem.domain.has_time else None,
            STENCIL,
        )

    def moments(self, points: Tensor, y: Tensor, is_random: Sequence[bool]) -> tuple[Tensor, Tensor]:
        """By quasi-random samples (Sobol)."""
        sobol = torch.quasirandom.SobolEngine(len(is_random), scramble=True, seed=0)  # type: ignore[no-untyped-call]
        uniform = sobol.draw(MOMENT_SAMPLES, dtype=torch.float64).clamp(1e-12, 1 - 1e-12)
        variables = y.expand(MOMENT_SAMPLES, -1).clone()
        for j, (p, random) in enumerate(zip(self.family.parameters, is_random, strict=True)):
            if random:
                own = 2 * uniform[:, j] - 1
                variables[:, j] = 2**0.5 * torch.erfinv(own) if is_normal(p.distribution) else own
        values = self.samples(points, variables)
        return values.mean(0), values.var(0)


def _radau_step(stages: Sequence[tuple[Tensor, Tensor, Tensor]], h: float) -> tuple[Tensor, Tensor]:
    """P and r in c(t + h) = P c(t) + r: Mᵢ Kᵢ + Aᵢ (c + h Σⱼ aᵢⱼ Kⱼ) + gᵢ = 0, c(t + h) = c + h Σⱼ bⱼ Kⱼ."""
    rows = [
        torch.cat([(mass if i == j else 0.0) + h * a * operator for j, a in enumerate(RADAU5.matrix[i])], -1)
        for i, (mass, operator, _) in enumerate(stages)
    ]
    right = torch.cat([torch.cat([operator, force[..., None]], -1) for _, operator, force in stages], 1)
    solved = torch.linalg.solve(torch.cat(rows, 1), right).unflatten(1, (len(stages), -1))
    total = h * sum(b * solved[:, i] for i, b in enumerate(RADAU5.weights))
    assert isinstance(total, Tensor)
    identity = torch.eye(total.shape[1], dtype=total.dtype)
    return identity - total[..., :-1], -total[..., -1]


def time_weights(nodes: Tensor) -> Tensor:
    """Of the trapezoidal rule; 1 for a single node."""
    if len(nodes) == 1:
        return torch.ones_like(nodes)
    half = nodes.diff().abs() / 2
    zero = half.new_zeros(1)
    return torch.cat([half, zero]) + torch.cat([zero, half])


# ---- POD-greedy algorithm


TRAINING_MEMBERS = 256  # among which the next member is chosen
MAX_CORNERS = 16  # of the box of parameters, which are training members too
POD_FACTOR = 0.02  # omitted principal components of a member over the tolerance
STEPS_FACTOR = 0.02  # error of the steps in time over the tolerance
STEPS_MEMBERS = 16  # by which that is estimated
MIN_WEIGHT = 0.02  # of the smallest time weight, relative to the largest: initial values count, too
ACCURATE_MEMBERS = 2  # successive worst members that were accurate before they were added
MIN_TARGET = 0.15  # over the tolerance: members themselves have errors of 0.1


@dataclass
class ReducedBasisSolver(FamilySolver):
    """Members by their residuals; the first is that at the center."""

    variables: list[tuple[float, ...]] = field(default_factory=list)
    modules: list[nn.Module] = field(default_factory=list)
    model: ReducedModel | None = None

    @property
    def problem(self) -> ReducedProblem:
        assert self.family.reduction is not None
        return self.family.reduction

    @cached_property
    def training(self) -> Tensor:
        """Reference variables of the training members."""
        dimension = len(self.family.parameters)
        samples = sample_members(self.family, TRAINING_MEMBERS, self.options.seed)
        if 2**dimension > MAX_CORNERS or any(is_normal(p.distribution) for p in self.family.parameters):
            return samples
        ends = torch.tensor([-1.0, 1.0], dtype=torch.float64)
        return torch.cat([torch.cartesian_prod(*[ends] * dimension).reshape(-1, dimension), samples])

    def refine(self, target: float) -> str:
        """Until the worst members by their residuals are accurate before they are added."""
        target = max(target, MIN_TARGET * self.options.tolerance)
        accurate = 0
        while accurate < ACCURATE_MEMBERS:
            if len(self.solved) and (reason := self.exhausted()):
                return reason
            variables = self.worst_member()
            member = self.solve(variables)
            if self.model is not None:
                error = relative_error(self.predict(torch.tensor(variables, dtype=torch.float64)), member.values)
                accurate = accurate + 1 if error <= target else 0
            self.solved.append(member)
            self.variables.append(variables)
            self.extend(member.module)
        return ""

    def worst_member(self) -> tuple[float, ...]:
        """The training member with the largest residual; the center first."""
        if self.model is None:
            return (0.0,) * len(self.family.parameters)
        residuals = self.model.residual(self.training)
        residuals[torch.tensor([tuple(y) in self.variables for y in self.training.tolist()])] = -inf
        position: list[float] = self.training[residuals.argmax()].tolist()
        return tuple(position)

    def predict(self, y: Tensor) -> Tensor:
        assert self.points is not None
        return self.approximation().values(self.points, y.expand(len(self.points), -1))

    def approximation(self) -> ReducedModel:
        assert self.model is not None
        return self.model

    # ---- Basis

    def extend(self, module: nn.Module) -> None:
        """Adds the principal components of the error of a member, on a grid that resolves all members."""
        self.modules.append(module)
        if self.model is not None and self._is_resolved(self.model.grid, module):
            self.model = self._with_steps(self._extended(self.model, module))
            return
        n = FIRST_POINTS if self.model is None else 2 * self.model.grid.size
        while 2 * n <= MAX_POINTS[len(self.problem.domain.space)] and not self._is_resolved(self._grid(n), module):
            n *= 2
        model = self._empty_model(self._grid(n), self.modules[0])
        for own in self.modules:
            model = self._extended(model, own)
        self.model = self._with_steps(model)

    def _grid(self, n: int) -> SpatialGrid:
        return SpatialGrid.of(self.problem.domain, n)

    def _is_resolved(self, grid: SpatialGrid, module: nn.Module) -> bool:
        """Whether the omitted coefficients are negligible, or the grid is the finest."""
        is_finest = 2 * grid.size > MAX_POINTS[len(self.problem.domain.space)]
        return is_finest or grid.tail(self._snapshots(grid, module)) <= RESOLUTION_FACTOR * self.options.tolerance

    @cached_property
    def snapshot_times(self) -> Tensor:
        """The times of the snapshots of a member; one without meaning for stationary problems."""
        if not self.problem.domain.has_time:
            return torch.zeros(1, dtype=torch.float64)
        return time_nodes(self.problem.domain, self.problem.is_backward, STEP_SIZES[0])

    def _snapshots(self, grid: SpatialGrid, module: nn.Module) -> Tensor:
        return grid.coefficients(_sample(module, grid, self.snapshot_times, self.problem.domain.has_time))

    def _empty_model(self, grid: SpatialGrid, module: nn.Module) -> ReducedModel:
        """Without basis functions; the lift is the first member, at the last time."""
        snapshots = self._snapshots(grid, module)
        lift = torch.zeros_like(snapshots[:1]) if self.problem.is_homogeneous else snapshots[-1:]
        return ReducedModel(self.problem, self.family, grid, snapshots[:0], lift, STEP_SIZES[0])

    def _extended(self, model: ReducedModel, module: nn.Module) -> ReducedModel:
        grid, weights = model.grid, time_weights(self.snapshot_times)
        weights = weights.clamp_min(MIN_WEIGHT * float(weights.max()))
        snapshots = self._snapshots(grid, module)
        size = float(torch.einsum("tcq,q,t->", grid.at_nodes(snapshots).square(), grid.weights, weights)) ** 0.5
        snapshots = snapshots - model.lift
        products = torch.einsum("tcq,ncq,q->tn", grid.at_nodes(snapshots), grid.at_nodes(model.basis), grid.weights)
        snapshots = snapshots - torch.tensordot(products, model.basis, dims=1)
        tolerance = POD_FACTOR * self.options.tolerance * size
        components = principal_components(snapshots, model, weights, tolerance)
        return replace(model, basis=torch.cat([model.basis, components]))

    def _with_steps(self, model: ReducedModel) -> ReducedModel:
        """The model with steps in time whose error, with that of the interpolation, is negligible."""
        if not self.problem.domain.has_time:
            return model
        some = self.training[:STEPS_MEMBERS]
        coarse = model.coefficients(some)
        for steps in STEP_SIZES[STEP_SIZES.index(model.steps) + 1 :]:
            finer = replace(model, steps=steps)
            fine = finer.coefficients(some)
            if relative_error(model.interpolated(coarse, finer.nodes), fine) <= STEPS_FACTOR * self.options.tolerance:
                return model
            model, coarse = finer, fine
        return model

    # ---- Files

    def description(self) -> dict[str, Any]:
        return {"members": self.variables}

    def restore(
        self, description: Mapping[str, Any], load: Callable[[tuple[float, ...]], SolverResult]
    ) -> FamilyApproximation:
        for variables in description["members"]:
            self.extend(load(tuple(map(float, variables))).module)
        return self.approximation()


def _sample(module: nn.Module, grid: SpatialGrid, times: Tensor, has_time: bool) -> Tensor:
    """The values (T, n₁ n₂ …, c) of a member at the sample points."""
    x = grid.points
    if has_time:
        x = torch.cat([x.repeat(len(times), 1), times.repeat_interleave(len(x))[:, None]], 1)
    with torch.no_grad():
        values: Tensor = module(x)
    return values.reshape(len(times), len(grid.points), -1)


def principal_components(snapshots: Tensor, model: ReducedModel, weights: Tensor, tolerance: float) -> Tensor:
    """The fewest orthonormal functions whose span approximates the snapshots (T, c, K, …) up to the tolerance."""
    grid, known = model.grid, model.basis
    rows = weights.sqrt().reshape(-1, *[1] * (snapshots.ndim - 1)) * snapshots
    values = (grid.at_nodes(rows) * grid.weights.sqrt()).flatten(1)
    left, sizes, _ = torch.linalg.svd(values, full_matrices=False)
    omitted = sizes.square().flip(0).cumsum(0).flip(0).sqrt()  # of the components from each on
    count = int((omitted > tolerance).sum())
    modes = torch.tensordot(left[:, :count].T / sizes[:count, None], rows, dims=1)
    combined = torch.cat([known, modes])
    values = (grid.at_nodes(combined) * grid.weights.sqrt()).flatten(1)
    upper = torch.linalg.qr(values.T)[1]  # orthonormal up to rounding, with the basis as it is
    inverse = torch.linalg.inv(upper * upper.diagonal().sign()[:, None])
    components: Tensor = torch.tensordot(inverse.T, combined, dims=1)[len(known) :]
    return components
