"""`pdedsl train` on the command line: output and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from texts import changed

from pdedsl.cli import cli
from training import specs


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "moons.pde").write_text(specs.MOONS, "utf-8")
    return tmp_path


def train(*arguments: str, spec: str = "moons.pde") -> Result:
    return CliRunner().invoke(cli, ["train", spec, "-o", "run", *arguments])


@pytest.mark.usefixtures("drawn")
def test_a_run_writes_the_listed_files(folder: Path) -> None:
    done = train("--set", "train.epochs=2")
    assert done.exit_code == 0, done.output
    *_, named, evaluate = done.output.splitlines()
    assert evaluate.endswith("pdedsl evaluate run")
    named = named.removeprefix("run/: ").split(", ")
    assert all((folder / "run" / name).exists() for name in named)
    assert "epochs    2" in (folder / "run" / "spec.pde").read_text("utf-8")
    report = (folder / "run" / "report.md").read_text("utf-8")
    assert "![" in report
    assert "boundary.png" in report


def test_the_usage_of_the_report_runs(folder: Path) -> None:
    assert train("--set", "train.epochs=1").exit_code == 0
    report = (folder / "run" / "report.md").read_text("utf-8")
    code = report.split("```python\n")[1].split("```")[0]
    import torch

    scope: dict[str, object] = {"x": torch.zeros(3, 2)}
    exec(code, scope)
    assert torch.allclose(scope["probabilities"].sum(-1), torch.ones(3))  # type: ignore[attr-defined]


def test_a_wrong_entry_has_a_caret(folder: Path) -> None:
    done = train("--set", "train.optimizer=sdg")
    assert done.exit_code == 1
    assert "did you mean 'sgd'?" in done.output
    assert "^^^" in done.output
    assert not (folder / "run").exists()


def test_a_wrong_path_has_a_caret(folder: Path) -> None:
    done = train("--set", "train.epoch=3")
    assert done.exit_code == 1
    assert "--set" in done.output
    assert "epochs" in done.output


def test_a_full_folder_is_refused(folder: Path) -> None:
    assert train("--set", "train.epochs=1").exit_code == 0
    done = train()
    assert done.exit_code == 2
    assert "--resume" in done.output


def test_divergence_is_said(folder: Path) -> None:
    done = train("--set", "train.optimizer=sgd(lr=1e30)", "--set", "train.epochs=50")
    assert done.exit_code == 1
    assert "NaN or infinite" in done.output
    assert "smaller learning rate" in done.output


def test_data_that_is_not_there(folder: Path) -> None:
    done = CliRunner().invoke(
        cli, ["train", "resnet", "-o", "run", "--data", "empty", "--set", 'train.data=npz("a.npz")']
    )
    assert done.exit_code == 1
    assert "a.npz" in done.output


@pytest.mark.long
def test_a_compiled_network_learns_the_same(folder: Path) -> None:
    from training.test_resume import figures

    small = changed(specs.MOONS, ("width=16, depth=2", "width=4, depth=1"), ("steps=4", "steps=1"))
    (folder / "moons.pde").write_text(small, "utf-8")
    assert train("--set", "train.epochs=1", "--compile").exit_code == 0
    assert CliRunner().invoke(cli, ["train", "moons.pde", "-o", "b", "--set", "train.epochs=1"]).exit_code == 0
    for one, other in zip(figures(folder / "run"), figures(folder / "b"), strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=1e-4)


def test_weights_of_another_run_are_a_start(folder: Path) -> None:
    assert train("--set", "train.epochs=20").exit_code == 0
    done = CliRunner().invoke(cli, ["train", "moons.pde", "-o", "b", "--from", "run", "--set", "train.epochs=1"])
    assert done.exit_code == 0, done.output
    from training.test_resume import figures

    assert figures(folder / "b")[0]["loss"] < 0.7 * figures(folder / "run")[0]["loss"]


def test_weights_that_do_not_fit(folder: Path) -> None:
    assert train("--set", "train.epochs=1").exit_code == 0
    (folder / "wide.pde").write_text(specs.MOONS.replace("width=16", "width=24"), "utf-8")
    done = CliRunner().invoke(cli, ["train", "wide.pde", "-o", "b", "--from", "run"])
    assert done.exit_code == 2
    assert "do not fit" in done.output
    assert not (folder / "b").exists()
