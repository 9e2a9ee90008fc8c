"""Moment tests of the noise of a standard architecture: variance, whiteness, independence between sites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from math import pi, sqrt

import torch
from torch import Tensor, nn

from pdedsl.config.methods import NoiseDistribution
from pdedsl.config.networks import Torch, count_residual_blocks
from pdedsl.ir.noise import DropoutResidual, RandomResidual, ShakeShakeResidual, StochasticDepthResidual
from pdedsl.ir.plan import DataPlan, NoiseStep, ResidualBlocks
from pdedsl.testing.distributions import SAMPLES_PER_INPUT, enable_training_noise
from pdedsl.testing.model import ModelUnderTest
from pdedsl.testing.moment_tests import Finding, Moments, compare_tensors, untested, violated, worst_of
from pdedsl.testing.noise_sites import NoiseSite, RequiredNoise, noise_sites, random_residual
from pdedsl.testing.paths import process_of
from pdedsl.testing.recorded_blocks import RecordedBlock, RecordedCall, RecordedRun, noise_free_value, record_runs
from pdedsl.testing.time_intervals import TimeInterval, interval_with_drift, time_intervals
from pdedsl.testing.user_networks import count_noisy_blocks, user_noise_sites

RESIDUAL_BLOCKS, NOISE = "residual blocks of model()", "noise of model()"
PATHS_PER_BLOCK_FACTOR, MIN_PATHS = 128, 8  # for one random factor per block, or per unit
MIN_NOISE_SAMPLES = 1 << 12  # at one site
READOUT_FEATURES = 64  # units before the readout
FLOAT32_TOL = 1e-4  # relative


def layer_findings(model: ModelUnderTest, weights: int, seed: int) -> list[Finding]:
    """Tests of the residual blocks and the noise of every member, in evaluation and training mode."""
    plan, intervals = model.expected.plan, time_intervals(model.expected.analysis)
    assert isinstance(plan, DataPlan)
    assert plan.image is not None
    x = torch.rand(1, *plan.image, generator=torch.Generator().manual_seed(seed))
    number, fields = _number_of_paths(plan, intervals), model.fields(weights)
    process = process_of(model, deepcopy(fields))
    made = model.model(weights, fields, seed=seed).float()
    if any(isinstance(p, ResidualBlocks) and isinstance(p.net, Torch) for p in plan.parts):
        return _user_network_findings(
            made, x, number, RequiredNoise(plan, intervals, process, _expected_block_counts(plan)[0])
        )
    try:
        runs = record_runs(made, x, number)
        noisy = record_runs(enable_training_noise(made), x, number)
    except (ValueError, StopIteration) as error:
        return [violated(RESIDUAL_BLOCKS, str(error) or "the network does not consist of residual blocks")]
    maps = _check_residual_blocks(runs, plan)
    if not maps.ok:
        return [maps]
    places = [
        [(run, noise_sites(run, RequiredNoise(plan, intervals, process, len(run.blocks)))) for run in r]
        for r in (runs, noisy)
    ]
    both = [
        NoiseMoments(number).add_members(p, random_residual(plan, intervals), interval_with_drift(intervals).length)
        for p in places
    ]
    return [maps, both[0].finding(NOISE), both[1].finding(f"{NOISE} in training")]


def _user_network_findings(made: nn.Module, x: Tensor, number: int, required: RequiredNoise) -> list[Finding]:
    """Tests of the noise of a user network; its blocks are not tested."""
    if not required.block_count:
        return [untested(RESIDUAL_BLOCKS, "for a user network the equation determines only the noise")]
    deviations = []
    for of, model in ((NOISE, made), (f"{NOISE} in training", enable_training_noise(made))):
        counts, members = count_noisy_blocks(model), user_noise_sites(model, x, number, required)
        if counts != [required.block_count] * len(members):
            return [
                violated(
                    RESIDUAL_BLOCKS,
                    f"expected {required.block_count} residual blocks in each member, found {counts}",
                )
            ]
        deviations.append(NoiseMoments(number).add_members([(None, gaps) for gaps in members], None, 1.0).finding(of))
    return deviations


def _number_of_paths(plan: DataPlan, intervals: list[TimeInterval]) -> int:
    """The number of paths: enough to test the variance of the noise at every site."""
    if isinstance(random_residual(plan, intervals), StochasticDepthResidual | ShakeShakeResidual):
        return PATHS_PER_BLOCK_FACTOR
    last = any(isinstance(p, ResidualBlocks) and p.before_readout for p in plan.parts)
    first = any(isinstance(p, NoiseStep) for p in plan.parts)
    return max(
        MIN_PATHS,
        MIN_NOISE_SAMPLES // READOUT_FEATURES if last else 0,
        MIN_NOISE_SAMPLES // plan.dimension if first else 0,
    )


def _check_residual_blocks(runs: list[RecordedRun], plan: DataPlan) -> Finding:
    """Checks the number of residual blocks, and that each computes x + F(x)."""
    expected, observed = _expected_block_counts(plan), [len(run.blocks) for run in runs]
    if observed != expected:
        return violated(RESIDUAL_BLOCKS, f"expected {expected} residual blocks in the members, found {observed}")
    return worst_of(RESIDUAL_BLOCKS, (f for run in runs for f in _check_sums(run)))


def _expected_block_counts(plan: DataPlan) -> list[int]:
    """The number of residual blocks of each member."""
    return [
        count_residual_blocks(p.net) or 0
        for f in plan.architectures
        for p in f.parts * f.members
        if isinstance(p, ResidualBlocks)
    ]


def _check_sums(run: RecordedRun) -> Iterator[Finding]:
    for k, seen in enumerate(run.blocks, 1):
        expected = noise_free_value(seen)
        if expected is not None:
            yield compare_tensors(RESIDUAL_BLOCKS, f"output of block {k}", expected, seen.call.output, FLOAT32_TOL)


@dataclass
class NoiseMoments:
    """Moments of the noise of all members, and sites that must be noise-free."""

    paths: int
    moments: Moments = field(default_factory=Moments)
    deterministic: list[Finding] = field(default_factory=list)

    def add_members(
        self, places: Sequence[tuple[RecordedRun | None, list[NoiseSite]]], random: RandomResidual | None, length: float
    ) -> NoiseMoments:
        """Adds the sites of each member and, for random residuals, the recorded blocks over a time `length`."""
        self.moments.paths = self.paths
        noises = [self._member(f"member {k}", run, gaps, random, length) for k, (run, gaps) in enumerate(places, 1)]
        for own in noises:
            for a, b in pairwise(own):
                self._product("product of noise at consecutive sites", a, b)
        for ours, others in pairwise(noises):
            for a, b in zip(ours, others, strict=False):
                self._product("product of noise of consecutive members", a, b)
        return self

    def finding(self, of: str) -> Finding:
        violation = next((f for f in self.deterministic if not f.ok), None)
        result = violation or (self.moments.finding(of) if self.moments.count else worst_of(of, self.deterministic))
        return Finding(of, result.outcome, result.note)

    def _member(
        self, member: str, run: RecordedRun | None, gaps: list[NoiseSite], random: RandomResidual | None, length: float
    ) -> list[Tensor]:
        noises = []
        for gap in gaps:
            if gap.expected is None:
                self.deterministic.append(
                    compare_tensors(NOISE, f"no noise after {gap.name}", gap.state, gap.after, FLOAT32_TOL)
                )
            else:
                noises.append(gap.noise(gap.expected))
                self._white(f"noise after {gap.name} of {member}", noises[-1], gap.expected.law)
        if random is None or run is None:
            return noises
        ratio = 2.0 * float(random.strength) * len(run.blocks) / length
        factors = [self._factor(f"block {k} of {member}", s, ratio, random) for k, s in enumerate(run.blocks, 1)]
        if not isinstance(random, DropoutResidual):
            self._moments(f"factors of {member}", torch.cat(factors))
        return [*noises, *factors]

    def _white(self, name: str, w: Tensor, law: NoiseDistribution) -> None:
        """Tests for white noise of variance 1; E|w| distinguishes the normal from the Laplace distribution."""
        rows, units = w.shape
        self._moments(name, w)
        size = sqrt(0.5 if law is NoiseDistribution.LAPLACE else 2 / pi)
        self.moments.add(f"E|w|, {name}", size, w.abs().mean(), _bernstein_error(w.abs(), size))
        self.moments.add(f"mean over one state, {name}", 0.0, w.mean(1), 1.0 / sqrt(units))
        self._product(f"{name}, product of consecutive units", w[:, :-1], w[:, 1:])
        for lag in (1, rows // SAMPLES_PER_INPUT):  # rows of one noise sample, and samples of one row
            self._product(f"{name}, product of two paths", w[:-lag], w[lag:])

    def _moments(self, name: str, w: Tensor) -> None:
        square = w.square()
        self.moments.add(f"mean, {name}", 0.0, w.mean(), _bernstein_error(w, 0.0))
        self.moments.add(
            f"variance relative to the expected one, {name}", 1.0, square.mean(), _bernstein_error(square, 1.0)
        )

    def _product(self, name: str, a: Tensor, b: Tensor) -> None:
        if a.shape == b.shape and a.numel():
            self.moments.add(f"mean, {name}", 0.0, (a * b).mean(), _bernstein_error(a * b, 0.0))

    def _factor(self, name: str, seen: RecordedBlock, ratio: float, random: RandomResidual) -> Tensor:
        """The random factor of a residual branch, standardized by the variance that the equation requires."""
        if not seen.branches or seen.field is None:
            self.deterministic.append(violated(NOISE, f"{name} has no random residual"))
            return torch.zeros(0, 1)
        factor, remainder = _random_factor(seen.field, seen.branches, random)
        self.deterministic.append(
            compare_tensors(NOISE, f"single random factor in {name}", torch.zeros_like(remainder), remainder, 1e-3)
        )
        w = (factor.double() - (0.5 if isinstance(random, ShakeShakeResidual) else 1.0)) / sqrt(ratio)
        if isinstance(random, DropoutResidual):
            self._moments(f"factor of {name}", w)
            self.moments.add(f"mean over one state, factor of {name}", 0.0, w.mean(1), 1.0 / sqrt(w.shape[1]))
        return w


def _bernstein_error(values: Tensor, expected: float) -> Tensor:
    """The standard error of a mean with Bernstein's correction for small samples, √((σ² + b|mean - expected|/3)/n), for
    values at a distance of at most b from the expected one."""
    away, most = (values.mean() - expected).abs(), (values - expected).abs().max()
    return torch.sqrt((values.var() + most * away / 3.0) / values.numel())


def _random_factor(
    field: RecordedCall, inner: tuple[RecordedCall, ...], random: RandomResidual
) -> tuple[Tensor, Tensor]:
    """The factor z of F z, or α of αf + (1-α)g, one per unit or per path; and the unexplained remainder."""
    first, second = inner[0].output.flatten(1), inner[-1].output.flatten(1)
    shared = isinstance(random, ShakeShakeResidual)
    base, along = (second, first - second) if shared else (torch.zeros_like(first), first)
    moved = field.output.flatten(1) - base
    if isinstance(random, DropoutResidual):
        return torch.where(along != 0, moved / along, 1.0), torch.zeros_like(along)
    factor = (moved * along).sum(1, keepdim=True) / along.square().sum(1, keepdim=True)
    return factor, moved - factor * along
