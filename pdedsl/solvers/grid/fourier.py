"""Fourier series in space: exponential steps in time, division for stationary problems, projection for constraints.

∂ŵ/∂t = L(k) ŵ + N̂(w): the linear part with constant coefficients is exact, the rest is stepped; products are computed
on a grid fine enough to keep the retained modes free of aliasing for polynomials up to degree three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from sympy import Expr, Poly, S, Symbol
from sympy.polys.polyerrors import PolynomialError
from torch import Tensor, nn

from pdedsl.problem.conservation_form import split_fluxes
from pdedsl.problem.first_order_system import FirstOrderSystem
from pdedsl.problem.periodicity import LinearSplitting, PeriodicAxis, split_linear
from pdedsl.runtime.basis.fourier import FourierAxis, FourierGrid
from pdedsl.runtime.basis.interpolation import TensorProductExpansion
from pdedsl.runtime.ode.etdrk import ETDRK4B, ORDER, matvec_modes
from pdedsl.runtime.ode.step_doubling import StepBudget, StepControl, TimeHistory, integrate_adaptively, replay_steps
from pdedsl.solvers.grid.grid_result import (
    DISCRETE_RESIDUAL,
    GridResult,
    SplitBatch,
    make_expansion,
    physical_times,
    step_metrics,
    steps_text,
    time_interval,
)
from pdedsl.solvers.grid.nodal_functions import CompiledExpressions, ParameterValue, compile_expressions, nodal_values

# ---- periodic


def make_fourier_grid(system: FirstOrderSystem, axes: tuple[PeriodicAxis, ...], n: int, like: Tensor) -> FourierGrid:
    """n points on each side of the box; twice as many if the box is continued by its mirror image."""
    rings = []
    for loop, interval in zip(axes, system.statement.domain.intervals, strict=False):
        copies = round(float(loop.period / (interval.end - interval.start)))
        rings.append(FourierAxis(float(loop.start), float(loop.period), max(2, n * copies // 2)))
    return FourierGrid(tuple(rings), _oversampling(system), like)


def _oversampling(system: FirstOrderSystem) -> int:
    """Grid points per half of the modes: (q + 1) h points make products of q factors with |k| < h exact on |k| < h."""
    exprs = split_linear(system, (*system.rhs, *system.constraints)).remainders
    return max([2, *(min(_polynomial_degree(system, e) + 1, 4) for e in exprs)])


def _polynomial_degree(system: FirstOrderSystem, expr: Expr) -> int:
    jets = [s for s, _ in system.jets_in(expr)]
    try:
        degree = Poly(expr, *jets).total_degree() if jets else 1
    except PolynomialError:
        return 3
    return int(degree) + (1 if expr.free_symbols & set(system.coordinates) else 0)


@dataclass(frozen=True)
class FourierProblem:
    """An evolution on the modes of a torus; w are the coefficients of the m variables with a time derivative,
    (m, modes…), or (b, m, modes…) if numbers in `given` are a batch of values, (b,).
    """

    system: FirstOrderSystem
    torus: FourierGrid
    given: Mapping[str, ParameterValue]

    @cached_property
    def linear(self) -> LinearSplitting:
        return split_linear(self.system, (*self.system.rhs, *self.system.constraints))

    @cached_property
    def rest(self) -> CompiledExpressions:
        return compile_expressions(self.system, self._products[0])

    @cached_property
    def _products(self) -> tuple[tuple[Expr, ...], Tensor | None]:
        """What is computed on the grid: N itself, or, for one variable, its fluxes F and what is no flux, with the
        factors iκ and 1 that make N̂ of them: u ∂u/∂x is half of ∂u²/∂x, and needs no transform of ∂u/∂x."""
        remainders = self.linear.remainders[: len(self.system.differential)]
        if len(self.system.variables) != 1 or len(remainders) != 1:
            return remainders, None
        fluxes, left = split_fluxes(self.system, remainders[0])
        if not any(fluxes):
            return remainders, None
        units = [tuple(int(i == k) for i in range(self.torus.dimension)) for k in range(self.torus.dimension)]
        parts = [(*f.as_coeff_Mul(), unit) for f, unit in zip(fluxes, units, strict=True) if f != 0]
        parts += [(S.One, left, (0,) * self.torus.dimension)] if left != 0 else []
        factors = [float(c) * self.torus.derivative(unit) for c, _, unit in parts]
        return tuple(e for _, e, _ in parts), torch.stack(torch.broadcast_tensors(*factors))  # type: ignore[no-untyped-call]

    @property
    def learns(self) -> bool:
        """Whether anything in `given` requires gradients."""
        return any(v.requires_grad for v in self.at_start.values())

    @property
    def batch(self) -> tuple[int, ...]:
        """(b,) if numbers in `given` are a batch of b values, otherwise ()."""
        sizes = {tuple(v.shape[: v.ndim - self.torus.dimension]) for v in self.at_start.values()}
        return max(sizes, default=())

    @property
    def quiet(self) -> bool:
        """Whether there is nothing but the linear part."""
        return all(r == 0 for r in self.linear.remainders)

    def known(self, time: float) -> Mapping[Symbol, Tensor]:
        return self.at_start if self.autonomous else self._known_at(time)

    @cached_property
    def autonomous(self) -> bool:
        """Whether N does not depend on time."""
        domain = self.system.statement.domain
        changing = self.system.time_dependent
        timed = {p.symbol for p in self.system.parameters if p.name in changing} | {domain.coordinates[-1]}
        return not domain.has_time or not any(r.free_symbols & timed for r in self.linear.remainders)

    @cached_property
    def at_start(self) -> Mapping[Symbol, Tensor]:
        return self._known_at(float(self.system.statement.domain.intervals[-1].start))

    def _known_at(self, time: float) -> Mapping[Symbol, Tensor]:
        t = self.torus.like.new_full([1] * self.torus.dimension, time)
        timed = self.system.statement.domain.has_time
        return nodal_values(self.system, self.given, self.torus.points(), t if timed else None)

    @cached_property
    def symbol(self) -> Tensor:
        """The linear part on the modes, (modes…, rows, variables): rows of right-hand sides, then of constraints."""
        torus, rows = self.torus, len(self.linear.remainders)
        flat = torch.zeros_like(torus.derivative((0,) * torus.dimension))
        found = [[flat for _ in self.system.variables] for _ in range(rows)]
        numbers = compile_expressions(self.system, [c for _, _, c in self.linear.parts])((), self.at_start)
        for (row, jet, _), number in zip(self.linear.parts, numbers, strict=True):
            d = self.system.jet_derivatives[jet]
            for axis in torus.axes:
                number = number.narrow(axis, 0, 1)
            found[row][d.component] = found[row][d.component] + number * torus.derivative(d.orders)
        entries = torch.broadcast_tensors(*(e for row in found for e in row))  # type: ignore[no-untyped-call]
        return torch.stack(entries, dim=-1).reshape(*entries[0].shape, rows, -1)

    def block(self, above: bool, differential: bool) -> Tensor:
        """The rows of right-hand sides or of constraints, the columns of moving or of still variables."""
        count = len(self.system.differential)
        rows = self.symbol[..., :count, :] if above else self.symbol[..., count:, :]
        return rows[..., list(self.system.differential if differential else self.system.algebraic)]

    @cached_property
    def eliminated(self) -> Tensor | None:
        """-E⁺C: still variables in terms of the moving ones, if the constraints determine them: E p + C w = 0."""
        e = self.block(above=False, differential=False)
        if not self.system.algebraic or not bool(e.any()):
            return None
        inverse: Tensor = torch.linalg.pinv(e)
        return -inverse @ self.block(False, True)

    @cached_property
    def pressure(self) -> Tensor | None:
        """-(CG)⁺C: C w = 0 is preserved in ∂w/∂t = R + G p by p = -(CG)⁺ C R (Chorin 1968)."""
        if not self.system.algebraic or self.eliminated is not None:
            return None
        c, g = self.block(False, True), self.block(True, False)
        inverse: Tensor = torch.linalg.pinv(c @ g)
        return -inverse @ c

    @cached_property
    def operator(self) -> Tensor:
        """L with the still variables eliminated, (modes…, m, m)."""
        own, other = self.block(True, True), self.block(True, False)
        if self.eliminated is not None:
            return own + other @ self.eliminated
        if self.pressure is not None:
            return own + other @ self.pressure @ own
        return own

    def whole(self, w: Tensor, time: float) -> Tensor:
        """The coefficients of all variables."""
        if not self.system.algebraic:
            return w
        if self.eliminated is not None:
            other = self._by(self.eliminated, w)
        else:
            assert self.pressure is not None
            other = self._by(self.pressure, self._by(self.block(True, True), w) + self._nonlinear(w, time))
        places = [*self.system.differential, *self.system.algebraic]
        order = torch.tensor([places.index(k) for k in range(len(places))], device=w.device)
        return torch.cat([w, other], self.place).index_select(self.place, order)

    def nonlinear(self, w: Tensor, time: float) -> Tensor:
        """N̂, including the pressure that it requires."""
        found = self._nonlinear(w, time)
        if self.pressure is None:
            return found
        return found + self._by(self.block(True, False) @ self.pressure, found)

    def _nonlinear(self, w: Tensor, time: float) -> Tensor:
        every = self.whole(w, time) if self.eliminated is not None else w
        values: tuple[Tensor, ...] = ()
        if self.rest.jets:
            wanted = every if every.shape[self.place] == 1 else every.index_select(self.place, self._places)
            values = self.torus.values(wanted if self._plain else wanted * self._factors).unbind(self.place)
        found = self.rest(values, self.known(time))
        on_modes = self.torus.coefficients(self._stacked(found))
        factors = self._products[1]
        if factors is None:
            return on_modes
        return factors * on_modes if len(found) == 1 else (factors * on_modes).sum(self.place, keepdim=True)

    @cached_property
    def place(self) -> int:
        """The axis of the variables, before those of the modes."""
        return -self.torus.dimension - 1

    def _stacked(self, found: tuple[Tensor, ...]) -> Tensor:
        if len(found) == 1:
            return found[0].unsqueeze(self.place)
        return torch.stack(torch.broadcast_tensors(*found), self.place)  # type: ignore[no-untyped-call]

    def _by(self, matrix: Tensor, w: Tensor) -> Tensor:
        return matvec_modes(matrix, w, self.torus.dimension)

    @cached_property
    def _places(self) -> Tensor:
        """The positions of the jets in N among the variables that are known."""
        known = range(len(self.system.variables)) if self.eliminated is not None else self.system.differential
        wanted = [known.index(self.system.jet_derivatives[s].component) for s in self.rest.jets]
        return torch.tensor(wanted, device=self.torus.like.device)

    @cached_property
    def _plain(self) -> bool:
        """Whether N needs nothing but the value of a single variable."""
        return len(self.rest.jets) == 1 and self.system.jet_derivatives[self.rest.jets[0]].order == 0

    @cached_property
    def _factors(self) -> Tensor:
        """(iκ)^α of the jets in N."""
        return torch.stack([self.torus.derivative(self.system.jet_derivatives[s].orders) for s in self.rest.jets])


# ---- waves
# Solves evolutions and stationary equations on a torus.


def solve_fourier(
    system: FirstOrderSystem,
    axes: tuple[PeriodicAxis, ...],
    n: int,
    given: Mapping[str, ParameterValue],
    like: Tensor,
    effort: StepBudget,
) -> GridResult:
    torus = make_fourier_grid(system, axes, n, like)
    problem = FourierProblem(system, torus, given)
    if not system.differential:
        return _solve_stationary(problem)
    history = _integrate(problem, effort)
    times = physical_times(system, history)
    states = torch.stack([problem.whole(w, t) for w, t in zip(history.states, times, strict=True)])
    module = make_expansion(system, torus.rings, _component_values(problem, states), times)
    return GridResult(_split_batch(module, problem), step_metrics(history), _notes(system, axes, torus, history))


def _split_batch(module: nn.Module, problem: FourierProblem) -> nn.Module:
    return SplitBatch(module, *problem.batch) if problem.batch else module


def _integrate(problem: FourierProblem, effort: StepBudget) -> TimeHistory:
    """March without gradients, on a copy of the problem; if gradients are needed, retrace the same steps with them."""
    start = _initial(problem)
    first, last = time_interval(problem.system)
    length = last - first
    batched = bool(problem.batch)
    control = StepControl(ORDER, effort.tolerance, extrapolated=True, most=effort.most, batched=batched)
    with torch.no_grad():
        history = integrate_adaptively(_stepper(replace(problem), length), start.detach(), length, control)
    if not start.requires_grad and not problem.learns:
        return history
    return replay_steps(_stepper(problem, length), start, length, history, control)


def _stepper(problem: FourierProblem, length: float) -> ETDRK4B:
    system = problem.system
    first, last = time_interval(system)
    sign, begin = (-1.0, last) if system.backward else (1.0, first)
    operator = sign * problem.operator
    diagonal = torch.diagonal(operator, dim1=-2, dim2=-1)
    matrices = bool((operator - torch.diag_embed(diagonal)).any())
    symbol = operator if matrices else torch.movedim(diagonal, -1, problem.place)
    forward, backward = problem.nonlinear, lambda w, t: -problem.nonlinear(w, t)
    rest = backward if system.backward else forward
    stepped = None if problem.quiet else lambda w, s: rest(w, begin + sign * s)
    return ETDRK4B(symbol, stepped, length, matrices, problem.torus.dimension, problem.autonomous)


def _initial(problem: FourierProblem) -> Tensor:
    system, torus = problem.system, problem.torus
    data = FourierGrid(torus.rings, max(torus.fine, 4), torus.like)
    found = compile_expressions(system, system.initial)((), FourierProblem(system, data, problem.given).at_start)
    return data.coefficients(_expand_to_grid(problem, data, found))


def _expand_to_grid(problem: FourierProblem, torus: FourierGrid, values: tuple[Tensor, ...]) -> Tensor:
    """The values of all variables at all points of a grid, (..., variables, points…)."""
    return torch.stack([v.expand(*problem.batch, *torus.sizes) for v in values], problem.place)


def _component_values(problem: FourierProblem, coefficients: Tensor) -> Tensor:
    """The components at more points than there are modes, (T, components, …), those of a batch one after another; from
    coefficients of states (T, ..., variables, modes…)."""
    torus = FourierGrid(problem.torus.rings, 2, problem.torus.like)
    own = [k for k, (_, j) in enumerate(problem.system.variables) if j == 0]
    wanted = coefficients.index_select(problem.place, torch.tensor(own, device=coefficients.device))
    return torus.values(wanted).flatten(1, problem.place)


def _solve_stationary(problem: FourierProblem) -> GridResult:
    """Σ L(k) û = -f̂, mode by mode; where L vanishes on a mode, û is zero, which is exact if f̂ vanishes there."""
    system, torus = problem.system, problem.torus
    found = compile_expressions(system, problem.linear.remainders)((), problem.known(0.0))
    source = torus.coefficients(_expand_to_grid(problem, torus, found))
    solved = -matvec_modes(torch.linalg.pinv(problem.symbol), source, torus.dimension)
    left = matvec_modes(problem.symbol, solved, torus.dimension) + source
    module = TensorProductExpansion(torus.rings, _component_values(problem, solved.unsqueeze(0)), None)
    modes = " × ".join(str(r.modes) for r in torus.rings)
    notes = (f"Fourier series with {modes} modes, division by the symbol",)
    return GridResult(_split_batch(module, problem), {DISCRETE_RESIDUAL: float(left.detach().abs().max())}, notes)


def _notes(
    system: FirstOrderSystem, axes: tuple[PeriodicAxis, ...], torus: FourierGrid, history: TimeHistory
) -> tuple[str, ...]:
    modes = " × ".join(str(r.modes) for r in torus.rings)
    notes = [f"Fourier series with {modes} modes, ETDRK4 in time: {steps_text(history)}"]
    mirrors = [str(x) for x, loop in zip(system.coordinates, axes, strict=False) if loop.reflected]
    if mirrors:
        notes.append(f"even/odd periodic extension in {', '.join(mirrors)}")
    return tuple(notes)
