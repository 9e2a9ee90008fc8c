"""Rows aimed at the hypotheses of the theorems: no false verdict, and few undecided cells."""

from __future__ import annotations

import pytest
from weekly import marked

from analysis.analysis_cache import analysed
from analysis.checks import false, undecided, wrong_classes, wrong_form
from analysis.more_spec_templates import ZERO_SPEED, system
from analysis.spec_templates import Row, data, pair
from analysis.table import MODERATE, SPARSE, TABLE
from analysis.table.hidden_zeros import ZERO, disc
from analysis.table.ill_posed import REJECTED

FIRST = [row for row in TABLE if row not in {*MODERATE, *SPARSE}]
ROWS = [
    *marked(FIRST, lambda row: row.name, quick=4, tested=2),
    *marked(MODERATE, lambda row: row.name, quick=8, tested=8),
    *marked(SPARSE, lambda row: row.name, quick=24, tested=12),
]
# Decidable cells that are undecided, by row; the table has the correct verdict.
UNDECIDED = {
    "delay, ring": "conservation",
    "KᵀK, rk4, one step": "stability energy_decay",
    "shear, verlet": "stability energy_decay reversibility",
    "swing, KᵀK, bound 2.1": "stability",
    "layer, relu, rk4, long": "stability energy_decay",
    "layer, three operators": "stability energy_decay",
    "layer, a rate above the bound": "stability energy_decay",
    "layer, one K thrice": "stability energy_decay",
    "narrow, x² - |x| + ¼": "comparison",
    "weights, conductivity of the value": "comparison",
    "wide Hessian, relu each": "comparison",
    "drift, min(x², 1)": "comparison",
    "drift, x²/(1 + |x|)": "comparison",
    "drift, x² exp(-x²)": "comparison",
    "clock, exp(-1/t)": "comparison",
    "clock, t^½ - t": "comparison",
}
MAX_UNDECIDED = 23


@pytest.mark.parametrize("row", ROWS)
def test_class_order_and_no_false_verdict(row: Row) -> None:
    analysis = analysed(row.text)
    assert not wrong_classes(row, analysis)
    assert not wrong_form(row, analysis)
    assert false(row, analysis.axioms) == {}
    assert undecided(row, analysis.axioms) == UNDECIDED.get(row.name, "").split()


def test_few_decidable_cells_are_undecided() -> None:
    assert set(UNDECIDED) <= {row.name for row in TABLE}
    assert sum(len(axioms.split()) for axioms in UNDECIDED.values()) <= MAX_UNDECIDED


@pytest.mark.parametrize(("name", "text", "why"), REJECTED, ids=[name for name, _, _ in REJECTED])
def test_ill_posed_problems_are_errors(name: str, text: str, why: str) -> None:
    codes = [d.code for d in analysed(text).diagnostics if d.severity == "error"]
    assert codes, (name, why)
    assert set(codes) <= {"E418", "E419", "E422", "E423"}, (name, why, codes)


# ---- the table itself


def test_table_is_large_and_names_are_unique() -> None:
    assert len(TABLE) >= 1400
    assert len({row.name for row in TABLE}) == len({row.text for row in TABLE}) == len(TABLE)
    assert len({name for name, _, _ in REJECTED}) == len(REJECTED)


def test_every_row_has_a_letter_for_each_axiom() -> None:
    for row in TABLE:
        assert len(row.axioms) == len(row.cells), row.name
        assert set(row.cells) <= set("PpRrU."), row.name
        assert all(row.reasons().values()), row.name


WELL_POSED = {
    "disc, positive inside": disc("∂u/∂t = (1.1 - x² - y²)Δu", "u = 0"),
    "a pair with eigenvalues 2 and 2": pair("∂u/∂t = -Δu + 3Δv", "∂v/∂t = -3Δu + 5Δv"),
    "Δu behind a name": system("u w", "∂u/∂t = -Δu + 2Δw\nw = u", stationary="w"),
    "a third derivative of weight zero": data(f"∂²u/∂t² = Δu + {ZERO} ∂³u/∂x³") + f"{ZERO_SPEED}\n",
}


@pytest.mark.parametrize("text", WELL_POSED.values(), ids=list(WELL_POSED))
def test_well_posed_problems_are_no_errors(text: str) -> None:
    assert [d.code for d in analysed(text).diagnostics if d.is_error] == []


@pytest.mark.parametrize("row", [row for row in TABLE if "behind, " in row.name and row.cells.startswith("PP.....")])
def test_bounded_waves_are_no_errors(row: Row) -> None:
    assert [d.code for d in analysed(row.text).diagnostics if d.is_error] == []
