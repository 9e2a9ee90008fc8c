"""The analysis does not depend on the notation of a spec: the table with rewritten specs."""

from __future__ import annotations

import pytest
from sampling import share

from analysis.analysis_cache import analysed, outcome
from analysis.rewriting import rewritten
from analysis.spec_templates import data
from analysis.tables import EQUATIONS, Row


@pytest.mark.slow
@pytest.mark.parametrize("row", share(EQUATIONS, 3), ids=lambda row: row.name)
def test_rewritten_spec_has_same_outcome(row: Row) -> None:
    other = rewritten(row.text, row.name)
    assert other != row.text
    assert outcome(analysed(other)) == outcome(analysed(row.text))


MANY_NAMES = {"split in time", "Burgers, cold ends", "dropout", "oscillator", "symmetric, half"}
MANY = [row for row in EQUATIONS if row.name in MANY_NAMES]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("row", MANY, ids=lambda row: row.name)
def test_many_rewritings(row: Row, seed: int) -> None:
    other = rewritten(row.text, f"{row.name} {seed}")
    assert outcome(analysed(other)) == outcome(analysed(row.text))


def test_rewriting_is_the_same_each_time_and_varies_with_the_seed() -> None:
    for row in EQUATIONS:
        assert rewritten(row.text, "a") == rewritten(row.text, "a")
    assert len({rewritten(EQUATIONS[0].text, str(seed)) for seed in range(20)}) > 10


@pytest.mark.parametrize(
    "equation",
    ["∂u/∂t = Δu + 2 ∂u/∂x", "∂u/∂t = 2Δu - ∂u/∂x", "∂u/∂t = -2Δu + ∂u/∂x", "∂u/∂t = 2Δu + ∂u/∂x + u"],
)
def test_another_equation_has_another_hash(equation: str) -> None:
    one = analysed(data("∂u/∂t = 2Δu + ∂u/∂x"))
    assert analysed(data(equation)).spec.hash != one.spec.hash
