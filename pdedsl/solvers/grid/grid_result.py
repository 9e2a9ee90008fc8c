"""Result of a grid solver, its time axis, and batches of solutions for batches of parameter values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from pdedsl.io import RunError
from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.types import Scalar
from pdedsl.runtime.basis.interpolation import Axis, TensorProductExpansion
from pdedsl.runtime.ode.step_doubling import (
    INTERPOLATION_NODES,
    Step,
    StepControl,
    TimeHistory,
    integrate_adaptively,
    replay_steps,
)
from pdedsl.solvers.grid.nodal_functions import ParameterValue

# ---- Results


# Keys of metrics, as they are stored in report.json.
NET_FLUX = "net flux"  # relative to the largest velocity
TIME_ERROR = "time-stepping error"
L1_ERROR = "L1 difference"  # of discontinuous solutions, which converge faster in L1 (Kuznetsov 1976)
DISCRETE_RESIDUAL = "discrete residual"


class GridSolveFailed(RunError):
    """The grid solver failed; the message is the reason."""


class IllPosedProblem(GridSolveFailed):
    """The problem has no solution, or several: no grid helps."""


@dataclass(frozen=True)
class GridResult:
    """A grid solution, its metrics and notes."""

    module: nn.Module
    metrics: dict[str, float]
    notes: tuple[str, ...]
    undetected_error: float = 0.0  # a time-stepping error common to both grids, which self-convergence does not detect


def time_interval(system: FirstOrderSystem) -> tuple[float, float]:
    interval = system.statement.domain.intervals[-1]
    return float(interval.start), float(interval.end)


def physical_time(system: FirstOrderSystem) -> Callable[[float], float]:
    """The time after an elapsed time: backward from the end for terminal-value problems."""
    first, last = time_interval(system)
    return (lambda s: last - s) if system.backward else (lambda s: first + s)


def integrate(
    system: FirstOrderSystem,
    stepper: Callable[[bool], Step],
    start: Tensor,
    control: StepControl,
    requires_gradients: Callable[[], bool],
) -> TimeHistory:
    """Integrates a discretization over the time interval by adaptive steps without gradients; replays the same steps
    with gradients if required. `stepper(False)` works on a copy of the discretization, without cached gradients."""
    first, last = time_interval(system)
    with torch.no_grad():
        history = integrate_adaptively(stepper(False), start.detach(), last - first, control)
    if not requires_gradients():
        return history
    return replay_steps(stepper(True), start, last - first, history, control)


def physical_times(system: FirstOrderSystem, history: TimeHistory) -> list[float]:
    """The times of the states: backward from the end for terminal-value problems."""
    return list(map(physical_time(system), history.times))


def make_expansion(
    system: FirstOrderSystem,
    axes: tuple[Axis, ...],
    values: Tensor,
    times: list[float],
    stencil: int = INTERPOLATION_NODES,
) -> TensorProductExpansion:
    differential = values.new_tensor(times)
    if system.backward:
        values, differential = values.flip(0), differential.flip(0)
    return TensorProductExpansion(axes, values, differential, stencil)


def step_metrics(history: TimeHistory) -> dict[str, float]:
    increments = [b - a for a, b in zip(history.times[:-1], history.times[1:], strict=True)]
    return {
        "steps": float(len(increments)),
        "smallest step": min(increments),
        "largest step": max(increments),
        TIME_ERROR: history.error,
    }


def steps_text(history: TimeHistory) -> str:
    metrics = step_metrics(history)
    return f"{metrics['steps']:.0f} steps, Δt from {metrics['smallest step']:.2g} to {metrics['largest step']:.2g}"


# ---- Batches of solutions, with values (b, n, c)


class SplitBatch(nn.Module):
    """A module whose outputs are the components of b solutions, one solution after another."""

    def __init__(self, module: nn.Module, size: int) -> None:
        super().__init__()
        self.module, self.size = module, size

    def forward(self, points: Tensor) -> Tensor:
        values: Tensor = self.module(points)
        return values.reshape(len(points), self.size, -1).movedim(1, 0)


class StackedBatch(nn.Module):
    """b solutions with a module each."""

    def __init__(self, modules: Sequence[nn.Module]) -> None:
        super().__init__()
        self.members, self.size = nn.ModuleList(modules), len(modules)

    def forward(self, points: Tensor) -> Tensor:
        return torch.stack([module(points) for module in self.members])


class BatchMember(nn.Module):
    """One of several solutions."""

    def __init__(self, module: nn.Module, number: int) -> None:
        super().__init__()
        self.module, self.number = module, number

    def forward(self, points: Tensor) -> Tensor:
        values: Tensor = self.module(points)
        return values[self.number]


def batched_parameters(statement: StrongForm, parameter_values: Mapping[str, ParameterValue]) -> dict[str, Tensor]:
    """The scalars with a batch of values, (b,); their sizes must agree."""
    scalars = {p.name for p in statement.parameters if isinstance(p.type, Scalar) and not p.params}
    batches = {n: v for n, v in parameter_values.items() if n in scalars and isinstance(v, Tensor) and v.ndim == 1}
    if len({len(v) for v in batches.values()}) > 1:
        raise ValueError(f"batch sizes must agree: {', '.join(f'{len(v)} for {n}' for n, v in batches.items())}")
    return batches


def stack_results(results: Sequence[GridResult]) -> GridResult:
    """Results as one, with the maxima of their metrics and all of their notes."""
    metrics = {name: max(g.metrics[name] for g in results) for name in results[0].metrics}
    notes = tuple(dict.fromkeys(note for g in results for note in g.notes))
    return GridResult(
        StackedBatch([g.module for g in results]), metrics, notes, max(g.undetected_error for g in results)
    )
