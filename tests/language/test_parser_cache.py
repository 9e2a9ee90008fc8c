"""The cache of LALR tables: a corrupt or foreign cache does not change the meaning of a spec."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pdedsl
from pdedsl.language import parser

TEXT = "pde P\nspace x in R\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = 3Δu - 2Δu\nu(x, 0) = 1\n"


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of this test for what Python compiles, with the tables in it."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    hashed()
    [path] = tmp_path.rglob("grammar-*.json")
    yield path
    forget()


def forget() -> None:
    parser.parser.cache_clear()
    parser.scanner.cache_clear()


def hashed() -> str:
    """The meaning of the text, to a process that has just begun."""
    forget()
    return pdedsl.parse(TEXT).hash


def test_corruption_is_detected(kept: Path) -> None:
    meant, whole = hashed(), kept.read_text("utf-8")
    for spoilt in ("", "{}", whole[:1000], whole + " ", whole.replace("PLUS", "MINUS")):
        kept.write_text(spoilt, "utf-8")
        assert hashed() == meant
        assert kept.read_text("utf-8") != spoilt
    assert [p.name for p in kept.parent.iterdir()] == [kept.name]


def test_no_other_folder_is_used(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A poison that works where the program itself could be changed does nothing in a folder of caches."""
    meant, (_, _, text) = hashed(), kept.read_text("utf-8").partition("\n")
    wrong = text.replace('"name": "PLUS"', '"name": "?"').replace('"name": "MINUS"', '"name": "PLUS"')
    wrong = wrong.replace('"name": "?"', '"name": "MINUS"')
    poison = f"{parser.digest(wrong)}\n{wrong}"
    kept.write_text(poison, "utf-8")
    assert hashed() != meant
    kept.unlink()
    for variable in ("XDG_CACHE_HOME", "HOME", "TMPDIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
        for place in ("pdedsl", ".cache/pdedsl", "."):
            (tmp_path / variable / place).mkdir(parents=True, exist_ok=True)
            (tmp_path / variable / place / kept.name).write_text(poison, "utf-8")
    assert hashed() == meant


def test_unwritable_folder_is_tolerated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meant = hashed()
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "file" / "below"))
    assert hashed() == meant
