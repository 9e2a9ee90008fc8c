"""The steps of a network and of an operator: the plan gives their number, method and kind of noise, the analysis
everything else."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import assert_never

from pdedsl.config.methods import Across, Adaptive, Fixed, Integrator, Law
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

ADAPTIVE_TOL_FACTOR = (
    6.0  # of the error of an adaptive method, in units of its tolerance: errors of steps add up, and grow
)


class Mismatch(Exception):
    """A plan whose parts do not match the pieces of time of the equation."""


@dataclass(frozen=True)
class AddedNoise:
    """Noise √(2hA) ξ, with random numbers ξ of a given law."""

    law: Law = Law.GAUSSIAN


@dataclass(frozen=True)
class ScaledNoise:
    """Noise √(2A) std(x) ξ, whatever the step."""

    law: Law
    across: Across


NoiseModel = AddedNoise | ScaledNoise | RandomResidual


@dataclass(frozen=True)
class PathSegment:
    """Equal steps along one piece of time, from the time `first` on; `scheme` is used if nothing is random."""

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
        """Whether the drift is that of Heun's method: the mean of a step is h b only in the limit."""
        return isinstance(self.scheme, Fixed) and self.scheme.method == HEUN and self.interval.has_drift

    @property
    def error_allowance(self) -> float:
        """The error of an adaptive method, of which about five times as much is allowed, as of a standard error."""
        match self.scheme:
            case Adaptive(rtol=rtol, atol=atol) if not self.random:
                return ADAPTIVE_TOL_FACTOR * float(rtol + atol)
            case _:
                return 0.0


def model_segments(model: ModelUnderTest) -> list[PathSegment]:
    """The steps that `model()` takes."""
    plan = model.expected.plan
    assert isinstance(plan, DataPlan)
    parts = [p for p in plan.families[0].parts if isinstance(p, SdeSteps | NoiseStep)]
    passed = [p for p in time_intervals(model.expected.analysis) if p.has_drift or p.has_diffusion]
    if len(parts) != len(passed):
        raise Mismatch(f"expected {len(passed)} pieces of time along which paths move, found {len(parts)}")
    return [_model_segment(period, part) for period, part in zip(passed, parts, strict=True)]


def _model_segment(period: TimeInterval, part: SdeSteps | NoiseStep) -> PathSegment:
    by = noise_model(part.noise, period)
    if isinstance(part, NoiseStep):
        return PathSegment(period, period.start, period.length, 1, Fixed(method=EULER), by)
    steps = part.steps
    return PathSegment(period, period.start, period.length / steps, steps, part.scheme, by)


def noise_model(noise: Noise | None, period: TimeInterval) -> NoiseModel:
    """How the plan realizes the diffusion of a piece of time; its size is given by the analysis."""
    match noise:
        case None:
            return AddedNoise()
        case ConstantNoise(law=law) | StateDependentNoise(law=law) | CorrelatedNoise(law=law):
            return AddedNoise(law)
        case RelativeNoise(law=law, across=across):
            return ScaledNoise(law, across)
        case DropoutNoise() | ShakeShakeNoise():
            assert period.random_residual is not None
            return period.random_residual
        case _:
            assert_never(noise)


def operator_segments(model: ModelUnderTest) -> list[PathSegment]:
    """The steps of the evolution operator over the whole time: a single one for each piece in which it is exact."""
    plan = model.operator_plan
    assert plan is not None
    segments = []
    for period in time_intervals(model.expected.analysis):
        exact = period.is_constant and not (period.has_diffusion and plan.law is Law.LAPLACE)
        steps = 1 if exact else ceil(period.length / float(plan.step) - 1e-9)
        segments.append(
            PathSegment(period, period.start, period.length / steps, steps, plan.scheme, AddedNoise(plan.law))
        )
    return segments
