"""Whether a network is *this equation's*, and not only one that keeps its axioms.

    from pdedsl.testing import equation
    equation.assert_holds(pdedsl.compile("my.pde"))

What is expected comes from the analysis of the spec: drift and matrix at points and times, and for feature maps the
right-hand side. What is random is compared by moments, with a false-alarm rate that is stated for each finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import torch
from torch import Tensor, nn

from pdedsl.compilation import Compilation
from pdedsl.ir.objective import CrossEntropy
from pdedsl.ir.plan import Base, DataPlan, ImagePlan, Maps
from pdedsl.ir.representation import Paths
from pdedsl.testing.averages import AGREEMENT, agreement_finding, average_finding
from pdedsl.testing.blocks import block_finding
from pdedsl.testing.coefficients import Unreadable
from pdedsl.testing.generator import generator_finding
from pdedsl.testing.laws import (
    DRAWS,
    compare,
    drawing,
    ends_of_module,
    ends_of_operator,
    expected_ends,
    in_training,
    independent,
    many,
)
from pdedsl.testing.model import Fields, ModelUnderTest, under_test
from pdedsl.testing.moments import Finding, Moments, untested
from pdedsl.testing.noises import layer_findings
from pdedsl.testing.operators import SOME, Flow, flow_of
from pdedsl.testing.paths import Leg, Numbers, Process, module_legs, operator_legs, process_of
from pdedsl.testing.steps import steps_finding

POINTS = 2
LEARNED, KNOWN = 1 << 16, 1 << 21  # steps along a field in all paths of a law
FEWEST, MOST = 512, 1 << 16  # paths
NUMBERS = 1 << 21  # in all states of a law
SINGLE, STEPWISE = 1 << 14, 1 << 12  # paths of one step of the operator, and of each step of the network


def check(model: Compilation | ModelUnderTest, seed: int = 0) -> tuple[Finding, ...]:
    """All that can be asked of what was compiled."""
    tested = under_test(model)
    plan = tested.expected.plan
    if isinstance(plan, ImagePlan):
        return (block_finding(tested, seed),)
    try:
        return tuple(_on_data(Question.of(tested, plan, seed)))
    except Unreadable as error:
        return (untested("generator", str(error)),)


def assert_holds(model: Compilation | ModelUnderTest, seed: int = 0) -> None:
    """For a test of one's own: raises AssertionError with the moment that is not as it should be."""
    for finding in check(model, seed):
        assert finding.ok, f"{finding.of}: not that of the equation\n{finding.note}"


@dataclass(frozen=True)
class Question:
    """A model on a data space, with the fields and points of one seed."""

    model: ModelUnderTest
    plan: DataPlan
    fields: Fields
    process: Process
    x: Tensor
    seed: int

    @classmethod
    def of(cls, model: ModelUnderTest, plan: DataPlan, seed: int) -> Question:
        dimension = model.expected.spec.space.dimension
        size = dimension if isinstance(dimension, int) else SOME
        x = torch.randn(POINTS, size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        fields = model.fields(seed)
        return cls(model, plan, fields, process_of(model, fields), x, seed)

    def paths(self, legs: list[Leg]) -> int:
        """As many as can be afforded."""
        steps = POINTS * sum(leg.steps for leg in legs)
        most = min((LEARNED if self.fields else KNOWN) // max(1, steps), NUMBERS // self.x.numel(), MOST)
        return max(FEWEST, most) if any(leg.random for leg in legs) else 1

    def module(self) -> nn.Module:
        return self.model.model(self.seed, self.fields, self.seed)

    def flow(self, samples: int) -> Flow:
        return flow_of(self.model, self.model.operator(self.seed, self.fields, max(2, samples), self.seed))

    @property
    def inputs(self) -> Tensor:
        return self.x.reshape(-1, *(self.plan.image or (self.x.shape[-1],)))


def _on_data(q: Question) -> Iterator[Finding]:
    trained = not isinstance(q.plan.objective, CrossEntropy)
    if trained:
        yield untested("model()", "it is trained to satisfy the equation: whether it does is in its weights")
    elif any(isinstance(p, Maps) for p in q.plan.parts):
        yield from layer_findings(q.model, q.seed, q.seed)
        yield average_finding(q.model.model(q.seed).float(), q.plan, q.inputs.float())
    elif q.plan.classes is not None:
        yield from _module(q)
        yield average_finding(q.model.model(q.seed), q.plan, q.inputs)
    if q.model.operator_plan is not None:
        yield from _operator(q)
        if q.plan.classes is None:
            yield _solution(q)
        elif not trained:
            yield _agreement(q) if _alike(q) else untested(AGREEMENT, "their steps differ: each is compared in law")


def _module(q: Question) -> Iterator[Finding]:
    """The network's paths, step by step and where they end."""
    legs, made = module_legs(q.model), q.module()
    paths, based = q.paths(legs), any(isinstance(p, Base) for p in q.plan.parts)
    yield steps_finding(made, q.process, legs, q.inputs, min(paths, STEPWISE))
    moments = Moments()
    expected = expected_ends(q.process, q.x, legs, paths, q.seed)
    members = ends_of_module(made, q.inputs, paths, based)
    for k, ends in enumerate(members, 1):
        compare(moments, f"member {k}", expected, ends)
    for k, (ends, others) in enumerate(pairwise(members), 1):
        independent(moments, f"members {k} and {k + 1}", ends, others)
    for first, second in pairwise(members[0].chunk(DRAWS)):
        independent(moments, "two draws", first, second)
    yield moments.finding("law of model()")
    if paths > 1:
        shaken = steps_finding(in_training(made), q.process, legs, q.inputs, min(paths, STEPWISE))
        yield replace(shaken, of=f"{shaken.of} in training")


def _operator(q: Question) -> Iterator[Finding]:
    """The operator's steps, and where its paths end."""
    legs = operator_legs(q.model)
    yield generator_finding(q.flow(SINGLE), q.process, legs, q.x)
    paths, moments = q.paths(legs), Moments()
    flow = q.flow(paths)
    expected = expected_ends(q.process, q.x, legs, paths, q.seed)
    compare(moments, "the paths", expected, ends_of_operator(flow, q.x, flow.start, flow.end))
    yield moments.finding("law of operator()")


def _alike(q: Question) -> bool:
    """Whether network and operator are the same scheme: then their means are the same, and not only in the limit.

    Where nothing depends on the state one step is as good as many.
    """
    ours, theirs = ([(leg.stretch, leg.steps) for leg in legs if leg.stretch.moves] for legs in _both(q))
    return ours == theirs and all(leg.by == Numbers() for leg in module_legs(q.model))


def _both(q: Question) -> tuple[list[Leg], list[Leg]]:
    return module_legs(q.model), operator_legs(q.model)


def _agreement(q: Question) -> Finding:
    paths = q.paths(operator_legs(q.model))
    flow, made = q.flow(paths), drawing(q.module())
    return agreement_finding(made, flow, many(q.inputs, paths), q.x, flow.end if q.process.clock < 0 else flow.start)


def _solution(q: Question) -> Finding:
    """u of `model()` where the spec gives the data, against their mean over the expected paths."""
    legs, paths = operator_legs(q.model), q.model.expected.representation
    assert isinstance(paths, Paths)
    plan = q.model.operator_plan
    assert plan is not None
    ends = expected_ends(q.process, q.x, legs, q.paths(legs), q.seed)
    values = q.process.reader.number(paths.data, ends.reshape(-1, q.x.shape[-1]).numpy(), 0.0)
    data = torch.from_numpy(values.copy()).reshape(len(ends), POINTS)
    with torch.no_grad():
        found = q.module()(q.x)
    spread = data.std(0) if len(data) > 1 else torch.zeros(POINTS)
    moments = Moments(paths=plan.samples)
    moments.add("u", data.mean(0), found, spread * (1.0 / plan.samples + 1.0 / len(data)) ** 0.5)
    return moments.finding("u of model()")
