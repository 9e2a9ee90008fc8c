"""Parts of an evaluation: kept as they come, used again for the very same and for nothing else."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from pdedsl.distributed import World
from pdedsl.evaluation import engine as engines
from pdedsl.evaluation.engine import Engine, EvaluationProgress, Stopped
from pdedsl.evaluation.model_under_test import Subject
from pdedsl.evaluation.partial_results import kept
from pdedsl.evaluation.protocol import measurements
from pdedsl.evaluation.unparse import block_of
from pdedsl.io import RunError
from pdedsl.runtime.sde.noise import GaussianNoise

WANTED = tuple(measurements(block_of("attack pgd(eps=0.3, steps=2), fgsm(eps=0.1)"), range(2)))
WHAT = tuple(what for what in WANTED if "audit" not in what.key)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "BATCH", 25)


@pytest.fixture
def subject(linear: tuple[nn.Linear, Tensor, Tensor]) -> tuple[Subject, Tensor, Tensor]:
    """A network with noise of its own: columns are the same only if every draw is."""
    model, x, y = linear
    noisy = nn.Sequential(GaussianNoise(0.5, seed=1), model).double().eval()
    return Subject(noisy), x[:60], y[:60]


def columns(
    case: tuple[Subject, Tensor, Tensor],
    folder: Path,
    *,
    resume: bool = False,
    stop: int | None = None,
    world: World | None = None,
    identity: str = "this",
) -> tuple[dict[str, object], list[EvaluationProgress]]:
    heard: list[EvaluationProgress] = []
    subject, x, y = case
    world = world or World(torch.device("cpu"))
    with kept(folder, identity, resume, world.rank, world.size) as parts:
        halt = lambda: stop is not None and len(heard) >= stop  # noqa: E731
        engine = Engine(subject, x, y, 5, parts, world, (heard.append,), halt)
        return dict(engine.run(WHAT)), heard


@pytest.mark.parametrize("stop", [0, 1, 7, 14])
def test_stopped_and_resumed(subject: tuple[Subject, Tensor, Tensor], tmp_path: Path, stop: int) -> None:
    whole, heard = columns(subject, tmp_path)
    assert len(heard) == 15  # five measurements of three batches
    with pytest.raises(Stopped):
        columns(subject, tmp_path, stop=stop)
    part = tmp_path / "parts-0.jsonl"
    assert len(part.read_text("utf-8").splitlines()) == 1 + stop
    with part.open("a") as file:
        file.write('{"key": "natural", "ba')  # killed while it wrote
    again, _ = columns(subject, tmp_path, resume=True)
    assert again == whole
    assert len([json.loads(line) for line in part.read_text("utf-8").splitlines()]) == 16


def test_batches_are_independent(subject: tuple[Subject, Tensor, Tensor], tmp_path: Path) -> None:
    """The columns of a batch do not depend on what was measured before it, or in which process."""
    columns(subject, tmp_path)
    part = tmp_path / "parts-0.jsonl"
    lines = part.read_text("utf-8").splitlines(keepends=True)
    part.write_text("".join([lines[0], *lines[:0:-2]]), "utf-8")  # every other batch is forgotten
    columns(subject, tmp_path, resume=True)
    assert sorted(part.read_text("utf-8").splitlines(keepends=True)) == sorted(lines)


def test_two_processes_share_the_batches(subject: tuple[Subject, Tensor, Tensor], tmp_path: Path) -> None:
    """What two processes leave behind is what one measures."""
    whole, _ = columns(subject, tmp_path / _made(tmp_path, "one"))
    both = tmp_path / _made(tmp_path, "two")
    for rank in range(2):
        with pytest.raises(Exception, match="process group"):  # there is nobody to gather from
            columns(subject, both, world=World(torch.device("cpu"), rank, 2))
    sizes = [len((both / f"parts-{rank}.jsonl").read_text("utf-8").splitlines()) for rank in range(2)]
    assert sizes == [9, 8]
    again, _ = columns(subject, both, resume=True)
    assert again == whole
    assert len((both / "parts-0.jsonl").read_text("utf-8").splitlines()) == 9


def _made(folder: Path, name: str) -> str:
    (folder / name).mkdir()
    return name


def test_others_are_refused(subject: tuple[Subject, Tensor, Tensor], tmp_path: Path) -> None:
    columns(subject, tmp_path)
    with pytest.raises(RunError, match="holds another evaluation"):
        columns(subject, tmp_path, resume=True, identity="other")
    columns(subject, tmp_path, identity="other")
    _, heard = columns(subject, tmp_path, resume=True, identity="other")
    assert len(heard) == 15


def test_rows_that_are_none_are_measured_anew(subject: tuple[Subject, Tensor, Tensor], tmp_path: Path) -> None:
    whole, _ = columns(subject, tmp_path)
    path = tmp_path / "parts-0.jsonl"
    head, first, second, third, *others = path.read_text().splitlines()
    crafted = [
        json.dumps(json.loads(first) | {"columns": {}}),
        json.dumps(json.loads(second) | {"columns": {"label": 3}}),
    ]
    path.write_text("\n".join([head, *crafted, "[" * 100_000, third, *others]) + "\n")
    again, heard = columns(subject, tmp_path, resume=True)
    assert again == whole
    assert len(heard) == 15


def test_what_more_processes_left_is_removed(subject: tuple[Subject, Tensor, Tensor], tmp_path: Path) -> None:
    """An evaluation by two processes, another one by one, and that one resumed."""
    columns(subject, tmp_path, identity="old")
    (tmp_path / "parts-0.jsonl").rename(tmp_path / "parts-1.jsonl")
    with pytest.raises(Stopped):
        columns(subject, tmp_path, stop=1)
    assert not (tmp_path / "parts-1.jsonl").exists()
    assert len(columns(subject, tmp_path, resume=True)[1]) == 15


def test_progress_is_told(subject: tuple[Subject, Tensor, Tensor], tmp_path: Path) -> None:
    _, heard = columns(subject, tmp_path)
    assert [t.done for t in heard] == list(range(1, 16))
    assert {(t.of, t.batches) for t in heard} == {(15, 3)}
    assert all(t.share is not None and 0.0 <= t.share <= 1.0 for t in heard)


def test_a_full_disk_is_named_and_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; what did not fit is measured anew."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with kept(tmp_path, "identity", resume=False) as parts:
            parts.add(("natural", 0), {"loss": [1.0]})
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
            with pytest.raises(OSError, match=r"parts-0\.jsonl"):
                parts.add(("natural", 1), {"loss": [2.0] * 99})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with kept(tmp_path, "identity", resume=True) as parts:
        assert dict(parts.known) == {("natural", 0): {"loss": [1.0]}}
        parts.add(("natural", 1), {"loss": [3.0]})
    with kept(tmp_path, "identity", resume=True) as parts:
        assert len(parts.known) == 2
