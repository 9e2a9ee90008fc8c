"""A way out that a program can take leads out: each fix of each wrong spec is applied, and its mistake is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdedsl.diagnostics import Diagnostic
from pdedsl.editor import analysed
from pdedsl.fixes import Fix, applied, edits_in

BAD = Path(__file__).parents[1] / "bad"
CASES = sorted(BAD.glob("*.pde"))
FEWEST = 105  # of the wrong specs have a fix


def fixed(text: str) -> list[tuple[Diagnostic, Fix, str]]:
    found = analysed(text).diagnostics
    return [(d, fix, applied(text, edits_in(text, fix))) for d in found for fix in d.fixes]


def count(text: str, code: str) -> int:
    return sum(d.code == code for d in analysed(text).diagnostics)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_a_fix_takes_its_mistake_away(path: Path) -> None:
    text = path.read_text("utf-8")
    for diagnostic, fix, after in fixed(text):
        assert after != text, fix
        assert fix.title
        assert count(after, diagnostic.code) < count(text, diagnostic.code), after


def test_many_mistakes_have_a_fix() -> None:
    assert sum(bool(fixed(path.read_text("utf-8"))) for path in CASES) >= FEWEST
