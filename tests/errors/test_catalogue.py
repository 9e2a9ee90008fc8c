"""The catalogue of diagnostics: codes are unique, defined only there, and used."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from pdedsl import errors
from pdedsl.errors.base import Code

PACKAGE = Path(errors.__file__).parents[1]
CATALOGUE = Path(errors.__file__).parent
OUTSIDE = [p.read_text("utf-8") for p in PACKAGE.rglob("*.py") if CATALOGUE not in p.parents]


def test_codes_occur_only_in_the_catalogue() -> None:
    assert len(OUTSIDE) > 100
    assert [found for text in OUTSIDE for found in re.findall(r"""["'][EW]\d{3}["']""", text)] == []


def test_diagnostics_are_created_only_in_the_catalogue() -> None:
    own = (CATALOGUE.parent / "diagnostics" / "diagnostic.py").read_text("utf-8")
    assert [text[:80] for text in OUTSIDE if re.search(r"(?<!lsp\.)\bDiagnostic\(", text) and text != own] == []


def test_codes_are_unique() -> None:
    made = [v for family in errors.FAMILIES for v in vars(family).values() if isinstance(v, Code)]
    assert [name for name, n in Counter(code.name for code in set(made)).items() if n > 1] == []
    assert len(errors.codes()) > 110


def test_every_constructor_is_used() -> None:
    called = {found for text in OUTSIDE for found in re.findall(r"\b(\w+)(?=\.(\w+))", text)}
    for family in errors.FAMILIES:
        name = family.__name__.rpartition(".")[2]
        text = Path(family.__file__ or "").read_text("utf-8")
        own = [*re.findall(r"^def ([a-z]\w*)", text, re.M), *re.findall(r"^([a-z]\w*) = \w+(?:\.\w+)?\(", text, re.M)]
        assert own
        assert [constructor for constructor in own if (name, constructor) not in called] == []
