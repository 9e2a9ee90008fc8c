"""Adaptive Runge–Kutta methods with a step size for each sample.

An error norm over the whole batch makes a sample's output depend on its neighbours. Here every sample keeps its own
clock, step size and verdict; those that arrive leave the batch. Step sizes are constants for differentiation:
gradients are those of the discrete steps taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, final

import torch
from torch import Tensor

from pdedsl.runtime.fields import Time, VectorField
from pdedsl.runtime.integrators import Integrator, Steps
from pdedsl.runtime.tableaus import TABLEAUS, Tableau

SAFETY, GROWTH, SHRINKAGE = 0.9, 10.0, 0.2  # of torchdiffeq, so that the numbers of evaluations compare

Slope = Callable[[Time, Tensor], Tensor]


@final
@dataclass(frozen=True)
class Solution:
    """y(t₁); the calls of the field; and how many of them each sample took part in."""

    state: Tensor
    evaluations: int
    per_sample: tuple[int, ...]


@final
@dataclass(frozen=True)
class Adaptive(Integrator):
    """An embedded pair with the error per step kept below atol + rtol·max(|y_n|, |y_{n+1}|), in root mean square.

    control "sample": the mean is over one sample, and no sample depends on another. control "batch": the mean is
    over the whole batch, all share their steps, and outputs depend on the neighbours (torchdiffeq's rule). The field
    of step j holds between t_j and t_{j+1}, each of which is solved to tolerance.
    """

    rtol: float = 1e-3
    atol: float = 1e-3
    method: Literal["dopri5", "bosh3", "adaptive_heun"] = "dopri5"
    control: Literal["sample", "batch"] = "sample"
    max_attempts: int = 10_000

    def integrate(self, field: VectorField, y: Tensor, steps: Steps) -> Tensor:
        return self.solve(field, y, steps).state

    def solve(self, field: VectorField, y: Tensor, steps: Steps) -> Solution:
        """The solution with its costs."""
        calls, shares = 0, [0] * y.shape[0]
        for j in range(steps.count):
            piece = _solve(self, _forward_in_time(field, j, steps), abs(steps.h), y)
            y, calls = piece.state, calls + piece.evaluations
            shares = [a + b for a, b in zip(shares, piece.per_sample, strict=True)]
        return Solution(y, calls, tuple(shares))


def _forward_in_time(field: VectorField, j: int, steps: Steps) -> Slope:
    """The field as a function of the time s ≥ 0 since t_j, also when the integration runs backwards."""
    start = steps.time(j)
    if steps.h >= 0:
        return lambda s, y: field(j, start + s, y)
    return lambda s, y: -field(j, start - s, y)


@dataclass
class _Lanes:
    """The samples still on their way: rows of y and of its slope k, with a clock and a step size each.

    Under batch control there is one clock for all rows.
    """

    y: Tensor
    k: Tensor
    rows: list[int]
    times: list[float]
    sizes: list[float]

    def times_at(self, nodes: Sequence[float]) -> Sequence[Time]:
        """t + node·h for each node: numbers if there is one clock, else tensors with one number for each row."""
        clocks = list(zip(self.times, self.sizes, strict=True))
        table = [[t + node * h for t, h in clocks] for node in nodes]
        if len(clocks) == 1:
            return [row[0] for row in table]
        return torch.tensor(table, dtype=self.y.dtype, device=self.y.device).unbind()

    def per_row(self, values: list[float]) -> float | Tensor:
        """The same as a factor of y."""
        if len(values) == 1:
            return values[0]
        return torch.tensor(values, dtype=self.y.dtype, device=self.y.device).view(_column(self.y))


def _solve(options: Adaptive, slope: Slope, end: float, y: Tensor) -> Solution:
    tableau = TABLEAUS[options.method]
    lanes = _start(options, tableau, slope, end, y)
    calls, shares, arrived = 2, [2] * y.shape[0], list[tuple[list[int], Tensor]]()
    for _ in range(options.max_attempts):
        calls += len(tableau.rows)
        for row in lanes.rows:
            shares[row] += len(tableau.rows)
        _attempt(options, tableau, slope, end, lanes)
        _let_go(lanes, end, arrived)
        if not lanes.rows:
            return Solution(_in_order(arrived, y.shape[0]), calls, tuple(shares))
    raise ArithmeticError(f"{options.method} did not arrive after {options.max_attempts} attempts: is the field stiff?")


def _attempt(options: Adaptive, tableau: Tableau, slope: Slope, end: float, lanes: _Lanes) -> None:
    """One step of every lane, accepted lane by lane, and the next step sizes."""
    lanes.sizes = [min(h, end - t) for t, h in zip(lanes.times, lanes.sizes, strict=True)]
    y, k, error = _stages(tableau, slope, lanes)
    ratios = _error_ratios(options, error, lanes.y, y)
    verdicts = [ratio <= 1 for ratio in ratios]
    if all(verdicts):
        lanes.y, lanes.k = y, k
    elif any(verdicts):
        mask = torch.tensor(verdicts, device=y.device).view(_column(y))
        lanes.y, lanes.k = torch.where(mask, y, lanes.y), torch.where(mask, k, lanes.k)
    lanes.times = [_advanced(t, h, end, ok) for t, h, ok in zip(lanes.times, lanes.sizes, verdicts, strict=True)]
    lanes.sizes = [_next_size(h, ratio, tableau.order, end) for h, ratio in zip(lanes.sizes, ratios, strict=True)]


def _stages(tableau: Tableau, slope: Slope, lanes: _Lanes) -> tuple[Tensor, Tensor, Tensor]:
    """The new state, its slope, and the estimate of the error, which is not differentiated."""
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
    """base + Σ_j row_j increments_j. The sum is our own after its first term, and grows in place."""
    total = base
    for a, increment in zip(row, increments, strict=True):
        if a:
            total = torch.add(total, increment, alpha=a) if total is base else total.add_(increment, alpha=a)
    return total


def _error_ratios(options: Adaptive, error: Tensor, y0: Tensor, y1: Tensor) -> list[float]:
    """rms(error / (atol + rtol·max(|y₀|, |y₁|))) of every lane."""
    with torch.no_grad():
        tolerance = torch.maximum(y0.abs(), y1.abs()).mul_(options.rtol).add_(options.atol)
        return _norms(options, error.div_(tolerance))


def _norms(options: Adaptive, x: Tensor) -> list[float]:
    if x.is_meta:  # no numbers: whatever is tried is accepted
        return [0.0] * (x.shape[0] if options.control == "sample" else 1)
    flat = x.reshape(x.shape[0], -1) if options.control == "sample" else x.reshape(1, -1)
    norms: list[float] = (torch.linalg.vector_norm(flat, dim=1) / flat.shape[1] ** 0.5).tolist()
    return norms


def _next_size(h: float, ratio: float, order: int, end: float) -> float:
    """h·min(10, max(0.9 ratio^(−1/order), 0.2)), not below h after an accepted step (torchdiffeq's rule)."""
    if h <= 1e-14 * end or ratio != ratio:
        raise ArithmeticError(f"step size underflow at h = {h:.3g}: the field is not finite, or too stiff")
    if ratio == 0:
        return h * GROWTH
    return float(h * min(GROWTH, max(SAFETY * ratio ** (-1 / order), 1.0 if ratio < 1 else SHRINKAGE)))


def _advanced(t: float, h: float, end: float, accepted: bool) -> float:
    """The end is reached to the bit by a step that was cut to it."""
    if not accepted:
        return t
    return end if h == end - t else t + h


def _let_go(lanes: _Lanes, end: float, arrived: list[tuple[list[int], Tensor]]) -> None:
    """Move the lanes that have arrived from the batch to the results."""
    if len(lanes.times) == 1 and len(lanes.rows) > 1:  # one clock for all
        gone = [lanes.times[0] >= end] * len(lanes.rows)
    else:
        gone = [t >= end for t in lanes.times]
    if all(gone):
        arrived.append((lanes.rows, lanes.y))
        lanes.rows = []
    elif any(gone):
        _part(lanes, gone, arrived)


def _part(lanes: _Lanes, gone: list[bool], arrived: list[tuple[list[int], Tensor]]) -> None:
    out = [place for place, done in enumerate(gone) if done]
    stay = [place for place, done in enumerate(gone) if not done]
    arrived.append(([lanes.rows[p] for p in out], lanes.y[out]))
    lanes.y, lanes.k = lanes.y[stay], lanes.k[stay]
    lanes.rows, lanes.times = [lanes.rows[p] for p in stay], [lanes.times[p] for p in stay]
    lanes.sizes = [lanes.sizes[p] for p in stay]


def _in_order(arrived: list[tuple[list[int], Tensor]], count: int) -> Tensor:
    if len(arrived) == 1:
        return arrived[0][1]
    rows = [row for group, _ in arrived for row in group]
    place = torch.tensor(rows).argsort().to(arrived[0][1].device)
    return torch.cat([y for _, y in arrived]).index_select(0, place)


def _start(options: Adaptive, tableau: Tableau, slope: Slope, end: float, y: Tensor) -> _Lanes:
    """The first step size by Hairer, Nørsett, Wanner I (1993), II.4, at the cost of one evaluation."""
    k = slope(0.0, y)
    with torch.no_grad():
        tolerance = y.abs().mul_(options.rtol).add_(options.atol)
        d0, d1 = _norms(options, y / tolerance), _norms(options, k / tolerance)
        guess = [1e-6 if a < 1e-5 or b < 1e-5 else 0.01 * a / b for a, b in zip(d0, d1, strict=True)]
        lanes = _Lanes(y, k, list(range(y.shape[0])), [0.0] * len(guess), [min(h, end) for h in guess])
        change = slope(lanes.times_at((1.0,))[0], y + lanes.per_row(lanes.sizes) * k) - k
        d2 = _norms(options, change / tolerance)
    lanes.sizes = [_first_size(h, a, b / h, tableau.order) for h, a, b in zip(guess, d1, d2, strict=True)]
    return lanes


def _first_size(h0: float, d1: float, d2: float, order: int) -> float:
    steepest = max(d1, d2)
    h1 = max(1e-6, h0 * 1e-3) if steepest <= 1e-15 else (0.01 / steepest) ** (1 / order)
    return float(min(100 * h0, h1))


def _column(y: Tensor) -> tuple[int, ...]:
    return (-1,) + (1,) * (y.dim() - 1)
