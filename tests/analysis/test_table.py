"""Class and verdicts of every equation of the table."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from analysis.analysis_cache import analysed
from analysis.checks import wrong, wrong_classes, wrong_form
from analysis.tables import EQUATIONS, Row
from analysis.test_terms import assert_terms_add_up
from pdedsl.ir.analysis import Analysis, EquationClass
from pdedsl.ir.terms import TimeDerivative
from pdedsl.ir.verdicts import Refuted

# Axioms whose refutation is due to single terms.
OF_TERMS = ("linearity", "preserves_constants", "comparison", "locality")
SYMPY = re.compile(r"\*|\b(Abs|sqrt|Max|Min|D|Sum|Heaviside|Piecewise|Matrix)\(|\boo\b|\w_\d|\bTrue\b|\bNone\b")
ROWS = [pytest.param(row, id=row.name) for row in EQUATIONS]
# In module scope the tests of a row follow one another, in the same process: it is analysed once.
every_row = pytest.mark.parametrize("row", ROWS, scope="module")


@every_row
def test_class_form_and_verdicts(row: Row) -> None:
    analysis = analysed(row.text)
    assert not wrong_classes(row, analysis)
    assert not wrong_form(row, analysis)
    assert wrong(row, analysis.axioms) == {}


@pytest.mark.parametrize("row", [r for r in ROWS if r.values[0].structures])
def test_structures(row: Row) -> None:
    assert row.structures <= {structure for e in analysed(row.text).equations for structure in e.structures}


@every_row
def test_terms_add_up(row: Row) -> None:
    assert_terms_add_up(analysed(row.text))


@every_row
def test_reasons_and_places(row: Row) -> None:
    """One sentence for each verdict, in the notation of a spec; it names the terms or conditions that are to blame, and
    an example is given. Terms stand where they were written."""
    analysis = analysed(row.text)
    for name, verdict in analysis.axioms.items():
        assert re.fullmatch(r"[^\n]+\.", verdict.reason), (name, verdict.reason)
        assert not re.search(r"\.\s", verdict.reason), (name, verdict.reason)
        text = f"{verdict.reason} {verdict.counterexample if isinstance(verdict, Refuted) else ''}"
        leaked = SYMPY.search(text)
        assert leaked is None or leaked[0] in row.text, text
        if isinstance(verdict, Refuted):
            assert verdict.counterexample, name
            assert verdict.offending, name
            assert names_the_offending_terms(name, verdict, analysis), (name, verdict.reason)
    for fact in analysis.equations:
        assert any(isinstance(term, TimeDerivative) for term in fact.terms) >= (fact.equation.order > 0)
        for origin in (term.origin for term in fact.terms):
            assert row.text[origin.span.start : origin.span.end] == origin.text.removeprefix("-")


def names_the_offending_terms(name: str, verdict: Refuted, analysis: Analysis) -> bool:
    by_order = any(e.equation.order == 2 for e in analysis.equations)
    if name not in OF_TERMS or by_order:
        return True
    return any(analysis.spec.source.quote(span) in verdict.reason for span in verdict.offending)


# ---- the table itself


def test_every_class_has_several_spellings() -> None:
    count = Counter(kind for row in EQUATIONS for kinds in row.classes for kind in kinds)
    assert set(count) == set(EquationClass)
    assert min(count.values()) >= 6


def test_table_is_large_and_names_are_unique() -> None:
    assert len(EQUATIONS) >= 70
    assert len({row.name for row in EQUATIONS}) == len({row.text for row in EQUATIONS}) == len(EQUATIONS)


SAME = (
    ("Burgers, inviscid", "Burgers, inviscid, conservative"),
    ("heat, divergence form", "heat, divergence form worked out"),
    ("mean curvature", "mean curvature, level sets"),
)


@pytest.mark.parametrize("names", SAME, ids=[pair[0] for pair in SAME])
def test_algebraically_equal_rows_agree(names: tuple[str, str]) -> None:
    one, two = (analysed(next(row.text for row in EQUATIONS if row.name == name)) for name in names)
    assert [e.kind for e in one.equations] == [e.kind for e in two.equations]
    assert {k: v.truth for k, v in one.axioms.items()} == {k: v.truth for k, v in two.axioms.items()}
