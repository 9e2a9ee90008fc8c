"""What is broken on purpose is found out on every spec where it matters; what is not broken passes."""

from __future__ import annotations

import pytest

import pdedsl
from pdedsl.testing import equation
from testing.breaks import Break, broken, plan_of
from testing.breaks_of_blocks import BLOCKS
from testing.breaks_of_lowering import LOWERING, PLANNING
from testing.breaks_of_paths import PATHS
from testing.breaks_of_weights import WEIGHING
from testing.small import SMALL, small

CASES = plan_of(PATHS, BLOCKS, WEIGHING)
BEFORE = plan_of(LOWERING, PLANNING)


@pytest.mark.parametrize("name", SMALL)
def test_nothing_is_wrong_unbroken(name: str) -> None:
    assert [f for f in equation.check(small(name)) if f.outcome == "broken"] == []


@pytest.mark.parametrize(("mistake", "spec"), CASES, ids=[f"{b.name}-{spec}" for b, spec in CASES])
def test_a_break_is_caught(mistake: Break, spec: str) -> None:
    with broken(mistake):
        found = equation.check(small(spec), of=(mistake.of,))
    assert mistake.of in {f.name for f in found if not f.ok}, found


@pytest.mark.parametrize(("mistake", "spec"), BEFORE, ids=[f"{b.name}-{spec}" for b, spec in BEFORE])
def test_a_break_before_the_network_is_caught(mistake: Break, spec: str) -> None:
    """The references know nothing of lowering and planning: what these change is not expected."""
    with broken(mistake):
        found = equation.check(pdedsl.compile(SMALL[spec]), of=(mistake.of,))
    assert mistake.of in {f.name for f in found if not f.ok}, found


def test_there_are_many_ways_to_break() -> None:
    assert len({b.name for b, _ in CASES}) >= 60
    assert len({b.name for b, _ in BEFORE}) >= 10
