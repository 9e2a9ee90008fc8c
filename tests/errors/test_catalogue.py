"""The catalogue is the one place that knows codes and their wording."""

from __future__ import annotations

import re
from collections import Counter
from inspect import getmembers, isfunction
from pathlib import Path

from pdedsl import errors
from pdedsl.errors.base import Code

PACKAGE = Path(errors.__file__).parents[1]
CATALOGUE = Path(errors.__file__).parent
OUTSIDE = [p.read_text("utf-8") for p in PACKAGE.rglob("*.py") if CATALOGUE not in p.parents]


def test_no_code_stands_elsewhere() -> None:
    assert len(OUTSIDE) > 100
    assert [found for text in OUTSIDE for found in re.findall(r"""["'][EW]\d{3}["']""", text)] == []


def test_no_diagnostic_is_made_elsewhere() -> None:
    own = (CATALOGUE.parent / "diagnostics" / "diagnostic.py").read_text("utf-8")
    assert [text[:80] for text in OUTSIDE if re.search(r"(?<!lsp\.)\bDiagnostic\(", text) and text != own] == []


def test_codes_are_unique() -> None:
    made = [v for family in errors.FAMILIES for v in vars(family).values() if isinstance(v, Code)]
    assert [name for name, n in Counter(code.name for code in set(made)).items() if n > 1] == []
    assert len(errors.codes()) > 110


def test_every_mistake_is_made_somewhere() -> None:
    called = {found for text in OUTSIDE for found in re.findall(r"\b(\w+)(?=\.(\w+))", text)}
    for family in errors.FAMILIES:
        name = family.__name__.rpartition(".")[2]
        own = [f for f, made in getmembers(family, isfunction) if made.__module__ == family.__name__ and f[0] != "_"]
        assert own
        assert [mistake for mistake in own if (name, mistake) not in called] == []
