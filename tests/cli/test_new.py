"""`pdedsl new`: the templates are valid, formatted, and run."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.compiler import check
from pdedsl.diagnostics import Source
from pdedsl.templates import SUBJECTS, Purpose, spec_from_template

EVERY = [
    (purpose, subject, noisy)
    for purpose, subjects in SUBJECTS.items()
    for subject in subjects
    for noisy in ((False,) if purpose is Purpose.EQUATION else (False, True))
]


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("purpose", "subject", "noisy"), EVERY)
def test_templates_are_valid_and_formatted(purpose: Purpose, subject: str, noisy: bool) -> None:
    text = spec_from_template("Mine", purpose, subject, noisy)
    assert check(Source(text)).diagnostics == ()
    assert pdedsl.format(text) == text


def test_prompts() -> None:
    result = CliRunner().invoke(cli, ["new", "Mine"], input="points\nmoons\ny\n")
    assert result.exit_code == 0, result.output
    assert result.output.count("?") == 3
    assert "pdedsl train Mine.pde -o run" in result.output
    assert Path("Mine.pde").read_text("utf-8") == spec_from_template("Mine", Purpose.POINTS, "moons", True)


@pytest.mark.parametrize(("purpose", "subject"), [("points", "moons"), ("equation", "heat")])
def test_suggested_commands(purpose: str, subject: str) -> None:
    result = CliRunner().invoke(cli, ["new", "Mine", "--for", purpose, "--data", subject, "--noise"])
    commands = [c.split()[1:] for c in result.output.partition("next: ")[2].split(", ")]
    commands.append(Path("Mine.pde").read_text("utf-8").splitlines()[0].partition("pdedsl ")[2].split())
    assert [verb for verb, *_ in commands] == ["explain", *["solve" if purpose == "equation" else "train"] * 2]
    for verb, *words in commands:
        cli.commands[verb].make_context(verb, words)  # a missing option would be an error


def test_own_file() -> None:
    result = CliRunner().invoke(cli, ["new", "Mine", "--for", "points", "--data", "blobs.npz", "--no-noise"])
    assert result.exit_code == 0, result.output
    text = Path("Mine.pde").read_text("utf-8")
    assert 'npz("blobs.npz")' in text
    assert "data.npz" not in text
    assert check(Source(text)).diagnostics == ()


def test_help_names_every_subject() -> None:
    shown = " ".join(CliRunner().invoke(cli, ["new", "--help"]).output.split())
    assert all(subject in shown for subjects in SUBJECTS.values() for subject in subjects)


def test_without_a_terminal() -> None:
    result = CliRunner().invoke(cli, ["new", "Mine"], input="")
    assert result.exit_code == 2
    assert "--for, --data" in result.output


def test_template_trains() -> None:
    CliRunner().invoke(cli, ["new", "Mine", "--for", "points", "--data", "moons", "--no-noise"])
    result = CliRunner().invoke(cli, ["train", "Mine.pde", "-o", "run", "--set", "train.epochs=3"])
    assert result.exit_code == 0, result.output
    assert pdedsl.Run.open("run").figures["test_accuracy"] > 0.7  # half of the labels are each class


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["poisson", "shape", "polygon"])
def test_template_solves(subject: str) -> None:
    CliRunner().invoke(cli, ["new", "Mine", "--for", "equation", "--data", subject])
    assert pdedsl.solve("Mine.pde", tol=1e-3).error.value < 1e-3


def test_comments_describe_the_files() -> None:
    text = spec_from_template("Mine", Purpose.EQUATION, "inverse", False)
    assert "# points.npz has the arrays x, t and u" in text
    assert "--trust" in spec_from_template("Mine", Purpose.IMAGES, "network", True).splitlines()[0]


def test_no_overwriting() -> None:
    Path("Mine.pde").write_text("mine")
    result = CliRunner().invoke(cli, ["new", "Mine", "--for", "equation", "--data", "heat"])
    assert result.exit_code == 2
    assert "--force" in result.output
    assert Path("Mine.pde").read_text() == "mine"


@pytest.mark.parametrize("words", [["two words"], ["Mine", "--for", "points", "--data", "cifar10"]])
def test_invalid_answers(words: list[str]) -> None:
    result = CliRunner().invoke(cli, ["new", *words])
    assert result.exit_code == 2
    assert not list(Path().glob("*.pde"))
