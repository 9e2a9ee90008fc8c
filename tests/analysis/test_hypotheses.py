"""Rows aimed at the hypotheses of the theorems: no false verdict, and few undecided cells."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sampling import marked

from analysis.analysis_cache import analysed
from analysis.checks import false, undecided, wrong_classes, wrong_form
from analysis.spec_templates import ZERO_SPEED, data, interval, pair, system
from analysis.tables import EQUATIONS, ORDINARY, ROWS, TABLE, TABLES, Row, read_columns, read_ill_posed, spec_text
from analysis.test_counterexamples import AT, named
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.verdicts import Axiom, Refuted, Truth

PARAMETERS = [
    parameter
    for table in TABLES
    for parameter in marked(table.rows, lambda row: row.id, quick=table.quick, tested=table.tested)
]
ILL_POSED = read_ill_posed()
# Decidable cells that are undecided, by row; the table has the correct verdict.
UNDECIDED = {
    "delay, periodic": "conservation",
    "KᵀK, rk4, one step": "stability energy_decay",
    "shear, verlet": "stability energy_decay reversibility",
    "oscillator, KᵀK, bound 2.1": "stability",
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


@pytest.mark.parametrize("row", PARAMETERS)
def test_class_order_and_no_false_verdict(row: Row) -> None:
    analysis = analysed(row.text)
    assert not wrong_classes(row, analysis)
    assert not wrong_form(row, analysis)
    assert false(row, analysis.axioms) == {}
    assert undecided(row, analysis.axioms) == UNDECIDED.get(row.name, "").split()
    if "space x in [0, 1]" in row.text and "time t in [0, 1]" in row.text:
        assert all(0 <= value <= 1 for value in printed_point(analysis, "x", "t"))


def printed_point(analysis: Analysis, *names: str) -> list[Fraction]:
    """Coordinates of the point at which the comparison principle is refuted."""
    verdict = analysis.axioms.get(Axiom.COMPARISON)
    found = AT.search(verdict.counterexample) if isinstance(verdict, Refuted) else None
    return [value for name, value in named(found[2] if found else None).items() if name in names]


def test_points_are_printed() -> None:
    point = printed_point(analysed(interval("∂u/∂t = (½ - x) Δu")), "x")
    assert point
    assert all(Fraction(1, 2) < x <= 1 for x in point)


def test_few_decidable_cells_are_undecided() -> None:
    assert set(UNDECIDED) <= {row.name for row in TABLE}
    assert sum(len(axioms.split()) for axioms in UNDECIDED.values()) <= MAX_UNDECIDED


@pytest.mark.parametrize(("name", "text", "why"), ILL_POSED, ids=[name for name, _, _ in ILL_POSED])
def test_ill_posed_problems_are_errors(name: str, text: str, why: str) -> None:
    codes = [d.code for d in analysed(text).diagnostics if d.severity == "error"]
    assert codes, (name, why)
    assert set(codes) <= {"E418", "E419", "E422", "E423"}, (name, why, codes)


# ---- the table itself


def test_table_is_large_and_names_are_unique() -> None:
    assert len(TABLE) >= 1000
    assert len({row.id for row in TABLE}) == len({row.text for row in TABLE}) == len(TABLE)
    assert len({name for name, _, _ in ILL_POSED}) == len(ILL_POSED)


def test_rows_name_axioms_and_verdicts() -> None:
    """One true verdict for each axiom that is named; beside it `unknown` alone, and then there is a reason."""
    for row in (*EQUATIONS, *TABLE):
        for axiom, truths in row.verdicts.items():
            assert axiom in set(Axiom), row.id
            assert truths[0] in set(Truth), row.id
            assert truths[1:] in ((), ("unknown",)), row.id
        assert all(row.reasons().values()), row.id


def test_ordinary_rows_are_the_textbook() -> None:
    assert {row.file.split("/")[0] for row in ORDINARY} == {"textbook"}
    assert len(ORDINARY) >= 400


def test_columns_give_a_spec() -> None:
    text = spec_text("(x, y) in R^2; t in [0, 2]", "const c = 2; ∂u/∂t = cΔu", "u(x, y, 0) = x")
    assert text.splitlines() == [
        "pde Row",
        "space (x, y) in R^2",
        "time t in [0, 2]",
        "unknown u(x, y, t) : scalar",
        "const c = 2",
        "∂u/∂t = cΔu",
        "u(x, y, 0) = x",
    ]
    assert "unknown u(x) : scalar\n" in spec_text("x in [0, 1]", "Δu = 0", "u = 0 on boundary")
    assert "unknown v(x) : vector(2)\nΔv = 0" in spec_text("x in [0, 1]; v(x) : vector(2)", "Δv = 0", "")


def test_rows_have_all_columns() -> None:
    for path in ROWS.glob("*/*.txt"):
        assert all(5 <= len(columns) <= 7 for columns in read_columns(path)), path


ZERO = "(sin(x)² + cos(x)² - 1)"
DISC = "(x, y) in [-1, 1]^2 where x² + y² < 1; t in [0, 1]"
WELL_POSED = {
    "disc, positive inside": spec_text(
        DISC, "∂u/∂t = (1.1 - x² - y²)Δu", "u(x, y, 0) = 1 - x² - y²; u = 0 on boundary"
    ),
    "a pair with eigenvalues 2 and 2": pair("∂u/∂t = -Δu + 3Δv", "∂v/∂t = -3Δu + 5Δv"),
    "Δu behind a name": system("u w", "∂u/∂t = -Δu + 2Δw\nw = u", stationary="w"),
    "fourth order in R^50": spec_text("x in R^50; t in [0, 1]", "∂u/∂t = -½Δ²u", "u(x, 0) = exp(-‖x‖²)"),
    "fourth order in R^50, terminal": spec_text("x in R^50; t in [0, 1]", "∂u/∂t = ½Δ²u", "u(x, 1) = exp(-‖x‖²)"),
    "a third derivative of weight zero": data(f"∂²u/∂t² = Δu + {ZERO} ∂³u/∂x³") + f"{ZERO_SPEED}\n",
}


@pytest.mark.parametrize("text", WELL_POSED.values(), ids=list(WELL_POSED))
def test_well_posed_problems_are_no_errors(text: str) -> None:
    assert [d.code for d in analysed(text).diagnostics if d.is_error] == []


BOUNDED_WAVES = [
    row
    for row in TABLE
    if "behind, " in row.name and row.verdicts == dict.fromkeys(("linearity", "preserves_constants"), ("proved",))
]


@pytest.mark.parametrize("row", BOUNDED_WAVES)
def test_bounded_waves_are_no_errors(row: Row) -> None:
    assert [d.code for d in analysed(row.text).diagnostics if d.is_error] == []
