"""The samples of an adaptive method under way: each has its own clock, and leaves the batch when it arrives."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import isfinite, nan
from typing import Literal, final

import torch
from torch import Tensor

from pdedsl.config.methods import Across
from pdedsl.numerics.butcher import ADAPTIVE, EmbeddedRungeKutta
from pdedsl.numerics.step_size import SolverFailed, advance_time, clip_to_end, initial_step_size, next_step_size
from pdedsl.runtime.image_fields import Time, VectorField
from pdedsl.runtime.ode.explicit import Integrator, TimeGrid

# ---- lanes


@final
@dataclass
class AdaptiveBatch:
    """The samples still under way: rows of y and of its slope k, each with a clock and a step size.

    Under batch control there is one clock for all rows. `arrived` holds the rows and states of those that have left.
    """

    y: Tensor
    k: Tensor
    rows: list[int]
    times: list[float]
    sizes: list[float]
    arrived: list[tuple[list[int], Tensor]] = field(default_factory=list)

    def times_at(self, nodes: Sequence[float]) -> Sequence[Time]:
        """t + node·h for each node: numbers if there is one clock, else tensors with one number per row."""
        clocks = list(zip(self.times, self.sizes, strict=True))
        table = [[t + node * h for t, h in clocks] for node in nodes]
        if len(clocks) == 1:
            return [row[0] for row in table]
        return torch.tensor(table, dtype=self.y.dtype, device=self.y.device).unbind()

    def per_row(self, values: list[float]) -> float | Tensor:
        """The values as a factor of y."""
        if len(values) == 1:
            return values[0]
        return torch.tensor(values, dtype=self.y.dtype, device=self.y.device).view(_column(self.y))

    def accept(self, verdicts: list[bool], y: Tensor, k: Tensor) -> None:
        """Take the new state and slope where the step is accepted."""
        if all(verdicts):
            self.y, self.k = y, k
        elif any(verdicts):
            mask = torch.tensor(verdicts, device=y.device).view(_column(y))
            self.y, self.k = torch.where(mask, y, self.y), torch.where(mask, k, self.k)

    def let_go(self, end: float) -> None:
        """Move the lanes that have arrived from the batch to the results."""
        if len(self.times) == 1 and len(self.rows) > 1:  # one clock for all
            gone = [self.times[0] >= end] * len(self.rows)
        else:
            gone = [t >= end for t in self.times]
        if all(gone):
            self.arrived.append((self.rows, self.y))
            self.rows = []
        elif any(gone):
            self._part(gone)

    def _part(self, gone: list[bool]) -> None:
        stay, out = partition_indices(gone)
        self.arrived.append(([self.rows[p] for p in out], self.y[out]))
        self.y, self.k = self.y[stay], self.k[stay]
        self.rows, self.times = [self.rows[p] for p in stay], [self.times[p] for p in stay]
        self.sizes = [self.sizes[p] for p in stay]


def partition_indices(chosen: list[bool]) -> tuple[list[int], list[int]]:
    """The positions of False, and those of True."""
    places = range(len(chosen))
    return [p for p in places if not chosen[p]], [p for p in places if chosen[p]]


def merge_rows(groups: list[tuple[list[int], Tensor]]) -> Tensor:
    """Groups of rows as one batch again."""
    if len(groups) == 1:
        return groups[0][1]
    rows = [row for group, _ in groups for row in group]
    place = torch.tensor(rows).argsort().to(groups[0][1].device)
    return torch.cat([y for _, y in groups]).index_select(0, place)


def _column(y: Tensor) -> tuple[int, ...]:
    return (-1,) + (1,) * (y.dim() - 1)


# ---- adaptive
# Adaptive Runge–Kutta methods with a step size for each sample.
#
# An error norm over the whole batch would make a sample's output depend on its neighbours. Here every sample has its
# own clock, step size and acceptance; those that arrive leave the batch. Step sizes are constants for
# differentiation: gradients are those of the discrete steps taken.


ErrorControl = Literal["sample", "batch"]
RightHandSide = Callable[[Time, Tensor], Tensor]


class OnFailure(Enum):
    """What happens when a solver fails: SolverFailed is raised, or the solution is NaN, for processes that must
    continue together."""

    RAISE = "raise"
    NAN = "nan"


@final
@dataclass(frozen=True)
class OdeSolution:
    """y(t₁); the number of calls of the field; and how many of them each sample took part in."""

    state: Tensor
    evaluations: int
    per_sample: tuple[int, ...]


class AdaptiveSolver(Integrator):
    """A method that chooses its own steps, and reports their cost."""

    control: ErrorControl
    failing: OnFailure

    @property
    def apart(self) -> bool:
        """Whether every sample has its own steps."""
        return Across(self.control) is Across.SAMPLE

    def integrate(self, field: VectorField, y: Tensor, steps: TimeGrid) -> Tensor:
        return self.solve(field, y, steps).state

    def solve(self, field: VectorField, y: Tensor, steps: TimeGrid) -> OdeSolution:
        """The solution and its cost."""
        if torch.compiler.is_exporting() or torch._C._functorch.is_batchedtensor(y):
            raise NotExportable(
                "an adaptive solver chooses its steps by its input, which torch.export, ONNX and vmap cannot record: "
                "use a method with fixed steps, as in realize time by rk4(steps=8)"
            )
        if not y.shape[0]:
            return OdeSolution(y, 0, ())
        try:
            return self._solve(field, y, steps)
        except SolverFailed:
            if self.failing is OnFailure.RAISE:
                raise
            return OdeSolution(y * nan, 0, (0,) * y.shape[0])

    @abstractmethod
    def _solve(self, field: VectorField, y: Tensor, steps: TimeGrid) -> OdeSolution:
        """The same, for at least one sample."""


class NotExportable(RuntimeError):
    """Raised when a network whose work depends on its input is to be recorded as a fixed graph."""


@final
@dataclass(frozen=True)
class AdaptiveRungeKutta(AdaptiveSolver):
    """An embedded pair with the error per step kept below atol + rtol·max(|y_n|, |y_{n+1}|), in root mean square.

    control "sample": the mean is over one sample, and no sample depends on another: one whose state is not finite
    becomes NaN. control "batch": the mean is over the whole batch, all samples share their steps, and outputs depend on
    the neighbours (torchdiffeq's rule). The field of step j holds between t_j and t_{j+1}; each such interval is solved
    to tolerance.
    """

    rtol: float = 1e-3
    atol: float = 1e-3
    method: Literal["dopri5", "bosh3", "adaptive_heun"] = "dopri5"
    control: ErrorControl = "sample"
    max_attempts: int = 10_000
    failing: OnFailure = OnFailure.RAISE

    def _solve(self, field: VectorField, y: Tensor, steps: TimeGrid) -> OdeSolution:
        calls, shares = 0, [0] * y.shape[0]
        for j in range(steps.count):
            piece = _integrate_interval(self, _forward_in_time(field, j, steps), abs(steps.h), y)
            y, calls = piece.state, calls + piece.evaluations
            shares = [a + b for a, b in zip(shares, piece.per_sample, strict=True)]
        return OdeSolution(y, calls, tuple(shares))


def _forward_in_time(field: VectorField, j: int, steps: TimeGrid) -> RightHandSide:
    """The field as a function of the time s ≥ 0 since t_j, even when the integration runs backwards."""
    start = steps.time(j)
    if steps.h >= 0:
        return lambda s, y: field(j, start + s, y)
    return lambda s, y: -field(j, start - s, y)


def _integrate_interval(options: AdaptiveRungeKutta, slope: RightHandSide, end: float, y: Tensor) -> OdeSolution:
    if not y.shape[0] or not end:
        return OdeSolution(y, 0, (0,) * y.shape[0])
    tolerance = (y.detach().abs() * options.rtol).add_(options.atol)
    d0 = _rms_norms(options, y.detach() / tolerance)
    if options.apart and any(d != d for d in d0):  # for a state that is not finite; rarely otherwise
        finite = y.reshape(y.shape[0], -1).isfinite().all(1).tolist()
        if not all(finite):
            return _without_nonfinite(options, slope, end, y, finite)
    return _integrate_batch(options, slope, end, _initialize_batch(options, slope, end, y, tolerance, d0))


def _without_nonfinite(
    options: AdaptiveRungeKutta, slope: RightHandSide, end: float, y: Tensor, finite: list[bool]
) -> OdeSolution:
    """NaN for the samples that are not finite; the others are solved as if those were absent."""
    lost, kept = partition_indices(finite)
    piece = _integrate_interval(options, slope, end, y[kept])
    shares = dict(zip(kept, piece.per_sample, strict=True))
    state = merge_rows([(kept, piece.state), (lost, y[lost] * nan)])
    return OdeSolution(state, piece.evaluations, tuple(shares.get(row, 0) for row in range(y.shape[0])))


def _integrate_batch(
    options: AdaptiveRungeKutta, slope: RightHandSide, end: float, lanes: AdaptiveBatch
) -> OdeSolution:
    """All lanes to the end; starting them took two evaluations."""
    tableau = ADAPTIVE[options.method]
    calls, shares = 2, [2] * len(lanes.rows)
    for _ in range(options.max_attempts):
        calls += len(tableau.rows)
        for row in lanes.rows:
            shares[row] += len(tableau.rows)
        _attempt_step(options, tableau, slope, end, lanes)
        lanes.let_go(end)
        if not lanes.rows:
            return OdeSolution(merge_rows(lanes.arrived), calls, tuple(shares))
    raise SolverFailed(f"{options.method} did not arrive after {options.max_attempts} attempts: the field is too stiff")


def _attempt_step(
    options: AdaptiveRungeKutta, tableau: EmbeddedRungeKutta, slope: RightHandSide, end: float, lanes: AdaptiveBatch
) -> None:
    """One step of every lane, accepted lane by lane, and the next step sizes."""
    lanes.sizes = [clip_to_end(h, end - t) for t, h in zip(lanes.times, lanes.sizes, strict=True)]
    y, k, error = _runge_kutta_stages(tableau, slope, lanes)
    ratios = _error_ratios(options, error, lanes.y, y)
    verdicts = [ratio <= 1 for ratio in ratios]
    lanes.accept(verdicts, y, k)
    steps = list(zip(lanes.times, lanes.sizes, ratios, strict=True))
    lanes.times = [advance_time(t, h, end) if ratio <= 1 else t for t, h, ratio in steps]
    lanes.sizes = [next_step_size(t, h, ratio, tableau.order, end) for t, h, ratio in steps]


def _runge_kutta_stages(
    tableau: EmbeddedRungeKutta, slope: RightHandSide, lanes: AdaptiveBatch
) -> tuple[Tensor, Tensor, Tensor]:
    """The new state, its slope, and the error estimate, which is not differentiated."""
    h, y, k = lanes.per_row(lanes.sizes), lanes.y, lanes.k
    increments = [h * k]
    for time, row in zip(lanes.times_at(tableau.nodes), tableau.rows, strict=True):
        y = _combination(lanes.y, row, increments)
        k = slope(time, y)
        increments.append(h * k)
    with torch.no_grad():
        first, *others = increments
        return y, k, _combination(first * tableau.error[0], tableau.error[1:], others)


def _combination(base: Tensor, row: tuple[float, ...], increments: list[Tensor]) -> Tensor:
    """base + Σ_j row_j increments_j. After its first term the sum is a new tensor, and is updated in place."""
    total = base
    for a, increment in zip(row, increments, strict=True):
        if a:
            total = torch.add(total, increment, alpha=a) if total is base else total.add_(increment, alpha=a)
    return total


def _error_ratios(options: AdaptiveRungeKutta, error: Tensor, y0: Tensor, y1: Tensor) -> list[float]:
    """rms(error / (atol + rtol·max(|y₀|, |y₁|))) of every lane."""
    with torch.no_grad():
        tolerance = torch.maximum(y0.abs(), y1.abs()).mul_(options.rtol).add_(options.atol)
        return _rms_norms(options, error.div_(tolerance))


def _rms_norms(options: AdaptiveRungeKutta, x: Tensor) -> list[float]:
    if x.is_meta:  # no numbers: every attempt is accepted
        return [0.0] * (x.shape[0] if options.apart else 1)
    flat = x.reshape(x.shape[0], -1) if options.apart else x.reshape(1, -1)
    norms: list[float] = (torch.linalg.vector_norm(flat, dim=1) / flat.shape[1] ** 0.5).tolist()
    return norms


def _initialize_batch(
    options: AdaptiveRungeKutta, slope: RightHandSide, end: float, y: Tensor, tolerance: Tensor, d0: list[float]
) -> AdaptiveBatch:
    """The first step size, after Hairer, Nørsett, Wanner I (1993), II.4, at the cost of one evaluation."""
    k = slope(0.0, y)
    with torch.no_grad():
        d1 = _rms_norms(options, k / tolerance)
        if not all(map(isfinite, d1)):
            raise SolverFailed("step size underflow at the start: the field is not finite, or too stiff")
        guess = [1e-6 if a < 1e-5 or b < 1e-5 else 0.01 * a / b for a, b in zip(d0, d1, strict=True)]
        lanes = AdaptiveBatch(y, k, list(range(y.shape[0])), [0.0] * len(guess), [min(h, end) for h in guess])
        change = slope(lanes.times_at((1.0,))[0], y + lanes.per_row(lanes.sizes) * k) - k
        d2 = _rms_norms(options, change / tolerance)
    order = ADAPTIVE[options.method].order
    lanes.sizes = [initial_step_size(h, a, b / h, order) for h, a, b in zip(guess, d1, d2, strict=True)]
    return lanes
