"""Every mutation is detected on every spec that it affects; the original passes."""

from __future__ import annotations

import pytest

import pdedsl
from pdedsl.testing import equation
from testing.block_mutations import BLOCKS
from testing.lowering_mutations import LOWERING, PLANNING
from testing.mutations import Mutation, mutated, plan_of
from testing.path_mutations import PATHS
from testing.small_specs import SMALL, small
from testing.weight_mutations import WEIGHING

CASES = plan_of(PATHS, BLOCKS, WEIGHING)
BEFORE = plan_of(LOWERING, PLANNING)


@pytest.mark.parametrize("name", SMALL)
def test_original_passes(name: str) -> None:
    assert [f for f in equation.check(small(name)) if f.outcome == "violated"] == []


@pytest.mark.parametrize(("mutation", "spec"), CASES, ids=[f"{b.name}-{spec}" for b, spec in CASES])
def test_mutation_is_detected(mutation: Mutation, spec: str) -> None:
    with mutated(mutation):
        found = equation.check(small(spec), of=(mutation.of,))
    assert mutation.of in {f.name for f in found if not f.ok}, found


@pytest.mark.parametrize(("mutation", "spec"), BEFORE, ids=[f"{b.name}-{spec}" for b, spec in BEFORE])
def test_mutation_before_the_network_is_detected(mutation: Mutation, spec: str) -> None:
    """The reference values are independent of lowering and planning."""
    with mutated(mutation):
        found = equation.check(pdedsl.compile(SMALL[spec]), of=(mutation.of,))
    assert mutation.of in {f.name for f in found if not f.ok}, found


def test_number_of_mutations() -> None:
    assert len({b.name for b, _ in CASES}) >= 60
    assert len({b.name for b, _ in BEFORE}) >= 10
