"""A command analyses a spec once and generates its code once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from training import specs

from pdedsl.analysis import analyze
from pdedsl.cli import cli
from pdedsl.codegen import python


def counted(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[object]:
    """The arguments of the calls of a function."""
    work: Callable[[Any], Any] = getattr(module, name)
    calls: list[object] = []

    def called(given: Any) -> Any:
        calls.append(given)
        return work(given)

    monkeypatch.setattr(module, name, called)
    return calls


def test_training_and_resuming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "moons.pde").write_text(specs.MOONS, "utf-8")
    run, calls = str(tmp_path / "run"), counted(monkeypatch, analyze, "analyze")
    for k, words in enumerate(
        (
            [str(tmp_path / "moons.pde"), "-o", run, "--set", "train.epochs=1"],
            [f"{run}/spec.pde", "-o", run, "--resume", "--set", "train.epochs=2"],
        ),
        1,
    ):
        assert CliRunner().invoke(cli, ["train", *words]).exit_code == 0
        assert len(calls) == k


def test_compiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, rendered = counted(monkeypatch, analyze, "analyze"), counted(monkeypatch, python, "to_python")
    assert CliRunner().invoke(cli, ["compile", "rotation", "-o", str(tmp_path / "rotation")]).exit_code == 0
    assert len(calls) == len(rendered) == 1
