"""Adaptive Runge-Kutta methods (Dormand-Prince, Bogacki-Shampine, Heun-Euler) with a step size for each sample.

An error norm over the whole batch would make the output for a sample depend on the other samples. Here every sample has
its own time, step size and acceptance, and finished samples are removed from the batch. Step sizes are constants for
differentiation: gradients are those of the discrete steps taken.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import isfinite, nan
from typing import Literal, final

import torch
from torch import Tensor

from pdedsl.config.methods import NormReduction
from pdedsl.numerics.butcher import ADAPTIVE, EmbeddedRungeKutta
from pdedsl.numerics.step_size import SolverFailed, advance_time, clip_to_end, initial_step_size, next_step_size
from pdedsl.runtime.image_fields import Time, VectorField
from pdedsl.runtime.ode.explicit import Integrator, TimeGrid

# ---- Batch of samples with their own time and step size


@final
@dataclass
class AdaptiveBatch:
    """The unfinished samples: rows of the state y and of its derivative k, each with a time and a step size.

    Under batch control there is one time for all rows. `finished` holds the rows and final states of the others.
    """

    y: Tensor
    k: Tensor
    rows: list[int]
    times: list[float]
    sizes: list[float]
    finished: list[tuple[list[int], Tensor]] = field(default_factory=list)

    def times_at(self, nodes: Sequence[float]) -> Sequence[Time]:
        """t + node·h for each node: numbers if there is one time for all rows, else tensors with one number per row."""
        steps = list(zip(self.times, self.sizes, strict=True))
        table = [[t + node * h for t, h in steps] for node in nodes]
        if len(steps) == 1:
            return [row[0] for row in table]
        return torch.tensor(table, dtype=self.y.dtype, device=self.y.device).unbind()

    def per_row(self, values: list[float]) -> float | Tensor:
        """The values as a factor of y."""
        if len(values) == 1:
            return values[0]
        return torch.tensor(values, dtype=self.y.dtype, device=self.y.device).view(_column(self.y))

    def accept(self, accepted: list[bool], y: Tensor, k: Tensor) -> None:
        """Take the new state and derivative where the step is accepted."""
        if all(accepted):
            self.y, self.k = y, k
        elif any(accepted):
            mask = torch.tensor(accepted, device=y.device).view(_column(y))
            self.y, self.k = torch.where(mask, y, self.y), torch.where(mask, k, self.k)

    def remove_finished(self, end: float) -> None:
        """Move the samples that have reached the end from the batch to the results."""
        if len(self.times) == 1 and len(self.rows) > 1:  # one time for all
            done = [self.times[0] >= end] * len(self.rows)
        else:
            done = [t >= end for t in self.times]
        if all(done):
            self.finished.append((self.rows, self.y))
            self.rows = []
        elif any(done):
            self._split_off(done)

    def _split_off(self, done: list[bool]) -> None:
        remaining, out = partition_indices(done)
        self.finished.append(([self.rows[i] for i in out], self.y[out]))
        self.y, self.k = self.y[remaining], self.k[remaining]
        self.rows, self.times = [self.rows[i] for i in remaining], [self.times[i] for i in remaining]
        self.sizes = [self.sizes[i] for i in remaining]


def partition_indices(mask: list[bool]) -> tuple[list[int], list[int]]:
    """The indices of False, and those of True."""
    indices = range(len(mask))
    return [i for i in indices if not mask[i]], [i for i in indices if mask[i]]


def merge_rows(groups: list[tuple[list[int], Tensor]]) -> Tensor:
    """Groups of rows as one batch, in their original order."""
    if len(groups) == 1:
        return groups[0][1]
    rows = [row for group, _ in groups for row in group]
    order = torch.tensor(rows).argsort().to(groups[0][1].device)
    return torch.cat([y for _, y in groups]).index_select(0, order)


def _column(y: Tensor) -> tuple[int, ...]:
    return (-1,) + (1,) * (y.dim() - 1)


# ---- Solvers


ErrorControl = Literal["sample", "batch"]
RightHandSide = Callable[[Time, Tensor], Tensor]


class OnFailure(Enum):
    """Behaviour if a solver fails: raise SolverFailed, or return NaN, for processes that must continue together."""

    RAISE = "raise"
    NAN = "nan"


@final
@dataclass(frozen=True)
class OdeSolution:
    """y(t₁), the number of calls of the field, and the number of calls for each sample."""

    state: Tensor
    evaluations: int
    per_sample: tuple[int, ...]


class AdaptiveSolver(Integrator):
    """An integrator with adaptive step size, which reports the number of evaluations."""

    control: ErrorControl
    on_failure: OnFailure

    @property
    def per_sample(self) -> bool:
        """Whether every sample has its own step size."""
        return NormReduction(self.control) is NormReduction.SAMPLE

    def integrate(self, field: VectorField, y: Tensor, steps: TimeGrid) -> Tensor:
        return self.solve(field, y, steps).state

    def solve(self, field: VectorField, y: Tensor, steps: TimeGrid) -> OdeSolution:
        """The solution and its number of evaluations."""
        if torch.compiler.is_exporting() or torch._C._functorch.is_batchedtensor(y):
            raise NotExportable(
                "adaptive step sizes depend on the input, which torch.export, ONNX and vmap cannot trace: "
                "use a method with fixed steps, such as realize time by rk4(steps=8)"
            )
        if not y.shape[0]:
            return OdeSolution(y, 0, ())
        try:
            return self._solve(field, y, steps)
        except SolverFailed:
            if self.on_failure is OnFailure.RAISE:
                raise
            return OdeSolution(y * nan, 0, (0,) * y.shape[0])

    @abstractmethod
    def _solve(self, field: VectorField, y: Tensor, steps: TimeGrid) -> OdeSolution:
        """`solve` for at least one sample."""


class NotExportable(RuntimeError):
    """Raised when a network with data-dependent control flow is traced or exported."""


@final
@dataclass(frozen=True)
class AdaptiveRungeKutta(AdaptiveSolver):
    """An embedded Runge-Kutta pair: the rms of error / (atol + rtol·max(|y_n|, |y_{n+1}|)) is at most 1 in every step.

    control "sample": the mean is over one sample, and samples are independent; a sample with a non-finite state becomes
    NaN. control "batch": the mean is over the whole batch, all samples share the step size, and the output for a sample
    depends on the others (torchdiffeq's rule). Field j is used on [t_j, t_{j+1}]; each interval is solved to tolerance.

    Args:
        rtol: relative tolerance.
        atol: absolute tolerance.
        method: "dopri5", "bosh3" or "adaptive_heun".
        control: error norm over each sample ("sample") or over the whole batch ("batch").
        max_attempts: maximal number of steps, accepted or rejected, in a time interval.
        on_failure: raise `SolverFailed`, or return NaN.

    Raises:
        SolverFailed: by `integrate`, if the end is not reached in `max_attempts` steps or the step size underflows.
        NotExportable: by `integrate`, under torch.export or vmap.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import AdaptiveRungeKutta, TimeGrid
        >>> solver = AdaptiveRungeKutta(rtol=1e-6, atol=1e-6)
        >>> y = solver.integrate(lambda step, t, y: -y, torch.ones(1, 1), TimeGrid(0.0, 1.0, 1))
        >>> round(y.item(), 4)  # exp(-1)
        0.3679
    """

    rtol: float = 1e-3
    atol: float = 1e-3
    method: Literal["dopri5", "bosh3", "adaptive_heun"] = "dopri5"
    control: ErrorControl = "sample"
    max_attempts: int = 10_000
    on_failure: OnFailure = OnFailure.RAISE

    def _solve(self, field: VectorField, y: Tensor, steps: TimeGrid) -> OdeSolution:
        calls, per_sample = 0, [0] * y.shape[0]
        for j in range(steps.count):
            solution = _integrate_interval(self, _forward_in_time(field, j, steps), abs(steps.h), y)
            y, calls = solution.state, calls + solution.evaluations
            per_sample = [a + b for a, b in zip(per_sample, solution.per_sample, strict=True)]
        return OdeSolution(y, calls, tuple(per_sample))


def _forward_in_time(field: VectorField, j: int, steps: TimeGrid) -> RightHandSide:
    """The field as a function of the time s ≥ 0 since t_j, even when the integration runs backwards."""
    start = steps.time(j)
    if steps.h >= 0:
        return lambda s, y: field(j, start + s, y)
    return lambda s, y: -field(j, start - s, y)


def _integrate_interval(
    options: AdaptiveRungeKutta, right_hand_side: RightHandSide, end: float, y: Tensor
) -> OdeSolution:
    if not y.shape[0] or not end:
        return OdeSolution(y, 0, (0,) * y.shape[0])
    tolerance = (y.detach().abs() * options.rtol).add_(options.atol)
    d0 = _rms_norms(options, y.detach() / tolerance)
    if options.per_sample and any(d != d for d in d0):  # NaN, mostly from a state that is not finite
        finite = y.reshape(y.shape[0], -1).isfinite().all(1).tolist()
        if not all(finite):
            return _without_nonfinite(options, right_hand_side, end, y, finite)
    return _integrate_batch(
        options, right_hand_side, end, _initialize_batch(options, right_hand_side, end, y, tolerance, d0)
    )


def _without_nonfinite(
    options: AdaptiveRungeKutta, right_hand_side: RightHandSide, end: float, y: Tensor, finite: list[bool]
) -> OdeSolution:
    """NaN for the samples that are not finite; the others are solved as if those were absent."""
    invalid, valid = partition_indices(finite)
    solution = _integrate_interval(options, right_hand_side, end, y[valid])
    per_sample = dict(zip(valid, solution.per_sample, strict=True))
    state = merge_rows([(valid, solution.state), (invalid, y[invalid] * nan)])
    return OdeSolution(state, solution.evaluations, tuple(per_sample.get(row, 0) for row in range(y.shape[0])))


def _integrate_batch(
    options: AdaptiveRungeKutta, right_hand_side: RightHandSide, end: float, batch: AdaptiveBatch
) -> OdeSolution:
    """Integrate all samples to the end; the initial step size took two evaluations."""
    tableau = ADAPTIVE[options.method]
    calls, per_sample = 2, [2] * len(batch.rows)
    for _ in range(options.max_attempts):
        calls += len(tableau.rows)
        for row in batch.rows:
            per_sample[row] += len(tableau.rows)
        _attempt_step(options, tableau, right_hand_side, end, batch)
        batch.remove_finished(end)
        if not batch.rows:
            return OdeSolution(merge_rows(batch.finished), calls, tuple(per_sample))
    raise SolverFailed(
        f"{options.method} did not reach the end in {options.max_attempts} steps: the field is too stiff"
    )


def _attempt_step(
    options: AdaptiveRungeKutta,
    tableau: EmbeddedRungeKutta,
    right_hand_side: RightHandSide,
    end: float,
    batch: AdaptiveBatch,
) -> None:
    """One step of every sample, accepted or rejected for each, and the next step sizes."""
    batch.sizes = [clip_to_end(h, end - t) for t, h in zip(batch.times, batch.sizes, strict=True)]
    y, k, error = _runge_kutta_stages(tableau, right_hand_side, batch)
    ratios = _error_ratios(options, error, batch.y, y)
    batch.accept([ratio <= 1 for ratio in ratios], y, k)
    steps = list(zip(batch.times, batch.sizes, ratios, strict=True))
    batch.times = [advance_time(t, h, end) if ratio <= 1 else t for t, h, ratio in steps]
    batch.sizes = [next_step_size(t, h, ratio, tableau.order, end) for t, h, ratio in steps]


def _runge_kutta_stages(
    tableau: EmbeddedRungeKutta, right_hand_side: RightHandSide, batch: AdaptiveBatch
) -> tuple[Tensor, Tensor, Tensor]:
    """The new state, its derivative, and the error estimate, which is not differentiated."""
    h, y, k = batch.per_row(batch.sizes), batch.y, batch.k
    increments = [h * k]
    for time, row in zip(batch.times_at(tableau.nodes), tableau.rows, strict=True):
        y = _combination(batch.y, row, increments)
        k = right_hand_side(time, y)
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
    """rms(error / (atol + rtol·max(|y₀|, |y₁|))) of every sample."""
    with torch.no_grad():
        tolerance = torch.maximum(y0.abs(), y1.abs()).mul_(options.rtol).add_(options.atol)
        return _rms_norms(options, error.div_(tolerance))


def _rms_norms(options: AdaptiveRungeKutta, x: Tensor) -> list[float]:
    if x.is_meta:  # no values: every step is accepted
        return [0.0] * (x.shape[0] if options.per_sample else 1)
    flat = x.reshape(x.shape[0], -1) if options.per_sample else x.reshape(1, -1)
    norms: list[float] = (torch.linalg.vector_norm(flat, dim=1) / flat.shape[1] ** 0.5).tolist()
    return norms


def _initialize_batch(
    options: AdaptiveRungeKutta,
    right_hand_side: RightHandSide,
    end: float,
    y: Tensor,
    tolerance: Tensor,
    d0: list[float],
) -> AdaptiveBatch:
    """The first step size, after Hairer, Nørsett, Wanner I (1993), II.4, at the cost of one evaluation."""
    k = right_hand_side(0.0, y)
    with torch.no_grad():
        d1 = _rms_norms(options, k / tolerance)
        if not all(map(isfinite, d1)):
            raise SolverFailed("step size underflow at the initial time: the field is not finite, or too stiff")
        guess = [1e-6 if a < 1e-5 or b < 1e-5 else 0.01 * a / b for a, b in zip(d0, d1, strict=True)]
        batch = AdaptiveBatch(y, k, list(range(y.shape[0])), [0.0] * len(guess), [min(h, end) for h in guess])
        change = right_hand_side(batch.times_at((1.0,))[0], y + batch.per_row(batch.sizes) * k) - k
        d2 = _rms_norms(options, change / tolerance)
    order = ADAPTIVE[options.method].order
    batch.sizes = [initial_step_size(h, a, b / h, order) for h, a, b in zip(guess, d1, d2, strict=True)]
    return batch
