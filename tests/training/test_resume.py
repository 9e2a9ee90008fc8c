"""Resumption: an interrupted run continues with bit-identical weights and logs."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import pdedsl
from pdedsl.io import RunError
from pdedsl.runs.checkpoint import load_tensors
from pdedsl.runs.events import Event, Saved, Started, Stepped
from training import specs

EVERY_KIND = {
    "moons": (specs.MOONS, ()),
    "noise": (specs.NOISY, ()),
    "residual": (specs.RESIDUAL, ()),
    "retraining": (specs.HEAT, ()),
    "regression": (specs.HEAT, ("realize.diffusion=heat_smoothing",)),
    "fresh retraining": (specs.HEAT, ("realize.diffusion.start=fresh",)),
    "images": (specs.DIGITS, ("train.augment=crop(1), gaussian(0.05)", "train.schedule=cosine(warmup=1)")),
    "adversary": (specs.DIGITS, ("train.adversary=pgd(eps=0.1, steps=2)", "train.epochs=1")),
    "lbfgs": (specs.NOISY, ("train.optimizer=adam(lr=1e-2), lbfgs(steps=4)",)),
}
every_kind = pytest.mark.parametrize("kind", EVERY_KIND)


class Crash(Exception):
    """As if the machine had gone."""


class CrashAfter:
    """Ends the process's work as soon as the state before a step is on disk."""

    def __init__(self, step: int) -> None:
        self.step = step

    def __call__(self, event: Event) -> None:
        if isinstance(event, Saved) and event.step == self.step:
            raise Crash


class Heard:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def figures(run: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text("utf-8").splitlines()]
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


def assert_same(one: Path, other: Path) -> None:
    first, second = (load_tensors(run / "weights.safetensors")[0] for run in (one, other))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert figures(one) == figures(other)


@every_kind
def test_a_crash_before_any_step_changes_nothing(kind: str, tmp_path: Path) -> None:
    text, settings = EVERY_KIND[kind]
    heard = Heard()
    pdedsl.train(text, tmp_path / "whole", set=settings, listeners=(heard,), save_seconds=0)
    steps = [event.step for event in heard.of(Saved)]
    for step in steps[:: max(1, len(steps) // 2)]:
        out = tmp_path / f"crashed-{step}"
        with pytest.raises(Crash):
            pdedsl.train(text, out, set=settings, save_seconds=0, listeners=(CrashAfter(step),))
        pdedsl.train(text, out, set=settings, resume=True)
        assert_same(out, tmp_path / "whole")


@pytest.fixture
def listening() -> Iterator[None]:
    """Ctrl-C as it is in a terminal: a process started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_ctrl_c_finishes_the_step_saves_and_can_go_on(tmp_path: Path) -> None:
    def interrupt(event: Event) -> None:
        if isinstance(event, Stepped) and event.step == 7:
            os.kill(os.getpid(), signal.SIGINT)

    stopped = pdedsl.train(specs.MOONS, tmp_path / "a", listeners=(interrupt,))
    assert stopped.outcome == "interrupted"
    assert not (tmp_path / "a" / "weights.safetensors").exists()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    opened, points = pdedsl.Run.open(tmp_path / "a"), torch.randn(5, 2)
    assert (opened.outcome, opened.message) == ("unfinished", "unfinished run: weights of step 8")
    assert torch.equal(opened.module(points), stopped.module(points))
    pdedsl.train(specs.MOONS, tmp_path / "a", resume=True)
    pdedsl.train(specs.MOONS, tmp_path / "b")
    assert_same(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("damage", ["cut", "bit", "empty"])
def test_the_newest_good_checkpoint_is_used(damage: str, tmp_path: Path) -> None:
    with pytest.raises(Crash):
        pdedsl.train(specs.MOONS, tmp_path / "a", save_seconds=0, listeners=(CrashAfter(9),))
    last = max((tmp_path / "a" / "checkpoints").glob("*.safetensors"))
    data = bytearray(last.read_bytes())
    if damage == "bit":
        data[-5] ^= 1
    last.write_bytes({"cut": data[: len(data) // 2], "bit": data, "empty": b""}[damage])
    heard = Heard()
    pdedsl.train(specs.MOONS, tmp_path / "a", resume=True, listeners=(heard,))
    [started] = heard.of(Started)
    assert started.resumed == 8
    assert any(last.name in note for note in started.notes)
    pdedsl.train(specs.MOONS, tmp_path / "b")
    assert_same(tmp_path / "a", tmp_path / "b")


def test_a_finished_run_has_nothing_left_to_do(tmp_path: Path) -> None:
    first = pdedsl.train(specs.MOONS, tmp_path / "a")
    again = pdedsl.train(specs.MOONS, tmp_path / "a", resume=True)
    assert again.figures == first.figures


def test_resuming_nothing_starts(tmp_path: Path) -> None:
    assert pdedsl.train(specs.MOONS, tmp_path / "a", resume=True).outcome == "finished"


def test_another_spec_is_refused_with_the_difference(tmp_path: Path) -> None:
    pdedsl.train(specs.MOONS, tmp_path / "a")
    before = {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()}
    with pytest.raises(RunError) as refusal:
        pdedsl.train(specs.MOONS, tmp_path / "a", resume=True, set=("train.batch=25",))
    assert "-  batch     50" in str(refusal.value)
    assert "+  batch     25" in str(refusal.value)
    assert {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()} == before


def test_a_longer_run_resumes_a_shorter_one(tmp_path: Path) -> None:
    pdedsl.train(specs.MOONS, tmp_path / "a", set=("train.epochs=4",))
    pdedsl.train(specs.MOONS, tmp_path / "a", resume=True)
    pdedsl.train(specs.MOONS, tmp_path / "b")
    first, second = (load_tensors(tmp_path / run / "weights.safetensors")[0] for run in "ab")
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_but_not_where_the_schedule_depends_on_the_length(tmp_path: Path) -> None:
    settings = ("train.schedule=cosine",)
    pdedsl.train(specs.MOONS, tmp_path / "a", set=(*settings, "train.epochs=2"))
    with pytest.raises(RunError, match="another spec"):
        pdedsl.train(specs.MOONS, tmp_path / "a", set=settings, resume=True)


def test_existing_files_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(RunError, match="not empty"):
        pdedsl.train(specs.MOONS, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_one_process_a_folder(tmp_path: Path) -> None:
    def intrude(event: Event) -> None:
        if isinstance(event, Started):
            with pytest.raises(RunError, match="another process"):
                pdedsl.train(specs.MOONS, tmp_path / "a", resume=True)

    pdedsl.train(specs.MOONS, tmp_path / "a", listeners=(intrude,))


# ---- nothing is lost


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_without_a_run_is_unchanged(tmp_path: Path) -> None:
    (tmp_path / "tensorboard").mkdir()
    for name in ("report.md", "spec.pde", "tensorboard/precious"):
        (tmp_path / name).write_text("mine")
    before = files(tmp_path)
    with pytest.raises(RunError, match="contains no run to resume"):
        pdedsl.train(specs.MOONS, tmp_path, resume=True)
    assert files(tmp_path) == before


def test_a_run_with_corrupt_checkpoints_is_unchanged(tmp_path: Path) -> None:
    pdedsl.train(specs.MOONS, tmp_path / "a", set=("train.epochs=1",))
    for path in (tmp_path / "a" / "checkpoints").iterdir():
        path.write_bytes(b"")
    before = files(tmp_path)
    with pytest.raises(RunError, match="no valid checkpoint"):
        pdedsl.train(specs.HEAT, tmp_path / "a", resume=True)
    assert files(tmp_path) == before


def test_a_spec_that_had_not_begun_is_the_spec_of_its_folder(tmp_path: Path) -> None:
    """Killed before the first checkpoint: the same spec starts, another one is refused."""
    (tmp_path / "spec.pde").write_text(specs.MOONS, "utf-8")
    with pytest.raises(RunError, match="another spec"):
        pdedsl.train(specs.HEAT, tmp_path, resume=True)
    assert pdedsl.train(specs.MOONS, tmp_path, resume=True, set=("train.epochs=1",)).outcome == "finished"


@pytest.mark.parametrize(
    ("text", "settings", "change"),
    [
        (specs.HEAT, (), "train.epochs=3"),
        (specs.MOONS, ("train.optimizer=adam(lr=1e-2), lbfgs(steps=2)", "train.epochs=1"), "train.epochs=2"),
        (specs.MOONS, ("train.schedule=step(at=[3])", "train.epochs=4"), "train.epochs="),
    ],
    ids=["retraining", "two optimizers", "another unit"],
)
def test_another_length_is_refused_if_it_changes_earlier_steps(
    text: str, settings: tuple[str, ...], change: str, tmp_path: Path
) -> None:
    pdedsl.train(text, tmp_path / "a", set=settings)
    changed = (*settings, change, *(("train.steps=40",) if change.endswith("=") else ()))
    with pytest.raises(RunError, match="another spec"):
        pdedsl.train(text, tmp_path / "a", set=changed, resume=True)


def test_a_shorter_length_than_was_trained_is_refused(tmp_path: Path) -> None:
    pdedsl.train(specs.MOONS, tmp_path / "a", set=("train.epochs=4",))
    before = files(tmp_path)
    with pytest.raises(RunError, match="at step 16"):
        pdedsl.train(specs.MOONS, tmp_path / "a", set=("train.epochs=2",), resume=True)
    assert files(tmp_path) == before


def test_an_empty_folder_of_the_user_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    with pytest.raises(RunError, match="is not a run folder"):
        pdedsl.train(specs.MOONS, tmp_path / "link", start=tmp_path / "nothere")
    assert (tmp_path / "mine").is_dir()
