"""Forty faulty specs as newcomers write them: wrong signs, missing conditions, other notations, misspelt keywords.

`newcomers.txt` was written before its messages were read. Each entry has its codes, the score of a reader (3: location,
cause and a fix that compiles as meant; 2: location and cause; 1: location; 0: misleading) and the spec that was meant.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from pdedsl.diagnostics import Diagnostic
from pdedsl.diagnostics.fixes import apply_edits, resolve_edits
from pdedsl.editor import Document, analysed
from pdedsl.record import Record

MAX_FIXES = 6  # until a spec is as meant
WARNINGS = {"W403", "W625"}  # that count as errors here
ENTRY = re.compile(r"^== (\w+) ((?:[EW]\d{3} )+)([0-3])\n(.*?)^-- meant\n(.*?)(?=^== |\Z)", re.MULTILINE | re.DOTALL)
UNKNOWN_TO_A_FIX = {
    "time_derivative_without_time": "add: time t in [0, 1]",
    "gradient_for_a_derivative": "in one dimension write ∂u/∂x for ∇u",
    "derivative_by_an_absent_coordinate": "space (x, y) in [0, 1]^2, unknown u(x, y)",
    "one_equation_for_two_unknowns": "as in: ∂v/∂t = …",
    "insulated_with_a_source": "change the source or a flux",
}
"""Specs whose remedy only the author knows, with the text of the help."""


class Entry(Record):
    name: str
    codes: tuple[str, ...]
    score: int
    text: str
    meant: str


def entries() -> list[Entry]:
    text = Path(__file__).with_name("newcomers.txt").read_text("utf-8")
    found = [Entry(n, tuple(c.split()), int(s), t, m) for n, c, s, t, m in ENTRY.findall(text)]
    assert len(found) == text.count("\n== ") + 1
    return found


ENTRIES = {entry.name: entry for entry in entries()}


@cache
def document(text: str) -> Document:
    return analysed(text)


def errors(text: str) -> list[Diagnostic]:
    return [d for d in document(text).diagnostics if d.is_error or d.code in WARNINGS]


def after_each_fix(text: str) -> list[str]:
    """The texts after one fix, for the fixes of all errors."""
    fixes = [fix for d in errors(text) for fix in d.fixes]
    return [apply_edits(text, resolve_edits(text, fix)) for fix in fixes]


def is_reached(text: str, meant: str, fixes: int = MAX_FIXES) -> bool:
    """Whether fixes lead to the meant spec, compared by the hash; those of the first error are tried."""
    found = document(text)
    if not errors(text):
        assert found.spec is not None
        expected = document(meant).spec
        return expected is not None and found.spec.hash == expected.hash
    first = next((d for d in errors(text) if d.fixes), None)
    if first is None or not fixes:
        return False
    after = [apply_edits(text, resolve_edits(text, fix)) for fix in first.fixes]
    return any(is_reached(t, meant, fixes - 1) for t in after)


def test_forty_entries_with_a_mean_score_of_at_least_2_7() -> None:
    assert len(ENTRIES) >= 40
    assert sum(e.score for e in ENTRIES.values()) / len(ENTRIES) >= 2.7


@pytest.mark.parametrize("name", ENTRIES)
def test_codes_and_meant_spec(name: str) -> None:
    entry = ENTRIES[name]
    assert {d.code for d in errors(entry.text)} == {*entry.codes}
    assert errors(entry.meant) == []


@pytest.mark.parametrize("name", ENTRIES)
def test_every_fix_leaves_fewer_errors(name: str) -> None:
    text = ENTRIES[name].text
    for after in after_each_fix(text):
        assert len(errors(after)) < len(errors(text)), after


@pytest.mark.parametrize("name", ENTRIES)
def test_fixes_or_the_help_lead_to_the_meant_spec(name: str) -> None:
    entry = ENTRIES[name]
    help_ = UNKNOWN_TO_A_FIX.get(name)
    if help_ is None:
        assert entry.score == 3
        assert is_reached(entry.text, entry.meant)
    else:
        assert not is_reached(entry.text, entry.meant)
        assert any(help_ in d.hint for d in document(entry.text).diagnostics)
