"""Fourier pseudospectral solver on a periodic box; division by the symbol for stationary problems.

dŵ/dt = L(k) ŵ + N̂(w): the linear part with constant coefficients is integrated exactly (Cox, Matthews 2002; Krogstad
2005), or implicitly (Ascher, Ruuth, Spiteri 1997). N is evaluated on a grid without aliasing errors for polynomials up
to degree three. Algebraic variables are eliminated, or projected out as a pressure (Chorin 1968).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import assert_never

import torch
from sympy import Expr, Symbol
from torch import Tensor, nn

from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.solver_plans import FourierScheme, LinearSplitting
from pdedsl.numerics.butcher import ExponentialRungeKutta, ImexRungeKutta
from pdedsl.runtime.basis.fourier import FourierAxis, FourierGrid
from pdedsl.runtime.basis.interpolation import TensorProductExpansion
from pdedsl.runtime.ode.etdrk import ExponentialSteps, matvec_modes
from pdedsl.runtime.ode.imex import ImexSteps, order_of_steps
from pdedsl.runtime.ode.step_doubling import StepBudget, StepControl, TimeHistory
from pdedsl.solvers.grid.grid_result import (
    DISCRETE_RESIDUAL,
    GridResult,
    SplitBatch,
    integrate,
    make_expansion,
    physical_time,
    physical_times,
    step_metrics,
    steps_text,
    time_interval,
)
from pdedsl.solvers.grid.nodal_functions import CompiledExpressions, ParameterValue, compile_expressions, nodal_values

STIFF_ORDER = 2  # derivatives in N from this order make explicit stages unstable for steps of the order of 1/κ²

# ---- Discretization


def make_fourier_grid(scheme: FourierScheme, sizes: Sequence[int], like: Tensor) -> FourierGrid:
    """The numbers of points per axis; twice as many on the axes with even/odd extension."""
    fourier_axes = []
    for axis, interval, n in zip(scheme.axes, scheme.system.statement.domain.intervals, sizes, strict=False):
        copies = round(float(axis.period / (interval.end - interval.start)))
        fourier_axes.append(FourierAxis(float(axis.start), float(axis.period), max(2, n * copies // 2)))
    return FourierGrid(tuple(fourier_axes), scheme.oversampling, like)


@dataclass(frozen=True)
class FourierProblem:
    """The system in Fourier space; w are the coefficients of the m differential variables, (m, modes…), or
    (b, m, modes…) if scalars in `parameter_values` are batches of values, (b,).
    """

    scheme: FourierScheme
    grid: FourierGrid
    parameter_values: Mapping[str, ParameterValue]

    @property
    def system(self) -> FirstOrderSystem:
        return self.scheme.system

    @property
    def linear(self) -> LinearSplitting:
        return self.scheme.linear

    @cached_property
    def nonlinear_terms(self) -> CompiledExpressions:
        """Evaluated on the grid: N, or its fluxes."""
        rest = self.linear.remainders[: len(self.system.differential)]
        return compile_expressions(self.system, [e for _, e, _ in self.scheme.flux_terms] or rest)

    @cached_property
    def _flux_symbols(self) -> Tensor:
        """Factors of the coefficients of the fluxes."""
        factors = [c * self.grid.derivative(orders) for c, _, orders in self.scheme.flux_terms]
        return torch.stack(torch.broadcast_tensors(*factors))  # type: ignore[no-untyped-call]

    @property
    def requires_gradients(self) -> bool:
        """Whether anything in `parameter_values` requires gradients."""
        return any(v.requires_grad for v in self.initial_values.values())

    @property
    def batch(self) -> tuple[int, ...]:
        """(b,) if scalars in `parameter_values` are batches of b values, otherwise ()."""
        sizes = {tuple(v.shape[: v.ndim - self.grid.dimension]) for v in self.initial_values.values()}
        return max(sizes, default=())

    @property
    def is_linear(self) -> bool:
        """Whether N = 0."""
        return all(r == 0 for r in self.linear.remainders)

    def values_at(self, time: float) -> Mapping[Symbol, Tensor]:
        return self.initial_values if self.is_autonomous else self._nodal_values(time)

    @cached_property
    def is_autonomous(self) -> bool:
        """Whether N does not depend on time."""
        domain = self.system.statement.domain
        changing = self.system.time_dependent
        timed = {p.symbol for p in self.system.parameters if p.name in changing} | {domain.coordinates[-1]}
        return not domain.has_time or not any(r.free_symbols & timed for r in self.linear.remainders)

    @cached_property
    def initial_values(self) -> Mapping[Symbol, Tensor]:
        return self._nodal_values(float(self.system.statement.domain.intervals[-1].start))

    def _nodal_values(self, time: float) -> Mapping[Symbol, Tensor]:
        t = self.grid.like.new_full([1] * self.grid.dimension, time)
        timed = self.system.statement.domain.has_time
        return nodal_values(self.system, self.parameter_values, self.grid.points(), t if timed else None)

    @cached_property
    def symbol(self) -> Tensor:
        """The linear part on the modes, (modes…, rows, variables): rows of right-hand sides, then of constraints."""
        grid, rows = self.grid, len(self.linear.remainders)
        flat = torch.zeros_like(grid.derivative((0,) * grid.dimension))
        values = [[flat for _ in self.system.variables] for _ in range(rows)]
        numbers = compile_expressions(self.system, [c for _, _, c in self.linear.parts])((), self.initial_values)
        for (row, jet, _), number in zip(self.linear.parts, numbers, strict=True):
            d = self.system.jet_derivatives[jet]
            for axis in grid.dims:
                number = number.narrow(axis, 0, 1)
            values[row][d.component] = values[row][d.component] + number * grid.multiplier(d.orders, float(d.power))
        entries = torch.broadcast_tensors(*(e for row in values for e in row))  # type: ignore[no-untyped-call]
        return torch.stack(entries, dim=-1).reshape(*entries[0].shape, rows, -1)

    def block(self, rhs_rows: bool, differential: bool) -> Tensor:
        """Rows of right-hand sides or of constraints, columns of differential or of algebraic variables."""
        count = len(self.system.differential)
        rows = self.symbol[..., :count, :] if rhs_rows else self.symbol[..., count:, :]
        return rows[..., list(self.system.differential if differential else self.system.algebraic)]

    @cached_property
    def elimination(self) -> Tensor | None:
        """-E⁺C: algebraic variables p as functions of w, if the constraints determine them: E p + C w = 0."""
        e = self.block(rhs_rows=False, differential=False)
        if not self.system.algebraic or not bool(e.any()):
            return None
        inverse: Tensor = torch.linalg.pinv(e)
        return -inverse @ self.block(False, True)

    @cached_property
    def pressure_operator(self) -> Tensor | None:
        """-(CG)⁺C: C w = 0 is preserved in ∂w/∂t = R + G p by p = -(CG)⁺ C R (Chorin 1968)."""
        if not self.system.algebraic or self.elimination is not None:
            return None
        c, g = self.block(False, True), self.block(True, False)
        inverse: Tensor = torch.linalg.pinv(c @ g)
        return -inverse @ c

    @cached_property
    def mean_symbol(self) -> Tensor | None:
        """The mean over the grid of ∂N/∂(∂^α w) (iκ)^α at the initial values, for the derivatives of second or higher
        order in N, (modes…, m, m); None without any, or with algebraic variables. Added to L and subtracted from N, it
        leaves only deviations from the mean to the explicit stages, which are less stiff."""
        system, rest = self.system, self.linear.remainders[: len(self.system.differential)]
        places = {k: n for n, k in enumerate(system.differential)}
        pairs = [(r, s, d) for r, e in enumerate(rest) for s, d in system.jets_in(e) if d.order >= STIFF_ORDER]
        if not pairs or system.algebraic:
            return None
        with torch.no_grad():
            means = self._mean_partials([rest[r].diff(s) for r, s, _ in pairs])
            flat = torch.zeros_like(self.grid.derivative((0,) * self.grid.dimension))
            entries = [[flat for _ in rest] for _ in rest]
            for (row, _, d), mean in zip(pairs, means, strict=True):
                column = places[d.component]
                entries[row][column] = entries[row][column] + mean * self.grid.multiplier(d.orders, float(d.power))
            flat_entries = torch.broadcast_tensors(*(e for row in entries for e in row))  # type: ignore[no-untyped-call]
            return torch.stack(flat_entries, -1).reshape(*flat_entries[0].shape, len(rest), len(rest))

    def _mean_partials(self, partials: list[Expr]) -> list[float]:
        """The means over the grid of functions of the jets, at the initial values."""
        start, compiled = _initial(self), compile_expressions(self.system, partials)
        places = {k: n for n, k in enumerate(self.system.differential)}
        derivatives = [self.system.jet_derivatives[s] for s in compiled.jets]
        jets = [
            self.grid.values(
                start.select(self.variable_axis, places[d.component]) * self.grid.multiplier(d.orders, float(d.power))
            )
            for d in derivatives
        ]
        return [float(v.mean()) for v in compiled(jets, self.initial_values)]

    @cached_property
    def operator(self) -> Tensor:
        """L with the algebraic variables eliminated, and the mean of the derivatives of N, (modes…, m, m)."""
        own, other = self.block(True, True), self.block(True, False)
        if self.mean_symbol is not None:
            return own + self.mean_symbol
        if self.elimination is not None:
            return own + other @ self.elimination
        if self.pressure_operator is not None:
            return own + other @ self.pressure_operator @ own
        return own

    def all_variables(self, w: Tensor, time: float) -> Tensor:
        """The coefficients of all variables."""
        if not self.system.algebraic:
            return w
        if self.elimination is not None:
            other = self._apply(self.elimination, w)
        else:
            assert self.pressure_operator is not None
            other = self._apply(
                self.pressure_operator, self._apply(self.block(True, True), w) + self._nonlinear(w, time)
            )
        places = [*self.system.differential, *self.system.algebraic]
        order = torch.tensor([places.index(k) for k in range(len(places))], device=w.device)
        return torch.cat([w, other], self.variable_axis).index_select(self.variable_axis, order)

    def nonlinear(self, w: Tensor, time: float) -> Tensor:
        """N̂, projected onto the constraints."""
        values = self._nonlinear(w, time)
        if self.mean_symbol is not None:
            return values - self._apply(self.mean_symbol, w)
        if self.pressure_operator is None:
            return values
        return values + self._apply(self.block(True, False) @ self.pressure_operator, values)

    def _nonlinear(self, w: Tensor, time: float) -> Tensor:
        variables = self.all_variables(w, time) if self.elimination is not None else w
        values: tuple[Tensor, ...] = ()
        if self.nonlinear_terms.jets:
            selected = (
                variables
                if variables.shape[self.variable_axis] == 1
                else variables.index_select(self.variable_axis, self._jet_positions)
            )
            values = self.grid.values(selected if self._is_pointwise else selected * self._jet_symbols).unbind(
                self.variable_axis
            )
        values = self.nonlinear_terms(values, self.values_at(time))
        on_modes = self.grid.coefficients(self._stack(values))
        if not self.scheme.flux_terms:
            return on_modes
        terms = self._flux_symbols * on_modes
        return terms if len(values) == 1 else terms.sum(self.variable_axis, keepdim=True)

    @cached_property
    def variable_axis(self) -> int:
        """Axis of the variables, before those of the modes."""
        return -self.grid.dimension - 1

    def _stack(self, values: tuple[Tensor, ...]) -> Tensor:
        if len(values) == 1:
            return values[0].unsqueeze(self.variable_axis)
        return torch.stack(torch.broadcast_tensors(*values), self.variable_axis)  # type: ignore[no-untyped-call]

    def _apply(self, matrix: Tensor, w: Tensor) -> Tensor:
        return matvec_modes(matrix, w, self.grid.dimension)

    @cached_property
    def _jet_positions(self) -> Tensor:
        """Positions of the jets of N among the available variables."""
        values_at = range(len(self.system.variables)) if self.elimination is not None else self.system.differential
        selected = [values_at.index(self.system.jet_derivatives[s].component) for s in self.nonlinear_terms.jets]
        return torch.tensor(selected, device=self.grid.like.device)

    @cached_property
    def _is_pointwise(self) -> bool:
        """Whether N is a function of the value of a single variable."""
        return (
            len(self.nonlinear_terms.jets) == 1 and self.system.jet_derivatives[self.nonlinear_terms.jets[0]].order == 0
        )

    @cached_property
    def _jet_symbols(self) -> Tensor:
        """(iκ)^α of the jets in N."""
        return torch.stack(
            [
                self.grid.multiplier(d.orders, float(d.power))
                for d in (self.system.jet_derivatives[s] for s in self.nonlinear_terms.jets)
            ]
        )


# ---- Stationary and evolution problems


def solve_fourier(
    scheme: FourierScheme,
    sizes: Sequence[int],
    parameter_values: Mapping[str, ParameterValue],
    like: Tensor,
    budget: StepBudget,
) -> GridResult:
    """The solution with these numbers of modes: adaptive steps, or division by the symbol for a stationary problem."""
    system, grid = scheme.system, make_fourier_grid(scheme, sizes, like)
    problem = FourierProblem(scheme, grid, parameter_values)
    if not system.differential:
        return _solve_stationary(problem)
    start = _initial(problem)
    history = integrate(
        system,
        lambda differentiable: _stepper(problem if differentiable else replace(problem)),
        start,
        StepControl(
            _order(scheme.integrator),
            budget.tolerance,
            extrapolated=True,
            max_steps=budget.max_steps,
            is_exhausted=budget.is_exhausted,
            batched=bool(problem.batch),
            damping=_damping(problem),
        ),
        lambda: start.requires_grad or problem.requires_gradients,
    )
    times = physical_times(system, history)
    states = torch.stack([problem.all_variables(w, t) for w, t in zip(history.states, times, strict=True)])
    module = make_expansion(system, grid.axes, _component_values(problem, states), times)
    return GridResult(_split_batch(module, problem), step_metrics(history), _notes(scheme, grid, history))


def _split_batch(module: nn.Module, problem: FourierProblem) -> nn.Module:
    return SplitBatch(module, *problem.batch) if problem.batch else module


def _order(method: ImexRungeKutta | ExponentialRungeKutta) -> int:
    return order_of_steps(method) if isinstance(method, ImexRungeKutta) else method.order


def _stepper(problem: FourierProblem) -> ExponentialSteps | ImexSteps:
    system, at = problem.system, physical_time(problem.system)
    first, last = time_interval(system)
    sign = -1.0 if system.backward else 1.0
    operator = sign * problem.operator
    diagonal = torch.diagonal(operator, dim1=-2, dim2=-1)
    matrices = bool((operator - torch.diag_embed(diagonal)).any())
    symbol = operator if matrices else torch.movedim(diagonal, -1, problem.variable_axis)

    def nonlinear(w: Tensor, s: float) -> Tensor:
        value = problem.nonlinear(w, at(s))
        return -value if system.backward else value

    stepped = None if problem.is_linear else nonlinear
    parts = symbol, stepped, last - first, matrices, problem.grid.dimension
    match problem.scheme.integrator:
        case ExponentialRungeKutta() as method:
            return ExponentialSteps(*parts, method, problem.is_autonomous)
        case ImexRungeKutta() as method:
            return ImexSteps(*parts, method)
        case _:
            assert_never(problem.scheme.integrator)


def _damping(problem: FourierProblem) -> Tensor | None:
    """The rates at which L damps a scalar, times the length of the time interval; 0 for modes that it does not damp.
    None for systems and linear problems."""
    if len(problem.system.differential) != 1 or problem.is_linear:
        return None
    return (-_growth(problem)).clamp_min(0).movedim(-1, 0)


def _growth(problem: FourierProblem) -> Tensor:
    """The rates of a scalar in L, times the length of the time interval: with and without the mean of the derivatives
    of N, the larger one, (modes…, 1)."""
    (first, last), sign = time_interval(problem.system), -1.0 if problem.system.backward else 1.0
    own = problem.block(True, True)
    parts = [own, own + problem.mean_symbol] if problem.mean_symbol is not None else [own]
    rates: Tensor = torch.stack([p.real if p.is_complex() else p for p in parts]).mul(sign).amax(0)[..., 0]
    return (last - first) * rates


AMPLIFIED = 3.0  # growth over the time interval, as an exponent, of modes without which the dynamics are different
MAX_SEARCHED = {1: 128, 2: 64, 3: 32}  # points per axis, by the dimension of space


def points_for_growth(scheme: FourierScheme, like: Tensor) -> int:
    """Points per axis for all modes that L amplifies in a nonlinear scalar equation, and for as many beyond: with fewer
    modes there is no dissipation, and time steps become very short. 0 if it amplifies none."""
    dimension = len(scheme.axes)
    problem = FourierProblem(scheme, make_fourier_grid(scheme, (MAX_SEARCHED[dimension],) * dimension, like), {})
    if len(scheme.system.differential) != 1 or scheme.system.parameters or problem.is_linear:
        return 0
    modes = (_growth(problem)[..., 0] > AMPLIFIED).nonzero()
    points = 0
    for axis, column in zip(problem.grid.axes, modes.unbind(-1), strict=True):
        wave = torch.minimum(column, axis.modes - column)  # negative wave numbers follow the positive ones
        points = max(points, 4 * int(wave.max()) if len(wave) else 0)
    return min(points, MAX_SEARCHED[dimension])


def _initial(problem: FourierProblem) -> Tensor:
    system, grid = problem.system, problem.grid
    data = FourierGrid(grid.axes, max(grid.fine, 4), grid.like)
    values = compile_expressions(system, system.initial)(
        (), FourierProblem(problem.scheme, data, problem.parameter_values).initial_values
    )
    return data.coefficients(_expand_to_grid(problem, data, values))


def _expand_to_grid(problem: FourierProblem, grid: FourierGrid, values: tuple[Tensor, ...]) -> Tensor:
    """The values of all variables at all points of a grid, (..., variables, points…)."""
    return torch.stack([v.expand(*problem.batch, *grid.sizes) for v in values], problem.variable_axis)


def _component_values(problem: FourierProblem, coefficients: Tensor) -> Tensor:
    """The components at more points than there are modes, (T, components, …), those of a batch one after another; from
    coefficients of states (T, ..., variables, modes…)."""
    grid = FourierGrid(problem.grid.axes, 2, problem.grid.like)
    own = [k for k, (_, j) in enumerate(problem.system.variables) if j == 0]
    selected = coefficients.index_select(problem.variable_axis, torch.tensor(own, device=coefficients.device))
    return grid.values(selected).flatten(1, problem.variable_axis)


def _solve_stationary(problem: FourierProblem) -> GridResult:
    """Σ L(k) û = -f̂, mode by mode; where L vanishes on a mode, û is zero, which is exact if f̂ vanishes there."""
    system, grid = problem.system, problem.grid
    values = compile_expressions(system, problem.linear.remainders)((), problem.values_at(0.0))
    source = grid.coefficients(_expand_to_grid(problem, grid, values))
    solution = -matvec_modes(torch.linalg.pinv(problem.symbol), source, grid.dimension)
    remainder = matvec_modes(problem.symbol, solution, grid.dimension) + source
    module = TensorProductExpansion(grid.axes, _component_values(problem, solution.unsqueeze(0)), None)
    modes = " × ".join(str(r.modes) for r in grid.axes)
    notes = (f"Fourier series with {modes} modes, division by the symbol",)
    return GridResult(_split_batch(module, problem), {DISCRETE_RESIDUAL: float(remainder.detach().abs().max())}, notes)


def _notes(scheme: FourierScheme, grid: FourierGrid, history: TimeHistory) -> tuple[str, ...]:
    modes = " × ".join(str(r.modes) for r in grid.axes)
    notes = [f"Fourier series with {modes} modes, {scheme.integrator.label} in time: {steps_text(history)}"]
    extended = [str(x) for x, axis in zip(scheme.system.coordinates, scheme.axes, strict=False) if axis.reflected]
    if extended:
        notes.append(f"even/odd periodic extension in {', '.join(extended)}")
    return tuple(notes)
