"""Checks the noise of a named network against the equation: its size, that it is white, and new at every place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from math import pi, sqrt

import torch
from torch import Tensor, nn

from pdedsl.config.methods import Law
from pdedsl.config.networks import Torch, residual_maps
from pdedsl.ir.noise import DropoutResidual, RandomResidual, ShakeShakeResidual, StochasticDepthResidual
from pdedsl.ir.plan import DataPlan, NoiseStep, ResidualBlocks
from pdedsl.testing.distributions import DRAWS, in_training
from pdedsl.testing.layers import MapSeen, Run, Seen, plain, runs_of
from pdedsl.testing.model import ModelUnderTest
from pdedsl.testing.moments import Finding, Moments, Outcome, same, untested, worst_of
from pdedsl.testing.noise_sites import NoiseSite, Wanted, gaps_of, random_map
from pdedsl.testing.paths import process_of
from pdedsl.testing.time_intervals import Period, moving, periods_of
from pdedsl.testing.user_networks import own_gaps, own_maps

MAPS, NOISE = "residual maps of model()", "noise of model()"
MANY, FEW = 128, 8  # paths, if each draws one number per map, and if it draws one per unit
UNITS = 1 << 12  # random numbers at one place
FEATURES = 64  # before a readout
SINGLE = 1e-4  # tolerance for numbers in single precision


def layer_findings(model: ModelUnderTest, weights: int, seed: int) -> list[Finding]:
    """Findings on the residual maps and the noise of every member, in evaluation and in training."""
    plan, periods = model.expected.plan, periods_of(model.expected.analysis)
    assert isinstance(plan, DataPlan)
    assert plan.image is not None
    x = torch.rand(1, *plan.image, generator=torch.Generator().manual_seed(seed))
    number, fields = _paths(plan, periods), model.fields(weights)
    process = process_of(model, deepcopy(fields))
    made = model.model(weights, fields, seed=seed).float()
    if any(isinstance(p, ResidualBlocks) and isinstance(p.net, Torch) for p in plan.parts):
        return _of_own(made, x, number, Wanted(plan, periods, process, _expected_maps(plan)[0]))
    try:
        runs = runs_of(made, x, number)
        noisy = runs_of(in_training(made), x, number)
    except (ValueError, StopIteration) as error:
        return [Finding(MAPS, Outcome.BROKEN, str(error) or "this network is not made of residual maps")]
    maps = _maps(runs, plan)
    if not maps.ok:
        return [maps]
    places = [[(run, gaps_of(run, Wanted(plan, periods, process, len(run.maps)))) for run in r] for r in (runs, noisy)]
    both = [Evidence(number).of(p, random_map(plan, periods), moving(periods).length) for p in places]
    return [maps, both[0].finding(NOISE), both[1].finding(f"{NOISE} in training")]


def _of_own(made: nn.Module, x: Tensor, number: int, wanted: Wanted) -> list[Finding]:
    """The noise in the user's own network; its maps are not checked."""
    if not wanted.maps:
        return [untested(MAPS, "of a network of your own the equation says nothing but its noise")]
    found = []
    for of, model in ((NOISE, made), (f"{NOISE} in training", in_training(made))):
        counts, members = own_maps(model), own_gaps(model, x, number, wanted)
        if counts != [wanted.maps] * len(members):
            return [Finding(MAPS, Outcome.BROKEN, f"expected {wanted.maps} maps in each member, found {counts}")]
        found.append(Evidence(number).of([(None, gaps) for gaps in members], None, 1.0).finding(of))
    return found


def _paths(plan: DataPlan, periods: list[Period]) -> int:
    """The number of paths: enough to test the variance of the noise at every place."""
    if isinstance(random_map(plan, periods), StochasticDepthResidual | ShakeShakeResidual):
        return MANY
    last = any(isinstance(p, ResidualBlocks) and p.before_readout for p in plan.parts)
    first = any(isinstance(p, NoiseStep) for p in plan.parts)
    return max(FEW, UNITS // FEATURES if last else 0, UNITS // plan.dimension if first else 0)


def _maps(runs: list[Run], plan: DataPlan) -> Finding:
    """Checks the number of maps, and that each adds the value of its field to its state."""
    expected, found = _expected_maps(plan), [len(run.maps) for run in runs]
    if found != expected:
        return Finding(MAPS, Outcome.BROKEN, f"expected {expected} maps in the members, found {found}")
    return worst_of(MAPS, (f for run in runs for f in _sums(run)))


def _expected_maps(plan: DataPlan) -> list[int]:
    """The number of residual maps of each member."""
    return [
        residual_maps(p.net) or 0 for f in plan.families for p in f.parts * f.members if isinstance(p, ResidualBlocks)
    ]


def _sums(run: Run) -> Iterator[Finding]:
    for k, seen in enumerate(run.maps, 1):
        expected = plain(seen)
        if expected is not None:
            yield same(MAPS, f"the value of map {k}", expected, seen.whole.out, SINGLE)


@dataclass
class Evidence:
    """Evidence on the noise of the members: moments, and places where there must be none."""

    paths: int
    moments: Moments = field(default_factory=Moments)
    silent: list[Finding] = field(default_factory=list)

    def of(
        self, places: Sequence[tuple[Run | None, list[NoiseSite]]], random: RandomResidual | None, length: float
    ) -> Evidence:
        """Adds the places of each member and, if its maps are random, the recorded maps over a time `length`."""
        self.moments.paths = self.paths
        noises = [self._member(f"member {k}", run, gaps, random, length) for k, (run, gaps) in enumerate(places, 1)]
        for own in noises:
            for a, b in pairwise(own):
                self._product("noise at one place times that at the next", a, b)
        for ours, others in pairwise(noises):
            for a, b in zip(ours, others, strict=False):
                self._product("noise of one member times that of the next", a, b)
        return self

    def finding(self, of: str) -> Finding:
        broken = next((f for f in self.silent if not f.ok), None)
        found = broken or (self.moments.finding(of) if self.moments.count else worst_of(of, self.silent))
        return Finding(of, found.outcome, found.note)

    def _member(
        self, member: str, run: Run | None, gaps: list[NoiseSite], random: RandomResidual | None, length: float
    ) -> list[Tensor]:
        noises = []
        for gap in gaps:
            if gap.expected is None:
                self.silent.append(same(NOISE, f"no noise behind {gap.name}", gap.state, gap.after, SINGLE))
            else:
                noises.append(gap.noise(gap.expected))
                self._white(f"noise behind {gap.name} of {member}", noises[-1], gap.expected.law)
        if random is None or run is None:
            return noises
        ratio = 2.0 * float(random.strength) * len(run.maps) / length
        factors = [self._factor(f"map {k} of {member}", s, ratio, random) for k, s in enumerate(run.maps, 1)]
        if not isinstance(random, DropoutResidual):
            self._moments(f"factors of {member}", torch.cat(factors))
        return [*noises, *factors]

    def _white(self, name: str, w: Tensor, law: Law) -> None:
        """Tests for independent numbers of mean 0 and variance 1; E|w| tells the normal law from that of Laplace."""
        rows, units = w.shape
        self._moments(name, w)
        size = sqrt(0.5 if law is Law.LAPLACE else 2 / pi)
        self.moments.add(f"E|w|, {name}", size, w.abs().mean(), _error(w.abs(), size))
        self.moments.add(f"mean over one state, {name}", 0.0, w.mean(1), 1.0 / sqrt(units))
        self._product(f"{name}, one unit times the next", w[:, :-1], w[:, 1:])
        for apart in (1, rows // DRAWS):  # rows of one draw, and draws of one row
            self._product(f"{name}, one path times another", w[:-apart], w[apart:])

    def _moments(self, name: str, w: Tensor) -> None:
        square = w.square()
        self.moments.add(f"mean, {name}", 0.0, w.mean(), _error(w, 0.0))
        self.moments.add(f"variance as a share of the expected one, {name}", 1.0, square.mean(), _error(square, 1.0))

    def _product(self, name: str, a: Tensor, b: Tensor) -> None:
        if a.shape == b.shape and a.numel():
            self.moments.add(f"mean, {name}", 0.0, (a * b).mean(), _error(a * b, 0.0))

    def _factor(self, name: str, seen: MapSeen, ratio: float, random: RandomResidual) -> Tensor:
        """The random factor of a map's velocity, centred and scaled; ½h times its variance is given by the equation."""
        if not seen.inner or seen.field is None:
            self.silent.append(Finding(NOISE, Outcome.BROKEN, f"{name} has no random field"))
            return torch.zeros(0, 1)
        share, rest = _share(seen.field, seen.inner, random)
        self.silent.append(same(NOISE, f"one factor is random in {name}", torch.zeros_like(rest), rest, 1e-3))
        w = (share.double() - (0.5 if isinstance(random, ShakeShakeResidual) else 1.0)) / sqrt(ratio)
        if isinstance(random, DropoutResidual):
            self._moments(f"factor of {name}", w)
            self.moments.add(f"mean over one state, factor of {name}", 0.0, w.mean(1), 1.0 / sqrt(w.shape[1]))
        return w


def _error(values: Tensor, expected: float) -> Tensor:
    """The error of a mean by Bernstein's inequality, which also holds for few values: √((σ² + b|mean - expected|/3)/n)
    for values at a distance of at most b from the expected one."""
    away, most = (values.mean() - expected).abs(), (values - expected).abs().max()
    return torch.sqrt((values.var() + most * away / 3.0) / values.numel())


def _share(field: Seen, inner: tuple[Seen, ...], random: RandomResidual) -> tuple[Tensor, Tensor]:
    """The factor z of F z, or α of αf + (1-α)g, one per unit or per path; and the rest that it does not explain."""
    first, second = inner[0].out.flatten(1), inner[-1].out.flatten(1)
    shared = isinstance(random, ShakeShakeResidual)
    base, along = (second, first - second) if shared else (torch.zeros_like(first), first)
    moved = field.out.flatten(1) - base
    if isinstance(random, DropoutResidual):
        return torch.where(along != 0, moved / along, 1.0), torch.zeros_like(along)
    share = (moved * along).sum(1, keepdim=True) / along.square().sum(1, keepdim=True)
    return share, moved - share * along
