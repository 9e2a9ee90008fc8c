"""Tests mirror the package: a test is found where the code that it tests is found."""

from __future__ import annotations

from pathlib import Path

import pytest

import pdedsl

TESTS = Path(__file__).parent
PACKAGE = Path(pdedsl.__file__).parent
# Not tests, but what they read and draw from: wrong specs, golden texts, the campaigns of `make fuzz` and `make kills`.
KEPT = {"bad", "golden", "fuzzing", "killing"}
# The product as a whole: its pages, its editors, its examples, its wheel, and this mirror.
WHOLE = set(
    "architecture contributing docs editors examples grammar_readme grammar_words packaging readme rooms vscode".split()
)


@pytest.mark.parametrize("folder", sorted(p.name for p in TESTS.iterdir() if p.is_dir() and p.name != "__pycache__"))
def test_every_folder_of_tests_has_a_room(folder: str) -> None:
    assert folder in KEPT or (PACKAGE / folder / "__init__.py").exists()


@pytest.mark.parametrize("name", sorted(p.stem.removeprefix("test_") for p in TESTS.glob("test_*.py")))
def test_a_file_beside_the_rooms_is_of_a_module_or_of_the_whole(name: str) -> None:
    assert name in WHOLE or (PACKAGE / f"{name}.py").exists()
