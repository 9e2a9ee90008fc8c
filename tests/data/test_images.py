"""Public image sets: small files in each format, missing and corrupt files, and the original files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from data.image_files import EVERY, SETS, pictures, read, refused, write, write_mnist
from pdedsl.config.base import Located
from pdedsl.config.data import DATA, Cifar10
from pdedsl.data.load import load

# ---- reading


@pytest.mark.parametrize("name", EVERY)
def test_files_in_the_format_of_the_set(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = write(name, tmp_path, monkeypatch)
    data = read(name, tmp_path)
    for split, (images, labels) in ((data.train, parts["train"]), (data.test, parts["test"])):
        assert split.inputs.dtype == torch.uint8
        assert split.inputs.is_contiguous()
        assert (split.inputs.numpy() == images).all()
        assert split.labels.tolist() == labels.tolist()
    assert (data.shape, data.classes, data.bounds) == (SETS[name].shape, len(SETS[name].names), (0, 1))
    assert len(data.class_names) == data.classes
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def test_the_names_of_cifar100_are_those_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("cifar100", tmp_path, monkeypatch)
    assert read("cifar100", tmp_path).class_names[7] == "kind 7"


def test_compressed_idx_files(tmp_path: Path) -> None:
    parts = {part: (pictures(4, (1, 28, 28), 0), np.arange(4)) for part in ("train", "test")}
    write_mnist(tmp_path, parts, packed=True)
    assert (read("mnist", tmp_path).train.inputs.numpy() == parts["train"][0]).all()


@pytest.mark.parametrize("last", [True, False])
def test_an_npz_file_replaces_a_data_set(last: bool, tmp_path: Path) -> None:
    x, y = pictures(20, (3, 32, 32), 0), np.arange(20) % 7
    stored = x.transpose(0, 2, 3, 1) if last else x
    np.savez(tmp_path / "cifar10.npz", x_train=stored, y_train=y, x_test=stored[:3], y_test=y[:3])
    data = load(Located(Cifar10()), tmp_path, (3, 32, 32), 10)
    assert (data.train.inputs.numpy() == x).all()
    assert (data.classes, data.class_names[2]) == (10, "bird")


def test_an_npz_file_of_something_else(tmp_path: Path) -> None:
    x = pictures(20, (1, 28, 28), 0)
    np.savez(tmp_path / "cifar10.npz", x=x, y=np.arange(20))
    told = refused("E723", "cifar10", tmp_path)
    assert (
        "has 20 classes and samples of shape (1, 28, 28) | expected: 10 classes and samples of shape (3, 32, 32)"
        in told
    )


# ---- the real ones, where PDEDSL_DATA names a folder that holds them

REAL = Path(os.environ.get("PDEDSL_DATA", ""))


PUBLISHED: dict[str, tuple[int, int, tuple[float, ...], tuple[float, ...]]] = {  # sizes, mean and std to four digits
    "mnist": (60000, 10000, (0.1307,), (0.3081,)),
    "fashion_mnist": (60000, 10000, (0.2860,), (0.3530,)),
    "cifar10": (50000, 10000, (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)),
    "cifar100": (50000, 10000, (0.5071, 0.4865, 0.4409), (0.2673, 0.2564, 0.2762)),
    "svhn": (73257, 26032, (0.4377, 0.4438, 0.4728), (0.1980, 0.2010, 0.1970)),
    "stl10": (5000, 8000, (0.4467, 0.4398, 0.4066), (0.2603, 0.2566, 0.2713)),
}


def at_hand(name: str) -> bool:
    return bool(os.environ.get("PDEDSL_DATA")) and (SETS[name].present(REAL) or (REAL / f"{name}.npz").is_file())


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.skipif(not at_hand(n), reason="no files")) for n in EVERY]
)
def test_the_real_set(name: str) -> None:
    data = read(name, REAL)
    train, test, mean, std = PUBLISHED[name]
    assert (len(data.train), len(data.test)) == (train, test)
    assert data.mean == pytest.approx(mean, abs=1e-4)
    assert data.std == pytest.approx(std, abs=1e-4)
    assert data.train.labels.bincount().min() > 0
    assert len(data.train.labels.bincount()) == len(data.test.labels.bincount()) == data.classes
    half = load(Located(DATA[name].create({"train": 1000, "test": 500, "validation": 0.5})), REAL)
    assert half.validation is not None
    assert (len(half.train), len(half.validation), len(half.test)) == (500, 500, 500)
    assert not {x.numpy().tobytes() for x in half.train.inputs} & {x.numpy().tobytes() for x in half.validation.inputs}
