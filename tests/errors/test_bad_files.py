"""Reports of `pdedsl check` for unreadable files, compared with golden files. The files are created by the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pdedsl.cli import cli

HERE = Path(__file__).parents[1] / "bad" / "files"


def missing(folder: Path) -> str:
    return "none.pde"


def misspelt(folder: Path) -> str:
    """Close to the name of a shipped spec."""
    return "burger.pde"


def directory(folder: Path) -> str:
    (folder / "specs").mkdir()
    return "specs"


def below_a_file(folder: Path) -> str:
    (folder / "heat.pde").write_text("pde Heat\n")
    return "heat.pde/below.pde"


def too_large(folder: Path) -> str:
    (folder / "large.pde").write_bytes(b"#" * ((1 << 20) + 1))
    return "large.pde"


def too_many_tokens(folder: Path) -> str:
    (folder / "long.pde").write_text("pde P\n" + "a " * 100_000)
    return "long.pde"


CASES: dict[str, Callable[[Path], str]] = {
    "e001_missing": missing,
    "e001_misspelt": misspelt,
    "e002_directory": directory,
    "e003_path_below_a_file": below_a_file,
    "e006_too_large": too_large,
    "e006_too_many_tokens": too_many_tokens,
}


@pytest.mark.parametrize("name", CASES)
def test_report(
    name: str, golden: Callable[[Path, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["check", CASES[name](tmp_path)])
    assert done.exit_code == 1
    golden(HERE / f"{name}.expected", done.stderr)
    assert done.stderr.startswith(f"error[{name[:4].upper()}]")
    assert done.stdout == ""


def test_every_golden_has_a_case() -> None:
    assert {p.stem for p in HERE.iterdir()} == set(CASES)
