"""Batch scripts for Slurm."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from pdedsl.cli import cli

SWEEP = "\nsweep {\n  train.seed in 0..3\n}\n"


def submit(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["submit", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_script_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = ("--set", "train.epochs=2", "--gpus", "1", "--time", "4:00:00", "--partition", "gpu")
    output = submit("convection_diffusion", "-o", "my run", "--slurm", *settings)
    assert output == "wrote my run.sbatch; submit it with: sbatch 'my run.sbatch'\n"
    script = (tmp_path / "my run.sbatch").read_text("utf-8")
    lines = script.splitlines()
    assert {"#SBATCH --gres=gpu:1", "#SBATCH --time=4:00:00", "#SBATCH --partition=gpu"} <= {*lines}
    assert lines[-2:] == [
        "srun python -m pdedsl train convection_diffusion -o 'my run' --resume --set train.epochs=2",
        "srun python -m pdedsl evaluate 'my run'",
    ]
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def test_tasks_share_a_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = CliRunner().invoke(cli, ["specs", "convection_diffusion"]).output
    (tmp_path / "my.pde").write_text(text + SWEEP, "utf-8")
    submit("my.pde", "-o", "study", "--slurm", "--tasks", "4")
    lines = (tmp_path / "study.sbatch").read_text("utf-8").splitlines()
    assert "#SBATCH --array=0-3" in lines
    assert lines[-1] == "srun python -m pdedsl sweep my.pde -o study"
    done = CliRunner().invoke(cli, ["submit", "convection_diffusion", "-o", "run", "--slurm", "--tasks", "2"])
    assert done.exit_code == 2
    assert "needs a spec with a `sweep` block" in done.output
