"""Chebyshev collocation on a box, Fourier collocation on its periodic axes; Newton's method or implicit Runge-Kutta
methods in time.

M dw/dt = R(w, t) for the nodal values w. Equations hold at the interior nodes; boundary conditions replace the rows
next to the boundary, with M = 0: the first one on the boundary, the second one node further in (Trefethen 2000, ch. 13
and 14). A pressure has a degree lower by two than the velocity, to exclude spurious modes (P_N-P_(N-2); Bernardi, Maday
1992): its boundary values are extrapolated from the interior. Where an axis has several pieces, values and normal
derivatives are continuous at the breaks. Its undetermined mean is added to the divergence: both
vanish if the net boundary flux is zero. Stationary problems are solved by Newton's method, evolution problems by an
implicit Runge-Kutta method (Hairer, Wanner 1996). Interface problems use the same steps with finite volumes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import torch
from sympy import Expr, Symbol
from torch import Tensor

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.boundary import Dirichlet
from pdedsl.ir.first_order_system import FaceCondition, FirstOrderSystem
from pdedsl.ir.residual import Derivative, NonlocalTerm
from pdedsl.ir.solver_plans import ChebyshevScheme, InterfaceFVScheme, SeparableOperator
from pdedsl.numerics.butcher import ImplicitRungeKutta
from pdedsl.runtime.basis import chebyshev
from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import (
    Axis,
    ChebyshevAxis,
    PiecewiseChebyshevAxis,
    TensorProductExpansion,
    basis_functions,
    expansion_coefficients,
)
from pdedsl.runtime.linalg import LUFactorization
from pdedsl.runtime.ode.implicit import NewtonSteps
from pdedsl.runtime.ode.step_doubling import StepBudget, StepControl, TimeHistory
from pdedsl.solvers.grid.grid_result import (
    DISCRETE_RESIDUAL,
    NET_FLUX,
    GridResult,
    GridSolveFailed,
    IllPosedProblem,
    integrate,
    make_expansion,
    physical_time,
    physical_times,
    step_metrics,
    steps_text,
    time_interval,
)
from pdedsl.solvers.grid.interface_fv import InterfaceFVProblem, make_cells
from pdedsl.solvers.grid.nodal_functions import CompiledExpressions, ParameterValue, compile_expressions, nodal_values
from pdedsl.solvers.grid.separable import SeparableSystem, apply_along, axis_faces, make_axis_operator
from pdedsl.solvers.nonlocal_terms import NonlocalQuadrature, QuadratureNodes

# ---- Discretization


def make_axes(scheme: ChebyshevScheme, sizes: Sequence[int]) -> tuple[Axis, ...]:
    axes: list[Axis] = []
    intervals = scheme.system.statement.domain.intervals  # the last one may be time
    for interval, breaks, n in zip(intervals, scheme.breaks, sizes, strict=False):
        start, end = float(interval.start), float(interval.end)
        if interval.periodic:
            axes.append(FourierAxis(start, end - start, max(2, (n + 1) // 2)))
        elif breaks:
            axes.append(PiecewiseChebyshevAxis((start, *breaks, end), n))
        else:
            axes.append(ChebyshevAxis(start, end, n))
    return tuple(axes)


def axis_nodes(axis: Axis, like: Tensor) -> Tensor:
    if isinstance(axis, FourierAxis):
        return axis.start + axis.period * torch.arange(axis.modes, dtype=like.dtype, device=like.device) / axis.modes
    if isinstance(axis, PiecewiseChebyshevAxis):
        return torch.cat([axis_nodes(piece, like) for piece in axis.pieces])
    return axis.start + (axis.end - axis.start) * (chebyshev.chebyshev_points(axis.n, like) + 1) / 2


def differentiation_matrix(axis: Axis, like: Tensor) -> Tensor:
    """The matrix of d/dx at the nodes of an axis."""
    if isinstance(axis, FourierAxis):
        identity = torch.eye(axis.modes, dtype=like.dtype, device=like.device)
        wave = 2j * torch.pi / axis.period * torch.arange(axis.half, dtype=like.dtype, device=like.device)
        matrix: Tensor = torch.fft.irfft(wave[:, None] * torch.fft.rfft(identity, dim=0), n=axis.modes, dim=0)
        return matrix
    if isinstance(axis, PiecewiseChebyshevAxis):
        blocks = [differentiation_matrix(piece, like) for piece in axis.pieces]
        pieces: Tensor = torch.block_diag(*blocks)  # type: ignore[no-untyped-call]
        return pieces
    return chebyshev.differentiation_matrix(axis.n, like) * (2 / (axis.end - axis.start))


AXIS_SHIFT = 1e-8  # relative to the interval: the square root of rounding, for functions like sin(r)/r
MAX_QUADRATURE_ENTRIES = 30_000_000  # of the matrix from nodal values to quadrature points: 240 MB
EXTRA_QUADRATURE_POINTS = 16  # beyond those that are exact for the polynomial u, for the kernel


@dataclass(frozen=True)
class DiscreteNonlocalTerm:
    """A nonlocal term at nodes: `interpolation` maps nodal values to the values at the quadrature points.

    A matrix has a row for each node and quadrature point, or for each quadrature point if these are the same for all
    nodes.
    """

    quadrature: NonlocalQuadrature
    nodes: QuadratureNodes
    interpolation: tuple[Tensor, ...]
    histories: tuple[Tensor | None, ...]  # values before the initial time, 0 afterwards
    slices: tuple[slice, ...]

    def value(self, w: Tensor) -> Tensor:
        return self.quadrature.evaluate(self.nodes, self._values(w))[0]

    def jacobian(self, w: Tensor) -> Iterator[tuple[slice, Tensor]]:
        """For each variable in the integrand the matrix of the derivative."""
        shape = self.nodes.weights.shape
        partials = self.quadrature.evaluate(self.nodes, self._values(w))[1]
        for own, matrix, partial in zip(self.slices, self.interpolation, partials, strict=True):
            if len(matrix) == shape[1]:
                yield own, partial @ matrix
            else:
                yield own, torch.einsum("nq,nqk->nk", partial, matrix.reshape(*shape, -1))

    def _values(self, w: Tensor) -> list[Tensor]:
        shape = self.nodes.weights.shape
        found = ((m @ w[own]) for m, own in zip(self.interpolation, self.slices, strict=True))
        values = [v.reshape(shape) if len(v) == self.nodes.weights.numel() else v.reshape(1, -1) for v in found]
        return [v if past is None else v + past for v, past in zip(values, self.histories, strict=True)]


@dataclass(frozen=True)
class CollocationRows:
    """Rows of R: an expression at the nodes `at`, written to `rows`, and its partial derivatives w.r.t. its jets and
    its nonlocal terms."""

    value: CompiledExpressions
    partials: CompiledExpressions
    jets: tuple[Derivative, ...]
    nonlocal_terms: tuple[Symbol, ...]
    at: Tensor
    rows: Tensor
    sign: float


@dataclass(frozen=True)
class CollocationProblem:
    """Collocation at the tensor-product nodes; w contains all variables one after the other."""

    system: FirstOrderSystem
    axes: tuple[Axis, ...]
    parameter_values: Mapping[str, ParameterValue]
    like: Tensor

    @cached_property
    def nodes_1d(self) -> list[Tensor]:
        return [axis_nodes(a, self.like) for a in self.axes]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(line) for line in self.nodes_1d)

    @cached_property
    def node_coordinates(self) -> list[Tensor]:
        """The coordinates of all nodes, each flattened. Nodes on an axis of curvilinear coordinates, where coefficients
        are not defined, are moved inside: their equations are replaced by conditions."""
        lines = [line.clone() for line in self.nodes_1d]
        metric = self.system.statement.domain.metric
        for k, upper in ((a.coordinate, a.upper) for a in (metric.axes if metric else ())):
            first, last = lines[k][0].clone(), lines[k][-1].clone()
            shift = AXIS_SHIFT * (last - first)
            lines[k][-1 if upper else 0] = last - shift if upper else first + shift
        return [c.reshape(-1) for c in torch.meshgrid(*lines, indexing="ij")]

    @property
    def count(self) -> int:
        return self.node_coordinates[0].numel()

    @cached_property
    def _matrices(self) -> dict[tuple[int, ...], Tensor]:
        return {}

    def matrix(self, orders: tuple[int, ...]) -> Tensor:
        """The matrix of ∂^α: from values at all nodes to derivatives at all nodes."""
        if orders not in self._matrices:
            matrix = torch.ones((1, 1), dtype=self.like.dtype, device=self.like.device)
            for axis, order in zip(self.axes, orders, strict=True):
                matrix = torch.kron(matrix, torch.linalg.matrix_power(differentiation_matrix(axis, self.like), order))
            self._matrices[orders] = matrix
        return self._matrices[orders]

    def values_at(self, time: float) -> Mapping[Symbol, Tensor]:
        t = self.like.new_full((1,), time)
        timed = self.system.statement.domain.has_time
        return nodal_values(self.system, self.parameter_values, self.node_coordinates, t if timed else None)

    @cached_property
    def _constant_values(self) -> list[Mapping[Symbol, Tensor]] | None:
        """Coordinates and parameters at the nodes of each block, if no learned function depends on time."""
        if self.system.time_dependent:
            return None
        return [self._select(b, self.values_at(self.start)) for b in self.blocks]

    def _block_values(self, time: float) -> list[Mapping[Symbol, Tensor]]:
        """Coordinates, time and parameters for each block."""
        if self._constant_values is None:
            values = self.values_at(time)
            return [self._select(b, values) for b in self.blocks]
        if not self.system.statement.domain.has_time:
            return self._constant_values
        t = {self.system.coordinates[-1]: self.like.new_full((1,), time)}
        return [{**values, **t} for values in self._constant_values]

    def _select(self, block: CollocationRows, values: Mapping[Symbol, Tensor]) -> Mapping[Symbol, Tensor]:
        return {s: v[block.at] if v.numel() == self.count > 1 else v for s, v in values.items()}

    def rhs(self, w: Tensor, time: float) -> Tensor:
        """R(w, t), with the sign of a forward problem."""
        result = w.new_zeros(w.shape)
        for b, values in zip(self.blocks, self._block_values(time), strict=True):
            (value,) = b.value(self._jets(b, b.value, w), self._with_integrals(b, w, values, time))
            result = result.index_copy(0, b.rows, b.sign * value)
        for k in self.system.defined_up_to_constant:
            result[self._slice(k)] += self._pressure_rows @ w[self._slice(k)]
        if bool(self.at_break.any()):
            pairs = zip(self._break_rows, w.reshape(-1, self.count), strict=True)
            jumps = torch.cat([rows @ own for rows, own in pairs]) + self._jump_data(time)
            result = torch.where(self._has_break_row, jumps, result)
        return result

    def jacobian(self, w: Tensor, time: float) -> Tensor:
        """∂R/∂w."""
        result = w.new_zeros(len(w), len(w))
        for b, values in zip(self.blocks, self._block_values(time), strict=True):
            partials = b.partials(self._jets(b, b.partials, w), self._with_integrals(b, w, values, time))
            for symbol, partial in zip(b.nonlocal_terms, partials[len(b.jets) :], strict=True):
                for own, matrix in self._nonlocal_term(b, symbol, time).jacobian(w):
                    result[b.rows, own] += b.sign * partial[:, None] * matrix
            for jet, partial in zip(b.jets, partials, strict=False):
                part = b.sign * partial[:, None] * self.matrix(jet.orders)[b.at]
                result[b.rows, self._slice(jet.component)] += part
        for k in self.system.defined_up_to_constant:
            result[self._slice(k), self._slice(k)] += self._pressure_rows
        if bool(self.at_break.any()):
            rows = torch.block_diag(*self._break_rows)  # type: ignore[no-untyped-call]
            result = torch.where(self._has_break_row[:, None], rows, result)
        return result

    @property
    def test_source(self) -> Tensor:
        """A smooth source of the equations, exp(Σ aₖ xₖ) on [-1, 1]^d, orthogonal to no eigenfunction of the usual
        operators; 0 in the rows of the boundary conditions."""
        exponent = self.like.new_zeros(self.count)
        for k, (x, axis) in enumerate(zip(self.node_coordinates, self.axes, strict=True)):
            length = axis.period if isinstance(axis, FourierAxis) else axis.end - axis.start
            exponent = exponent + 0.7 * (k + 1) * (2 * (x - axis.start) / length - 1).reshape(-1)
        rows = exponent.exp().repeat(len(self.system.variables))
        return torch.where((self.replacing_condition < 0) & ~self._has_break_row, rows, 0.0)

    def largest_term(self, w: Tensor) -> float:
        """The maximum of |∂R/∂j · j| over the jets j of the equations."""
        values, size = w.reshape(-1, self.count), 0.0
        for b, known in zip(self.blocks, self._block_values(0.0), strict=True):
            partials = b.partials(self._jets(b, b.partials, w), self._with_integrals(b, w, known, 0.0))
            for jet, partial in zip(b.jets, partials, strict=False):
                size = max(size, float((partial * self._jet(values, jet, b.at)).abs().max()))
        return size

    # ---- Nonlocal terms

    @cached_property
    def _nonlocal_terms(self) -> dict[tuple[int, Symbol], DiscreteNonlocalTerm]:
        return {}

    def _with_integrals(
        self, block: CollocationRows, w: Tensor, known: Mapping[Symbol, Tensor], time: float
    ) -> Mapping[Symbol, Tensor]:
        if not block.nonlocal_terms:
            return known
        return {**known, **{s: self._nonlocal_term(block, s, time).value(w) for s in block.nonlocal_terms}}

    def _nonlocal_term(self, block: CollocationRows, symbol: Symbol, time: float) -> DiscreteNonlocalTerm:
        """The matrices depend on time only through the weights of the kernel."""
        term, timed = dict(self.system.nonlocal_terms)[symbol], self.system.statement.domain.has_time
        clock = self.system.coordinates[-1] if timed else None
        key = (id(block), symbol)
        if key not in self._nonlocal_terms:
            self._nonlocal_terms[key] = self._discretize(term, block.at, time)
        discrete = self._nonlocal_terms[key]
        if clock is None:
            return discrete
        moved = (*discrete.nodes.columns[:-1], torch.full_like(discrete.nodes.columns[-1], time))
        return replace(discrete, nodes=replace(discrete.nodes, columns=moved))

    def _discretize(self, term: NonlocalTerm, at: Tensor, time: float) -> DiscreteNonlocalTerm:
        quadrature = NonlocalQuadrature(term, self.system.coordinates)
        columns = [c[at] for c in self.node_coordinates]
        if self.system.statement.domain.has_time:
            columns.append(torch.full_like(columns[0], time))
        order = max(2 * n if isinstance(a, FourierAxis) else n for n, a in zip(self.shape, self.axes, strict=True))
        order += EXTRA_QUADRATURE_POINTS
        nodes = quadrature.nodes(columns, order)
        fixed = not quadrature.points_depend_on(self.system.coordinates)
        base = quadrature.nodes([c[:1] for c in columns], order) if fixed else nodes
        if base.weights.numel() * self.count > MAX_QUADRATURE_ENTRIES:
            raise GridSolveFailed("the quadrature of an integral needs too much memory on this grid")
        interpolation, histories = [], []
        places = zip(term.values, quadrature.points(base), quadrature.histories(base), strict=True)
        for (_, value), points, past in places:
            rows = self._interpolation(points.flatten(0, 1)[:, : len(self.axes)])
            if past is not None:
                rows = torch.where(past[1].reshape(-1, 1), 0.0, rows)
            interpolation.append(rows @ self.matrix(value.derivative.orders))
            histories.append(None if past is None else torch.where(past[1], past[0], 0.0))
        slices = tuple(self._slice(v.derivative.component) for _, v in term.values)
        return DiscreteNonlocalTerm(quadrature, nodes, tuple(interpolation), tuple(histories), slices)

    def _interpolation(self, points: Tensor) -> Tensor:
        """The matrix from nodal values to values at points (p, d)."""
        rows = torch.ones(len(points), 1, dtype=points.dtype, device=points.device)
        for axis, size, x in zip(self.axes, self.shape, points.unbind(-1), strict=True):
            identity = torch.eye(size, dtype=points.dtype, device=points.device)
            own = basis_functions(axis, x) @ expansion_coefficients(axis, identity, 0)
            rows = (rows.unsqueeze(-1) * own.unsqueeze(1)).flatten(1)
        return rows

    def _slice(self, variable: int) -> slice:
        return slice(variable * self.count, (variable + 1) * self.count)

    @cached_property
    def interior(self) -> Tensor:
        """Mask of the interior nodes."""
        mask = torch.ones(self.shape, dtype=torch.bool, device=self.like.device)
        for k, axis in enumerate(self.axes):
            if not isinstance(axis, FourierAxis):
                mask.select(k, 0)[...] = False
                mask.select(k, self.shape[k] - 1)[...] = False
        return mask.reshape(-1)

    @cached_property
    def _pressure_rows(self) -> Tensor:
        """Rows of a pressure: on the boundary, its difference to the extrapolation; in the interior, the mean."""
        extension = torch.ones((1, 1), dtype=self.like.dtype, device=self.like.device)
        for axis, size in zip(self.axes, self.shape, strict=True):
            identity = torch.eye(size, dtype=self.like.dtype, device=self.like.device)
            extension = torch.kron(
                extension,
                chebyshev.extrapolation_matrix(size, self.like) if isinstance(axis, ChebyshevAxis) else identity,
            )
        interior = self.interior.to(self.like.dtype)
        boundary_rows = torch.eye(self.count, dtype=self.like.dtype, device=self.like.device) - extension
        return torch.where(self.interior[:, None], interior / interior.sum(), boundary_rows)

    def _jets(self, block: CollocationRows, formula: CompiledExpressions, w: Tensor) -> list[Tensor]:
        values = w.reshape(-1, self.count)
        return [self._jet(values, self.system.jet_derivatives[s], block.at) for s in formula.jets]

    def _jet(self, values: Tensor, jet: Derivative, at: Tensor) -> Tensor:
        derivative = values[jet.component].reshape(self.shape)
        for k, order in enumerate(jet.orders):
            for _ in range(order):
                derivative = apply_along(self.differentiation_matrices[k], derivative, k)
        return derivative.reshape(-1)[at]

    @cached_property
    def differentiation_matrices(self) -> list[Tensor]:
        return [differentiation_matrix(axis, self.like) for axis in self.axes]

    @cached_property
    def mass(self) -> Tensor:
        """1 in rows with a time derivative, else 0."""
        result = self.like.new_zeros(len(self.system.variables) * self.count)
        for k in self.system.differential:
            result[self._slice(k)] = 1
        result[self.replacing_condition >= 0] = 0
        result[self._has_break_row] = 0
        return result

    @cached_property
    def at_break(self) -> Tensor:
        """Mask of the rows of jumps at the breaks of axes in pieces; a break is a node of two pieces."""
        return torch.cat([rows.any(1) for rows in self._break_rows])

    @cached_property
    def _break_rows(self) -> list[Tensor]:
        """Jumps at breaks, for each variable; those at a break of a later axis take precedence."""
        found = []
        for variable in range(len(self.system.variables)):
            rows = self.like.new_zeros(self.count, self.count)
            for k, axis in enumerate(self.axes):
                if not isinstance(axis, PiecewiseChebyshevAxis):
                    continue
                own, matrix = self._jumps(k, axis, variable), self.like.new_ones(1, 1)
                for j, size in enumerate(self.shape):
                    matrix = torch.kron(matrix, own if j == k else torch.eye(size, dtype=own.dtype, device=own.device))
                rows = torch.where(matrix.any(1, keepdim=True), matrix, rows)
            found.append(rows)
        return found

    def _jumps(self, k: int, axis: PiecewiseChebyshevAxis, variable: int) -> Tensor:
        """Along an axis, for an equation of order 2m: jumps of the derivatives of order m, …, 2m - 1 in the rows of the
        last m nodes before a break, of those of lower order in the rows behind. Along time, each piece is an initial
        value problem: jumps of the value and of the derivatives below the order of the equation, in the first rows of
        the later piece."""
        matrix, rows = self.differentiation_matrices[k], self.like.new_zeros(self.shape[k], self.shape[k])
        orders = [d.orders[k] for _, d in self.system.jets if d.component == variable]
        for before in range(axis.n - 1, self.shape[k] - 1, axis.n):
            derivative, highest = (
                torch.eye(len(matrix), dtype=matrix.dtype, device=matrix.device),
                max(orders, default=0),
            )
            for order in range(highest):
                is_behind = self.system.has_history or order < highest // 2
                row = before + 1 + order if is_behind else before + 1 + order - highest
                rows[row] = derivative[before] - derivative[before + 1]
                derivative = matrix @ derivative
        return rows

    def _jump_data(self, time: float) -> Tensor:
        """The prescribed jumps of derivatives at point sources, in the rows of these."""
        data = self.like.new_zeros(len(self.system.variables) * self.count)
        if self.system.derivative_jumps:
            known = self.values_at(time)
            for jump, rows, values in zip(
                self.system.derivative_jumps, self._jump_rows, self._jump_values, strict=True
            ):
                data[rows] = values((), known)[0].expand(self.count)[rows - jump.variable * self.count]
        return data

    @cached_property
    def _jump_values(self) -> list[CompiledExpressions]:
        return [compile_expressions(self.system, [j.value]) for j in self.system.derivative_jumps]

    @cached_property
    def _jump_rows(self) -> list[Tensor]:
        """The rows of the jumps of the derivatives of highest order but one, in the nodes before the breaks."""
        index, found = torch.arange(self.count, device=self.like.device).reshape(self.shape), []
        for jump in self.system.derivative_jumps:
            axis = self.axes[jump.axis]
            assert isinstance(axis, PiecewiseChebyshevAxis)
            before = axis.n * axis.breaks[1:-1].index(jump.place) + axis.n - 1
            found.append(jump.variable * self.count + index.select(jump.axis, before).reshape(-1))
        return found

    @cached_property
    def _has_break_row(self) -> Tensor:
        """Mask of the rows of jumps at breaks; conditions on faces take precedence."""
        return self.at_break & (self.replacing_condition < 0)

    @cached_property
    def replacing_condition(self) -> Tensor:
        """For each row the face condition that replaces its equation, or -1.

        The nearest face takes precedence, then Dirichlet conditions: at the ends of a face with a tangential derivative
        those of its neighbors determine the constant.
        """

        def precedence(ranked: tuple[int, int]) -> tuple[int, int, bool]:
            condition = self.system.face_conditions[ranked[0]]
            return ranked[1], condition.normal, not isinstance(condition.kind, Dirichlet)

        result = torch.full((len(self.system.variables) * self.count,), -1, device=self.like.device)
        for k, layer in sorted(self._ranked_conditions(), key=precedence):
            condition = self.system.face_conditions[k]
            rows = self._replaced_variable(condition) * self.count + self._face_nodes(condition, layer)
            result[rows[result[rows] < 0]] = k
        return result

    def _ranked_conditions(self) -> Iterator[tuple[int, int]]:
        """Each condition with its rank among the conditions on the same variable and face."""
        seen: dict[object, int] = {}
        order = sorted(range(len(self.system.face_conditions)), key=lambda k: self.system.face_conditions[k].normal)
        for k in order:
            condition = self.system.face_conditions[k]
            key = (
                (condition.place, condition.variable)
                if not condition.part
                else (condition.place, condition.variable, condition.part)
            )
            seen[key] = seen.get(key, -1) + 1
            yield k, seen[key]

    def _replaced_variable(self, condition: FaceCondition) -> int:
        """The variable whose equation is replaced: the highest time derivative of the component."""
        component, _ = self.system.variables[condition.variable]
        return max(k for k, (c, _) in enumerate(self.system.variables) if c == component)

    def _face_nodes(self, condition: FaceCondition, layer: int) -> Tensor:
        """Nodes in a layer next to a face, on the part of the face where the condition applies."""
        index = torch.arange(self.count, device=self.like.device).reshape(self.shape)
        axis, size = condition.place.coordinate, self.shape[condition.place.coordinate]
        nodes = index.select(axis, size - 1 - layer if condition.place.upper else layer).reshape(-1)
        for expr in condition.part:
            value = compile_expressions(self.system, [expr])((), self.values_at(self.start))[0].expand(self.count)
            nodes = nodes[value[self._project_to_face(condition, nodes)] > 0]
        return nodes

    @cached_property
    def start(self) -> float:
        return float(self.system.statement.domain.intervals[-1].start)

    def _project_to_face(self, condition: FaceCondition, nodes: Tensor) -> Tensor:
        """Projections of nodes onto the face."""
        axis, size = condition.place.coordinate, self.shape[condition.place.coordinate]
        stride = 1
        for s in self.shape[axis + 1 :]:
            stride *= s
        place = (nodes // stride) % size
        return nodes + ((size - 1 if condition.place.upper else 0) - place) * stride

    @cached_property
    def blocks(self) -> tuple[CollocationRows, ...]:
        system, all_nodes = self.system, torch.arange(self.count, device=self.like.device)
        equations = dict(
            zip((*system.differential, *system.algebraic), (*system.rhs, *system.constraints), strict=True)
        )
        blocks = []
        for k, expr in equations.items():
            free = all_nodes[
                (self.replacing_condition[self._slice(k)] < 0)
                & (self.interior if k in system.defined_up_to_constant else True)
            ]
            sign = -1.0 if system.backward and k in system.differential else 1.0
            blocks.append(self._block(expr, free, k * self.count + free, sign))
        for k, condition in enumerate(system.face_conditions):
            rows = (self.replacing_condition == k).nonzero().squeeze(-1)
            if len(rows):
                blocks.append(
                    self._block(
                        condition.differentiated, self._project_to_face(condition, rows % self.count), rows, 1.0
                    )
                )
        return tuple(blocks)

    @cached_property
    def _conditions_on_data(self) -> tuple[CollocationRows, ...]:
        """The conditions that the equations contain differentiated in time only, in the rows of their variables."""
        blocks = []
        for k, condition in enumerate(self.system.face_conditions):
            nodes = (self.replacing_condition == k).nonzero().squeeze(-1) % self.count
            if len(nodes) and condition.differentiated != condition.expr:
                rows = condition.variable * self.count + nodes
                blocks.append(self._block(condition.expr, self._project_to_face(condition, nodes), rows, 1.0))
        return tuple(blocks)

    def impose_conditions(self, w: Tensor, time: float) -> Tensor:
        """Initial values that satisfy the conditions which the equations contain differentiated in time only, by other
        values on the boundary; values that satisfy them do not change."""
        blocks, known = self._conditions_on_data, self.values_at(time)
        if not blocks:
            return w
        rows = torch.cat([b.rows for b in blocks])
        for _ in range(MAX_NEWTON_ITERATIONS):
            residuals, gradients = [], []
            for b in blocks:
                values = self._select(b, known)
                residuals.append(b.value(self._jets(b, b.value, w), values)[0].expand(len(b.rows)))
                gradient = w.new_zeros(len(b.rows), len(w))
                for jet, partial in zip(b.jets, b.partials(self._jets(b, b.partials, w), values), strict=True):
                    gradient[:, self._slice(jet.component)] += partial[:, None] * self.matrix(jet.orders)[b.at]
                gradients.append(gradient[:, rows])
            residual = torch.cat(residuals)
            if float(residual.detach().abs().max()) <= MIN_JUMP:
                return w
            w = w.index_add(0, rows, -torch.linalg.solve(torch.cat(gradients), residual))
        raise GridSolveFailed("no values on the boundary satisfy the boundary conditions at the initial time")

    def _block(self, expr: Expr, at: Tensor, rows: Tensor, sign: float) -> CollocationRows:
        jets = self.system.jets_in(expr)
        integrals = tuple(s for s, _ in self.system.nonlocal_terms if s in expr.free_symbols)
        partials = compile_expressions(self.system, [expr.diff(s) for s in (*(s for s, _ in jets), *integrals)])
        derivatives = tuple(d for _, d in jets)
        return CollocationRows(
            compile_expressions(self.system, [expr]), partials, derivatives, integrals, at, rows, sign
        )


# ---- Consistent initial values
#
# For ∂v/∂t = R(v) + G p, C v = c(t) (incompressible flow): the projection v + G q = v₀ with C v = c (Chorin 1968), then
# the pressure from v′ - G p = R(v) with C v′ = c′.


DIFFERENCE_STEP = 1e-5  # fraction of the time interval, for c′ by central differences


def consistent_initial_values(problem: CollocationProblem, start: Tensor, initial_time: float, length: float) -> Tensor:
    """`length` is negative for terminal-value problems."""
    differential = problem.mass > 0
    pressure = torch.zeros_like(differential).reshape(-1, problem.count)
    pressure[list(problem.system.defined_up_to_constant)] = True
    pressure = pressure.reshape(-1)
    with torch.no_grad():
        jacobian = problem.jacobian(start, initial_time)
        matrix = LUFactorization.of(
            torch.where(
                differential[:, None], torch.diag(problem.mass) - jacobian * pressure, jacobian
            )  # rows of v, rows of C
        )
    nearest = start - matrix.solve(torch.where(differential, 0.0, problem.rhs(start, initial_time)))
    flow = torch.where(pressure, 0.0, nearest)
    difference = problem.rhs(flow, initial_time + DIFFERENCE_STEP * length) - problem.rhs(
        flow, initial_time - DIFFERENCE_STEP * length
    )
    rates = matrix.solve(
        torch.where(differential, problem.rhs(flow, initial_time), -difference / (2 * DIFFERENCE_STEP * abs(length)))
    )
    return torch.where(pressure, rates, flow)


# ---- Stationary and evolution problems


DiscreteProblem = CollocationProblem | InterfaceFVProblem
MAX_UNKNOWNS = 4000  # of a dense direct solve
MAX_NEWTON_ITERATIONS = 50  # quadratic convergence takes fewer than ten; the line search may shorten many steps before
NEWTON_RTOL = 1e-12  # of the step relative to the solution
MIN_JUMP = 1e-8  # smaller violations of boundary conditions by initial data are rounding errors of derivatives
CORNER_RTOL = 1e-6  # error per step relative to an incompatibility of initial and boundary data, which later steps damp


def feasible_size(system: FirstOrderSystem, n: int) -> int:
    """n, or the largest number of points per dimension for a dense direct solve."""
    variables, dimension = len(system.variables), len(system.statement.domain.space)
    return min(n, int((MAX_UNKNOWNS / variables) ** (1 / dimension) + 1e-9))


def solve_chebyshev(
    scheme: ChebyshevScheme | InterfaceFVScheme,
    sizes: Sequence[int],
    parameter_values: Mapping[str, ParameterValue],
    like: Tensor,
    budget: StepBudget,
) -> GridResult:
    """The solution with these numbers of nodes, or of cells for an interface problem."""
    system = scheme.system
    match scheme:
        case InterfaceFVScheme(coefficients=coefficients):
            cells = make_cells(system, sizes)
            problem: DiscreteProblem = InterfaceFVProblem(system, coefficients, cells, parameter_values, like)
        case ChebyshevScheme():
            problem = CollocationProblem(system, make_axes(scheme, sizes), parameter_values, like)
            if scheme.separable is not None:
                result = _solve_separable(problem, scheme.separable)
                if result is not None:
                    return result
                _require_dense_solve(problem)
    if system.differential:
        return _solve_evolution(problem, budget, scheme.integrator)
    return _solve_stationary(problem)


def _require_dense_solve(problem: CollocationProblem) -> None:
    if problem.count > MAX_UNKNOWNS:
        raise GridSolveFailed(f"{problem.count} unknowns exceed the limit of the dense direct solver")


# ---- Stationary problems


def _solve_separable(problem: CollocationProblem, separable: SeparableOperator) -> GridResult | None:
    """By fast diagonalization; None if the operator is singular or its eigenvectors are nearly dependent."""
    lines, matrices = problem.nodes_1d, problem.differentiation_matrices
    system = SeparableSystem(
        tuple(
            make_axis_operator(problem.system, separable, k, line, matrix)
            for k, (line, matrix) in enumerate(zip(lines, matrices, strict=True))
        )
    )
    if system.is_singular:
        return None
    source = problem.rhs(torch.zeros_like(problem.mass), 0.0).reshape(problem.shape)[system.interior]
    data = _boundary_data(problem, separable)
    for k, axis in enumerate(system.axes):
        if axis.boundary:
            own = data[k][tuple(slice(None) if j == k else i for j, i in enumerate(system.interior))]
            source = source + apply_along(axis.coupling @ axis.data_matrix, own, k)
    values, response = system.solve(-source), system.solve(problem.test_source.reshape(problem.shape)[system.interior])
    if values is None or response is None:
        return None
    homogeneous = [torch.zeros_like(g) for g in data]
    _require_unique(problem, system.extend(response, homogeneous).reshape(-1))
    w = system.extend(values, data)
    residual = float(problem.rhs(w.reshape(-1), 0.0).reshape(problem.shape)[system.interior].abs().max())
    module = TensorProductExpansion(problem.axes, w[None, None], None)
    notes = (f"{_discretization_text(problem)}, fast diagonalization",)
    return GridResult(module, {"iterations": 1.0, DISCRETE_RESIDUAL: residual}, notes)


def _boundary_data(problem: CollocationProblem, separable: SeparableOperator) -> list[Tensor]:
    """g for both ends of each axis, at all nodes of the others."""
    space, data = problem.system.statement.domain.space, []
    for k in range(len(space)):
        faces = []
        for face in axis_faces(separable, k):
            ends = problem.nodes_1d[k][-1:] if face.condition.place.upper else problem.nodes_1d[k][:1]
            lines = [ends if j == k else line for j, line in enumerate(problem.nodes_1d)]
            (value,) = compile_pointwise([-face.gamma], space)(*torch.meshgrid(*lines, indexing="ij"))
            faces.append(value)
        shape = [0 if j == k else n for j, n in enumerate(problem.shape)]
        data.append(torch.cat(faces, k) if faces else problem.like.new_zeros(shape))
    return data


def _solve_stationary(problem: DiscreteProblem) -> GridResult:
    with torch.no_grad():
        w, iterations, singular = _newton(problem)
    matrix = LUFactorization.of(problem.jacobian(w, 0.0).detach())
    w = w - matrix.solve(problem.rhs(w, 0.0))  # carries the gradients (implicit function theorem)
    residual = float(problem.rhs(w, 0.0).detach().abs().max())
    if problem.system.statement.is_affine and isinstance(problem, CollocationProblem):
        _require_well_posed(problem, matrix, residual)
    notes = [
        f"{_discretization_text(problem)}, dense direct solve, {iterations} Newton iteration{'s' * (iterations > 1)}"
    ]
    if singular:
        notes.append("singular system: the minimum-norm solution is used")
    module = TensorProductExpansion(problem.axes, _component_values(problem, w).unsqueeze(0), None)
    metrics = {"iterations": float(iterations), DISCRETE_RESIDUAL: residual, **_net_flux(problem, w.detach())}
    return GridResult(module, metrics, tuple(notes))


RESONANCE_RTOL = 1e-7  # of Lv relative to the terms of L: grids that resolve v have rounding errors of about 1e-10
MAX_RESONANCE_POINTS = 512  # per axis; rounding errors of fourth derivatives, about n⁸ units, would exceed Lv beyond
INCOMPATIBILITY_RTOL = 1e-6  # of the residual of the minimum-norm solution relative to the data, as above


def _require_well_posed(problem: CollocationProblem, matrix: LUFactorization, residual: float) -> None:
    """Raises IllPosedProblem if the linear system Lw = f is singular and f is not in its range, or if L nearly vanishes
    for some v.

    v = L⁻¹g for a smooth g contains the eigenfunctions of the smallest eigenvalue: Lv is much smaller than its terms.
    """
    zero = torch.zeros_like(problem.mass)
    if matrix.singular:
        data = float(problem.rhs(zero, 0.0).detach().abs().max())
        if residual > INCOMPATIBILITY_RTOL * data:
            raise IllPosedProblem("the system is singular and the data are incompatible: there is no solution")
        return
    if max(problem.shape) > MAX_RESONANCE_POINTS:
        return
    _require_unique(problem, matrix.solve(problem.test_source).detach())


def _require_unique(problem: CollocationProblem, response: Tensor) -> None:
    """Raises IllPosedProblem if L nearly vanishes for the response to the test source."""
    right, terms = problem.test_source, problem.largest_term(response)
    if float(right.abs().max()) < RESONANCE_RTOL * terms:
        raise IllPosedProblem(
            "the solution is not unique: the homogeneous problem has a nonzero solution up to a relative residual of "
            f"{float(right.abs().max()) / terms:.0e}"
        )


def _net_flux(problem: DiscreteProblem, w: Tensor) -> dict[str, float]:
    """Net boundary flux: the mean of a pressure is the mean divergence, zero if inflow equals outflow."""
    variables, defined_up_to_constant = w.reshape(-1, problem.count), problem.system.defined_up_to_constant
    flows = [variables[k].abs().max() for k in range(len(variables)) if k not in defined_up_to_constant]
    means = [variables[k][problem.interior].mean().abs() for k in defined_up_to_constant]
    domain = problem.system.statement.domain
    across = min(float(i.end - i.start) for i in domain.intervals[: len(domain.space)])
    return {NET_FLUX: float(max(means) * across / max(flows))} if means and flows else {}


def _newton(problem: DiscreteProblem) -> tuple[Tensor, int, bool]:
    """Damped Newton method from zero."""
    w = torch.zeros_like(problem.mass)
    for k in range(1, MAX_NEWTON_ITERATIONS + 1):
        value, matrix = problem.rhs(w, 0.0), LUFactorization.of(problem.jacobian(w, 0.0))
        step = matrix.solve(value)
        w = _line_search(problem, w, step, value, matrix)
        if float(step.norm()) <= NEWTON_RTOL * max(float(w.norm()), 1e-300) or problem.system.statement.is_affine:
            return w, k, matrix.singular
    raise GridSolveFailed("Newton's method did not converge")


def _line_search(problem: DiscreteProblem, w: Tensor, step: Tensor, value: Tensor, matrix: LUFactorization) -> Tensor:
    step_size, size = 1.0, float((value * matrix.scale).norm())
    while step_size > 1e-3:
        trial = w - step_size * step
        if float((problem.rhs(trial, 0.0) * matrix.scale).norm()) < size:
            return trial
        step_size /= 2
    return w - step


def _solve_evolution(problem: DiscreteProblem, budget: StepBudget, method: ImplicitRungeKutta) -> GridResult:
    system = problem.system
    history = _integrate(problem, budget, method)
    values = torch.stack([_component_values(problem, w) for w in history.states])
    if set(system.algebraic) - set(system.defined_up_to_constant):  # they have no values before the first step
        values = _extend_to_initial_time(system, values)
    module = make_expansion(system, problem.axes, values, physical_times(system, history))
    steps = f"{_discretization_text(problem)}, {method.label} (order {method.order}) in time: {steps_text(history)}"
    corners = _corner_notes(problem, history.states[0])
    return GridResult(module, step_metrics(history), (steps, *corners), history.error if corners else 0.0)


def _extend_to_initial_time(system: FirstOrderSystem, values: Tensor) -> Tensor:
    """Algebraic components take their values after the first step as initial values."""
    algebraic = {system.variables[k][0] for k in system.algebraic}
    first = [values[1, c] if c in algebraic else values[0, c] for c in range(values.shape[1])]
    return torch.cat([torch.stack(first).unsqueeze(0), values[1:]])


def _integrate(problem: DiscreteProblem, budget: StepBudget, method: ImplicitRungeKutta) -> TimeHistory:
    system = problem.system
    initial_time, (first, last) = physical_time(system)(0.0), time_interval(system)
    start = _initial(problem, initial_time)
    min_error = CORNER_RTOL * min(1.0, _corner_jump(problem, start))
    if isinstance(problem, CollocationProblem):
        start = problem.impose_conditions(start, initial_time)
    control = StepControl(
        method.order,
        budget.tolerance,
        extrapolated=False,
        error_weights=_error_weights(problem),
        min_error=min_error,
        max_steps=budget.max_steps,
        is_exhausted=budget.is_exhausted,
    )
    if system.defined_up_to_constant and isinstance(problem, CollocationProblem):
        start = consistent_initial_values(
            problem, start, initial_time, first - last if system.backward else last - first
        )
    return integrate(
        system,
        lambda differentiable: (
            _stepper(problem, method) if differentiable else _affine_stepper(replace(problem), method)
        ),
        start,
        control,
        lambda: start.requires_grad or problem.rhs(start, initial_time).requires_grad,
    )


def _error_weights(problem: DiscreteProblem) -> Tensor | None:
    """Unknowns in the error control: not a pressure, which is less accurate and does not propagate its errors."""
    if not problem.system.defined_up_to_constant:
        return None
    weights = torch.ones_like(problem.mass).reshape(-1, problem.count)
    weights[list(problem.system.defined_up_to_constant)] = 0
    return weights.reshape(-1)


def _stepper(problem: DiscreteProblem, method: ImplicitRungeKutta) -> NewtonSteps:
    at, (first, last) = physical_time(problem.system), time_interval(problem.system)
    constant_jacobian = _has_constant_jacobian(problem)
    rhs, jacobian = (lambda w, s: problem.rhs(w, at(s))), (lambda w, s: problem.jacobian(w, at(s)))
    return NewtonSteps(rhs, jacobian, problem.mass, last - first, constant_jacobian, method)


def _affine_stepper(problem: DiscreteProblem, method: ImplicitRungeKutta) -> NewtonSteps:
    """Steps for an affine right-hand side with constant Jacobian, precomputed."""
    if not _has_constant_jacobian(problem):
        return _stepper(problem, method)
    at, (first, last) = physical_time(problem.system), time_interval(problem.system)
    zero = torch.zeros_like(problem.mass)
    matrix, constant_source = problem.jacobian(zero, problem.start), problem.rhs(zero, problem.start)
    is_nonautonomous = _is_nonautonomous(problem)

    @lru_cache(maxsize=16)  # the rounds of a step, and steps of two lengths, evaluate at the same times
    def source(s: float) -> Tensor:
        return problem.rhs(zero, at(s)) if is_nonautonomous else constant_source

    def rhs(w: Tensor, s: float) -> Tensor:
        return matrix @ w + source(s)

    return NewtonSteps(rhs, lambda w, s: matrix, problem.mass, last - first, True, method)


def _exprs(system: FirstOrderSystem) -> tuple[Expr, ...]:
    return (*system.rhs, *system.constraints, *(s.differentiated for s in system.face_conditions))


def _is_nonautonomous(problem: DiscreteProblem) -> bool:
    """Whether the right-hand side depends explicitly on time."""
    system = problem.system
    changing = {
        system.coordinates[-1],
        *(p.symbol for p in system.parameters if p.name in system.time_dependent),
    }
    integrands = (term.integrand for _, term in system.nonlocal_terms)
    jumps = (jump.value for jump in system.derivative_jumps)
    return any(e.free_symbols & changing for e in (*_exprs(system), *integrands, *jumps))


def _has_constant_jacobian(problem: DiscreteProblem) -> bool:
    """Whether the Jacobian depends on neither time nor state."""
    system = problem.system
    varying = {s for s, _ in (*system.jets, *system.nonlocal_terms)} | {system.coordinates[-1]}
    varying |= {p.symbol for p in system.parameters if p.name in system.time_dependent}
    integrals = [s for s, _ in system.nonlocal_terms]
    inside = (
        (term.integrand.diff(s), {t for t, _ in term.values})
        for _, term in system.nonlocal_terms
        for s, _ in term.values
    )
    if any(e.free_symbols & (own | {system.coordinates[-1]}) for e, own in inside):
        return False
    return not any(
        e.diff(s).free_symbols & varying
        for e in _exprs(system)
        for s in (*(s for s, _ in system.jets_in(e)), *integrals)
    )


def _initial(problem: DiscreteProblem, initial_time: float) -> Tensor:
    system = problem.system
    initial = compile_expressions(system, system.initial)((), problem.values_at(initial_time))
    w = problem.like.new_zeros(len(system.variables), problem.count)
    rows = dict(zip(system.differential, (f.expand(problem.count) for f in initial), strict=True))
    return torch.stack([rows.get(k, w[k]) for k in range(len(w))]).reshape(-1)


def _corner_jump(problem: DiscreteProblem, start: Tensor) -> float:
    """Largest violation of the boundary conditions by the initial data; 0 up to rounding."""
    rows = (problem.mass == 0) & (problem.replacing_condition >= 0)
    if isinstance(problem, CollocationProblem):
        rows |= problem._has_break_row
    with torch.no_grad():
        value = problem.rhs(start.detach(), physical_time(problem.system)(0.0))
    jump = float(value[rows].abs().max()) if bool(rows.any()) else 0.0
    return jump if jump > MIN_JUMP else 0.0


def _corner_notes(problem: DiscreteProblem, start: Tensor) -> tuple[str, ...]:
    jump = _corner_jump(problem, start)
    return (f"initial and boundary data are incompatible (jump {jump:.2g}): reduced accuracy near the corner",) * bool(
        jump
    )


def _component_values(problem: DiscreteProblem, w: Tensor) -> Tensor:
    """Nodal values of the components."""
    components = [k for k, (_, j) in enumerate(problem.system.variables) if j == 0]
    return w.reshape(-1, *problem.shape)[components]


def _discretization_text(problem: DiscreteProblem) -> str:
    sizes = " × ".join(map(str, problem.shape))
    if isinstance(problem, InterfaceFVProblem):
        return f"finite volumes on {sizes} cells"
    kinds = dict.fromkeys("Fourier" if isinstance(a, FourierAxis) else "Chebyshev" for a in problem.axes)
    return f"{'-'.join(kinds)} collocation on {sizes} nodes"
