"""The README: its snippets run, its installation works in a fresh environment, and it is short."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
MAX_LINES = 200  # a front page; the rest belongs to docs/
BACKWARD = """pde Backward
space x in R^2
time t in [0, 1]
unknown u(x, t) : scalar
const σ = 0.1

∂u/∂t = -σ²Δu
u(x, 0) = exp(-x₁²)
"""


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def plate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the first spec as plate.pde."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plate.pde").write_text(blocks("pde")[0], "utf-8")
    return tmp_path


def test_it_is_a_front_page() -> None:
    assert len(README.splitlines()) <= MAX_LINES
    assert all(f"## {title}" in README for title in ("Installation", "Comparison", "Limitations"))


def test_specs_have_no_warnings() -> None:
    assert [pdedsl.parse(text).warnings for text in blocks("pde")] == [(), ()]


def test_the_picture_is_that_of_the_first_spec() -> None:
    assert blocks("pde")[0] in (ROOT / "examples" / "plate.py").read_text("utf-8")


@pytest.mark.slow
def test_commands_run(plate: Path) -> None:
    _, commands = blocks("sh")
    for line in commands.strip().splitlines():
        done = CliRunner().invoke(cli, shlex.split(line)[1:])
        assert done.exit_code == 0, done.output
    assert (plate / "plate" / "report.md").is_file()
    for command in re.findall(r"`pdedsl (explain [a-z.]+|draw [a-z]+)`", README):
        assert CliRunner().invoke(cli, command.split()).exit_code == 0, command


@pytest.mark.slow
def test_python_snippets_run(plate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    solve, network = blocks("python")
    exec(solve, {})
    assert "holds" in capsys.readouterr().out
    assert (plate / "plate.png").is_file()
    exec(network, {})
    count, *_ = printed = capsys.readouterr().out.splitlines()
    assert f"# {count}" in network
    assert "no sign of gradient masking" in printed[-1]


def test_the_message_is_the_one_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.pde").write_text(BACKWARD, "utf-8")
    result = CliRunner().invoke(cli, ["check", "my.pde"])
    assert result.exit_code == 1
    assert result.stderr.strip() == blocks("text")[0].strip()


def test_make_targets_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"`make (\w+)`", README)
    assert targets
    assert all(f"\n{target}:" in makefile for target in targets)


def test_links_lead_somewhere() -> None:
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", README) if "://" not in target]
    assert len(targets) > 15
    assert all((ROOT / target).exists() for target in targets), targets


def test_the_citation_has_the_version_and_the_licence() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {pdedsl.__version__}\n" in citation
    assert "license: MIT\n" in citation
    assert {"cff-version", "message", "type", "title", "version", "license", "authors", "keywords"} == set(
        re.findall(r"^([\w-]+):", citation, re.MULTILINE)
    )


def test_docstring_of_the_package() -> None:
    found = doctest.testmod(pdedsl)
    assert found.attempted >= 3
    assert found.failed == 0


@pytest.mark.long
def test_installation(tmp_path: Path) -> None:
    """The commands of the README in a copy of the checkout, in a fresh environment beside the libraries of this one,
    which pip does not download again: tests/test_packaging.py compares imports with the declared dependencies."""
    environment = {**os.environ, "PYTHONPATH": next(p for p in sys.path if Path(p).name == "site-packages")}
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(tmp_path)], input=archive, check=True)
    for line in blocks("sh")[0].strip().splitlines():
        command = line.replace("python3 ", f"{shlex.quote(sys.executable)} ", 1)
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "plate.pde").write_text(blocks("pde")[0], "utf-8")
    found = subprocess.run(
        [tmp_path / ".venv" / "bin" / "pdedsl", "check", "plate.pde"],
        cwd=tmp_path / "elsewhere",
        env={"HOME": str(tmp_path), "PYTHONPATH": environment["PYTHONPATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout == "plate.pde: Plate: no errors\n", found.stderr
