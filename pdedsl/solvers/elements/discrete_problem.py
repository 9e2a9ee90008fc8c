"""The discrete problem M ∂w/∂t + r(w, t) = 0 with essential conditions, and its stationary solutions by Newton.

Newton's method is damped by the residual monotonicity test, and a Jacobian is retained while its steps contract fast
(Deuflhard 2011, ch. 2 and 3). If it fails, the homotopy
(1 - λ) (r(0) + r'(0) w) + λ r(w) = 0 leads from the linear problem at λ = 0 to the nonlinear one at λ = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from scipy.sparse import coo_matrix, csc_matrix
from scipy.sparse.linalg import splu
from skfem import Mesh
from sympy import Expr, S

from pdedsl.codegen.pointwise import PointwiseFunction, compile_pointwise
from pdedsl.ir.boundary import Place
from pdedsl.ir.weak_form import WeakForm
from pdedsl.solvers.elements.assembly import Assembler, boundary_facets, evaluate
from pdedsl.solvers.elements.direct_solver import ElementsSolveFailed, EliminationOrder, Factorization, dissect
from pdedsl.solvers.elements.spaces import Array, ElementSpaces, Indices, Quadrature

MAX_NEWTON_STEPS = 60  # with old and new Jacobians; more are not needed if the damped method converges
NEWTON_RTOL = 1e-10  # of the update, relative to the solution: well below every discretization error
MAX_CONTRACTION = 0.1  # of the updates with an old Jacobian: a new one costs more than ten of its steps
CORNER_ATOL = 1e-6  # of boundary values at corners, relative to the largest: well above rounding errors
MIN_DAMPING = 1 / 64  # shorter steps no longer leave a poor region
MIN_HOMOTOPY_STEP = 1 / 128  # of the load; then continuation counts as failed
NET_FLUX_RTOL = 1e-3  # quadrature errors on coarse meshes are smaller, incompatible data larger


@dataclass(frozen=True)
class TangentialTrace:
    """A prescribed tangential part of a vector field on facets: its L2 projection to the traces of edge elements."""

    quadrature: Quadrature
    trials: tuple[int, ...]
    function: PointwiseFunction  # values of the components, and their time derivatives
    dofs: Indices

    def project(self, time: float | None) -> tuple[Array, Array]:
        """Coefficients of the basis functions of the facets, and their time derivatives."""
        q = self.quadrature
        assert q.normals is not None
        times = [] if time is None else [np.full(q.weights.shape, time)]
        fields = np.stack(evaluate(self.function, [*q.coordinates, *times, *q.normals]))
        coefficients = []
        for part in (fields[: len(self.trials)], fields[len(self.trials) :]):
            local = np.einsum("kcqf,kcq->fc", self._traces, part * q.weights)
            load = np.asarray(np.bincount(self._numbers.ravel(), local.ravel()), dtype=float)
            coefficients.append(self._solve(load[self.dofs]))
        return coefficients[0], coefficients[1]

    @cached_property
    def _numbers(self) -> Indices:
        return self.quadrature.dofs[self.trials[0]]

    @cached_property
    def _traces(self) -> Array:
        """Tangential parts of the basis functions, (components, cells, points, functions)."""
        normals = self.quadrature.normals
        assert normals is not None
        shapes = np.stack([self.quadrature.shapes[k][0] for k in self.trials])
        return np.asarray(shapes - normals[..., None] * (normals[..., None] * shapes).sum(0))

    @cached_property
    def _solve(self) -> Callable[[Array], Array]:
        blocks = np.einsum("kcqf,cq,kcqg->cfg", self._traces, self.quadrature.weights, self._traces)
        rows = np.broadcast_to(self._numbers.T[:, :, None], blocks.shape)
        columns = np.broadcast_to(self._numbers.T[:, None, :], blocks.shape)
        mass = coo_matrix((blocks.ravel(), (rows.ravel(), columns.ravel()))).tocsc()
        solve: Callable[[Array], Array] = splu(mass[self.dofs][:, self.dofs]).solve
        return solve


@dataclass(frozen=True)
class DiscreteProblem:
    """A weak form on a mesh; `degrees` are those of the elements of every trial function."""

    form: WeakForm
    mesh: Mesh
    degrees: tuple[int, ...]

    @cached_property
    def spaces(self) -> ElementSpaces:
        return ElementSpaces(self.mesh, self.degrees, tuple(t.edge_component for t in self.form.trials))

    @cached_property
    def assembler(self) -> Assembler:
        integrals = self.form.boundary_integrals
        facets = [boundary_facets(self.form.domain, self.mesh, b.place, b.part) for b in integrals]
        return Assembler(self.form, self.spaces, facets)

    @cached_property
    def _essential(self) -> tuple[tuple[Indices, PointwiseFunction, list[Array]], ...]:
        """Indices, value and its time derivative as functions, and locations, for every essential condition."""
        conditions = []
        domain = self.form.domain
        for c in self.form.essential:
            if self.form.trials[c.trial].edge_component is not None:
                continue
            dofs = self.spaces.facet_dofs(c.trial, boundary_facets(domain, self.mesh, c.place, c.part))
            rate = c.value.diff(domain.coordinates[-1]) if domain.has_time else S.Zero
            function = compile_pointwise((c.value, rate), domain.coordinates)
            conditions.append((dofs, function, list(self.spaces.dof_locations(dofs, c.trial))))
        return tuple(conditions)

    @cached_property
    def _tangential(self) -> tuple[TangentialTrace, ...]:
        """The prescribed tangential parts of fields in H(curl)."""
        domain, dimension = self.form.domain, self.mesh.dim()
        prescribed: dict[tuple[int, Place, tuple[Expr, ...]], dict[int, Expr]] = {}
        for c in self.form.essential:
            component = self.form.trials[c.trial].edge_component
            if component is not None:
                prescribed.setdefault((c.trial - component, c.place, c.part), {})[component] = c.value
        traces = []
        for (first, place, part), components in prescribed.items():
            facets = boundary_facets(domain, self.mesh, place, part)
            if len(facets):
                values = [components.get(k, S.Zero) for k in range(dimension)]
                rates = [v.diff(domain.coordinates[-1]) if domain.has_time else S.Zero for v in values]
                function = compile_pointwise([*values, *rates], (*domain.coordinates, *self.form.normal))
                trials, dofs = tuple(range(first, first + dimension)), self.spaces.facet_dofs(first, facets)
                traces.append(TangentialTrace(self.spaces.facets(facets), trials, function, dofs))
        return tuple(traces)

    def essential_values(self, time: float = 0.0) -> tuple[Array, Array]:
        """Values of the essential conditions and their time derivatives; zero elsewhere."""
        values, rates = np.zeros(self.spaces.size), np.zeros(self.spaces.size)
        for dofs, function, points in self._essential:
            times = [np.full_like(points[0], time)] if self.form.domain.has_time else []
            values[dofs], rates[dofs] = evaluate(function, [*points, *times])
        for trace in self._tangential:
            values[trace.dofs], rates[trace.dofs] = trace.project(time if self.form.domain.has_time else None)
        return values, rates

    @cached_property
    def has_discontinuous_data(self) -> bool:
        """Whether two essential conditions prescribe different values at a node, as at the lid of a cavity: the
        pressure is then not square-integrable (Botella, Peyret 1998)."""
        if self.form.domain.has_time:
            return False
        values = np.full(self.spaces.size, np.nan)
        for dofs, function, points in self._essential:
            own = evaluate(function, points)[0]
            if (np.abs(values[dofs] - own) > CORNER_ATOL * np.abs(own).max(initial=1.0)).any():
                return True
            values[dofs] = own
        return False

    @cached_property
    def not_integrable(self) -> tuple[int, ...]:
        """Components whose squares are not integrable."""
        if not self.has_discontinuous_data:
            return ()
        return tuple(t.component for t in self.form.trials if t.is_multiplier and t.component is not None)

    @cached_property
    def pinned(self) -> Indices:
        """One index for each trial function that is defined up to a constant."""
        return np.array([self.spaces.offsets[k] for k in self.form.defined_up_to_constant], dtype=np.int64)

    @cached_property
    def essential_dofs(self) -> Indices:
        return np.unique(
            np.concatenate(
                [*(d for d, *_ in self._essential), *(t.dofs for t in self._tangential), self.pinned]
            ).astype(np.int64)
        )

    @cached_property
    def free(self) -> Indices:
        return np.setdiff1d(np.arange(self.spaces.size), self.essential_dofs)

    @cached_property
    def elimination_order(self) -> EliminationOrder:
        mesh, spaces = self.mesh, self.spaces
        numbers = [b.element_dofs + o for b, o in zip(spaces.bases, spaces.offsets, strict=False)]
        return dissect(mesh.p[:, mesh.t[: mesh.dim() + 1]].mean(1), numbers, spaces.size)

    def factorize(self, matrix: csc_matrix) -> Factorization:
        """The factorization of the rows and columns without essential conditions."""
        return Factorization(matrix[self.free][:, self.free], self.elimination_order.select(self.free))

    def impose(self, vector: Array, time: float = 0.0) -> Array:
        """The vector with the values of essential conditions."""
        imposed = vector.copy()
        imposed[self.essential_dofs] = self.essential_values(time)[0][self.essential_dofs]
        return imposed

    # ---- Stationary solutions

    def solve(self, start: Array | None = None) -> Array:
        """The stationary solution; raises ElementsSolveFailed if Newton's method does not converge."""
        w = self.impose(np.zeros(self.spaces.size) if start is None else start)
        if self.form.is_linear:
            solution = self.newton_step(w, self.assembler.residual(w), self.assembler.jacobian(w))
        else:
            solution = self._solve_nonlinear(w)
        self._require_compatible_data(solution)
        return self.with_zero_mean(solution)

    def _solve_nonlinear(self, w: Array) -> Array:
        zero = np.zeros_like(w)
        residual, jacobian = self.assembler.residual, self.assembler.jacobian
        try:
            return self._newton(w, residual, jacobian)
        except ElementsSolveFailed:
            offset, derivative = residual(zero), jacobian(zero)
        w, reached, step = (
            self.newton_step(self.impose(zero), offset + derivative @ self.impose(zero), derivative),
            0.0,
            0.25,
        )
        while reached < 1:
            level = min(1.0, reached + step)

            def homotopy(v: Array, s: float = level) -> Array:
                return np.asarray((1 - s) * (offset + derivative @ v) + s * residual(v))

            def homotopy_jacobian(v: Array, s: float = level) -> csc_matrix:
                return (1 - s) * derivative + s * jacobian(v)

            try:
                w = self._newton(w, homotopy, homotopy_jacobian)
                reached, step = level, 2 * step
            except ElementsSolveFailed:
                step /= 2
                if step < MIN_HOMOTOPY_STEP:
                    raise
        return w

    def _newton(self, w: Array, residual: Callable[[Array], Array], jacobian: Callable[[Array], csc_matrix]) -> Array:
        current, size = residual(w), inf
        factorization: Factorization | None = None
        for _ in range(MAX_NEWTON_STEPS):
            is_old = factorization is not None
            factorization = factorization or self.factorize(jacobian(w))
            update = np.zeros_like(w)
            update[self.free] = -factorization.solve(current[self.free])
            previous, size = size, float(np.linalg.norm(update))
            if is_old and not size <= MAX_CONTRACTION * previous:
                factorization, size = None, previous
                continue
            if not np.isfinite(update).all():
                break
            damping, norm = 1.0, np.linalg.norm(current[self.free])
            while True:
                trial = w + damping * update
                value = residual(trial)
                decreased = np.linalg.norm(value[self.free]) <= (1 - damping / 4) * norm
                if decreased or damping * size <= NEWTON_RTOL * np.linalg.norm(trial):
                    break
                damping /= 2
                if damping < MIN_DAMPING:
                    raise ElementsSolveFailed(
                        "Newton's method does not converge: use a smaller h, or a finer first mesh"
                    )
            w, current = trial, value
            if size <= NEWTON_RTOL * max(float(np.linalg.norm(w)), 1e-300):
                return w
            factorization = factorization if damping == 1 else None
        raise ElementsSolveFailed("Newton's method does not converge: use a smaller h, or a finer first mesh")

    def newton_step(self, w: Array, residual: Array, jacobian: csc_matrix) -> Array:
        result = w.copy()
        result[self.free] -= self.factorize(jacobian).solve(residual[self.free])
        return result

    def _require_compatible_data(self, w: Array) -> None:
        """Without essential conditions, the equation of a pinned value is the net flux through the boundary."""
        for index in self.pinned:
            trial = int(np.searchsorted(self.spaces.offsets, index, side="right")) - 1
            own = slice(self.spaces.offsets[trial], self.spaces.offsets[trial + 1])
            net = abs(self.constant(trial) @ self.assembler.residual(w)[own])
            scale = np.abs(self.assembler.residual(self.impose(0 * w))[own]).sum()
            if net > NET_FLUX_RTOL * scale:
                raise ElementsSolveFailed("incompatible boundary data: the net flux through the boundary is not zero")

    def with_zero_mean(self, w: Array) -> Array:
        w = w.copy()
        for k in self.form.defined_up_to_constant:
            own = slice(self.spaces.offsets[k], self.spaces.offsets[k + 1])
            weights = np.asarray(self.assembler.gram_matrix[own].sum(0)).ravel()[own]
            ones = self.constant(k)
            w[own] -= ones * (weights @ w[own]) / (weights @ ones)
        return w

    def constant(self, trial: int) -> Array:
        """The coefficients of the constant function 1: those of hierarchical bubbles are zero."""
        basis = self.spaces.bases[trial]
        ones = np.zeros(basis.N)
        ones[basis.nodal_dofs.ravel() if self.mesh.dim() == 1 else slice(None)] = 1.0
        return ones
