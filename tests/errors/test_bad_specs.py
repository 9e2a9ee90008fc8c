"""Reports of invalid specs, compared with golden files.

A file is named by the codes it must report and by its error: `e407_gap.pde` must report E407 and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import pdedsl
from pdedsl import errors
from pdedsl.compiler import check
from pdedsl.diagnostics import Diagnostic, PdeError, Source, report
from pdedsl.sources import decode_source

HERE = Path(__file__).parents[1] / "bad"
CASES = sorted(p for p in HERE.iterdir() if p.suffix in (".pde", ".txt"))
NAMED = re.compile(r"([ew]\d{3})_")
# Codes of files that cannot be read: in test_bad_files, which creates them.
IN_TEST_BAD_FILES = {"E001", "E002", "E003", "E006"}
# Names of the implementation, which no report may contain.
INTERNAL = re.compile(
    r"\b(None|True|False|Traceback|Error|Exception|self|lambda|tuple|dict|Token|Tree|NoneType|sympy|Python|Symbol|"
    r"Rational|Integer|Float|Mul|Pow|Dummy|NAME|NUMBER|LPAR|RPAR|NEWLINE|SUPERSCRIPT|EQUAL|Field|Partial|Abs|Max|Min)\b|\*\*"
)


def diagnose(path: Path) -> tuple[Source, tuple[Diagnostic, ...]]:
    """All diagnostics of a file, including warnings."""
    source = Source("")
    try:
        source = decode_source(path.read_bytes(), path.name)
        checked = check(source)
        if path.name.startswith("e6") and not checked.errors:
            pdedsl.compile(source.text).operator()
    except PdeError as error:
        return replace(error.source or source, name=path.name), error.diagnostics
    return source, checked.diagnostics


def expected_codes(path: Path) -> set[str]:
    return {code.upper() for code in NAMED.findall(path.name)}


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_report_and_its_places(path: Path, golden: Callable[[Path, str], None]) -> None:
    source, found = diagnose(path)
    text = report(source, found) + "\n"
    golden(path.with_suffix(".expected"), text)
    assert {d.code for d in found} == expected_codes(path)
    assert not INTERNAL.search(text.replace(source.text, "")), text
    for diagnostic in found:
        for span in (diagnostic.span, *(s for s, _ in diagnostic.notes)):
            assert 0 <= span.start <= span.end <= len(source.text), diagnostic


def test_every_code_has_a_case() -> None:
    used = {code.name for code in errors.codes() if not code.name.startswith("E7")}  # those are in test_bad_runs
    assert used == set().union(*map(expected_codes, CASES)) | IN_TEST_BAD_FILES


def test_every_golden_has_a_case() -> None:
    assert {p.stem for p in HERE.glob("*.expected")} == {p.stem for p in CASES}
    assert len(CASES) >= 90


def test_errors_are_reported_in_the_order_of_the_text() -> None:
    _, found = diagnose(HERE / "e312_e201_e510_e502_together.pde")
    assert [d.code for d in found] == ["E312", "E201", "E502", "E510"]
    assert list(found) == sorted(found, key=lambda d: d.span)
