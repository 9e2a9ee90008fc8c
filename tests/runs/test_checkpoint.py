"""Checkpoints: every flipped bit is detected."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import torch
from training.specs import MOONS

import pdedsl
from pdedsl.io import RunError
from pdedsl.runs.checkpoint import Checkpoint, CorruptCheckpoint, load_newest, load_tensors, save, save_tensors

TENSORS = {"a": torch.arange(12, dtype=torch.float64).reshape(3, 4), "model.b": torch.ones(5, dtype=torch.int64)}
PLAIN = {"step": 7, "plain": {"lr": 0.1, "phase": "data"}, "spec": "pde P\n"}
FLIPS = 1000
SHORT = ("train.data.train=40", "train.data.test=10")


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    path, rng = tmp_path / "one.safetensors", Random(0)
    save_tensors(path, TENSORS, PLAIN)
    data = path.read_bytes()
    for place in rng.sample(range(8 * len(data)), min(FLIPS, 8 * len(data))):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        with pytest.raises(CorruptCheckpoint):
            load_tensors(path)


def test_a_digit_that_rounds_away_is_found(tmp_path: Path) -> None:
    path = tmp_path / "one.safetensors"
    save_tensors(path, {}, {"loss": 0.0025931659308931093})
    path.write_bytes(path.read_bytes().replace(b"8931093", b"8931092"))
    with pytest.raises(CorruptCheckpoint):
        load_tensors(path)


def test_round_trip(tmp_path: Path) -> None:
    save_tensors(tmp_path / "one.safetensors", TENSORS, PLAIN)
    tensors, plain = load_tensors(tmp_path / "one.safetensors")
    assert plain == {**PLAIN, "format": plain["format"]}
    assert all(torch.equal(tensors[name], t) for name, t in TENSORS.items())


def test_a_good_file_that_is_no_checkpoint_is_passed_over(tmp_path: Path) -> None:
    save(tmp_path, Checkpoint(3, TENSORS, {}, "pde P\n"))
    save_tensors(tmp_path / "step-000000009.safetensors", TENSORS, {"figures": {}})
    found, errors = load_newest(tmp_path)
    assert found is not None
    assert found.step == 3
    assert "is not a checkpoint" in errors[0]


def test_a_crafted_checkpoint_is_no_fault(tmp_path: Path) -> None:
    """Its digest is right and its contents are not: the run is refused with a message, and nothing is lost."""
    pdedsl.train(MOONS, tmp_path / "run", set=("train.epochs=1", *SHORT))
    *older, path = sorted((tmp_path / "run" / "checkpoints").glob("step-*"))
    for old in older:
        old.unlink()
    tensors, plain = load_tensors(path)
    for crafted in (plain | {"plain": {}}, plain | {"step": "1"}, plain | {"plain": plain["plain"] | {"phase": "x"}}):
        save_tensors(path, tensors, crafted)
        with pytest.raises(RunError, match=r"delete it|is not a checkpoint"):
            pdedsl.train(MOONS, tmp_path / "run", resume=True, set=("train.epochs=2", *SHORT))
    assert load_tensors(path)[1]["plain"]["phase"] == "x"


def test_files_of_format_2_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written by version 0.1, when metrics were called figures."""
    path, metrics = tmp_path / "weights.safetensors", {"test_accuracy": 0.5}
    with monkeypatch.context() as version:
        version.setattr("pdedsl.runs.checkpoint.FORMAT", 2)
        save_tensors(path, {"figures": torch.ones(3)}, {"figures": metrics, "hash": "0"})
    tensors, plain = load_tensors(path)
    assert plain == {"metrics": metrics, "hash": "0", "format": 2}
    assert torch.equal(tensors["metrics"], torch.ones(3))
