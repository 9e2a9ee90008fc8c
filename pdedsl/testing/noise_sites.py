"""The sites of a standard architecture where noise may be added, and the noise required by the equation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch
from torch import Tensor

from pdedsl.config.methods import NoiseDistribution, NormReduction
from pdedsl.ir.noise import BranchNoise, Noise, RandomResidual
from pdedsl.ir.plan import DataPlan, NoiseStep, ResidualBlocks
from pdedsl.testing.path_segments import AddedNoise, NormScaledNoise, noise_model
from pdedsl.testing.paths import ReferenceProcess
from pdedsl.testing.recorded_blocks import RecordedRun
from pdedsl.testing.time_intervals import TimeInterval, interval_with_drift


@dataclass(frozen=True)
class ExpectedNoise:
    """The noise at one site. For `ScaledNoise` the standard deviation is relative to that of the state."""

    std: float
    noise: AddedNoise | NormScaledNoise

    @property
    def law(self) -> NoiseDistribution:
        return self.noise.law


@dataclass(frozen=True)
class NoiseSite:
    """The state before and after a site where noise may be added."""

    name: str
    before: Tensor
    after: Tensor
    expected: ExpectedNoise | None

    @property
    def state(self) -> Tensor:
        """The state before, repeated for every state after: layers before any noise run once for all samples."""
        return torch.cat([self.before] * (len(self.after) // len(self.before)))

    def noise(self, expected: ExpectedNoise) -> Tensor:
        """The added noise divided by its expected standard deviation, (paths, units)."""
        size = torch.tensor(expected.std)
        if isinstance(expected.noise, NormScaledNoise):
            axes = tuple(range(0 if expected.noise.across is NormReduction.BATCH else 1, self.state.dim()))
            size = size * self.state.std(axes, keepdim=True)
        return ((self.after - self.state) / size).flatten(1).double()


def random_residual(plan: DataPlan, intervals: list[TimeInterval]) -> RandomResidual | None:
    """The random residual of the equation, if the noise is on the residual branches."""
    inside = any(isinstance(p, ResidualBlocks) and isinstance(p.noise, BranchNoise) for p in plan.parts)
    return interval_with_drift(intervals).random_residual if inside else None


@dataclass(frozen=True)
class RequiredNoise:
    """The noise required by the equation at each site of a network with `block_count` residual blocks."""

    plan: DataPlan
    intervals: list[TimeInterval]
    process: ReferenceProcess
    block_count: int

    @property
    def at_input(self) -> ExpectedNoise | None:
        """Noise for the time intervals before the residual blocks, in network order."""
        first = next((p.noise for p in self.plan.parts if isinstance(p, NoiseStep)), None)
        return self._expected_noise(self.intervals[: self._drift_index], first)

    @property
    def at_readout(self) -> ExpectedNoise | None:
        """Noise for the time intervals after the residual blocks."""
        return self._expected_noise(self.intervals[self._drift_index + 1 :], self._residual_blocks.before_readout)

    def after_block(self, k: int) -> ExpectedNoise | None:
        """Noise after block k, counted from zero: the diffusion of the same time interval, at the time of the block."""
        if random_residual(self.plan, self.intervals):
            return None
        interval = interval_with_drift(self.intervals)
        h = interval.length / self.block_count
        return self._expected_noise(
            [interval], self._residual_blocks.noise, h, interval.start + self.process.time_sign * k * h
        )

    @property
    def _drift_index(self) -> int:
        return self.intervals.index(interval_with_drift(self.intervals))

    @property
    def _residual_blocks(self) -> ResidualBlocks:
        return next(p for p in self.plan.parts if isinstance(p, ResidualBlocks))

    def _expected_noise(
        self, intervals: Sequence[TimeInterval], noise: Noise | None, h: float | None = None, t: float = 0.0
    ) -> ExpectedNoise | None:
        """√(2νh), since variances add over time intervals; relative noise is √(2ν)·std(x) for any step."""
        noisy = [p for p in intervals if p.has_diffusion]
        if not noisy:
            return None
        by = noise_model(noise, noisy[0])
        assert isinstance(by, AddedNoise | NormScaledNoise)
        lengths = [1.0 if isinstance(by, NormScaledNoise) else h or p.length for p in noisy]
        sizes = [float(self.process.coefficients.number(p.matrix[0][0], np.zeros((1, 1)), t)[0]) for p in noisy]
        return ExpectedNoise(sqrt(sum(2.0 * nu * length for nu, length in zip(sizes, lengths, strict=True))), by)


def noise_sites(run: RecordedRun, required: RequiredNoise) -> list[NoiseSite]:
    """The sites at the input, after each residual block, and before the readout."""
    into = [*(m.call.input for m in run.blocks[1:]), run.head.input]
    return [
        NoiseSite("the input", run.x, run.stem.input, required.at_input),
        NoiseSite("the stem", run.stem.output, run.blocks[0].call.input, None),
        *(
            NoiseSite(f"block {k + 1}", m.call.output, z, required.after_block(k))
            for k, (m, z) in enumerate(zip(run.blocks, into, strict=True))
        ),
        NoiseSite("the features", run.flat.output, run.readout.input, required.at_readout),
    ]
