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
    """A solution: `module` maps points (n, k), with coordinates in the order of the problem, to values (n, c).

    `metrics` are reported by the method (steps, final loss, residual); the error is estimated independently. `notes`
    describe its choices: bandwidth, time steps, weights.
    """

    module: nn.Module
    method: Solver
    metrics: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parameters: dict[str, Estimate] = field(default_factory=dict)

    def __call__(self, points: Tensor) -> Tensor:
        values: Tensor = self.module(points)
        return values
