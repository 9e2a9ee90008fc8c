"""Result of a solver."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor, nn

from pdedsl.config.methods import Solver


@dataclass(frozen=True)
class Estimate:
    """Estimate of a learned parameter, and its standard deviation, if available."""

    value: float
    deviation: float | None = None


@dataclass(frozen=True)
class SolverResult:
    """A solution: `module` maps points (n, k), with coordinates in the order of the statement, to values (n, c).

    `metrics` are numbers that the method itself reports (steps, the last loss, a condition number); what can be trusted
    is measured afterwards by others. `notes` are choices a reader should know: a bandwidth, a time step, a weight.
    """

    module: nn.Module
    method: Solver
    metrics: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parameters: dict[str, Estimate] = field(default_factory=dict)

    def __call__(self, points: Tensor) -> Tensor:
        values: Tensor = self.module(points)
        return values
