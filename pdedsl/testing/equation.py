"""Checks that a network is *that of its equation*, and not only one that satisfies its axioms.

    from pdedsl.testing import equation
    equation.assert_holds(pdedsl.compile("my.pde"))

Expected values come from the analysis of the spec: drift and matrix at points and times, and for feature maps the
right-hand side. Random quantities are compared by moments, with a false-alarm rate stated for each finding.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import torch
from torch import Tensor, nn

from pdedsl.compiler import Compilation
from pdedsl.ir.plan import BaseNetwork, CrossEntropy, DataPlan, ImagePlan, ResidualBlocks, SolvePlan
from pdedsl.testing.averages import AGREEMENT, AVERAGE, agreement_finding, average_finding
from pdedsl.testing.blocks import BLOCK, block_finding
from pdedsl.testing.coefficients import NotEvaluable
from pdedsl.testing.distributions import (
    SAMPLES_PER_INPUT,
    check_uncorrelated,
    compare_moments,
    enable_training_noise,
    endpoints_of_model,
    endpoints_of_operator,
    expected_endpoints,
    repeat_points,
    set_samples,
    simulate_paths,
)
from pdedsl.testing.feynman_kac_weights import WEIGHTS, weights_finding
from pdedsl.testing.generator import GENERATOR, generator_finding
from pdedsl.testing.model import Fields, ModelUnderTest, under_test
from pdedsl.testing.moments import Finding, Moments, Outcome, standard_error, untested
from pdedsl.testing.noises import NOISE, RESIDUAL_BLOCKS, layer_findings
from pdedsl.testing.operators import DEFAULT_DIMENSION, EvolutionUnderTest, evolution_of
from pdedsl.testing.paths import ReferenceProcess, process_of
from pdedsl.testing.residuals import EXACT, RESIDUALS, exact_findings, residual_findings
from pdedsl.testing.step_runs import AddedNoise, Mismatch, PathSegment, model_segments, operator_segments
from pdedsl.testing.steps import STEPS, steps_finding
from pdedsl.testing.time_intervals import time_condition, time_intervals

MODEL, LAW = "model()", "law of model()"
OPERATOR, SOLUTION = "law of operator()", "u of model()"
POINTS = 2
MAX_FIELD_EVALUATIONS, MAX_FORMULA_EVALUATIONS = 1 << 16, 1 << 21  # most steps along a field, over all paths of a law
MIN_PATHS, MAX_PATHS = 512, 1 << 14  # paths
MAX_WEIGHTED_PATHS = 1 << 12  # paths whose weights are compared
MAX_STATE_ENTRIES = 1 << 21  # most numbers in all states of a law
GENERATOR_PATHS, MAX_STEP_PATHS = (
    1 << 14,
    1 << 12,
)  # paths for one step of the operator, and for each step of the network


@dataclass(frozen=True)
class Check:
    """A question about the network: the names of the findings that answer it, and how to obtain them."""

    names: tuple[str, ...]
    run: Callable[[], Iterable[Finding]]

    def findings(self) -> tuple[Finding, ...]:
        try:
            return tuple(self.run())
        except NotEvaluable as error:
            return (untested(self.names[0], str(error)),)
        except Mismatch as error:
            return (Finding(self.names[0], Outcome.BROKEN, str(error)),)


def checks(model: Compilation | ModelUnderTest, seed: int = 0) -> tuple[Check, ...]:
    """All questions that can be asked about the compiled network."""
    tested = under_test(model)
    plan = tested.expected.plan
    if isinstance(plan, ImagePlan):
        return (Check((BLOCK,), lambda: [block_finding(tested, seed)]),)
    if isinstance(plan, SolvePlan):
        return _domain_checks(tested, plan, seed)
    return tuple(_data_space_checks(DataSpaceTest.of(tested, plan, seed)))


def _domain_checks(tested: ModelUnderTest, plan: SolvePlan, seed: int) -> tuple[Check, ...]:
    return (
        Check((RESIDUALS,), lambda: residual_findings(tested, plan, seed)),
        Check((EXACT,), lambda: exact_findings(tested, plan, seed)),
    )


def check(model: Compilation | ModelUnderTest, seed: int = 0, of: Container[str] | None = None) -> tuple[Finding, ...]:
    """The answers to all questions, or to those that give one of the findings `of`."""
    asked = [c for c in checks(model, seed) if of is None or any(name in of for name in c.names)]
    return tuple(finding for c in asked for finding in c.findings())


def assert_holds(model: Compilation | ModelUnderTest, seed: int = 0) -> None:
    """For your own tests: raises AssertionError with the first finding that fails."""
    for finding in check(model, seed):
        assert finding.ok, f"{finding.name}: not that of the equation\n{finding.note}"


@dataclass(frozen=True)
class DataSpaceTest:
    """A model on a data space, with the fields and points of one seed."""

    model: ModelUnderTest
    plan: DataPlan
    fields: Fields
    process: ReferenceProcess
    x: Tensor
    seed: int

    @classmethod
    def of(cls, model: ModelUnderTest, plan: DataPlan, seed: int) -> DataSpaceTest:
        dimension = model.expected.spec.space.dimension
        size = dimension if isinstance(dimension, int) else DEFAULT_DIMENSION
        x = torch.randn(POINTS, size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        fields = model.fields(seed)
        return cls(model, plan, fields, process_of(model, fields), x, seed)

    def paths(self, legs: list[PathSegment]) -> int:
        """The number of paths: as many as are affordable, and no more than needed.

        About a hundred moments at a false-alarm rate of 1e-6 allow z = 5.7, and a mistake is missed with probability
        1e-6 if it is another 4.8 away. With two samples of n = 16384, means then detect a shift of
        10.5 √(2/n) = 0.12 standard deviations, and variances a change of 10.5 √(4/n) = 16 %; noise that is 20 % too
        large or too small changes them by 44 % and 36 %.
        """
        steps = POINTS * sum(leg.steps for leg in legs)
        most = min(
            (MAX_FIELD_EVALUATIONS if self.fields else MAX_FORMULA_EVALUATIONS) // max(1, steps),
            MAX_STATE_ENTRIES // self.x.numel(),
            MAX_PATHS,
        )
        return max(MIN_PATHS, most) if any(leg.random for leg in legs) else 1

    @property
    def is_random(self) -> bool:
        return any(p.has_diffusion for p in time_intervals(self.model.expected.analysis))

    def module(self) -> nn.Module:
        return self.model.model(self.seed, self.fields, self.seed)

    def flow(self, samples: int) -> EvolutionUnderTest:
        return evolution_of(self.model, self.model.operator(self.seed, self.fields, max(2, samples), self.seed))

    @property
    def inputs(self) -> Tensor:
        return self.x.reshape(-1, *(self.plan.image or (self.x.shape[-1],)))


def _data_space_checks(q: DataSpaceTest) -> Iterator[Check]:
    if not isinstance(q.plan.objective, CrossEntropy):
        why = "it is trained to satisfy the equation: whether it does is in its weights"
        yield Check((MODEL,), lambda: [untested(MODEL, why)])
    elif any(isinstance(p, ResidualBlocks) for p in q.plan.parts):
        yield Check(
            (RESIDUAL_BLOCKS, NOISE, training_check_name(NOISE)), lambda: layer_findings(q.model, q.seed, q.seed)
        )
        yield Check((AVERAGE,), lambda: [average_finding(q.model.model(q.seed).float(), q.plan, q.inputs.float())])
    elif q.plan.classes is not None:
        yield from _model_checks(q)
    if q.model.operator_plan is not None:
        yield from _operator_checks(q)


def _model_checks(q: DataSpaceTest) -> Iterator[Check]:
    """Questions about the network's paths, their steps and their ends, and about its average."""
    yield Check((STEPS,), lambda: [_check_steps(q, q.module())])
    yield Check((LAW,), lambda: [_check_distribution(q)])
    if q.is_random:
        training = training_check_name(STEPS)
        yield Check((training,), lambda: [replace(_check_steps(q, enable_training_noise(q.module())), name=training)])
    yield Check((AVERAGE,), lambda: [average_finding(q.model.model(q.seed), q.plan, q.inputs)])


def _operator_checks(q: DataSpaceTest) -> Iterator[Check]:
    """Questions about the operator's steps, the ends and weights of its paths, and its agreement with the network."""
    yield Check(
        (GENERATOR,), lambda: [generator_finding(q.flow(GENERATOR_PATHS), q.process, operator_segments(q.model), q.x)]
    )
    yield Check((OPERATOR,), lambda: [_check_operator_distribution(q)])
    if any(p.has_weight for p in time_intervals(q.model.expected.analysis)):
        yield Check((WEIGHTS,), lambda: [_check_weights(q)])
    if q.plan.classes is None:
        yield Check((SOLUTION,), lambda: [_check_solution(q)])
    elif isinstance(q.plan.objective, CrossEntropy):
        yield Check((AGREEMENT,), lambda: [_check_agreement(q)])


def training_check_name(of: str) -> str:
    return f"{of} in training"


def _check_steps(q: DataSpaceTest, made: nn.Module) -> Finding:
    legs = model_segments(q.model)
    return steps_finding(made, q.process, legs, q.inputs, min(q.paths(legs), MAX_STEP_PATHS))


def _check_distribution(q: DataSpaceTest) -> Finding:
    """Compares where the paths of every member end, and whether members and draws have independent noise."""
    legs, moments = model_segments(q.model), Moments()
    paths, based = q.paths(legs), any(isinstance(p, BaseNetwork) for p in q.plan.parts)
    expected = expected_endpoints(q.process, q.x, legs, paths, q.seed)
    members = endpoints_of_model(q.module(), q.inputs, paths, based)
    for k, ends in enumerate(members, 1):
        compare_moments(moments, f"member {k}", expected, ends, max(leg.error_allowance for leg in legs))
    for k, (ends, others) in enumerate(pairwise(members), 1):
        check_uncorrelated(moments, f"members {k} and {k + 1}", ends, others)
    for first, second in pairwise(members[0].chunk(SAMPLES_PER_INPUT)):
        check_uncorrelated(moments, "two draws", first, second)
    return moments.finding(LAW)


def _check_operator_distribution(q: DataSpaceTest) -> Finding:
    legs = operator_segments(q.model)
    paths, moments = q.paths(legs), Moments()
    flow = q.flow(paths)
    expected = expected_endpoints(q.process, q.x, legs, paths, q.seed)
    compare_moments(moments, "the paths", expected, endpoints_of_operator(flow, q.x, flow.start, flow.end))
    return moments.finding(OPERATOR)


def _check_weights(q: DataSpaceTest) -> Finding:
    legs = operator_segments(q.model)
    paths = min(q.paths(legs), MAX_WEIGHTED_PATHS)
    return weights_finding(q.flow(paths), q.process, legs, q.x, paths, q.seed)


def _use_same_scheme(q: DataSpaceTest) -> bool:
    """Whether network and operator use the same scheme: then their means agree exactly, and not only in the limit.

    Pieces in which nothing moves are ignored: there one step is as good as many.
    """
    ours, theirs = (
        [(leg.interval, leg.steps) for leg in legs if leg.interval.has_drift]
        for legs in _model_and_operator_segments(q)
    )
    return ours == theirs and all(leg.noise == AddedNoise() for leg in model_segments(q.model))


def _model_and_operator_segments(q: DataSpaceTest) -> tuple[list[PathSegment], list[PathSegment]]:
    return model_segments(q.model), operator_segments(q.model)


def _check_agreement(q: DataSpaceTest) -> Finding:
    if not _use_same_scheme(q):
        return untested(AGREEMENT, "their steps differ: each is compared in law")
    paths = q.paths(operator_segments(q.model))
    flow, made = q.flow(paths), set_samples(q.module())
    return agreement_finding(
        made, flow, repeat_points(q.inputs, paths), q.x, flow.end if q.process.time_sign < 0 else flow.start
    )


def _check_solution(q: DataSpaceTest) -> Finding:
    """u of `model()` if the spec gives the data, against the mean of the data over the expected paths.

    The network draws new noise for every row, so a point that is repeated gives independent paths.
    """
    legs, plan = operator_segments(q.model), q.model.operator_plan
    assert plan is not None
    ends = simulate_paths(q.process, q.x, legs, q.paths(legs), q.seed)
    data = q.process.coefficients.number(time_condition(q.model.expected.spec).value[0], ends.x, 0.0)
    values = torch.from_numpy(ends.value(data)).reshape(-1, POINTS)
    times = -(-len(values) // plan.samples)
    with torch.no_grad():
        found = q.module()(q.x.repeat(times, 1)).reshape(times, POINTS).mean(0)
    moments = Moments(paths=times * plan.samples)
    share = 1.0 + len(values) / moments.paths  # the variance of a difference of two means, in units of that of one
    moments.add("u", values.mean(0), found, standard_error(values) * share**0.5)
    return moments.finding(SOLUTION)
