"""Command line end to end: output and exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import click
import pytest

from cli.commands import RIGHT, SPECS, rows, run, written
from pdedsl.cli import cli
from pdedsl.cli.common import deferred_warnings

NAMES = sorted(p.stem for p in SPECS.glob("*.pde"))


WRONG = RIGHT.replace("2Δu", "k Δu")


KEYS = {"file", "ok", "name", "hash", "diagnostics"}


DIAGNOSTIC = {"code", "severity", "message", "hint", "line", "column", "end_line", "end_column", "notes", "fixes"}


# Every command with arguments that work, so that none is forgotten.
FEW = ["--set", "train.epochs=1", "--set", "train.data.train=40", "--set", "train.data.test=20"]
DIGITS = ["--set", "train.data=digits(train=40, test=20)"]
FEATURES = ["--set", "realize.equation=features(n=100, bandwidth=4)", "--set", "evaluate.reference=grid(n=16)"]


COMMANDS = {
    "new": ["Mine", "--for", "equation", "--data", "heat", "-o", "{folder}/mine.pde"],
    "check": ["resnet"],
    "format": ["resnet"],
    "compile": ["--emit", "spec", "resnet"],
    "explain": ["resnet"],
    "draw": ["resnet"],
    "specs": [],
    "completion": ["bash"],
    "lsp": [],
    "mcp": [],
    "test": ["--examples", "1", "rotation"],
    "train": ["convection_diffusion", "-o", "{folder}/run", "--set", "train.epochs=1"],
    "evaluate": ["{run}", "--subset", "4"],
    "report": ["{run}", "-o", "{folder}/page.html"],
    "solve": ["wave", "-o", "{folder}/solution", *FEATURES],
    "crosscheck": ["wave", *FEATURES],
    "sweep": ["convection_diffusion", "-o", "{folder}/study", "--seeds", "1", *FEW],
    "push": ["{run}", "{folder}/shared"],
    "submit": ["convection_diffusion", "-o", "{folder}/job", "--slurm"],
    "reproduce": ["heat_smoothing", "-o", "{folder}/heat", "--dry-run", "--set", "space=image(1, 8, 8)", *DIGITS],
}


RUNNING = (
    "test",
    "train evaluate report push",
    "solve",
    "crosscheck",
    "sweep",
    "reproduce",
)  # networks and grids, one after another


# ---- check


def test_check_of_a_valid_spec(tmp_path: Path) -> None:
    path = written(tmp_path, RIGHT)
    done = run("check", path)
    assert done.stdout == f"{path}: Heat: no errors\n"
    assert done.stderr == ""


def test_check_of_an_invalid_spec(tmp_path: Path) -> None:
    path = written(tmp_path, WRONG)
    done = run("check", path, code=1)
    assert done.stdout == ""
    assert done.stderr.startswith(f"error[E201]: unknown name 'k'\n  --> {path}:5:9\n5 | ∂u/∂t = k Δu\n  |         ^\n")


def test_check_counts_warnings(tmp_path: Path) -> None:
    done = run("check", written(tmp_path, RIGHT + "const k = 1\n"))
    assert done.stdout.endswith("Heat: no errors, 1 warning\n")
    assert done.stderr.startswith("warning[W201]: 'k' is never used\n")


def test_check_of_several_files(tmp_path: Path) -> None:
    wrong, right = written(tmp_path, WRONG), written(tmp_path, RIGHT, "right.pde")
    done = run("check", "resnet", wrong, right, code=1)
    assert done.stdout == f"resnet.pde: ResNet: no errors\n{right}: Heat: no errors\n"


def test_check_reads_standard_input() -> None:
    assert run("check", "-", text=RIGHT).stdout == "<stdin>: Heat: no errors\n"
    assert "--> <stdin>:5:9" in run("check", "-", text=WRONG, code=1).stderr


def test_files_take_precedence_over_shipped_specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, RIGHT, "resnet")
    monkeypatch.chdir(tmp_path)
    assert run("check", "resnet").stdout == "resnet: Heat: no errors\n"


def test_json_of_a_valid_spec() -> None:
    [row] = rows("resnet")
    assert row.keys() >= KEYS
    assert (row["file"], row["ok"], row["name"], row["diagnostics"]) == ("resnet", True, "ResNet", [])
    assert len(str(row["hash"])) == 16


def test_json_of_an_invalid_spec() -> None:
    [row] = rows("-", text=WRONG, code=1)
    assert row.keys() >= KEYS
    assert (row["file"], row["ok"], row["name"], row["hash"]) == ("-", False, None, None)
    [found] = row["diagnostics"]  # type: ignore[misc]
    assert found.keys() == DIAGNOSTIC
    assert (found["code"], found["severity"], found["message"]) == ("E201", "error", "unknown name 'k'")
    assert [found[k] for k in ("line", "column", "end_line", "end_column")] == [5, 9, 5, 10]


def test_json_of_related_locations() -> None:
    [row] = rows("-", text=RIGHT.replace("u(x, 0) = 0", "u(x, 0) = [1, 2]"), code=1)
    [found] = row["diagnostics"]  # type: ignore[misc]
    assert found["code"] == "E301"
    [note] = found["notes"]
    assert note == {"label": "this is a scalar", "line": 6, "column": 1, "end_line": 6, "end_column": 8}


def test_json_of_a_warning() -> None:
    [row] = rows("-", text=RIGHT + "const k = 1\n")
    assert row["ok"]
    [found] = row["diagnostics"]  # type: ignore[misc]
    assert (found["code"], found["severity"], found["line"], found["column"]) == ("W201", "warning", 7, 7)


def test_json_is_one_line_per_file(tmp_path: Path) -> None:
    found = rows("resnet", str(tmp_path), str(tmp_path / "none.pde"), code=1)
    assert [row["ok"] for row in found] == [True, False, False]
    assert [d["code"] for row in found for d in row["diagnostics"]] == ["E002", "E001"]  # type: ignore[attr-defined]


def test_columns_and_line_endings() -> None:
    [row] = rows("-", text="\ufeff" + WRONG.replace("\n", "\r\n").replace("k Δu", "½ 𝑘 Δu"), code=1)
    [found] = row["diagnostics"]  # type: ignore[misc]
    assert (found["line"], found["column"], found["end_column"]) == (5, 11, 12)


# ---- the other commands


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["canonical", "latex"])
def test_emit_is_independent_of_the_hash_seed(stage: str) -> None:
    first = run("compile", "--emit", stage, "wave").stdout
    assert first
    assert first.endswith("\n")
    command = [sys.executable, "-m", "pdedsl", "compile", "--emit", stage, "wave"]
    for seed in "12":
        env = {**os.environ, "PYTHONHASHSEED": seed}
        assert subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=True).stdout == first


def test_compile_of_an_invalid_spec() -> None:
    assert "error[E201]" in run("compile", "-", text=WRONG, code=1).stderr


def test_specs_lists_titles_and_prints_one() -> None:
    lines = run("specs").stdout.splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert next(line for line in lines if line.startswith("wave ")).endswith("Wave equation, periodic in space")
    assert run("specs", "wave").stdout == (SPECS / "wave.pde").read_text("utf-8")
    assert "no shipped spec 'wav'" in run("specs", "wav", code=2).stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    script = run("completion", shell).stdout
    assert "_PDEDSL_COMPLETE" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, encoding="utf-8", check=True)


def test_completion_offers_commands_options_and_specs() -> None:
    words = {"pdedsl ": {"check", "specs"}, "pdedsl check res": {"resnet"}, "pdedsl format --": {"--ascii", "--check"}}
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'pdedsl'; from pdedsl.cli import main; main()"]
    for line, wanted in words.items():
        count = str(len(line.split(" ")) - 1)
        env = {**os.environ, "_PDEDSL_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": count}
        done = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=True)
        assert {row.split(",")[-1] for row in done.stdout.split()} >= wanted, line


def test_version_and_help() -> None:
    import pdedsl

    assert run("--version").stdout == f"pdedsl, version {pdedsl.__version__}\n"
    text = run("--help").stdout
    assert all(command in text for command in COMMANDS)
    for command in COMMANDS:
        assert "Examples:\n" in run(command, "--help").stdout


def test_every_command_is_tested() -> None:
    assert {*COMMANDS, "lsp", "mcp"} == set(cli.commands)  # servers by their protocols, in tests/lsp and tests/mcp


@pytest.mark.parametrize("commands", [c for c in COMMANDS if c not in " ".join(RUNNING).split()])
def test_every_command_runs(commands: str, tmp_path: Path) -> None:
    for word in commands.split():
        done = run(word, *(w.format(folder=tmp_path, run=tmp_path / "run") for w in COMMANDS[word]))
        assert bool(done.stdout) == (word not in ("lsp", "mcp"))  # servers without a request


@pytest.mark.long
@pytest.mark.parametrize("commands", RUNNING)
def test_run_networks_and_grids(commands: str, tmp_path: Path) -> None:
    test_every_command_runs(commands, tmp_path)


# ---- usage


@pytest.mark.parametrize("line", ["chek", "check", "check --jsn resnet", "compile --emit nn resnet", "completion tcsh"])
def test_usage_errors(line: str) -> None:
    done = run(*line.split(), code=2)
    assert done.stdout == ""
    assert "Usage: " in done.stderr
    assert "Error: " in done.stderr


def test_no_command_shows_help() -> None:
    done = run(code=2)
    assert "Commands:" in done.stdout + done.stderr


def test_library_warnings_are_deferred(capsys: pytest.CaptureFixture[str]) -> None:
    with deferred_warnings():
        warnings.warn("deprecated\nand a long story", FutureWarning, stacklevel=1)
        click.echo("row 1")
        assert capsys.readouterr() == ("row 1\n", "")
        warnings.warn("deprecated", FutureWarning, stacklevel=1)
    assert capsys.readouterr() == ("", "library warning: deprecated\n")
