"""Result of a solver on one level of refinement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import hypot

from torch import Tensor, nn

from pdedsl.config.methods import PlannedSolver


class EstimateKind(StrEnum):
    """Evidence for an error estimate; two kinds are independent of each other."""

    EXACT = "exact solution"
    REFINEMENT = "refinement"
    DECAY = "decay of the coefficients"
    RESIDUAL = "residual"
    SECOND_METHOD = "second method"
    CONFIDENCE = "95 % confidence interval"
    PARAMETERS = "95 % confidence intervals of the parameters"


TEST_RESIDUAL = "test residual"  # metric of least-squares methods: rms of all residuals at held-out points


@dataclass(frozen=True)
class EvolutionPaths:
    """The evolution operator on R^d: paths of the Feynman-Kac formula, or characteristics."""

    samples: int  # per point; 1 for characteristics
    scheme: str
    steps: int

    @property
    def name(self) -> str:
        return "evolution operator"

    def __str__(self) -> str:
        paths = f"{self.samples:,} paths per point" if self.samples > 1 else "characteristics"
        return f"evolution operator, {paths}, {self.scheme} with {self.steps} steps"


@dataclass(frozen=True)
class ParameterEstimate:
    """Estimate of a learned parameter, and its standard deviation, if available."""

    value: float
    deviation: float | None = None


CONFIDENCE_FACTOR = 1.96  # half-width of a 95 % confidence interval in standard deviations


def parameter_error(parameters: Mapping[str, ParameterEstimate]) -> float | None:
    """The largest relative half-width of the 95 % confidence intervals of the learned parameters, for a function in l2
    over the points at which it is reported; infinite for one that is not identifiable. None without deviations."""
    groups: dict[str, list[tuple[float, float]]] = {}
    for name, estimate in parameters.items():
        if estimate.deviation is not None:
            groups.setdefault(name.partition("(")[0], []).append((estimate.value, estimate.deviation))
    errors = [
        CONFIDENCE_FACTOR * hypot(*(d for _, d in pairs)) / max(hypot(*(v for v, _ in pairs)), 1e-300)
        for pairs in groups.values()
    ]
    return max(errors, default=None)


@dataclass(frozen=True)
class EigenvalueEstimate:
    """An eigenvalue with the estimate of its absolute error; `bound` is the residual bound of a self-adjoint problem,
    up to rounding and quadrature."""

    value: complex
    error: float
    bound: float | None = None


@dataclass(frozen=True)
class SolverResult:
    """A solution: `module` maps points (n, k), with coordinates in the order of the problem, to values (n, c).

    `metrics` are reported by the method (steps, final loss, residual). `error_estimates` are relative L2 errors that
    the method itself estimates, by their kind; the strategy adds those that compare two results. `notes` describe the
    choices of the method: bandwidth, time steps, weights. `unknowns` are the numbers of unknowns of this level and of
    the next, if they are known. `is_irregular`: the errors of successive levels do not decrease in proportion, since a
    free boundary lies between their nodes. `not_integrable` are components without an L2 norm, which the errors leave
    out: a pressure at corners with discontinuous velocities.
    """

    module: nn.Module
    method: PlannedSolver | EvolutionPaths
    metrics: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parameters: dict[str, ParameterEstimate] = field(default_factory=dict)
    error_estimates: Mapping[EstimateKind, float] = field(default_factory=dict)
    eigenvalues: tuple[
        EigenvalueEstimate, ...
    ] = ()  # the module then has the components of each mode, one after the other
    unknowns: tuple[float, float] | None = None
    is_irregular: bool = False
    not_integrable: tuple[int, ...] = ()

    def __call__(self, points: Tensor) -> Tensor:
        values: Tensor = self.module(points)
        return values


Levels = Iterator[SolverResult]
"""Results of one method on successively finer levels; it ends when the method cannot be refined further."""
