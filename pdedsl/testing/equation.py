"""Tests that a network discretizes its equation: moment tests of steps, endpoints, weights and noise.

    from pdedsl.testing import equation
    equation.assert_holds(pdedsl.compile("my.pde"))

Expected values come from the analysis of the spec: drift and diffusion matrix at points and times, and for feature maps
the right-hand side. Random quantities are compared by moment tests at a stated false-positive rate.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import torch
from torch import Tensor, nn

from pdedsl.compiler import Compilation
from pdedsl.config.training import Loss
from pdedsl.ir.plan import BaseNetwork, DataPlan, ImagePlan, MemberCrossEntropy, ResidualBlocks, SolvePlan
from pdedsl.testing.block_reference import BLOCK, block_finding
from pdedsl.testing.coefficients import CoefficientNotEvaluable
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
from pdedsl.testing.ensemble_average import AGREEMENT, AVERAGE, agreement_finding, average_finding
from pdedsl.testing.feynman_kac_weights import WEIGHTS, weights_finding
from pdedsl.testing.generator import GENERATOR, generator_finding
from pdedsl.testing.model import Fields, ModelUnderTest, under_test
from pdedsl.testing.moment_tests import Finding, Moments, standard_error, untested, violated
from pdedsl.testing.noise_moments import NOISE, RESIDUAL_BLOCKS, layer_findings
from pdedsl.testing.operators import DEFAULT_DIMENSION, EvolutionUnderTest, evolution_of
from pdedsl.testing.path_segments import AddedNoise, Mismatch, PathSegment, model_segments, operator_segments
from pdedsl.testing.paths import ReferenceProcess, process_of
from pdedsl.testing.residuals import EXACT, RESIDUALS, exact_findings, residual_findings
from pdedsl.testing.step_moments import STEPS, steps_finding
from pdedsl.testing.time_intervals import time_condition, time_intervals

__all__ = ["assert_holds", "check"]

MODEL, LAW = "model()", "endpoint distribution of model()"
OPERATOR, SOLUTION = "endpoint distribution of operator()", "solution u of model()"
POINTS = 2  # starting points of paths
MAX_FIELD_EVALUATIONS, MAX_FORMULA_EVALUATIONS = 1 << 16, 1 << 21  # steps times paths of one test
MIN_PATHS, MAX_PATHS = 512, 1 << 14  # of a moment test
MAX_WEIGHTED_PATHS = 1 << 12  # paths of the test of weights
MAX_STATE_ENTRIES = 1 << 21  # states of all paths
GENERATOR_PATHS = 1 << 14  # for one step of the operator
MAX_STEP_PATHS = 1 << 12  # for one step of the network


@dataclass(frozen=True)
class Check:
    """A test of the network: the names of its findings, and the function that computes them."""

    names: tuple[str, ...]
    run: Callable[[], Iterable[Finding]]

    def findings(self) -> tuple[Finding, ...]:
        try:
            return tuple(self.run())
        except CoefficientNotEvaluable as error:
            return (untested(self.names[0], str(error)),)
        except Mismatch as error:
            return (violated(self.names[0], str(error)),)


def checks(model: Compilation | ModelUnderTest, seed: int = 0) -> tuple[Check, ...]:
    """All tests that apply to the compiled network."""
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
    """Test that a compiled network discretizes its equation.

    Args:
        model: a `Compilation`, or `package(folder)` of `pdedsl.testing.model`.
        seed: seed of points and noise.
        of: names of the tests to run; None for all.

    Returns:
        The findings: name, outcome and evidence of each test.

    Example:
        >>> import pdedsl
        >>> from pdedsl.testing import equation
        >>> all(finding.ok for finding in equation.check(pdedsl.compile("resnet")))
        True
    """
    selected = [c for c in checks(model, seed) if of is None or any(name in of for name in c.names)]
    return tuple(finding for c in selected for finding in c.findings())


def assert_holds(model: Compilation | ModelUnderTest, seed: int = 0) -> None:
    """Like `check`, for use in test suites.

    Args:
        model: a `Compilation`, or `package(folder)` of `pdedsl.testing.model`.
        seed: seed of points and noise.

    Raises:
        AssertionError: with the first test in which the network differs from the equation.

    Example:
        >>> import pdedsl
        >>> from pdedsl.testing import equation
        >>> equation.assert_holds(pdedsl.compile("resnet"))
    """
    for finding in check(model, seed):
        assert finding.ok, f"{finding.name}: differs from the equation\n{finding.note}"


@dataclass(frozen=True)
class DataSpaceTest:
    """A model on a data space, with learned fields and points from one seed."""

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

    def paths(self, segments: list[PathSegment]) -> int:
        """The number of paths, from the required power and the cost.

        About a hundred moments at a false-positive rate of 1e-6 allow z = 5.7; an error of another 4.8 standard errors
        has a false-negative rate of 1e-6. With two samples of n = 16384, means then detect a shift of
        10.5 √(2/n) = 0.12 standard deviations, and variances a change of 10.5 √(4/n) = 16 %; noise that is 20 % too
        large or too small changes them by 44 % and 36 %.
        """
        steps = POINTS * sum(s.steps for s in segments)
        most = min(
            (MAX_FIELD_EVALUATIONS if self.fields else MAX_FORMULA_EVALUATIONS) // max(1, steps),
            MAX_STATE_ENTRIES // self.x.numel(),
            MAX_PATHS,
        )
        return max(MIN_PATHS, most) if any(s.random for s in segments) else 1

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
    if not isinstance(q.plan.objective, Loss | MemberCrossEntropy):
        why = "the network is trained to satisfy the equation, which depends on its weights"
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
    """Tests of the steps and endpoints of the network's paths, and of its average."""
    yield Check((STEPS,), lambda: [_check_steps(q, q.module())])
    yield Check((LAW,), lambda: [_check_distribution(q)])
    if q.is_random:
        training = training_check_name(STEPS)
        yield Check((training,), lambda: [replace(_check_steps(q, enable_training_noise(q.module())), name=training)])
    yield Check((AVERAGE,), lambda: [average_finding(q.model.model(q.seed), q.plan, q.inputs)])


def _operator_checks(q: DataSpaceTest) -> Iterator[Check]:
    """Tests of the operator's steps, endpoints and weights, and of its agreement with the network."""
    yield Check(
        (GENERATOR,), lambda: [generator_finding(q.flow(GENERATOR_PATHS), q.process, operator_segments(q.model), q.x)]
    )
    yield Check((OPERATOR,), lambda: [_check_operator_distribution(q)])
    if any(p.has_weight for p in time_intervals(q.model.expected.analysis)):
        yield Check((WEIGHTS,), lambda: [_check_weights(q)])
    if q.plan.classes is None:
        yield Check((SOLUTION,), lambda: [_check_solution(q)])
    elif isinstance(q.plan.objective, Loss | MemberCrossEntropy):
        yield Check((AGREEMENT,), lambda: [_check_agreement(q)])


def training_check_name(of: str) -> str:
    return f"{of} in training"


def _check_steps(q: DataSpaceTest, model: nn.Module) -> Finding:
    segments = model_segments(q.model)
    return steps_finding(model, q.process, segments, q.inputs, min(q.paths(segments), MAX_STEP_PATHS))


def _check_distribution(q: DataSpaceTest) -> Finding:
    """Compares the endpoints of every member, and tests that members and noise samples are independent."""
    segments, moments = model_segments(q.model), Moments()
    paths, based = q.paths(segments), any(isinstance(p, BaseNetwork) for p in q.plan.parts)
    expected = expected_endpoints(q.process, q.x, segments, paths, q.seed)
    members = endpoints_of_model(q.module(), q.inputs, paths, based)
    for k, ends in enumerate(members, 1):
        compare_moments(moments, f"member {k}", expected, ends, max(s.error_allowance for s in segments))
    for k, (ends, others) in enumerate(pairwise(members), 1):
        check_uncorrelated(moments, f"members {k} and {k + 1}", ends, others)
    for first, second in pairwise(members[0].chunk(SAMPLES_PER_INPUT)):
        check_uncorrelated(moments, "two noise samples", first, second)
    return moments.finding(LAW)


def _check_operator_distribution(q: DataSpaceTest) -> Finding:
    segments = operator_segments(q.model)
    paths, moments = q.paths(segments), Moments()
    flow = q.flow(paths)
    expected = expected_endpoints(q.process, q.x, segments, paths, q.seed)
    compare_moments(moments, "the paths", expected, endpoints_of_operator(flow, q.x, flow.start, flow.end))
    return moments.finding(OPERATOR)


def _check_weights(q: DataSpaceTest) -> Finding:
    segments = operator_segments(q.model)
    paths = min(q.paths(segments), MAX_WEIGHTED_PATHS)
    return weights_finding(q.flow(paths), q.process, segments, q.x, paths, q.seed)


def _use_same_scheme(q: DataSpaceTest) -> bool:
    """Whether network and operator use the same scheme, so that their means agree exactly.

    Intervals without drift are ignored: there one step is exact.
    """
    ours, theirs = (
        [(segment.interval, segment.steps) for segment in segments if segment.interval.has_drift]
        for segments in _model_and_operator_segments(q)
    )
    return ours == theirs and all(s.noise == AddedNoise() for s in model_segments(q.model))


def _model_and_operator_segments(q: DataSpaceTest) -> tuple[list[PathSegment], list[PathSegment]]:
    return model_segments(q.model), operator_segments(q.model)


def _check_agreement(q: DataSpaceTest) -> Finding:
    if not _use_same_scheme(q):
        return untested(AGREEMENT, "their steps differ: each is compared by its endpoint distribution")
    paths = q.paths(operator_segments(q.model))
    flow, made = q.flow(paths), set_samples(q.module())
    return agreement_finding(
        made, flow, repeat_points(q.inputs, paths), q.x, flow.end if q.process.time_sign < 0 else flow.start
    )


def _check_solution(q: DataSpaceTest) -> Finding:
    """Compares u of `model()`, if the spec gives the data, with the mean of the data over reference paths.

    The network uses independent noise for every row, so repeated points give independent paths.
    """
    segments, plan = operator_segments(q.model), q.model.operator_plan
    assert plan is not None
    ends = simulate_paths(q.process, q.x, segments, q.paths(segments), q.seed)
    data = q.process.coefficients.number(time_condition(q.model.expected.spec).value[0], ends.x, 0.0)
    values = torch.from_numpy(ends.value(data)).reshape(-1, POINTS)
    times = -(-len(values) // plan.samples)
    with torch.no_grad():
        observed = q.module()(q.x.repeat(times, 1)).reshape(times, POINTS).mean(0)
    moments = Moments(paths=times * plan.samples)
    ratio = 1.0 + len(values) / moments.paths  # the variance of a difference of two means, in units of that of one
    moments.add("u", values.mean(0), observed, standard_error(values) * ratio**0.5)
    return moments.finding(SOLUTION)
