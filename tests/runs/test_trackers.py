"""Experiment trackers: settings once, metrics of each reported step, the end."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from training.specs import MOONS

import pdedsl
from pdedsl.io import RunError
from pdedsl.runs.metrics import read_metrics
from pdedsl.runs.trackers import TrackerLog, open_tracker


class Recorder:
    """A tracker that keeps what it receives."""

    def __init__(self) -> None:
        self.started: list[tuple[str, Mapping[str, str]]] = []
        self.rows: list[tuple[Mapping[str, float], int]] = []
        self.outcomes: list[str] = []

    def start(self, name: str, parameters: Mapping[str, str]) -> None:
        self.started.append((name, parameters))

    def log(self, metrics: Mapping[str, float], step: int) -> None:
        self.rows.append((metrics, step))

    def finish(self, outcome: str) -> None:
        self.outcomes.append(outcome)


def test_a_tracker_receives_the_metrics_of_the_run(tmp_path: Path) -> None:
    tracker = Recorder()
    log = TrackerLog(tracker, tmp_path / "run", MOONS)
    pdedsl.train(MOONS, tmp_path / "run", set=("train.epochs=2",), listeners=(log,))
    ((name, parameters),) = tracker.started
    assert name == "Moons run"
    assert parameters["hash"] == pdedsl.load(tmp_path / "run" / "spec.pde").hash
    assert parameters["spec"] == MOONS
    rows = read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert [step for _, step in tracker.rows] == [row["step"] for row in rows]
    losses = [metrics[f"loss/{row['split']}"] for (metrics, _), row in zip(tracker.rows, rows, strict=True)]
    assert losses == [row["loss"] for row in rows]
    assert tracker.outcomes == ["finished"]


@pytest.mark.parametrize("name", ["mlflow", "wandb"])
def test_trackers_need_their_packages(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(RunError, match=f"pip install {name}"):
        open_tracker(name)
