"""The predicted cost of training."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pdedsl.cli import cli
from pdedsl.training.forecast import PhaseForecast, TrainingForecast, duration, forecast_training

FEW = {"train.data": "digits(train=100, test=20)", "train.steps": 7, "learn.base": "cnn(widths=[4])"}


def test_every_phase_is_measured() -> None:
    settings = {"space": "image(1, 8, 8)", **FEW}
    found = forecast_training("heat_smoothing", set=settings)
    assert [(phase.name, phase.steps) for phase in found.phases] == [("cross-entropy", 7), ("Gaussian average", 7)]
    assert all(phase.seconds_per_step > 0 for phase in found.phases)
    assert found.seconds == pytest.approx(sum(7 * phase.seconds_per_step for phase in found.phases))


def test_the_command_writes_nothing(tmp_path: Path) -> None:
    words = ["train", "convection_diffusion", "-o", str(tmp_path / "run"), "--dry-run", "--set", "train.data.train=40"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    assert "200 steps" in done.output  # epochs of one batch of 40 samples
    assert not (tmp_path / "run").exists()


def test_text() -> None:
    found = TrainingForecast((PhaseForecast("train", 1000, 0.36),), 10, "cpu")
    assert str(found).splitlines() == [
        "train: 1,000 steps, 0.36 s per step, 6 min",
        "10 parameters; training takes 6 min on cpu",
    ]
    assert [duration(s) for s in (0.25, 90, 150, 8000, 3.6e6)] == ["0.25 s", "90 s", "2.5 min", "2.2 h", "1,000 h"]
