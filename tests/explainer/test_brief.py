"""The brief explanation fits on a screen, and has the verdicts of the full one."""

from __future__ import annotations

import pytest
from texts import compiled, shipped

from pdedsl.sources import shipped_specs

MAX_LINES = 40  # of a terminal window


@pytest.mark.parametrize("name", shipped_specs())
def test_one_screen(name: str) -> None:
    explanation = compiled(shipped(name)).explanation
    lines = explanation.brief().splitlines()
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= 100  # columns
    for axiom, verdict in explanation.analysis.axioms.items():
        assert len([line for line in lines if line.split()[:2] == [verdict.truth, axiom]]) == 1
