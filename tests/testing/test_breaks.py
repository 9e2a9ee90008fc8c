"""A runtime that is broken on purpose is found out on every spec where it matters; one that is not broken passes."""

from __future__ import annotations

import pytest

from pdedsl.testing import equation
from testing.breaks import Break, broken, plan_of
from testing.breaks_of_blocks import BLOCKS
from testing.breaks_of_paths import PATHS
from testing.small import SMALL, small

CASES = plan_of(PATHS, BLOCKS)


@pytest.mark.parametrize("name", SMALL)
def test_nothing_is_wrong_unbroken(name: str) -> None:
    assert [f for f in equation.check(small(name)) if f.outcome == "broken"] == []


@pytest.mark.parametrize(("mistake", "spec"), CASES, ids=[f"{b.name}-{spec}" for b, spec in CASES])
def test_a_break_is_caught(mistake: Break, spec: str) -> None:
    with broken(mistake):
        found = [f for f in equation.check(small(spec)) if not f.ok]
    assert mistake.of in {f.of for f in found}, found


def test_there_are_many_ways_to_break() -> None:
    assert len({b.name for b, _ in CASES}) >= 36
