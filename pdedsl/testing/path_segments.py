"""Path segments of a network and of an operator, for the reference simulation.

The plan gives the number of steps, the scheme and the kind of noise; the coefficients come from the analysis.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import assert_never

from pdedsl.config.methods import Adaptive, Fixed, Integrator, NoiseDistribution, NormReduction
from pdedsl.ir.noise import (
    ConstantNoise,
    CorrelatedNoise,
    DropoutNoise,
    Noise,
    RandomResidual,
    RelativeNoise,
    ShakeShakeNoise,
    StateDependentNoise,
)
from pdedsl.ir.plan import DataPlan, NoiseStep, SdeSteps
from pdedsl.numerics.butcher import EULER, HEUN
from pdedsl.testing.model import ModelUnderTest
from pdedsl.testing.time_intervals import TimeInterval, time_intervals

ADAPTIVE_TOL_FACTOR = 6.0  # global error of an adaptive method, in units of its tolerance: local errors accumulate


class Mismatch(Exception):
    """The network does not have the parts that the equation requires."""


@dataclass(frozen=True)
class AddedNoise:
    """Additive noise √(2hA) ξ, with ξ of unit variance."""

    law: NoiseDistribution = NoiseDistribution.GAUSSIAN


@dataclass(frozen=True)
class NormScaledNoise:
    """Relative noise √(2A) std(x) ξ, independent of the step size."""

    law: NoiseDistribution
    across: NormReduction


NoiseModel = AddedNoise | NormScaledNoise | RandomResidual


@dataclass(frozen=True)
class PathSegment:
    """Equal steps on one time interval, from time `start` on; `scheme` is used without noise."""

    interval: TimeInterval
    start: float
    h: float
    steps: int
    scheme: Integrator
    noise: NoiseModel = AddedNoise()

    @property
    def random(self) -> bool:
        return self.interval.has_diffusion

    @property
    def corrected(self) -> bool:
        """Whether the drift is corrected by Heun's method: the mean of a step is h b only in the limit h → 0."""
        return isinstance(self.scheme, Fixed) and self.scheme.method == HEUN and self.interval.has_drift

    @property
    def error_allowance(self) -> float:
        """The error of an adaptive method, which enters the z-tests like a standard error."""
        match self.scheme:
            case Adaptive(rtol=rtol, atol=atol) if not self.random:
                return ADAPTIVE_TOL_FACTOR * float(rtol + atol)
            case _:
                return 0.0


def model_segments(model: ModelUnderTest) -> list[PathSegment]:
    """The steps of `model()`."""
    plan = model.expected.plan
    assert isinstance(plan, DataPlan)
    parts = [p for p in plan.architectures[0].parts if isinstance(p, SdeSteps | NoiseStep)]
    active = [p for p in time_intervals(model.expected.analysis) if p.has_drift or p.has_diffusion]
    if len(parts) != len(active):
        raise Mismatch(f"expected {len(active)} time intervals with drift or diffusion, found {len(parts)}")
    return [_model_segment(interval, part) for interval, part in zip(active, parts, strict=True)]


def _model_segment(interval: TimeInterval, part: SdeSteps | NoiseStep) -> PathSegment:
    noise = noise_model(part.noise, interval)
    if isinstance(part, NoiseStep):
        return PathSegment(interval, interval.start, interval.length, 1, Fixed(method=EULER), noise)
    steps = part.steps
    return PathSegment(interval, interval.start, interval.length / steps, steps, part.scheme, noise)


def noise_model(noise: Noise | None, interval: TimeInterval) -> NoiseModel:
    """The kind of noise in the plan; its variance is given by the analysis."""
    match noise:
        case None:
            return AddedNoise()
        case ConstantNoise(law=law) | StateDependentNoise(law=law) | CorrelatedNoise(law=law):
            return AddedNoise(law)
        case RelativeNoise(law=law, across=across):
            return NormScaledNoise(law, across)
        case DropoutNoise() | ShakeShakeNoise():
            assert interval.random_residual is not None
            return interval.random_residual
        case _:
            assert_never(noise)


def operator_segments(model: ModelUnderTest) -> list[PathSegment]:
    """The steps of the evolution operator: a single one for each time interval on which it is exact."""
    plan = model.operator_plan
    assert plan is not None
    segments = []
    for interval in time_intervals(model.expected.analysis):
        exact = interval.is_constant and not (interval.has_diffusion and plan.law is NoiseDistribution.LAPLACE)
        steps = 1 if exact else ceil(interval.length / float(plan.step) - 1e-9)
        segments.append(
            PathSegment(interval, interval.start, interval.length / steps, steps, plan.scheme, AddedNoise(plan.law))
        )
    return segments
