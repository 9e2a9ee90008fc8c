"""The places of a named network where noise stands or does not, and which noise the equation wants there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from pdedsl.ir.plan import DataPlan, Maps, Noise, Shake
from pdedsl.ir.representation import Paths, Stretch
from pdedsl.testing.layers import Run
from pdedsl.testing.paths import Law, law_of
from pdedsl.words.integrators import Across

INSIDE: tuple[Law, ...] = ("dropout", "depth", "shake")


@dataclass(frozen=True)
class Expected:
    """The noise at one place. The standard deviation of relative noise is in units of the state's own."""

    std: float
    law: Law
    across: Across = Across.SAMPLE


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
        if expected.law == "relative":
            axes = tuple(range(0 if expected.across is Across.BATCH else 1, self.state.dim()))
            size = size * self.state.std(axes, keepdim=True)
        return ((self.after - self.state) / size).flatten(1).double()


def law_inside(plan: DataPlan) -> Law | None:
    """The law of noise that is in the maps, if it is."""
    laws = [law_of(p.noise) for p in plan.parts if isinstance(p, Maps) and p.noise]
    return next((law for law in laws if law in INSIDE), None)


def moving(paths: Paths) -> Stretch:
    """The piece of time of which the maps are the steps."""
    return next(s for s in paths.stretches if s.moves)


def gaps_of(run: Run, plan: DataPlan, paths: Paths) -> list[Gap]:
    """Noise on the input for what comes before the maps in network order, in front of the readout for what comes
    behind them, and between the maps for what is diffused along with them."""
    place = paths.stretches.index(moving(paths))
    maps = next(p for p in plan.parts if isinstance(p, Maps))
    first = next((p.noise for p in plan.parts if isinstance(p, Shake)), None)
    h = float(moving(paths).length) / len(run.maps)
    between = None if law_inside(plan) else _expected([moving(paths)], maps.noise, h)
    into = [*(m.whole.into for m in run.maps[1:]), run.behind.into]
    last = _expected(paths.stretches[place + 1 :], maps.before_readout)
    return [
        Gap("the input", run.start, run.stem.into, _expected(paths.stretches[:place], first)),
        Gap("the stem", run.stem.out, run.maps[0].whole.into, None),
        *(Gap(f"map {k}", m.whole.out, z, between) for k, (m, z) in enumerate(zip(run.maps, into, strict=True), 1)),
        Gap("the features", run.flat.out, run.readout.into, last),
    ]


def _expected(stretches: Sequence[Stretch], noise: Noise | None, h: float | None = None) -> Expected | None:
    """√(2νh), added up over pieces of time; relative noise is √(2ν) of the state's own size, whatever the step."""
    noisy = [s for s in stretches if s.shape != "none"]
    if not noisy:
        return None
    law = law_of(noise)
    lengths = [1.0 if law == "relative" else h or float(s.length) for s in noisy]
    total = sum(2.0 * float(s.diffusivity[0][0]) * length for s, length in zip(noisy, lengths, strict=True))
    return Expected(sqrt(total), law, noise.across if noise else Across.SAMPLE)
