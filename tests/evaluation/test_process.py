"""Evaluation in two processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from killing.processes import finish, start_two

from pdedsl.evaluation.run import evaluate_run

SETTINGS = ("evaluate.attack=fgsm(eps=[0.1, 0.2, 0.3, 0.4])", "evaluate.certify=gaussian(n0=20, n=50)")


def command(run: Path, *options: str) -> list[str]:
    changes = [part for setting in SETTINGS for part in ("--set", setting)]
    return ["-m", "pdedsl", "evaluate", str(run), *changes, *options]


def report(run: Path) -> dict[str, object]:
    """The report without its run times."""
    entries: dict[str, object] = json.loads((run / "evaluation" / "report.json").read_text("utf-8"))
    del entries["seconds"], entries["cost"]
    return entries


@pytest.mark.long
def test_two_processes_give_the_report_of_one(run: Path) -> None:
    evaluate_run(run, set=SETTINGS)
    whole = report(run)
    for code, _, err in map(finish, start_two(command(run))):
        assert code == 0, err
    assert report(run) == whole
    parts = sorted((run / "evaluation").glob("parts-*.jsonl"))
    assert [part.read_bytes().count(b"\n") for part in parts] == [5, 4]  # seven batches and two heads
