"""Logs of training metrics: metrics.jsonl and TensorBoard."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pdedsl.runs.events import Assessed, Event, HeldOutSplit, Saved, Stepped
from pdedsl.runs.metrics import MetricsLog, TensorBoardLog, read_metrics


def stepped(step: int, loss: float = 0.5) -> Stepped:
    return Stepped(step, 40, "data", step / 10, 4, {"fit": loss, "∇": 0.25}, loss, 0.9, 0.01, step * 0.1234)


def assessed(step: int) -> Assessed:
    return Assessed(step, step / 10, "data", HeldOutSplit.VALIDATION, 0.75, 0.8)


RUN: list[Event] = [event for step in (10, 20, 30, 40) for event in (stepped(step), assessed(step))]


def log(path: Path, events: list[Event], resume: int = 0) -> None:
    with MetricsLog(path, resume) as listener:
        for event in events:
            listener(event)


def test_rows_contain_the_values_of_the_events(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    log(path, [stepped(10), Saved(10, tmp_path), assessed(10)])
    assert read_metrics(path) == [
        {
            "kind": "step",
            "step": 10,
            "epoch": 1.0,
            "phase": "data",
            "split": "train",
            "loss": 0.5,
            "accuracy": 0.9,
            "terms": {"fit": 0.5, "∇": 0.25},
            "lr": 0.01,
            "seconds": 1.234,
        },
        {
            "kind": "assessed",
            "step": 10,
            "epoch": 1.0,
            "phase": "data",
            "split": "validation",
            "loss": 0.75,
            "accuracy": 0.8,
        },
    ]


def test_evaluations_are_there_where_they_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    log(path, [assessed(10), replace(assessed(20), evaluations=38.25)])
    plain, counted = read_metrics(path)
    assert "evaluations" not in plain
    assert counted["evaluations"] == 38.25


def test_a_line_is_there_when_the_call_returns(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    with MetricsLog(path) as listener:
        for count, event in enumerate(RUN, 1):
            listener(event)
            assert path.read_bytes().count(b"\n") == count


def test_non_finite_values_are_null(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    log(path, [stepped(1, float("nan")), stepped(2, float("inf"))])
    assert [row["loss"] for row in read_metrics(path)] == [None, None]
    for line in path.read_text("utf-8").splitlines():
        json.loads(line, parse_constant=pytest.fail)


@pytest.mark.parametrize(
    "damage", [b"", b'{"kind": "step", "st', b"\x00\x00\xff", b'{"kind": "step", "step": 50}', b"7\n"]
)
def test_a_resumed_log_is_the_uninterrupted_one(tmp_path: Path, damage: bytes) -> None:
    whole, resumed = tmp_path / "whole.jsonl", tmp_path / "resumed.jsonl"
    log(whole, RUN)
    log(resumed, RUN[:5])  # stopped between steps 30 and 40; the state saved last is that of step 20
    with resumed.open("ab") as file:
        file.write(damage)
    log(resumed, RUN[4:], resume=20)
    assert resumed.read_bytes() == whole.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["resumed.jsonl", "whole.jsonl"]


def test_complete_last_line_without_newline_is_kept(tmp_path: Path) -> None:
    whole, resumed = tmp_path / "whole.jsonl", tmp_path / "resumed.jsonl"
    log(whole, RUN)
    log(resumed, RUN[:4])
    resumed.write_bytes(resumed.read_bytes()[:-1])
    log(resumed, RUN[4:], resume=20)
    assert resumed.read_bytes() == whole.read_bytes()


def test_a_log_is_truncated_without_resume_and_created_on_resume(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    log(path, RUN[:2], resume=20)
    log(path, RUN[2:4])
    assert [row["step"] for row in read_metrics(path)] == [20, 20]


def scalars(folder: Path) -> dict[str, list[int]]:
    """The steps of each scalar that TensorBoard would show."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return {tag: [scalar.step for scalar in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def test_tensorboard_shows_terms_and_a_resumed_run_once(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    run = [replace(event, evaluations=14.0) if isinstance(event, Assessed) else event for event in RUN]
    log(tmp_path / "metrics.jsonl", run[:4])
    for events, rows in ((run[:5], []), (run[4:], read_metrics(tmp_path / "metrics.jsonl"))):
        with TensorBoardLog(tmp_path / "board", rows) as listener:
            assert listener.note == ""
            for event in events:
                listener(event)
    names = {"loss/train", "loss/validation", "accuracy/train", "accuracy/validation", "learning rate", "term/fit"}
    names |= {"evaluations/validation"}
    found = scalars(tmp_path / "board")
    assert names <= set(found)
    assert {tuple(found[name]) for name in names} == {(10, 20, 30, 40)}


def test_without_tensorboard_there_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with TensorBoardLog(tmp_path) as listener:
        listener(RUN[0])
        assert "not installed" in listener.note
    assert list(tmp_path.iterdir()) == []
