"""The table that is aimed at the hypotheses of the proofs: nothing said may be false, and little left unsaid."""

from __future__ import annotations

import pytest

from analyse.checks import false, lazy, wrong_classes, wrong_form
from analyse.frames import Row
from analyse.outcomes import analysed
from analyse.table import TABLE
from analyse.table.rejected import REJECTED

ROWS = [pytest.param(row, id=row.name) for row in TABLE]
LAZY = 32


@pytest.mark.parametrize("row", ROWS)
def test_class_form_and_no_false_verdict(row: Row) -> None:
    analysis = analysed(row.text)
    assert not wrong_classes(row, analysis)
    assert not wrong_form(row, analysis)
    assert false(row, analysis.axioms) == {}


def test_few_answers_are_lazy() -> None:
    found = [f"{row.name}: {name}" for row in TABLE for name in lazy(row, analysed(row.text).axioms)]
    assert len(found) <= LAZY, "\n".join(found)


@pytest.mark.parametrize(("name", "text", "why"), REJECTED, ids=[name for name, _, _ in REJECTED])
def test_what_has_no_meaning_is_an_error(name: str, text: str, why: str) -> None:
    codes = [d.code for d in analysed(text).diagnostics if d.severity == "error"]
    assert codes, (name, why)
    assert set(codes) <= {"E418", "E419", "E422", "E423"}, (name, why, codes)


# ---- the table itself


def test_the_table_is_large_and_its_names_are_its_own() -> None:
    assert len(TABLE) >= 300
    assert len({row.name for row in TABLE}) == len({row.text for row in TABLE}) == len(TABLE)
    assert len({name for name, _, _ in REJECTED}) == len(REJECTED)


def test_every_row_has_a_letter_for_each_axiom() -> None:
    for row in TABLE:
        assert len(row.axioms) == len(row.cells), row.name
        assert set(row.cells) <= set("PpRrU."), row.name
        assert all(row.reasons().values()), row.name
