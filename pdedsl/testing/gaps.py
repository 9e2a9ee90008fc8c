"""The places of a named network where noise stands or does not, and which noise the equation wants there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from pdedsl.ir.noise import Inside, Noise, RandomMap
from pdedsl.ir.plan import DataPlan, Maps, Shake
from pdedsl.testing.layers import Run
from pdedsl.testing.legs import Multiples, Numbers, randomness
from pdedsl.testing.periods import Period, moving
from pdedsl.words.diffusions import Law
from pdedsl.words.integrators import Across


@dataclass(frozen=True)
class Expected:
    """The noise at one place. The standard deviation of multiples is in units of the state's own."""

    std: float
    by: Numbers | Multiples

    @property
    def law(self) -> Law:
        return self.by.law


@dataclass(frozen=True)
class Gap:
    """The state before and behind a place where noise may stand."""

    name: str
    before: Tensor
    after: Tensor
    expected: Expected | None

    @property
    def state(self) -> Tensor:
        """The one before, as often as there are states behind: what comes before all noise runs once for all draws."""
        return torch.cat([self.before] * (len(self.after) // len(self.before)))

    def noise(self, expected: Expected) -> Tensor:
        """What was added, in units of what was expected, (paths, units)."""
        size = torch.tensor(expected.std)
        if isinstance(expected.by, Multiples):
            axes = tuple(range(0 if expected.by.across is Across.BATCH else 1, self.state.dim()))
            size = size * self.state.std(axes, keepdim=True)
        return ((self.after - self.state) / size).flatten(1).double()


def random_map(plan: DataPlan, periods: list[Period]) -> RandomMap | None:
    """That of noise which is in the maps, if it is."""
    inside = any(isinstance(p, Maps) and isinstance(p.noise, Inside) for p in plan.parts)
    return moving(periods).random if inside else None


def gaps_of(run: Run, plan: DataPlan, periods: list[Period]) -> list[Gap]:
    """Noise on the input for what comes before the maps in network order, in front of the readout for what comes
    behind them, and between the maps for what is diffused along with them."""
    place = periods.index(moving(periods))
    maps = next(p for p in plan.parts if isinstance(p, Maps))
    first = next((p.noise for p in plan.parts if isinstance(p, Shake)), None)
    h = moving(periods).length / len(run.maps)
    between = None if random_map(plan, periods) else _expected([moving(periods)], maps.noise, h)
    into = [*(m.whole.into for m in run.maps[1:]), run.behind.into]
    last = _expected(periods[place + 1 :], maps.before_readout)
    return [
        Gap("the input", run.start, run.stem.into, _expected(periods[:place], first)),
        Gap("the stem", run.stem.out, run.maps[0].whole.into, None),
        *(Gap(f"map {k}", m.whole.out, z, between) for k, (m, z) in enumerate(zip(run.maps, into, strict=True), 1)),
        Gap("the features", run.flat.out, run.readout.into, last),
    ]


def _expected(periods: Sequence[Period], noise: Noise | None, h: float | None = None) -> Expected | None:
    """√(2νh), added up over pieces of time; relative noise is √(2ν) of the state's own size, whatever the step."""
    noisy = [p for p in periods if p.diffuses]
    if not noisy:
        return None
    by = randomness(noise, noisy[0])
    assert isinstance(by, Numbers | Multiples)
    lengths = [1.0 if isinstance(by, Multiples) else h or p.length for p in noisy]
    total = sum(2.0 * float(p.matrix[0][0]) * length for p, length in zip(noisy, lengths, strict=True))
    return Expected(sqrt(total), by)
