"""Partial results of an evaluation: saved per batch, reused for the same evaluation only."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from pdedsl.evaluation import engine as engines
from pdedsl.evaluation.engine import EvaluationEngine
from pdedsl.evaluation.evaluate import parse_evaluate_block
from pdedsl.evaluation.measure import Columns, EvaluatedModel
from pdedsl.evaluation.partial_results import open_partial_results
from pdedsl.evaluation.protocol import measurements
from pdedsl.io import RunError, RunInterrupted
from pdedsl.runs.distributed import World
from pdedsl.runs.events import MeasurementProgress
from pdedsl.runtime.sde.noise import GaussianNoise

WANTED = tuple(measurements(parse_evaluate_block("attack pgd(eps=0.3, steps=2), fgsm(eps=0.1)"), range(2)))
WHAT = tuple(what for what in WANTED if "audit" not in what.key)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "BATCH_SIZE", 25)


@pytest.fixture
def subject(linear: tuple[nn.Linear, Tensor, Tensor]) -> tuple[EvaluatedModel, Tensor, Tensor]:
    """A stochastic network: columns are equal only if all noise samples are."""
    model, x, y = linear
    noisy = nn.Sequential(GaussianNoise(0.5, seed=1), model).double().eval()
    return EvaluatedModel(noisy), x[:60], y[:60]


def columns(
    case: tuple[EvaluatedModel, Tensor, Tensor],
    folder: Path,
    *,
    resume: bool = False,
    stop: int | None = None,
    world: World | None = None,
    identity: str = "this",
) -> tuple[dict[str, object], list[MeasurementProgress]]:
    events: list[MeasurementProgress] = []
    subject, x, y = case
    world = world or World(torch.device("cpu"))
    with open_partial_results(folder, identity, resume, world.rank, world.size) as parts:
        halt = lambda: stop is not None and len(events) >= stop  # noqa: E731
        engine = EvaluationEngine(subject, x, y, 5, parts, world, (events.append,), halt)
        return {key: timeless(values) for key, values in engine.run(WHAT).items()}, events


def timeless(columns: Columns) -> dict[str, object]:
    return {name: values for name, values in columns.items() if name != "seconds"}


@pytest.mark.parametrize("stop", [0, 1, 7, 14])
def test_stopped_and_resumed(subject: tuple[EvaluatedModel, Tensor, Tensor], tmp_path: Path, stop: int) -> None:
    whole, events = columns(subject, tmp_path)
    assert len(events) == 15  # five measurements of three batches
    with pytest.raises(RunInterrupted):
        columns(subject, tmp_path, stop=stop)
    part = tmp_path / "parts-0.jsonl"
    assert len(part.read_text("utf-8").splitlines()) == 1 + stop
    with part.open("a") as file:
        file.write('{"key": "natural", "ba')  # killed while it wrote
    again, _ = columns(subject, tmp_path, resume=True)
    assert again == whole
    assert len([json.loads(line) for line in part.read_text("utf-8").splitlines()]) == 16


def test_batches_are_independent(subject: tuple[EvaluatedModel, Tensor, Tensor], tmp_path: Path) -> None:
    """The columns of a batch do not depend on earlier measurements or on the process."""
    columns(subject, tmp_path)
    part = tmp_path / "parts-0.jsonl"
    lines = part.read_text("utf-8").splitlines(keepends=True)
    part.write_text("".join([lines[0], *lines[:0:-2]]), "utf-8")  # every other batch is forgotten
    columns(subject, tmp_path, resume=True)
    again = part.read_text("utf-8").splitlines()
    assert _rows(again) == _rows(lines)


def _rows(lines: list[str]) -> dict[tuple[str, int], dict[str, object]]:
    rows = [json.loads(line) for line in lines[1:]]
    return {(row["key"], row["batch"]): timeless(row["columns"]) for row in rows}


def test_two_processes_divide_the_batches(subject: tuple[EvaluatedModel, Tensor, Tensor], tmp_path: Path) -> None:
    """The results of two processes equal those of one."""
    whole, _ = columns(subject, tmp_path / _new_folder(tmp_path, "one"))
    both = tmp_path / _new_folder(tmp_path, "two")
    for rank in range(2):
        with pytest.raises(Exception, match="process group"):  # there is nobody to gather from
            columns(subject, both, world=World(torch.device("cpu"), rank, 2))
    sizes = [len((both / f"parts-{rank}.jsonl").read_text("utf-8").splitlines()) for rank in range(2)]
    assert sizes == [9, 8]
    again, _ = columns(subject, both, resume=True)
    assert again == whole
    assert len((both / "parts-0.jsonl").read_text("utf-8").splitlines()) == 9


def _new_folder(folder: Path, name: str) -> str:
    (folder / name).mkdir()
    return name


def test_results_of_another_evaluation_are_rejected(
    subject: tuple[EvaluatedModel, Tensor, Tensor], tmp_path: Path
) -> None:
    columns(subject, tmp_path)
    with pytest.raises(RunError, match="contains another evaluation"):
        columns(subject, tmp_path, resume=True, identity="other")
    columns(subject, tmp_path, identity="other")
    _, events = columns(subject, tmp_path, resume=True, identity="other")
    assert len(events) == 15


def test_invalid_lines_are_measured_again(subject: tuple[EvaluatedModel, Tensor, Tensor], tmp_path: Path) -> None:
    whole, _ = columns(subject, tmp_path)
    path = tmp_path / "parts-0.jsonl"
    head, first, second, third, *others = path.read_text().splitlines()
    invalid = [json.dumps(json.loads(first) | {"columns": {}}), second[:-9]]
    path.write_text("\n".join([head, *invalid, "[" * 100_000, third, *others]) + "\n")
    again, events = columns(subject, tmp_path, resume=True)
    assert again == whole
    assert len(events) == 15


def test_files_of_former_processes_are_removed(subject: tuple[EvaluatedModel, Tensor, Tensor], tmp_path: Path) -> None:
    """An evaluation by two processes, then another one by a single process, which is resumed."""
    columns(subject, tmp_path, identity="old")
    (tmp_path / "parts-0.jsonl").rename(tmp_path / "parts-1.jsonl")
    with pytest.raises(RunInterrupted):
        columns(subject, tmp_path, stop=1)
    assert not (tmp_path / "parts-1.jsonl").exists()
    assert len(columns(subject, tmp_path, resume=True)[1]) == 15


def test_progress_events(subject: tuple[EvaluatedModel, Tensor, Tensor], tmp_path: Path) -> None:
    _, events = columns(subject, tmp_path)
    assert [t.done for t in events] == list(range(1, 16))
    assert {(t.of, t.batches) for t in events} == {(15, 3)}
    assert all(t.accuracy is not None and 0.0 <= t.accuracy <= 1.0 for t in events)


def test_a_full_disk_raises_and_keeps_saved_batches(tmp_path: Path) -> None:
    """The disk is simulated by a limit on the file size; the batch that did not fit is measured again."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with open_partial_results(tmp_path, "identity", resume=False) as parts:
            parts.add(("natural", 0), {"loss": [1.0]})
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
            with pytest.raises(OSError, match=r"parts-0\.jsonl"):
                parts.add(("natural", 1), {"loss": [2.0] * 99})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with open_partial_results(tmp_path, "identity", resume=True) as parts:
        assert dict(parts.columns) == {("natural", 0): {"loss": [1.0]}}
        parts.add(("natural", 1), {"loss": [3.0]})
    with open_partial_results(tmp_path, "identity", resume=True) as parts:
        assert len(parts.columns) == 2
