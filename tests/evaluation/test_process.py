"""Evaluation in separate processes: two at once, and one that is killed and resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from training.test_process import finished, started, two

from pdedsl.evaluation.run import evaluate_run

ENV = {**os.environ, "OMP_NUM_THREADS": "1"}
SETTINGS = ("evaluate.attack=fgsm(eps=[0.1, 0.2, 0.3, 0.4])", "evaluate.certify=gaussian(n0=20, n=50)")


def command(run: Path, *options: str) -> list[str]:
    changes = [part for setting in SETTINGS for part in ("--set", setting)]
    return ["-m", "pdedsl", "evaluate", str(run), *changes, *options]


def report(run: Path) -> object:
    return json.loads((run / "evaluation" / "report.json").read_text("utf-8"))


@pytest.mark.long
def test_two_processes_and_one_that_is_killed(run: Path) -> None:
    """Two processes give the report of one; an evaluation that was killed is resumed."""
    evaluate_run(run, set=SETTINGS)
    whole, own = report(run), run / "evaluation" / "parts-0.jsonl"
    for code, _, err in [finished(process) for process in [started(command(run), env) for env in two()]]:
        assert code == 0, err
    assert report(run) == whole
    parts = sorted((run / "evaluation").glob("parts-*.jsonl"))
    assert [lines(part) for part in parts] == [5, 4]  # seven batches and two heads

    for file in (*parts, run / "evaluation" / "report.json"):
        file.unlink()
    process = subprocess.Popen([sys.executable, *command(run)], env=ENV, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (own.exists() and lines(own) > 2):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (run / "evaluation" / "report.json").exists()
    assert 2 < lines(own) < 8
    evaluate_run(run, set=SETTINGS, resume=True)
    assert report(run) == whole
    assert lines(own) == 8


def lines(file: Path) -> int:
    return file.read_bytes().count(b"\n")
