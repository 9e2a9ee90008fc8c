"""A weekly sample of the fuzzing campaign in `tests/fuzzing`."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fuzzing.campaign import BRIEF, campaign, summary
from fuzzing.judge import judged

CASES = 5000


@pytest.mark.long
def test_weekly_campaign_finds_no_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed is the week of the year, so that what is found today is found again tomorrow."""
    year, week, _ = datetime.now(UTC).isocalendar()
    here = Path(__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(here), str(here.parent)]))
    found = campaign(CASES, 100 * year + week, shares=BRIEF)
    assert found.cases == CASES
    assert found.emitted > CASES / 50
    assert not found.faults, summary(found, 100 * year + week, BRIEF)


def test_campaign_detects_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*_: object) -> str:
        raise IndexError("a fault")

    assert judged("pde P\n").fault is None
    monkeypatch.setattr("fuzzing.judge.parse_syntax", faulty)
    fault = judged("pde P\n").fault
    assert fault is not None
    assert fault.kind == "IndexError"
