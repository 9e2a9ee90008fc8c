"""The places of a named network where noise may be added, and the noise that the equation requires there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch
from torch import Tensor

from pdedsl.config.methods import Across, Law
from pdedsl.ir.noise import BranchNoise, Noise, RandomResidual
from pdedsl.ir.plan import DataPlan, NoiseStep, ResidualBlocks
from pdedsl.testing.layers import RecordedRun
from pdedsl.testing.paths import ReferenceProcess
from pdedsl.testing.step_runs import AddedNoise, ScaledNoise, noise_model
from pdedsl.testing.time_intervals import TimeInterval, interval_with_drift


@dataclass(frozen=True)
class ExpectedNoise:
    """The noise at one place. For `Multiples` the standard deviation is in units of that of the state."""

    std: float
    by: AddedNoise | ScaledNoise

    @property
    def law(self) -> Law:
        return self.by.law


@dataclass(frozen=True)
class NoiseSite:
    """The state before and after a place where noise may be added."""

    name: str
    before: Tensor
    after: Tensor
    expected: ExpectedNoise | None

    @property
    def state(self) -> Tensor:
        """The state before, repeated for every state after: layers before all noise run once for all draws."""
        return torch.cat([self.before] * (len(self.after) // len(self.before)))

    def noise(self, expected: ExpectedNoise) -> Tensor:
        """The noise that was added, divided by its expected size, (paths, units)."""
        size = torch.tensor(expected.std)
        if isinstance(expected.by, ScaledNoise):
            axes = tuple(range(0 if expected.by.across is Across.BATCH else 1, self.state.dim()))
            size = size * self.state.std(axes, keepdim=True)
        return ((self.after - self.state) / size).flatten(1).double()


def random_residual(plan: DataPlan, periods: list[TimeInterval]) -> RandomResidual | None:
    """The random map of the equation, if its noise is inside the maps."""
    inside = any(isinstance(p, ResidualBlocks) and isinstance(p.noise, BranchNoise) for p in plan.parts)
    return interval_with_drift(periods).random if inside else None


@dataclass(frozen=True)
class RequiredNoise:
    """The noise that the equation requires in a network with `maps` residual maps, place by place."""

    plan: DataPlan
    periods: list[TimeInterval]
    process: ReferenceProcess
    maps: int

    @property
    def at_input(self) -> ExpectedNoise | None:
        """Noise for the pieces of time before the maps in network order."""
        first = next((p.noise for p in self.plan.parts if isinstance(p, NoiseStep)), None)
        return self._expected(self.periods[: self._place], first)

    @property
    def at_readout(self) -> ExpectedNoise | None:
        """Noise for the pieces of time after the maps."""
        return self._expected(self.periods[self._place + 1 :], self._maps.before_readout)

    def behind(self, k: int) -> ExpectedNoise | None:
        """Noise after map k, counted from zero: the diffusion of the same piece of time, at the time of the map."""
        if random_residual(self.plan, self.periods):
            return None
        period = interval_with_drift(self.periods)
        h = period.length / self.maps
        return self._expected([period], self._maps.noise, h, period.first + self.process.clock * k * h)

    @property
    def _place(self) -> int:
        return self.periods.index(interval_with_drift(self.periods))

    @property
    def _maps(self) -> ResidualBlocks:
        return next(p for p in self.plan.parts if isinstance(p, ResidualBlocks))

    def _expected(
        self, periods: Sequence[TimeInterval], noise: Noise | None, h: float | None = None, t: float = 0.0
    ) -> ExpectedNoise | None:
        """√(2νh), as variances add over pieces of time; relative noise is √(2ν) times the state's size for any step."""
        noisy = [p for p in periods if p.diffuses]
        if not noisy:
            return None
        by = noise_model(noise, noisy[0])
        assert isinstance(by, AddedNoise | ScaledNoise)
        lengths = [1.0 if isinstance(by, ScaledNoise) else h or p.length for p in noisy]
        sizes = [float(self.process.reader.number(p.matrix[0][0], np.zeros((1, 1)), t)[0]) for p in noisy]
        return ExpectedNoise(sqrt(sum(2.0 * nu * length for nu, length in zip(sizes, lengths, strict=True))), by)


def noise_sites(run: RecordedRun, wanted: RequiredNoise) -> list[NoiseSite]:
    """The places at the input, between the maps, and before the readout."""
    into = [*(m.whole.into for m in run.maps[1:]), run.behind.into]
    return [
        NoiseSite("the input", run.start, run.stem.into, wanted.at_input),
        NoiseSite("the stem", run.stem.out, run.maps[0].whole.into, None),
        *(
            NoiseSite(f"map {k + 1}", m.whole.out, z, wanted.behind(k))
            for k, (m, z) in enumerate(zip(run.maps, into, strict=True))
        ),
        NoiseSite("the features", run.flat.out, run.readout.into, wanted.at_readout),
    ]
