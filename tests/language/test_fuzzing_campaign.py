"""A sample of the fuzzing campaign in `tests/fuzzing`."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from analysis.tables import spec_text
from fuzzing.campaign import BRIEF, campaign, summary
from fuzzing.cells import CELLS, SPACES, TYPES, cell_counts, cells
from fuzzing.judge import judged

CASES = 2500  # of one worker
SEED = 202647


@pytest.mark.long
def test_campaign_finds_no_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path(__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(here), str(here.parent)]))
    found = campaign(CASES, SEED, shares=BRIEF)
    assert found.cases == CASES
    assert found.emitted > CASES / 50
    assert not found.faults, summary(found, SEED, BRIEF)


FIRST_SEED = 26


@pytest.mark.parametrize("kind", TYPES)
def test_a_case_of_every_space_has_no_fault(kind: str) -> None:
    """One condition each; the campaign goes through all of them."""
    rng = Random(FIRST_SEED)
    for name in SPACES:
        of_type = [k for k, cell in enumerate(CELLS) if cell[:2] == (kind, name)]
        text = cells(rng, rng.choice(of_type))
        assert judged(text).fault is None, text


def test_cells_follow_one_another() -> None:
    assert len(set(CELLS)) == len(CELLS)
    assert set(cell_counts(range(7, 7 + 2 * len(CELLS))).values()) == {2}
    assert sum(cell_counts(range(5, 1005)).values()) == 1000


FIXED = {
    "an operator between antiperiodic ends": "(x, y) in [0, 1]^2; u(x, y) : channels | learn K : operator = conv(3); "
    "Δu = -Δu + Kᵀ relu(K u) | u(0, y) = -u(1, y); ∂u/∂x(0, y) = -∂u/∂x(1, y)",
    "vector in R^50": "x in R^50; t in [0, 1]; w(x, t) : vector | ∂w/∂t = Δw | w(x, 0) = x",
    "fourth order in R^50": "x in R^50; t in [0, 1] | ∂u/∂t = -½Δ²u | u(x, 1) = exp(-‖x‖²)",
    "a rate printed by sympy": "x in R; t in [0, 1]; u(x, t) : scalar > 0 | ∂u/∂t = exp(-u²) - u | u(x, 0) = 1",
}


@pytest.mark.parametrize("columns", FIXED.values(), ids=list(FIXED))
def test_earlier_faults(columns: str) -> None:
    assert judged(spec_text(*columns.split(" | "))).fault is None


def test_campaign_detects_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*_: object) -> str:
        raise IndexError("a fault")

    assert judged("pde P\n").fault is None
    monkeypatch.setattr("fuzzing.judge.parse_syntax", faulty)
    fault = judged("pde P\n").fault
    assert fault is not None
    assert fault.kind == "IndexError"
