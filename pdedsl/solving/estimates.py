"""What was learned along with the unknowns, with standard deviations that follow from the noise of the measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from pdedsl.plan.numbers import Function, functions_of, numbers_of
from pdedsl.runtime.jets import JetNetwork, Wanted, row_slopes
from pdedsl.solving.network_rows import Learners, NetworkRows
from pdedsl.solving.solved import Estimate

if TYPE_CHECKING:
    from pdedsl.solving.residual import Task

CERTAIN = 1e3  # the weight of equations relative to measurements, when computing standard deviations
ROUNDING = 1e-15
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # positions along the diagonal of the box at which a function is reported


@dataclass(frozen=True)
class Told:
    """A value, and its derivatives by everything that is learned along with the unknowns."""

    name: str
    value: float
    slopes: Tensor


def estimates_of(task: Task, learners: Learners, rows: Sequence[NetworkRows]) -> dict[str, Estimate]:
    """Learned numbers, and learned functions at some points on the diagonal of the box."""
    told = [*_functions(task, learners), *_numbers(task, learners)]
    if not told or not task.measured:
        return {t.name: Estimate(t.value) for t in told}
    precision = _precision(task, learners, rows)
    return {t.name: Estimate(t.value, _deviation(t.slopes, precision)) for t in told}


def _deviation(slopes: Tensor, precision: Tensor) -> float:
    """√(sᵀ P⁻¹ s); infinite along directions that nothing determines."""
    values, vectors = torch.linalg.eigh(precision)
    shares = (vectors.T @ slopes).square()
    values = torch.where(values > ROUNDING * values.max(), values, 0.0)
    return float(torch.where(shares > ROUNDING * shares.sum(), shares / values, 0.0).sum().sqrt())


def noise_of(residual: Tensor, numbers: int) -> Tensor:
    """σ² of measurements with these residuals, once so many numbers were fitted to them: Σ r² / (n - numbers), and
    infinite for n ≤ numbers, which any noise fits."""
    free = len(residual) - numbers
    return residual.square().sum() / free if free > 0 else residual.new_tensor(torch.inf)


def _own(learners: Learners) -> int:
    """How many weights and numbers are learned along with the unknowns."""
    return sum(p.numel() for _, f in learners.functions for p in f.parameters()) + len(learners.numbers)


def _numbers(task: Task, learners: Learners) -> Iterator[Told]:
    numbers = numbers_of(task.statement)
    for k, (n, letter) in enumerate(zip(numbers, learners.numbers.tolist(), strict=True)):
        value, slope = (float(e.xreplace({n.letter: letter})) for e in (n.value, n.value.diff(n.letter)))
        slopes = torch.zeros(_own(learners), dtype=torch.float64)
        slopes[k - len(numbers)] = slope
        yield Told(n.name, value, slopes.to(learners.numbers.device))


def _functions(task: Task, learners: Learners) -> Iterator[Told]:
    start = 0
    for function, (axes, network) in zip(functions_of(task.statement), learners.functions, strict=True):
        low, high = (side[list(axes)].to(learners.numbers.device) for side in (task.points.low, task.points.high))
        points = torch.stack([low + share * (high - low) for share in SHARES])
        values, slopes = _with_slopes(function, network, points)
        for x, value, own in zip(points, values, slopes, strict=True):
            whole = own.new_zeros(_own(learners))
            whole[start : start + len(own)] = own
            yield Told(f"{function.name}({', '.join(f'{c:g}' for c in x.tolist())})", float(value), whole)
        start += slopes.shape[1]


def _with_slopes(function: Function, network: JetNetwork, points: Tensor) -> tuple[Tensor, Tensor]:
    streams, layers = network.jets(points, Wanted(((0,) * points.shape[1],)))
    value = streams[0, :, 0].exp() if function.signed else streams[0, :, 0]
    return value.detach(), row_slopes(value, layers).detach()


def _precision(task: Task, learners: Learners, rows: Sequence[NetworkRows]) -> Tensor:
    """JᵀJ/σ² + P for what is learned along with the unknowns, with the weights of the unknowns' network eliminated.

    J is the Jacobian of the measurements and, weighted much more heavily, of what must hold exactly; σ² is that of
    `noise_of`. P = 1 for weights of functions, which have the prior N(0, 1): where the
    measurements say nothing, a function is as uncertain as its prior. P = 0 for numbers.
    """
    parts = [replace(r, weight=torch.ones_like(r.weight)).slopes(learners) for r in rows]
    count, own = len(task.measured), _own(learners)
    heavy = [1.0 if k >= len(rows) - count else CERTAIN for k in range(len(rows))]
    slopes = torch.cat([f * s for f, (_, s) in zip(heavy, parts, strict=True)])
    noise = noise_of(torch.cat([r for r, _ in parts[-count:]]), len(learners.numbers))
    beside, rest = slopes[:, -own:], slopes[:, :-own]
    free = beside - rest @ torch.linalg.lstsq(rest.cpu(), beside.cpu(), driver="gelsy").solution.to(rest.device)
    prior = torch.ones_like(beside[0])
    prior[own - len(learners.numbers) :] = 0
    found: Tensor = free.T @ free / noise + prior.diag()
    return found
